// What is shown is written in the fragment of the address, so that it can be kept, sent, and gone back to.

import { COUNTS, INTERVALS, LEVELS, PERIODS, SCALES, say } from "./wording.js";

export const ALL_SHOWN = 4; // actors shown at first: those with the highest counts
export const MOST_ACTORS = 6;
const DAY = 86400000;

// A length of period that gives some dozens of points, among those there are.
export function fittingPeriod(overview) {
  const days = (Date.parse(overview.last) - Date.parse(overview.first)) / DAY;
  const wanted = days > 500 ? "quarter" : days > 120 ? "month" : "week";
  const held = overview.held?.periods ?? Object.keys(PERIODS);
  return held.includes(wanted) ? wanted : held[0];
}

// The levels that intervals may have, the usual one last.
export function levels(overview) {
  return overview.held?.levels ?? LEVELS;
}

export function defaults(overview) {
  return {
    actors: overview.actors.slice(0, ALL_SHOWN).map((actor) => actor.code),
    period: fittingPeriod(overview), unit: "documents", interval: "exact", level: levels(overview).at(-1), scale: "same",
    counts: overview.labels ? "corrected" : "raw", labelled: Boolean(overview.labels),
    point: null, document: null, sample: "best", compare: null, doubtful: null,
  };
}

// Reads a fragment; what it asks for and is not there goes into `problems`.
export function readState(fragment, overview, problems) {
  const state = defaults(overview);
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const known = new Set(overview.actors.map((actor) => actor.code));
  const actor = (code) => {
    if (known.has(code)) return true;
    problems.push(say("no_such_actor", { code: code.slice(0, 60) }));
    return false;
  };
  const choice = (name, choices) => {
    const value = given.get(name);
    if (value === null) return;
    if (choices.includes(value)) state[name] = value;
    else problems.push(say("no_such_choice", { name, choices: choices.join(", "), value: value.slice(0, 60) }));
  };
  choice("period", overview.held?.periods ?? Object.keys(PERIODS));
  choice("unit", overview.units);
  choice("interval", Object.keys(INTERVALS));
  choice("level", levels(overview));
  choice("scale", Object.keys(SCALES));
  if (state.labelled) choice("counts", Object.keys(COUNTS));
  if (given.has("actor")) {
    const asked = [...new Set(given.getAll("actor"))].filter((code) => code !== "").filter(actor);
    if (asked.length > MOST_ACTORS) problems.push(say("first_actors_shown", { most: MOST_ACTORS, n: asked.length }));
    state.actors = asked.slice(0, MOST_ACTORS);
  }
  if (given.has("point") && given.has("at") && actor(given.get("point"))) {
    state.point = { actor: given.get("point"), at: given.get("at") };
  }
  if (given.has("first") && given.has("second")) {
    const pair = [given.get("first"), given.get("second")];
    if (pair.every(actor) && pair[0] !== pair[1]) state.compare = pair;
  }
  if (given.has("document")) {
    if (/^[0-9]{1,15}$/.test(given.get("document"))) state.document = Number(given.get("document"));
    else problems.push(say("document_not_whole", { value: given.get("document").slice(0, 60) }));
  }
  if (given.has("sample")) {
    if (/^[0-9]{1,6}$/.test(given.get("sample"))) state.sample = Number(given.get("sample"));
    else if (given.get("sample") !== "best") problems.push(say("sample_not_whole"));
  }
  if (given.has("doubtful")) {
    const whose = given.get("doubtful");
    if (whose === "" || actor(whose)) state.doubtful = whose;
  }
  return state;
}

export function writeState(state) {
  const fragment = new URLSearchParams();
  for (const actor of state.actors.length ? state.actors : [""]) fragment.append("actor", actor);
  for (const name of ["period", "unit", "interval", "level"]) fragment.set(name, state[name]);
  if (state.scale !== "same") fragment.set("scale", state.scale);
  if (state.labelled) fragment.set("counts", state.counts);
  if (state.point) {
    fragment.set("point", state.point.actor);
    fragment.set("at", state.point.at);
  }
  if (state.compare) {
    fragment.set("first", state.compare[0]);
    fragment.set("second", state.compare[1]);
  }
  if (state.doubtful !== null) fragment.set("doubtful", state.doubtful);
  if (state.document !== null) {
    fragment.set("document", state.document);
    fragment.set("sample", state.sample);
  }
  return `#${fragment}`;
}
