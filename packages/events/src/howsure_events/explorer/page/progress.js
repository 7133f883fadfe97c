// The progress of a coder, and the current intervals of the totals.

import { byId, element } from "./dom.js";
import { counted, percent, whole } from "./wording.js";

export function showProgress(progress) {
  const { answered, documents, open } = progress;
  const done = answered >= documents;
  byId("bar").max = Math.max(documents, 1);
  byId("bar").value = answered;
  const parts = [`${whole(answered)} of ${whole(documents)} read`];
  if (!done) parts.push(`${progress.time} left`);
  if (open || done) parts.push(`${whole(progress.with_event)} positive`);
  if ((open || done) && progress.unclear) parts.push(`${whole(progress.unclear)} unclear`);
  byId("counted").textContent = parts.join(" · ");
  byId("how").textContent = `The time is ${progress.how}. ${open ? "" : "Totals and the answers of others are shown to the coordinator only."}`;
  byId("how").hidden = answered > 0; // at the start only
}

// `totals`: {level, population, more, actors: [{title, low, high}], hour}; `more`: further labels needed for intervals.
export function showIntervals(totals) {
  const node = byId("intervals");
  if (totals.more) return node.replaceChildren(`Intervals of the totals can be computed after ${counted(totals.more, "more label")}.`);
  const between = ({ low, high }) => (low === null ? "unknown: too few clear and agreed answers" : `${whole(Math.floor(low))} to ${whole(Math.ceil(high))}`);
  return node.replaceChildren(
    element("span", {}, `Total so far, of ${counted(totals.population, "document")} (${percent(totals.level)} intervals): `),
    ...totals.actors.flatMap((actor, i) => [i ? "; " : "", element("span", { class: "total" },
      element("bdi", {}, actor.title), ` ${between(actor)}`)]),
    totals.hour && `. ${totals.hour}.`);
}
