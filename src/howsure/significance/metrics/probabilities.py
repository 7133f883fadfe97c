"""Metrics of predicted probabilities against labels: log loss, Brier score, calibration error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.significance.metrics.metric import Floats, Metric, mean_loss, ratio, register
from howsure.significance.systems.problem import Problem

Codes = npt.NDArray[np.int64]
BINS = 20


def log_losses(targets: Codes, predictions: Floats) -> Floats:
    """-log of the probability that each row gave to its label, in nats; infinite where that was 0."""
    if predictions.shape[-1] == 1:
        given = np.where(targets == 1, predictions[:, 0], 1 - predictions[:, 0])
    else:
        given = predictions[np.arange(len(targets)), targets]
    with np.errstate(divide="ignore"):
        return -np.log(given)


def brier_scores(targets: Codes, predictions: Floats) -> Floats:
    """(q - y)² of each row with the probabilities of one class; the sum of that over the classes with those of all."""
    if predictions.shape[-1] == 1:
        return np.asarray((predictions[:, 0] - targets) ** 2)
    given = predictions[np.arange(len(targets)), targets]
    return np.asarray((predictions**2).sum(axis=-1) - 2 * given + 1)


def calibration_rows(targets: Codes, predictions: Floats, problem: Problem) -> Floats:
    """Bin by bin: 1, q - y, (q - y)², for 20 bins of equal width: (rows, 60).

    A row's q is the probability of the positive class, or where there are those of all classes, that of the most
    probable one, and y says whether it was right. Bins that did not depend on fixed edges would give a system another
    value in every comparison.
    """
    q, y = _confidence(targets, predictions)
    bins, gap, rows = np.minimum((q * BINS).astype(np.int64), BINS - 1), q - y, np.arange(len(q))
    held = np.zeros((len(q), 3, BINS))
    held[rows, 0, bins], held[rows, 1, bins], held[rows, 2, bins] = 1.0, gap, gap**2
    return held.reshape(len(q), 3 * BINS)


def alone_in_bin(targets: Codes, predictions: Floats) -> int:
    """How many rows have a bin for themselves, which says nothing about a bin's error."""
    bins = np.minimum((_confidence(targets, predictions)[0] * BINS).astype(np.int64), BINS - 1)
    return int((np.bincount(bins) == 1).sum())


def squared_calibration_error(sums: Floats) -> Floats:
    """sum (m/n) (S² - Q)/(m(m - 1)) over the bins: unbiased, hence below 0 now and then."""
    m, gap, square = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    unbiased = ratio(gap**2 - square, m - 1)
    n = np.where(np.isnan(unbiased), 0.0, m).sum(axis=-1)
    return ratio(np.nansum(unbiased, axis=-1), n)


def squared_slopes(sums: Floats) -> Floats:
    """The derivatives of the squared calibration error by its sums."""
    m, gap, square = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    several = m > 1
    n = np.where(several, m, 0.0).sum(axis=-1)[..., None, None]
    rest = np.where(several, m - 1, 1.0)
    unbiased = (gap**2 - square) / rest
    change = np.stack([-unbiased / rest, 2 * gap / rest, -1 / rest], axis=-2)
    change[..., 0, :] -= squared_calibration_error(sums)[..., None]
    return np.asarray(np.where(several[..., None, :], change, 0.0) / np.where(n > 0, n, np.nan)).reshape(sums.shape)


def calibration_error(sums: Floats) -> Floats:
    """The root of the squared calibration error, 0 where that is negative."""
    return np.sqrt(np.maximum(squared_calibration_error(sums), 0.0))


def _confidence(targets: Codes, predictions: Floats) -> tuple[Floats, Floats]:
    if predictions.shape[-1] == 1:
        return predictions[:, 0], targets.astype(np.float64)
    top = predictions.argmax(axis=-1)
    return predictions[np.arange(len(top)), top], (top == targets).astype(np.float64)


def _calibration(name: str, value: Callable[[Floats], Floats], **more: Any) -> Metric:
    return Metric(
        name, "probabilistic", calibration_rows, value, higher_is_better=False, best=0.0, scale_free=False, **more
    )


SQUARED = _calibration("squared_calibration_error", squared_calibration_error, slopes=squared_slopes)

register(mean_loss("log_loss", "probabilistic", log_losses))
register(mean_loss("brier", "probabilistic", brier_scores))
register(_calibration("calibration_error", calibration_error, tested=SQUARED))
register(SQUARED)
