"""Gaffke's test: the exact binomial and McNemar's test where it is these, enumeration, laws, and error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binom, norm

from howsure.inputs.pairs import Floats
from howsure.stats import gaffke
from howsure.stats.gaffke import (
    ROUNDING,
    UnitSums,
    find_zero,
    gaffke_bound,
    gaffke_interval,
    gaffke_p_value,
    paired_differences,
)
from howsure.stats.p_values import LARGEST, SMALLEST, bisect_limit, smallest_size


def alone(values: Floats) -> UnitSums:
    return UnitSums.of(values, np.ones(len(values)))


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.02, 0.98))
def test_shares_have_the_exact_binomial_test(right: int, wrong: int, limit: float) -> None:
    n = right + wrong
    if n == 0:
        return
    p = gaffke_p_value(alone(np.repeat([1.0, 0.0], [right, wrong])), limit, low=0.0)
    assert p == pytest.approx(binom.sf(right - 1, n, limit), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("right", "wrong"), [(0, 12), (1, 30), (199, 1), (20, 20), (7, 0)])
def test_the_interval_of_a_share_matches_clopper_and_pearson(right: int, wrong: int) -> None:
    low, high = gaffke_interval(alone(np.repeat([1.0, 0.0], [right, wrong])), bounds=(0.0, 1.0), size=0.025)
    assert low == pytest.approx(beta.ppf(0.025, right, wrong + 1) if right else 0.0, abs=1e-9)
    assert high == pytest.approx(beta.ppf(0.975, right + 1, wrong) if wrong else 1.0, abs=1e-9)


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 50))
def test_paired_shares_have_mcnemars_exact_test(more: int, fewer: int, same: int) -> None:
    p = gaffke_p_value(alone(np.repeat([1.0, -1.0, 0.0], [more, fewer, same])), 0.0, low=-1.0)
    assert p == pytest.approx(binom.sf(more - 1, more + fewer, 0.5), rel=1e-9)


def scores_of_shape(shape: str, n: int, rng: np.random.Generator) -> Floats:
    match shape:
        case "rare losses":
            return np.where(rng.random(n) < 3 / n, 0.0, 0.9 + 0.1 * rng.random(n))
        case "two points":
            return np.where(rng.random(n) < 0.3, rng.normal(0.2, 1e-4, n), rng.normal(0.8, 1e-4, n))
        case "tied":
            return np.round(rng.random(n), 3)
        case "skewed":
            return rng.beta(0.05, 20.0, n)
        case _:
            return rng.beta(2.0, 3.0, n)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("shape", ["rare losses", "two points", "tied", "skewed", "beta"])
def test_cells_of_many_scores_change_no_interval(shape: str, clustered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    scores, sizes = scores_of_shape(shape, 3000, rng), np.ones(3000)
    if clustered:
        sizes = np.minimum(np.ceil(rng.lognormal(0.0, 1.5, 3000)), 300.0)
        scores = scores * sizes
    sums = UnitSums.of(scores, sizes)
    by_cells = gaffke_interval(sums, bounds=(0.0, 1.0), size=0.025)
    p_by_cells = gaffke_p_value(sums, 0.98 * sums.value, low=0.0)
    monkeypatch.setattr(gaffke, "MAX_EXACT", 10**9)
    exact = UnitSums.of(scores, sizes)
    assert len(exact.sums) > 512
    assert gaffke_interval(exact, bounds=(0.0, 1.0), size=0.025) == pytest.approx(
        by_cells, abs=1e-10 * (by_cells[1] - by_cells[0])
    )
    assert gaffke_p_value(exact, 0.98 * exact.value, low=0.0) == pytest.approx(p_by_cells, rel=1e-9)


def by_partial_fractions(z: Floats) -> float:
    """P(Σ z E ≤ 0) for values that all differ: 1 - Σ over z_i > 0 of Π over j ≠ i of z_i / (z_i - z_j)."""
    products = [math.prod(z_i / (z_i - other) for j, other in enumerate(z) if j != i) for i, z_i in enumerate(z)]
    return 1 - sum(product for product, z_i in zip(products, z, strict=True) if z_i > 0)


@pytest.mark.parametrize("seed", range(8))
def test_a_few_clusters_by_partial_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, 6).astype(float)
    sums = rng.random(6) * sizes
    mean = sums.sum() / sizes.sum() * 0.8
    z = np.append(sums - mean * sizes, -mean * sizes.max())
    assert gaffke_p_value(UnitSums.of(sums, sizes), mean, low=0.0) == pytest.approx(by_partial_fractions(z), rel=1e-9)


@pytest.mark.long
def test_many_clusters_by_drawing() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 50, 80).astype(float)
    sums = rng.binomial(sizes.astype(int), 0.9).astype(float)
    mean = 0.87
    z = np.append(sums - mean * sizes, -mean * sizes.max())
    drawn = np.mean(rng.standard_exponential((200_000, 81)) @ z <= 0)
    p = gaffke_p_value(UnitSums.of(sums, sizes), mean, low=0.0)
    assert abs(drawn - p) < 4 * math.sqrt(p * (1 - p) / 200_000)


@pytest.mark.long
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=2, max_size=12),
    st.floats(-3, 3),
    st.floats(0.1, 10),
)
def test_laws(clusters: list[tuple[float, int]], shift: float, scale: float) -> None:
    """Neither order nor the unit of the scores matters; p rises with the limit; the bound is where p is the size."""
    means, sizes = np.array(clusters).T
    sums = means * sizes
    score_sums = UnitSums.of(sums, sizes)
    p = gaffke_p_value(score_sums, 0.4, low=0.0)
    assert gaffke_p_value(UnitSums.of(sums[::-1], sizes[::-1]), 0.4, low=0.0) == p
    moved = UnitSums.of(scale * sums + shift * sizes, sizes)
    assert gaffke_p_value(moved, scale * 0.4 + shift, low=shift) == pytest.approx(p, rel=1e-6, abs=1e-12)
    assert gaffke_p_value(score_sums, 0.5, low=0.0) >= p * (1 - 1e-9)
    bound = gaffke_bound(score_sums, low=0.0, size=0.05)
    if bound > 1e-9:
        assert gaffke_p_value(score_sums, bound, low=0.0) == pytest.approx(0.05, rel=1e-3)
    low, high = gaffke_interval(score_sums, bounds=(0.0, 1.0), size=0.2)
    assert -1e-12 <= low <= score_sums.value + 1e-9
    assert score_sums.value - 1e-9 <= high <= 1 + 1e-12


def test_a_wrong_answer_never_makes_it_more_certain() -> None:
    """Ten clusters of twenty: all right, one wrong, two wrong."""
    bounds = [
        gaffke_bound(UnitSums.of(20.0 - np.repeat([wrong, 0.0], [1, 9]), np.full(10, 20.0)), low=0.0, size=0.05)
        for wrong in (0.0, 1.0, 2.0)
    ]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] == pytest.approx(0.05**0.1)


@pytest.mark.parametrize(("number", "size", "mean"), [(10, 20, 0.9), (60, 5, 0.97), (30, 10, 0.5)])
def test_clusters_right_or_wrong_as_a_whole_keep_the_error_rate(number: int, size: int, mean: float) -> None:
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(600):
        sums = size * (rng.random(number) < mean).astype(float)
        wrong += gaffke_p_value(UnitSums.of(sums, np.full(number, float(size))), mean, low=0.0) <= 0.05
    assert wrong / 600 <= 0.05 + 3.4 * math.sqrt(0.05 * 0.95 / 600)


@pytest.mark.parametrize("n", [60_000, 400_000, 1_000_000])
@pytest.mark.parametrize("share", [1e-4, 0.02, 0.5, 0.99])
def test_many_rows_have_the_exact_binomial_test_too(n: int, share: float) -> None:
    k = round(n * share)
    sums = UnitSums(np.array([0.0, 1.0]), np.ones(2), np.array([n - k, k], dtype=np.float64))
    for errors in (-2.0, 0.5, 3.0, 8.0):
        limit = share - errors * math.sqrt(share * (1 - share) / n)
        if limit > 0.0:
            assert gaffke_p_value(sums, limit, low=0.0) == pytest.approx(binom.sf(k - 1, n, limit), rel=1e-6)


# P-values and bounds by inversion, against tests whose answers are known.


@given(st.floats(1e-9, 0.49))
def test_the_p_value_of_a_normal_test(p: float) -> None:
    z = norm.isf(p)
    assert smallest_size(lambda size: z >= norm.isf(size)) == pytest.approx(p, rel=1e-6)


def test_beyond_the_ends() -> None:
    assert smallest_size(lambda size: False) == 1.0
    assert smallest_size(lambda size: size >= LARGEST) == pytest.approx(LARGEST)
    assert smallest_size(lambda size: True) == SMALLEST


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_how_far_something_holds(near: float, far: float, share: float) -> None:
    end = near + share * (far - near)
    reached = bisect_limit(lambda value: abs(value - near) <= abs(end - near), near, far)
    assert reached == pytest.approx(end, abs=1e-9)


# Paired differences: what rounding does to them, and what it does not.


SCORES = st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=20)


@given(SCORES)
def test_only_rounding_is_taken_away(rows) -> None:
    first, second = np.array(rows).T
    differences = paired_differences(first, second)
    assert np.abs(differences - (first - second)).max() <= ROUNDING * np.abs(np.array(rows)).max()
    assert (paired_differences(second, first) == -differences).all() or np.ptp(differences) == 0


def test_the_order_of_runs_makes_no_difference() -> None:
    runs = np.random.default_rng(0).random((5, 40))
    first, second = runs.mean(axis=0), (runs[4] + runs[2] + runs[0] + runs[1] + runs[3]) / 5
    assert (first != second).any()
    assert (paired_differences(first, second) == 0.0).all()


def test_equal_differences_are_equal() -> None:
    scores = np.random.default_rng(0).random(50).round(2)
    assert len(set((scores + 0.1 - scores).tolist())) > 1
    assert len(set(paired_differences(scores + 0.1, scores).tolist())) == 1


def test_what_is_infinite_stays_so() -> None:
    differences = paired_differences(np.array([np.inf, np.inf, 1.0]), np.array([1.0, np.inf, 1.0]))
    assert differences[0] == np.inf
    assert np.isnan(differences[1])
    assert differences[2] == 0.0


@given(st.floats(-2, 2), st.floats(0.01, 3), st.floats(0.01, 3), st.sampled_from([1.0, 3.0, 40.0]))
def test_the_zero_of_a_function(root: float, below: float, above: float, steep: float) -> None:
    def curve(x: float) -> float:
        return math.expm1(min(steep * (x - root), 8.0)) + (x - root)

    assert find_zero(curve, root - below, root + above, within=1e-13) == pytest.approx(root, abs=1e-9)
    assert find_zero(curve, root + above, root - below, within=1e-13) == pytest.approx(root, abs=1e-9)


def test_the_bound_matches_another_search() -> None:
    rng = np.random.default_rng(5)
    for n in (3, 40, 3000):
        sums = UnitSums.of(rng.integers(0, 3, n) / 2, np.ones(n))
        bound = brentq(
            lambda mean, sums=sums: gaffke_p_value(sums, mean, low=0.0) - 0.025, 1e-9, sums.value, xtol=1e-14
        )
        assert gaffke_bound(sums, low=0.0, size=0.025) == pytest.approx(bound, abs=1e-12)
