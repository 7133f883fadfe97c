// The series: one panel per actor on one time axis, and below them the documents. A period is a point and its interval:
// periods without a count leave a gap.

import { svg } from "./dom.js";
import { INK, horizontalGrid, label, niceTicks, periodAxis } from "./axes.js";
import { rove } from "./roving.js";
import { end, isCorrected, isIntervalOnly, isWithdrawn, percent, pointText, say } from "./wording.js";

const COLOURS = ["#0072b2", "#c25400", "#008560", "#a8528a", "#80602f", "#3d7fb5"];
const GREY = "#8a8f96";
const BAND = 0.3;
const TOP = 30;
const HEIGHT = 118;
const LEFT = 54;
const RIGHT = 8;
const FOOT = 26;
const BARS = 34; // of documents
const RAW = { value: "mean", low: "low", high: "high" };
const CORRECTED = { value: "corrected", low: "correctedLow", high: "correctedHigh" };

function dot(x, y, radius, colour, open) {
  const filled = open ? { fill: "#fff", stroke: colour, "stroke-width": 1.5, class: "dot lighter open" } : { fill: colour, class: "dot lighter" };
  return svg("circle", { cx: x, cy: y, r: radius, ...filled });
}

function interval(x, top, bottom, wide, colour) {
  const thin = Math.max(bottom - top, 2); // an interval of one number is seen, too
  return svg("rect", { class: "band lighter", x: x - wide / 2, y: top - (thin - (bottom - top)) / 2, width: wide, height: thin, fill: colour, "fill-opacity": BAND });
}

function dash(x, y, half, attributes = {}) {
  return svg("line", { x1: x - half, x2: x + half, y1: y, y2: y, stroke: INK, "stroke-width": 1.4, class: "ink-line", ...attributes });
}

function panel(actor, rows, { title, unit, level, correcting, number, top, width, highest }) {
  const colour = COLOURS[number % COLOURS.length];
  const step = (width - LEFT - RIGHT) / rows.length;
  const middle = (at) => Number((LEFT + (at + 0.5) * step).toFixed(2));
  const ticks = niceTicks(highest, { whole: unit !== "share" });
  const upper = highest > 0 ? Math.min(ticks.at(-1), 1.05 * highest) : ticks.at(-1);
  const down = (value) => Number((top + HEIGHT * (1 - value / upper)).toFixed(2));
  const names = rows.some(isCorrected) ? CORRECTED : RAW;
  const radius = Math.max(1.2, Math.min(3.5, step / 3));
  const wide = Math.max(1, Math.min(9, step * 0.6));
  const known = (row) => (names === CORRECTED ? isCorrected(row) : row.mean !== null);
  const intervals = rows.map((row, at) => (known(row) && !(correcting && names === RAW)
    ? interval(middle(at), down(row[names.high]), down(row[names.low]), wide, colour) : null));
  const reference = correcting ? "mean" : "best";
  const dashes = rows.map((row, at) => (row[reference] === null ? null : dash(middle(at), down(row[reference]), Math.max(1, wide * 0.75))));
  const places = rows.map((row, at) => (known(row) ? svg("g", {
    class: "place", role: "button", tabindex: -1, "aria-pressed": "false", "aria-label": pointText(title, row, unit, level),
    "data-actor": actor, "data-period": row.period,
  },
  svg("rect", { class: "reach", x: middle(at) - step / 2, y: top, width: step, height: HEIGHT, fill: "#000", "fill-opacity": 0 }),
  names === CORRECTED && isIntervalOnly(row) ? null : dot(middle(at), down(row[names.value]), radius, colour, row.incomplete)) : null));
  const said = correcting && names === RAW ? say("panel_raw", { title }) : title;
  const drawn = svg("g", { "data-panel": actor },
    label(LEFT, top - 9, said, { fill: INK, class: "ink", "font-weight": 600, "font-size": 13 }),
    horizontalGrid(ticks.filter((tick) => tick <= upper), down, LEFT, width - RIGHT, (tick) => end(tick, unit)),
    intervals, svg("g", { class: correcting ? "raw" : "best" }, dashes), places);
  return { drawn, places, middle, step };
}

// How many documents each period has, and how many of them were read.
function documentBars(rows, middle, step, top) {
  const most = Math.max(1, ...rows.map((row) => row.documents));
  const wide = Math.max(1, step * 0.8);
  const bar = (n, at, opacity) => (n > 0 ? svg("rect", {
    x: middle(at) - wide / 2, y: top + BARS * (1 - n / most), width: wide, height: (BARS * n) / most, fill: GREY, "fill-opacity": opacity,
  }) : null);
  return svg("g", { class: "documents" },
    label(LEFT, top - 5, say("documents_per_period", { most }), { "font-size": 11 }),
    rows.map((row, at) => [bar(row.documents, at, 0.45), bar(row.read ?? 0, at, 0.9)]));
}

// `series` is what the source answers; `titles` by code. Calls moved(text) and chosen(actor, period).
export function seriesChart(series, { titles, period, unit, level, scale, correcting = false, width, summary, moved, chosen }) {
  const actors = Object.keys(series);
  const drawn = (row) => (correcting ? [row.correctedHigh ?? null, row.mean] : [row.high, row.mean, row.best]);
  const highest = (rows) => Math.max(0, ...rows.flatMap(drawn).filter((one) => one !== null));
  const all = highest(Object.values(series).flat());
  const tall = TOP + HEIGHT;
  const panels = actors.map((actor, number) => panel(actor, series[actor], {
    title: titles[actor], unit, level, correcting, number, top: number * tall + TOP, width,
    highest: scale === "own" ? highest(series[actor]) : all,
  }));
  const rows = series[actors.find((actor) => series[actor].some(isCorrected)) ?? actors[0]];
  const { middle, step } = panels[0];
  const foot = actors.length * tall + TOP + BARS;
  const height = foot + FOOT;
  const root = svg("svg", {
    class: "chart", role: "group", tabindex: -1, "aria-label": summary, width, height, viewBox: `0 0 ${width} ${height}`,
  }, panels.map((one) => one.drawn), documentBars(rows, middle, step, foot - BARS),
  periodAxis(rows.map((row) => row.period), period, middle, foot, LEFT, width - RIGHT));
  rove(root, panels.map((one) => one.places), {
    moved: (node) => moved(node.getAttribute("aria-label"), node),
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

// What is drawn, in words and small pictures.
export function seriesKey(series, level, correcting = false) {
  const small = (...shapes) => svg("svg", { width: 16, height: 12, "aria-hidden": "true" }, shapes);
  const colour = COLOURS[0];
  const rows = Object.values(series).flat();
  const hasDot = (row) => !(correcting && isIntervalOnly(row)) && row.mean !== null;
  const bar = (opacity) => small(svg("rect", { x: 2, width: 12, height: 12, fill: GREY, "fill-opacity": opacity }));
  return [
    [small(dot(8, 6, 3.5, colour)), correcting ? say("key_corrected") : say("key_expected")],
    [small(interval(8, 0, 12, 9, colour)), say("key_interval", { level: percent(level) })],
    [small(dash(8, 6, 7)), correcting ? say("counts_raw") : say("key_best")],
    ...(rows.some((row) => row.incomplete && hasDot(row)) ? [[small(dot(8, 6, 3.5, colour, true)), say("key_incomplete")]] : []),
    ...(rows.some((row) => isIntervalOnly(row) && !isWithdrawn(row)) ? [[small(interval(8, 0, 12, 9, colour)), say("key_interval_only")]] : []),
    ...(rows.some(isWithdrawn) ? [[small(interval(8, 0, 12, 9, colour)), say("key_withdrawn")]] : []),
    [bar(0.45), say("unit_documents")],
    ...(rows.some((row) => row.read > 0) ? [[bar(0.9), say("key_labelled")]] : []),
  ];
}
