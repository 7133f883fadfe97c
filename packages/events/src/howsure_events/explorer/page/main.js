// The page: what the address says is asked of the source and drawn, section by section.

import { byId, element, heading, table } from "./dom.js";
import { readState, writeState } from "./state.js";
import { servedSource } from "./served.js";
import { embeddedSource, unpacked } from "./embedded.js";
import { markPoint } from "./chart.js";
import { buildForm, showChoices } from "./form.js";
import { drawComparison, drawSeries } from "./figures.js";
import { drawDocument, drawDoubtful, drawPoint } from "./lists.js";
import { focusOn, section } from "./sections.js";
import { bandsText, counted, eventText, whole } from "./wording.js";

const SHARED = "Documents of one story, identified by nearly equal texts or by a column of the input, count as one source; all others are treated as independent.";
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

// What the form asks for; a point of another length of period is no point any more.
function choose(changes) {
  const opened = changes.compare ? "comparison" : "doubtful" in changes ? "doubtful" : null;
  go("period" in changes ? { ...changes, point: null } : changes, opened);
}

function seesNoCompounds({ imported, settings: { rule } }) {
  return !imported && rule?.name === "attack" && !rule.described_by?.includes("compound");
}

function tellAbout(overview) {
  const left = Object.entries(overview.left_out).map(([reason, n]) => `${whole(n)} left out (${reason})`);
  const dates = overview.first === null ? [] : [`${overview.first} to ${overview.last}`];
  if (overview.question) document.title = byId("title").textContent = overview.question;
  const facts = [counted(overview.documents, "document"), ...dates, ...left];
  byId("facts").textContent = facts.join(" · ");
  byId("event").textContent = eventText(overview);
  byId("event").hidden = false;
  if (overview.imported) byId("bands").textContent = `The probabilities come from another model and were imported. ${bandsText(overview)} ${SHARED}`;
  else if (overview.labels) byId("bands-of").textContent = "The intervals of the raw counts";
  byId("labels-note").hidden = !overview.labels;
  byId("rule-note").hidden = !seesNoCompounds(overview);
  byId("recipe").replaceChildren(table("Settings of the store", [
    { name: "Setting", cell: ([name]) => name },
    { name: "Value", cell: ([, value]) => (typeof value === "string" ? value : JSON.stringify(value)) },
  ], Object.entries(overview.settings)));
  if (overview.regression) tellRegression(overview.regression);
  byId("footer").textContent = overview.held
    ? `Made with howsure. This file loads nothing from the network. ${overview.held.said}`
    : "Served by howsure on this machine; nothing is loaded from elsewhere.";
}

// What a regression on the labels found, as a table whose numbers are texts.
function tellRegression({ headings, words, rows, notes }) {
  const columns = headings.map((name, at) => ({ name, number: !words.includes(name), cell: (row) => row[at] }));
  const below = notes.map((note) => element("p", { class: "quiet" }, note));
  byId("regression").replaceChildren(heading("What it depends on"), table("Coefficients, naive and corrected by labels", columns, rows), ...below);
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

async function start() {
  try {
    page.source = embedded ? embeddedSource(await unpacked(embedded.textContent)) : servedSource();
    page.overview = await page.source.overview();
  } catch (error) {
    return page.complain([error.message]);
  }
  const { actors } = page.overview;
  tellAbout(page.overview);
  if (!actors.length) return page.complain(["No actor acts in any document of this store. Are the rule and the lexicon the intended ones?"]);
  page.titles = Object.fromEntries(actors.map((actor) => [actor.code, actor.title]));
  buildForm(page.overview, { changed: choose, refused: (text) => { page.complain([text]); showChoices(page.state); } });
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); (document.querySelector("#series-chart [tabindex='0']") ?? byId("series")).focus(); });
  addEventListener("hashchange", show);
  onResize(() => { for (const draw of Object.values(page.redraw)) draw(); });
  return show();
}

start();
