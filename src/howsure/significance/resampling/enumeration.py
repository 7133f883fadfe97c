"""Every outcome of exchanging two systems, with its probability.

Units whose exchange changes a statistic in the same way are grouped, so a metric based on few counts has few outcomes:
for accuracy, about as many as there are rows on which only one system is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from howsure.inputs.pairs import Integers
from howsure.significance.metrics.metric import Floats
from howsure.significance.resampling.bootstrap import at_least_as_extreme
from howsure.significance.resampling.exchange import Exchange

OUTCOMES = 1 << 18  # enumerate up to so many
AT_ONCE = 1 << 14


def exact_p_value(exchange: Exchange, observed: float, alternative: str) -> float | None:
    """The probability of a statistic as extreme as `observed`; None if there are too many outcomes."""
    few = _merged(exchange)
    if few is None:
        return None
    p = 0.0
    for exchanged, probability in _outcomes(few.counts):
        null = few.statistics(exchanged)
        p += float(probability[at_least_as_extreme(null, observed, alternative, close=few.close)].sum())
    return min(p, 1.0)


def _merged(exchange: Exchange) -> Exchange | None:
    """The same with each kind of unit listed once; None if there are too many outcomes.

    A unit with the two systems reversed is of the same kind, exchanged beforehand. If the statistic is the plain
    difference, only the steps define the kind.
    """
    moving = (exchange.steps != 0).any(axis=1)
    steps, middles, counts = exchange.steps[moving], exchange.middles[moving], exchange.counts[moving]
    leading = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)] if len(steps) else np.zeros(0)
    turned = leading < 0
    steps = np.where(turned[:, None], -steps, steps) + 0.0
    kinds = np.concatenate([steps, middles + 0.0], axis=1) if exchange.studentised else steps
    held: dict[bytes, int] = {}
    sizes: list[int] = []
    places: list[int] = []
    outcomes = 1
    for row, (kind, count) in enumerate(zip(kinds, counts, strict=True)):
        place = held.setdefault(kind.tobytes(), len(sizes))
        if place == len(sizes):
            sizes.append(0)
            places.append(row)
        outcomes = outcomes // (sizes[place] + 1) * (sizes[place] + 1 + int(count))
        sizes[place] += int(count)
        if outcomes > OUTCOMES:
            return None
    chosen = np.array(places, dtype=np.int64)
    return replace(
        exchange,
        steps=steps[chosen],
        middles=middles[chosen],
        counts=np.array(sizes, dtype=np.int64),
        start=exchange.start - counts[turned] @ steps[turned],
        between=exchange.between + 2 * (steps[turned] * counts[turned, None]).T @ middles[turned],
    )


def _outcomes(sizes: Integers) -> Iterator[tuple[Floats, Floats]]:
    """Every number of exchanges of every kind, with its probability, some thousands at a time."""
    from scipy.special import gammaln

    laws = []
    for size in sizes:
        k = np.arange(size + 1)
        laws.append(np.exp(gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1) - size * np.log(2)))
    total = int(np.prod(sizes + 1))
    for start in range(0, total, AT_ONCE):
        outcomes = np.arange(start, min(start + AT_ONCE, total))
        places = np.unravel_index(outcomes, tuple(sizes + 1)) if len(sizes) else ()
        probability = np.ones(len(outcomes))
        for law, place in zip(laws, places, strict=True):
            probability = probability * law[place]
        exchanged = np.stack(places, axis=1).astype(np.float64) if len(sizes) else np.zeros((1, 0))
        yield exchanged, probability
