"""The question that coders answer about drawn documents, their answers, and the labels settled from them."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from howsure.errors import HowsureError, InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.numbers_and_names import check_integer, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure_events.labels.coders import clean_coder_name, coder_names
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import DamagedStoreError
from howsure_events.store.store_queries import REMEDY, Store, query_rows

FIRST_DRAW = "draw documents first: howsure events label"
LISTS, TEXTS = ("actors",), ("question", "design", "period")


@dataclass(frozen=True, slots=True)
class Labelling:
    """The question to coders, the actors it asks about, and the settings of each draw of documents.

    actors: codes, in the order of their keys on the labelling page. design: "stratified"; "simple", a simple random
    sample; "census", all documents; "chances", imported labels with inclusion probabilities.
    """

    question: str
    actors: tuple[str, ...]
    design: str
    period: str
    draws: tuple[Mapping[str, Any], ...]


def find_labelling(store: Store) -> Labelling | None:
    """Return the question, actors, design and period of a store's first draw, and the settings of all draws; None if
    there are no draws. A draw is a random sample of documents to label.
    """
    rows = query_rows(store, "SELECT settings FROM label_draw ORDER BY draw")
    draws = [_read(text, store) for (text,) in rows]
    if not draws:
        return None
    first = draws[0]
    return Labelling(first["question"], tuple(first["actors"]), first["design"], first["period"], tuple(draws))


def require_labelling(store: Store) -> Labelling:
    """Return the question and the draws of a store."""
    labelling = find_labelling(store)
    if labelling is None:
        raise InputError(f"{store.path} has no labels; {FIRST_DRAW} {store.path}.")
    return labelling


def _read(text: str, store: Store) -> dict[str, Any]:
    try:
        content = parsed_json(text)
        lists = all(isinstance(item, str) for name in LISTS for item in [*content[name]])
        if lists and content["actors"] and all(isinstance(content[name], str) for name in TEXTS):
            return dict(content)
    except (KeyError, TypeError, ValueError):
        pass
    raise DamagedStoreError(f"{store.path} is damaged: the settings of a draw in the table label_draw. {REMEDY}.")


# Answers of coders: `record_answer` returns when the answer is on disk, and never overwrites an answer that the coder
# has not seen.

LATEST = """
    SELECT document, coder, acting, unclear, revision, given FROM answers WHERE settles = $settles
    QUALIFY row_number() OVER (PARTITION BY document, {by} ORDER BY entry DESC) = 1
    ORDER BY document, entry"""
ONE = """
    SELECT entry, coder, acting, unclear, revision, given FROM answers
    WHERE document = $document AND settles = $settles AND ($settles OR coder IN (SELECT unnest($coders)))
    ORDER BY entry DESC LIMIT 1"""
TO_UNDO = """
    SELECT entry, document, coder FROM answers
    WHERE coder IN (SELECT unnest($coders)) AND NOT settles AND undoes IS NULL
    AND entry NOT IN (SELECT undoes FROM answers WHERE undoes IS NOT NULL) ORDER BY entry DESC LIMIT 1"""
BEFORE = """
    SELECT acting, unclear FROM answers WHERE document = $document AND coder = $coder AND NOT settles
    AND entry < $entry ORDER BY entry DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A coder's answer to a document: the codes of the acting actors, or `unclear`; `at` is the time in UTC.

    revision: number of answers and undo steps of the coder for this document so far.
    """

    document: int
    coder: str
    acting: tuple[str, ...]
    unclear: bool
    revision: int
    at: datetime.datetime


class Conflict(HowsureError):
    """Error if an answer changed after the coder saw it: `answer` is the current one, which was not overwritten."""

    def __init__(self, answer: Answer, seen_revision: int) -> None:
        self.answer = answer
        super().__init__(
            f"document {answer.document} has a newer answer by {answer.coder}, revision {answer.revision} of "
            f"{answer.at:%H:%M:%S} UTC; you saw revision {seen_revision}. The newer answer was not overwritten: load "
            "it and change it."
        )


def record_answer(
    store: EventStore, document: int, coder: str, *, acting: Sequence[str], unclear: bool = False, revision: int
) -> int:
    """Store a coder's answer to a drawn document on disk, and return its revision.

    acting: codes of the actors that act, none of them or all. unclear: the text does not say; acting is empty then.
    revision: the revision of the answer that the coder saw; 0 if there was none.

    Raises Conflict if that answer has changed since; InputError if the document was not drawn, the question does not
    ask about an actor, or the coder has no name; StoreError if the store cannot be written.
    """
    return _record(store, document, coder, acting=acting, unclear=unclear, revision=revision, settles=False)


def settle(
    store: EventStore, document: int, acting: Sequence[str], *, unclear: bool = False, coder: str, revision: int = 0
) -> int:
    """Store an answer that settles a document with different answers, and return its revision.

    coder: the person who settles the document. revision: the revision of the latest settlement seen, by any coder; 0 if
    there was none. The other parameters and the errors are those of `record_answer`.

    Also raises InputError if no two answers to the document differ.
    """
    return _record(store, document, coder, acting=acting, unclear=unclear, revision=revision, settles=True)


def undo_answer(store: EventStore, coder: str) -> int | None:
    """Undo a coder's last answer and restore the previous one for that document; repeated calls go back further.

    Returns the number of the document; None if no answer is left to undo.
    """
    require_labelling(store)
    coders = list(coder_names(store).of(clean_coder_name(coder)))
    with store.transaction() as connection:
        last_entry = connection.execute(TO_UNDO, {"coders": coders}).fetchone()
        if last_entry is None:
            return None
        entry, document, spelling = last_entry
        before = connection.execute(BEFORE, {"document": document, "coder": spelling, "entry": entry}).fetchone()
        acting, unclear = before or (None, False)
        latest = connection.execute(ONE, {"document": document, "coders": coders, "settles": False}).fetchone()
        assert latest is not None
        _insert(connection, document, spelling, False, acting, unclear, latest[4] + 1, entry)
    return int(document)


def current_answers(store: Store, *, document: int | None = None) -> list[Answer]:
    """Return the current answers of all coders, ordered by document and time, without undone answers.

    document: return only the answers to this document.
    """
    return _latest(store, document, settles=False)


def current_settlements(store: Store, *, document: int | None = None) -> list[Answer]:
    """Return the settlements of different answers, one per document; `coder` is the person who settled it."""
    return _latest(store, document, settles=True)


def answer_revision(store: Store, document: int, coder: str, *, settles: bool = False) -> int:
    """Return the revision of a coder's answer to a document, even if it was undone; 0 if there was none.

    settles: return the revision of the document's settlement instead, by any coder.
    """
    coders = [] if settles else list(coder_names(store).of(coder))
    rows = query_rows(store, ONE, document=document, coders=coders, settles=settles)
    return int(rows[0][4]) if rows else 0


def _latest(store: Store, document: int | None, *, settles: bool) -> list[Answer]:
    query = LATEST.format(by="true" if settles else "coder")
    if document is not None:
        query = query.replace("WHERE", "WHERE document = $document AND", 1)
    parameters = {} if document is None else {"document": document}
    coders, present = coder_names(store), dict[tuple[int, str], Answer]()
    for number, spelling, acting, unclear, revision, at in query_rows(store, query, settles=settles, **parameters):
        if acting is not None:
            coder = coders.name(spelling)
            present.pop((number, coder), None)  # an earlier answer of the same person under another spelling
            present[number, coder] = Answer(number, coder, tuple(acting), unclear, revision, at)
    return list(present.values())


def _record(
    store: EventStore, document: int, coder: str, *, acting: Sequence[str], unclear: bool, revision: int, settles: bool
) -> int:
    coders, codes = coder_names(store).of(clean_coder_name(coder)), _ordered_codes(store, acting)
    who = coders[0]
    seen_revision = check_integer(revision, name="revision", least=0)
    if unclear and codes:
        raise InputError(f"acting must be empty if unclear is true; it is {list(codes)}.")
    with store.transaction() as connection:
        drawn = "SELECT count(*) FROM label_sample WHERE document = $document"
        if not _single_number(connection.execute(drawn, {"document": document})):
            raise InputError(f"document {document} was not drawn for labelling; only drawn documents can be labelled.")
        about = {"document": document, "coders": list(coders), "settles": settles}
        latest = connection.execute(ONE, about).fetchone()
        present = 0 if latest is None else int(latest[4])
        if latest is None and present != seen_revision:
            raise InputError(
                f"revision must be 0 for document {document}, which {who} has not answered; it is {seen_revision}."
            )
        if latest is not None and present != seen_revision:
            raise Conflict(Answer(document, latest[1], tuple(latest[2] or ()), *latest[3:6]), seen_revision)
        if settles and latest is None and not differ(answers_given := current_answers(store, document=document)):
            raise InputError(
                f"document {document} has {counted(len(answers_given), 'answer')} and none that differ, so nothing "
                "needs to be settled. Answer it instead."
            )
        _insert(connection, document, who, settles, list(codes), unclear, present + 1, None)
    return present + 1


def _ordered_codes(store: EventStore, acting: Sequence[str]) -> tuple[str, ...]:
    """Check codes of actors, and return them without repetition in the order of the question."""
    asked_actors = require_labelling(store).actors
    if isinstance(acting, str) or not isinstance(acting, (list, tuple)):
        raise InputError(f"acting must be a list of codes, such as {list(asked_actors[:2])}; it is {acting!r}.")
    for code in acting:
        if code not in asked_actors:
            raise unknown_name("actor", str(code), asked_actors, place="the question")
    return tuple(code for code in asked_actors if code in acting)


def _insert(
    connection: duckdb.DuckDBPyConnection,
    document: int,
    coder: str,
    settles: bool,
    acting: list[str] | None,
    unclear: bool,
    revision: int,
    undoes: int | None,
) -> None:
    entry = _single_number(connection.execute("SELECT coalesce(max(entry), 0) + 1 FROM answers"))
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    values = [entry, document, coder, settles, acting, unclear, revision, undoes, now]
    connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def _single_number(answer: duckdb.DuckDBPyConnection) -> int:
    row = answer.fetchone()
    assert row is not None
    return int(row[0])


def reading_order(store: Store) -> list[int]:
    """Return the drawn documents in the order in which all coders read them.

    For every k, the first k documents of this order are a random sample too.
    """
    return [number for (number,) in query_rows(store, "SELECT document FROM label_sample ORDER BY position")]


# Settled labels: one label per read document and asked actor, from the answers of all coders.

CHANCES = "chances"  # the design of imported labels that have inclusion probabilities instead of strata


@dataclass(frozen=True, slots=True)
class SettledLabels:
    """One label per answered document and actor.

    documents (n,): numbers of the documents with an answer, ascending. labels (n, actors): 1.0 if the actor acts in the
    document, 0.0 if not, NaN if an answer is unclear or the coders disagree and nobody settled it. strata: the stratum
    of every stored document, by its number; empty for the design "chances". inclusion (n,): the probability with which
    each document was drawn. drawn: number of drawn documents, answered or not. unclear: number of `documents` with only
    unclear answers; unsettled: number with different answers and no settlement. merged_coders: all spellings of each
    coder who has several.
    """

    question: str
    actors: tuple[str, ...]
    design: str
    documents: Integers
    labels: Floats
    strata: Mapping[int, str]
    inclusion: Floats
    coders: tuple[str, ...]
    drawn: int
    unclear: int
    unsettled: int
    merged_coders: tuple[tuple[str, ...], ...] = ()


def settled_labels(store: Store) -> SettledLabels | None:
    """Return the settled labels of a store; None if no document was drawn for labelling.

    If a document has a settlement (`settle`), the settlement gives its labels. Otherwise, an actor has a label if all
    coders of the document give the same answer about this actor.
    """
    labelling = find_labelling(store)
    if labelling is None:
        return None
    settled = {settlement.document: settlement for settlement in current_settlements(store)}
    by_document: dict[int, list[Answer]] = defaultdict(list)
    for coder_answer in current_answers(store):
        by_document[coder_answer.document].append(coder_answer)
    documents = sorted({*by_document, *settled})
    answers_used = [[settled[document]] if document in settled else by_document[document] for document in documents]
    labels = np.array([labels_by(labelling.actors, answers) for answers in answers_used]).reshape(
        len(answers_used), len(labelling.actors)
    )
    chances = dict(query_rows(store, "SELECT document, inclusion FROM label_sample"))
    coders = sorted({answer.coder for answers in by_document.values() for answer in answers})
    return SettledLabels(
        question=labelling.question,
        actors=labelling.actors,
        design=labelling.design,
        documents=np.array(documents, dtype=np.int64),
        labels=labels,
        strata=dict(query_rows(store, "SELECT document, stratum FROM label_strata ORDER BY document")),
        inclusion=np.array([chances[document] for document in documents], dtype=np.float64),
        coders=tuple(coders),
        drawn=len(chances),
        unclear=sum(all(answer.unclear for answer in answers) for answers in answers_used),
        unsettled=sum(differ(answers) for answers in answers_used),
        merged_coders=coder_names(store).merged,
    )


def labels_by(actors: Sequence[str], answers: Sequence[Answer]) -> list[float]:
    """Return the label of each actor in a document, 1 or 0; NaN if any answer is unclear or the answers differ."""
    if any(answer.unclear for answer in answers):
        return [np.nan] * len(actors)
    values_by_actor = [{actor in answer.acting for answer in answers} for actor in actors]
    return [float(values.pop()) if len(values) == 1 else np.nan for values in values_by_actor]


def differ(answers: Sequence[Answer]) -> bool:
    """Whether some of the answers to a document are different."""
    return len({(frozenset(answer.acting), answer.unclear) for answer in answers}) > 1
