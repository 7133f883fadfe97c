"""Labels that hardly vary cannot show their variance: how far the debiased error's interval must then reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats

HALVINGS = 50


@dataclass(frozen=True, slots=True)
class RareLabels:
    """What is known of the bins without using the variation of their labels; arrays have one entry per bin.

    share: of the weight. squared_gap: its unbiased estimate θ. gap, frequency: q̂ - p̂ and p̂. effective: the effective
    number of independent pairs in the bin. noise, product: 2 Σ p² v² and 4 Σ p² θ v, where v is the variance of a mean
    gap if the predictions are right: from q (1 - q), not from the labels.
    """

    share: Floats
    squared_gap: Floats
    gap: Floats
    frequency: Floats
    effective: Floats
    noise: float
    product: float

    def lower_end(self, value: float, level: float, z: float, seen: Callable[[float], float]) -> float:
        """The squared error that the interval must reach down to: the lower of two one-sided tests of `level`.

        First, all bins together: from calibration (λ = 0) to the observed data (λ = 1) the gaps grow as λ and the
        squared error as λ²; its variance is (1 - λ) times that from q (1 - q) and λ times the one `seen` there. The
        smallest λ² value that the estimate does not exceed by z standard errors. Second, one bin alone: the squared
        error with its frequency at the end of an exact (Clopper–Pearson) interval that lies nearer to the prediction.
        """
        return min(self._along_the_path(value, z, seen), self.one_bin_nearer(value, level))

    def upper_end(self, value: float, level: float) -> float:
        """The squared error with one bin's frequency at the farther end of its exact interval: the rule of three.

        Among all models compatible with no event in any bin, the error is largest if all the probability lies in one
        bin.
        """
        low, high = exact_interval(self.frequency, self.effective, tail=(1 - level) / 2)
        predicted = self.frequency + self.gap
        farthest = np.maximum(high - predicted, predicted - low) ** 2
        return max(value, 0.0) + float(np.maximum(self.share * (farthest - self.squared_gap), 0.0).max())

    def _along_the_path(self, value: float, z: float, seen: Callable[[float], float]) -> float:
        def held(way: float) -> bool:
            here = way**2 * value
            supposed = max(way**2 * self.product, 0.0) + self.noise
            return (value - here) ** 2 <= z * z * ((1 - way) * supposed + way * max(seen(here), 0.0))

        if value <= 0.0 or held(0.0):
            return min(value, 0.0)
        outside, inside = 0.0, 1.0
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            outside, inside = (outside, middle) if held(middle) else (middle, inside)
        return inside**2 * value

    def one_bin_nearer(self, value: float, level: float) -> float:
        """The squared error with one bin's frequency at the end of its interval that lies nearer to the prediction."""
        low, high = exact_interval(self.frequency, self.effective, tail=min(1 - level, 0.5))
        predicted = self.frequency + self.gap
        nearest = np.maximum(np.maximum(predicted - high, low - predicted), 0.0) ** 2
        return value - float(np.maximum(self.share * (self.squared_gap - nearest), 0.0).max())


def exact_interval(frequency: Floats, n: Floats, *, tail: float) -> tuple[Floats, Floats]:
    """Clopper and Pearson's (1934) interval for a proportion observed among n, which need not be whole; `tail` is the
    probability beyond either end.

    >>> low, high = exact_interval(np.array([0.0, 0.5]), np.array([20.0, 20.0]), tail=0.025)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.272], [0.168, 0.728])
    """
    from scipy.special import betaincinv

    seen = np.clip(frequency, 0.0, 1.0) * n
    others = n - seen
    low = np.where(seen > 0, betaincinv(np.where(seen > 0, seen, 1.0), others + 1, tail), 0.0)
    high = np.where(others > 0, betaincinv(seen + 1, np.where(others > 0, others, 1.0), 1 - tail), 1.0)
    return low, high
