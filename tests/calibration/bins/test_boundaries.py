"""Algorithm 1: where the bins end, against a loop over the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.calibration.bins import bin_pairs, boundaries_of_sorted
from howsure.inputs.pairs import Pairs
from tests.calibration import reference
from tests.calibration.samples import TIED, Small, pairs_of, small_pairs


def ends_of(bins: reference.Bins) -> list[float]:
    return [float(held[-1].q) for held in bins]


@settings(max_examples=40)
@given(small_pairs())
def test_bins_are_those_of_the_loop(small: Small) -> None:
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q), small.bin_size)
    assert boundaries_of_sorted(np.sort(small.q), bin_size=small.bin_size).tolist() == ends_of(bins)[:-1]
    found = bin_pairs(pairs_of(small), bin_size=small.bin_size)
    assert found.sums.count.tolist() == [len(held) for held in bins]
    assert found.upper.tolist() == ends_of(bins)


@settings(max_examples=40)
@given(small_pairs(ties=False))
def test_without_ties_it_is_the_algorithm_as_printed(small: Small) -> None:
    rows = reference.rows_of(small.y, small.q)
    assert reference.adaptive_bins(rows, small.bin_size) == reference.paper_bins(rows, small.bin_size)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(TIED), min_size=1, max_size=60), st.integers(1, 70))
def test_a_bin_never_splits_a_tie_and_holds_enough(q: list[float], bin_size: int) -> None:
    bins = bin_pairs(Pairs(np.zeros(len(q), dtype=np.uint8), np.array(q)), bin_size=bin_size)
    upper = bins.upper
    assert (np.diff(upper[:-1]) > 0).all()
    assert set(upper[:-1].tolist()) <= set(q)
    assert bins.sums.count.sum() == len(q)
    assert bins.sums.count.min() >= min(bin_size, len(q))
