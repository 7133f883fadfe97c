// The two figures with what belongs to them: words, key, table, and what can be saved.

import { byId, element, folded, heading, table } from "./dom.js";
import { markPoint, seriesChart, seriesKey } from "./chart.js";
import { comparisonChart, comparisonKey } from "./comparison.js";
import { figureText, save } from "./saving.js";
import { UNITS, amount, bandsText, comparisonText, counted, eventText, percent, probability, whole } from "./wording.js";

const NARROWEST = 280;

// Of the section that is always there.
function chartWidth() {
  return Math.max(NARROWEST, byId("series").clientWidth);
}

function key(entries) {
  return element("div", { class: "key" }, entries.map(([picture, text]) => element("span", {}, picture, text)));
}

function fileName(asked, suffix) {
  const actors = (asked.actors ?? [asked.first, asked.second]).join("-");
  return `events-${actors}-${asked.by}-${asked.unit}`.replace(/[^A-Za-z0-9-]+/g, "_").slice(0, 80) + suffix;
}

function saveFigure(chart, asked, title, page) {
  const told = `${eventText(page.overview)} ${JSON.stringify(asked)} ${percent(asked.level)} intervals. ${bandsText(page.overview)}`;
  save(figureText(chart, title, told), fileName(asked, ".svg"), "image/svg+xml");
}

async function saveTable(asked, page) {
  try {
    save(await page.source.csv(asked), fileName(asked, ".csv"), "text/csv");
  } catch (error) {
    page.complain([error.message]);
  }
}

function seriesTable(series, asked, page) {
  const rows = Object.entries(series).flatMap(([actor, all]) => all.map((row) => ({ actor, ...row })));
  const value = (name) => ({ name, number: true, cell: (row) => amount(row[name], asked.unit) });
  const points = (row) => (row.mean === null ? row.period : element("button", {
    type: "button", class: "link", onclick: () => page.go({ point: { actor: row.actor, period: row.period } }, "point"),
  }, row.period));
  return table(`${UNITS[asked.unit]} by ${asked.by}`, [
    { name: "Actor", cell: (row) => page.titles[row.actor] }, { name: "Period", cell: points },
    { name: "Documents", number: true, cell: (row) => whole(row.documents) },
    value("mean"), value("low"), value("high"), { ...value("best"), name: "1-best" },
  ], rows);
}

export async function drawSeries(asked, page) {
  const title = `${UNITS[asked.unit]} by ${asked.by}`;
  const head = heading(title[0].toUpperCase() + title.slice(1));
  if (!asked.actors.length) return [head, element("p", {}, "Choose at least one actor above.")];
  const series = await page.source.series(asked);
  const readout = element("p", { class: "readout", id: "readout", "aria-hidden": "true" }, "Point at the chart, or move to it with Tab and the arrow keys; Enter shows the documents.");
  const names = asked.actors.map((actor) => page.titles[actor]).join(", ");
  const held = element("div", { id: "series-chart" });
  const drawNow = () => {
    held.replaceChildren(seriesChart(series, {
      titles: page.titles, by: asked.by, unit: asked.unit, level: asked.level, width: chartWidth(),
      summary: `${title}, ${names}. Arrow keys move from point to point, Enter shows the documents of a point. The table below shows the same.`,
      moved: (text) => { readout.textContent = text; },
      chosen: (actor, period) => page.go({ point: { actor, period }, document: null }, "point"),
    }));
    markPoint(held, page.state.point);
  };
  page.redraw.series = drawNow;
  drawNow();
  return [
    head, key(seriesKey(asked.level)), held, readout,
    element("p", { class: "quiet" }, bandsText(page.overview)),
    element("div", { class: "row" },
      element("button", { type: "button", id: "save-table", onclick: () => saveTable(asked, page) }, "Save table (CSV)"),
      element("button", { type: "button", id: "save-figure", onclick: () => saveFigure(held.querySelector("svg"), asked, `${title}: ${names}`, page) }, "Save figure (SVG)")),
    folded("Show as a table", () => seriesTable(series, asked, page)),
  ];
}

export async function drawComparison(asked, page) {
  const [first, second] = [page.titles[asked.first], page.titles[asked.second]];
  const rows = await page.source.compare(asked);
  const readout = element("p", { class: "readout", id: "comparison-readout", role: "status" });
  const held = element("div", { id: "comparison-chart" });
  const drawNow = () => held.replaceChildren(comparisonChart(rows, {
    first, second, by: asked.by, level: asked.level, width: chartWidth(), moved: (text) => { readout.textContent = text; },
  }));
  page.redraw.comparison = drawNow;
  drawNow();
  const told = rows.filter((row) => row.greater !== null);
  const sure = (side) => told.filter((row) => row[side] >= asked.level).length;
  const settled = [sure("greater"), sure("less"), sure("equal")];
  const open = told.length - settled.reduce((sum, n) => sum + n, 0);
  readout.textContent = told.length ? comparisonText(first, second, told.at(-1), asked.level) : "No documents.";
  const columns = [
    { name: "Period", cell: (row) => row.period },
    { name: `P(${first} > ${second})`, number: true, cell: (row) => probability(row.greater) },
    { name: "P(equal)", number: true, cell: (row) => probability(row.equal) },
    { name: `P(${first} < ${second})`, number: true, cell: (row) => probability(row.less) },
    { name: "Difference", number: true, cell: (row) => amount(row.mean, "documents") },
    { name: `${percent(asked.level)} interval`, number: true, cell: (row) => (row.low === null ? "–" : `${amount(row.low, "documents")} to ${amount(row.high, "documents")}`) },
  ];
  return [
    heading(`${first} and ${second}: which acts in more ${asked.unit}?`),
    element("p", { id: "verdict" }, `Of ${counted(told.length, asked.by)} with documents, ${first} acts in more in ${settled[0]} and ${second} in ${settled[1]}, ` +
      `with probability ${asked.level} or more; ${settled[2]} ${settled[2] === 1 ? "is" : "are"} equal; in ${open} there is no conclusion.`),
    key(comparisonKey(first, second)), held, readout,
    element("div", { class: "row" },
      element("button", { type: "button", id: "save-comparison", onclick: () => saveFigure(held.querySelector("svg"), asked, `${first} and ${second}`, page) }, "Save figure (SVG)"),
      element("button", { type: "button", id: "close-comparison", onclick: () => closeComparison(page) }, "Close")),
    folded("Show as a table", () => table(`${first} and ${second} by ${asked.by}`, columns, rows)),
  ];
}

function closeComparison(page) {
  byId("first").value = "";
  byId("second").value = "";
  page.go({ compare: null });
}
