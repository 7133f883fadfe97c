// Answers: chosen, stored, taken back. What is not in the store stays chosen on the page, and nothing is overwritten unasked.

import { chosenIn, inWords, isMade, isSame, isWhole, only, pressed } from "./choice.js";
import { element } from "./dom.js";
import { order } from "./orders.js";
import { announce, busy, complain } from "./stage.js";
import { say } from "./wording.js";

const CONFLICT = 409;

// `room.current`: {number, one, saved: the answer in the store, revision, choice, settles: a disagreement or null}.
export function press(room, what) {
  const { current, actors } = room;
  if (!current) return undefined;
  const whole = isWhole(what, actors);
  choose(room, whole ? only(what) : pressed(current.choice, what, actors));
  return whole ? save(room) : undefined;
}

// Takes the answer of another coder to settle by.
export function adopt(room, answer) {
  choose(room, chosenIn(answer));
  return save(room);
}

function choose(room, choice) {
  const { current, actors } = room;
  current.choice = choice;
  if (isSame(current.choice, chosenIn(current.saved))) room.drafts.delete(current.number);
  else room.drafts.set(current.number, current.choice);
  complain();
  room.mark();
  announce(say("chosen", { answer: inWords(current.choice, actors) }));
}

export function save(room) {
  if (!room.current) return undefined;
  if (!isMade(room.current.choice)) return complain(say("choose_first"));
  return busy(() => keep(room, room.current.revision));
}

// Stores the choice over the answer of that revision; the next document shows after that.
async function keep(room, revision) {
  const { number, choice, saved, settles } = room.current;
  if (!saved || !isSame(choice, chosenIn(saved))) {
    const body = { document: number, coder: room.coder, acting: choice.acting, unclear: choice.unclear, revision };
    try {
      const { progress } = await order(settles ? "settle" : "answer", body);
      room.heard(progress);
    } catch (error) {
      if (error.status !== CONFLICT) return notSaved(error);
      const { answer, revision: present } = error.said;
      if (!answer || !isSame(chosenIn(answer), choice)) return conflict(room, answer, present);
    } // the same answer is there already: stored, but the server was lost before it could say so
    room.drafts.delete(number);
    room.stored(number);
  }
  return room.next(say("saved", { answer: inWords(choice, room.actors) }));
}

function notSaved(error) {
  complain(element("p", {}, element("strong", {}, say("not_saved")), " ", element("span", { lang: error.status ? "en" : null }, error.message)),
    say("kept_here"));
}

// Another tab, or another browser with the same name, has answered meanwhile.
function conflict(room, answer, revision) {
  const { number, choice, settles } = room.current;
  const theirs = answer ? inWords(chosenIn(answer), room.actors) : say("taken_back");
  complain(
    element("p", {}, element("strong", {}, say("not_saved")), " ",
      settles ? say("settled_elsewhere") : say("answered_elsewhere"), " ", say("there_and_here", { theirs, mine: inWords(choice, room.actors) })),
    element("div", { class: "row" },
      element("button", { type: "button", id: "take-mine", onclick: () => busy(() => keep(room, revision)) }, say("save_mine")),
      element("button", { type: "button", id: "take-theirs", onclick: () => busy(() => { room.drafts.delete(number); return room.show(); }) }, say("keep_theirs"))));
}

export function undo(room) {
  if (room.coder === null || room.current?.settles) return undefined;
  return busy(async () => {
    const { document: number, progress } = await order("undo", { coder: room.coder });
    room.drafts.delete(number);
    room.heard(progress);
    room.stored(number);
    await room.moveTo(`#document=${number}`);
    announce(say("undone", { answer: inWords(room.current.choice, room.actors) }));
  });
}
