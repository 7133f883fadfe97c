// The two figures with what belongs to them: words, key, table, and what can be saved.

import { byId, element, folded, heading, table } from "./dom.js";
import { markPoint, pointOf, seriesChart, seriesKey } from "./chart.js";
import { comparisonChart, comparisonKey } from "./comparison.js";
import { correctionNotes, withCorrections } from "./corrections.js";
import { figureText, picture, save } from "./saving.js";
import { CORRECTED_BANDS, UNITS, amount, answerText, bandsText, comparisonText, conclusion, counted, end, eventText, finderOf, intervalText, percent, probability, probabilityIs, whole } from "./wording.js";

const NARROWEST = 280;
const COMPUTING = "The counts corrected by labels are being computed …";

// Of the section that is always there.
function chartWidth() {
  return Math.max(NARROWEST, byId("series").clientWidth);
}

function key(entries) {
  return element("div", { class: "key" }, entries.map(([picture, text]) => element("span", {}, picture, text)));
}

function fileName(asked, suffix) {
  const actors = (asked.actors ?? [asked.first, asked.second]).join("-");
  return `events-${actors}-${asked.period}-${asked.unit}`.replace(/[^A-Za-z0-9-]+/g, "_").slice(0, 80) + suffix;
}

// A menu next to a heading that saves a figure, and what else there is to save; `figure` gives its SVG, its title, and
// what its intervals include.
function head(title, id, asked, page, figure, ...others) {
  const drawn = () => {
    const [chart, title, uncertainty = bandsText(page.overview)] = figure();
    return [figureText(chart, title, `${eventText(page.overview)} ${JSON.stringify(asked)} ${percent(asked.level)} intervals. ${uncertainty}`), chart];
  };
  const asSvg = () => save(drawn()[0], fileName(asked, ".svg"), "image/svg+xml");
  const asPng = async () => {
    const [text, chart] = drawn();
    try {
      save(await picture(text, chart.width.baseVal.value, chart.height.baseVal.value), fileName(asked, ".png"), "image/png");
    } catch (error) {
      page.complain([error.message]);
    }
  };
  const menu = element("details", { class: "menu" }, element("summary", {}, "Save"), element("div", {},
    element("button", { type: "button", id, onclick: asSvg }, "Figure (SVG)"),
    element("button", { type: "button", id: `${id}-png`, onclick: asPng }, "Figure (PNG)"), others));
  return element("div", { class: "head" }, heading(title), menu);
}

async function saveTable(asked, page) {
  try {
    const { counts, scale, ...query } = asked; // the table has both counts
    save(await page.source.csv(query), fileName(asked, ".csv"), "text/csv");
  } catch (error) {
    page.complain([error.message]);
  }
}

function seriesTable(series, asked, page, correcting) {
  const count = (name, key, how) => ({ name, number: true, cell: (row) => (row[key] === undefined ? "–" : how(row[key], asked.unit)) });
  const reach = (low, high) => ({ name: "Interval", number: true, cell: (row) => intervalText(row[low], row[high], asked.unit) });
  const points = (actor) => (row) => element("button", {
    type: "button", class: "link", onclick: () => page.go({ point: { actor, at: row.period } }, "point"),
  }, element("time", {}, row.period));
  return element("div", {}, Object.entries(series).map(([actor, rows]) => table(`${page.titles[actor]}: ${UNITS[asked.unit]} by ${asked.period} with documents`, [
    { name: "Period", cell: points(actor) },
    ...(correcting ? [count("Corrected", "corrected", amount), reach("correctedLow", "correctedHigh"), count("Read", "read", whole)] : []),
    count("Documents", "documents", whole), count(correcting ? "Raw" : "Mean", "mean", amount), reach("low", "high"), count("1‑best", "best", end),
  ], rows.filter((row) => row.mean !== null))));
}

// Which periods may be incomplete, and why.
function incompleteText(series, overview) {
  const held = Object.values(series)[0].filter((row) => row.incomplete).map((row) => row.period);
  if (!held.length) return "";
  return `The documents are of ${overview.first} to ${overview.last}: ${held.join(" and ")} may be incomplete. `;
}

export async function drawSeries(asked, page) {
  const title = `${UNITS[asked.unit]} by ${asked.period}`;
  if (!asked.actors.length) {
    byId("answer").replaceChildren();
    return [heading("No actor"), element("p", {}, "Choose at least one actor above.")];
  }
  const { counts, scale, ...query } = asked;
  const series = await page.source.series(query);
  const readout = element("p", { class: "readout", id: "readout", "aria-hidden": "true" }, matchMedia("(hover: none)").matches
    ? "Tap a point to see its documents."
    : "Point at the chart, or move to it with Tab and the arrow keys; Enter shows the documents.");
  const names = asked.actors.map((actor) => page.titles[actor]).join(", ");
  const [held, legend, below, folds] = ["series-chart", "series-key", "corrections", "series-table"].map((id) => element("div", { id }));
  const uncertainty = element("p", { class: "quiet" });
  let corrected = null;
  const correcting = () => Boolean(corrected?.series);
  const shown = () => (correcting() ? withCorrections(series, corrected) : series);
  const waiting = () => counts === "corrected" && corrected === null;
  const tellAnswer = () => byId("answer").replaceChildren(...(waiting() ? [element("p", {}, COMPUTING)] : [
    ...Object.entries(shown()).map(([actor, rows]) => element("p", {}, answerText(
      page.titles[actor], rows, corrected?.totals?.[actor], asked.unit, finderOf(page.overview)))),
    element("p", { class: "quiet" }, correcting() ? `${percent(asked.level)} intervals; corrected by the labels of documents that were read.`
      : `This is what the ${finderOf(page.overview)} finds, ${page.overview.labels ? "not corrected by the labels" : "and nobody has read documents to check it"}.`),
  ]));
  const drawNow = () => {
    held.replaceChildren(seriesChart(shown(), {
      titles: page.titles, period: asked.period, unit: asked.unit, level: asked.level, scale, width: chartWidth(), correcting: correcting(),
      summary: `${title}, ${names}. Arrow keys move from point to point, Enter shows the documents of a point. The table below shows the same.`,
      moved: (text) => { readout.textContent = text; },
      chosen: (actor, at) => page.go({ point: { actor, at }, document: null }, "point"),
    }));
    markPoint(held, page.state.point);
  };
  const drawAll = () => {
    legend.replaceChildren(key(seriesKey(shown(), asked.level, correcting())));
    drawNow();
    tellAnswer();
    uncertainty.textContent = `${incompleteText(series, page.overview)}${bandsText(page.overview, correcting() ? "The raw counts" : "The intervals")}`;
    folds.replaceChildren(folded("Show as a table", () => seriesTable(shown(), asked, page, correcting())));
  };
  page.redraw.series = drawNow;
  drawAll();
  if (counts === "corrected") {
    const { period, unit, level } = asked;
    below.setAttribute("aria-busy", "true");
    below.replaceChildren(element("p", { class: "quiet" }, COMPUTING));
    const arrived = (found) => {
      const focused = held.contains(document.activeElement) ? document.activeElement.dataset : null;
      corrected = found;
      drawAll();
      if (focused) pointOf(held, focused)?.focus({ preventScroll: true });
      if (found.series) page.announce("The counts corrected by labels are shown.");
      below.replaceChildren(...correctionNotes(series, found, page.titles));
    };
    const failed = (error) => {
      corrected = {};
      tellAnswer();
      below.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    };
    page.source.corrected({ period, unit, level }).then(arrived).catch(failed).finally(() => below.removeAttribute("aria-busy"));
  }
  const figure = () => [held.querySelector("svg"), `${title}: ${names}`, correcting() ? corrected.said.join(" ") : undefined];
  const tableToo = element("button", { type: "button", id: "save-table", onclick: () => saveTable(asked, page) }, "Table (CSV)");
  return [
    head(title[0].toUpperCase() + title.slice(1), "save-figure", asked, page, figure, tableToo),
    held, readout, legend, below, uncertainty, folds,
  ];
}

const SIDES = ["greater", "less", "equal"];

// The number of periods in which each of two actors has more.
function verdict(rows, first, second, asked) {
  const periods = rows.filter((row) => row.mean !== null);
  const settled = SIDES.map((side) => periods.filter((row) => conclusion(row) === side).length);
  const open = periods.length - settled.reduce((sum, n) => sum + n, 0);
  return `Of ${counted(periods.length, asked.period)} with documents, ${first} has more in ${settled[0]} and ${second} in ${settled[1]} ` +
    `(the ${percent(asked.level)} interval of the difference excludes 0); ${settled[2]} ${settled[2] === 1 ? "is" : "are"} equal; in ${open} there is no conclusion.`;
}

// The comparison of two actors in all periods.
function verdictInAll({ greater, low, high }, first, second) {
  if (greater === null) return "In all periods, the labels do not show which actor has more: neither has a positive label. Label more documents.";
  const more = { greater: first, less: second }[conclusion({ low, high })];
  return `In all periods, ${more ? `${more} has more` : "there is no conclusion"}: P(${first} > ${second}) ${probabilityIs(greater)}.`;
}

function comparisonColumns(first, second, level) {
  return [
    { name: `P(${first} > ${second})`, number: true, cell: (row) => probability(row.greater) },
    { name: "Difference", number: true, cell: (row) => amount(row.mean, "documents") },
    { name: `${percent(level)} interval`, number: true, cell: (row) => intervalText(row.low, row.high, "documents") },
    { name: "P(equal)", number: true, cell: (row) => probability(row.equal) },
    { name: `P(${first} < ${second})`, number: true, cell: (row) => probability(row.less) },
  ];
}

export async function drawComparison(asked, page) {
  const [first, second] = [page.titles[asked.first], page.titles[asked.second]];
  const { counts, ...query } = asked;
  const rows = await page.source.compare(query);
  const { period, unit, level } = asked;
  const ask = { documents: () => page.source.correctedPair({ first: asked.first, second: asked.second, period, level }), entities: () => page.source.corrected({ period, unit, level }) };
  const pair = counts === "corrected" ? await ask[unit]() : null; // of entities it says why there is none
  const corrected = pair?.rows ? rows.map((row, at) => ({ ...row, ...pair.rows[at] })) : null;
  const shown = corrected ?? rows;
  const readout = element("p", { class: "readout", id: "comparison-readout", role: "status" });
  const held = element("div", { id: "comparison-chart" });
  const drawNow = () => held.replaceChildren(comparisonChart(shown, {
    first, second, period: asked.period, width: chartWidth(), moved: (text) => { readout.textContent = text; },
  }));
  page.redraw.comparison = drawNow;
  drawNow();
  const periods = shown.filter((row) => row.mean !== null);
  readout.textContent = periods.length ? comparisonText(first, second, periods.at(-1)) : "No documents.";
  const columns = [{ name: "Period", cell: (row) => element("time", {}, row.period) }, ...comparisonColumns(first, second, asked.level)];
  const raw = verdict(rows, first, second, asked);
  const said = corrected
    ? [element("p", { id: "verdict" }, `Corrected by labels: ${verdict(corrected, first, second, asked)} ${verdictInAll(pair.total, first, second)}`),
      element("p", { class: "quiet", id: "raw-verdict" }, `Raw counts: ${raw}`)]
    : [element("p", { id: "verdict" }, raw), pair?.reason ? element("p", { class: "problem" }, pair.reason) : null];
  const name = `${first} and ${second} by ${asked.period} with documents`;
  const shownAs = (what, all) => table(`${name}${what}`, columns, all.filter((row) => row.greater !== null));
  const tables = corrected
    ? () => element("div", {}, shownAs(", corrected by labels", corrected), shownAs(", raw", rows))
    : () => shownAs("", rows);
  return [
    head(`${first} and ${second}: which has more ${asked.unit}?`, "save-comparison", asked, page,
      () => [held.querySelector("svg"), `${first} and ${second}`, corrected ? CORRECTED_BANDS : undefined]),
    ...said,
    key(comparisonKey(first, second)), held, readout,
    folded("Show as a table", tables),
    element("p", {}, element("button", { type: "button", id: "close-comparison", onclick: () => closeComparison(page) }, "Close")),
  ];
}

function closeComparison(page) {
  byId("first").value = "";
  byId("second").value = "";
  page.go({ compare: null });
}
