// A document to read: its text with the entities of one clustering, and what made an event true.

import { element, heading, table } from "./dom.js";
import { linkText, originOf, titleOf } from "./listing.js";
import { counted, named, probability } from "./wording.js";

const COLOURS = 8;
const UNKNOWN = "No evidence is known: the probabilities were imported, without the mentions that they come from.";

function number(mention) {
  return mention.entity + 1;
}

// Entities worth a colour: those with two mentions or more, and those that act or are named as an actor.
function colouredEntities(mentions) {
  const sizes = new Map();
  for (const mention of mentions) {
    const weight = mention.actors.length || mention.verb !== null ? 2 : 1;
    if (mention.entity !== null) sizes.set(mention.entity, (sizes.get(mention.entity) ?? 0) + weight);
  }
  return new Set([...sizes.keys()].filter((entity) => sizes.get(entity) > 1));
}

function mentionNode(mention, at, coloured, inside) {
  if (!coloured.has(mention.entity)) return element("span", { class: "mention alone", "data-mention": at }, inside);
  return element("mark", { class: `mention e${mention.entity % COLOURS}`, "data-mention": at, "data-entity": mention.entity },
    inside, element("sub", {}, number(mention)),
    mention.actors.map((code) => element("span", { class: "code" }, code)));
}

// The words from start to stop, with the mentions (outer ones first) around theirs.
function span(words, spaces, start, stop, mentions, coloured, verbs) {
  const nodes = [];
  let at = start;
  let rest = mentions;
  while (at < stop) {
    const outer = rest.find(([one]) => one.start === at);
    if (outer) {
      const [one, place] = outer;
      rest = rest.filter((other) => other !== outer);
      const within = rest.filter(([other]) => other.start >= one.start && other.stop <= one.stop);
      rest = rest.filter((other) => !within.includes(other));
      nodes.push(mentionNode(one, place, coloured, span(words, spaces, one.start, one.stop, within, coloured, verbs)));
      at = one.stop;
    } else {
      nodes.push(verbs.has(at) ? element("strong", { class: "verb" }, words[at]) : words[at]);
      at += 1;
    }
    if (at < stop && spaces[at - 1]) nodes.push(" ");
  }
  return nodes;
}

function sentenceNode(view, sentence, at, coloured) {
  const here = view.mentions.map((mention, place) => [mention, place]).filter(([mention]) => mention.sentence === at);
  here.sort(([a], [b]) => a.start - b.start || b.stop - a.stop);
  const verbs = new Set(here.map(([mention]) => mention.verb).filter((verb) => verb !== null));
  const words = span(sentence.words, sentence.spaces, 0, sentence.words.length, here, coloured, verbs);
  return element("span", { class: "sentence" }, words, " ");
}

function textOf(view, at) {
  const { sentence, start, stop } = view.mentions[at];
  const { words, spaces } = view.sentences[sentence];
  return words.slice(start, stop).map((word, i) => word + (spaces[start + i] ? " " : "")).join("").trim();
}

// The entities that act or are named as an actor: what the colours say, in words.
function entityTable(view) {
  const members = Map.groupBy(view.mentions.map((mention, at) => ({ ...mention, at })), (mention) => mention.entity);
  const shownEntities = [...members.entries()].filter(([entity, all]) =>
    entity !== null && all.some((mention) => mention.actors.length || mention.verb !== null));
  const columns = [
    { name: "Entity", number: true, cell: ([entity]) => String(entity + 1) },
    { name: "Mentions", cell: ([, all]) => all.map((mention) => textOf(view, mention.at)).join(" · ") },
    { name: "Named as", cell: ([, all]) => [...new Set(all.flatMap((mention) => mention.actors))].join(", ") || "–" },
    { name: "Acts", cell: ([, all]) => (all.some((mention) => mention.verb !== null) ? "yes" : "no") },
  ];
  return shownEntities.length ? table("Entities that act or are named as an actor, in this clustering", columns, shownEntities) : null;
}

function evidenceTable(view) {
  const columns = [
    { name: "Actor", cell: (one) => one.actor },
    { name: "Named by", cell: (one) => `${one.named_text} (mention ${one.named + 1})` },
    { name: "Acts", cell: (one) => `${one.agent_text} (mention ${one.agent + 1})` },
    { name: "One entity", number: true, cell: (one) => probability(one.pair) },
    { name: "Makes it true", number: true, cell: (one) => probability(one.probability) },
    { name: "In this clustering", cell: (one) => (one.present ? "yes" : "no") },
  ];
  return view.evidence.length ? table("The share of samples in which two mentions make the event true, and the exact probability that they corefer", columns, view.evidence) : null;
}

function linkList(links, titles) {
  if (!links.length) return element("p", { class: "quiet" }, "None: a certain event depends on no link.");
  const share = (value) => `${Math.round(100 * value)} %`;
  return element("ul", { class: "links" }, links.map((link) => element("li", {},
    `${titles[link.actor] ?? link.actor}: ${linkText(link)}; together in ${share(link.with_event)} of the samples with the event, ` +
    `in ${share(link.without_event)} of those without${link.share < 1 ? ` (among ${share(link.share)} of all samples)` : ""}`)));
}

function actingText(view) {
  const acting = view.actors.filter((actor) => actor.present).map((actor) => actor.title);
  return acting.join(", ") || "no actor";
}

export function clusteringText(view) {
  if (view.imported) return `Most probably: ${actingText(view)}`;
  const which = view.sample === "best" ? "1-best clustering" : `Sample ${view.sample + 1} of ${view.samples}`;
  return `${which}: ${actingText(view)}`;
}

// Pressing a mention outlines its entity everywhere.
function outline(text, event) {
  const mark = event.target.closest("[data-entity]");
  const again = mark === null || mark.classList.contains("chosen");
  for (const one of text.querySelectorAll("[data-entity]")) {
    one.classList.toggle("chosen", !again && one.dataset.entity === mark.dataset.entity);
  }
}

export function readingOf(view, { another, best, titles }) {
  const coloured = colouredEntities(view.mentions);
  const text = element("div", { class: "reading", id: "text" },
    view.sentences.map((sentence, at) => sentenceNode(view, sentence, at, coloured)));
  text.addEventListener("click", (event) => outline(text, event));
  const few = view.held !== undefined && view.held < view.samples ? ` (this file contains ${view.held} of ${view.samples})` : "";
  const button = (id, pressed, press, words) =>
    element("button", { type: "button", id, "aria-pressed": String(pressed), onclick: press }, words);
  const head = [
    heading(titleOf(view)),
    originOf(view),
    element("ul", { class: "actors-here" }, view.actors.map((actor) => element("li", {},
      `${named(actor.title, actor.code)}: probability ${probability(actor.probability)}`))),
  ];
  if (view.imported) return [...head, element("p", { id: "clustering" }, clusteringText(view)), element("p", { class: "quiet" }, UNKNOWN), text];
  return [
    ...head,
    element("div", { class: "row" },
      button("another-sample", view.sample !== "best", another, `Another sample${few}`),
      button("best-clustering", view.sample === "best", best, "1-best")),
    element("p", { id: "clustering" }, clusteringText(view)),
    view.mentions.some((mention) => mention.entity !== null) ? element("p", { class: "quiet" },
      "Mentions with the same number and colour are one entity. A framed code names an actor; the event is in bold.") :
      element("p", { class: "quiet" }, `${counted(view.mentions.length, "mention")}; no event in any clustering.`),
    text,
    heading("Who is who", 3), entityTable(view) ?? element("p", { class: "quiet" }, "Nobody acts, and nobody is an actor."),
    heading("Evidence", 3), evidenceTable(view) ?? element("p", { class: "quiet" }, "None in any sample."),
    heading("Links it depends on", 3), linkList(view.links, titles),
  ];
}
