"""How far a coder has come, and which document is next."""

from __future__ import annotations

from dataclasses import dataclass

from howsure.errors import InputError
from howsure.events.labels.answers import answers_of
from howsure.events.labels.labelling import asked_of
from howsure.events.store.reading import Store, rows_of


@dataclass(frozen=True, slots=True)
class Progress:
    """How many documents were drawn, and of these a coder answered, found unclear, and saw an actor act in.

    by_coder: how many each coder answered.
    """

    drawn: int
    answered: int
    unclear: int
    with_event: int
    by_coder: dict[str, int]


def reading_order(store: Store) -> list[int]:
    """The drawn documents in the order in which all coders read them: any first part of it is a fair sample too."""
    return [number for (number,) in rows_of(store, "SELECT document FROM label_sample ORDER BY position")]


def progress(store: Store, coder: str) -> Progress:
    """How far a coder has come.

    Raises InputError if no document was drawn.
    """
    asked_of(store)
    answers = answers_of(store)
    own = [one for one in answers if one.coder == coder]
    coders = sorted({one.coder for one in answers})
    return Progress(
        drawn=len(reading_order(store)),
        answered=len(own),
        unclear=sum(one.unclear for one in own),
        with_event=sum(bool(one.acting) for one in own),
        by_coder={name: sum(one.coder == name for one in answers) for name in coders},
    )


def next_document(store: Store, coder: str, after: int | None = None) -> int | None:
    """The first document without an answer by a coder, of those after `after` if there is one, else from the start.

    None if the coder answered all. Raises InputError if no document was drawn, or `after` was not.
    """
    asked_of(store)
    order = reading_order(store)
    if after is not None and after not in order:
        raise InputError(f"after must be a document that was drawn; it is {after}.")
    begin = 0 if after is None else order.index(after) + 1
    answered = {one.document for one in answers_of(store) if one.coder == coder}
    return next((number for number in [*order[begin:], *order[:begin]] if number not in answered), None)
