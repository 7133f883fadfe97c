"""Readers who err: what units that were read twice say of errors, and counts of what is true, not of what is read."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.draw import partial_labels
from howsure.counts.notes import Note
from howsure.counts.results import CountEstimate, CountEstimates, ReadingErrors
from howsure.errors import GIVEN, InputError, at_row, parameter
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import Floats
from howsure.result import Estimate
from howsure.stats.proportions import normal_quantile

ALIKE, SETTLED, BOUNDS = "flips alike", "settled readings", "bounds"
FEWEST = 10  # units read twice
ON_CURVE, DRAWS, STEPS = 25, 2000, 200  # pairs of rates that readings allow; draws of what was read; of a fixed point
PRIOR = 0.5  # readings of each kind that are added before drawing (Jeffreys)
PROBABLY = 1e-3  # p that one reader says 1 as often as the other, below which it is said
LEAST = 1e-6  # by which a reader tells labels apart
Rates = tuple[Floats, Floats]  # of false positives and of false negatives, (..., K): each of K pairs is possible


@dataclass(frozen=True, slots=True)
class Readings:
    """How many units two readers read alike, and how not: both 1; 1 and 0, settled as 1; as 0; both 0.

    by: how readings tell of errors; with `alike` and `bounds` half of what is read differently counts as settled so.
    """

    pairs: Floats
    by: str
    notes: tuple[Note, ...]


def read_twice(
    y_true: Any, second: Any, settled: Any, flips: str | None, *, n: int, pos_label: Any = None
) -> Readings | None:
    """The two readings of the units that have both; None without a second one.

    Raises InputError where the second reading, or the settled one, has none before it, or contradicts both; where
    readers agree in half of the units or fewer; or where fewer than 10 units were read twice.
    """
    if second is None:
        if settled is not None or flips is not None:
            given = "flips" if settled is None else "settled"
            raise InputError(f"{parameter(given, GIVEN)} needs {parameter('second', GIVEN)}, what was read twice.")
        return None
    if flips not in (None, "alike"):
        raise unknown_name("flips", str(flips), ["alike"], place="errors of readers")
    if flips is not None and settled is not None:
        raise InputError(
            f"{parameter('settled', GIVEN)} tells both kinds of errors; leave out {parameter('flips', GIVEN)}."
        )
    first = _labels(y_true, n, pos_label, "y_true")
    other = _labels(second, n, pos_label, "second", y_true)
    alone = next((row for row in other if row not in first), None)
    if alone is not None:
        raise InputError(
            f"{parameter('second')} must be a second reading; {at_row(alone)} has none in {parameter('y_true')}."
        )
    if len(other) < FEWEST:
        raise InputError(f"at least {FEWEST} units must have been read twice; {len(other):,} have been.")
    of_row = {row: (first[row], one) for row, one in other.items()}
    both = sum(pair == (1.0, 1.0) for pair in of_row.values())
    neither = sum(pair == (0.0, 0.0) for pair in of_row.values())
    higher, lower = (sum(pair == one for pair in of_row.values()) for one in ((1.0, 0.0), (0.0, 1.0)))
    if 2 * (higher + lower) >= len(other):
        raise InputError(
            f"{parameter('second')} must agree with {parameter('y_true')} in most units; {higher + lower:,} of "
            f"{len(other):,} were read differently. Are the rows the same, and the labels?"
        )
    true = (higher + lower) / 2
    if settled is not None:
        true = _settled_as_1(_labels(settled, n, pos_label, "settled", y_true), of_row)
    notes = []
    if higher + lower == 0:
        notes.append(Note("identical_readings", needs_estimates=False))
    else:
        from scipy.stats import binomtest

        if (p := binomtest(higher, higher + lower).pvalue) < PROBABLY:
            values = {"first": higher, "second": lower, "p": float(p)}
            notes.append(Note("uneven_readings", values, needs_estimates=False))
    by = SETTLED if settled is not None else BOUNDS if flips is None else ALIKE
    return Readings(np.array([both, true, higher + lower - true, neither], dtype=np.float64), by, tuple(notes))


def _labels(column: Any, n: int, pos_label: Any, name: str, first: Any = None) -> dict[int, float]:
    known, held = partial_labels(column, n=n, pos_label=pos_label, name=name, among=first)
    return dict(zip(known.tolist(), held.tolist(), strict=True))


def _settled_as_1(settled: dict[int, float], of_row: dict[int, tuple[float, float]]) -> int:
    """Of the units that were read differently, those settled as 1."""
    for row, one in settled.items():
        if row not in of_row:
            raise InputError(f"{parameter('settled')} settles two readings; {at_row(row)} has none, or one.")
        if one not in of_row[row]:
            raise InputError(
                f"{parameter('settled')} must be one of the two readings; {at_row(row)} was read as "
                f"{of_row[row][0]:g} by both, and settled as {one:g}. Errors that both readers make cannot be told "
                "from two readings: correct the row, or take the settled labels for the true ones."
            )
    open_ones = [row for row, (a, b) in of_row.items() if a != b and row not in settled]
    if open_ones:
        raise InputError(
            f"{parameter('settled')} must settle all that was read differently; {at_row(open_ones[0])} is not settled "
            f"({len(open_ones):,} such)."
        )
    return sum(one == 1.0 for row, one in settled.items() if of_row[row][0] != of_row[row][1])


# The rates of false positives, α, and of false negatives, β, that explain how often readings agree.


def error_rates(pairs: Floats, by: str) -> Rates:
    """α and β from shares of the four kinds of pairs (..., 4), if readers err alike, each on their own.

    With flips alike, a share 2 ε (1 - ε) is read differently. With what is settled, P(1, 1) = π (1 - β)² + (1 - π) α²,
    P(differ, 1) = 2 π β (1 - β), P(differ, 0) = 2 (1 - π) α (1 - α) are solved by the EM algorithm (Dawid & Skene
    1979). With neither, all pairs of rates that give the shares: each α from 0 to that of β = 0.
    """
    share = pairs / pairs.sum(axis=-1, keepdims=True)
    both, true, false, neither = np.moveaxis(share, -1, 0)
    differ = true + false
    if by == ALIKE:
        rate = (1.0 - np.sqrt(1.0 - 2.0 * np.minimum(differ, 0.5))) / 2.0
        return rate[..., None], rate[..., None]
    if by == SETTLED:
        of_both, of_neither = np.ones_like(both), np.zeros_like(both)
        alpha = beta = np.zeros_like(both)
        for _ in range(STEPS):
            positive = both * of_both + true + neither * of_neither
            beta = (true / 2 + neither * of_neither) / np.maximum(positive, LEAST)
            alpha = (false / 2 + both * (1.0 - of_both)) / np.maximum(1.0 - positive, LEAST)
            of_both = _share(positive * (1.0 - beta) ** 2, (1.0 - positive) * alpha**2)
            of_neither = _share(positive * beta**2, (1.0 - positive) * (1.0 - alpha) ** 2)
        return alpha[..., None], beta[..., None]
    once = (both + differ / 2)[..., None]
    together = both[..., None] - once**2  # π (1 - π) (1 - α - β)²
    steps = np.linspace(0.0, 1.0, ON_CURVE)
    alpha = (differ / (differ + 2.0 * neither))[..., None] * steps
    left = np.maximum(once - alpha, LEAST)
    beta = np.maximum(1.0 - once - together / left, 0.0)
    alpha = np.where(together > 0.0, alpha, steps)  # readings that tell nothing: any share is possible
    return alpha, np.where(together > 0.0, beta, 1.0 - alpha)


def _share(one: Floats, other: Floats) -> Floats:
    return np.asarray(one / np.maximum(one + other, LEAST**2))


# Counts of units that are read as 1, as counts of those that are 1.


@dataclass(frozen=True, slots=True)
class Errors:
    """Rates as they were found (K,), and as they may be (draws, K)."""

    readings: Readings
    found: Rates
    drawn: Rates
    level: float

    @classmethod
    def of(cls, readings: Readings, level: float, rng: np.random.Generator) -> Errors:
        """Those that explain what was read twice."""
        drawn = rng.dirichlet(readings.pairs + PRIOR, DRAWS)
        if readings.by != SETTLED:
            kinds = [readings.pairs[0], readings.pairs[1:3].sum(), readings.pairs[3]]
            drawn = rng.dirichlet(np.array(kinds) + PRIOR, DRAWS)[:, [0, 1, 1, 2]] * [1.0, 0.5, 0.5, 1.0]
        return cls(readings, error_rates(readings.pairs, readings.by), error_rates(drawn, readings.by), level)

    def ends(
        self, share: float, low: float, high: float, units: float = math.inf, *, of_difference: bool = False
    ) -> tuple[float, float, float]:
        """The share that is true, with its interval, of a share that is read as 1; NaN where bounds hold no estimate.
        The same of a difference of two shares that are read with the same errors.

        The true share is (s - α) / (1 - α - β), a true difference d / (1 - α - β). Its ends are as far off as those of
        s, of the rates, and of the errors that happen to be in these units, taken together as independent:
        √(a² + b² + c²) (Zou & Donner 2008).
        """
        tail, z = (1.0 - self.level) / 2, normal_quantile(self.level)
        lowest, held = -1.0 if of_difference else 0.0, []

        def true_of(read: float, rates: Rates) -> Floats:
            alpha, beta = rates
            apart = np.maximum(1.0 - alpha - beta, LEAST)
            return np.clip((read - (0.0 if of_difference else alpha)) / apart, lowest, 1.0)

        for end, sign, least, quantile in ((low, -1.0, np.min, tail), (high, 1.0, np.max, 1.0 - tail)):
            s = end if math.isnan(share) else share
            true = true_of(s, self.found)
            k = int(np.argmin(sign * -true))
            alpha, beta, centre = self.found[0][k], self.found[1][k], float(true[k])
            told_apart = max(1.0 - alpha - beta, LEAST)
            of_rates = float(np.quantile(least(true_of(s, self.drawn), axis=-1), quantile))
            chance = centre * beta * (1.0 - beta) + (1.0 - centre) * alpha * (1.0 - alpha)
            reach = (
                max(sign * (of_rates - centre), 0.0),
                sign * (end - s) / told_apart,
                z * math.sqrt(chance / units) / told_apart,
            )
            far = min(max(centre + sign * math.hypot(*reach), lowest), 1.0)
            held.append(far if not of_difference or sign * end > 0.0 else sign * min(sign * far, sign * end))
        value = float(true_of(share, self.found)[0]) if self.found[0].shape == (1,) else math.nan
        return value, held[0], held[1]

    def told(self, wider: float) -> ReadingErrors:
        """What readers err by, which makes an interval so many times as wide."""
        return ReadingErrors(
            read_twice=int(self.readings.pairs.sum()),
            read_differently=int(self.readings.pairs[1:3].sum()),
            errors_by=self.readings.by,
            false_positives=self._rate(0),
            false_negatives=self._rate(1),
            wider=wider,
        )

    def _rate(self, place: int) -> Estimate:
        """The rate of false positives (0) or of false negatives (1)."""
        twice = int(self.readings.pairs.sum())
        tail, of_draws = (1.0 - self.level) / 2, self.drawn[place]
        low = float(np.quantile(of_draws.min(axis=-1), tail))
        high = float(np.quantile(of_draws.max(axis=-1), 1.0 - tail))
        if of_draws.shape[-1] > 1:
            return Estimate(math.nan, low, high, level=self.level, method=BOUNDS, n=twice)
        value = float(self.found[place][0])
        return Estimate(value, min(low, value), high, level=self.level, method="two readings", n=twice)


def with_errors(counts: CountEstimates, readings: Readings, rng: np.random.Generator) -> CountEstimates:
    """Counts of the units that are 1, from counts of those that readers would read as 1."""
    errors = Errors.of(readings, counts.total.level, rng)

    def of(row: CountEstimate) -> CountEstimate:
        if not row.n:
            return row
        ends = errors.ends(row.estimate / row.n, row.low / row.n, row.high / row.n, row.n)
        value, low, high = (row.n * one for one in ends)
        return replace(row, estimate=value, low=low, high=high)

    total, before = of(counts.total), counts.total.high - counts.total.low
    return replace(
        counts,
        rows=tuple(map(of, counts.rows)),
        domains=tuple(map(of, counts.domains)),
        total=total,
        diagnostics=replace(counts.diagnostics, worth=None),
        caveats=(*readings.notes, *counts.caveats),
        laws=(),
        errors=None,
        told=False,
        readings=errors.told((total.high - total.low) / before if before > 0 else math.inf),
    )
