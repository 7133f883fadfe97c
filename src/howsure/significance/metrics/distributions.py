"""Metrics of predicted distributions against distributions, such as the votes of many annotators."""

from __future__ import annotations

import numpy as np

from howsure.significance.metrics.metric import Floats, Metric, mean_loss, ratio, register
from howsure.significance.systems.problem import Problem

SMALLEST = 1e-12  # BooStSa's clip of probabilities in its cross-entropy


def cross_entropies(targets: Floats, predictions: Floats) -> Floats:
    """-sum t log q of each row, in nats; infinite where q is 0 and t is not."""
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
    """The square root of the Jensen-Shannon divergence of each row: the quantity that BooStSa and scipy call by this
    name."""
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
    held = p > 0
    return p * np.log(np.where(held, p, 1.0) / np.where(held, middle, 1.0))


register(mean_loss("cross_entropy", "soft", cross_entropies, best=None))
register(mean_loss("clipped_cross_entropy", "soft", clipped_cross_entropies, best=None))
register(mean_loss("jensen_shannon_divergence", "soft", jensen_shannon_divergences))
register(mean_loss("jensen_shannon_distance", "soft", jensen_shannon_distances))
register(mean_loss("total_variation", "soft", total_variations, bounds=(0.0, 1.0)))
register(Metric("entropy_similarity", "soft", entropy_rows, entropy_similarity, best=1.0))
register(Metric("entropy_correlation", "soft", entropy_rows, entropy_correlation, best=1.0))
