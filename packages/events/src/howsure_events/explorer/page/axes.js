// Scales and ticks, drawn with attributes so that a saved figure looks the same everywhere.

import { svg } from "./dom.js";

export const INK = "#1a1a1a";
const QUIET = "#5b6066";
const GRID = "#e1e4e8";
const YEARLY = { week: [1, 2, 4, 13, 26, 52, 104, 260], month: [1, 3, 6, 12, 24, 60, 120, 240], quarter: [1, 2, 4, 8, 20, 40], year: [1, 2, 5, 10, 20] };
const LABEL = 66; // pixels that the name of a period takes

export function niceTicks(highest, { most = 4, whole = false } = {}) {
  if (!(highest > 0)) return [0, 1];
  const rough = Math.max(highest / most, whole ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough * (1 - 1e-9));
  const n = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: n + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

// Which periods get a name below the axis: as many as fit, counted from the start of a year.
export function namedPeriods(periods, period, width) {
  const fitting = Math.max(1, Math.floor(width / LABEL));
  const every = YEARLY[period].find((step) => periods.length / step <= fitting) ?? Math.ceil(periods.length / fitting);
  const first = Math.max(0, periods.findIndex((period) => /(-01|-Q1|-W01|^[0-9]{4})$/.test(period)));
  return periods.map((_, at) => at).filter((at) => (at - first) % every === 0);
}

export function label(x, y, text, attributes = {}) {
  return svg("text", { x, y, "font-size": 12, fill: QUIET, class: "soft", ...attributes }, text);
}

export function horizontalGrid(ticks, place, left, right, written) {
  return ticks.map((tick) => [
    svg("line", { x1: left, x2: right, y1: place(tick), y2: place(tick), stroke: GRID, class: "faint-line" }),
    label(left - 6, place(tick) + 4, written(tick), { "text-anchor": "end" }),
  ]);
}

export function periodAxis(periods, period, middle, y, left, right) {
  return [
    svg("line", { x1: left, x2: right, y1: y, y2: y, stroke: QUIET, class: "ink-line" }),
    namedPeriods(periods, period, right - left).map((at) => [
      svg("line", { x1: middle(at), x2: middle(at), y1: y, y2: y + 4, stroke: QUIET, class: "ink-line" }),
      label(Math.min(middle(at), right - 16), y + 17, periods[at], { "text-anchor": "middle" }), // the last is not cut
    ]),
  ];
}
