// Counts corrected by labels, next to the raw ones, and notes on them.

import { element, folded } from "./dom.js";

// A series whose rows have the corrected counts of their actor and period, if the actor has labels.
export function withCorrections(series, corrected) {
  return Object.fromEntries(Object.entries(series).map(([actor, rows]) => {
    const columns = corrected.series[actor];
    if (!columns) return [actor, rows];
    return [actor, rows.map((row, at) => ({
      ...row, corrected: columns.corrected[at], correctedLow: columns.low[at], correctedHigh: columns.high[at],
      read: columns.read[at], positives: columns.positives[at],
    }))];
  }));
}

// The notes below a chart with corrected counts: which labels they use, and checks of the estimates.
export function correctionNotes(series, corrected, titles) {
  if (corrected.reason) return [element("p", { class: "problem" }, corrected.reason)];
  const without = Object.keys(series).filter((actor) => !corrected.series[actor]).map((actor) => titles[actor]);
  const lacking = without.length ? `No corrected counts for ${without.join(", ")}: coders were not asked about them.` : "";
  return [
    element("p", { class: "quiet" }, [...corrected.said, lacking].join(" ").trim()),
    folded("Checks of the corrected counts", () =>
      element("ul", { class: "quiet" }, corrected.checks.map((one) => element("li", {}, one)))),
  ];
}
