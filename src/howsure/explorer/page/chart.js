// The series: one panel per actor, all on one scale and one time axis; a band, the posterior mean, and the 1-best count.

import { svg } from "./dom.js";
import { INK, horizontalGrid, label, niceTicks, periodAxis } from "./axes.js";
import { rove } from "./roving.js";
import { amount, isCorrected, percent, pointText } from "./wording.js";

const COLOURS = ["#0072b2", "#c25400", "#008560", "#a8528a", "#80602f", "#3d7fb5"];
const BAND = 0.25;
const TOP = 30;
const HEIGHT = 118;
const LEFT = 54;
const RIGHT = 8;
const FOOT = 26;
const DASHES = "4 3";
const DOTS = "1.5 3";
const RAW = { value: "mean", low: "low", high: "high" };
const CORRECTED = { value: "corrected", low: "correctedLow", high: "correctedHigh" };

function line(points, attributes) {
  return points.length < 2 ? null :
    svg("polyline", { points: points.map((one) => one.join(",")).join(" "), fill: "none", ...attributes });
}

// Stretches of periods that follow each other and have documents.
function stretches(rows, has) {
  const found = [];
  rows.forEach((row, at) => {
    if (!has(row)) return;
    if (at > 0 && found.length && found.at(-1).at(-1) === at - 1) found.at(-1).push(at);
    else found.push([at]);
  });
  return found;
}

function band(rows, stretch, names, middle, place, half, colour) {
  const edge = (at, name) => `${middle(at)},${place(rows[at][name])}`;
  const { low, high } = names;
  const points = stretch.length > 1
    ? [...stretch.map((at) => edge(at, high)), ...stretch.toReversed().map((at) => edge(at, low))]
    : [[-1, high], [1, high], [1, low], [-1, low]].map(([side, name]) =>
      `${middle(stretch[0]) + side * half},${place(rows[stretch[0]][name])}`);
  return svg("polygon", { points: points.join(" "), fill: colour, "fill-opacity": BAND, class: "band lighter" });
}

function place(row, actor, title, unit, level, x, step, top, y, radius, colour) {
  return svg("g", {
    class: "place", role: "button", tabindex: -1, "aria-pressed": "false", "aria-label": pointText(title, row, unit, level),
    "data-actor": actor, "data-period": row.period,
  },
  svg("rect", { class: "reach", x: x - step / 2, y: top, width: step, height: HEIGHT, fill: "#000", "fill-opacity": 0 }),
  svg("circle", { class: "dot lighter", cx: x, cy: y, r: radius, fill: colour }));
}

function panel(actor, rows, { title, unit, level, correcting, number, top, width, highest, ticks }) {
  const colour = COLOURS[number % COLOURS.length];
  const step = (width - LEFT - RIGHT) / rows.length;
  const middle = (at) => Number((LEFT + (at + 0.5) * step).toFixed(2));
  const down = (value) => Number((top + HEIGHT * (1 - value / highest)).toFixed(2));
  const names = rows.some(isCorrected) ? CORRECTED : RAW;
  const known = (row) => row[names.value] !== null && !(correcting && names === RAW);
  const held = stretches(rows, known);
  const along = (stretch, name) => stretch.map((at) => [middle(at), down(rows[at][name])]);
  const radius = Math.max(1.5, Math.min(3.5, step / 3));
  const places = rows.map((row, at) => (row[names.value] === null ? null :
    place(row, actor, title, unit, level, middle(at), step, top, down(row[names.value]), radius, colour)));
  const beside = correcting
    ? { stroke: INK, "stroke-width": 1.6, "stroke-dasharray": DOTS, "stroke-linecap": "round", class: "raw ink-line" }
    : { stroke: INK, "stroke-width": 1.1, "stroke-dasharray": DASHES, class: "best ink-line" };
  const drawnBeside = correcting ? "mean" : "best";
  const said = correcting && names === RAW ? `${title} (no labels: raw only)` : title;
  const drawn = svg("g", { "data-panel": actor },
    label(LEFT, top - 9, said, { fill: INK, class: "ink", "font-weight": 600, "font-size": 13 }),
    horizontalGrid(ticks, down, LEFT, width - RIGHT, (tick) => amount(tick, unit)),
    held.map((stretch) => band(rows, stretch, names, middle, down, Math.min(step / 2, 6), colour)),
    held.map((stretch) => line(along(stretch, names.value), { stroke: colour, "stroke-width": 1.8, class: "mean lighter" })),
    stretches(rows, (row) => row[drawnBeside] !== null).map((stretch) => line(along(stretch, drawnBeside), beside)),
    places);
  return { drawn, places, middle };
}

// `series` is what the source answers; `titles` by code. Calls moved(text) and chosen(actor, period).
export function seriesChart(series, { titles, period, unit, level, correcting = false, width, summary, moved, chosen }) {
  const actors = Object.keys(series);
  const rows = series[actors[0]];
  const drawn = (row) => (correcting ? [row.correctedHigh ?? null, row.mean] : [row.high, row.mean, row.best]);
  const values = Object.values(series).flat().flatMap(drawn).filter((one) => one !== null);
  const ticks = niceTicks(Math.max(0, ...values), { whole: unit !== "share" });
  const tall = TOP + HEIGHT;
  const height = actors.length * tall + FOOT;
  const panels = actors.map((actor, number) => panel(actor, series[actor], {
    title: titles[actor], unit, level, correcting, number, top: number * tall + TOP, width, highest: ticks.at(-1), ticks,
  }));
  const foot = actors.length * tall;
  const root = svg("svg", {
    class: "chart", role: "group", tabindex: -1, "aria-label": summary, width, height, viewBox: `0 0 ${width} ${height}`,
  }, panels.map((one) => one.drawn), periodAxis(rows.map((row) => row.period), period, panels[0].middle, foot, LEFT, width - RIGHT));
  rove(root, panels.map((one) => one.places), {
    moved: (node) => moved(node.getAttribute("aria-label")),
    chosen: (node) => chosen(node.dataset.actor, node.dataset.period),
  });
  return root;
}

// The point of an actor and a period.
export function pointOf(root, { actor, period }) {
  return [...root.querySelectorAll(".place")].find((node) => node.dataset.actor === actor && node.dataset.period === period);
}

// Marks the point whose documents are shown.
export function markPoint(root, point) {
  for (const node of root.querySelectorAll(".place")) {
    const here = point !== null && node.dataset.actor === point.actor && node.dataset.period === point.at;
    node.setAttribute("aria-pressed", here ? "true" : "false");
  }
}

// What the lines are, in words and small pictures.
export function seriesKey(level, correcting = false) {
  const picture = (...shapes) => svg("svg", { width: 28, height: 12, "aria-hidden": "true" }, shapes);
  const colour = COLOURS[0];
  const entries = [
    [picture(svg("line", { x1: 0, x2: 28, y1: 6, y2: 6, stroke: colour, "stroke-width": 2, class: "lighter" }),
      svg("circle", { cx: 14, cy: 6, r: 3.5, fill: colour, class: "lighter" })), correcting ? "corrected by labels" : "expected (posterior mean)"],
    [picture(svg("rect", { width: 28, height: 12, fill: colour, "fill-opacity": BAND, class: "lighter" })), `${percent(level)} interval`],
  ];
  if (correcting) {
    const raw = { stroke: INK, "stroke-width": 1.6, "stroke-dasharray": DOTS, "stroke-linecap": "round", class: "ink-line" };
    return [...entries, [picture(svg("line", { x1: 1, x2: 28, y1: 6, y2: 6, ...raw })), "raw: what the model finds"]];
  }
  const best = svg("line", { x1: 0, x2: 28, y1: 6, y2: 6, stroke: INK, "stroke-width": 1.4, "stroke-dasharray": DASHES, class: "ink-line" });
  return [...entries, [picture(best), "1-best: the single best clustering"]];
}
