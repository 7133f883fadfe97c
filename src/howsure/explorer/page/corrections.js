// Counts corrected by labels: beside the raw ones, with their totals and what a reader must know of them.

import { element, folded, table } from "./dom.js";
import { amount, end, percent } from "./wording.js";

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

function rawTotal(rows, unit) {
  const told = rows.filter((row) => row.mean !== null);
  const sum = (value) => told.reduce((all, row) => all + value(row), 0);
  if (unit !== "share") return sum((row) => row.mean);
  return sum((row) => row.mean * row.documents) / Math.max(sum((row) => row.documents), 1);
}

function totals(series, corrected, { titles, unit, level }) {
  const rows = Object.entries(series).map(([actor, all]) => ({ actor, raw: rawTotal(all, unit), ...corrected.totals[actor] }));
  const value = (name) => (row) => (row[name] === undefined ? "–" : amount(row[name], unit));
  return table("In all periods", [
    { name: "Actor", cell: (row) => titles[row.actor] },
    { name: "Raw", number: true, cell: value("raw") },
    { name: "Corrected", number: true, cell: value("corrected") },
    { name: `${percent(level)} interval`, number: true, cell: (row) => (row.low === undefined ? "–" : `${end(row.low, unit)} to ${end(row.high, unit)}`) },
  ], rows);
}

// What stands below a chart with corrected counts: totals, what they rest on, and how well they did where it was checked.
export function correctionNotes(series, corrected, { titles, unit, level }) {
  if (corrected.reason) return [element("p", { class: "problem" }, corrected.reason)];
  const without = Object.keys(series).filter((actor) => !corrected.series[actor]).map((actor) => titles[actor]);
  const lacking = without.length ? `No corrected counts for ${without.join(", ")}: readers were not asked about them.` : "";
  return [
    totals(series, corrected, { titles, unit, level }),
    element("p", { class: "quiet" }, [...corrected.said, lacking].join(" ").trim()),
    folded("How the corrected counts did where they could be checked", () =>
      element("ul", { class: "quiet" }, corrected.checks.map((one) => element("li", {}, one)))),
  ];
}
