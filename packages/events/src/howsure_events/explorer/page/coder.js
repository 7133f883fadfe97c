// Who labels: asked once, and kept by the browser.

import { byId } from "./dom.js";
import { showOnly } from "./stage.js";

const KEPT = "howsure-coder";

export function keptName() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // without local storage, the name is requested again
  }
}

export function keepName(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // as above
  }
}

export function askName(name) {
  showOnly("name");
  byId("coder").value = name ?? "";
  byId("coder").focus();
}

export function onName(enter) {
  byId("name").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId("coder").value.trim();
    if (name) enter(name);
  });
}
