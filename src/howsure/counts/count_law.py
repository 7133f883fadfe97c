"""The law of a count: labelled positives that are known, and a mixture of sums of unlabelled units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.counts.model.logits import sigmoid
from howsure.inputs.pairs import Floats, Integers

SMALL_VARIANCE = 16.0  # sums below it have their law computed term by term, others Edgeworth's approximation
REACH = 12.0  # standard deviations beyond which a small sum has no mass
MOST_UNITS = 4_096  # of a cell whose units are taken one by one; of larger ones those alike are taken together
BIN_WIDTH = 0.02  # in logits
LEAST_WEIGHT = 1e-7  # of a component worth keeping
LATTICE = 20_000  # longest law that is written out


@dataclass(frozen=True, slots=True)
class CountLaw:
    """P(T = t) of T = known + U, where U is a mixture over components of sums of independent units.

    Each component has a weight, mean, standard deviation and skewness; those of small variance have their law in a row
    of `small` (components, K), to which `row` points (-1 for the others).
    """

    known: int
    units: int
    weight: Floats
    mean: Floats
    deviation: Floats
    skewness: Floats
    row: Integers
    small: Floats

    @property
    def expected(self) -> float:
        """E T."""
        return self.known + float(self.weight @ self.mean)

    def cdf(self, counts: Floats) -> Floats:
        """P(T ≤ t) of each t."""
        at = np.asarray(counts, dtype=np.float64) - self.known
        total = np.zeros(at.shape)
        large = self.row < 0
        if large.any():
            total += self.weight[large] @ edgeworth(
                at, self.mean[large], self.deviation[large], self.skewness[large], self.units
            )
        if not large.all():
            summed = np.cumsum(self.weight[~large] @ self.small[self.row[~large]])
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

        def at_most(difference: int) -> float:  # P(T - T′ ≤ d) = Σ P(T = t) P(T′ ≥ t - d)
            return float(mass @ (1.0 - other.cdf(points - difference - 1)))

        def least(share: float) -> int:
            low, high = self.known - other.known - other.units - 1, self.known + self.units - other.known
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if at_most(middle) >= share - 1e-12 else (middle, high)
            return high

        return least(tail), least(1.0 - tail)

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


def count_law(known: int, logits: Floats, levels: Floats, weights: Floats) -> CountLaw:
    """The law of known + Σ of units with P(y = 1) = σ(logit + level), the level drawn with these weights."""
    kept = weights > LEAST_WEIGHT * weights.max()
    levels, weights = levels[kept], weights[kept] / weights[kept].sum()
    if len(logits) == 0:
        nothing = np.zeros(1)
        return CountLaw(known, 0, np.ones(1), nothing, nothing, nothing, np.zeros(1, dtype=np.int64), np.ones((1, 1)))
    value, count = _alike(logits)
    mean, variance, third = np.zeros((3, len(levels)))
    for position, level in enumerate(levels):
        p = sigmoid(value + level)
        spread = p * (1.0 - p)
        mean[position] = count @ p
        variance[position] = count @ spread
        third[position] = count @ (spread * (1.0 - 2.0 * p))
    deviation = np.sqrt(variance)
    few = np.flatnonzero(np.minimum(variance, mean) < SMALL_VARIANCE)
    row = np.full(len(levels), -1)
    row[few] = np.arange(len(few))
    small = _small_sums(value, count, levels[few], mean[few], deviation[few])
    return CountLaw(
        known, len(logits), weights, mean, deviation, third / np.maximum(deviation, 1e-300) ** 3, row, small
    )


def mixture(laws: list[CountLaw]) -> CountLaw:
    """The law that is each of some laws of one count with equal probability."""
    width = max(law.small.shape[1] for law in laws)
    small = [np.pad(law.small, ((0, 0), (0, width - law.small.shape[1]))) for law in laws]
    starts = np.cumsum([0, *(len(law.small) for law in laws)])
    rows = [np.where(law.row < 0, -1, law.row + start) for law, start in zip(laws, starts, strict=False)]
    return CountLaw(
        laws[0].known,
        laws[0].units,
        np.concatenate([law.weight for law in laws]) / len(laws),
        np.concatenate([law.mean for law in laws]),
        np.concatenate([law.deviation for law in laws]),
        np.concatenate([law.skewness for law in laws]),
        np.concatenate(rows),
        np.concatenate(small),
    )


def _alike(logits: Floats) -> tuple[Floats, Floats]:
    """Distinct logits and how many units have each; in large cells those within 0.02 are one, at their mean."""
    if len(logits) <= MOST_UNITS:
        value, number = np.unique(logits, return_counts=True)
        return value, number.astype(np.float64)
    place = np.floor(logits / BIN_WIDTH).astype(np.int64)
    place -= place.min()
    number = np.bincount(place)
    total = np.bincount(place, weights=logits)
    held = number > 0
    return total[held] / number[held], number[held].astype(np.float64)


def _small_sums(value: Floats, count: Floats, levels: Floats, mean: Floats, deviation: Floats) -> Floats:
    """The laws (components, K) of sums of small variance or mean, unit by unit, or for many by Fourier's transform."""
    if len(levels) == 0:
        return np.zeros((0, 1))
    most = int(count.sum())
    width = min(most, int(np.ceil((mean + REACH * np.maximum(deviation, 1.0)).max()))) + 1
    if most <= MOST_UNITS:
        p = sigmoid(np.repeat(value, count.astype(np.int64))[:, None] + levels)
        law = np.zeros((len(levels), width))
        law[:, 0] = 1.0
        for one in p:
            moved = law[:, :-1] * one[:, None]
            law *= (1.0 - one)[:, None]
            law[:, 1:] += moved
        return law
    size = 1 << int(np.ceil(np.log2(width + 1)))
    turn = np.exp(2j * np.pi * np.arange(size // 2 + 1) / size) - 1.0
    held = np.empty((len(levels), width))
    for position, level in enumerate(levels):
        p = sigmoid(value + level)
        logs = np.zeros(len(turn), dtype=np.complex128)
        for start in range(0, len(p), 256):
            logs += np.log1p(p[start : start + 256, None] * turn).T @ count[start : start + 256]
        held[position] = np.maximum(np.fft.irfft(np.exp(logs).conj(), size)[:width], 0.0)
    return held
