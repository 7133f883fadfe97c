"""Metrics of weighted rows, their standard errors and the permutation test in their plainest form."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy import stats

MEANS = ("accuracy", "cross_entropy", "brier", "multiclass_brier", "log_loss", "micro_f1")
LOSSES = ("cross_entropy", "brier", "multiclass_brier", "log_loss", "squared_calibration_error", "calibration_error")
STEP = 1e-4


def weighted_value(name: str, targets, predictions, weights) -> float:
    """A metric of rows that count `weights` times."""
    if name in ("accuracy", "micro_f1"):
        return float(np.average(targets == predictions, weights=weights))
    if name == "cross_entropy":
        return float(np.average(-(targets * np.log(predictions)).sum(axis=1), weights=weights))
    if name.startswith("entropy"):
        x, y = (stats.entropy(one, axis=1) / np.log(one.shape[1]) for one in (targets, predictions))
        if name == "entropy_similarity":
            return float((weights * x * y).sum() / np.sqrt((weights * x * x).sum() * (weights * y * y).sum()))
        return float(np.cov(x, y, aweights=weights)[0, 1] / np.sqrt(np.prod(np.diag(np.cov(x, y, aweights=weights)))))
    if name == "squared_calibration_error":
        return _squared(targets, predictions, weights)
    average, figure = name.split("_")
    values, sizes = [], []
    for label in np.unique(targets):
        true, predicted = weights[targets == label].sum(), weights[predictions == label].sum()
        right = weights[(targets == label) & (predictions == label)].sum()
        below = {"precision": predicted, "recall": true, "f1": (true + predicted) / 2}[figure]
        values.append(right / below if below > 0 else 0.0)
        sizes.append(true)
    return float(np.mean(values) if average == "macro" else np.average(values, weights=sizes))


def _squared(targets, predictions, weights) -> float:
    total = n = 0.0
    bins = np.minimum((predictions * 20).astype(int), 19)
    for one in np.unique(bins):
        held = bins == one
        m, gap = weights[held].sum(), predictions[held] - targets[held]
        if held.sum() > 1:
            total += ((weights[held] * gap).sum() ** 2 - (weights[held] * gap**2).sum()) / (m - 1)
            n += m
    return total / n


def studentised(name: str, targets, a, b) -> float:
    """The difference over the root of the sum of squares of the rows' influences: derivatives by their weights."""

    def difference(weights) -> float:
        return weighted_value(name, targets, b, weights) - weighted_value(name, targets, a, weights)

    n = len(targets)
    d = difference(np.ones(n))
    if name in MEANS or abs(d) < 1e-12:
        return d
    steps = STEP * np.eye(n)
    influence = np.array([(difference(1 + step) - difference(1 - step)) / (2 * STEP) for step in steps])
    error = np.sqrt(max((influence**2).sum() - influence.sum() ** 2 / n, 0.0))
    return d / max(error, abs(d) / 1e6)


def slow_permutation_p(targets, baseline, model, metric: str, alternative: str = "two-sided") -> float:
    """Every way to swap the systems, row by row."""
    sign = -1 if metric in LOSSES else 1
    statistic = sign * studentised(metric, targets, baseline, model)
    extreme = []
    for swap in product([False, True], repeat=len(targets)):
        where = np.array(swap).reshape(-1, *[1] * (np.asarray(model).ndim - 1))
        t = sign * studentised(metric, targets, np.where(where, model, baseline), np.where(where, baseline, model))
        slack = 1e-5 * max(1.0, abs(statistic))
        extreme.append(abs(t) >= abs(statistic) - slack if alternative == "two-sided" else t >= statistic - slack)
    return float(np.mean(extreme))
