"""Standard errors of a mean against their definition, Inspect's formula, and leaving out each unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.stats.clusters import ItemGroups


def inspect_stderr(values, clusters) -> float:
    """`stderr(cluster=)` of Inspect AI as its formula is written: Σ over pairs of a cluster, times C/(C - 1)."""
    values, clusters = np.asarray(values, dtype=float), np.asarray(clusters)
    total, distinct = 0.0, set(clusters.tolist())
    for one in distinct:
        off = values[clusters == one] - values.mean()
        total += sum(a * b for a in off for b in off)
    return float(np.sqrt(total * len(distinct) / (len(distinct) - 1)) / len(values))


@pytest.mark.parametrize("n", [2, 30, 1000])
def test_without_clusters_it_is_the_standard_deviation_over_root_n(n: int) -> None:
    values = np.random.default_rng(n).normal(3.0, 2.0, n)
    groups = ItemGroups.of(n)
    assert groups.standard_error(values) == pytest.approx(values.std(ddof=1) / np.sqrt(n), rel=1e-12)
    assert groups.jackknife_error(values) == pytest.approx(groups.standard_error(values), rel=1e-12)
    assert groups.degrees == pytest.approx(n - 1)


@pytest.mark.parametrize("seed", range(5))
def test_with_clusters_it_is_that_of_inspect(seed: int) -> None:
    """One model's scores and the paired differences of two, clusters of any size."""
    rng = np.random.default_rng(seed)
    clusters = rng.permutation(np.repeat(np.arange(12), rng.integers(1, 9, 12)))
    n = len(clusters)
    common = rng.normal(size=12)[clusters]
    a, b = ((common + rng.normal(size=n)) > 0.3 for _ in range(2))
    groups = ItemGroups.of(n, clusters=clusters)
    for values in (a.astype(float), b.astype(float) - a):
        assert groups.standard_error(values) == pytest.approx(inspect_stderr(values, clusters), rel=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 4)), min_size=8, max_size=40))
def test_the_jackknife_leaves_out_each_cluster(rows) -> None:
    values = np.array([value for value, _ in rows])
    codes = np.unique([cluster for _, cluster in rows], return_inverse=True)[1]
    groups = ItemGroups.of(len(values), clusters=codes)
    if groups.units == 1:
        assert np.isnan(groups.jackknife_error(values))
        return
    left = np.array([values[codes != one].mean() for one in range(groups.units)])
    expected = np.sqrt((groups.units - 1) / groups.units * ((left - values.mean()) ** 2).sum())
    assert groups.jackknife_error(values) == pytest.approx(expected, abs=1e-9)


def test_strata_are_added_up() -> None:
    """The variance of a stratified mean is the sum of the strata's, each with its own degrees of freedom."""
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [10, 30, 60])
    values = rng.normal(size=100) + 5 * strata
    groups = ItemGroups.of(100, strata=strata)
    parts = [values[strata == one] for one in range(3)]
    expected = np.sqrt(sum((len(part) / 100) ** 2 * part.var(ddof=1) / len(part) for part in parts))
    assert groups.standard_error(values) == pytest.approx(expected, rel=1e-12)
    assert groups.jackknife_error(values) == pytest.approx(expected, rel=1e-9)


def test_unequal_clusters_count_as_fewer() -> None:
    clusters = np.repeat(np.arange(4), [30, 1, 1, 1])
    groups = ItemGroups.of(33, clusters=clusters)
    assert groups.degrees == 1.0
    assert ItemGroups.of(33, clusters=np.repeat(np.arange(3), 11)).degrees == pytest.approx(2.0)
