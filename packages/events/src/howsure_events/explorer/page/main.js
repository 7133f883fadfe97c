// The page: what the address says is asked of the source and drawn, section by section.

import { byId, element, heading, table } from "./dom.js";
import { ALL_SHOWN, defaults, fittingPeriod, readState, writeState } from "./state.js";
import { servedSource } from "./served.js";
import { embeddedSource, unpacked } from "./embedded.js";
import { markPoint } from "./chart.js";
import { buildForm, orderActors, showChoices } from "./form.js";
import { drawComparison, drawSeries } from "./figures.js";
import { drawDocument, drawDoubtful, drawPoint } from "./lists.js";
import { focusOn, section } from "./sections.js";
import { PERIODS, bandsText, day, documentCount, eventText, list, say } from "./wording.js";

const embedded = byId("data");

// What the sections need of each other.
const page = {
  source: null,
  overview: null,
  titles: {},
  state: null,
  redraw: {}, // by section, what draws its figure again
  announce: (text) => { byId("status").textContent = text; },
  complain: (problems) => byId("problems").replaceChildren(...problems.map((text) => element("p", { class: "problem" }, text))),
  go,
};

// Goes to what is shown now with some changes, as a step that can be taken back; focus goes to the heading of `to`.
function go(changes, to = null) {
  const next = writeState({ ...page.state, ...changes });
  focusOn(to);
  if (next === location.hash) show();
  else location.hash = next;
}

function show() {
  const problems = [];
  const state = readState(location.hash, page.overview, problems);
  page.state = state;
  page.complain(problems);
  showChoices(state);
  const { period, unit, interval, level, scale, counts, point, compare, doubtful } = state;
  const draw = (id, asked, how) => section(id, asked, (one) => how(one, page));
  draw("series", { actors: state.actors, period, unit, interval, level, scale, counts }, drawSeries);
  markPoint(byId("series"), point);
  draw("point", point && { ...point, period, unit, level, counts }, drawPoint);
  draw("document", state.document === null ? null : { number: state.document, sample: state.sample }, drawDocument);
  const what = unit === "entities" ? unit : "documents"; // of a share, which is more does not change
  const pair = compare && { first: compare[0], second: compare[1], period, unit: what, level, counts };
  draw("comparison", pair, drawComparison);
  draw("doubtful", doubtful === null ? null : doubtful === "" ? {} : { actor: doubtful }, drawDoubtful);
}

// What the form asks for; a point of another length of period is dropped.
function choose(changes) {
  const opened = changes.compare ? "comparison" : "doubtful" in changes ? "doubtful" : null;
  go("period" in changes ? { ...changes, point: null } : changes, opened);
}

function seesNoCompounds({ imported, settings: { rule } }) {
  return !imported && rule?.name === "attack" && !rule.described_by?.includes("compound");
}

// The question that coders would be asked, which the event is made of; null if it has no name.
function questionOf(asked) {
  if (asked === null) return null;
  const { kind, own, verb, event } = asked;
  if (kind === "own") return own;
  if (kind === "verb") return say("question_verb", { verb });
  return kind === "topic" ? say("question_topic", { event }) : say("question_event", { event });
}

function tellAbout(overview) {
  const reasons = {
    no_actor: say("reason_no_actor"), no_date: say("reason_no_date"), category: say("reason_category"), empty: say("reason_empty"),
    too_long: say("reason_too_long"), date: say("reason_day"),
  };
  const left = Object.entries(overview.left_out).map(([reason, n]) => say("left_out", { n, reason: reasons[reason.replaceAll(" ", "_")] ?? reason }));
  const dates = overview.first === null ? [] : [say("from_to", { first: day(overview.first), last: day(overview.last) })];
  const question = overview.question ?? questionOf(overview.asked);
  if (question) document.title = byId("title").textContent = question;
  const facts = [documentCount(overview.documents), ...dates, ...left];
  byId("facts").textContent = facts.join(" · ");
  byId("event").textContent = eventText(overview);
  byId("event").hidden = false;
  const bands = overview.labels ? say("bands_of_raw") : say("bands_intervals");
  byId("bands").textContent = overview.imported ? `${say("imported")} ${bandsText(overview)} ${say("stories")}` : `${say("attribution", { bands })} ${say("stories")}`;
  byId("labels-note").hidden = !overview.labels;
  byId("rule-note").hidden = !seesNoCompounds(overview);
  byId("recipe").replaceChildren(table(say("settings"), [
    { name: say("setting"), cell: ([name]) => name }, { name: say("value"), cell: ([, value]) => value },
  ], settingRows(overview.settings)));
  if (overview.regression) tellRegression(overview.regression);
  byId("footer").textContent = overview.held
    ? `${say("footer_file")} ${contentText(overview.held)}` : say("footer_served");
}

// Settings as names and values: what is inside of others has their names before its own.
function settingRows(settings, before = "") {
  return Object.entries(settings).flatMap(([name, value]) => {
    const path = before ? `${before} › ${Array.isArray(settings) ? Number(name) + 1 : name}` : name;
    const isPlain = value === null || typeof value !== "object";
    if (isPlain) return [[path, value === null ? "–" : String(value)]];
    const items = Object.values(value);
    if (Array.isArray(value) && items.every((item) => item === null || typeof item !== "object")) return [[path, items.join(", ") || "–"]];
    return items.length ? settingRows(value, path) : [[path, "–"]];
  });
}

// What a page in one file has in it.
function contentText({ periods, actors, texts, samples }) {
  return say("footer_content", { actors: actors[0], n: actors[1], periods: list(periods.map((period) => PERIODS[period])), texts: texts[0], of_texts: texts[1], samples });
}

// What a regression on the labels found, as a table whose numbers are texts.
function tellRegression({ headings, words, rows, notes }) {
  const columns = headings.map((name, at) => ({ name, number: !words.includes(name), cell: (row) => row[at] }));
  const below = notes.map((note) => element("p", { class: "quiet" }, note));
  byId("regression").replaceChildren(heading(say("depends_on_what")), table(say("coefficients"), columns, rows), ...below);
  byId("regression").hidden = false;
}

function onResize(redraw) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    redraw();
  });
}

// With more actors than are shown at first, those with the highest corrected counts come first once these are known,
// unless the user has chosen some meanwhile.
async function sortActors(overview) {
  if (!overview.labels || overview.actors.length <= ALL_SHOWN) return;
  const { unit, level } = defaults(overview);
  const { totals } = await page.source.corrected({ period: fittingPeriod(overview), unit, level });
  if (!totals) return;
  overview.actors = overview.actors.toSorted((a, b) => (totals[b.code]?.corrected ?? -1) - (totals[a.code]?.corrected ?? -1));
  orderActors(overview);
  if (!location.hash.includes("actor=")) show();
}

async function start() {
  try {
    page.source = embedded ? embeddedSource(await unpacked(embedded.textContent)) : servedSource();
    page.overview = await page.source.overview();
  } catch (error) {
    return page.complain([error.message]);
  }
  const { actors } = page.overview;
  tellAbout(page.overview);
  if (!actors.length) return page.complain([say("no_events")]);
  page.titles = Object.fromEntries(actors.map((actor) => [actor.code, actor.title]));
  buildForm(page.overview, { changed: choose, refused: (text) => { page.complain([text]); showChoices(page.state); } });
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); (document.querySelector("#series-chart [tabindex='0']") ?? byId("series")).focus(); });
  addEventListener("hashchange", show);
  onResize(() => { for (const draw of Object.values(page.redraw)) draw(); });
  show();
  return sortActors(page.overview).catch(() => undefined); // the series says what went wrong
}

start();
