"""Calibration errors of many labels at once, of two models, and of labels on average, by one jackknife of sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import debiased_estimate
from howsure.calibration.clustered_error import clustered_mse, clustered_value, without_each_cluster
from howsure.calibration.squared_error import ClusterSums, cluster_sums, root
from howsure.calibration.table import by_group
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure_papers.intervals import LEVEL, jackknife_estimate


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """The calibration of every label of one model.

    names: the L labels. errors: debiased errors with intervals. squared (L,): their squares, not truncated at zero.
    without (L, sentences): the squares with one sentence left out.
    """

    names: tuple[str, ...]
    errors: tuple[Estimate, ...]
    squared: Floats
    without: Floats

    def average(self, labels: Integers) -> Estimate:
        """The root mean square of some labels' errors, with its interval."""
        value, without = self.roots(labels)
        return jackknife_estimate(value, without, n=len(labels))

    def roots(self, labels: Integers) -> tuple[float, Floats]:
        """The root mean square of some labels' errors, and (sentences,) the same without each sentence."""
        return root(float(self.squared[labels].mean())), np.sqrt(self.without[labels].mean(axis=0).clip(min=0.0))


def label_errors(pairs: Pairs, *, bin_size: int | str) -> LabelErrors:
    """Compute the errors of all labels (the groups of `pairs`), which must have pairs from the same sentences.

    Sentences without pairs, such as a sentence of a single word for pairs of tags, are left out.
    """
    assert pairs.clusters is not None
    pairs = select_sentences(pairs, pairs.clusters)
    names, errors, squared, without = [], [], [], []
    for name, group in by_group(pairs):
        cells = _cells(group, bin_size)
        squared_error = clustered_mse(cells)
        names.append(name)
        errors.append(debiased_estimate(squared_error, n=len(group), level=LEVEL))
        squared.append(squared_error.value)
        without.append(without_each_cluster(cells))
    return LabelErrors(tuple(names), tuple(errors), np.array(squared), np.array(without))


def squared_errors(pairs: Pairs, *, bin_size: int | str) -> Floats:
    """The debiased squared errors of the labels (L,), without intervals."""
    return np.array([clustered_value(_cells(group, bin_size)) for _, group in by_group(pairs)])


def _cells(group: Pairs, bin_size: int | str) -> ClusterSums:
    binned = bin_pairs(group, binning="adaptive", bin_size=bin_size, n_bins=None)
    return cluster_sums(group, binned.assign_bins(group.probabilities), len(binned.sums))


def select_sentences(pairs: Pairs, sentences: Integers) -> Pairs:
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
    """Two models, `a` and `b`, compared label by label; a positive difference means that b is better calibrated."""

    a: LabelErrors
    b: LabelErrors

    @property
    def names(self) -> tuple[str, ...]:
        return self.a.names

    def differences(self) -> list[Estimate]:
        """The difference of the squared errors of every label, with its interval over the test data."""
        return [
            jackknife_estimate(float(value), without, n=1)
            for value, without in zip(self.a.squared - self.b.squared, self.a.without - self.b.without, strict=True)
        ]

    def average(self, labels: Integers) -> Estimate:
        """The difference of the root mean square errors of some labels, with its interval over the test data."""
        (value_a, without_a), (value_b, without_b) = (errors.roots(labels) for errors in (self.a, self.b))
        return jackknife_estimate(value_a - value_b, without_a - without_b, n=len(labels))

    def wins(self) -> int:
        """The number of labels for which b is better calibrated."""
        return wins(self.a.squared, self.b.squared)


def wins(a: Floats, b: Floats) -> int:
    """The number of labels for which the second model has the smaller error."""
    return int(np.count_nonzero(b < a))
