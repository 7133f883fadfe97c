"""Calibration errors of many labels at once, of two models, and of labels on average, by one jackknife of sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import debiased_estimate
from howsure.calibration.clusters import clustered_mse, clustered_value, without_each_cluster
from howsure.calibration.error import cluster_sums, root
from howsure.calibration.table import by_group
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.stats.clusters import jackknife_error, ratio_error
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile, t_quantile

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """The calibration of every label of one model.

    names: the L labels. errors: debiased errors with intervals. squared (L,): their squares, not cut at zero. without
    (L, sentences): the same, with one sentence left out.
    """

    names: tuple[str, ...]
    errors: tuple[Estimate, ...]
    squared: Floats
    without: Floats

    def average(self, labels: Integers) -> Estimate:
        """The root mean square of some labels' errors, with its interval."""
        value, without = self.roots(labels)
        return jackknifed(value, without, n=len(labels))

    def roots(self, labels: Integers) -> tuple[float, Floats]:
        """The root mean square of some labels' errors, and (sentences,) the same without each sentence."""
        return root(float(self.squared[labels].mean())), np.sqrt(self.without[labels].mean(axis=0).clip(min=0.0))


def label_errors(pairs: Pairs, *, bin_size: int | str) -> LabelErrors:
    """The errors of all labels (the groups of `pairs`), each of which must have pairs of every sentence."""
    names, errors, squared, without = [], [], [], []
    for name, group in by_group(pairs):
        binned = bin_pairs(group, binning="adaptive", bin_size=bin_size, n_bins=None)
        cells = cluster_sums(group, binned.bins_of(group.probabilities), len(binned.sums))
        found = clustered_mse(cells)
        names.append(name)
        errors.append(debiased_estimate(found, n=len(group), level=LEVEL))
        squared.append(found.value)
        without.append(without_each_cluster(cells))
    return LabelErrors(tuple(names), tuple(errors), np.array(squared), np.array(without))


def squared_errors(pairs: Pairs, *, bin_size: int | str) -> Floats:
    """(L,): only the debiased squared errors of the labels."""
    found = []
    for _, group in by_group(pairs):
        binned = bin_pairs(group, binning="adaptive", bin_size=bin_size, n_bins=None)
        cells = cluster_sums(group, binned.bins_of(group.probabilities), len(binned.sums))
        found.append(clustered_value(cells))
    return np.array(found)


def of_sentences(pairs: Pairs, sentences: Integers) -> Pairs:
    """The pairs of some sentences (clusters), with their labels (groups)."""
    assert pairs.clusters is not None
    assert pairs.groups is not None
    rows = np.flatnonzero(np.isin(pairs.clusters, sentences))
    return Pairs(
        pairs.labels[rows],
        pairs.probabilities[rows],
        groups=pairs.groups[rows],
        group_names=pairs.group_names,
        clusters=np.unique(pairs.clusters[rows], return_inverse=True)[1],
    )


@dataclass(frozen=True, slots=True)
class Contest:
    """Two models, label by label: `a` and `b`; positive differences mean that b is the better calibrated one."""

    a: LabelErrors
    b: LabelErrors

    @property
    def names(self) -> tuple[str, ...]:
        """The labels."""
        return self.a.names

    def differences(self) -> list[Estimate]:
        """The difference of the squared errors of every label, with its interval over the test data."""
        return [
            jackknifed(float(value), without, n=1)
            for value, without in zip(self.a.squared - self.b.squared, self.a.without - self.b.without, strict=True)
        ]

    def average(self, labels: Integers) -> Estimate:
        """The difference of the root mean square errors of some labels, with its interval over the test data."""
        (value_a, without_a), (value_b, without_b) = (one.roots(labels) for one in (self.a, self.b))
        return jackknifed(value_a - value_b, without_a - without_b, n=len(labels))

    def wins(self) -> int:
        """How many labels b is better calibrated for."""
        return wins(self.a.squared, self.b.squared)


def wins(a: Floats, b: Floats) -> int:
    """How many labels the second model has the smaller error for."""
    return int(np.count_nonzero(b < a))


def jackknifed(value: float, without: Floats, *, n: int) -> Estimate:
    """A value with the normal interval that follows from leaving out one sentence at a time.

    >>> print(jackknifed(2.0, np.array([1.5, 2.0, 2.5]), n=3))
    2.0000 [0.8684, 3.1316]
    """
    if math.isnan(value) or np.isnan(without).any():
        return Estimate(math.nan, None, None, LEVEL, "jackknife", n)
    reach = normal_quantile(LEVEL) * float(jackknife_error(without))
    return Estimate(float(value), float(value) - reach, float(value) + reach, LEVEL, "jackknife", n)


def p_value(difference: Estimate) -> float:
    """The two-sided p of no difference, from a normal interval; undefined (NaN) without one.

    >>> p_value(Estimate(1.96, 0.0, 3.92, 0.95, "jackknife", 9)).__round__(2)
    0.05
    """
    from scipy.special import ndtr

    if difference.low is None or difference.high is None:
        return math.nan
    error = (difference.high - difference.low) / 2 / normal_quantile(difference.level)
    if error == 0.0:
        return 1.0 if difference.value == 0.0 else 0.0
    return float(2 * ndtr(-abs(difference.value) / error))


def over_halves(value: float, replicates: Sequence[float]) -> Estimate:
    """A value whose interval holds for other training and other test data.

    replicates: the values with J random halves of the training data, each judged on a random half of the test data.
    Their variance estimates that of the value (delete-d jackknife of both, d = n / 2): value ± t(J - 1) · sd.

    >>> print(over_halves(30.0, [28.0, 31.0, 33.0, 30.0, 28.0]))
    30.0000 [24.1103, 35.8897]
    """
    reach = t_quantile(LEVEL, len(replicates) - 1) * float(np.std(replicates, ddof=1))
    return Estimate(value, value - reach, value + reach, LEVEL, "training and test halves", len(replicates))


def clustered_mean(values: Floats, clusters: Integers) -> Estimate:
    """The mean of values that belong together in clusters, with its normal interval (linearised ratio).

    >>> print(clustered_mean(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])))
    0.5000 [-0.4800, 1.4800]
    """
    mean = float(values.mean())
    reach = normal_quantile(LEVEL) * ratio_error(np.bincount(clusters, values), np.bincount(clusters))
    return Estimate(mean, mean - reach, mean + reach, LEVEL, "clustered", len(values))
