"""Pairs in memory: a choice of rows."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Pairs


def test_some_rows_keep_weights_and_clusters() -> None:
    pairs = Pairs(
        np.array([0, 1, 1], dtype=np.uint8), np.array([0.1, 0.5, 0.9]), np.array([1.0, 2.0, 3.0]),
        groups=np.array([0, 0, 1]), group_names=("a", "b"), clusters=np.array([4, 4, 5]),
    )  # fmt: skip
    for rows in (np.array([True, True, False]), np.array([0, 1])):
        some = pairs.only(rows)
        assert len(some) == 2
        assert some.labels.tolist() == [0, 1]
        assert some.probabilities.tolist() == [0.1, 0.5]
        assert some.weights is not None
        assert some.weights.tolist() == [1.0, 2.0]
        assert some.clusters is not None
        assert some.clusters.tolist() == [4, 4]
        assert some.groups is None
    assert pairs.only(np.array([1, 2])).clusters is None  # every row is one by itself
    bare = Pairs(pairs.labels, pairs.probabilities).only(np.array([1]))
    assert (bare.weights, bare.clusters) == (None, None)
