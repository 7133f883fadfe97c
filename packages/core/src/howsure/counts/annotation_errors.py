"""Annotation errors: error rates estimated from units with two labels, and counts corrected for these errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.notes import CountNote
from howsure.counts.results import CountEstimate, CountEstimates, ReadingErrors
from howsure.counts.sampling_design import partial_labels
from howsure.errors import ANY_VALUE, InputError, parameter
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import Floats
from howsure.notes import marked_note
from howsure.result import Estimate
from howsure.stats.proportions import normal_quantile

ALIKE, SETTLED, BOUNDS = "flips alike", "settled readings", "bounds"
MIN_DOUBLE_LABELS = 10  # minimum number of units with two labels
N_RATES, DRAWS, STEPS = 25, 2000, 200  # numbers of possible pairs of rates, of posterior draws, and of EM steps
PRIOR = 0.5  # added to the number of label pairs of each kind before posterior draws (Jeffreys)
MAX_P = 1e-3  # a note warns if the p-value of "both annotators use label 1 equally often" is lower
MIN_SEPARATION = 1e-6  # smallest 1 - α - β at which labels are informative
Rates = tuple[Floats, Floats]  # of false positives and of false negatives, (..., K): each of K pairs is possible


@dataclass(frozen=True, slots=True)
class DoubleLabels:
    """Units with two labels.

    pairs: how many units have two labels 1; have different labels and are settled as 1; have different labels and are
    settled as 0; have two labels 0. Without settled labels, half of the disagreements count as settled as 1. by: how
    error rates are estimated: ALIKE (symmetric errors), SETTLED (a third label settles disagreements) or BOUNDS
    (neither).
    """

    pairs: Floats
    by: str
    notes: tuple[CountNote, ...]


def read_double_labels(
    y_true: Any, second: Any, settled: Any, flips: str | None, *, n: int, pos_label: Any = None
) -> DoubleLabels | None:
    """Read the units with two labels; return None if there is no second column."""
    if second is None:
        if settled is not None or flips is not None:
            role = "flips" if settled is None else "settled"
            raise InputError(f"{parameter(role, ANY_VALUE)} needs `second=...`, the second labels.")
        return None
    if flips not in (None, "alike"):
        raise unknown_name("flips", str(flips), ["alike"], place="errors of readers")
    if flips is not None and settled is not None:
        raise InputError("`settled=...` gives both error rates; leave out `flips=...`.")
    first = label_of_row(y_true, n, pos_label, "y_true")
    other = label_of_row(second, n, pos_label, "second", y_true)
    alone = next((row for row in other if row not in first), None)
    if alone is not None:
        raise InputError(f"`second` must be given only for units with a label in `y_true`; `row {alone}` has none.")
    if len(other) < MIN_DOUBLE_LABELS:
        raise InputError(f"at least {MIN_DOUBLE_LABELS} units must have two labels; {len(other):,} have them.")
    pair_of_row = {row: (first[row], label) for row, label in other.items()}
    both = sum(pair == (1.0, 1.0) for pair in pair_of_row.values())
    neither = sum(pair == (0.0, 0.0) for pair in pair_of_row.values())
    higher, lower = (sum(pair == labels for pair in pair_of_row.values()) for labels in ((1.0, 0.0), (0.0, 1.0)))
    if 2 * (higher + lower) >= len(other):
        raise InputError(
            f"`second` must agree with `y_true` in most units; {higher + lower:,} of {len(other):,} differ. Are the "
            "rows and the meaning of the labels the same?"
        )
    settled_as_1 = (higher + lower) / 2
    if settled is not None:
        settled_as_1 = _settled_as_1(label_of_row(settled, n, pos_label, "settled", y_true), pair_of_row)
    notes = []
    if higher + lower == 0:
        question = marked_note("is `second` a copy of `y_true`?")
        notes.append(CountNote("identical_readings", {"question": question}, needs_estimates=False))
    else:
        from scipy.stats import binomtest

        if (p := binomtest(higher, higher + lower).pvalue) < MAX_P:
            values = {"first": higher, "second": lower, "p": float(p)}
            notes.append(CountNote("uneven_readings", values, needs_estimates=False))
    by = SETTLED if settled is not None else BOUNDS if flips is None else ALIKE
    return DoubleLabels(
        np.array([both, settled_as_1, higher + lower - settled_as_1, neither], dtype=np.float64), by, tuple(notes)
    )


def label_of_row(column: Any, n: int, pos_label: Any, name: str, first: Any = None) -> dict[int, float]:
    """Return the label, 0 or 1, of each row with a label."""
    rows, values = partial_labels(column, n=n, pos_label=pos_label, name=name, among=first)
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


def _settled_as_1(settled: dict[int, float], pair_of_row: dict[int, tuple[float, float]]) -> int:
    """Return the number of units with differing labels that were settled as 1."""
    for row, label in settled.items():
        if row not in pair_of_row:
            raise InputError(f"`settled` must be given only for units with two labels; `row {row}` has fewer.")
        if label not in pair_of_row[row]:
            raise InputError(
                f"`settled` must be one of the two labels; both are {pair_of_row[row][0]:g} at `row {row}`, which is "
                f"settled as {label:g}. Two labels cannot show errors that both annotators make: correct the row, or "
                "use the settled labels as the true ones."
            )
    unsettled = [row for row, (a, b) in pair_of_row.items() if a != b and row not in settled]
    if unsettled:
        raise InputError(
            f"`settled` must have a label for each unit with differing labels; `row {unsettled[0]}` has none "
            f"(units without one: {len(unsettled):,})."
        )
    return sum(label == 1.0 for row, label in settled.items() if pair_of_row[row][0] != pair_of_row[row][1])


# Error rates: α of false positives (label 0 mislabelled as 1), β of false negatives. They are estimated from pairs of
# labels.


def error_rates(pairs: Floats, by: str) -> Rates:
    """Return α and β, given the proportions (..., 4) of the four kinds of label pairs in `DoubleLabels.pairs`.

    Both annotators are assumed to make errors independently and at the same rates; π is the proportion of units of
    label 1. With symmetric errors ε = α = β, a proportion 2 ε (1 - ε) of pairs differ. With settled labels, the EM
    algorithm (Dawid & Skene 1979) solves P(1, 1) = π (1 - β)² + (1 - π) α², P(differ, 1) = 2 π β (1 - β) and P(differ,
    0) =
    2 (1 - π) α (1 - α). With neither, the result contains many pairs (α, β) that agree with the observed proportions: α
    ranges from 0 to its value at β = 0.
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
            beta = (true / 2 + neither * of_neither) / np.maximum(positive, MIN_SEPARATION)
            alpha = (false / 2 + both * (1.0 - of_both)) / np.maximum(1.0 - positive, MIN_SEPARATION)
            of_both = _share(positive * (1.0 - beta) ** 2, (1.0 - positive) * alpha**2)
            of_neither = _share(positive * beta**2, (1.0 - positive) * (1.0 - alpha) ** 2)
        return alpha[..., None], beta[..., None]
    once = (both + differ / 2)[..., None]
    together = both[..., None] - once**2  # π (1 - π) (1 - α - β)²
    steps = np.linspace(0.0, 1.0, N_RATES)
    alpha = (differ / (differ + 2.0 * neither))[..., None] * steps
    left = np.maximum(once - alpha, MIN_SEPARATION)
    beta = np.maximum(1.0 - once - together / left, 0.0)
    alpha = np.where(together > 0.0, alpha, steps)  # uninformative labels: any proportion is possible
    return alpha, np.where(together > 0.0, beta, 1.0 - alpha)


def _share(part: Floats, rest: Floats) -> Floats:
    return np.asarray(part / np.maximum(part + rest, MIN_SEPARATION**2))


# Correction: from the number of units that annotators label 1 to the number of units whose true label is 1.


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Error rates estimated from units with two labels (K,), and posterior draws of them (draws, K)."""

    readings: DoubleLabels
    rates: Rates
    rate_draws: Rates
    level: float

    @classmethod
    def of(cls, readings: DoubleLabels, level: float, rng: np.random.Generator) -> ErrorRates:
        """Estimate the rates from units with two labels."""
        drawn = rng.dirichlet(readings.pairs + PRIOR, DRAWS)
        if readings.by != SETTLED:
            kinds = [readings.pairs[0], readings.pairs[1:3].sum(), readings.pairs[3]]
            drawn = rng.dirichlet(np.array(kinds) + PRIOR, DRAWS)[:, [0, 1, 1, 2]] * [1.0, 0.5, 0.5, 1.0]
        return cls(readings, error_rates(readings.pairs, readings.by), error_rates(drawn, readings.by), level)

    def ends(
        self, share: float, low: float, high: float, units: float = math.inf, *, of_difference: bool = False
    ) -> tuple[float, float, float]:
        """Return the true proportion with its interval, given the proportion s labelled 1 and its interval.

        of_difference: `share` is a difference d of two proportions; return the true difference. units: the number of
        units. The estimate is NaN if only bounds of the rates are known.

        The true proportion is (s - α) / (1 - α - β), and a true difference is d / (1 - α - β). The distance from the
        estimate to each end of the interval is √(a² + b² + c²). Here a, b and c are the distances due to the
        uncertainty of s, of the rates, and of the number of errors in these units, which are independent (Zou & Donner
        2008).
        """
        tail, z = (1.0 - self.level) / 2, normal_quantile(self.level)
        lowest, bounds = -1.0 if of_difference else 0.0, []

        def true_share(observed: float, rates: Rates) -> Floats:
            alpha, beta = rates
            separation = np.maximum(1.0 - alpha - beta, MIN_SEPARATION)
            return np.clip((observed - (0.0 if of_difference else alpha)) / separation, lowest, 1.0)

        for end, sign, least, quantile in ((low, -1.0, np.min, tail), (high, 1.0, np.max, 1.0 - tail)):
            s = end if math.isnan(share) else share
            true = true_share(s, self.rates)
            k = int(np.argmin(sign * -true))
            alpha, beta, centre = self.rates[0][k], self.rates[1][k], float(true[k])
            told_apart = max(1.0 - alpha - beta, MIN_SEPARATION)
            rate_quantile = float(np.quantile(least(true_share(s, self.rate_draws), axis=-1), quantile))
            chance = centre * beta * (1.0 - beta) + (1.0 - centre) * alpha * (1.0 - alpha)
            reach = (
                max(sign * (rate_quantile - centre), 0.0),
                sign * (end - s) / told_apart,
                z * math.sqrt(chance / units) / told_apart,
            )
            far = min(max(centre + sign * math.hypot(*reach), lowest), 1.0)
            bounds.append(far if not of_difference or sign * end > 0.0 else sign * min(sign * far, sign * end))
        value = float(true_share(share, self.rates)[0]) if self.rates[0].shape == (1,) else math.nan
        return value, bounds[0], bounds[1]

    def summary(self, wider: float) -> ReadingErrors:
        """Return the rates as a result. wider: the factor by which annotation errors widen the interval."""
        return ReadingErrors(
            read_twice=int(self.readings.pairs.sum()),
            read_differently=int(self.readings.pairs[1:3].sum()),
            errors_by=self.readings.by,
            false_positives=self._rate(0),
            false_negatives=self._rate(1),
            wider=wider,
        )

    def _rate(self, place: int) -> Estimate:
        """Return the rate of false positives (place=0) or of false negatives (place=1)."""
        twice = int(self.readings.pairs.sum())
        tail, of_draws = (1.0 - self.level) / 2, self.rate_draws[place]
        low = float(np.quantile(of_draws.min(axis=-1), tail))
        high = float(np.quantile(of_draws.max(axis=-1), 1.0 - tail))
        if of_draws.shape[-1] > 1:
            return Estimate(math.nan, low, high, level=self.level, method=BOUNDS, n=twice)
        value = float(self.rates[place][0])
        return Estimate(value, min(low, value), high, level=self.level, method="two readings", n=twice)


def correct_counts(counts: CountEstimates, readings: DoubleLabels, rng: np.random.Generator) -> CountEstimates:
    """Correct counts of units that annotators would label 1 to counts of units whose true label is 1."""
    errors = ErrorRates.of(readings, counts.total.level, rng)

    def corrected(row: CountEstimate) -> CountEstimate:
        if not row.n:
            return row
        ends = errors.ends(row.estimate / row.n, row.low / row.n, row.high / row.n, row.n)
        value, low, high = (row.n * share for share in ends)
        return replace(row, estimate=value, low=low, high=high)

    total, width_before = corrected(counts.total), counts.total.high - counts.total.low
    return replace(
        counts,
        rows=tuple(map(corrected, counts.rows)),
        domains=tuple(map(corrected, counts.domains)),
        total=total,
        diagnostics=replace(counts.diagnostics, worth=None),
        caveats=(*readings.notes, *counts.caveats),
        laws=(),
        errors=None,
        has_differences=False,
        readings=errors.summary((total.high - total.low) / width_before if width_before > 0 else math.inf),
    )
