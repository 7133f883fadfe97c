"""The law of a count: labelled positives that are known, and a mixture of sums of unlabelled units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid

# Exact laws of sums of units whose variance is small, mixed.

REACH = 12.0  # standard deviations beyond which a small sum has no mass
MOST_TERMS = 4_096  # units that are added one by one; of more, by Fourier's transform
AT_A_TIME = 1 << 21  # probabilities
Alike = list[tuple[Floats, Floats]]


def mixed_small_sums(
    alike: Alike, draw: Integers, level: Floats, weight: Floats, mean: Floats, variance: Floats
) -> Floats:
    """Σ weight · P(U = u), u = 0 … units, of components: a draw of the units and a level added to their logits.

    alike: of each draw, logits and how many units have each. Where most units are positive, the others are counted, and
    components are taken together by how far their laws reach: the work is that of the counts that can occur.
    """
    units = int(alike[0][1].sum())
    law = np.zeros(units + 1)
    flipped = mean > units / 2
    reach = np.ceil(np.where(flipped, units - mean, mean) + REACH * np.maximum(np.sqrt(variance), 1.0))
    width = np.minimum(reach.astype(np.int64), units) + 1
    doubling = np.ceil(np.log2(width)).astype(np.int64)
    for flip in (False, True):
        for size in np.unique(doubling[flipped == flip]).tolist():
            together = np.flatnonzero((flipped == flip) & (doubling == size))
            widest = int(width[together].max())
            found = _mixed(alike, draw[together], level[together], weight[together], widest, flip)
            if flip:
                law[units + 1 - widest :] += found[::-1]
            else:
                law[:widest] += found
    return law


def _mixed(alike: Alike, draw: Integers, level: Floats, weight: Floats, width: int, flip: bool) -> Floats:
    """The mixed law of the positives, or of the negatives, at counts 0 … width - 1."""
    units = int(alike[0][1].sum())
    by_terms = units <= MOST_TERMS
    found = np.zeros(width)
    at_a_time = max(1, AT_A_TIME // units) if by_terms and units else len(level)
    for start in range(0, len(level), at_a_time):
        part = slice(start, start + at_a_time)
        laws = (_by_terms if by_terms else _by_transform)(alike, draw[part], level[part], width, -1.0 if flip else 1.0)
        found += laws @ weight[part]
    return found


def _by_terms(alike: Alike, draw: Integers, level: Floats, width: int, sign: float) -> Floats:
    """The laws (width, components), unit by unit."""
    units = [np.repeat(value, count.astype(np.int64)) for value, count in alike]
    p = np.ascontiguousarray(sigmoid(sign * (np.stack(units, axis=1)[:, draw] + level)))  # a row is read at once
    q = 1.0 - p
    law = np.zeros((width, len(level)))
    law[0] = 1.0
    held = np.empty_like(law)
    for k in range(len(p)):
        end = min(k + 2, width)
        moved = np.multiply(law[: end - 1], p[k], out=held[: end - 1])
        law[:end] *= q[k]
        law[1:end] += moved
    return law


def _by_transform(alike: Alike, draw: Integers, level: Floats, width: int, sign: float) -> Floats:
    """The same for many units: Fourier's transform of a sum is the product of those of its terms."""
    size = 1 << int(np.ceil(np.log2(width + 1)))
    turn = np.exp(2j * np.pi * np.arange(size // 2 + 1) / size) - 1.0
    held = np.empty((width, len(level)))
    for position in range(len(level)):
        value, count = alike[draw[position]]
        p = sigmoid(sign * (value + level[position]))
        logs = np.zeros(len(turn), dtype=np.complex128)
        for start in range(0, len(p), 256):
            logs += np.log1p(p[start : start + 256, None] * turn).T @ count[start : start + 256]
        held[:, position] = np.maximum(np.fft.irfft(np.exp(logs).conj(), size)[:width], 0.0)
    return held


SMALL_VARIANCE = 16.0  # sums below it have their law computed term by term, others Edgeworth's approximation
MOST_UNITS = 4_096  # of a cell whose units are taken one by one; of larger ones those alike are taken together
BIN_WIDTH = 0.02  # in logits
BINS = 3_000  # on either side of 0; no logit is farther from it
LEAST_WEIGHT = 1e-7  # of a component worth keeping
LATTICE = 20_000  # longest law that is written out
NOTHING = 1e-12  # of a law, beyond what is written out


@dataclass(frozen=True, slots=True)
class CountLaw:
    """P(T = t) of T = known + U, where U is a mixture over components of sums of independent units.

    Components of large variance have a weight, mean, standard deviation and skewness; of the others `small` is the
    law, each at its weight: small[u] = Σ weight · P(U = u). `unread` is E U.
    """

    known: int
    units: int
    unread: float
    weight: Floats
    mean: Floats
    deviation: Floats
    skewness: Floats
    small: Floats

    @property
    def expected(self) -> float:
        """E T."""
        return self.known + self.unread

    def cdf(self, counts: Floats) -> Floats:
        """P(T ≤ t) of each t."""
        at = np.asarray(counts, dtype=np.float64) - self.known
        total = np.zeros(at.shape)
        if len(self.weight):
            total += self.weight @ edgeworth(at, self.mean, self.deviation, self.skewness, self.units)
        if len(self.small):
            summed = np.cumsum(self.small)
            place = np.clip(np.floor(at).astype(np.int64), -1, len(summed) - 1)
            total += np.where(place < 0, 0.0, summed[np.maximum(place, 0)])
        return np.minimum(total, 1.0)

    def quantile(self, share: float) -> int:
        """The least t with P(T ≤ t) ≥ share."""
        low, high = self.known - 1, self.known + self.units
        while high - low > 1:
            middle = (low + high) // 2
            if float(self.cdf(np.array([middle]))[0]) >= share - 1e-12:
                high = middle
            else:
                low = middle
        return high

    def interval(self, level: float) -> tuple[int, int]:
        """Equal-tailed quantiles."""
        tail = (1.0 - level) / 2
        return self.quantile(tail), self.quantile(1.0 - tail)

    def more_than(self, other: CountLaw) -> float:
        """P(T > T′) of two independent counts, ties counted half."""
        low, high = min(self.known, other.known), max(self.known + self.units, other.known + other.units)
        points = np.unique(np.linspace(low - 1, high, min(high - low + 2, LATTICE)).round())
        mine, others = self.cdf(points), other.cdf(points)
        middle = (others[1:] + others[:-1]) / 2
        return float(np.diff(mine) @ middle + mine[0] * others[0] / 2)

    def minus(self, other: CountLaw, level: float) -> tuple[int, int]:
        """Equal-tailed quantiles of T - T′ of two independent counts."""
        tail = (1.0 - level) / 2
        points = self._points()
        mass = np.diff(self.cdf(points), prepend=0.0)

        below = other._below()

        def at_most(difference: int) -> float:  # P(T - T′ ≤ d) = Σ P(T = t) P(T′ ≥ t - d)
            return float(mass @ (1.0 - below(points - difference - 1)))

        def least(share: float) -> int:
            low, high = self.known - other.known - other.units - 1, self.known + self.units - other.known
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if at_most(middle) >= share - 1e-12 else (middle, high)
            return high

        return least(tail), least(1.0 - tail)

    def _below(self) -> Callable[[Floats], Floats]:
        """P(T ≤ t) of whole t, written out once where the law is short."""
        first, last = self.quantile(NOTHING) - 1, self.quantile(1.0 - NOTHING)
        if last - first >= LATTICE:
            return self.cdf
        held = self.cdf(np.arange(first, last + 1.0))
        held[0] = 0.0
        return lambda counts: held[np.clip(counts.astype(np.int64) - first, 0, last - first)]

    def _points(self) -> Floats:
        """The possible counts, or as many as a long law is written out at."""
        first, last = self.quantile(1e-9), self.quantile(1.0 - 1e-9)
        return np.unique(np.linspace(first, last, min(last - first + 1, LATTICE)).round())


def edgeworth(at: Floats, mean: Floats, deviation: Floats, skewness: Floats, units: int) -> Floats:
    """P(U ≤ u) of sums of units by the normal law corrected for skewness, with continuity (components, points)."""
    from scipy.special import ndtr

    z = (np.floor(at)[None, :] + 0.5 - mean[:, None]) / deviation[:, None]
    held = ndtr(z) - skewness[:, None] * (z * z - 1.0) * np.exp(-0.5 * z * z) / (6.0 * np.sqrt(2.0 * np.pi))
    held = np.clip(held, 0.0, 1.0)
    return np.where(at < 0, 0.0, np.where(at >= units, 1.0, held))


@dataclass(slots=True)
class LogitCounts:
    """How many units of a large cell have which logit: those within 0.02 are taken as one, at their mean."""

    number: Floats
    total: Floats

    @classmethod
    def empty(cls) -> LogitCounts:
        """No units yet."""
        return cls(np.zeros(2 * BINS + 1), np.zeros(2 * BINS + 1))

    def add(self, logits: Floats) -> None:
        """Further units."""
        place = np.clip(np.floor(logits / BIN_WIDTH), -BINS, BINS).astype(np.int64) + BINS
        self.number += np.bincount(place, minlength=len(self.number))
        self.total += np.bincount(place, weights=logits, minlength=len(self.total))

    def alike(self) -> tuple[Floats, Floats]:
        """Logits, and how many units have each."""
        held = self.number > 0
        return self.total[held] / self.number[held], self.number[held]


def count_law(known: int, draws: list[Floats] | list[LogitCounts], levels: Floats, weights: list[Floats]) -> CountLaw:
    """The law of known + Σ of units with P(y = 1) = σ(logit + level).

    draws: the logits of the units, in draws that are equally likely; for each draw, its weights of the levels. Of more
    than 4,096 units those with logits within 0.02 are taken as one.
    """
    alike = [_alike(one) for one in draws]
    units = int(alike[0][1].sum())
    parts = [_moments(value, count, levels, weight) for (value, count), weight in zip(alike, weights, strict=True)]
    level, weight, mean, variance, third = (np.concatenate(column) for column in zip(*parts, strict=True))
    weight = weight / len(draws)
    draw = np.repeat(np.arange(len(draws)), [len(one[0]) for one in parts])
    few = variance < SMALL_VARIANCE
    small = mixed_small_sums(alike, draw[few], level[few], weight[few], mean[few], variance[few])
    many = ~few
    deviation = np.sqrt(variance[many])
    skewness = third[many] / deviation**3
    return CountLaw(known, units, float(weight @ mean), weight[many], mean[many], deviation, skewness, small)


def _alike(logits: Floats | LogitCounts) -> tuple[Floats, Floats]:
    if isinstance(logits, LogitCounts):
        return logits.alike()
    if len(logits) <= MOST_UNITS:
        value, number = np.unique(logits, return_counts=True)
        return value, number.astype(np.float64)
    counts = LogitCounts.empty()
    counts.add(logits)
    return counts.alike()


def _moments(value: Floats, count: Floats, levels: Floats, weights: Floats) -> tuple[Floats, ...]:
    """Levels worth keeping, their weights, and the mean, variance and third central moment of their sums."""
    kept = weights > LEAST_WEIGHT * weights.max()
    levels, weights = levels[kept], weights[kept] / weights[kept].sum()
    p = sigmoid(value + levels[:, None])
    spread = p * (1.0 - p)
    return levels, weights, p @ count, spread @ count, (spread * (1.0 - 2.0 * p)) @ count
