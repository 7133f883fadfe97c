// The coordinator's first page: how far the coders are, whether they agree, and what the labels show so far.

import { element, heading, table } from "./dom.js";
import { ask } from "./orders.js";
import { intervalsContent, timeText } from "./progress.js";
import { agreementText } from "./settling.js";
import { say, whole } from "./wording.js";

// `label` begins to label, `settle` goes to the disagreements.
export async function overviewContent({ label, settle }) {
  const [{ coders, drawn, labelled }, disagreements, agreement, totals] =
    await Promise.all(["coders", "disagreements", "agreement", "intervals"].map((question) => ask(question)));
  const open = disagreements.filter((document) => !document.answer).length;
  const columns = [
    { name: say("coder"), cell: (one) => element("bdi", {}, one.coder) },
    { name: say("labelled"), number: true, cell: (one) => say("of_n", { part: one.answered, n: one.documents }) },
    { name: say("positive"), number: true, cell: (one) => whole(one.with_event) },
    { name: say("unclear_column"), number: true, cell: (one) => whole(one.unclear) },
    { name: say("time_left_column"), cell: (one) => (one.answered < one.documents ? timeText(one) : "–") },
  ];
  const button = (id, text, press) => element("button", { type: "button", id, onclick: press }, text);
  return [
    heading(say("overview")),
    element("p", {}, say("overview_about", { n: drawn, labelled })),
    coders.length ? table(say("coders"), columns, coders) : element("p", { class: "quiet" }, say("nobody_began")),
    element("p", { class: "total" }, intervalsContent(totals)),
    coders.length > 1 ? element("p", { class: "quiet" }, agreementText(agreement)) : null,
    element("div", { class: "row" },
      button("begin-labelling", say("label_yourself"), label),
      disagreements.length ? button("begin-settling", open ? say("settle", { n: open }) : say("disagreements"), settle) : null,
      element("a", { href: "/" }, say("to_series"))),
  ].filter(Boolean);
}
