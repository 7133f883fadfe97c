"""The paired permutation test: the two systems are swapped at random in each unit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.inputs.pairs import Integers
from howsure.significance.bootstrap import CLOSE, at_least_as_extreme, counted_p_value
from howsure.significance.metrics.metric import Floats, Metric, mean
from howsure.significance.resampling_units import Units

# The difference of a metric when the two systems are exchanged in some units.
#
# A difference of means is tested directly. For any other metric, the difference is divided by its standard error, which
# is recomputed after every exchange. The permutation test is exact if the systems are exchangeable; with studentised
# differences, it is also valid for large n if only the values of the metric are equal (Janssen 1997; Chung & Romano
# 2013).

STEP = 1e-5  # of the sums of absolute statistics, for a derivative by differences
STUDENTISED_TOLERANCE = 1e-9  # studentised differences within this relative tolerance are equal
CACHED = 1 << 16
LARGEST = 1e6  # largest studentised difference, if the standard error is nearly 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """A metric, and the effect of exchanging the systems in each unit.

    first, second (units, k): the statistics of the two systems. steps: second - first. middles: second + first. counts:
    the number of equal units that each row represents. start: the sums of the first system. total: the sums of both
    systems. around_steps, around_middles, between (k, k): the sums over all units of the outer products of steps, of
    middles, and of steps with middles.
    """

    metric: Metric
    steps: Floats
    middles: Floats
    counts: Integers
    start: Floats
    total: Floats
    n: float
    sizes: Floats
    around_steps: Floats
    around_middles: Floats
    between: Floats
    studentised: bool

    @property
    def close(self) -> float:
        """The relative distance up to which two statistics count as equal."""
        return STUDENTISED_TOLERANCE if self.studentised else CLOSE

    def statistics(self, exchanged: Floats, moved: Floats | None = None) -> Floats:
        """Return the test statistic of each draw.

        exchanged (draws, units): how many of the equal units that a unit represents are exchanged. moved: `exchanged @
        steps`, if it is already known.
        """
        first = self.start + (exchanged @ self.steps if moved is None else moved)
        second = self.total - first
        differences = np.asarray(self.metric.value(second) - self.metric.value(first))
        if not self.studentised:
            return differences
        errors = np.maximum(self._standard_errors(first, second, exchanged), np.abs(differences) / LARGEST)
        return np.where(np.abs(differences) <= CLOSE, 0.0, differences / np.where(errors == 0, 1.0, errors))

    def _standard_errors(self, first: Floats, second: Floats, exchanged: Floats) -> Floats:
        """Return the root of Σ (ψ - mean of ψ)², where the influence ψ of a unit is slope · statistics of the second
        system minus the same of the first system.

        Let h be half the sum of the two systems' slopes, and e half their difference. Then ψ = e·middle + h·step or, if
        the unit is exchanged, e·middle - h·step. So the sums of squares follow from sums over all units, and only the
        products of h·step and e·middle must be computed unit by unit.
        """
        slopes = self._slopes(first), self._slopes(second)
        h, e = (slopes[1] + slopes[0]) / 2, (slopes[1] - slopes[0]) / 2
        moving = np.flatnonzero(self.around_steps.diagonal())
        h = np.ascontiguousarray(h[:, moving])
        sums_over_units = np.block(
            [
                [self.around_steps[np.ix_(moving, moving)], self.between[moving]],
                [self.between[moving].T, self.around_middles],
            ]
        )
        he = np.concatenate([h, e], axis=1)
        squares = row_products(he @ sums_over_units, he) - 4 * self._products(h, e, self.steps[:, moving], exchanged)
        total = row_products(slopes[1], second) - row_products(slopes[0], first)
        return np.asarray(np.sqrt(np.maximum(squares - total**2 / self.n, 0.0)))

    def _products(self, h: Floats, e: Floats, steps: Floats, exchanged: Floats) -> Floats:
        """Return, for each row of `h` and `e`, the sum over the exchanged units of (h · step)(e · middle). It is
        computed in blocks that fit into the processor's cache."""
        sums = np.zeros(len(h))
        at_once = max(1, CACHED // len(h))
        for start in range(0, len(steps), at_once):
            rows = slice(start, start + at_once)
            products = h @ steps[rows].T
            products *= e @ self.middles[rows].T
            sums += row_products(products, exchanged[:, rows])
        return sums

    def _slopes(self, sums: Floats) -> Floats:
        return metric_slopes(self.metric, sums, self.sizes)


def row_products(left: Floats, right: Floats) -> Floats:
    """The inner products of the rows of two matrices of the same shape."""
    return np.asarray(np.einsum("ij,ij->i", left, right))


def metric_slopes(metric: Metric, sums: Floats, sizes: Floats) -> Floats:
    """Return the derivatives of a metric with respect to its sums (rows, k).

    They come from the metric's `slopes` if it has them, otherwise from central differences of STEP times `sizes`
    (k)."""
    if metric.slopes is not None:
        return metric.slopes(sums)
    slopes = np.zeros_like(sums)
    for column in np.flatnonzero(sizes):
        step = np.zeros(len(sizes))
        step[column] = STEP * sizes[column]
        slopes[:, column] = (metric.value(sums + step) - metric.value(sums - step)) / (2 * step[column])
    return slopes


def build_exchange(units: Units, metric: Metric) -> Exchange:
    """The exchange of a metric's statistics, unit by unit.

    A difference without a standard error (because a derivative is undefined) is tested directly.
    """
    part = units.parts[metric.rows]
    first, second = units.first[:, part], units.second[:, part]
    steps, middles = second - first, second + first
    is_difference_of_means = metric.value is mean and np.array_equal(first[:, -1], second[:, -1])
    weights = units.counts[:, None]
    exchange = Exchange(
        metric,
        steps,
        middles,
        units.counts,
        units.counts @ first,
        units.counts @ middles,
        float(units.counts.sum()),
        units.counts @ (np.abs(first) + np.abs(second)),
        (steps * weights).T @ steps,
        (middles * weights).T @ middles,
        (steps * weights).T @ middles,
        studentised=not is_difference_of_means,
    )
    if is_difference_of_means or np.isfinite(exchange.statistics(np.zeros((1, len(units)))))[0]:
        return exchange
    return replace(exchange, studentised=False)


# The outcomes of exchanging two systems, with their probabilities.
# Units whose exchange changes a statistic in the same way are grouped, so that a metric based on few counts has few
# outcomes. Accuracy has about as many outcomes as there are rows on which only one system is right.

OUTCOMES = 1 << 18  # enumerate all assignments up to this many
OUTCOMES_PER_BLOCK = 1 << 12


def exact_p_value(exchange: Exchange, observed: float, alternative: str) -> float | None:
    """Return the probability of a statistic at least as extreme as `observed`; None if there are too many outcomes."""
    few = _merged(exchange)
    if few is None:
        return None
    p = 0.0
    for exchanged, probability in _half_of_outcomes(few.counts):
        null = few.statistics(exchanged)
        for statistics in (null, -null):
            p += float(probability[at_least_as_extreme(statistics, observed, alternative, close=few.close)].sum())
    return min(p, 1.0)


def _merged(exchange: Exchange) -> Exchange | None:
    """Return the exchange with equal units merged; None if there are too many outcomes.

    Units are equal if their exchange changes the statistic in the same way. A unit in which the two systems are
    reversed is exchanged first. If the statistic is the difference without a standard error, units with equal steps are
    equal.
    """
    moving = (exchange.steps != 0).any(axis=1)
    steps, middles, counts = exchange.steps[moving], exchange.middles[moving], exchange.counts[moving]
    leading = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)] if len(steps) else np.zeros(0)
    turned = leading < 0
    steps = np.where(turned[:, None], -steps, steps) + 0.0
    kinds = np.concatenate([steps, middles + 0.0], axis=1) if exchange.studentised else steps
    texts = np.ascontiguousarray(kinds).view(f"V{8 * kinds.shape[1]}")[:, 0]
    size_of_kind: dict[bytes, int] = {}
    kind_of_unit: list[int] = []
    outcomes, start, stop = 1, 0, 64
    while start < len(texts):  # in blocks of doubling size, because most metrics have too many outcomes
        distinct, first, kind = np.unique(texts[start:stop], return_index=True, return_inverse=True)
        block_counts = np.bincount(kind, counts[start:stop])
        for place in np.argsort(first).tolist():
            text, count = distinct[place].tobytes(), int(block_counts[place])
            if text not in size_of_kind:
                kind_of_unit.append(start + int(first[place]))
            size = size_of_kind.get(text, 0)
            outcomes = outcomes // (size + 1) * (size + 1 + count)
            size_of_kind[text] = size + count
            if outcomes > OUTCOMES:
                return None
        start, stop = stop, 2 * stop
    chosen = np.array(kind_of_unit, dtype=np.int64)
    return replace(
        exchange,
        steps=steps[chosen],
        middles=middles[chosen],
        counts=np.array([*size_of_kind.values()], dtype=np.int64),
        start=exchange.start - counts[turned] @ steps[turned],
        between=exchange.between + 2 * (steps[turned] * counts[turned, None]).T @ middles[turned],
    )


def _half_of_outcomes(sizes: Integers) -> Iterator[tuple[Floats, Floats]]:
    """Yield half of the outcomes with their probabilities, in blocks. An outcome is the number of exchanges in each
    group of equal units.

    The complement of an outcome exchanges exactly the units that the outcome does not exchange. Both have the same
    probability and opposite statistics. If outcomes are numbered in order, the complement of outcome i is the i-th from
    the end. The outcome in the middle, if any, is its own complement, so half of its probability is returned.
    """
    from scipy.special import gammaln

    laws = []
    for size in sizes:
        k = np.arange(size + 1)
        laws.append(np.exp(gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1) - size * np.log(2)))
    total = int(np.prod(sizes + 1))
    half = (total + 1) // 2
    for start in range(0, half, OUTCOMES_PER_BLOCK):
        outcomes = np.arange(start, min(start + OUTCOMES_PER_BLOCK, half))
        outcome_indices = np.unravel_index(outcomes, tuple(sizes + 1)) if len(sizes) else ()
        probability = np.ones(len(outcomes))
        for law, indices in zip(laws, outcome_indices, strict=True):
            probability = probability * law[indices]
        probability[outcomes == total - 1 - outcomes] /= 2
        exchanged = np.stack(outcome_indices, axis=1).astype(np.float64) if len(sizes) else np.zeros((1, 0))
        yield exchanged, probability


CHUNK_CELLS = 1 << 20
WORD = 64


def permutation_p_values(
    units: Units, metrics: Sequence[Metric], alternatives: Sequence[str], n_resamples: int, rng: np.random.Generator
) -> list[tuple[float, float, bool]]:
    """For each metric, p, its Monte Carlo error, and whether it is exact.

    `alternatives` are of second - first: `two-sided`, or `better` (larger differences are extreme) or `worse`.
    """
    exchanges = [build_exchange(units, metric.tested or metric) for metric in metrics]
    observed = [float(exchange.statistics(np.zeros((1, len(units))))[0]) for exchange in exchanges]
    cases = list(zip(exchanges, observed, alternatives, strict=True))
    exact_p_values = [exact_p_value(*case) for case in cases]
    sampled = [k for k, p in enumerate(exact_p_values) if p is None]
    null = {k: np.empty(n_resamples) for k in sampled}
    parts = [units.parts[exchange.metric.rows] for exchange in exchanges]
    start = 0
    for exchanged in _exchanged(units, n_resamples, rng) if sampled else ():
        stop = start + len(exchanged)
        moved = exchanged @ (units.second - units.first)
        for k in sampled:
            null[k][start:stop] = exchanges[k].statistics(exchanged, moved[:, parts[k]])
        start = stop
    return [
        _at_least_normal(
            exchange,
            statistic,
            side,
            (p, 0.0, True) if p is not None else (*_counted(exchange, null[k], statistic, side), False),
        )
        for k, (p, (exchange, statistic, side)) in enumerate(zip(exact_p_values, cases, strict=True))
    ]


def _counted(exchange: Exchange, null: Floats, observed: float, alternative: str) -> tuple[float, float]:
    return counted_p_value(at_least_as_extreme(null, observed, alternative, close=exchange.close))


def _at_least_normal(
    exchange: Exchange, observed: float, alternative: str, test_result: tuple[float, float, bool]
) -> tuple[float, float, bool]:
    """Return the p-value; for a metric that estimates a square, at least the p-value of a normal approximation.

    Exchanging a system whose predictions are too extreme with one whose predictions are not extreme enough yields two
    calibrated mixtures, whose estimates vary less than their standard error suggests.
    """
    if not exchange.studentised or exchange.metric.scale_free:
        return test_result
    tail = normal_tail(observed, alternative)
    return (tail, 0.0, False) if tail > test_result[0] else test_result


def normal_tail(statistic: float, alternative: str) -> float:
    """The p-value of a standard normal statistic.

    >>> round(normal_tail(1.96, "two-sided"), 4), round(normal_tail(1.645, "better"), 4)
    (0.05, 0.05)
    """
    if alternative == "two-sided":
        return math.erfc(abs(statistic) / math.sqrt(2))
    return math.erfc((statistic if alternative == "better" else -statistic) / math.sqrt(2)) / 2


def _exchanged(units: Units, n_resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Binomial(count, 1/2) for every unit: the number of set bits among `count` random ones, for counts up to 64."""
    small = units.counts <= WORD
    largest = int(units.counts[small].max(initial=1))
    kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(kind).bits >= largest)
    unused = np.iinfo(kind).bits - units.counts[small]
    masks = np.full(len(unused), np.iinfo(kind).max, dtype=kind) >> unused.astype(kind)
    chunk = max(1, min(n_resamples, CHUNK_CELLS // len(units)))
    for start in range(0, n_resamples, chunk):
        rows = min(chunk, n_resamples - start)
        exchanged = np.empty((rows, len(units)))
        words = rng.integers(0, np.iinfo(kind).max, size=(rows, len(masks)), dtype=kind, endpoint=True)
        exchanged[:, small] = np.bitwise_count(words & masks)
        if not small.all():
            exchanged[:, ~small] = rng.binomial(units.counts[~small], 0.5, size=(rows, int((~small).sum())))
        yield exchanged


def mid_p_value(only_baseline: int, only_model: int, alternative: str = "two-sided") -> float:
    """Return the mid-p-value of McNemar's test, from the numbers of rows on which only one system is right.

    If there is no difference, the number of rows that only the model gets right is binomial with probability 1/2. The
    observed outcome counts half. The mid-p test has its level on average, while the exact test stays below it
    (Fagerland, Lydersen & Laake 2013). If there are no such rows, p is 1. alternative: "two-sided", or whether the
    model is "better" or "worse".

    >>> mid_p_value(12, 28)
    0.011...
    >>> mid_p_value(0, 0)
    1.0
    """
    from scipy.special import betainc

    n = only_baseline + only_model
    if n == 0:
        return 1.0

    def tail(k: int) -> float:
        """P(X < k) + P(X = k)/2 of a Binomial(n, 1/2)."""
        up_to = 1.0 if k >= n else float(betainc(n - k, k + 1, 0.5))
        below = 0.0 if k == 0 else float(betainc(n - k + 1, k, 0.5))
        return (up_to + below) / 2

    if alternative == "better":
        return tail(only_baseline)
    if alternative == "worse":
        return tail(only_model)
    return min(1.0, 2 * tail(min(only_baseline, only_model)))
