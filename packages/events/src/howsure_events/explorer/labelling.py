"""The labelling page ("room") of a store: documents for coders, and the only addresses that write to the store."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from howsure.errors import HowsureError, InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.numbers_and_names import unknown_name
from howsure_events.explorer.access import ANY_CODER, FORBIDDEN, ROOM, VISITOR, Visitor, forgery_reason, new_token
from howsure_events.explorer.queries import (
    BEST,
    MAX_NUMBER,
    Parameter,
    Question,
    Sample,
    document_view,
    number_or_word_reader,
    whole_number_reader,
    words,
)
from howsure_events.labels.agreement import NO_VARIATION_NOTE, RARE_NOTE, SINGLE_DOCUMENT_NOTE
from howsure_events.labels.agreement import agreement as measured
from howsure_events.labels.agreement import disagreements as differing
from howsure_events.labels.answers import (
    Answer,
    Conflict,
    answer_revision,
    current_answers,
    current_settlements,
    reading_order,
    record_answer,
    require_labelling,
    undo_answer,
)
from howsure_events.labels.answers import settle as settle_answer
from howsure_events.labels.coder_progress import OVERLAP, WORDS_A_MINUTE, Progress, documents_for, progress
from howsure_events.labels.coder_progress import SECONDS as READING_SECONDS
from howsure_events.labels.coders import clean_coder_name, coder_names, is_same_coder
from howsure_events.labels.totals_so_far import intervals
from howsure_events.series.files import openings
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import check_documents
from howsure_events.store.store_queries import Store, actor_title, query_rows

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


class NotTheirsError(HowsureError):
    """Error for a visitor who uses the name of another visitor."""


class Room:
    """A store that is open for writing, and the rules by which its labelling page writes answers.

    assisted: whether coders see what the model found in the text. coders: names of coders with a link of their own,
    who can answer only under this name; if empty, all coders share one link and type their names. coordinator: the
    name under which the coordinator answers and settles, which nobody else may use. overlap: the proportion of the
    documents that every coder but the first reads. token: a secret that every request to write must contain.

    Raises InputError if a name is invalid or given twice, or the overlap is not above 0 and at most 1.
    """

    def __init__(
        self,
        store: EventStore,
        *,
        assisted: bool = False,
        coders: Sequence[str] = (),
        coordinator: str | None = None,
        overlap: float = OVERLAP,
        token: str | None = None,
    ) -> None:
        self.store, self.assisted, self.token = store, assisted, token or new_token()
        self.coders = tuple(clean_coder_name(name) for name in coders)
        self.coordinator = None if coordinator is None else clean_coder_name(coordinator)
        self.overlap = overlap
        self.n_orders = 0  # requests to write so far; cached answers from before the last one are outdated
        self._lock, self._is_closed = Lock(), False
        names = self._reserved()
        for at, name in enumerate(names):
            if any(is_same_coder(name, other) for other in names[:at]):
                raise InputError(f"each coder and the coordinator need different names; {name!r} is given twice.")
        query_rows(store, "SET GLOBAL enable_external_access = false")  # DuckDB may access only the store's file

    def visitors(self) -> tuple[Visitor, ...]:
        """Return the visitors who get a link; this machine's browser opens the page as the first of them."""
        coordinator = Visitor(coder=self.coordinator)
        if not self.coders:
            return ANY_CODER, coordinator
        return coordinator, *(Visitor(is_coordinator=False, coder=name) for name in self.coders)

    def name(self, visitor: Visitor, typed: str) -> str:
        """Return the name of the coder that a visitor typed, with the spelling in the store.

        Raises InputError if the name is invalid; NotTheirsError if it belongs to another visitor.
        """
        name = clean_coder_name(typed)
        if visitor.coder is not None and not is_same_coder(name, visitor.coder):
            raise NotTheirsError(
                f"this link is for the answers of {visitor.coder}, not of {name}. Open the link of {name}."
            )
        if visitor.coder is None and any(is_same_coder(name, other) for other in self._reserved()):
            raise NotTheirsError(f"{name} has another link. Open that link, or choose another name.")
        return coder_names(self.store).name(name)

    def _reserved(self) -> tuple[str, ...]:
        """Return the names that can be used only with their own link."""
        return (*self.coders, *([] if self.coordinator is None else [self.coordinator]))

    def progress(self, visitor: Visitor, coder: str) -> dict[str, Any]:
        """Return the progress of a coder; `open` says whether the visitor may see totals and the answers of others."""
        status = progress(self.store, coder, overlap=self.overlap)
        counts = {name: getattr(status, name) for name in ("documents", "answered", "with_event", "unclear")}
        return {**counts, **_time(status), "open": visitor.is_coordinator}

    def write(self, visitor: Visitor, act: Callable[..., Any], **ordered: Any) -> Any:
        """Execute a visitor's request to write, after earlier requests have finished.

        Raises NotTheirsError if it is made under the name of another visitor, HowsureError if the room is closed.
        """
        with self._lock:
            if self._is_closed:
                raise HowsureError("the page is being closed.")
            coder = self.name(visitor, ordered["coder"])
            try:
                done = act(self.store, **{**ordered, "coder": coder})
            finally:
                self.n_orders += 1
            return {**done, "progress": self.progress(visitor, coder)}

    def close(self) -> None:
        """Wait until the current request to write is finished, and refuse further ones."""
        with self._lock:
            self._is_closed = True


MAX_ACTORS = 1000
MAX_SHOWN = 60
NOBODY = "nobody yet"
Rule = Callable[[str, Any], Any]  # checks the value of a named field, and returns it


def read_fields(body: bytes, fields: Mapping[str, Rule], *, address: str) -> dict[str, Any]:
    """Parse the body of a request to write, a JSON object, and return its fields."""
    try:
        body_fields = parsed_json(body)
    except ValueError:
        body_fields = None
    if not isinstance(body_fields, dict):
        raise InputError(f"the body must be a JSON object with the fields {', '.join(fields)}.")
    for name in body_fields:
        if name not in fields:
            raise unknown_name("field", name[:MAX_SHOWN], list(fields), place=address)
    for name in fields:
        if name not in body_fields:
            raise InputError(f"{name} must be given; it is missing.")
    return {name: rule(name, body_fields[name]) for name, rule in fields.items()}


def integer_field(name: str, value: Any) -> int:
    """Check and return a whole number of at least 0."""
    if type(value) is not int or not 0 <= value <= MAX_NUMBER:
        _refuse(name, "a whole number from 0", value)
    return int(value)


def text(name: str, value: Any) -> str:
    """Check and return a string that is not blank."""
    if not isinstance(value, str) or not value.strip():
        _refuse(name, "a text that is not empty", value)
    return str(value)


def truth(name: str, value: Any) -> bool:
    """Check and return True or False."""
    if type(value) is not bool:
        _refuse(name, "true or false", value)
    return bool(value)


def codes(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_ACTORS or not all(isinstance(code, str) for code in value):
        _refuse(name, f"a list of at most {MAX_ACTORS:,} codes", value)
    return list(value)


def _refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise InputError(f"{name} must be {rule}; it is {json.dumps(value)[:MAX_SHOWN]}.")


# The queries of the labelling page to a store; answers are plain values for JSON.


def start(store: Store, *, room_: Room, visitor: Visitor) -> dict[str, Any]:
    """Return the facts for the start page: the question, the numbers of documents, the time they take, and the visitor.

    The number of documents and the time are those of the visitor's coder, or of a new coder if the link has no name.
    """
    labelling, ahead = require_labelling(store), progress(store, visitor.coder or NOBODY, overlap=room_.overlap)
    counts = {"documents": ahead.documents, "drawn": len(reading_order(store))}
    about = {"coder": visitor.coder, "coordinator": visitor.is_coordinator}
    return {"question": labelling.question, **counts, **_time(ahead), **about}


def _time(progress: Progress) -> dict[str, Any]:
    """Return the time that a coder still needs, and the basis of this estimate."""
    measures = {name: getattr(progress, name) for name in ("minutes", "words_left", "own_pace")}
    return {**measures, "words_a_minute": WORDS_A_MINUTE, "seconds": READING_SECONDS}


def coders(store: Store, *, room_: Room) -> dict[str, Any]:
    """Return, for the coordinator, the progress of each coder who has a link or has answered."""
    names = dict.fromkeys([*room_.coders, *(answer.coder for answer in current_answers(store))])
    progress_of = {name: progress(store, name, overlap=room_.overlap) for name in names}
    rows = [
        {
            "coder": name,
            **{field: getattr(status, field) for field in ("documents", "answered", "with_event", "unclear")},
            **_time(status),
        }
        for name, status in progress_of.items()
    ]
    labelled = len({answer.document for answer in current_answers(store)})
    return {"coders": rows, "drawn": len(reading_order(store)), "labelled": labelled}


def room(store: Store, coder: str, *, room_: Room, visitor: Visitor) -> dict[str, Any]:
    """Return the question, the documents that a coder reads, in order, and which of them are answered."""
    labelling, name = require_labelling(store), room_.name(visitor, coder)
    return {
        "question": labelling.question,
        "coder": name,
        "actors": [{"code": code, "title": actor_title(store, code)} for code in labelling.actors],
        "documents": documents_for(store, name, overlap=room_.overlap),
        "drawn": len(reading_order(store)),
        "answered": [answer.document for answer in current_answers(store) if answer.coder == name],
        "progress": room_.progress(visitor, name),
    }


def document(
    store: Store, number: int, *, coder: str, room_: Room, visitor: Visitor, sample: Sample = BEST
) -> dict[str, Any]:
    """Return a drawn document and a coder's answer: the text and, in an assisted room, also the model's results."""
    name = room_.name(visitor, coder)
    if number not in reading_order(store):
        raise InputError(f"number must be the number of a document drawn for labelling; {number} was not drawn.")
    check_documents(store, [number], tables=["sentences"])
    identifier, date, title = query_rows(store, "SELECT id, date, title FROM documents WHERE document = $n", n=number)[
        0
    ]
    words = query_rows(store, "SELECT words, spaces FROM sentences WHERE document = $n ORDER BY sentence", n=number)
    return {
        "document": number,
        "id": identifier,
        "date": date.isoformat(),
        "title": title,
        "sentences": [{"words": sentence, "spaces": spaces} for sentence, spaces in words],
        **present(store, number, name),
        "view": document_view(store, number, sample=sample) if room_.assisted else None,
    }


def disagreements(store: Store) -> list[dict[str, Any]]:
    """Return documents with different answers, settled or not, and these answers, in reading order."""
    disagreeing = differing(store)
    named = "SELECT document, id, title FROM documents WHERE document IN (SELECT unnest($wanted))"
    names = {
        number: details
        for number, *details in query_rows(store, named, wanted=[document.document for document in disagreeing])
    }
    first_words = openings(store, [number for number, (_, title) in names.items() if not title])
    return [
        {
            "document": document.document,
            "opening": first_words.get(document.document),
            "id": names[document.document][0],
            "title": names[document.document][1],
            "answers": [{"coder": answer.coder, **plain(answer)} for answer in document.answers],
            "answer": None if document.settled is None else plain(document.settled),
            "revision": answer_revision(store, document.document, "", settles=True),
        }
        for document in disagreeing
    ]


def agreement(store: Store) -> dict[str, Any]:
    """Return Krippendorff's α over all (document, actor) pairs; `documents` is 0 if no two coders share a document."""
    clear = Counter(answer.document for answer in current_answers(store) if not answer.unclear)
    if max(clear.values(), default=0) < 2:
        return {"documents": 0, "alpha": None, "low": None, "high": None, "why": None}
    total = measured(store).total
    reasons = {NO_VARIATION_NOTE: "alike", RARE_NOTE: "rare", SINGLE_DOCUMENT_NOTE: "single"}
    why = None if total.why is None else reasons[total.why]
    return {name: getattr(total, name) for name in ("documents", "alpha", "low", "high")} | {"why": why}


def present(store: Store, number: int, coder: str) -> dict[str, Any]:
    """Return a coder's current answer to a document (None if there is none), and its revision."""
    answers = [answer for answer in current_answers(store, document=number) if answer.coder == coder]
    return {"answer": plain(answers[0]) if answers else None, "revision": answer_revision(store, number, coder)}


def plain(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values for JSON."""
    acting: Sequence[str] = answer.acting
    return {"acting": list(acting), "unclear": answer.unclear}


# The requests by which the labelling page writes to the store; the response is sent after the store was written.


@dataclass(frozen=True, slots=True)
class Order:
    """A kind of request to write: the function that writes (act), the fields of its body, and a query (present).

    After a conflict, `present` returns the answer that is in the store.
    """

    act: Callable[..., dict[str, Any]]
    fields: Mapping[str, Rule]
    present: Callable[[EventStore, Mapping[str, Any]], dict[str, Any]]


def answer(
    store: EventStore, document: int, coder: str, acting: Sequence[str], unclear: bool, revision: int
) -> dict[str, Any]:
    """Store an answer; see `record_answer`."""
    revision = record_answer(store, document, coder, acting=acting, unclear=unclear, revision=revision)
    return {"revision": revision}


def undo(store: EventStore, coder: str) -> dict[str, Any]:
    """Undo a coder's last answer; see `undo_answer`."""
    number = undo_answer(store, coder)
    if number is None:
        raise InputError(f"{coder} has no answer left to undo.")
    return {"document": number, **present(store, number, coder)}


def settle(
    store: EventStore, document: int, coder: str, acting: Sequence[str], unclear: bool, revision: int
) -> dict[str, Any]:
    """Store the answer that settles a document with different answers; see `howsure_events.labels.answers.settle`."""
    return {"revision": settle_answer(store, document, acting, unclear=unclear, coder=coder, revision=revision)}


def _answered_state(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    return present(store, ordered["document"], coder_names(store).name(clean_coder_name(ordered["coder"])))


def _settled_state(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    number = ordered["document"]
    settlements = current_settlements(store, document=number)
    revision = answer_revision(store, number, "", settles=True)
    return {"answer": plain(settlements[0]) if settlements else None, "revision": revision}


ANSWER_FIELDS: Mapping[str, Rule] = {
    "document": integer_field,
    "coder": text,
    "acting": codes,
    "unclear": truth,
    "revision": integer_field,
}
ORDERS = {
    "answer": Order(answer, ANSWER_FIELDS, _answered_state),
    "undo": Order(undo, {"coder": text}, _answered_state),
    "settle": Order(settle, ANSWER_FIELDS, _settled_state),
}


MAX_BODY = 2**16  # bytes
SECONDS = 10.0  # within which a body must arrive
NOT_JSON, TOO_LARGE, TOO_SLOW, CONFLICT = 415, 413, 408, 409
CODER = Parameter("coder", words)
NUMBER = Parameter("number", whole_number_reader(0, MAX_NUMBER))
SAMPLE = Parameter("sample", number_or_word_reader(BEST, high=MAX_NUMBER), BEST)


# Addresses for coders. All other addresses are only for the coordinator, because the model's events, the answers of
# others, and totals could influence a coder.
CODER_PATHS = (ROOM, *(f"/api/label/{name}" for name in ("start", "room", "document", "answer", "undo")))


def questions_of(room_: Room, page_questions: Mapping[str, Question]) -> Mapping[str, Question]:
    """Return the queries of the labelling page and of the explorer, by the last part of their URL.

    All answers depend on labels, so cached answers are valid only until the next write request (`n_orders`).
    """
    room_questions = {
        "start": Question(partial(start, room_=room_), for_visitor=True),
        "room": Question(partial(room, room_=room_), (CODER,), for_visitor=True),
        "document": Question(partial(document, room_=room_), (NUMBER, CODER, SAMPLE), for_visitor=True),
        "coders": Question(partial(coders, room_=room_)),
        "disagreements": Question(disagreements),
        "agreement": Question(agreement),
        "intervals": Question(intervals),
    }
    questions = {**page_questions, **{f"label/{name}": question for name, question in room_questions.items()}}
    return {name: replace(question, state=lambda: room_.n_orders) for name, question in questions.items()}


def room_orders(room_: Room, say: Callable[[str], str] = str) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
    """Return the handlers of the requests that write, by the end of their addresses; `say` translates errors."""
    return {f"label/{name}": _order_handler(room_, f"/api/label/{name}", order, say) for name, order in ORDERS.items()}


def _order_handler(
    room_: Room, address: str, order: Order, say: Callable[[str], str]
) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of an address for changes, which checks a request's origin before it reads the body."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    def refused(status: int, message: str, **more: Any) -> Response:
        return JSONResponse({"error": say(message), **more}, status)

    async def carry_out(request: Request) -> Response:
        why = forgery_reason(request.headers, token=room_.token)
        if why is not None:
            return refused(FORBIDDEN, why)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refused(NOT_JSON, "the body must be JSON, with the content type application/json.")
        try:
            body = await asyncio.wait_for(_body(request), SECONDS)
        except TimeoutError:
            return refused(TOO_SLOW, f"the body must arrive within {SECONDS:g} seconds.")
        if body is None:
            return refused(TOO_LARGE, f"the body must have at most {MAX_BODY:,} bytes.")
        try:
            ordered = read_fields(body, order.fields, address=address)
            return JSONResponse(await run_in_threadpool(room_.write, request.scope[VISITOR], order.act, **ordered))
        except Conflict as error:
            return refused(CONFLICT, str(error), **await run_in_threadpool(order.present, room_.store, ordered))
        except NotTheirsError as error:
            return refused(FORBIDDEN, str(error))
        except InputError as error:
            return refused(400, str(error))
        except HowsureError as error:
            return refused(503, str(error))

    return carry_out


async def _body(request: Request) -> bytes | None:
    """Read the body of a request; return None, and stop reading, if it is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return body
