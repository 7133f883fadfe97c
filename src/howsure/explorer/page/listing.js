// Lists of documents: those behind a point, ranked by probability, and those that are doubtful, with what they hinge on.

import { element, heading, table } from "./dom.js";
import { counted, probability, probabilityIs } from "./wording.js";

const AT_ONCE = 50;

export function titleOf(one) {
  return one.title || one.id;
}

function opener(one, open) {
  if (one.held === false) return element("span", {}, titleOf(one), element("span", { class: "quiet" }, " (its text is not in this file)"));
  return element("button", { type: "button", class: "link", "data-document": one.document, onclick: () => open(one.document) },
    element("bdi", {}, titleOf(one)));
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

export function pointListing(documents, { title, period, open }) {
  const expected = documents.reduce((sum, one) => sum + one.probability, 0);
  const columns = [
    { name: "Probability", number: true, cell: (one) => probability(one.probability) },
    { name: "Near ½", cell: (one) => (one.doubtful ? element("span", { class: "doubt" }, "doubtful") : "") },
    { name: "1-best", cell: (one) => (one.best ? "yes" : "no") },
    { name: "Date", cell: (one) => element("time", { datetime: one.date }, one.date) },
    { name: "Document", cell: (one) => opener(one, open) },
  ];
  const doubtful = documents.filter((one) => one.doubtful).length;
  return [
    heading(`${title}, ${period}`),
    element("p", {}, `${counted(documents.length, "document")} in which ${title} may act, ${expected.toFixed(2)} expected; ` +
      `${doubtful} of them uncertain (probability 0.2 to 0.8).`),
    documents.length ? gradual("Documents by probability", columns, documents) : null,
  ];
}

export function linkText(link) {
  return `“${link.mention_text}” ~ “${link.with_text}”, p ${probabilityIs(link.probability)}`;
}

export function doubtfulListing(documents, { whose, open, imported }) {
  const columns = [
    { name: "Probability", number: true, cell: (one) => probability(one.probability) },
    { name: "Actor", cell: (one) => one.actor_title },
    { name: "Date", cell: (one) => element("time", { datetime: one.date }, one.date) },
    { name: "Document", cell: (one) => opener(one, open) },
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
