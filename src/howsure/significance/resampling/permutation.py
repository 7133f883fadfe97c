"""The paired permutation test: for each unit, a coin flip decides which system is which.

A distinct unit that occurs c times is exchanged Binomial(c, 1/2) times. The statistic is the difference of means, or
the studentised difference of any other metric (`exchange`); if it has few outcomes, p is exact (`enumeration`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.resampling.bootstrap import at_least_as_extreme, counted_p_value
from howsure.significance.resampling.enumeration import exact_p_value
from howsure.significance.resampling.exchange import Exchange, exchange_of
from howsure.significance.resampling.units import Units

CHUNK_CELLS = 1 << 20
WORD = 64


def permutation_p_values(
    units: Units,
    metrics: Sequence[Metric],
    alternatives: Sequence[str],
    n_resamples: int,
    rng: np.random.Generator,
) -> list[tuple[float, float, bool]]:
    """For each metric, p, its Monte Carlo error, and whether it is exact.

    `alternatives` are of second - first: `two-sided`, or `better` (larger differences are extreme) or `worse`.
    """
    exchanges = [exchange_of(units, metric.tested or metric) for metric in metrics]
    observed = [float(one.statistics(np.zeros((1, len(units))))[0]) for one in exchanges]
    cases = list(zip(exchanges, observed, alternatives, strict=True))
    found = [exact_p_value(*case) for case in cases]
    sampled = [k for k, p in enumerate(found) if p is None]
    null = {k: np.empty(n_resamples) for k in sampled}
    parts = [units.parts[one.metric.rows] for one in exchanges]
    start = 0
    for exchanged in _exchanged(units, n_resamples, rng) if sampled else ():
        stop = start + len(exchanged)
        moved = exchanged @ (units.second - units.first)
        for k in sampled:
            null[k][start:stop] = exchanges[k].statistics(exchanged, moved[:, parts[k]])
        start = stop
    return [
        _at_least_normal(
            one, seen, side, (p, 0.0, True) if p is not None else (*_counted(one, null[k], seen, side), False)
        )
        for k, (p, (one, seen, side)) in enumerate(zip(found, cases, strict=True))
    ]


def _counted(exchange: Exchange, null: Floats, observed: float, alternative: str) -> tuple[float, float]:
    return counted_p_value(at_least_as_extreme(null, observed, alternative, close=exchange.close))


def _at_least_normal(
    exchange: Exchange, observed: float, alternative: str, found: tuple[float, float, bool]
) -> tuple[float, float, bool]:
    """The p-value; for a metric that estimates a square, at least that of a normal distribution.

    Exchanging a system whose predictions are too extreme with one whose predictions are not extreme enough yields two
    calibrated mixtures, whose estimates vary less than their standard error suggests.
    """
    if not exchange.studentised or exchange.metric.scale_free:
        return found
    tail = normal_tail(observed, alternative)
    return (tail, 0.0, False) if tail > found[0] else found


def normal_tail(statistic: float, alternative: str) -> float:
    """The p of a standard normal statistic.

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
