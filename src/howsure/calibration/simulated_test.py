"""The simulation test: how large is the squared error of the bins where labels are drawn from the predictions?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from howsure.calibration.bins import Binned, sorted_rows
from howsure.calibration.error import plugin_mse
from howsure.calibration.slots import CELLS, Slots, first_of_cells
from howsure.inputs.pairs import Floats, Integers, Pairs

DRAWS_AT_ONCE = 1 << 22


def simulation_test(
    pairs: Pairs | Slots, binned: Binned, *, times: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The squared error of the bins, how often labels drawn from the predictions give one as large, and its error.

    p = (c + 1) / (times + 1), c the number of draws with at least the error of the data.
    """
    mse, simulate = plugin_mse(binned.sums), _of_sums if isinstance(pairs, Slots) else _of_pairs
    seen, drawn = simulate(pairs, binned, times, rng)  # type: ignore[arg-type]
    p = (int(np.count_nonzero(drawn >= seen * (1 - 1e-12))) + 1) / (times + 1)
    return mse, p, math.sqrt(p * (1 - p) / (times + 1))


def _of_pairs(pairs: Pairs, binned: Binned, times: int, rng: np.random.Generator) -> tuple[float, Floats]:
    """The squared error of the data, and of labels drawn pair by pair (times,)."""
    q, _, w = sorted_rows(pairs)
    bins = binned.bins_of(q)
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    weight = np.ones(len(q)) if w is None else w
    predicted, weights = np.add.reduceat(weight * q, starts), np.add.reduceat(weight, starts)
    values = np.empty(times)
    step = max(1, DRAWS_AT_ONCE // len(q))
    for start in range(0, times, step):
        rows = min(step, times - start)
        drawn = rng.random((rows, len(q))) < q
        positives = np.add.reduceat(drawn if w is None else drawn * w, starts, axis=1, dtype=np.float64)
        values[start : start + rows] = ((predicted - positives) ** 2 / weights).sum(axis=1) / weights.sum()
    return plugin_mse(binned.sums), values


# Of many pairs without weights, the number of labels 1 of a bin is drawn, and not each label: from its law, which is
# computed. Given the predictions these numbers are independent, so that the test is the same.


def _of_sums(slots: Slots, binned: Binned, times: int, rng: np.random.Generator) -> tuple[float, Floats]:
    """The squared error of the data, and with numbers of labels drawn bin by bin (times,)."""
    bins = binned.bins_of(first_of_cells()[slots.cell])
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    sums, values = binned.sums, np.zeros(times + 1)
    for i, (start, end) in enumerate(zip(starts, np.append(starts[1:], len(bins)), strict=True)):
        law = LabelCount.of(slots, slice(start, end))
        gap = law.mean - np.append(sums.y[i], law.draw(times, rng))  # the data first: alike where labels are
        values += gap * gap / sums.w1[i]
    values /= sums.w1.sum()
    return float(values[0]), values[1:]


EXPONENT = 36.0  # e⁻³⁶ is 2·10⁻¹⁶: what is less likely, or a smaller part of a law, is left out


@dataclass(frozen=True, slots=True)
class LabelCount:
    """The law of the number of labels 1 among independent pairs, each 1 with its own probability.

    below[i] = P(number ≤ first + i), to about 10⁻¹³; mean: Σ q.
    """

    mean: float
    first: int
    below: Floats

    @classmethod
    def of(cls, slots: Slots, part: slice) -> Self:
        """The law for the pairs of some slots, each pair with the mean prediction of its slot.

        By its characteristic function φ(ω) = Π (1 - q + q e^{iω})^n on a circle of odd length: no longer than the
        numbers that can occur by Bernstein's inequality, and no further than |φ| ≤ exp(-σ² (1 - cos ω)) is seen. r =
        min(q, 1 - q) stands for q, since 1 - q has the conjugate φ but for a shift.
        """
        n, r = slots.count[part].astype(np.float64), slots.nearest[0][part]
        upper = slots.slot[part] >> 1 >= CELLS
        mean, variance = float(n @ np.where(upper, 1.0 - r, r)), float(n @ (r * (1.0 - r)))
        length = 2 * math.ceil(EXPONENT / 3 + math.sqrt(EXPONENT**2 / 9 + 2 * EXPONENT * variance)) + 1
        turn = 2 * math.pi / length * np.arange(1, length // 2 + 1)
        short = 2 * np.sin(turn / 2) ** 2  # 1 - cos ω
        turn, short = turn[seen := variance * short < EXPONENT], short[seen]
        size = n @ np.log1p(-2 * np.multiply.outer(r * (1.0 - r), short)) / 2
        angle = np.arctan2(np.multiply.outer(r, np.sin(turn)), 1.0 - np.multiply.outer(r, short))
        angle -= np.multiply.outer(r, turn)  # around the mean
        middle = round(mean)
        phase = np.where(upper, -n, n) @ angle + turn * (mean - middle)
        transformed = np.zeros(length // 2 + 1, dtype=np.complex128)
        transformed[0] = 1.0
        transformed[1 : len(turn) + 1] = np.exp(size - 1j * phase)
        chances = np.fft.fftshift(np.fft.irfft(transformed, length))
        below = np.cumsum(np.maximum(chances, 0.0))
        return cls(mean, middle - length // 2, below / below[-1])

    def draw(self, times: int, rng: np.random.Generator) -> Integers:
        """Independent numbers (times,)."""
        return self.first + np.searchsorted(self.below, rng.random(times), side="right")
