// Counts corrected by labels, next to the raw ones, and notes on them.

import { element, folded } from "./dom.js";
import { LOCALE } from "./catalogue.js";
import { list, say } from "./wording.js";

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
  if (corrected.reason) return [whyNone(corrected)];
  const without = Object.keys(series).filter((actor) => !corrected.series[actor]).map((actor) => titles[actor]);
  return [
    element("p", { class: "quiet" }, labelsText(corrected.labels, without)),
    folded(say("checks"), () => element("ul", { class: "quiet" }, corrected.checks.map((one) => element("li", {}, one)))),
  ];
}

// Why there are no corrected counts: in English as the server says it, in another language by its kind.
export function whyNone({ reason, kind, actors = [] }) {
  const kinds = {
    unlabelled: say("none_unlabelled"), few: say("none_few_labels"), unit: say("none_of_unit"),
    actors: say("not_asked", { actors: list(actors) }),
  };
  return element("p", { class: "problem" }, LOCALE.startsWith("en") ? reason : kinds[kind]);
}

// The labels that correct the counts, and what is missing. `without`: the titles of actors that coders were not asked about.
export function labelsText({ coders, labelled, scores, question, unclear, unsettled, merged_strata: strata, merged_coders: spellings, not_read: unread, left_out: left }, without = []) {
  const few = coders.length <= 3;
  const who = few ? say("by_coders", { n: coders.length, names: list(coders) }) : say("by_many_coders", { n: coders.length });
  const reasons = [unclear ? say("n_unclear", { n: unclear }) : null, unsettled ? say("n_unsettled", { n: unsettled }) : null].filter(Boolean);
  return [
    say("labels_used", { n: labelled, who: coders.length ? ` (${who})` : "" }),
    scores.length ? say("scores_used", { scores: list(scores) }) : null,
    say("asked", { question }),
    without.length ? say("not_asked", { actors: list(without) }) : null,
    reasons.length ? say("labels_missing", { n: unclear + unsettled, reasons: reasons.join(", ") }) : null,
    strata ? say("strata_merged", { n: strata }) : null,
    ...spellings.map((names) => say("spellings_merged", { names: list(names), coder: names[0] })),
    unread ? say("not_labelled_yet", { n: unread }) : null,
    left ? say("names_no_actor", { n: left }) : null,
  ].filter(Boolean).join(" ");
}
