// Requests to the server of this page; errors are shown as text.

import { say } from "./wording.js";

// The answer to a request. An error has the status (0 without an answer) and the body of the answer.
export async function answered(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", redirect: "error", ...options });
  } catch {
    throw Object.assign(new Error(say("server_lost")), { status: 0, said: {} });
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw Object.assign(new Error(said.error ?? say("server_answered", { status: String(response.status) })), { status: response.status, said });
}

// Parameters as a query string; the name of a list is repeated for each element.
export function queryOf(parameters) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) asked.append(name, one);
  }
  return asked;
}

// The token that opened the page leaves the address: it is in a cookie now.
export function hideToken() {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
}
