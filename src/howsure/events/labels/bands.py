"""The bands and periods of a store's documents, within which documents are drawn to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.counts.label_sample import PER_STRATUM
from howsure.counts.strata import bands_of
from howsure.errors import InputError
from howsure.events.periods import period_of
from howsure.events.rules.event_words import event_words
from howsure.events.store.reading import Store, rows_of
from howsure.inputs.pairs import Floats, Integers

HIGH, LOW, WORD, SILENT = "found, p ≥ 0.5", "found, p < 0.5", "event word only", "no event word"
NOT_FOUND = "not found"  # where the rule has no words
LENGTHS = ("week", "month", "quarter", "year", "none")  # of periods, from short to long
Scores = Mapping[tuple[int, str], float]  # by document and actor
DATED = """
    SELECT d.document, d.date, coalesce(e.p, 0) FROM documents d
    LEFT JOIN (SELECT document, max(probability) AS p FROM events WHERE actor IN (SELECT unnest($actors))
               GROUP BY document) e USING (document)
    ORDER BY d.document"""


@dataclass(frozen=True, slots=True)
class Strata:
    """The documents (N,) of a store, the highest score of the actors asked in each, and its stratum.

    by: the length of the periods that divide the bands; "none" if nothing does.
    """

    documents: Integers
    score: Floats
    codes: Integers
    names: tuple[str, ...]
    by: str

    @property
    def sizes(self) -> Integers:
        """How many documents each stratum has."""
        return np.bincount(self.codes, minlength=len(self.names))


def strata_of(store: Store, actors: Sequence[str], *, by: str, n: int, scores: Scores | None = None) -> Strata:
    """Strata by band and period, with periods so long that n documents give 5 a stratum on average.

    Bands: an actor asked is found with p of at least 1/2, or with less; a word of the rule occurs without one found;
    nothing of it. Given `scores` from elsewhere, bands of these.

    Raises InputError if the store holds no document.
    """
    rows = rows_of(store, DATED, actors=list(actors))
    if not rows:
        raise InputError(f"{store.path} holds no document to read.")
    numbers, dates, found = zip(*rows, strict=True)
    documents, score = np.array(numbers, dtype=np.int64), np.array(found, dtype=np.float64)
    if scores is None:
        bands = _bands(score, documents, documents_with_words(store))
    else:
        score = np.array([max(scores.get((one, actor), 0.0) for actor in actors) for one in numbers])
        codes, names = bands_of(score)
        bands = [names[code] for code in codes]
    for length in LENGTHS[LENGTHS.index(by) :]:
        labels = bands if length == "none" else [f"{band}, {period_of(day, by=length)}"
                                                 for band, day in zip(bands, dates, strict=True)]  # fmt: skip
        known = sorted(set(labels))
        if len(known) * PER_STRATUM <= n or length == "none":
            break
    place = {name: code for code, name in enumerate(known)}
    return Strata(documents, score, np.array([place[one] for one in labels], dtype=np.int64), tuple(known), length)


def documents_with_words(store: Store) -> set[int] | None:
    """The documents in which a word of the store's rule occurs; None if it has no words."""
    found = event_words(store)
    return None if found is None else set(found["document"].tolist())


def _bands(score: Floats, documents: Integers, with_words: set[int] | None) -> list[str]:
    if with_words is None:
        named = [NOT_FOUND] * len(documents)
    else:
        named = [WORD if one in with_words else SILENT for one in documents.tolist()]
    return [HIGH if p >= 0.5 else LOW if p > 0 else rest for p, rest in zip(score.tolist(), named, strict=True)]
