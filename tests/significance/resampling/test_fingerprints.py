"""Fingerprints tell apart what differs, and nothing else."""

from __future__ import annotations

import numpy as np

from howsure.significance.units import build_units, label_colours, mixed, row_fingerprints
from tests.significance.made_systems import distributions, labels, problem_of


def test_mixing_is_one_to_one() -> None:
    values = np.concatenate([np.arange(100_000), 2**40 + np.arange(100_000)]).astype(np.uint64)
    assert len(np.unique(mixed(values))) == len(values)


def test_labels_that_occur_differently_have_their_own_colours() -> None:
    targets, a, b = labels(300, 6, 1, accuracy=(0.6, 0.6))
    problem, _ = problem_of(targets, a, b, ["accuracy"])
    assert len(np.unique(label_colours(problem))) == 6


def test_labels_that_may_be_exchanged_have_one() -> None:
    targets = np.array([0, 0, 1, 1, 2])
    problem, _ = problem_of(targets, targets[[0, 1, 2, 3, 4]], np.array([0, 1, 1, 0, 2]), ["accuracy"])
    first, second, third = label_colours(problem)
    assert first == second != third


def test_rows_have_one_fingerprint_if_they_are_equal() -> None:
    targets, a, b = (np.repeat(one, 2, axis=0) for one in distributions(20, 3, 1))
    prints, exchanged = row_fingerprints(problem_of(targets, a, b, ["total_variation"])[0])
    assert (prints[::2] == prints[1::2]).all()
    assert len(np.unique(prints)) == len(np.unique(exchanged)) == 20
    back, _ = row_fingerprints(problem_of(targets, b, a, ["total_variation"])[0])
    assert (back == exchanged).all()


def test_the_units_are_those_of_the_exchanged_systems() -> None:
    targets, a, b = labels(100, 3, 1)
    names = ["macro_f1"]
    one, other = (build_units(*problem_of(targets, *systems, names)) for systems in ((a, b), (b, a)))
    assert one.swapped != other.swapped
    assert (one.first == other.first).all()
    assert (one.second == other.second).all()
    assert (one.counts == other.counts).all()
    assert one.counts.sum() == 100
