// What the labelling room asks of its server, and what it has it write: with the token that is in this page only.

import { answered, queryOf } from "./requests.js";

function writingToken() {
  return document.querySelector('meta[name="writing"]').content;
}

export async function ask(question, parameters = {}) {
  return (await answered(`/api/label/${question}?${queryOf(parameters)}`)).json();
}

// Resolves once the store holds what was ordered.
export async function order(name, body) {
  const headers = { "content-type": "application/json", "x-howsure-writing": writingToken() };
  return (await answered(`/api/label/${name}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
}
