// What a coder says of one document: who acts, that none does, or that it is unclear. These exclude each other.

import { say } from "./wording.js";

export const NOTHING = { acting: [], none: false, unclear: false };
export const NONE = "none";
export const UNCLEAR = "unclear";

// An answer of the store as a choice.
export function chosenIn(answer) {
  if (!answer) return NOTHING;
  return { acting: answer.acting, none: !answer.unclear && !answer.acting.length, unclear: answer.unclear };
}

export function isMade(choice) {
  return choice.none || choice.unclear || choice.acting.length > 0;
}

export function isSame(one, other) {
  return one.none === other.none && one.unclear === other.unclear &&
    one.acting.length === other.acting.length && one.acting.every((code) => other.acting.includes(code));
}

export function holds(choice, what) {
  return what.code === undefined ? choice[what.kind] : choice.acting.includes(what.code);
}

// The choice after `what` ({code} of an actor, or {kind}) was pressed; actors stay in their order.
export function pressed(choice, what, actors) {
  if (what.code === undefined) return { ...NOTHING, [what.kind]: !choice[what.kind] };
  const wanted = new Set(choice.acting);
  if (!wanted.delete(what.code)) wanted.add(what.code);
  return { ...NOTHING, acting: actors.map((actor) => actor.code).filter((code) => wanted.has(code)) };
}

// Whether `what` says all there is to say of a document: nobody acts, it is unclear, or the only actor asked acts.
export function isWhole(what, actors) {
  return what.code === undefined || actors.length === 1;
}

// The choice of `what` and nothing else.
export function only(what) {
  return what.code === undefined ? { ...NOTHING, [what.kind]: true } : { ...NOTHING, acting: [what.code] };
}

export function inWords(choice, actors) {
  if (choice.unclear) return say("unclear");
  if (choice.none) return actors.length === 1 ? say("no") : say("none_of_them");
  const titles = actors.filter((actor) => choice.acting.includes(actor.code)).map((actor) => actor.title);
  return actors.length === 1 && titles.length ? say("yes") : titles.join(", ") || say("no_answer");
}
