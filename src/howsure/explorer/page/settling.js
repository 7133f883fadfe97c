// Documents that coders answered differently: a list of them, and both answers beside the text.

import { chosenIn, inWords } from "./choice.js";
import { element, heading } from "./dom.js";
import { titleOf } from "./listing.js";
import { counted } from "./wording.js";

export function disagreementList(disagreements, current, open) {
  const left = disagreements.filter((one) => !one.answer).length;
  const said = left ? `${counted(left, "disagreement")} to settle` : disagreements.length ? "All disagreements are settled" : "No disagreements";
  return [heading(said),
    element("ol", { class: "list" }, disagreements.map((one) => element("li", {},
      element("button", { type: "button", class: "link", "data-document": one.document, "aria-current": one.document === current ? "true" : null,
        onclick: () => open(one.document) }, element("bdi", {}, titleOf(one))),
      one.answer ? element("span", { class: "quiet" }, " settled") : "")))];
}

export function bothAnswers(one, actors) {
  return element("table", { id: "answers" },
    element("caption", {}, "What the coders answered"),
    element("tbody", {}, one.answers.map((answer) => element("tr", {},
      element("th", { scope: "row" }, element("bdi", {}, answer.coder)),
      element("td", { class: "words" }, inWords(chosenIn(answer), actors))))));
}
