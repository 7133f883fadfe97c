// The desk: a document to read, and the buttons that say who acts in it.

import { NONE, UNCLEAR, holds } from "./choice.js";
import { element, heading } from "./dom.js";
import { originOf, titleOf } from "./listing.js";
import { readingOf } from "./reading.js";
import { say } from "./wording.js";

const MOST_KEYS = 9; // actors beyond have a button only

// The words of a document, without anything that a model found in them.
function textOf(sentences) {
  const spaced = ({ words, spaces }) => words.map((word, i) => word + (spaces[i] ? " " : "")).join("");
  return element("div", { class: "reading plain", id: "text" },
    sentences.map((sentence) => element("span", { class: "sentence" }, spaced(sentence), " ")));
}

// A document as it is read: without the model's answer, or (`view`) with its mentions and evidence.
export function documentContent(one, place, titles, another) {
  const above = element("p", { class: "quiet", id: "place" }, place);
  const lacking = one.sentences.length ? [] : [element("p", { class: "problem" }, say("textless"))];
  if (one.view) return [above, ...lacking, ...readingOf(one.view, { ...another, titles })];
  return [above, heading(titleOf(one)), originOf(one), ...lacking, textOf(one.sentences)];
}

// What can be pressed: an actor each, none, unclear; each with its key.
export function choicesFor(actors) {
  const key = (i) => (actors.length === 1 ? "y" : i < MOST_KEYS ? String(i + 1) : null);
  const text = ({ title }) => (actors.length === 1 ? say("yes_actor", { actor: title }) : title);
  const keyed = actors.map((actor, i) => ({ code: actor.code, text: text(actor), key: key(i), id: `actor-${i}` }));
  return [...keyed, { kind: NONE, text: actors.length === 1 ? say("no_button") : say("none_button"), key: "n", id: NONE }, { kind: UNCLEAR, text: say("unclear_button"), key: "u", id: UNCLEAR }];
}

export function button(id, text, key, press, attributes = {}) {
  const shown = key === null ? [] : [element("kbd", { "aria-hidden": "true" }, key === "Enter" ? "↵" : key), " "];
  return element("button", { type: "button", id, "aria-keyshortcuts": key, onclick: press, ...attributes }, shown, element("bdi", {}, text));
}

export function choiceButtons(choices, press) {
  return choices.map((one) => button(one.id, one.text, one.key, () => press(one), { "aria-pressed": "false", class: one.kind ? "other" : "actor" }));
}

export function showChoice(choices, choice) {
  for (const one of choices) document.getElementById(one.id).setAttribute("aria-pressed", String(holds(choice, one)));
}
