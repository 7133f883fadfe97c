"""Strata and clusters: by brute force, by laws, and where they cannot say anything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from howsure.errors import InputError
from howsure.significance import compare
from howsure.significance.bootstrap import degrees_of_freedom, spread_ratio
from howsure.significance.units import build_units
from tests.significance.made_systems import distributions, labels, problem_of
from tests.significance.populations import paired_strata, unequal_clusters
from tests.significance.simulations import rejection_rates


def two_equal_strata():
    """200 items in two strata of the same content: only one system is right in 15 + 5 and in 15 + 5."""
    one = np.zeros(100, dtype=int), np.repeat([1, 0], [15, 85]), np.repeat([0, 1, 0], [15, 5, 80])
    return *(np.tile(column, 2) for column in one), np.repeat(["x", "y"], 100)


def test_strata_of_equal_content_do_not_fall_apart() -> None:
    """They interleaved: the interval was [.1, .1] and p .0001."""
    targets, a, b, strata = two_equal_strata()
    problem, metrics = problem_of(targets, a, b, ["accuracy"], strata=strata)
    units = build_units(problem, metrics)
    assert len(units.starts) == 2
    assert units.stratum_sizes.tolist() == [100] * len(units)
    found, plain = (
        compare(targets, a, b, strata=one, metrics="accuracy", method="bootstrap", rng=0)[0] for one in (strata, None)
    )
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.006)
    assert found.p_value == pytest.approx(plain.p_value, abs=0.003)
    assert found.low > 0.03


@pytest.mark.parametrize("sizes", [[2, 2, 2], [3, 2, 4], [2, 5]])
@pytest.mark.parametrize("alike", [False, True])
def test_the_stratified_bootstrap_is_that_of_all_draws(sizes: list[int], alike: bool) -> None:
    """The p of the mean of a loss: all ways to draw each stratum from itself, widened by the strata's own factors."""
    n = sum(sizes)
    targets, a, b = distributions(n, 3, 7)
    if alike:
        targets, a, b = (np.tile(column[:2], (n, 1))[:n] for column in (targets, a, b))
    strata = np.repeat(np.arange(len(sizes)), sizes)
    d = -(targets * np.log(b)).sum(axis=1) + (targets * np.log(a)).sum(axis=1)
    sums = [[d[strata == k][list(draw)].sum() for draw in product(range(m), repeat=m)] for k, m in enumerate(sizes)]
    drawn = np.array([sum(one) for one in product(*sums)]) / n
    held = [d[strata == k] for k in range(len(sizes))]
    bootstrap, due = (sum(len(one) * one.var(ddof=free) for one in held) for free in (0, 1))
    free = n**2 / sum(m**2 / (m - 1) for m in sizes)
    due_spread = np.sqrt(due / bootstrap)
    wider = due_spread * stats.t.ppf(0.975, max(1.0, free)) / stats.norm.ppf(0.975)
    row = compare(targets, a, b, metrics="cross_entropy", strata=strata, method="bootstrap", rng=1, n_resamples=20_000)[
        0
    ]
    if not alike:
        normal = np.mean(np.abs(due_spread * (drawn - d.mean())) >= abs(d.mean()) - 1e-12)
        expected = 2 * stats.t.cdf(stats.norm.ppf(normal / 2), max(1.0, free))
        assert row.p_value == pytest.approx(expected, abs=0.015)
    ends = d.mean() - wider * (np.quantile(drawn, [0.975, 0.025]) - d.mean())
    assert (row.low, row.high) == pytest.approx(ends, abs=0.04 * max(ends[1] - ends[0], 0.1))


@pytest.mark.parametrize("size", [2, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_small_strata_keep_the_level(size: int, method: str) -> None:
    """Type-I error was .95 for strata of 2 and .46 for strata of 4."""
    rates = rejection_rates(
        paired_strata, 80, method=method, metrics="accuracy", data={"size": size, "n": 200}, n_resamples=299
    )
    assert rates["accuracy"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 80)


@pytest.mark.parametrize(
    "kind", [*(pytest.param(one, marks=pytest.mark.long) for one in ("equal", "lognormal")), "one large"]
)
def test_intervals_of_few_clusters_hold_the_truth(kind: str) -> None:
    """They missed it in .13 to .28 of the sets."""
    missed = 0
    for k in range(100):
        targets, a, b, clusters = unequal_clusters(np.random.default_rng([3, k]), clusters=10, kind=kind)
        row = compare(targets, a, b, metrics="accuracy", clusters=clusters, n_resamples=299, rng=k)[0]
        missed += not row.low <= 0 <= row.high
    assert missed / 100 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def test_the_jackknife_ratio_of_unequal_clusters_is_that_of_its_formula() -> None:
    """A mean: a cluster's influence over one minus its share of the rows."""
    targets, a, b = labels(60, 2, 3)
    clusters = np.repeat(np.arange(6), [1, 2, 3, 10, 14, 30])
    problem, metrics = problem_of(targets, a, b, ["accuracy"], clusters=clusters)
    units = build_units(problem, metrics)
    d = (b == targets).astype(float) - (a == targets)
    sums, share = np.bincount(clusters, weights=d), np.bincount(clusters) / 60
    influence = sums / 60 - share * d.mean()
    expected = np.sqrt(5 / 6 * ((influence / (1 - share)) ** 2).sum() / (influence**2).sum())
    assert spread_ratio(units, metrics[0]) == pytest.approx(expected, rel=1e-3)
    assert degrees_of_freedom(units) == pytest.approx(60**2 / (np.bincount(clusters) ** 2).sum() - 1)


def test_rows_without_clusters_have_the_usual_correction() -> None:
    targets, a, b = labels(30, 2, 3)
    problem, metrics = problem_of(targets, a, b, ["macro_f1"])
    units = build_units(problem, metrics)
    assert spread_ratio(units, metrics[0]) == pytest.approx(np.sqrt(30 / 29))
    assert degrees_of_freedom(units) == 29


def test_few_clusters_are_said() -> None:
    targets, a, b = labels(200, 2, 3)
    few = compare(targets, a, b, clusters=np.arange(200) // 10, metrics="accuracy", rng=0, n_resamples=50)
    many = compare(targets, a, b, clusters=np.arange(200) // 4, metrics="accuracy", rng=0, n_resamples=50)
    assert many.notes == ()
    assert few.notes[0].startswith("there are 20 clusters: below 40, intervals and p-values are rough")
    unequal = compare(targets, a, b, clusters=np.maximum(np.arange(200) - 140, 0), metrics="accuracy", rng=0)
    assert unequal.notes[0].startswith("there are 60 clusters of unequal size, equivalent to 2.0 equal ones: below 40")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strata": ["x", "x", "x", "y"]}, r"two items or more; 'y' \(row 3\) holds one, which cannot vary"),
        ({"strata": ["x", "x", "y", "y"], "clusters": [0, 0, 1, 2]}, r"two clusters or more; 'x' \(row 0\)"),
        ({"clusters": ["d"] * 4}, "clusters must be two or more; all rows are of one"),
    ],
)
def test_what_cannot_vary_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare([0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 0], **options)
