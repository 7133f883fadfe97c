// Counts corrected by labels: beside the raw ones, and what a reader must know of them.

import { element, folded } from "./dom.js";

// A series whose rows have the corrected counts of their actor and period, if readers were asked about the actor.
export function beside(series, corrected) {
  return Object.fromEntries(Object.entries(series).map(([actor, rows]) => {
    const held = corrected.series[actor];
    if (!held) return [actor, rows];
    return [actor, rows.map((row, at) => ({
      ...row, corrected: held.corrected[at], correctedLow: held.low[at], correctedHigh: held.high[at],
      read: held.read[at], positives: held.positives[at],
    }))];
  }));
}

// What stands below a chart with corrected counts: what they rest on, and how well they did where it was checked.
export function correctionNotes(series, corrected, titles) {
  if (corrected.reason) return [element("p", { class: "problem" }, corrected.reason)];
  const without = Object.keys(series).filter((actor) => !corrected.series[actor]).map((actor) => titles[actor]);
  const lacking = without.length ? `No corrected counts for ${without.join(", ")}: readers were not asked about them.` : "";
  return [
    element("p", { class: "quiet" }, [...corrected.said, lacking].join(" ").trim()),
    folded("How the corrected counts did where they could be checked", () =>
      element("ul", { class: "quiet" }, corrected.checks.map((one) => element("li", {}, one)))),
  ];
}
