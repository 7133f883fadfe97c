"""The paired permutation test: what if, in each unit, a coin had decided which system is which?

A distinct unit that occurs c times is swapped Binomial(c, 1/2) times. Units whose swap changes the statistics in the
same way (or the opposite way) count as one, so a metric of few counts has few outcomes, and p is exact by
enumerating them: for accuracy these are as many as there are rows on which one system alone is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from howsure.significance.bootstrap import at_least_as_extreme, counted_p_value
from howsure.significance.metrics import Floats, Metric
from howsure.significance.units import Units
from howsure.stats.pairs import Integers

OUTCOMES = 1 << 18  # enumerate up to so many
CHUNK_CELLS = 1 << 20
WORD = 64


def permutation_p_values(
    units: Units,
    metrics: Sequence[Metric],
    differences: Sequence[float],
    alternatives: Sequence[str],
    n_resamples: int,
    rng: np.random.Generator,
) -> list[tuple[float, float, bool]]:
    """Metric by metric p, its Monte Carlo error, and whether it is exact.

    `differences` are second minus first; `alternatives` are `two-sided`, or `better` (larger differences are extreme)
    or `worse` (smaller ones are).
    """
    asked = list(zip(metrics, differences, alternatives, strict=True))
    found = {k: exact_p_value(units, *one) for k, one in enumerate(asked)}
    sampled = [k for k, p in found.items() if p is None]
    if not sampled:
        return [(p, 0.0, True) for p in found.values() if p is not None]
    null = {k: np.empty(n_resamples) for k in sampled}
    start = 0
    for swaps in _swaps(units, n_resamples, rng):
        stop = start + len(swaps)
        for k, values in zip(sampled, _differences(units, [metrics[k] for k in sampled], swaps), strict=True):
            null[k][start:stop] = values
        start = stop
    out = []
    for k, (_, difference, alternative) in enumerate(asked):
        p = found[k]
        if p is None:
            extreme = at_least_as_extreme(null[k], difference, alternative)
            out.append((*counted_p_value(extreme), False))
        else:
            out.append((p, 0.0, True))
    return out


def exact_p_value(units: Units, metric: Metric, difference: float, alternative: str) -> float | None:
    """p by enumeration of every outcome with its probability; None if there are too many outcomes."""
    part = units.parts[metric.rows]
    first, second = units.first[:, part], units.second[:, part]
    grouped = _groups(second - first, units.counts)
    if grouped is None:
        return None
    steps, sizes, base = grouped
    start, total = units.counts @ first + base, units.counts @ (first + second)
    p = 0.0
    for swaps, probability in _outcomes(sizes):
        sums = start + swaps @ steps
        values = metric.value(total - sums) - metric.value(sums)
        p += float(probability[at_least_as_extreme(values, difference, alternative)].sum())
    return min(p, 1.0)


def _groups(steps: Floats, counts: Integers) -> tuple[Floats, Integers, Floats] | None:
    """Distinct steps up to their sign, how many units take each, and what those of opposite sign add beforehand."""
    moving = (steps != 0).any(axis=1)
    steps, counts = steps[moving], counts[moving]
    if len(steps) == 0:
        return np.zeros((0, steps.shape[1])), np.zeros(0, dtype=np.int64), np.zeros(steps.shape[1])
    leading = steps[np.arange(len(steps)), (steps != 0).argmax(axis=1)]
    opposite = leading < 0
    base = counts[opposite] @ steps[opposite]
    held: dict[bytes, int] = {}
    sizes: list[int] = []
    places: list[int] = []
    outcomes = 1
    for row, (step, count) in enumerate(zip(np.where(opposite[:, None], -steps, steps) + 0.0, counts, strict=True)):
        place = held.setdefault(step.tobytes(), len(sizes))
        if place == len(sizes):
            sizes.append(0)
            places.append(row)
        outcomes = outcomes // (sizes[place] + 1) * (sizes[place] + 1 + int(count))
        sizes[place] += int(count)
        if outcomes > OUTCOMES:
            return None
    chosen = np.array(places)
    return np.where(opposite[chosen, None], -steps[chosen], steps[chosen]), np.array(sizes), base


def _outcomes(sizes: Integers) -> Iterator[tuple[Floats, Floats]]:
    """Every number of swaps of every group, with its probability, some thousand at a time."""
    from scipy.special import gammaln

    laws = []
    for size in sizes:
        k = np.arange(size + 1)
        laws.append(np.exp(gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1) - size * np.log(2)))
    total = int(np.prod(sizes + 1))
    for start in range(0, total, 1 << 14):
        outcomes = np.arange(start, min(start + (1 << 14), total))
        places = np.unravel_index(outcomes, tuple(sizes + 1)) if len(sizes) else ()
        probability = np.ones(len(outcomes))
        for law, place in zip(laws, places, strict=True):
            probability = probability * law[place]
        swaps = np.stack(places, axis=1).astype(np.float64) if len(sizes) else np.zeros((1, 0))
        yield swaps, probability


def _differences(units: Units, metrics: Sequence[Metric], swaps: Floats) -> list[Floats]:
    moved = swaps @ (units.second - units.first)
    first, total = units.counts @ units.first + moved, units.counts @ (units.first + units.second)
    parts = [units.parts[metric.rows] for metric in metrics]
    return [
        metric.value((total - first)[:, part]) - metric.value(first[:, part])
        for metric, part in zip(metrics, parts, strict=True)
    ]


def _swaps(units: Units, n_resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Binomial(count, 1/2) of every unit: the bits that are set among as many random ones, for counts up to 64."""
    small = units.counts <= WORD
    largest = int(units.counts[small].max(initial=1))
    kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(kind).bits >= largest)
    unused = np.iinfo(kind).bits - units.counts[small]
    masks = np.full(len(unused), np.iinfo(kind).max, dtype=kind) >> unused.astype(kind)
    chunk = max(1, min(n_resamples, CHUNK_CELLS // len(units)))
    for start in range(0, n_resamples, chunk):
        rows = min(chunk, n_resamples - start)
        swaps = np.empty((rows, len(units)))
        words = rng.integers(0, np.iinfo(kind).max, size=(rows, len(masks)), dtype=kind, endpoint=True)
        swaps[:, small] = np.bitwise_count(words & masks)
        if not small.all():
            swaps[:, ~small] = rng.binomial(units.counts[~small], 0.5, size=(rows, int((~small).sum())))
        yield swaps
