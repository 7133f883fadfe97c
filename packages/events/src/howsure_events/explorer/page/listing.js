// Lists of documents: those behind a point, ranked by probability, and those that are doubtful, with what they hinge on.

import { element, heading, table } from "./dom.js";
import { behindText, day, decimal, periodName, probability, probabilityIs, say, yesOrNo } from "./wording.js";

const AT_ONCE = 50;
const LONGEST_OPENING = 80; // characters

// The title of a document, or its first words where it has none; its id if it has neither.
export function titleOf({ title, opening, sentences, id }) {
  if (title) return title;
  const text = opening ?? (sentences ?? []).slice(0, 3).map(({ words, spaces }) => words.map((word, i) => word + (spaces[i] ? " " : "")).join("")).join(" ");
  const words = text.trim();
  return (words.length > LONGEST_OPENING ? `${words.slice(0, LONGEST_OPENING).replace(/\s+\S*$/, "")} …` : words) || id;
}

// When a document is from, and which it is.
export function originOf(one) {
  return element("p", { class: "quiet" }, element("time", { datetime: one.date }, day(one.date)), ` · ${say("document_id")} `, element("bdi", {}, one.id));
}

function opener(one, open) {
  const title = one.held === false ? [titleOf(one), element("span", { class: "quiet" }, ` (${say("text_elsewhere")})`)] :
    element("button", { type: "button", class: "link", "data-document": one.document, onclick: () => open(one.document) }, element("bdi", {}, titleOf(one)));
  return element("div", {}, title, element("time", { datetime: one.date, class: "quiet" }, one.date));
}

function probable(one) {
  return [probability(one.probability), one.doubtful ? element("span", { class: "doubt" }, say("uncertain")) : null];
}

// A table that shows some rows, and more when asked.
function gradual(caption, columns, rows) {
  const held = element("div");
  const show = (n) => {
    const rest = rows.length - n;
    const more = element("button", { type: "button", onclick: () => show(n + AT_ONCE) }, say("show_more", { n: rest }));
    held.replaceChildren(table(caption, columns, rows.slice(0, n)), ...(rest > 0 ? [element("p", {}, more)] : []));
  };
  show(AT_ONCE);
  return held;
}

function model(one) {
  if (one.missed) return element("span", { class: "doubt" }, say("missed"));
  return one.probability || one.best ? probability(one.probability) : say("not_found");
}

// What each reader said of a document.
function readers({ answers, label }) {
  const said = answers.map(({ coder, acts, settles }) => element("div", {},
    element("strong", {}, acts === null ? say("unclear") : yesOrNo(acts)), ` (${settles ? say("settled_by", { coder }) : coder})`));
  const differ = label === null && answers.every((one) => one.acts !== null);
  return differ ? [...said, element("div", { class: "doubt" }, say("not_settled"))] : said;
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
  const document = { name: say("document"), cell: (one) => opener(one, open) };
  const columns = [document, { name: say("probability"), number: true, cell: probable }, { name: say("best"), cell: (one) => yesOrNo(one.best) }];
  const rank = (one) => (one.missed ? 0 : one.label ? 1 : one.label === null ? 2 : 3);
  return [
    heading(`${title}, ${periodName(period)}`),
    row ? element("p", { id: "behind" }, behindText(title, row, lowOnes(documents), unit, level)) : null,
    element("p", row ? { class: "quiet" } : {}, [
      say("point_sum", { sum: decimal(expected, 2) }), say("point_possible", { n: found.length, likely }), say("point_uncertain", { n: doubtful }),
    ].join(" ")),
    read.length ? gradual(say("labelled_documents"), [document, { name: say("coders"), cell: readers }, { name: say("model"), number: true, cell: model }],
      read.sort((a, b) => rank(a) - rank(b))) : null,
    unread.length ? gradual(read.length ? say("unlabelled_documents") : say("documents_by_probability"), columns, unread) : null,
  ];
}

export function linkText(link) {
  return say("link_text", { mention: link.mention_text, other: link.with_text, probable: probabilityIs(link.probability) });
}

export function doubtfulListing(documents, { whose, open, imported }) {
  const columns = [
    { name: say("document"), cell: (one) => opener(one, open) },
    { name: say("probability"), number: true, cell: (one) => probability(one.probability) },
    { name: say("actor"), cell: (one) => one.actor_title },
    ...(imported ? [] : [{ name: say("depends_on"), cell: (one) => one.links.map((link) => element("div", {}, linkText(link))) }]),
  ];
  return [
    heading(say("uncertain_of", { whose })),
    element("p", {}, documents.length
      ? `${say("uncertain_events", { n: documents.length })}${imported ? "" : ` ${say("with_links")}`}`
      : say("no_uncertain")),
    documents.length ? gradual(say("uncertain_documents"), columns, documents) : null,
  ];
}
