// A document to read: its text with the entities of one clustering, and what made an event true.

import { element, heading, table } from "./dom.js";
import { linkText, originOf, titleOf } from "./listing.js";
import { named, percent, probability, say, yesOrNo } from "./wording.js";

const COLOURS = 8;

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
    { name: say("entity"), number: true, cell: ([entity]) => String(entity + 1) },
    { name: say("mentions"), cell: ([, all]) => all.map((mention) => textOf(view, mention.at)).join(" · ") },
    { name: say("named_as"), cell: ([, all]) => [...new Set(all.flatMap((mention) => mention.actors))].join(", ") || "–" },
    { name: say("acts"), cell: ([, all]) => yesOrNo(all.some((mention) => mention.verb !== null)) },
  ];
  return shownEntities.length ? table(say("entities_caption"), columns, shownEntities) : null;
}

function evidenceTable(view) {
  const columns = [
    { name: say("actor"), cell: (one) => one.actor },
    { name: say("named_by"), cell: (one) => say("mention_number", { text: one.named_text, number: one.named + 1 }) },
    { name: say("acts"), cell: (one) => say("mention_number", { text: one.agent_text, number: one.agent + 1 }) },
    { name: say("one_entity"), number: true, cell: (one) => probability(one.pair) },
    { name: say("makes_true"), number: true, cell: (one) => probability(one.probability) },
    { name: say("in_clustering"), cell: (one) => yesOrNo(one.present) },
  ];
  return view.evidence.length ? table(say("evidence_caption"), columns, view.evidence) : null;
}

function linkList(links, titles) {
  if (!links.length) return element("p", { class: "quiet" }, say("no_links"));
  const share = (value) => percent(Math.round(100 * value) / 100);
  return element("ul", { class: "links" }, links.map((link) => element("li", {},
    `${titles[link.actor] ?? link.actor}: ${linkText(link)}; ${say("link_together", { with_event: share(link.with_event), without_event: share(link.without_event) })}` +
    `${link.share < 1 ? ` (${say("link_among", { share: share(link.share) })})` : ""}`)));
}

function actingText(view) {
  const acting = view.actors.filter((actor) => actor.present).map((actor) => actor.title);
  return acting.join(", ") || say("no_actor");
}

export function clusteringText(view) {
  if (view.imported) return say("most_probably", { actors: actingText(view) });
  const which = view.sample === "best" ? say("best_clustering") : say("sample_of", { number: view.sample + 1, n: view.samples });
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
  const few = view.held !== undefined && view.held < view.samples ? ` (${say("samples_here", { held: view.held, n: view.samples })})` : "";
  const button = (id, pressed, press, words) =>
    element("button", { type: "button", id, "aria-pressed": String(pressed), onclick: press }, words);
  const answers = (view.answers ?? []).map(({ coder, acting, unclear, settles }) => element("li", {},
    element("strong", {}, unclear ? say("unclear") : acting.join(", ") || say("none_of_them")), ` (${settles ? say("settled_by", { coder }) : coder})`));
  const head = [
    heading(titleOf(view)),
    originOf(view),
    answers.length ? element("ul", { class: "coded", "aria-label": say("answers") }, answers) : null,
    text,
    element("ul", { class: "actors-here" }, view.actors.map((actor) => element("li", {},
      say("actor_probability", { actor: named(actor.title, actor.code), probability: probability(actor.probability) })))),
  ];
  if (view.imported) return [...head, element("p", { id: "clustering" }, clusteringText(view)), element("p", { class: "quiet" }, say("no_evidence_known"))];
  return [
    ...head,
    element("div", { class: "row" },
      button("another-sample", view.sample !== "best", another, `${say("another_sample")}${few}`),
      button("best-clustering", view.sample === "best", best, say("best"))),
    element("p", { id: "clustering" }, clusteringText(view)),
    element("p", { class: "quiet" }, view.mentions.some((mention) => mention.entity !== null) ? say("colours") : say("no_event_in_clusterings", { n: view.mentions.length })),
    heading(say("who_is_who"), 3), entityTable(view) ?? element("p", { class: "quiet" }, say("nobody_acts")),
    heading(say("evidence"), 3), evidenceTable(view) ?? element("p", { class: "quiet" }, say("none_in_samples")),
    heading(say("links"), 3), linkList(view.links, titles),
  ];
}
