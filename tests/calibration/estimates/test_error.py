"""The plug-in and the debiased error: against loops over tuples of rows, and against the truth."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings

from howsure.calibration.bins import bin_pairs
from howsure.calibration.error import SquaredError, debiased_mse, plugin_mse, root
from howsure.inputs.pairs import Pairs
from howsure.stats.proportions import normal_quantile
from tests.calibration import reference
from tests.calibration.samples import Small, pairs_of, small_pairs

PARTS = ("value", "variance", "slope_above", "slope_below", "least", "left_out")


def bins_of(small: Small) -> reference.Bins:
    return reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w, small.clusters), small.bin_size)


@settings(max_examples=50)
@given(small_pairs())
def test_algorithm_1_is_the_loop(small: Small) -> None:
    assert plugin_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums) == pytest.approx(
        float(reference.plugin_mse(bins_of(small))), abs=1e-14, rel=1e-12
    )


@given(small_pairs(max_size=7))
@settings(max_examples=25)
def test_debiased_error_and_its_variance_are_the_loops(small: Small) -> None:
    found = debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums)
    bins = bins_of(small)
    if not any(len(held) > 1 and reference.worth_two(held) for held in bins):
        assert math.isnan(found.value)
        assert found.left_out == len(small)
        return
    expected = reference.debiased(bins)
    for part in PARTS:
        assert getattr(found, part) == pytest.approx(float(getattr(expected, part)), abs=1e-12, rel=1e-12), part


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_five_to_seven_rows(weighted: bool) -> None:
    rng = np.random.default_rng(6)
    for _ in range(3):
        n = int(rng.integers(15, 22))
        q, y = rng.random(n).round(2), (rng.random(n) < 0.4).astype(np.uint8)
        w = rng.exponential(size=n) + 0.1 if weighted else None
        expected = reference.debiased(reference.adaptive_bins(reference.rows_of(y, q, w), 5))
        found = debiased_mse(bin_pairs(Pairs(y, q, w), bin_size=5).sums)
        for part in PARTS:
            assert getattr(found, part) == pytest.approx(float(getattr(expected, part)), abs=1e-13), part


@given(small_pairs(max_size=8))
@example(Small([0, 0, 1, 0, 1], [0.25, 0.0, 0.0, 0.25, 0.1], [4.0, 1.0, 0.5, 4.0, 1.0], [0] * 5, 3))  # variance < 0
@settings(max_examples=20)
def test_the_interval_is_what_a_test_does_not_reject(small: Small) -> None:
    """Without what rare labels add, which has tests of its own."""
    found = replace(debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums), rare=None)
    if math.isnan(found.value):
        assert all(math.isnan(end) for end in found.interval(0.95))
        return
    expected = reference.debiased(bins_of(small))
    for level in (0.5, 0.95):
        low, high = found.interval(level)
        searched = reference.interval_by_search(expected, normal_quantile(level))
        assert (low, high) == pytest.approx(searched, abs=1e-6)  # roots of rounding errors
        assert low <= found.value <= high


def test_intervals_of_a_higher_level_hold_those_of_a_lower() -> None:
    rng = np.random.default_rng(7)
    q = rng.random(300)
    found = debiased_mse(bin_pairs(Pairs((rng.random(300) < q**2).astype(np.uint8), q), bin_size=20).sums)
    lows, highs = zip(*(found.interval(level) for level in (0.1, 0.5, 0.9, 0.95, 0.99)), strict=True)
    assert (np.diff(lows) < 0).all()
    assert (np.diff(highs) > 0).all()


def test_few_degrees_of_freedom_make_it_longer() -> None:
    parts = (0.01, 1e-6, 0.0, 0.0, 1e-7, 0)
    normal, student = SquaredError(*parts).interval(0.95), SquaredError(*parts, 5).interval(0.95)
    assert student[0] < normal[0] < normal[1] < student[1]
    assert (student[1] - 0.01) / 1e-3 == pytest.approx(2.5706, abs=1e-4)  # Student's t, 5 degrees of freedom


def test_the_debiased_error_has_no_bias_and_its_variance_is_right() -> None:
    """Fixed predictions in fixed bins, labels drawn 2,000 times: mean and variance of the value over the draws."""
    rng = np.random.default_rng(8)
    q = np.sort(rng.random(120))
    p = np.clip(q + 0.15 * np.sin(2 * np.pi * q), 0, 1)
    draws = rng.random((2_000, 120)) < p
    found = [debiased_mse(bin_pairs(Pairs(y.view(np.uint8), q), bin_size=10).sums) for y in draws]
    values = np.array([squared.value for squared in found])
    gaps = (q - p).reshape(12, 10).mean(axis=1)
    # With q fixed, u of a bin's rows differ in their means: the products of different rows estimate this.
    deviations = (q - p).reshape(12, 10)
    truth = (10 * gaps**2 - (deviations**2).mean(axis=1)).mean() / 9
    assert values.mean() == pytest.approx(truth, abs=4 * values.std() / math.sqrt(2_000))
    assert np.mean([squared.variance for squared in found]) >= 0.96 * values.var()


def test_a_calibrated_model_is_above_zero_as_often_as_below() -> None:
    rng = np.random.default_rng(9)
    values = []
    for _ in range(500):
        q = rng.beta(0.3, 0.7, 400)
        values.append(debiased_mse(bin_pairs(Pairs((rng.random(400) < q).astype(np.uint8), q), bin_size=20).sums).value)
    assert abs(np.mean(values)) < 4 * np.std(values) / math.sqrt(500)


@settings(max_examples=50)
@given(small_pairs(ties=False, weighted=False, max_size=40))
def test_doubling_nested_bins_never_increases_the_plugin_error(small: Small) -> None:
    """Jensen: merging bins two by two averages their gaps."""
    base = small.bin_size
    n = len(small) // base * base
    pairs = pairs_of(Small(small.y[:n], small.q[:n], None, [], base))
    errors = []
    size = base
    while n and n % size == 0:
        errors.append(plugin_mse(bin_pairs(pairs, bin_size=size).sums))
        size *= 2
    assert all(later <= earlier + 1e-15 for earlier, later in pairwise(errors))


@settings(max_examples=50)
@given(small_pairs(max_size=12))
def test_equal_weights_are_no_weights(small: Small) -> None:
    plain = pairs_of(Small(small.y, small.q, None, [], small.bin_size))
    weighted = Pairs(plain.labels, plain.probabilities, np.full(len(small), 0.25))
    one, other = (debiased_mse(bin_pairs(pairs, bin_size=small.bin_size).sums) for pairs in (plain, weighted))
    for part in PARTS:
        assert getattr(one, part) == pytest.approx(getattr(other, part), abs=1e-12, nan_ok=True), part


def test_root() -> None:
    assert root(-0.5) == 0.0
    assert root(0.25) == 0.5
    assert math.isnan(root(math.nan))
