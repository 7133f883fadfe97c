// The charts of a monitor: error and evidence over time, and the calibration curve of a period.

import { svg } from "./dom.js";
import { niceTicks } from "./axes.js";

const LEFT = 56;
const RIGHT = 12;
const TOP = 12;
const PANEL = 190;
const GAP = 34;
const LABEL = 92; // pixels that a date takes
const LOWEST = 0.01; // of an e-value that is shown

export function written(value, digits = 4) {
  return value === null ? "–" : value.toFixed(digits);
}

export function evidenceText(value) {
  if (value === null) return "–";
  return value >= 1e5 ? value.toExponential(1) : String(Number(value.toPrecision(2)));
}

function tick(x, y, text, anchor) {
  return svg("text", { x, y, class: "tick", "text-anchor": anchor }, text);
}

function path(points) {
  return points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");
}

function days(text) {
  return Date.parse(`${text}T00:00:00Z`) / 86400000;
}

// Where dates lie: from the first to the last period.
function timeScale(periods, width) {
  const first = days(periods[0].period);
  const span = Math.max(1, days(periods.at(-1).period) - first);
  return (text) => LEFT + 8 + ((days(text) - first) / span) * (width - LEFT - RIGHT - 16);
}

function frame(place, ticks, width, bottom, show) {
  return [
    ticks.map((one) => [
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: place(one), y2: place(one), class: "rule" }),
      tick(LEFT - 6, place(one) + 4, show(one), "end"),
    ]),
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: bottom, y2: bottom, class: "axis" }),
  ];
}

function dates(periods, x, y, width) {
  const every = Math.max(1, Math.ceil(periods.length / Math.max(1, Math.floor((width - LEFT - RIGHT) / LABEL))));
  return periods.filter((_, at) => at % every === 0).map(({ period }) =>
    tick(Math.min(x(period), width - 38), y, period, "middle"));
}

// Both panels; `choose` is told of a period that is clicked.
export function seriesChart(group, chosen, width, choose) {
  const periods = group.periods;
  const x = timeScale(periods, width);
  const bottom = TOP + PANEL;
  const top = bottom + GAP;
  const errors = niceTicks(Math.max(0.02, ...periods.map((one) => one.high)));
  const y = (value) => bottom - (value / errors.at(-1)) * PANEL;
  const known = periods.filter((one) => one.e_value !== null);
  const powers = [Math.log10(LOWEST), ...known.map((one) => Math.log10(Math.max(one.e_value, LOWEST))), Math.log10(group.threshold) + 0.5];
  const lowest = Math.floor(Math.min(...powers, -1));
  const highest = Math.ceil(Math.max(...powers));
  const v = (value) => top + PANEL - ((Math.log10(Math.max(value, LOWEST)) - lowest) / (highest - lowest)) * PANEL;
  const step = Math.max(1, Math.ceil((highest - lowest) / 5));
  const decades = Array.from({ length: Math.floor((highest - lowest) / step) + 1 }, (_, at) => 10 ** (lowest + at * step));
  const last = x(periods.at(-1).period);
  const end = top + PANEL;
  const band = [...periods.map((one) => [x(one.period), y(one.high)]), ...periods.map((one) => [x(one.period), y(one.low)]).reverse()];
  const reach = periods.length > 1 ? Math.max(4, (width - LEFT - RIGHT) / periods.length) : 60;
  return svg("svg", { width, height: end + 26, viewBox: `0 0 ${width} ${end + 26}`, "aria-hidden": "true" },
    group.alarm === null ? null : svg("rect", { x: x(group.since), y: TOP, width: Math.max(2, last - x(group.since)), height: end - TOP, class: "since" }),
    frame(y, errors, width, bottom, (one) => String(one)),
    frame(v, decades, width, end, evidenceText),
    svg("path", { d: `${path(band)}Z`, class: "band" }),
    svg("path", { d: path(periods.map((one) => [x(one.period), y(one.error)])), class: "line" }),
    periods.length > 80 ? null : periods.map((one) => svg("circle", { cx: x(one.period), cy: y(one.error), r: 3.5, class: "dot" })),
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: v(group.threshold), y2: v(group.threshold), class: "threshold" }),
    known.length ? svg("path", { d: path(known.map((one) => [x(one.period), v(one.e_value)])), class: "evidence" }) : null,
    group.alarm === null ? null : svg("line", { x1: x(group.alarm), x2: x(group.alarm), y1: TOP, y2: end, class: "alarm" }),
    svg("line", { x1: x(periods[chosen].period), x2: x(periods[chosen].period), y1: TOP, y2: end, class: "chosen" }),
    dates(periods, x, end + 18, width),
    tick(LEFT + 6, TOP + 10, "error", "start"),
    tick(LEFT + 6, top + 10, "e-value (dashed: alarm)", "start"),
    periods.map((one, at) => svg("rect", {
      x: x(one.period) - reach / 2, y: TOP, width: reach, height: end - TOP, class: "target", "data-period": one.period, onclick: () => choose(at),
    })));
}

// Observed frequency against mean probability, cell by cell.
export function curveChart(points, width) {
  const side = Math.min(420, width);
  const length = side - LEFT - RIGHT;
  const x = (value) => LEFT + value * length;
  const y = (value) => TOP + (1 - value) * length;
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const height = TOP + length + 40;
  return svg("svg", { width: side, height, viewBox: `0 0 ${side} ${height}`, "aria-hidden": "true" },
    frame(y, ticks, side, y(0), (one) => String(one)),
    ticks.map((one) => tick(x(one), y(0) + 16, String(one), "middle")),
    tick(x(0.5), y(0) + 34, "predicted probability", "middle"),
    tick(LEFT + 6, TOP + 10, "observed frequency", "start"),
    svg("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "diagonal" }),
    points.map((one) => svg("line", { x1: x(one.predicted), x2: x(one.predicted), y1: y(one.low), y2: y(one.high), class: "interval" })),
    points.map((one) => svg("circle", { cx: x(one.predicted), cy: y(one.observed), r: 4, class: "dot" })));
}
