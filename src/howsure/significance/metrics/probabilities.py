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
    """-log of the probability assigned to each row's label, in nats; infinite where that is 0."""
    if predictions.shape[-1] == 1:
        given = np.where(targets == 1, predictions[:, 0], 1 - predictions[:, 0])
    else:
        given = predictions[np.arange(len(targets)), targets]
    with np.errstate(divide="ignore"):
        return -np.log(given)


def brier_scores(targets: Codes, predictions: Floats) -> Floats:
    """(q - y)² of each row if the probabilities are of one class; summed over the classes if they are of all."""
    if predictions.shape[-1] == 1:
        return np.asarray((predictions[:, 0] - targets) ** 2)
    given = predictions[np.arange(len(targets)), targets]
    return np.asarray((predictions**2).sum(axis=-1) - 2 * given + 1)


def calibration_rows(targets: Codes, predictions: Floats, problem: Problem) -> Floats:
    """Bin by bin: 1, q - y, (q - y)², for 20 bins of equal width: (rows, 60).

    A row's q is the probability of the positive class or, given those of all classes, that of the most probable one,
    with y = 1 if it is right. The edges are fixed, since data-dependent bins would give a system a different value in
    every comparison.
    """
    q, y = _confidence(targets, predictions)
    bins, gap, rows = np.minimum((q * BINS).astype(np.int64), BINS - 1), q - y, np.arange(len(q))
    held = np.zeros((len(q), 3, BINS))
    held[rows, 0, bins], held[rows, 1, bins], held[rows, 2, bins] = 1.0, gap, gap**2
    return held.reshape(len(q), 3 * BINS)


def alone_in_bin(targets: Codes, predictions: Floats) -> int:
    """The number of rows alone in their bin, which carry no information about the bin's error."""
    bins = np.minimum((_confidence(targets, predictions)[0] * BINS).astype(np.int64), BINS - 1)
    return int((np.bincount(bins) == 1).sum())


def squared_calibration_error(sums: Floats) -> Floats:
    """sum (m/n) (S² - Q)/(m(m - 1)) over the bins: unbiased, hence sometimes below 0."""
    m, gap, square = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    unbiased = ratio(gap**2 - square, m - 1)
    n = np.where(np.isnan(unbiased), 0.0, m).sum(axis=-1)
    return ratio(np.nansum(unbiased, axis=-1), n)


def squared_slopes(sums: Floats) -> Floats:
    """The derivatives of the squared calibration error with respect to its sums."""
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
        name,
        "probabilistic",
        calibration_rows,
        value,
        higher_is_better=False,
        best=0.0,
        bounds=(0.0, 1.0),
        scale_free=False,
        **more,
    )


SQUARED = _calibration("squared_calibration_error", squared_calibration_error, slopes=squared_slopes)

register(mean_loss("log_loss", "probabilistic", log_losses))
register(mean_loss("multiclass_brier", "probabilistic", brier_scores, bounds=(0.0, 2.0)))
register(mean_loss("brier", "probabilistic", brier_scores, bounds=(0.0, 1.0)))
register(_calibration("calibration_error", calibration_error, tested=SQUARED))
register(SQUARED)
