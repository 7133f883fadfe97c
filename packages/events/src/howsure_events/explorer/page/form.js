// The choices: actors, period, count, interval, and the two actors to compare.

import { byId, element } from "./dom.js";
import { MOST_ACTORS, levels } from "./state.js";
import { COUNTS, INTERVALS, PERIODS, SCALES, UNITS, decimal, end, isIntervalOnly, named, percent, say } from "./wording.js";

const NOBODY = "";
const CHOICES = ["period", "unit", "interval", "level", "scale", "counts"];

function options(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
}

// Fills the form once; `changed` receives the choice of the user, `refused` the reason why it is impossible.
export function buildForm(overview, { changed, refused }) {
  const list = byId("actors");
  list.replaceChildren(...overview.actors.map((actor, at) => element("li", { "data-name": named(actor.title, actor.code).toLowerCase() },
    element("label", {},
      element("input", { type: "checkbox", id: `actor-${at}`, value: actor.code }),
      element("span", {}, named(actor.title, actor.code)),
      element("span", { class: "quiet", "data-total": actor.code }, say("listed_raw", { raw: decimal(actor.expected, 1) }))))));
  list.addEventListener("change", (event) => {
    const chosen = [...list.querySelectorAll("input:checked")].map((box) => box.value);
    if (chosen.length > MOST_ACTORS) {
      event.target.checked = false;
      refused(say("too_many_actors", { n: MOST_ACTORS }));
    } else changed({ actors: chosen });
  });
  byId("find").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const item of list.children) item.hidden = !item.dataset.name.includes(wanted);
  });
  byId("choices").addEventListener("submit", (event) => event.preventDefault());
  const held = overview.held?.periods ?? Object.keys(PERIODS);
  options(byId("period"), held.map((period) => [period, PERIODS[period]]));
  options(byId("unit"), overview.units.map((unit) => [unit, UNITS[unit]]));
  options(byId("interval"), Object.entries(INTERVALS));
  options(byId("level"), levels(overview).map((level) => [level, percent(level)]));
  options(byId("scale"), Object.entries(SCALES));
  options(byId("counts"), Object.entries(COUNTS));
  byId("counts-choice").hidden = !overview.labels;
  for (const one of document.querySelectorAll("#choices :is(.actors, .pair)")) one.hidden = overview.actors.length < 2;
  for (const name of CHOICES) {
    byId(name).addEventListener("change", (event) => changed({ [name]: event.target.value }));
  }
  const actors = overview.actors.map((actor) => [actor.code, named(actor.title, actor.code)]);
  for (const side of ["first", "second"]) {
    options(byId(side), [[NOBODY, say("choose")], ...actors]);
    byId(side).addEventListener("change", () => {
      const pair = [byId("first").value, byId("second").value];
      if (pair.includes(NOBODY)) changed({ compare: null });
      else if (pair[0] === pair[1]) refused(say("two_different"));
      else changed({ compare: pair });
    });
  }
  byId("show-doubtful").addEventListener("click", () => changed({ doubtful: NOBODY }));
}

// Lists the actors in the order of the overview.
export function orderActors({ actors }) {
  const items = new Map([...byId("actors").children].map((item) => [item.querySelector("input").value, item]));
  byId("actors").append(...actors.map((actor) => items.get(actor.code)));
}

// The corrected count of an actor; a dash if only its interval is shown.
function totalText(total) {
  return isIntervalOnly({ ...total, correctedHigh: total.high }) ? "–" : end(total.corrected);
}

// The corrected counts of the actors next to the raw ones.
export function showTotals(overview, totals) {
  for (const node of byId("actors").querySelectorAll("[data-total]")) {
    const raw = decimal(overview.actors.find((actor) => actor.code === node.dataset.total).expected, 1);
    const total = totals[node.dataset.total];
    node.textContent = total ? say("listed_corrected", { corrected: totalText(total), low: end(total.low), high: end(total.high), raw }) : say("listed_raw", { raw });
  }
}

// Shows in the form what the address says.
export function showChoices(state) {
  for (const box of byId("actors").querySelectorAll("input")) box.checked = state.actors.includes(box.value);
  for (const name of CHOICES) byId(name).value = state[name];
  if (state.compare) [byId("first").value, byId("second").value] = state.compare;
}
