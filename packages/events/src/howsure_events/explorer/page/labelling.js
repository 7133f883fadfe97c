// The labelling room: one document after another; the next one shows when the store holds the answer to this one.

import { chosenIn, inWords, isSame } from "./choice.js";
import { askName, keepName, keptName, onName } from "./coder.js";
import { adopt, press, save, undo } from "./answering.js";
import { button, choiceButtons, choicesFor, documentContent, showChoice } from "./desk.js";
import { byId, element, heading } from "./dom.js";
import { listenToKeys } from "./keys.js";
import { ask } from "./orders.js";
import { howText, showIntervals, showProgress, timeText } from "./progress.js";
import { overviewContent } from "./overview.js";
import { hideToken } from "./requests.js";
import { LETTERS, agreementText, bothAnswers, disagreementList } from "./settling.js";
import { announce, busy, complain, showOnly } from "./stage.js";
import { say } from "./wording.js";

const OVERVIEW = "#overview";
const SETTLING = /^#(settle|disagreements)/;
const tabs = new BroadcastChannel("howsure-labelling");
const room = {
  coder: null, start: null, actors: [], choices: [], documents: [], drawn: 0, answered: new Set(), disagreements: [], current: null,
  open: false, // whether totals and what others answer are shown
  drafts: new Map(), // choices that are not in the store, by document
  ahead: new Map(), // documents asked for before they are read
  show, moveTo, mark, heard, stored, next,
};

const settling = () => SETTLING.test(location.hash);
const unsettled = () => room.disagreements.filter((one) => !one.answer);
const goTo = (fragment) => busy(() => moveTo(fragment));

function moveTo(fragment) {
  if (location.hash !== fragment) history.pushState(null, "", fragment || location.pathname);
  return show();
}

function nextUnanswered(number) {
  const from = room.documents.indexOf(number) + 1;
  return [...room.documents.slice(from), ...room.documents.slice(0, from)].find((one) => !room.answered.has(one));
}

// --- what is shown

function show() {
  complain();
  if (location.hash === OVERVIEW && room.open) return showOverview();
  if (room.coder === null) return proceed();
  byId("progress").hidden = false;
  byId("to-overview").hidden = !room.open;
  byId("to-disagreements").hidden = settling() || !room.open;
  if (settling() && !room.open) return moveTo("");
  return settling() ? showDisagreement() : showDocument();
}

async function showOverview() {
  const to = (fragment) => () => (room.coder === null ? busy(() => { history.pushState(null, "", fragment); return proceed(); }) : goTo(fragment));
  byId("overview").replaceChildren(...await overviewContent({ label: to("#"), settle: to("#disagreements") }));
  byId("progress").hidden = true;
  room.current = null;
  showOnly("overview");
  byId("overview").querySelector("h2").focus({ preventScroll: true });
}

async function showDocument() {
  const given = new URLSearchParams(location.hash.slice(1)).get("document");
  const wanted = room.documents.find((number) => String(number) === given);
  if (given !== null && wanted === undefined) complain(say("not_drawn"));
  const number = wanted ?? nextUnanswered(null);
  if (number === undefined) return finished();
  history.replaceState(null, "", `#document=${number}`);
  const one = await (room.ahead.get(number) ?? ask("document", { number, coder: room.coder }));
  room.ahead.clear();
  if (one.answer) room.answered.add(number);
  else room.answered.delete(number);
  showOnly("desk");
  read({ number, one, saved: one.answer, revision: one.revision, settles: null }, room.documents, "place_document");
  const next = nextUnanswered(number);
  if (next !== undefined && next !== number) {
    const asked = ask("document", { number: next, coder: room.coder });
    room.ahead.set(next, asked);
    asked.catch(() => room.ahead.delete(next)); // it is requested again when it is read
  }
  return undefined;
}

async function showDisagreement() {
  await refreshDisagreements();
  const given = new URLSearchParams(location.hash.slice(1)).get("settle");
  const current = room.disagreements.find((one) => String(one.document) === given) ?? unsettled()[0];
  showOnly("list", ...(current ? ["desk"] : []));
  const back = button("to-documents", say("to_documents"), "d", () => goTo(""));
  const agreement = element("p", { class: "quiet", id: "agreement" });
  byId("list").replaceChildren(...disagreementList(room.disagreements, current?.document, (number) => goTo(`#settle=${number}`), back, agreement));
  ask("agreement").then((found) => { agreement.textContent = agreementText(found); }, (error) => { agreement.textContent = error.message; });
  if (!current) {
    room.current = null;
    return byId("list").querySelector("h2").focus();
  }
  history.replaceState(null, "", `#settle=${current.document}`);
  const one = await ask("document", { number: current.document, coder: room.coder });
  const all = room.disagreements.map((other) => other.document);
  return read({ number: current.document, one, saved: current.answer, revision: current.revision, settles: current }, all, "place_disagreement");
}

function read(current, all, what) {
  room.current = { ...current, choice: room.drafts.get(current.number) ?? chosenIn(current.saved) };
  const position = { number: all.indexOf(current.number) + 1, n: all.length };
  const place = what === "place_document" ? say("place_document", position) : say("place_disagreement", position);
  draw(place);
  byId("beside").replaceChildren(...(current.settles ? [bothAnswers(current.settles, room.actors, (answer) => adopt(room, answer))] : []));
  byId("undo").hidden = Boolean(current.settles);
  mark();
  byId("document").querySelector("h2").focus({ preventScroll: true });
  scrollTo({ top: 0, behavior: "instant" });
  announce(current.saved ? `${place}. ${say("answered", { answer: inWords(chosenIn(current.saved), room.actors) })}` : `${place}.`);
}

function draw(place) {
  const { number, one } = room.current;
  const sampled = (sample) => () => busy(async () => {
    room.current.one = await ask("document", { number, coder: room.coder, sample });
    draw(place);
    byId(sample === "best" ? "best-clustering" : "another-sample").focus();
  });
  const following = !one.view || one.view.sample === "best" ? 0 : (one.view.sample + 1) % one.view.samples;
  const titles = Object.fromEntries(room.actors.map((actor) => [actor.code, actor.title]));
  const content = documentContent(one, place, titles, { another: sampled(following), best: sampled("best") });
  byId("document").replaceChildren(...content.filter(Boolean));
}

function mark() {
  const { choice, saved } = room.current;
  showChoice(room.choices, choice);
  byId("kept").hidden = isSame(choice, chosenIn(saved));
}

async function finished() {
  await refreshDisagreements();
  byId("to-disagreements").hidden = true; // it stands below
  await intervals; // they stand above the links of the end, which must not move below the mouse
  showOnly("done");
  room.current = null;
  const n = unsettled().length;
  const doors = [
    ...(room.documents.length ? [element("button", { type: "button", id: "again", onclick: () => goTo(`#document=${room.documents[0]}`) }, say("look_again"))] : []),
    ...(n ? [button("settle", say("settle", { n }), "d", () => goTo("#disagreements"))] : [])];
  const part = room.documents.length < room.drawn ? say("done_part", { n: room.documents.length, drawn: room.drawn }) : say("done_all");
  const said = room.documents.length ? part : say("none_drawn");
  const more = room.open ? [element("a", { href: "/" }, say("to_series"))] : [say("on_coordinators_page")];
  byId("done").replaceChildren(heading(said), element("p", {}, room.open ? say("all_stored_coordinator") : say("all_stored")),
    element("div", { class: "row" }, doors), element("p", {}, more));
  byId("done").querySelector("h2").focus();
  announce(`${said}.`);
}

async function refreshDisagreements() {
  room.disagreements = room.open ? await ask("disagreements") : [];
}

// No document waits for them.
let intervals = Promise.resolve();

function refreshIntervals() {
  byId("intervals").hidden = !room.open;
  if (room.open) intervals = ask("intervals").then(showIntervals, (error) => { byId("intervals").textContent = error.message; });
}

// --- what is done

function heard(progress) {
  room.open = progress.open;
  showProgress(progress);
}

function stored(number) {
  room.ahead.delete(number);
  if (!settling()) room.answered.add(number);
  tabs.postMessage({ coder: room.coder, stored: number });
  refreshIntervals();
}

// Another tab of the same coder has stored an answer: to the document that is read here, too, unless a choice waits.
async function follow(number) {
  const status = await ask("room", { coder: room.coder });
  room.answered = new Set(status.answered);
  room.ahead.clear();
  heard(status.progress);
  if (room.current?.number === number && !room.current.settles && !room.drafts.has(number)) await busy(show);
}

async function next(said) {
  const { number } = room.current;
  if (settling()) {
    await refreshDisagreements();
    const left = unsettled().map((one) => one.document);
    const after = left.find((one) => room.documents.indexOf(one) > room.documents.indexOf(number)) ?? left[0];
    await moveTo(after === undefined ? "#disagreements" : `#settle=${after}`);
  } else {
    const after = nextUnanswered(number);
    if (after === undefined) await finished();
    else await moveTo(`#document=${after}`);
  }
  announce(`${said} ${byId("status").textContent}`);
}

function step(by) {
  const all = settling() ? room.disagreements.map((one) => one.document) : room.documents;
  const at = room.current ? all.indexOf(room.current.number) + by : by < 0 ? all.length - 1 : 0;
  if (all[at] !== undefined) goTo(`#${settling() ? "settle" : "document"}=${all[at]}`);
}

// --- how it begins

async function enter(name) {
  const entry = await ask("room", { coder: name }).catch((error) => {
    if (room.coder === null) askName(name); // the name that the browser kept may be another's by now
    throw error;
  });
  Object.assign(room, { coder: entry.coder, actors: entry.actors, documents: entry.documents, drawn: entry.drawn, answered: new Set(entry.answered) });
  room.choices = choicesFor(entry.actors);
  room.drafts.clear();
  room.ahead.clear();
  keepName(entry.coder);
  document.title = entry.question;
  byId("question").textContent = entry.question;
  byId("who").textContent = `· ${entry.coder}${entry.progress.open ? ` (${say("coordinator")})` : ""}`;
  byId("choices").replaceChildren(...choiceButtons(room.choices, (what) => press(room, what)));
  heard(entry.progress);
  await show();
  refreshIntervals();
  tabs.postMessage({ coder: entry.coder, isNew: true });
}

const chosenBy = (key) => room.choices.find((one) => one.key === key) ?? (key === "1" && room.actors.length === 1 ? room.choices[0] : undefined);

// What a letter does that takes a coder's answer, where a disagreement is settled.
function settleBy(key) {
  const answer = room.current?.settles?.answers[LETTERS.indexOf(key)];
  if (answer) adopt(room, answer);
}

function goBetween() {
  if (room.open) goTo(settling() ? "" : "#disagreements");
}

function listen() {
  const fixed = { n: null, u: null, y: null, d: goBetween, o: () => { if (room.open) goTo(OVERVIEW); }, z: () => undo(room), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Enter: () => save(room) };
  const digits = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i + 1), null]));
  const letters = Object.fromEntries([...LETTERS].map((key) => [key, () => settleBy(key)])); // d goes back
  const actions = Object.fromEntries(Object.entries({ ...fixed, ...digits, ...letters }).map(([key, act]) =>
    [key, act ?? (() => { const what = chosenBy(key); if (what) press(room, what); })]));
  listenToKeys(actions, () => byId("keys").checked && byId("name").hidden && !document.querySelector("main").hasAttribute("aria-busy"));
  addEventListener("hashchange", () => busy(show));
  addEventListener("beforeunload", (event) => { if (room.drafts.size) event.preventDefault(); });
  tabs.addEventListener("message", ({ data }) => {
    if (data.coder !== room.coder) return;
    if (data.stored !== undefined) {
      follow(data.stored).catch((error) => complain(error.message));
      return;
    }
    complain(say("other_tab", { coder: room.coder }));
    if (data.isNew) tabs.postMessage({ coder: room.coder });
  });
}

// The coordinator begins with the overview. A link of one's own says who labels, or the browser knows; else the name is asked.
async function begin() {
  const overview = await ask("start");
  Object.assign(room, { start: overview, open: overview.coordinator });
  byId("rename").hidden = overview.coder !== null;
  document.title = byId("question").textContent = overview.question;
  if (room.open && location.hash.length < 2) history.replaceState(null, "", OVERVIEW);
  return show();
}

function proceed() {
  const overview = room.start;
  const name = overview.coder ?? keptName();
  if (name) return enter(name);
  const { documents: n, drawn } = overview;
  const ahead = n < drawn ? say("ahead_part", { n, drawn, time: timeText(overview) }) : say("ahead", { n, time: timeText(overview) });
  byId("about").textContent = `${ahead} ${howText(overview)}`;
  return askName("");
}

function start() {
  hideToken();
  byId("steps").replaceChildren(
    button("save", say("save_and_next"), "Enter", () => save(room)),
    button("back", "←", null, () => step(-1), { "aria-keyshortcuts": "ArrowLeft", "aria-label": say("back") }),
    button("forward", "→", null, () => step(1), { "aria-keyshortcuts": "ArrowRight", "aria-label": say("forward") }),
    button("undo", say("undo"), "z", () => undo(room)));
  byId("answer").addEventListener("click", (event) => { // after a mouse, Enter saves; a button that keys pressed keeps the focus
    if (event.detail && event.target.closest("button")) byId("document").querySelector("h2")?.focus({ preventScroll: true });
  });
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("answer").focus(); });
  byId("rename").addEventListener("click", () => {
    if (room.drafts.size) return complain(say("drafts_left", { n: room.drafts.size, coder: room.coder }));
    room.current = null;
    return askName(room.coder);
  });
  byId("to-disagreements").addEventListener("click", () => goTo("#disagreements"));
  byId("to-overview").addEventListener("click", () => goTo(OVERVIEW));
  onName((name) => busy(() => enter(name)));
  listen();
  document.querySelector("main").removeAttribute("aria-busy");
  busy(begin);
}

start();
