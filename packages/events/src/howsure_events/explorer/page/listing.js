// Lists of documents: those behind a point, ranked by probability, and those that are doubtful, with what they hinge on.

import { element, heading, table } from "./dom.js";
import { behindText, counted, probability, probabilityIs, whole } from "./wording.js";

const AT_ONCE = 50;
const SAID = { true: "yes", false: "no", null: "unclear" };

export function titleOf(one) {
  return one.title || one.id;
}

// When a document is from, and which it is, unless its id stands above already.
export function originOf(one) {
  return element("p", { class: "quiet" }, element("time", { datetime: one.date }, one.date), one.title ? [", document ", element("bdi", {}, one.id)] : []);
}

function opener(one, open) {
  const title = one.held === false ? [titleOf(one), element("span", { class: "quiet" }, " (its text is not in this file)")] :
    element("button", { type: "button", class: "link", "data-document": one.document, onclick: () => open(one.document) }, element("bdi", {}, titleOf(one)));
  return element("div", {}, title, element("time", { datetime: one.date, class: "quiet" }, one.date));
}

function probable(one) {
  return [probability(one.probability), one.doubtful ? element("span", { class: "doubt" }, "doubtful") : null];
}

// A table that shows some rows, and more when asked.
function gradual(caption, columns, rows) {
  const held = element("div");
  const show = (n) => {
    const rest = rows.length - n;
    const more = element("button", { type: "button", onclick: () => show(n + AT_ONCE) }, `Show more (${counted(rest, "document")} left)`);
    held.replaceChildren(table(caption, columns, rows.slice(0, n)), ...(rest > 0 ? [element("p", {}, more)] : []));
  };
  show(AT_ONCE);
  return held;
}

function model(one) {
  if (one.missed) return element("span", { class: "doubt" }, "missed");
  return one.probability || one.best ? probability(one.probability) : "not found";
}

// What each reader said of a document.
function readers({ answers, label }) {
  const said = answers.map(({ coder, acts, settles }) => element("div", {}, element("strong", {}, SAID[acts]), ` (${coder}${settles ? ", who settled it" : ""})`));
  const differ = label === null && answers.every((one) => one.acts !== null);
  return differ ? [...said, element("div", { class: "doubt" }, "not settled")] : said;
}

// How many of the documents that were read as positive had a probability below 0.5, or none at all.
function lowOnes(documents) {
  const below = documents.filter((one) => one.label === true && one.probability < 0.5);
  return { below: below.length, absent: below.filter((one) => one.missed).length };
}

// `row` is that of the period if its count is corrected.
export function pointListing(documents, { title, period, unit, level, row, open }) {
  const expected = documents.reduce((sum, one) => sum + one.probability, 0);
  const found = documents.filter((one) => one.probability || one.best);
  const likely = found.filter((one) => one.probability >= 0.5).length;
  const read = documents.filter((one) => one.answers?.length);
  const unread = documents.filter((one) => !one.answers?.length);
  const doubtful = found.filter((one) => one.doubtful).length;
  const document = { name: "Document", cell: (one) => opener(one, open) };
  const columns = [document, { name: "Probability", number: true, cell: probable }, { name: "1‑best", cell: (one) => (one.best ? "yes" : "no") }];
  const rank = (one) => (one.missed ? 0 : one.label ? 1 : one.label === null ? 2 : 3);
  return [
    heading(`${title}, ${period}`),
    row ? element("p", { id: "behind" }, behindText(title, row, lowOnes(documents), unit, level)) : null,
    element("p", row ? { class: "quiet" } : {}, `The probabilities sum to ${expected.toFixed(2)} expected documents. ` +
      `${counted(found.length, "document has", "documents have")} a probability above 0, ${whole(likely)} of these of at least 0.5; ` +
      `${counted(doubtful, "is", "are")} uncertain (0.2 to 0.8).`),
    read.length ? gradual("Documents that were read", [document, { name: "Readers", cell: readers }, { name: "Model", number: true, cell: model }],
      read.sort((a, b) => rank(a) - rank(b))) : null,
    unread.length ? gradual(read.length ? "Unlabelled documents, by probability" : "Documents by probability", columns, unread) : null,
  ];
}

export function linkText(link) {
  return `“${link.mention_text}” ~ “${link.with_text}”, p ${probabilityIs(link.probability)}`;
}

export function doubtfulListing(documents, { whose, open, imported }) {
  const columns = [
    { name: "Document", cell: (one) => opener(one, open) },
    { name: "Probability", number: true, cell: (one) => probability(one.probability) },
    { name: "Actor", cell: (one) => one.actor_title },
    ...(imported ? [] : [{ name: "Depends on", cell: (one) => one.links.map((link) => element("div", {}, linkText(link))) }]),
  ];
  return [
    heading(`Uncertain documents: ${whose}`),
    element("p", {}, documents.length
      ? `${counted(documents.length, "event")} with a probability from 0.2 to 0.8, closest to one half first${imported ? "" : ", with the links between mentions that they depend on"}.`
      : "No event has a probability from 0.2 to 0.8."),
    documents.length ? gradual("Uncertain documents", columns, documents) : null,
  ];
}
