"""The distributions of the counts of many cells, and their intervals, computed in batches of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from howsure.counts.count_law import (
    MAX_SINGLE_UNITS,
    MIN_WEIGHT,
    REACH,
    SMALL_VARIANCE,
    CountLaw,
    LogitCounts,
    count_law,
    edgeworth,
)
from howsure.inputs.pairs import Bools, Floats, Integers

BATCH = 1 << 16  # number of logits (with padding) in a batch, which fit in the cache
MAX_LOGIT = 600.0  # e^600 and its products with e^level are finite
MAX_LOG_SUM = 1_200.0  # Σ log(1 + odds) of the units; its half is within the range of floats
MAX_LOG_POWER = 600.0  # e^-745 is the least float above 0
ROUNDING = 1e-12  # tolerance of the probability of a quantile


def count_laws(
    known_positives: Sequence[int],
    draws: Sequence[Sequence[Floats] | Sequence[LogitCounts]],
    levels: Floats,
    weights: Floats,
) -> list[CountLaw]:
    """Return the distribution of each count, as `count_law` does. weights: (counts, draws, levels).

    Cells of at most 4,096 units are computed together, in batches of cells of similar size.
    """
    laws: dict[int, CountLaw] = {}
    sizes = np.array([_n_units(cell_draws) for cell_draws in draws], dtype=np.int64)
    single = np.flatnonzero(sizes <= MAX_SINGLE_UNITS)
    for cells in _batches(single[np.argsort(sizes[single], kind="stable")], sizes, weights.shape[1]):
        logits = np.full((int(sizes[cells].max()), len(cells), weights.shape[1]), -np.inf)
        for place, cell in enumerate(cells.tolist()):
            logits[: sizes[cell], place] = np.clip(np.array(draws[cell]).T, -MAX_LOGIT, MAX_LOGIT)
        batch = _laws_of_batch(
            [known_positives[cell] for cell in cells.tolist()], sizes[cells], logits, levels, weights[cells]
        )
        laws |= {cell: law for cell, law in zip(cells.tolist(), batch, strict=True) if law is not None}
    return [
        laws[cell] if cell in laws else count_law(known_positives[cell], cell_draws, levels, list(weights[cell]))
        for cell, cell_draws in enumerate(draws)
    ]


def _n_units(draws: Sequence[Floats] | Sequence[LogitCounts]) -> int:
    first = draws[0]
    return MAX_SINGLE_UNITS + 1 if isinstance(first, LogitCounts) else len(first)


def _batches(cells: Integers, sizes: Integers, n_draws: int) -> Iterator[Integers]:
    """Yield batches of cells, ordered by size, with at most `BATCH` logits each."""
    first = 0
    while first < len(cells):
        last = first + 1
        while last < len(cells) and (last + 1 - first) * n_draws * max(int(sizes[cells[last]]), 8) <= BATCH:
            last += 1
        yield cells[first:last]
        first = last


def _laws_of_batch(
    known_positives: Sequence[int], sizes: Integers, logits: Floats, levels: Floats, weights: Floats
) -> list[CountLaw | None]:
    """Return the distribution of the count of each cell; None for cells whose odds overflow.

    logits: (units, cells, draws). levels, weights: as in `count_law`.
    """
    weight = np.where(weights > MIN_WEIGHT * weights.max(axis=2, keepdims=True), weights, 0.0)
    weight /= weight.shape[1] * weight.sum(axis=2, keepdims=True)
    level, weight = _levels_with_weight(levels, weight)
    odds = np.exp(logits)
    mean, variance, third = _moments(odds, np.exp(level))
    few = np.where(variance < SMALL_VARIANCE, weight, 0.0)
    reach = REACH * np.maximum(np.sqrt(variance), 1.0)
    mostly = mean > sizes[:, None, None] / 2
    small = [np.zeros(size + 1) for size in sizes.tolist()]
    overflows = np.zeros(len(sizes), dtype=np.bool_)
    for direction, counted, end in (
        (1, np.where(mostly, 0.0, few), mean + reach),
        (-1, np.where(mostly, few, 0.0), sizes[:, None, None] - mean + reach),  # mostly positive units: count negatives
    ):
        cells = np.flatnonzero(counted.any(axis=(1, 2)))
        if not len(cells):
            continue
        reached = np.where(counted > 0, end, 0.0)
        width = min(int(np.ceil(reached.max())), len(odds)) + 1
        factors = odds[:, cells]
        if direction < 0:
            factors = np.divide(1.0, factors, where=factors > 0, out=factors)
        sums, out_of_range = _mixed_sums(factors, direction * level[cells], counted[cells], reached[cells], width)
        overflows[cells] |= out_of_range
        for cell, law in zip(cells.tolist(), sums, strict=True):
            small[cell][::direction][: len(law)] += law[: len(small[cell])]
    many = (variance >= SMALL_VARIANCE) & (weight > 0)
    ends = np.cumsum(many.sum(axis=(1, 2)))
    large_weight, large_mean, deviation = weight[many], mean[many], np.sqrt(variance[many])
    skewness = third[many] / deviation**3
    unread = (weight * mean).sum(axis=(1, 2)).tolist()
    laws: list[CountLaw | None] = []
    for cell, (start, end) in enumerate(pairwise([0, *ends.tolist()])):
        part = slice(start, end)
        law = CountLaw(
            known_positives[cell],
            int(sizes[cell]),
            unread[cell],
            large_weight[part],
            large_mean[part],
            deviation[part],
            skewness[part],
            small[cell],
        )
        laws.append(None if overflows[cell] else law)
    return laws


def _levels_with_weight(levels: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return for each cell the levels from the first to the last one with a weight, (cells, L), and their weights."""
    used = np.asarray(weight.any(axis=1))
    first, end = used.argmax(axis=1), len(levels) - used[:, ::-1].argmax(axis=1)
    place = first[:, None] + np.arange((end - first).max())
    inside, place = place < end[:, None], np.minimum(place, len(levels) - 1)
    return levels[place], np.take_along_axis(weight, place[:, None], axis=2) * inside[:, None]


def _moments(odds: Floats, factor: Floats) -> Floats:
    """Return mean, variance and third central moment of the sums, (3, cells, draws, levels).

    The third moment is computed only for large variances. factor: e^level of each cell (cells, levels), by which the
    odds (units, cells, draws) are multiplied.
    """
    moments = np.zeros((3, *odds.shape[1:], factor.shape[1]))
    p, power = np.empty_like(odds), np.empty_like(odds)
    for place in range(factor.shape[1]):
        np.multiply(odds, factor[:, place, None], out=p)
        np.add(p, 1.0, out=power)
        p /= power
        first = p.sum(axis=0)
        np.multiply(p, p, out=power)
        second = power.sum(axis=0)
        moments[:2, ..., place] = first, first - second
        if (first - second).max() >= SMALL_VARIANCE:
            power *= p
            moments[2, ..., place] = first - 3.0 * second + 2.0 * power.sum(axis=0)
    return moments


def _mixed_sums(odds: Floats, level: Floats, weight: Floats, reached: Floats, width: int) -> tuple[Floats, Bools]:
    """Return Σ weight · P(U = u), u < width, of each cell, over draws of its logits and levels added to them.

    Also returns which cells have odds or powers beyond the range of floats; their sums are 0. reached: for each weight,
    the largest u that has a probability.

    P(U = u; θ) = e_u z^u / Σ e_v z^v, where z = e^θ, and e_u is the sum over all sets of u units of the product of
    their odds at level 0. Therefore, one pass over the units gives the distributions at all levels. All terms are
    positive.
    """
    highest = np.where(weight.any(axis=1), level, -np.inf).max(axis=1)[:, None]
    factors = odds * np.where(weight.any(axis=2), np.exp(highest), 0.0)
    log_sum = np.log1p(factors).sum(axis=0)
    underflows = (np.maximum(highest - level, 0.0)[:, None] * reached).max(axis=(1, 2)) > MAX_LOG_POWER
    overflows = (log_sum.max(axis=1) > MAX_LOG_SUM) | underflows
    factors[:, overflows] = 0.0
    products, term = np.zeros((2, width, log_sum.size))
    products[0] = np.exp(
        np.where(overflows[:, None], 0.0, -log_sum / 2)
    ).ravel()  # so that the smallest and the largest value are in the range of floats
    for unit, unit_factors in enumerate(factors.reshape(len(factors), log_sum.size)):
        end = min(unit + 1, width - 1)
        np.multiply(products[:end], unit_factors, out=term[:end])
        products[1 : end + 1] += term[:end]
    sums = np.ascontiguousarray(np.moveaxis(products.reshape(width, *log_sum.shape), 0, -1))
    powers = np.exp(np.minimum(level - highest, 0.0)[..., None] * np.arange(width))
    scale = weight / (sums @ powers.swapaxes(1, 2))
    mixed: Floats = ((scale @ powers) * sums).sum(axis=1)
    mixed[overflows] = 0.0
    return mixed, overflows


def count_intervals(laws: Sequence[CountLaw], level: float) -> list[tuple[int, int]]:
    """Return the equal-tailed interval of each count, as `CountLaw.interval` does, by a simultaneous bisection."""
    if not laws:
        return []
    tail = (1.0 - level) / 2
    least = np.array([tail, 1.0 - tail]) - ROUNDING
    low, high = np.zeros((2, len(laws), 2)) + np.array([[-1.0], [0.0]])[..., None]
    units = np.array([law.units for law in laws], dtype=np.float64)
    high += units[:, None]
    owner = np.repeat(np.arange(len(laws)), [len(law.weight) for law in laws])  # the law of each large component
    figures = zip(*((law.weight, law.mean, law.deviation, law.skewness) for law in laws), strict=True)
    components = np.array([np.concatenate(figure) for figure in figures])[..., None]
    zero = np.zeros(1)
    summed = np.concatenate([part for law in laws for part in (zero, np.cumsum(law.small))])
    start = np.cumsum([0, *(len(law.small) + 1 for law in laws[:-1])])
    active = np.arange(len(laws))
    while len(active := active[(high - low)[active].max(axis=1) > 1]):
        middle = np.ceil((low[active] + high[active]) / 2)
        below = summed[start[active, None] + np.clip(middle, -1, units[active, None]).astype(np.int64) + 1]
        place = np.full(len(laws), -1)
        place[active] = np.arange(len(active))
        is_active = place[owner] >= 0
        if not is_active.all():
            owner, components = owner[is_active], components[:, is_active]
        if len(owner):
            weight, mean, deviation, skewness = components
            cell = place[owner]
            probability = weight * edgeworth(middle[cell], mean, deviation, skewness, units[owner, None])
            for end in range(2):
                below[:, end] += np.bincount(cell, probability[:, end], len(active))
        reached = below >= least
        low[active], high[active] = np.where(reached, low[active], middle), np.where(reached, middle, high[active])
    return [
        (law.labelled_positives + first, law.labelled_positives + last)
        for law, (first, last) in zip(laws, high.astype(int).tolist(), strict=True)
    ]
