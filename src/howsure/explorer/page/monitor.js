// The page of a monitor: groups, their series, and the calibration curve of the period that was chosen.

import { byId, element, folded, heading, table } from "./dom.js";
import { curveChart, evidenceText, seriesChart, written } from "./monitor_charts.js";

const data = JSON.parse(byId("data").textContent);
const whole = (value) => value.toLocaleString("en");
const band = (one) => `${written(one.error)} [${written(one.low)}, ${written(one.high)}]`;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
const state = { group: 0, period: 0 };

function group() {
  return data.groups[state.group];
}

function room() {
  return Math.max(280, byId("series").clientWidth);
}

// The address says what is shown: group and period by their number.
function read() {
  const found = /^#g(\d+)p(\d+)$/.exec(location.hash);
  state.group = found && Number(found[1]) < data.groups.length ? Number(found[1]) : firstAlarm();
  const last = group() ? group().periods.length - 1 : 0;
  state.period = found ? Math.min(Number(found[2]), last) : last;
}

function firstAlarm() {
  return Math.max(0, data.groups.findIndex((one) => one.alarm !== null));
}

function choose(changes) {
  Object.assign(state, changes);
  history.replaceState(null, "", `#g${state.group}p${state.period}`);
  draw();
}

function pick(at) {
  choose({ group: at, period: data.groups[at].periods.length - 1 });
}

function groupsTable() {
  const columns = [
    { name: "group", cell: (one) => element("button", { class: "link", "aria-pressed": String(one === group()), onclick: () => pick(data.groups.indexOf(one)) }, one.name) },
    { name: "alarm", cell: (one) => element("span", { class: one.alarm ? "alarmed" : "" }, one.alarm ?? "none") },
    { name: "since about", cell: (one) => (one.alarm ? one.since : "–") },
    { name: "rows", number: true, cell: (one) => whole(one.n) },
    { name: "error over all periods", number: true, cell: (one) => one.total },
    { name: "e-value", number: true, cell: (one) => `${evidenceText(one.e_value)} of ${evidenceText(one.threshold)}` },
  ];
  return table("Each group by itself; choose one.", columns, data.groups);
}

function valueText(at) {
  const one = group().periods[at];
  return `${one.period}: ${whole(one.n)} rows, error ${band(one)}, predicted ${written(one.predicted)}, observed ${written(one.observed)}, e-value ${evidenceText(one.e_value)}`;
}

function moved(event) {
  const last = group().periods.length - 1;
  const to = event.key === "Home" ? 0 : event.key === "End" ? last : state.period + (KEYS[event.key] ?? 0);
  if (to === state.period) return;
  event.preventDefault();
  choose({ period: Math.min(last, Math.max(0, to)) });
  byId("chart").focus();
}

function drawSeries() {
  const one = group();
  const columns = [
    { name: data.by, cell: (row) => row.period },
    { name: "rows", number: true, cell: (row) => whole(row.n) },
    { name: "predicted", number: true, cell: (row) => written(row.predicted) },
    { name: "observed", number: true, cell: (row) => written(row.observed) },
    { name: "error", number: true, cell: band },
    { name: "e-value", number: true, cell: (row) => evidenceText(row.e_value) },
  ];
  byId("series").replaceChildren(
    heading(`${one.name}: each ${data.by}`),
    element("p", { class: one.alarm ? "verdict alarmed" : "verdict", id: "verdict" }, one.told),
    element("p", { class: "quiet" }, `Click a ${data.by}, or go through them with the arrow keys, to see its calibration curve.`),
    element("div", {
      id: "chart", class: "chart", tabindex: 0, role: "slider", "aria-label": `${data.by} of ${one.name}`, "aria-valuemin": 0,
      "aria-valuemax": one.periods.length - 1, "aria-valuenow": state.period, "aria-valuetext": valueText(state.period), onkeydown: moved,
    }, seriesChart(one, state.period, room(), (at) => { choose({ period: at }); byId("chart").focus(); })),
    element("p", { class: "readout", id: "readout" }, valueText(state.period)),
    folded("The series as a table", () => table(`Each ${data.by}`, columns, one.periods)));
}

function drawCurve() {
  const one = group().periods[state.period];
  const columns = [
    { name: "cell", cell: (row) => row.cell },
    { name: "rows", number: true, cell: (row) => whole(row.n) },
    { name: "predicted", number: true, cell: (row) => written(row.predicted) },
    { name: "observed", number: true, cell: (row) => `${written(row.observed)} [${written(row.low)}, ${written(row.high)}]` },
  ];
  byId("curve").replaceChildren(
    heading(`Calibration curve of ${data.by === "day" ? "" : `the ${data.by} from `}${one.period}`),
    curveChart(one.curve, room()),
    folded("The curve as a table", () => table("Cells of the predicted probability", columns, one.curve)));
}

function draw() {
  byId("groups").replaceChildren(heading("Groups"), groupsTable());
  drawSeries();
  drawCurve();
}

function start() {
  byId("facts").textContent = data.facts;
  byId("recipe").append(element("dl", {}, data.recipe.map(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])));
  if (data.groups.length) {
    read();
    draw();
    addEventListener("resize", draw);
    addEventListener("hashchange", () => { read(); draw(); });
  } else {
    byId("groups").append(element("p", { class: "problem" }, "No period was taken yet."));
  }
  document.querySelector("main").removeAttribute("aria-busy");
}

start();
