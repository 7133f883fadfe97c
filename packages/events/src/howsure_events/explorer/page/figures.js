// The two figures with what belongs to them: words, key, table, and what can be saved.

import { byId, element, folded, heading, table } from "./dom.js";
import { markPoint, pointOf, seriesChart, seriesKey } from "./chart.js";
import { comparisonChart, comparisonKey } from "./comparison.js";
import { correctionNotes, labelsText, whyNone, withCorrections } from "./corrections.js";
import { figureOf, figureText, picture, save } from "./saving.js";
import { LOCALE } from "./catalogue.js";
import { showTotals } from "./form.js";
import { PERIODS, SCALES, UNITS, amount, answerText, bandsText, comparisonText, conclusion, day, end, eventText, intervalText, isCorrected, isEmpty, isIntervalOnly, list, percent, periodName, probability, probabilityIs, say, whole } from "./wording.js";

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
  return `events-${actors}-${asked.period}-${asked.unit}`.replace(/[^A-Za-z0-9-]+/g, "_").slice(0, 80) + suffix;
}

// A menu next to a heading that saves a figure, and what else there is to save; `figure` gives its SVG, its title, the
// entries of its key, and what its intervals include.
function head(title, id, asked, page, figure, ...others) {
  const drawn = () => {
    const [chart, title, entries, uncertainty = bandsText(page.overview)] = figure();
    const level = say("key_interval", { level: percent(asked.level) });
    return figureOf(chart, { title, entries, description: `${eventText(page.overview)} ${JSON.stringify(asked)} ${level}. ${uncertainty}` });
  };
  const asSvg = () => save(figureText(drawn()), fileName(asked, ".svg"), "image/svg+xml");
  const asPng = async () => {
    try {
      save(await picture(drawn()), fileName(asked, ".png"), "image/png");
    } catch (error) {
      page.complain([error.message]);
    }
  };
  const menu = element("details", { class: "menu" }, element("summary", {}, say("save")), element("div", {},
    element("button", { type: "button", id, onclick: asSvg }, `${say("figure")} (SVG)`),
    element("button", { type: "button", id: `${id}-png`, onclick: asPng }, `${say("figure")} (PNG)`), others));
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
  const corrected = { name: say("corrected"), number: true, cell: (row) => (isCorrected(row) && !isIntervalOnly(row) ? amount(row.corrected, asked.unit) : "–") };
  const reach = (low, high) => ({ name: say("interval"), number: true, cell: (row) => intervalText(row[low], row[high], asked.unit) });
  const points = (actor) => (row) => element("button", {
    type: "button", class: "link", onclick: () => page.go({ point: { actor, at: row.period } }, "point"),
  }, element("time", {}, row.period));
  return element("div", {}, Object.entries(series).map(([actor, rows]) => table(say("series_caption", { title: page.titles[actor], what: whatBy(asked) }), [
    { name: say("period"), cell: points(actor) },
    ...(correcting ? [corrected, reach("correctedLow", "correctedHigh"), count(say("labelled"), "read", whole)] : []),
    count(say("documents"), "documents", whole), count(correcting ? say("raw") : say("mean"), "mean", amount), reach("low", "high"), count(say("best"), "best", end),
  ], rows.filter((row) => row.mean !== null))));
}

// Which periods may be incomplete, and why.
function incompleteText(series, overview) {
  const held = Object.values(series)[0].filter((row) => row.incomplete).map((row) => periodName(row.period));
  if (!held.length) return "";
  return say("incomplete", { first: day(overview.first), last: day(overview.last), n: held.length, periods: list(held) });
}

// "documents by month".
function whatBy({ unit, period }) {
  return say("what_by", { what: UNITS[unit], period: PERIODS[period] });
}

export async function drawSeries(asked, page) {
  const title = whatBy(asked);
  if (!asked.actors.length) {
    byId("answer").replaceChildren();
    return [heading(say("no_actor_chosen")), element("p", {}, say("choose_actor"))];
  }
  const { counts, scale, ...query } = asked;
  const series = await page.source.series(query);
  const readout = element("p", { class: "readout", id: "readout", "aria-hidden": "true", hidden: true });
  const hint = matchMedia("(hover: none)").matches ? say("tap") : say("point_at");
  const names = asked.actors.map((actor) => page.titles[actor]).join(", ");
  const scales = asked.actors.length > 1 ? ` ${say("scale_is", { scale: SCALES[scale] })}` : "";
  const [held, legend, below, folds] = ["series-chart", "series-key", "corrections", "series-table"].map((id) => element("div", { id }));
  const uncertainty = element("p", { class: "quiet" });
  let corrected = null;
  const correcting = () => Boolean(corrected?.series);
  const shown = () => (correcting() ? withCorrections(series, corrected) : series);
  const waiting = () => counts === "corrected" && corrected === null;
  const tellAnswer = () => byId("answer").replaceChildren(...(waiting() ? [element("p", {}, say("computing"))] : [
    ...Object.entries(shown()).map(([actor, rows]) => element("p", {}, answerText(
      page.titles[actor], rows, corrected?.totals?.[actor], asked.unit, page.overview))),
    element("p", { class: "quiet" }, correcting() ? say("basis_corrected", { level: percent(asked.level) }) : basisText(page.overview)),
  ]));
  const drawNow = () => {
    held.replaceChildren(seriesChart(shown(), {
      titles: page.titles, period: asked.period, unit: asked.unit, level: asked.level, scale, width: chartWidth(), correcting: correcting(),
      summary: say("series_chart", { title, names }),
      moved: (text, node) => showAt(readout, held, node, text),
      chosen: (actor, at) => page.go({ point: { actor, at }, document: null }, "point"),
    }));
    held.append(readout);
    markPoint(held, page.state.point);
  };
  const drawAll = () => {
    legend.replaceChildren(key(seriesKey(shown(), asked.level, correcting())));
    drawNow();
    tellAnswer();
    uncertainty.textContent = `${incompleteText(series, page.overview)} ${bandsText(page.overview, correcting() ? say("raw_counts") : undefined)}`.trim();
    folds.replaceChildren(folded(say("as_table"), () => seriesTable(shown(), asked, page, correcting())));
  };
  for (const left of ["pointerleave", "focusout"]) held.addEventListener(left, () => { readout.hidden = true; });
  page.redraw.series = drawNow;
  drawAll();
  if (counts === "corrected") {
    const { period, unit, level } = asked;
    below.setAttribute("aria-busy", "true");
    below.replaceChildren(element("p", { class: "quiet" }, say("computing")));
    const arrived = (found) => {
      const focused = held.contains(document.activeElement) ? document.activeElement.dataset : null;
      corrected = found;
      drawAll();
      if (focused) pointOf(held, focused)?.focus({ preventScroll: true });
      if (found.series) {
        page.announce(say("corrected_shown"));
        if (unit === "documents") showTotals(page.overview, found.totals);
      }
      below.replaceChildren(...correctionNotes(series, found, page.titles));
    };
    const failed = (error) => {
      corrected = {};
      tellAnswer();
      below.replaceChildren(element("p", { class: "problem", role: "alert" }, error.message));
    };
    page.source.corrected({ period, unit, level }).then(arrived).catch(failed).finally(() => below.removeAttribute("aria-busy"));
  }
  const figure = () => [held.querySelector("svg"), `${capital(title)}: ${names}`,
    seriesKey(shown(), asked.level, correcting()), correcting() ? labelsText(corrected.labels) : undefined];
  const tableToo = element("button", { type: "button", id: "save-table", onclick: () => saveTable(asked, page) }, `${say("table")} (CSV)`);
  return [
    head(capital(title), "save-figure", asked, page, figure, tableToo),
    held, element("p", { class: "quiet" }, hint, scales), legend, below, uncertainty, folds,
  ];
}

function capital(text) {
  return text[0].toLocaleUpperCase(LOCALE) + text.slice(1);
}

// What the raw counts are worth.
function basisText({ imported, labels }) {
  if (labels) return imported ? say("basis_model") : say("basis_rule");
  return imported ? say("basis_model_unread") : say("basis_rule_unread");
}

// Shows what a point says next to it: below it, or above if the room is too small, within the chart.
function showAt(readout, held, node, text) {
  readout.textContent = text;
  readout.hidden = false;
  const [around, reach] = [held.getBoundingClientRect(), node.querySelector(".reach").getBoundingClientRect()];
  const middle = reach.left + reach.width / 2 - around.left;
  readout.style.left = `${Math.max(0, Math.min(middle - readout.offsetWidth / 2, around.width - readout.offsetWidth))}px`;
  readout.style.top = `${Math.max(0, reach.top - around.top - readout.offsetHeight - 4)}px`;
}

const SIDES = ["greater", "less", "equal"];

// The number of periods in which each of two actors has more.
function verdict(rows, first, second, asked) {
  const periods = rows.filter((row) => !isEmpty(row));
  const settled = SIDES.map((side) => periods.filter((row) => conclusion(row) === side).length);
  const open = periods.length - settled.reduce((sum, n) => sum + n, 0);
  return say("verdict", { n: periods.length, first, second, level: percent(asked.level), more: settled[0], less: settled[1], equal: settled[2], open });
}

// The comparison of two actors in all periods.
function verdictInAll({ greater, low, high }, first, second) {
  if (greater === null) return say("verdict_unknown");
  const actor = { greater: first, less: second }[conclusion({ low, high })];
  const probable = `P(${first} > ${second}) ${probabilityIs(greater)}`;
  return actor ? say("verdict_more", { actor, probable }) : say("verdict_open", { probable });
}

function comparisonColumns(first, second, level) {
  return [
    { name: `P(${first} > ${second})`, number: true, cell: (row) => probability(row.greater) },
    { name: say("difference"), number: true, cell: (row) => amount(row.mean, "documents") },
    { name: say("key_interval", { level: percent(level) }), number: true, cell: (row) => intervalText(row.low, row.high, "documents") },
    { name: `P(${first} = ${second})`, number: true, cell: (row) => probability(row.equal) },
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
  const corrected = pair?.rows ? rows.map((row, at) => ({ ...row, ...pair.rows[at], isEmpty: row.mean === null })) : null;
  const shown = corrected ?? rows;
  const title = unit === "entities" ? say("which_entities", { first, second }) : say("which_documents", { first, second });
  const readout = element("p", { class: "readout", id: "comparison-readout", role: "status" });
  const held = element("div", { id: "comparison-chart" });
  const drawNow = () => held.replaceChildren(comparisonChart(shown, {
    first, second, period: asked.period, width: chartWidth(), moved: (text) => { readout.textContent = text; },
  }));
  page.redraw.comparison = drawNow;
  drawNow();
  const periods = shown.filter((row) => !isEmpty(row));
  readout.textContent = periods.length ? comparisonText(first, second, periods.at(-1)) : say("no_documents");
  const columns = [{ name: say("period"), cell: (row) => element("time", {}, row.period) }, ...comparisonColumns(first, second, asked.level)];
  const raw = verdict(rows, first, second, asked);
  const said = corrected
    ? [element("p", { id: "verdict" }, `${say("by_corrected")} ${verdict(corrected, first, second, asked)} ${verdictInAll(pair.total, first, second)}`),
      element("p", { class: "quiet", id: "raw-verdict" }, `${say("by_raw")} ${raw}`)]
    : [element("p", { id: "verdict" }, raw), pair?.reason ? whyNone(pair) : null];
  const name = say("what_by", { what: list([first, second]), period: PERIODS[asked.period] });
  const shownAs = (what, all) => table(what ? `${name} (${what})` : name, columns, all.filter((row) => row.greater !== null));
  const tables = corrected
    ? () => element("div", {}, shownAs(say("key_corrected"), corrected), shownAs(say("raw"), rows))
    : () => shownAs("", rows);
  return [
    head(title, "save-comparison", asked, page,
      () => [held.querySelector("svg"), title, comparisonKey(first, second), corrected ? say("bands_corrected") : undefined]),
    ...said,
    key(comparisonKey(first, second)), held, readout,
    folded(say("as_table"), tables),
    element("p", {}, element("button", { type: "button", id: "close-comparison", onclick: () => closeComparison(page) }, say("close"))),
  ];
}

function closeComparison(page) {
  byId("first").value = "";
  byId("second").value = "";
  page.go({ compare: null });
}
