"""Krippendorff's alpha: his own worked examples, and all pairs of values one by one."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.stats.agreement import alpha, pairable_sums

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: examples A, B and C.
TWO_BINARY = ("0100000010", "1110010000")
TWO_NOMINAL = ("aabbdcccedda", "babbbccceddd")
FOUR_MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def counts_of(coders: tuple[str, ...]) -> np.ndarray:
    values = sorted({value for one in coders for value in one} - {"."})
    return np.array(
        [[sum(one[unit] == value for one in coders) for value in values] for unit in range(len(coders[0]))], dtype=float
    )


def alpha_of(counts: np.ndarray) -> float:
    observed, values = pairable_sums(counts)
    return float(alpha(observed.sum(), values.sum(axis=0)))


@pytest.mark.parametrize(
    ("coders", "published"), [(TWO_BINARY, 0.095), (TWO_NOMINAL, 0.692), (FOUR_MISSING, 0.743)], ids=str
)
def test_worked_examples(coders: tuple[str, ...], published: float) -> None:
    assert {len(one) for one in coders} == {len(coders[0])}
    assert alpha_of(counts_of(coders)) == pytest.approx(published, abs=5e-4)


@given(st.lists(st.lists(st.sampled_from("ab."), min_size=3, max_size=3), min_size=1, max_size=8))
def test_all_pairs_one_by_one(units: list[list[str]]) -> None:
    """Each ordered pair of values of a unit has the weight 1 / (m - 1); by chance, any two of all values are paired."""
    pairs, held = {True: 0.0, False: 0.0}, []
    for unit in units:
        said = [value for value in unit if value != "."]
        if len(said) > 1:
            held += said
            for one, other in permutations(said, 2):
                pairs[one == other] += 1 / (len(said) - 1)
    chance = [one != other for one, other in permutations(held, 2)]
    counts = np.array([[unit.count("a"), unit.count("b")] for unit in units], dtype=float)
    if not any(chance):
        assert np.isnan(alpha_of(counts))
        return
    observed = pairs[False] / (pairs[True] + pairs[False])
    assert alpha_of(counts) == pytest.approx(1 - observed / np.mean(chance), abs=1e-12)
