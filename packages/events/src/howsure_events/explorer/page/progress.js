// The progress of a coder, and the current intervals of the totals.

import { byId, element } from "./dom.js";
import { decimal, intervalText, percent, say } from "./wording.js";

export function showProgress(progress) {
  const { answered, documents, open } = progress;
  const done = answered >= documents;
  byId("bar").max = Math.max(documents, 1);
  byId("bar").value = answered;
  const parts = [say("labelled_of", { answered, n: documents })];
  if (!done) parts.push(say("time_left", { time: timeText(progress) }));
  if (open || done) parts.push(say("n_positive", { n: progress.with_event }));
  if ((open || done) && progress.unclear) parts.push(say("n_unclear", { n: progress.unclear }));
  byId("counted").textContent = parts.join(" · ");
  byId("how").textContent = `${howText(progress)} ${open ? "" : say("coordinator_only")}`;
  byId("how").hidden = answered > 0; // at the start only
}

// `totals`: {level, population, more, actors: [{title, low, high}], hour}; `more`: further labels needed for intervals.
export function intervalsContent(totals) {
  if (totals.more) return [say("intervals_after", { n: totals.more })];
  const between = ({ low, high }) => (low === null ? say("interval_unknown") : intervalText(low, high));
  return [
    element("span", {}, `${say("total_so_far", { n: totals.population, level: percent(totals.level) })} `),
    ...totals.actors.flatMap((actor, i) => [i ? "; " : "", element("span", { class: "total" },
      element("bdi", {}, actor.title), ` ${between(actor)}`)]),
    totals.hour ? `. ${hourText(totals.hour)}` : "",
  ];
}

export function showIntervals(totals) {
  byId("intervals").replaceChildren(...intervalsContent(totals));
}

// The time that is left, about.
export function timeText({ minutes }) {
  if (minutes < 1) return say("under_a_minute");
  return minutes < 90 ? say("minutes", { n: Math.round(minutes) }) : say("hours", { hours: decimal(minutes / 60, 1) });
}

// What the time is estimated from.
export function howText({ words_left: n, own_pace: own, words_a_minute: pace, seconds }) {
  return own ? say("time_by_pace", { n }) : say("time_by_words", { n, pace, seconds });
}

// What one more hour of labelling is worth; see `one_more_hour`.
function hourText({ kind, documents, own_pace: own, words_a_minute: wpm, title, labelled, least, width, now }) {
  if (kind === "rest") return say("hour_rest", { n: documents });
  const pace = own ? say("pace_own") : say("pace_general", { pace: wpm });
  const gains = {
    early: () => say("hour_early", { n: labelled, least }), unknown: () => say("hour_unknown", { title }), width: () => say("hour_width", { title, width, now }),
  };
  return `${say("hour", { n: documents, pace })} ${gains[kind]()}`;
}
