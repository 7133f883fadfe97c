// What all of the labelling room shares: what is shown of it, what is said, and that one thing is done at a time.

import { byId, element } from "./dom.js";

// For those who listen.
export function announce(text) {
  byId("status").textContent = text;
}

// What went wrong, as texts and elements; nothing if nothing did.
export function complain(...content) {
  const shown = content.map((one) => (typeof one === "string" ? element("p", {}, one) : one));
  byId("problems").replaceChildren(...(shown.length ? [element("div", { class: "problem" }, ...shown)] : []));
}

export function showOnly(...ids) {
  for (const id of ["name", "overview", "list", "desk", "done"]) byId(id).hidden = !ids.includes(id);
}

// What is pressed while an answer is under way is not done: it was not meant for the next document.
export async function busy(act) {
  const main = document.querySelector("main");
  if (main.getAttribute("aria-busy") === "true") return;
  main.setAttribute("aria-busy", "true");
  try {
    await act();
  } catch (error) {
    complain(element("p", { lang: error.status ? "en" : null }, error.message)); // the server speaks English
  } finally {
    main.removeAttribute("aria-busy");
  }
}
