"""Targets and systems to compare, made up."""

from __future__ import annotations

import numpy as np

from howsure.significance.checked_systems import read_systems
from howsure.significance.comparison import compare
from howsure.significance.metrics.requested import find_applicable


def labels(n: int, classes: int, seed: int, *, accuracy: tuple[float, float] = (0.7, 0.75), skewed: bool = False):
    """Targets and the labels of two systems that are right together more often than by chance."""
    rng = np.random.default_rng(seed)
    share = np.array([0.8, 0.15, *[0.05 / (classes - 2)] * (classes - 2)]) if skewed else np.full(classes, 1 / classes)
    targets = rng.choice(classes, size=n, p=share)
    luck = rng.random(n)
    systems = []
    for right in accuracy:
        wrong = rng.choice(classes, size=n, p=share)
        systems.append(np.where(luck + rng.normal(0, 0.1, n) < right, targets, wrong))
    return targets, *systems


def distributions(n: int, classes: int, seed: int, *, weights: tuple[float, float] = (0.6, 0.62)):
    """Targets and predictions that mix them with noise of their own."""
    rng = np.random.default_rng(seed)
    targets = rng.dirichlet(np.ones(classes), n)
    return targets, *(w * targets + (1 - w) * rng.dirichlet(np.ones(classes), n) for w in weights)


def one_metric(name: str, targets, predictions) -> float:
    """The value of a metric, as `compare` reports it."""
    return values_of(targets, predictions, name)[name]


def values_of(targets, predictions, *names: str) -> dict[str, float]:
    """The values of metrics, as `compare` reports them."""
    options = {"method": "bootstrap", "interval": None, "n_resamples": 1, "rng": 0}
    result = compare(targets, predictions, predictions, metrics=names, **options)
    return {row.metric: row.against_value for row in result}


def problem_of(targets, baseline, model, names, **options):
    """The checked problem and its metrics."""
    systems = read_systems(targets, {"baseline": baseline, "model": model}, tasks=set(), **options)
    return systems.problem("baseline", "model"), [find_applicable(name, systems, None) for name in names]
