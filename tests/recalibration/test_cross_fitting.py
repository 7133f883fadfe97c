"""Cross-fitting: no row by a map that has seen it or its cluster; honest about a choice."""

from __future__ import annotations

import numpy as np
import pytest

from howsure import InputError, recalibrate
from howsure.recalibration.cross_fitting import cross_fitted
from howsure.recalibration.folds import check_choice_in_folds
from howsure.recalibration.labelled import labelled_from
from tests.recalibration.test_recalibrate import binary, classes


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_each_fold_has_the_map_of_the_others(method):
    y, q = binary(500)
    cluster = np.arange(500) // 3
    found = cross_fitted(y, q, method=method, clusters=cluster, rng=4)
    assert all(len(np.unique(found.fold[cluster == one])) == 1 for one in np.unique(cluster))
    for number in range(5):
        own = found.fold == number
        alone = recalibrate(y[~own], q[~own], method=method)
        assert (found.probabilities[own] == alone.apply(q[own])).all()
    assert found.methods == (method,) * 5
    assert (found.before == q).all()


def test_folds_are_dealt_evenly_over_labels_and_groups():
    y, q = binary(600)
    group = np.repeat(["a", "b", "b"], 200)
    fold = cross_fitted(y, q, method="platt", groups=group).fold
    for one in ("a", "b"):
        for label in (0, 1):
            sizes = np.bincount(fold[(group == one) & (y == label)], minlength=5)
            assert sizes.max() - sizes.min() <= 1


def test_folds_know_nothing_of_data_from_the_same_seed():
    rng = np.random.default_rng(0)
    q = rng.random(1000)
    y = rng.random(1000) < q
    fold = cross_fitted(y, q, method="platt", rng=0).fold
    neighbours = fold[np.flatnonzero(y)[np.argsort(q[y])]]
    assert np.mean(np.diff(neighbours) % 5 == 1) < 0.5  # 1, if the folds were dealt in the order of q


def test_a_choice_is_made_without_each_fold():
    codes, logits = classes(400)
    found = cross_fitted(codes, logits=logits, method="auto", folds=3)
    assert len(found.methods) == 3
    assert found.probabilities.shape == (400, 3)
    again = cross_fitted(codes, logits=logits, method="auto", folds=3)
    assert (found.probabilities == again.probabilities).all()
    assert (found.fold == again.fold).all()


def test_a_label_of_one_cluster_alone_cannot_be_cross_fitted():
    y = np.zeros(100, dtype=int)
    y[:3] = 1
    with pytest.raises(InputError, match="the label '1' lies in one cluster alone"):
        cross_fitted(y, np.linspace(0.1, 0.9, 100), method="isotonic", clusters=np.arange(100) // 3)


def test_folds_that_lack_a_label_are_counted():
    y = np.zeros(100, dtype=int)
    y[::40] = 1
    assert "2 of 5 folds lack a label" in cross_fitted(y, np.linspace(0.1, 0.9, 100), method="isotonic").notes[0]


@pytest.mark.parametrize("folds", [2, 3, 5, 9])
def test_a_choice_in_folds_needs_two_more_rows_than_folds(folds):
    y, q = np.arange(folds + 1) % 2, np.linspace(0.1, 0.9, folds + 1)
    with pytest.raises(InputError, match=f"{folds + 1} rows are too few .* at least {folds + 2} are needed"):
        cross_fitted(y, q, method="auto", folds=folds)
    check_choice_in_folds(labelled_from(np.append(y, 1), np.append(q, 0.5)), folds)
