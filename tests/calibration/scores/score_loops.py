"""The parts of a proper score, row by row, each by its own definition."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.calibration.reference import ZERO, Bins, frequency, mean_prob, weight


def expected(loss: Callable[[float, int], float], prediction: float, observed: float) -> float:
    """What a prediction costs on average if the label is 1 with a frequency; a factor of 0 silences any cost."""
    true = observed * loss(prediction, 1) if observed > 0 else 0.0
    return true + ((1 - observed) * loss(prediction, 0) if observed < 1 else 0.0)


def brier(prediction: float, label: int) -> float:
    return (prediction - label) ** 2


def log(prediction: float, label: int) -> float:
    likely = prediction if label else 1 - prediction
    return -math.log(likely) if likely > 0 else math.inf


def parts(bins: Bins, loss: Callable[[float, int], float]) -> tuple[float, float, float, float]:
    """Score, calibration, refinement and the part within bins, each by its own definition, row by row."""
    total = float(sum((weight(held) for held in bins), ZERO))
    score = calibration = refinement = within = 0.0
    for held in bins:
        predicted, observed = float(mean_prob(held)), float(frequency(held))
        for row in held:
            share = float(row.w) / total
            cost, at_mean = loss(float(row.q), row.y), expected(loss, predicted, observed)
            best = expected(loss, observed, observed)
            score += share * cost
            calibration += share * (at_mean - best)
            refinement += share * best
            within += share * (cost - at_mean)
    return score, calibration, refinement, within
