"""What was drawn for each document and actor of a store, and what follows for counts that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from howsure.events.extraction.one_document import Bools
from howsure.events.periods import periods_of
from howsure.events.series.counts import compare_counts
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import columns_of, number_of_samples
from howsure.events.store.tables import as_bits, as_counts
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import poisson_binomial

SURE = 0.95
FEW = 10  # samples, as in footnote 11
Cell = tuple[str, str]  # actor, period


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pairs of a document and an actor with an event in some sample or in the 1-best clustering.

    documents, actors, periods (N,), probabilities (N,), samples (N, S), entities (N, S), best (N,).
    """

    documents: Integers
    actors: tuple[str, ...]
    periods: tuple[str, ...]
    probabilities: Floats
    samples: Bools
    entities: Integers
    best: Bools

    def cells(self) -> dict[Cell, Integers]:
        """The rows of every actor and period."""
        rows: dict[Cell, list[int]] = {}
        for row, key in enumerate(zip(self.actors, self.periods, strict=True)):
            rows.setdefault(key, []).append(row)
        return {key: np.array(found) for key, found in rows.items()}

    def most_frequent(self, n: int) -> list[str]:
        """The actors with the greatest expected counts."""
        expected: Counter[str] = Counter()
        for actor, p in zip(self.actors, self.probabilities.tolist(), strict=True):
            expected[actor] += p
        return [actor for actor, _ in expected.most_common(n)]


@dataclass(frozen=True, slots=True)
class Differences:
    """Counts of the 1-best that differ: how many do, how many of these the posterior leaves open, and the greatest."""

    different: int
    undecided: int
    example: str

    def __str__(self) -> str:
        share = f" ({100 * self.undecided / self.different:.0f} %)" if self.different else ""
        told = f"; {self.example}" if self.example else ""
        return f"of {self.different:,} differences of the 1-best counts, {self.undecided:,}{share} are open{told}"


@dataclass(frozen=True, slots=True)
class FewSamples:
    """Posterior means of 10 and of 100 samples, over the cells of actors and periods.

    correlation: of the means. difference: root mean square of their differences. sd: that of the posterior.
    """

    correlation: float
    difference: float
    sd: float


def drawn_from(store: EventStore, *, by: str) -> Drawn:
    """All that was drawn, in the order of the documents."""
    held = columns_of(
        store,
        "SELECT e.document, e.actor, CAST(d.date AS VARCHAR) AS date, e.probability, e.samples, e.entities, e.best "
        "FROM events e JOIN documents d USING (document) ORDER BY e.document, e.actor",
    )
    n = number_of_samples(store)
    return Drawn(
        documents=held["document"].astype(np.int64),
        actors=tuple(held["actor"].tolist()),
        periods=periods_of(held["date"].tolist(), period=by),
        probabilities=held["probability"].astype(np.float64),
        samples=as_bits(held["samples"], n),
        entities=as_counts(held["entities"], n).astype(np.int64),
        best=held["best"].astype(np.bool_),
    )


def changes(drawn: Drawn, periods: list[str], actors: list[str]) -> Differences:
    """From one period to the next: where the 1-best count of an actor changes, is it known in which direction?

    Periods have other documents, so that their counts are independent: P(n' > n) follows from both laws.
    """
    cells, told = drawn.cells(), []
    for actor in actors:
        for first, second in pairwise(periods):
            rows = [cells.get((actor, period), np.empty(0, dtype=np.int64)) for period in (first, second)]
            one, other = (int(drawn.best[row].sum()) for row in rows)
            if one != other:
                rising = probability_of_more(*(drawn.probabilities[row] for row in reversed(rows)))
                falling = probability_of_more(*(drawn.probabilities[row] for row in rows))
                sure = rising if other > one else falling
                told.append((sure, max(one, other), f"{actor} {first} {one}, {second} {other} (P = {sure:.2f})"))
    return _differences(told)


def contests(drawn: Drawn, actors: list[str]) -> Differences:
    """In one period: where one actor has the greater 1-best count, is it known that it has?

    Two actors share each document's samples, which are compared jointly.
    """
    cells, told = drawn.cells(), []
    for period in sorted(set(drawn.periods)):
        present = [actor for actor in actors if (actor, period) in cells]
        for first, second in combinations(present, 2):
            one, other = (int(drawn.best[cells[actor, period]].sum()) for actor in (first, second))
            if one == other:
                continue
            more, less = (first, second) if one > other else (second, first)
            documents = np.unique(drawn.documents[np.concatenate([cells[more, period], cells[less, period]])])
            sides = [_by_document(drawn, cells[actor, period], documents) for actor in (more, less)]
            sure = compare_counts(*sides).more
            told.append((sure, min(one, other), f"{more} {max(one, other)}, {less} {min(one, other)} in {period} "
                         f"(P = {sure:.2f})"))  # fmt: skip
    return _differences(told)


def probability_of_more(first: Floats, second: Floats) -> float:
    """P(n_1 > n_2) of two independent counts, from the probabilities of their documents.

    >>> probability_of_more(np.array([0.5]), np.array([0.5]))
    0.25
    """
    one, other = poisson_binomial(first).pmf, poisson_binomial(second).pmf
    below = np.concatenate([[0.0], np.cumsum(other)])
    return float(one @ below[np.minimum(np.arange(len(one)), len(other))])


def few_samples(drawn: Drawn) -> FewSamples:
    """How far the means of the first 10 samples are from those of all."""
    few, many, variance = [], [], []
    for rows in drawn.cells().values():
        few.append(float(drawn.samples[rows, :FEW].mean(axis=1).sum()))
        many.append(float(drawn.probabilities[rows].sum()))
        variance.append(float((drawn.probabilities[rows] * (1 - drawn.probabilities[rows])).sum()))
    gap = np.subtract(few, many)
    return FewSamples(correlation(few, many), float(np.sqrt((gap**2).mean())), float(np.sqrt(np.mean(variance))))


def entities_against_documents(drawn: Drawn) -> float:
    """The correlation of the expected numbers of entities and of documents over the cells."""
    cells = drawn.cells().values()
    entities = [float(drawn.entities[rows].mean(axis=1).sum()) for rows in cells]
    return correlation(entities, [float(drawn.probabilities[rows].sum()) for rows in cells])


def correlation(one: list[float], other: list[float]) -> float:
    """Pearson's, NaN where it is not defined."""
    if len(one) < 2 or np.std(one) == 0.0 or np.std(other) == 0.0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def _by_document(drawn: Drawn, rows: Integers, documents: Integers) -> Integers:
    """The samples of some rows, one row per document."""
    found = np.zeros((len(documents), drawn.samples.shape[1]), dtype=np.int64)
    found[np.searchsorted(documents, drawn.documents[rows])] = drawn.samples[rows]
    return found


def _differences(told: list[tuple[float, int, str]]) -> Differences:
    """Of (probability, size, words): the example is the greatest that is open."""
    undecided = [one for one in told if one[0] < SURE]
    example = max(undecided, key=lambda one: (one[1], -one[0]))[2] if undecided else ""
    return Differences(len(told), len(undecided), example)
