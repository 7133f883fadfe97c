"""Documents that coders answered differently, with the answers side by side."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from howsure.events.labels.answers import Answer, answers_of, settlements_of
from howsure.events.labels.labelling import asked_of
from howsure.events.labels.progress import reading_order
from howsure.events.labels.settled import differ
from howsure.events.store.reading import Store


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A document with differing answers, and what settled it, if anybody did."""

    document: int
    answers: tuple[Answer, ...]
    settled: Answer | None


def disagreements(store: Store) -> list[Disagreement]:
    """The documents that coders answered differently, settled or not, in the order in which they are read.

    Where coders changed their answers since and agree now, on something else than what was settled, it is one still.

    Raises InputError if no document was drawn.
    """
    asked_of(store)
    settled = {one.document: one for one in settlements_of(store)}
    held: dict[int, list[Answer]] = defaultdict(list)
    for one in answers_of(store):
        held[one.document].append(one)
    for number, one in settled.items():
        held[number].append(one)
    return [
        Disagreement(number, tuple(one for one in held[number] if one is not settled.get(number)), settled.get(number))
        for number in reading_order(store)
        if differ(held[number])
    ]
