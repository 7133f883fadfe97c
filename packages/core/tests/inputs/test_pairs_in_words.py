"""Pairs are shown as one line, not as their arrays."""

from __future__ import annotations

from howsure.inputs.pairs_from import pairs_from


def test_pairs_are_one_line() -> None:
    pairs = pairs_from([0, 1, 1, 1], [0.1, 0.5, 0.7, 0.9])
    assert repr(pairs) == str(pairs) == "4 pairs: base rate 0.7500, mean probability 0.5500"


def test_weights_groups_and_clusters_are_counted() -> None:
    pairs = pairs_from([0, 1], [0.2, 0.6], sample_weight=[3, 1], groups=["a", "b"], clusters=[5, 5])
    assert str(pairs) == "2 pairs: base rate 0.2500, mean probability 0.3000, weighted, 2 groups, 1 cluster"
