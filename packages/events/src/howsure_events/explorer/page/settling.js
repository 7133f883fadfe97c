// Documents that coders answered differently: a list of them, and both answers next to the text.

import { chosenIn, inWords } from "./choice.js";
import { button } from "./desk.js";
import { element, heading } from "./dom.js";
import { titleOf } from "./listing.js";
import { decimal, percent, say } from "./wording.js";

// `links` are next to the heading, `agreement` is below it.
export function disagreementList(disagreements, current, open, links, agreement) {
  const left = disagreements.filter((document) => !document.answer).length;
  const title = left ? say("to_settle", { n: left }) : disagreements.length ? say("all_settled") : say("no_disagreements");
  return [element("div", { class: "row" }, heading(title), links), agreement,
    element("ol", { class: "list" }, disagreements.map((one) => element("li", {},
      element("button", { type: "button", class: "link", "data-document": one.document, "aria-current": one.document === current ? "true" : null,
        onclick: () => open(one.document) }, element("bdi", {}, titleOf(one))),
      one.answer ? element("span", { class: "quiet" }, ` ${say("settled")}`) : "")))];
}

// Inter-annotator agreement, or why it cannot be computed.
export function agreementText({ documents, alpha, low, high, why }) {
  if (!documents) return say("agreement_none");
  const reasons = { alike: say("agreement_alike"), rare: say("agreement_rare"), single: say("agreement_single") };
  const reason = why ? reasons[why] : say("agreement_scale");
  if (alpha === null) return say("agreement_undefined", { n: documents, reason });
  const interval = low === null ? "" : ` (${say("key_interval", { level: percent(0.95) })}: ${say("interval_ends", { low: decimal(low, 2), high: decimal(high, 2) })})`;
  return say("agreement", { n: documents, alpha: decimal(alpha, 2), interval, reason });
}

export const LETTERS = "abcefgh"; // one for each coder whose answer may settle; d goes back to the documents

export function bothAnswers(one, actors, adopt) {
  return element("table", { id: "answers" },
    element("caption", {}, say("both_answers")),
    element("tbody", {}, one.answers.map((answer, i) => element("tr", {},
      element("th", { scope: "row" }, button(`take-${i}`, answer.coder, LETTERS[i] ?? null, () => adopt(answer))),
      element("td", { class: "words" }, inWords(chosenIn(answer), actors))))));
}
