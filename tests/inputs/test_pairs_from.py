"""Pairs as they are handed in: in place of arrays, with what they lack beside them, and never anything twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import howsure
from howsure import Pairs

RNG = np.random.default_rng(8)
PLAIN = howsure.simulate_pairs(400, 0.5, 0.5, transform=0.2, rng=8)
CODES = np.arange(400) // 8
FULL = replace(
    PLAIN, weights=RNG.random(400) + 0.5, groups=np.arange(400) % 2, group_names=("NN", "VB"), clusters=CODES
)
Y, Q, W = FULL.labels, FULL.probabilities, FULL.weights
Function = Callable[..., Any]


@pytest.mark.parametrize(
    ("function", "options", "weighted"),
    [
        (howsure.calibration_curve, {}, {"clusters": CODES}),
        (howsure.calibration_error, {}, {"clusters": CODES}),
        (howsure.calibration_error, {"estimator": "plugin", "interval": "bootstrap", "rng": 1}, {"clusters": CODES}),
        (howsure.calibration_test, {"rng": 1}, {"clusters": CODES}),
        (howsure.calibration_test, {"method": "cox", "rng": 1}, {"clusters": CODES}),
        (howsure.calibration_table, {}, {"clusters": CODES, "groups": FULL.groups}),
        (howsure.score_parts, {"score": "log"}, {}),
    ],
)
def test_pairs_are_what_their_arrays_are(function: Function, options: dict[str, Any], weighted: dict[str, Any]) -> None:
    if function is not howsure.calibration_table:
        assert str(function(PLAIN, **options)) == str(function(Y, Q, **options))
    else:
        weighted = {**weighted, "groups": np.array(FULL.group_names)[weighted["groups"]]}
    found, wanted = function(FULL, **options), function(Y, Q, sample_weight=W, **weighted, **options)
    assert _numbers(found) == _numbers(wanted)
    without = {name: held for name, held in weighted.items() if name == "groups"}
    assert _numbers(found) != _numbers(function(Y, Q, **without, **options))  # weights and clusters count


def _numbers(result: Any) -> str:
    return "\n".join(line for line in str(result).splitlines() if "evaluated together" not in line).split(", recipe")[0]


def test_two_pairs_are_compared() -> None:
    other = replace(FULL, probabilities=Q**1.3)
    found = howsure.compare_calibration(FULL, against=other)
    assert str(found) == str(howsure.compare_calibration(Y, Q, against=Q**1.3, sample_weight=W, clusters=CODES))
    own = replace(other, labels=1 - Y)
    wanted = howsure.compare_calibration(Y, Q, against=Q**1.3, y_true_against=1 - Y, sample_weight=W, clusters=CODES)
    assert str(howsure.compare_calibration(FULL, against=own)) == str(wanted)


def test_what_pairs_lack_may_stand_beside_them() -> None:
    found = howsure.calibration_error(PLAIN, sample_weight=W, clusters=CODES)
    assert found == howsure.calibration_error(Y, Q, sample_weight=W, clusters=CODES)
    table = howsure.calibration_table(PLAIN, groups=np.array(["a", "b"])[np.arange(400) % 2])
    assert [row.name for row in table] == ["a", "b"]


def test_groups_judged_together_are_named() -> None:
    assert "2 groups are evaluated together; calibration_table evaluates each" in howsure.calibration_curve(FULL).notes
    assert "evaluated together" in howsure.calibration_test(FULL, rng=0).recipe["note"]
    assert not any("together" in note for note in howsure.calibration_curve(PLAIN).notes)


# Pairs in memory: a choice of rows.


def test_some_rows_keep_weights_and_clusters() -> None:
    pairs = Pairs(
        np.array([0, 1, 1], dtype=np.uint8),
        np.array([0.1, 0.5, 0.9]),
        np.array([1.0, 2.0, 3.0]),
        groups=np.array([0, 0, 1]),
        group_names=("a", "b"),
        clusters=np.array([4, 4, 5]),
    )
    for rows in (np.array([True, True, False]), np.array([0, 1])):
        some = pairs.only(rows)
        assert len(some) == 2
        assert some.labels.tolist() == [0, 1]
        assert some.probabilities.tolist() == [0.1, 0.5]
        assert some.weights.tolist() == [1.0, 2.0]
        assert some.clusters.tolist() == [4, 4]
        assert some.groups is None
    assert pairs.only(np.array([1, 2])).clusters is None  # every row is one by itself
    bare = Pairs(pairs.labels, pairs.probabilities).only(np.array([1]))
    assert (bare.weights, bare.clusters) == (None, None)
