// Documents that coders answered differently: a list of them, and both answers next to the text.

import { chosenIn, inWords } from "./choice.js";
import { button } from "./desk.js";
import { element, heading } from "./dom.js";
import { titleOf } from "./listing.js";
import { counted } from "./wording.js";

// `links` are next to the heading, `agreement` is below it.
export function disagreementList(disagreements, current, open, links, agreement) {
  const left = disagreements.filter((document) => !document.answer).length;
  const title = left ? `${counted(left, "disagreement")} to settle` : disagreements.length ? "All disagreements are settled" : "No disagreements";
  return [element("div", { class: "row" }, heading(title), links), agreement,
    element("ol", { class: "list" }, disagreements.map((one) => element("li", {},
      element("button", { type: "button", class: "link", "data-document": one.document, "aria-current": one.document === current ? "true" : null,
        onclick: () => open(one.document) }, element("bdi", {}, titleOf(one))),
      one.answer ? element("span", { class: "quiet" }, " settled") : "")))];
}

// Inter-annotator agreement, or why it cannot be computed.
export function agreementText({ documents, alpha, low, high, why }) {
  if (!documents) return "No document was labelled by two coders yet, so their agreement is unknown.";
  const bound = (value) => value.toFixed(2);
  const found = alpha === null ? "is undefined" : `is ${bound(alpha)}${low === null ? "" : `, 95 % interval ${bound(low)} to ${bound(high)}`}`;
  return `Krippendorff’s α ${found}, of ${counted(documents, "document")} labelled by two or more${why ? ` (${why})` : " (1: full agreement, 0: that of chance)"}.`;
}

export const LETTERS = "abcefgh"; // one for each coder whose answer may settle; d goes back to the documents

export function bothAnswers(one, actors, adopt) {
  return element("table", { id: "answers" },
    element("caption", {}, "What the coders answered; a name takes that answer"),
    element("tbody", {}, one.answers.map((answer, i) => element("tr", {},
      element("th", { scope: "row" }, button(`take-${i}`, answer.coder, LETTERS[i] ?? null, () => adopt(answer))),
      element("td", { class: "words" }, inWords(chosenIn(answer), actors))))));
}
