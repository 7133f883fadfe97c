"""Folds: no row by a map that has seen it or its cluster."""

from __future__ import annotations

import numpy as np
import pytest

from howsure import recalibrate
from howsure.recalibration.fitted import candidates, fit, out_of_fold
from howsure.recalibration.scores import check_choice_in_folds, folds_of, labelled_from
from tests.recalibration.test_recalibrate import binary


@pytest.mark.parametrize("name", ["platt", "isotonic"])
def test_each_fold_has_the_map_of_the_others(name):
    y, q = binary(500)
    cluster = np.arange(500) // 3
    data = labelled_from(y, q, clusters=cluster)
    (method,) = candidates(name, binary=True)
    fold = folds_of(data, 5, np.random.default_rng(4))
    found = out_of_fold(data, fold, lambda others: fit(others, method))
    assert all(len(np.unique(fold[cluster == one])) == 1 for one in np.unique(cluster))
    for number in range(5):
        own = fold == number
        alone = recalibrate(y[~own], q[~own], method=name)
        assert (found[own] == alone.apply(q[own])).all()


def test_folds_are_dealt_evenly_over_labels_and_groups():
    y, q = binary(600)
    group = np.repeat(["a", "b", "b"], 200)
    fold = folds_of(labelled_from(y, q, groups=group), 5, np.random.default_rng(0))
    for one in ("a", "b"):
        for label in (0, 1):
            sizes = np.bincount(fold[(group == one) & (y == label)], minlength=5)
            assert sizes.max() - sizes.min() <= 1


def test_folds_know_nothing_of_data_from_the_same_seed():
    rng = np.random.default_rng(0)
    q = rng.random(1000)
    y = rng.random(1000) < q
    fold = folds_of(labelled_from(y, q), 5, np.random.default_rng(0))
    neighbours = fold[np.flatnonzero(y)[np.argsort(q[y])]]
    assert np.mean(np.diff(neighbours) % 5 == 1) < 0.5  # 1, if the folds were dealt in the order of q


@pytest.mark.parametrize("folds", [3, 5, 9])
def test_two_more_rows_than_folds_are_enough(folds):
    y, q = np.append(np.arange(folds + 1) % 2, 1), np.append(np.linspace(0.1, 0.9, folds + 1), 0.5)
    check_choice_in_folds(labelled_from(y, q), folds)
