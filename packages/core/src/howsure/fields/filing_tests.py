"""Which thresholds keep a limit on the proportion of wrong values: tests of thresholds, and the order of these tests.

Documents are drawn independently; the values of a document may be wrong together in any way. A test's hypothesis is
that the proportion of wrong values in documents above a threshold exceeds the limit. Three things make tests powerful:

    few thresholds  A threshold is tested only where one more wrong document is allowed than at the threshold before.
    a late start    The first threshold allows a few wrong documents, so that one wrong document does not end the tests.
    one sequence    Tests in a fixed order use all of delta until the first threshold fails. For several fields, the
                    sequence contains the first threshold of each field, then the second of each field, and so on.

The order of tests is determined by the scores and the numbers of values only, never by which values are wrong.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import ratio_p_value

START, LATEST_START = 0.25, 0.57  # proportions of the documents above the first threshold
ALLOWED_AT_START = 4  # wrong documents that the first threshold allows, unless it would be later than LATEST_START
STEP = 1.02  # smallest ratio of the numbers of documents above two thresholds
SIDE, LATE = 0.02, 2 / 3  # part of delta for each of two other starts, the second at this proportion of the documents
JOINT = 0.9  # part of delta for the sequence of all fields; the rest is divided between the fields
POWER = 0.8  # probability that the number of documents reported as needed is enough
TIMES = np.geomspace(1.1, 1e4, 300)  # multiples of the checked documents
MAX_POINTS = 50  # thresholds at which the number of documents needed is computed


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """C documents, the highest score first: their scores, numbers of values and numbers of wrong values, (C,) each."""

    score: Floats
    n: Floats
    wrong: Floats

    @classmethod
    def of(cls, score: Floats, n: npt.ArrayLike, wrong: npt.ArrayLike) -> RankedDocuments:
        """Rank documents, without those whose score is NaN or that have no value."""
        counts, errors = np.asarray(n, dtype=np.float64), np.asarray(wrong, dtype=np.float64)
        rows = np.flatnonzero(~np.isnan(score) & (counts > 0))
        order = rows[np.argsort(-score[rows], kind="stable")]
        return cls(score[order], counts[order], errors[order])

    def __len__(self) -> int:
        return len(self.score)

    @property
    def has_single_values(self) -> bool:
        """Whether no document has several values."""
        return bool((self.n == 1.0).all())

    def with_ties(self, counts: Integers) -> Integers:
        """Return increasing numbers of documents such that documents of equal score are counted together."""
        return np.unique(np.searchsorted(-self.score, -self.score[counts - 1], side="right"))

    def p_value(self, count: int, risk: float, *, times: float = 1.0, unlucky: float = 0.0) -> float:
        """Return the p-value of "at least the proportion `risk` of the values above a threshold is wrong".

        count: number of documents above the threshold. times, unlucky: compute the p-value for `times` as many
        documents, with a proportion of wrong values that is higher by `unlucky` standard errors.

        If no document has several values, this is the exact binomial test, otherwise `ratio_p_value`.
        """
        n, wrong = self.n[:count], self.wrong[:count]
        if not self.has_single_values:
            return ratio_p_value(n, wrong, risk, largest=float(self.n.max()), times=times, unlucky=unlucky)
        total = float(n.sum())
        value = float(wrong.sum()) / total
        smoothed = (value * total + risk) / (total + 1)
        value += unlucky * math.sqrt(smoothed * (1 - smoothed) / (total * times))
        return float(_binomial(np.array([value * total * times]), np.array([total * times]), risk)[0])

    def counts_to_test(self, risk: float, level: float) -> tuple[Integers, int]:
        """Return the numbers of documents above the thresholds to test, and the index of the first one to test."""
        effective = np.cumsum(self.n) ** 2 / np.cumsum(self.n**2)  # equal documents that carry the same information
        documents = float(effective[-1]) if len(self) else 0.0
        allowed = counts_for_errors(risk, level, documents, is_binomial=self.has_single_values)
        if not len(allowed):
            return np.zeros(0, np.int64), 0
        start = max(int(np.searchsorted(allowed, START * documents, side="right")) - 1, 0)
        while start < min(ALLOWED_AT_START, len(allowed) - 1) and allowed[start + 1] <= LATEST_START * documents:
            start += 1
        kept = [float(allowed[start])]
        for count in allowed[start + 1 :].tolist():
            if count >= STEP * kept[-1]:
                kept.append(count)
        earlier = allowed[:start].tolist()
        places = np.searchsorted(effective, np.array([*earlier, *kept]) - 1e-9) + 1
        counts = self.with_ties(np.append(np.minimum(places, len(self)), len(self)))
        first = int(places[len(earlier)])
        return counts, int(np.searchsorted(counts, first))

    def threshold(self, count: int) -> float | None:
        """Return the score of the last of `count` documents; None if there are none."""
        return float(self.score[count - 1]) if count else None

    def times_needed(self, risk: float, level: float) -> float | None:
        """Return how many times as many documents would probably lead to a threshold; None if the risk is too high."""
        from scipy.special import ndtri

        if not len(self):
            return None
        counts = self.with_ties(np.unique(np.linspace(1, len(self), MAX_POINTS).astype(np.int64)))
        total, wrong = np.cumsum(self.n)[counts - 1], np.cumsum(self.wrong)[counts - 1]
        below = counts[(wrong + risk) / (total + 1) < risk].tolist()
        margin = float(ndtri(POWER))

        def is_enough(times: float) -> bool:
            return any(self.p_value(count, risk, times=times, unlucky=margin) <= level for count in below)

        first = bisect_left(TIMES.tolist(), True, key=is_enough)
        return float(TIMES[first]) if first < len(TIMES) else None


def _binomial(errors: Floats, n: Floats, risk: float) -> Floats:
    """P(Binomial(n, risk) ≤ errors): the incomplete beta function."""
    from scipy.special import betainc

    p = betainc(np.maximum(n - errors, np.finfo(float).tiny), errors + 1, 1 - risk)
    return np.asarray(np.where(errors >= n, 1.0, p), dtype=np.float64)


def counts_for_errors(risk: float, level: float, most: float, *, is_binomial: bool) -> Floats:
    """Return the smallest numbers of documents, up to `most`, that pass the test with 0, 1, 2, … wrong documents.

    >>> counts_for_errors(0.05, 0.1, 150, is_binomial=True).tolist()
    [45.0, 77.0, 105.0, 132.0]
    """
    from scipy.special import gammainccinv

    errors = np.arange(math.ceil(risk * most) + 1.0)
    counts = np.ceil(gammainccinv(errors + 1, level) / risk)  # Poisson
    while is_binomial and (can_be_fewer := _binomial(errors, counts - 1, risk) <= level).any():
        counts -= can_be_fewer
    return np.asarray(counts[counts <= most])


def lowest_count(documents: RankedDocuments, *, risk: float, delta: float) -> int:
    """Return the number of documents above the lowest threshold that passes; 0 if none passes.

    The first threshold has nearly all of delta. If it passes, its level passes to the next one. Small parts of delta
    belong to an earlier and to a later threshold, if these could pass: they are for models that are good enough only
    where they are most confident, and for models that are not.
    """
    side = SIDE * delta
    most = LATEST_START * len(documents)
    possible = counts_for_errors(risk, side, most, is_binomial=documents.has_single_values)[1:2].tolist()
    counts, first = documents.counts_to_test(risk, delta - 2 * side if possible else delta)
    levels = np.zeros(len(counts))
    if len(counts):
        levels[first] = delta
    if len(counts) and possible:
        early, late = np.searchsorted(counts, [possible[0], LATE * len(documents)]).tolist()
        is_much_later = counts[late] >= 2 * max(int(counts[first]), int(possible[0]))
        for start in [early] * (early < first) + [late] * bool(is_much_later):
            levels[[first, start]] += [-side, side]
    passed, level = 0, 0.0
    for count, start_level in zip(counts.tolist(), levels.tolist(), strict=True):
        level += start_level
        is_passed = level > 0.0 and documents.p_value(count, risk) <= level
        passed, level = (count, level) if is_passed else (passed, 0.0)
    return passed


def lowest_counts(fields: Mapping[str, RankedDocuments], *, risk: float, delta: float) -> dict[str, int]:
    """Return for each field the number of documents above its threshold; 0 if it has none.

    The probability that any field has a threshold with a higher risk is at most delta. JOINT of delta is for one
    sequence: the first threshold of each field, beginning with the most confident field, then the second of each, until
    one fails. The rest is divided equally between the fields, each of which continues from there; if all thresholds of
    a field pass, its part is divided between the others (Bretz et al. 2009: fixed sequences in a graph).
    """
    if len(fields) == 1:
        return {field: lowest_count(documents, risk=risk, delta=delta) for field, documents in fields.items()}
    passed = dict.fromkeys(fields, 0)
    for field, count in _joint_sequence(fields, risk, JOINT * delta):
        if count > passed[field] and fields[field].p_value(count, risk) > JOINT * delta:
            break
        passed[field] = max(passed[field], count)
    part = (1 - JOINT) * delta
    further = {}
    for field, documents in fields.items():
        counts, first = documents.counts_to_test(risk, part / len(fields))
        if len(counts):
            further[field] = [count for count in counts[first:].tolist() if count > passed[field]]
    active = list(further)
    while active:
        for field in active:
            while further[field] and fields[field].p_value(further[field][0], risk) <= part / len(active):
                passed[field] = further[field].pop(0)
        if all(further[field] for field in active):
            break
        active = [field for field in active if further[field]]
    return passed


def _joint_sequence(fields: Mapping[str, RankedDocuments], risk: float, level: float) -> list[tuple[str, int]]:
    """Return the fields and numbers of documents to test, in this order; fields have about the same coverage."""
    counts_by_field = {}
    for field in sorted(fields, key=lambda field: -float(fields[field].score.mean()) if len(fields[field]) else 0.0):
        counts, first = fields[field].counts_to_test(risk, level)
        if len(counts):
            counts_by_field[field] = counts[first:]
    coverages = sorted({float(n) for field, ns in counts_by_field.items() for n in ns / len(fields[field])})
    sequence = []
    for coverage in coverages:
        for field, counts in counts_by_field.items():
            place = int(np.searchsorted(counts, coverage * len(fields[field]) + 1e-9, side="right"))
            sequence.append((field, int(counts[max(place - 1, 0)])))
    return list(dict.fromkeys(sequence))
