"""Metrics of predicted probabilities against labels, of distributions, and of scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.significance.metrics.metric import Floats, Metric, mean, mean_loss, ratio, register
from howsure.significance.systems import Problem

# Metrics of predicted probabilities against labels: log loss, Brier score, calibration error.

Codes = npt.NDArray[np.int64]
BINS = 20


def log_losses(targets: Codes, predictions: Floats) -> Floats:
    """Return -log of the probability of each row's label, in nats; infinite if the probability is 0."""
    if predictions.shape[-1] == 1:
        true_probabilities = np.where(targets == 1, predictions[:, 0], 1 - predictions[:, 0])
    else:
        true_probabilities = predictions[np.arange(len(targets)), targets]
    with np.errstate(divide="ignore"):
        return -np.log(true_probabilities)


def certain_rows(predictions: Floats) -> int:
    """The number of rows of predictions (..., n, K), or (..., n, 1), in which some class has probability 1.

    The log loss of such a row is infinite if it is wrong, so that the expected log loss may be infinite, even if all
    such rows are correct in the sample.

    >>> certain_rows(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])), certain_rows(np.array([[0.0], [0.9]]))
    (1, 1)
    """
    certain = (predictions == 1.0) | (predictions == 0.0) if predictions.shape[-1] == 1 else predictions == 1.0
    return int(certain.any(axis=-1).sum())


def brier_scores(targets: Codes, predictions: Floats) -> Floats:
    """The Brier score of each row (n,): (q - y)² for probabilities of one class, or its sum over all classes."""
    if predictions.shape[-1] == 1:
        return np.asarray((predictions[:, 0] - targets) ** 2)
    true_probabilities = predictions[np.arange(len(targets)), targets]
    return np.asarray((predictions**2).sum(axis=-1) - 2 * true_probabilities + 1)


def ranked_probability_scores(targets: Codes, predictions: Floats) -> Floats:
    """Σ_k (P(Y ≤ k) - 1{y ≤ k})² of each row, for classes in order; (q - y)² if the probabilities are of one class."""
    if predictions.shape[-1] == 1:
        return brier_scores(targets, predictions)
    reached = targets[:, None] <= np.arange(predictions.shape[-1] - 1)
    return np.asarray(((np.cumsum(predictions, axis=-1)[:, :-1] - reached) ** 2).sum(axis=-1))


def calibration_rows(targets: Codes, predictions: Floats, problem: Problem) -> Floats:
    """For 20 bins of equal width, the terms 1, q - y and (q - y)² of each row in its bin: (rows, 60).

    q is the probability of the positive class. For several classes, it is the probability of the most probable class,
    and y is 1 if that class is correct. Edges are fixed, because data-dependent bins would give a system a different
    value in every comparison.
    """
    q, y = _confidence(targets, predictions)
    bins, gap, rows = np.minimum((q * BINS).astype(np.int64), BINS - 1), q - y, np.arange(len(q))
    statistics = np.zeros((len(q), 3, BINS))
    statistics[rows, 0, bins], statistics[rows, 1, bins], statistics[rows, 2, bins] = 1.0, gap, gap**2
    return statistics.reshape(len(q), 3 * BINS)


def alone_in_bin(targets: Codes, predictions: Floats) -> int:
    """Return the number of rows that are alone in their bin. Such rows carry no information about the bin's error."""
    bins = np.minimum((_confidence(targets, predictions)[0] * BINS).astype(np.int64), BINS - 1)
    return int((np.bincount(bins) == 1).sum())


def squared_calibration_error(sums: Floats) -> Floats:
    """Return Σ (m/n) (S² - Q) / (m (m - 1)) over bins, which is unbiased and therefore sometimes below 0.

    m: the number of rows in the bin. n: the number of rows in all bins with several rows. S, Q: the sums of q - y and
    of (q - y)² in the bin. The sums contain m of every bin, then S of every bin, then Q of every bin.
    """
    m, gap_sum, square_sum = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    unbiased = ratio(gap_sum**2 - square_sum, m - 1)
    n = np.where(np.isnan(unbiased), 0.0, m).sum(axis=-1)
    return ratio(np.nansum(unbiased, axis=-1), n)


def squared_slopes(sums: Floats) -> Floats:
    """Return the derivatives of `squared_calibration_error` with respect to the sums m, S and Q of each bin.

    The derivatives of a bin with a single row are 0, because the error leaves out this bin.
    """
    m, gap_sum, square_sum = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    has_several = m > 1
    n = np.where(has_several, m, 0.0).sum(axis=-1)[..., None, None]
    m_minus_1 = np.where(has_several, m - 1, 1.0)
    unbiased = (gap_sum**2 - square_sum) / m_minus_1
    slopes = np.stack([-unbiased / m_minus_1, 2 * gap_sum / m_minus_1, -1 / m_minus_1], axis=-2)
    slopes[..., 0, :] -= squared_calibration_error(sums)[..., None]  # n, by which the error is divided, depends on m
    slopes = np.where(has_several[..., None, :], slopes, 0.0) / np.where(n > 0, n, np.nan)
    return np.asarray(slopes).reshape(sums.shape)


def calibration_error(sums: Floats) -> Floats:
    """Return the root of the squared calibration error; 0 if the squared error is negative."""
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


register(mean_loss("log_loss", "probabilistic", log_losses, infinite_at_zero=True))


register(mean_loss("multiclass_brier", "probabilistic", brier_scores, bounds=(0.0, 2.0)))


register(mean_loss("brier", "probabilistic", brier_scores, bounds=(0.0, 1.0)))


register(mean_loss("rps", "probabilistic", ranked_probability_scores))


register(_calibration("calibration_error", calibration_error, tested=SQUARED))


register(SQUARED)


# Metrics of predicted distributions against distributions, such as the votes of many annotators.

SMALLEST = 1e-12  # BooStSa's clip of probabilities in its cross-entropy


def cross_entropies(targets: Floats, predictions: Floats) -> Floats:
    """Return -Σ t log q of each row, in nats; infinite if q is 0 and t is not 0."""
    with np.errstate(divide="ignore"):
        logs = np.where(targets > 0, np.log(predictions), 0.0)
    return np.asarray(-(targets * logs).sum(axis=-1))


def clipped_cross_entropies(targets: Floats, predictions: Floats) -> Floats:
    """The cross-entropy with both sides clipped to [1e-12, 1 - 1e-12], as in BooStSa: a zero costs 27.6 nats."""
    t, q = np.clip(targets, SMALLEST, 1 - SMALLEST), np.clip(predictions, SMALLEST, 1 - SMALLEST)
    return np.asarray(-(t * np.log(q)).sum(axis=-1))


def jensen_shannon_divergences(targets: Floats, predictions: Floats) -> Floats:
    """H((t + q)/2) - (H(t) + H(q))/2 of each row, in nats; in [0, log 2]."""
    middle = (targets + predictions) / 2
    pieces = _terms(targets, middle) + _terms(predictions, middle)
    return np.asarray(np.maximum(pieces.sum(axis=-1) / 2, 0.0))


def jensen_shannon_distances(targets: Floats, predictions: Floats) -> Floats:
    """The square root of the Jensen-Shannon divergence of each row, which BooStSa and scipy call the distance."""
    return np.sqrt(jensen_shannon_divergences(targets, predictions))


def total_variations(targets: Floats, predictions: Floats) -> Floats:
    """Half the sum of the absolute differences of each row; in [0, 1]."""
    return np.asarray(np.abs(targets - predictions).sum(axis=-1) / 2)


def normalised_entropies(distributions: Floats) -> Floats:
    """-sum q log q / log K of each row; in [0, 1]."""
    logs = np.log(np.where(distributions > 0, distributions, 1.0))
    return np.asarray(-(distributions * logs).sum(axis=-1) / np.log(distributions.shape[-1]))


def entropy_rows(targets: Floats, predictions: Floats, problem: Problem) -> Floats:
    """The moments of the entropies x of the targets and y of the predictions: x, x², y, y², xy, 1: (rows, 6)."""
    x, y = normalised_entropies(targets), normalised_entropies(predictions)
    return np.stack([x, x * x, y, y * y, x * y, np.ones_like(x)], axis=-1)


def entropy_similarity(sums: Floats) -> Floats:
    """The cosine of the two vectors of entropies; undefined if either is all 0."""
    _, xx, _, yy, xy, _ = np.moveaxis(sums, -1, 0)
    return ratio(xy, np.sqrt(xx * yy))


def entropy_correlation(sums: Floats) -> Floats:
    """Pearson's correlation of the two vectors of entropies; undefined if either is constant."""
    x, xx, y, yy, xy, n = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = _variance(x, xx, n), _variance(y, yy, n)
    return ratio(xy / n - x / n * (y / n), np.sqrt(spread_x * spread_y))


def _variance(first: Floats, second: Floats, n: Floats) -> Floats:
    """The variance from two moments; 0 where only rounding error remains."""
    centre, raw = (first / n) ** 2, second / n
    return np.where(raw - centre > 1e-13 * raw, raw - centre, 0.0)


def _terms(p: Floats, middle: Floats) -> Floats:
    positive = p > 0
    return p * np.log(np.where(positive, p, 1.0) / np.where(positive, middle, 1.0))


register(mean_loss("cross_entropy", "soft", cross_entropies, best=None, infinite_at_zero=True))


register(mean_loss("clipped_cross_entropy", "soft", clipped_cross_entropies, best=None))


register(mean_loss("jensen_shannon_divergence", "soft", jensen_shannon_divergences))


register(mean_loss("jensen_shannon_distance", "soft", jensen_shannon_distances))


register(mean_loss("total_variation", "soft", total_variations, bounds=(0.0, 1.0)))


register(Metric("entropy_similarity", "soft", entropy_rows, entropy_similarity, best=1.0))


register(Metric("entropy_correlation", "soft", entropy_rows, entropy_correlation, best=1.0))


# The mean of a score that each item already has: exact match, ROUGE, a judge's grade.


def score_rows(targets: Floats, predictions: Floats, problem: Problem) -> Floats:
    """Return two columns (rows, 2): the score, and ones."""
    return np.concatenate([predictions, np.ones_like(predictions)], axis=-1)


def _higher(targets: Any, predictions: Any, problem: Problem) -> Floats:
    return np.asarray(predictions[..., 0])


def _lower(targets: Any, predictions: Any, problem: Problem) -> Floats:
    return np.asarray(-predictions[..., 0])


def score_metric(name: str, *, lower_is_better: bool = False, bounds: tuple[float, float] | None = None) -> Metric:
    """The mean score as a metric, by its name; `bounds`: the lowest and the highest possible score.

    >>> score_metric("rougeL").is_mean
    True
    """
    score = _lower if lower_is_better else _higher
    return Metric(name, "score", score_rows, mean, higher_is_better=not lower_is_better, bounds=bounds, score=score)
