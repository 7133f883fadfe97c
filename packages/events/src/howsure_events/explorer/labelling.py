"""The labelling room of the page: documents to read, and the only addresses that write."""

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
    """A visitor used another visitor's name."""


class Room:
    """A store open for writing, whose page may write answers into it.

    assisted: whether coders see what the model found in the text. coders: those who answer by a link of their own, each
    only under that name; without any, one link is shared by all coders, who type their names. coordinator: the name
    under which the coordinator answers and settles; nobody else may use it. overlap: the share of the documents that
    all coders but the first read. token: required by every request that writes; only the page of the room has it.

    Raises InputError if a name is not valid or given twice, or the overlap is not a share.
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
        self.n_orders = 0  # carried out so far; earlier answers are outdated
        self._lock, self._is_closed = Lock(), False
        names = self._reserved()
        for at, name in enumerate(names):
            if any(is_same_coder(name, other) for other in names[:at]):
                raise InputError(f"each coder and the coordinator need different names; {name!r} is given twice.")
        query_rows(store, "SET GLOBAL enable_external_access = false")  # the store, and no other file

    def visitors(self) -> tuple[Visitor, ...]:
        """The people who get a link; this machine's browser opens the page of the first one."""
        coordinator = Visitor(coder=self.coordinator)
        if not self.coders:
            return ANY_CODER, coordinator
        return coordinator, *(Visitor(is_coordinator=False, coder=name) for name in self.coders)

    def name(self, visitor: Visitor, typed: str) -> str:
        """The coder for a name that a visitor typed, as spelled in the store.

        Raises InputError if the name is not valid, NotTheirsError if somebody else answers under it.
        """
        name = clean_coder_name(typed)
        if visitor.coder is not None and not is_same_coder(name, visitor.coder):
            raise NotTheirsError(f"this link answers as {visitor.coder}, not as {name}. Open the link of {name}.")
        if visitor.coder is None and any(is_same_coder(name, other) for other in self._reserved()):
            raise NotTheirsError(f"{name} answers by another link; open that one, or choose another name.")
        return coder_names(self.store).name(name)

    def _reserved(self) -> tuple[str, ...]:
        """Names that can be used only with their own link."""
        return (*self.coders, *([] if self.coordinator is None else [self.coordinator]))

    def progress(self, visitor: Visitor, coder: str) -> dict[str, Any]:
        """The progress of a coder; `open`: whether the visitor may see totals and the answers of others."""
        status = progress(self.store, coder, overlap=self.overlap)
        counts = {name: getattr(status, name) for name in ("documents", "answered", "with_event", "unclear")}
        return {**counts, **_time(status), "open": visitor.is_coordinator}

    def write(self, visitor: Visitor, act: Callable[..., Any], **ordered: Any) -> Any:
        """Execute the visitors' requests to write, one after another.

        Raises NotTheirsError if they do it under the name of another, HowsureError if the room is closed.
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
        """Wait until the current request is finished; no further one starts."""
        with self._lock:
            self._is_closed = True


# The body of a request that writes: a small JSON object; each field has a rule, and unknown fields are refused.

MAX_ACTORS = 1000
MAX_SHOWN = 60
NOBODY = "nobody yet"
Rule = Callable[[str, Any], Any]


def read_fields(body: bytes, fields: Mapping[str, Rule], *, address: str) -> dict[str, Any]:
    """All fields of a request body.

    Raises InputError if the body is not a JSON object, for an unknown or a missing field, or an invalid value.
    """
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


def whole_field(name: str, value: Any) -> int:
    """A whole number from 0."""
    if type(value) is not int or not 0 <= value <= MAX_NUMBER:
        _refuse(name, "a whole number from 0", value)
    return int(value)


def text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str) or not value.strip():
        _refuse(name, "a text, and not empty", value)
    return str(value)


def truth(name: str, value: Any) -> bool:
    """True or false."""
    if type(value) is not bool:
        _refuse(name, "true or false", value)
    return bool(value)


def codes(name: str, value: Any) -> list[str]:
    """A list of codes."""
    if not isinstance(value, list) or len(value) > MAX_ACTORS or not all(isinstance(code, str) for code in value):
        _refuse(name, f"a list of at most {MAX_ACTORS:,} codes", value)
    return list(value)


def _refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise InputError(f"{name} must be {rule}; it is {json.dumps(value)[:MAX_SHOWN]}.")


# What the labelling room asks of a store; every answer is plain values, ready to be sent as JSON.


def start(store: Store, *, room_: Room, visitor: Visitor) -> dict[str, Any]:
    """The question, the number of documents, the estimated reading time for a new coder, the visitor's name if known,
    and whether the visitor is the coordinator."""
    labelling, ahead = require_labelling(store), progress(store, visitor.coder or NOBODY, overlap=room_.overlap)
    counts = {"documents": ahead.documents, "drawn": len(reading_order(store))}
    about = {"coder": visitor.coder, "coordinator": visitor.is_coordinator}
    return {"question": labelling.question, **counts, **_time(ahead), **about}


def _time(progress: Progress) -> dict[str, Any]:
    """The time that a coder still needs, and what it is estimated from."""
    measures = {name: getattr(progress, name) for name in ("minutes", "words_left", "own_pace")}
    return {**measures, "words_a_minute": WORDS_A_MINUTE, "seconds": READING_SECONDS}


def coders(store: Store, *, room_: Room) -> dict[str, Any]:
    """The progress of each coder who has a link or has answered, for the coordinator."""
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
    """The question, the documents that a coder reads, in order, and which of them are answered."""
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
    """A drawn document and a coder's answer: only the text, or, in an assisted room, also the model's results.

    Raises InputError if the document was not drawn.
    """
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
    """Documents that coders answered differently, settled or not, with their answers, in the order of reading."""
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
    """Krippendorff's α over all pairs of a document and an actor; `documents` is 0 until two coders share one."""
    clear = Counter(answer.document for answer in current_answers(store) if not answer.unclear)
    if max(clear.values(), default=0) < 2:
        return {"documents": 0, "alpha": None, "low": None, "high": None, "why": None}
    total = measured(store).total
    reasons = {NO_VARIATION_NOTE: "alike", RARE_NOTE: "rare", SINGLE_DOCUMENT_NOTE: "single"}
    why = None if total.why is None else reasons[total.why]
    return {name: getattr(total, name) for name in ("documents", "alpha", "low", "high")} | {"why": why}


def present(store: Store, number: int, coder: str) -> dict[str, Any]:
    """A coder's current answer for a document, and its revision; the answer is None if there is none."""
    answers = [answer for answer in current_answers(store, document=number) if answer.coder == coder]
    return {"answer": plain(answers[0]) if answers else None, "revision": answer_revision(store, number, coder)}


def plain(answer: Answer) -> dict[str, Any]:
    """An answer as JSON."""
    acting: Sequence[str] = answer.acting
    return {"acting": list(acting), "unclear": answer.unclear}


# What the labelling room may have written: each order answers only when the store holds it.


@dataclass(frozen=True, slots=True)
class Order:
    """A request to write: the function, the fields of its body, and the query for the store's content in case of a
    conflict."""

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
    """Undo a coder's last answer; see `undo_answer`.

    Raises InputError if there is none.
    """
    number = undo_answer(store, coder)
    if number is None:
        raise InputError(f"{coder} has no answer left to undo.")
    return {"document": number, **present(store, number, coder)}


def settle(
    store: EventStore, document: int, coder: str, acting: Sequence[str], unclear: bool, revision: int
) -> dict[str, Any]:
    """Settle what coders answered differently; see `howsure_events.labels.answers.settle`."""
    return {"revision": settle_answer(store, document, acting, unclear=unclear, coder=coder, revision=revision)}


def _answered_state(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    return present(store, ordered["document"], coder_names(store).name(clean_coder_name(ordered["coder"])))


def _settled_state(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    number = ordered["document"]
    settlements = current_settlements(store, document=number)
    revision = answer_revision(store, number, "", settles=True)
    return {"answer": plain(settlements[0]) if settlements else None, "revision": revision}


ANSWER_FIELDS: Mapping[str, Rule] = {
    "document": whole_field,
    "coder": text,
    "acting": codes,
    "unclear": truth,
    "revision": whole_field,
}
ORDERS = {
    "answer": Order(answer, ANSWER_FIELDS, _answered_state),
    "undo": Order(undo, {"coder": text}, _answered_state),
    "settle": Order(settle, ANSWER_FIELDS, _settled_state),
}


# The addresses of the labelling room: questions, and orders that write.

MAX_BODY = 2**16  # bytes
SECONDS = 10.0  # for the whole of a body
NOT_JSON, TOO_LARGE, TOO_SLOW, CONFLICT = 415, 413, 408, 409
CODER = Parameter("coder", words)
NUMBER = Parameter("number", whole_number_reader(0, MAX_NUMBER))
SAMPLE = Parameter("sample", number_or_word_reader(BEST, high=MAX_NUMBER), BEST)


# Addresses for coders. All others, including those of the series, are for the coordinator: the model's events, the
# answers of others, and totals would influence a coder.
CODER_PATHS = (ROOM, *(f"/api/label/{name}" for name in ("start", "room", "document", "answer", "undo")))


def questions_of(room_: Room, page_questions: Mapping[str, Question]) -> Mapping[str, Question]:
    """The queries of the room and of the page, by the end of their addresses.

    Answers of the page depend on labels, too, so that every write outdates cached answers.
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


def room_orders(room_: Room) -> Mapping[str, Callable[[Request], Awaitable[Response]]]:
    """The handlers of the room's requests that write, by the end of their addresses."""
    return {f"label/{name}": _order_handler(room_, f"/api/label/{name}", order) for name, order in ORDERS.items()}


def _order_handler(room_: Room, address: str, order: Order) -> Callable[[Request], Awaitable[Response]]:
    """The handler of an address that writes; the visitor is checked before the body is read."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    def refused(status: int, message: str, **more: Any) -> Response:
        return JSONResponse({"error": message, **more}, status)

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
    """The body of a request; None if it is too long, of which no more is read than that."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return body
