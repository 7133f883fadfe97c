// Sections of the page: each drawn again when what it depends on changes; an answer that comes too late is dropped.

import { byId, element, heading } from "./dom.js";
import { say } from "./wording.js";

const shown = {}; // what each section shows, or is about to show
const tickets = {};
let wanted = null; // the section whose heading gets the focus once it is there

// The next time that section is there, its heading gets the focus.
export function focusOn(id) {
  wanted = id;
}

function settle(id) {
  if (wanted !== id) return;
  wanted = null;
  const title = byId(id).querySelector("h2");
  title?.focus({ preventScroll: true });
  title?.scrollIntoView({ block: "start", behavior: "auto" });
}

function failure(error) {
  return [heading(say("not_shown")), element("p", { class: "problem", role: "alert" }, error.message)];
}

// `asked` is all that the section depends on, null if it is not shown; `draw` answers with its content.
export async function section(id, asked, draw) {
  const node = byId(id);
  const key = JSON.stringify(asked);
  if (shown[id] === key) return settle(id);
  shown[id] = key;
  tickets[id] = (tickets[id] ?? 0) + 1;
  const ticket = tickets[id];
  if (asked === null) {
    node.hidden = true;
    node.removeAttribute("aria-busy");
    return node.replaceChildren();
  }
  node.setAttribute("aria-busy", "true");
  const drawn = await draw(asked).catch((error) => ({ error }));
  if (tickets[id] !== ticket) return undefined;
  if (drawn.error) shown[id] = undefined; // so that it is tried again
  const content = drawn.error ? failure(drawn.error) : drawn;
  const focused = node.contains(document.activeElement) ? document.activeElement.id : "";
  node.replaceChildren(...content.flat(Infinity).filter((one) => one !== null));
  node.hidden = false;
  node.removeAttribute("aria-busy");
  if (focused) byId(focused)?.focus({ preventScroll: true });
  return settle(id);
}
