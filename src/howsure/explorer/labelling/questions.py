"""What the labelling room asks of a store; every answer is plain values, ready to be sent as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.agreement import agreement as measured
from howsure.events.labels.answers import Answer, answers_of, coder_named, revision_of
from howsure.events.labels.disagreements import disagreements as differing
from howsure.events.labels.labelling import asked_of
from howsure.events.labels.progress import progress, reading_order
from howsure.events.store.reading import Store, rows_of, title_of
from howsure.events.store.refusals import check_documents
from howsure.explorer.document_view import Sample, document_view


def room(store: Store, coder: str) -> dict[str, Any]:
    """What is asked, the drawn documents in the order of reading, and which of them a coder has answered."""
    asked, name = asked_of(store), coder_named(coder)
    return {
        "question": asked.question,
        "coder": name,
        "actors": [{"code": code, "title": title_of(store, code)} for code in asked.actors],
        "documents": reading_order(store),
        "answered": [one.document for one in answers_of(store) if one.coder == name],
        "progress": progress_of(store, name),
    }


def document(store: Store, number: int, *, coder: str, assisted: bool = False, sample: Sample = None) -> dict[str, Any]:
    """A drawn document, and what a coder answered: its words alone, or also what the model found if `assisted`.

    Raises InputError if the document was not drawn.
    """
    name = coder_named(coder)
    if number not in reading_order(store):
        raise InputError(f"number must be that of a document drawn for labelling; {number} was not.")
    check_documents(store, [number], tables=["sentences"])
    known, date, title = rows_of(store, "SELECT id, date, title FROM documents WHERE document = $n", n=number)[0]
    words = rows_of(store, "SELECT words, spaces FROM sentences WHERE document = $n ORDER BY sentence", n=number)
    return {
        "document": number,
        "id": known,
        "date": date.isoformat(),
        "title": title,
        "sentences": [{"words": one, "spaces": spaces} for one, spaces in words],
        **present(store, number, name),
        "view": document_view(store, number, sample=sample) if assisted else None,
    }


def disagreements(store: Store) -> list[dict[str, Any]]:
    """Documents that coders answered differently, settled or not, with their answers, in the order of reading."""
    found = differing(store)
    named = "SELECT document, id, title FROM documents WHERE document IN (SELECT unnest($wanted))"
    names = {number: told for number, *told in rows_of(store, named, wanted=[one.document for one in found])}
    return [
        {
            "document": one.document,
            "id": names[one.document][0],
            "title": names[one.document][1],
            "answers": [{"coder": answer.coder, **plain(answer)} for answer in one.answers],
            "answer": None if one.settled is None else plain(one.settled),
            "revision": revision_of(store, one.document, "", settles=True),
        }
        for one in found
    ]


def agreement(store: Store) -> dict[str, Any]:
    """How far the coders agree on all pairs of a document and an actor; `documents` is 0 while nobody could differ."""
    clear = Counter(one.document for one in answers_of(store) if not one.unclear)
    if max(clear.values(), default=0) < 2:
        return {"documents": 0, "alpha": None, "low": None, "high": None, "why": None}
    total = measured(store).total
    return {name: getattr(total, name) for name in ("documents", "alpha", "low", "high", "why")}


def present(store: Store, number: int, coder: str) -> dict[str, Any]:
    """What a coder answers of a document by now, and its revision; the answer is None if there is none."""
    own = [one for one in answers_of(store, document=number) if one.coder == coder]
    return {"answer": plain(own[0]) if own else None, "revision": revision_of(store, number, coder)}


def progress_of(store: Store, coder: str) -> dict[str, Any]:
    """How far a coder has come."""
    so_far = progress(store, coder)
    return {
        "documents": so_far.drawn,
        "answered": so_far.answered,
        "with_event": so_far.with_event,
        "unclear": so_far.unclear,
    }


def plain(answer: Answer) -> dict[str, Any]:
    """What an answer says."""
    acting: Sequence[str] = answer.acting
    return {"acting": list(acting), "unclear": answer.unclear}
