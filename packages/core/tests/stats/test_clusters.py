"""How much clusters of unequal size say, and one rule for all chapters of what must be said where that is little."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from howsure import calibration_curve, compare_calibration, compare_models
from howsure.stats.agreement import alpha, pairable_sums
from howsure.stats.clusters import (
    ItemGroups,
    added_contribution,
    effective_contributors,
    ends_with_added_cluster,
    few_clusters,
    few_contributors,
    gamma_interval,
    gamma_p_value,
    kish,
)

SIZES = st.lists(st.integers(1, 10_000), min_size=1, max_size=200).map(np.array)


@given(SIZES, st.floats(1e-3, 1e3))
def test_unequal_clusters_are_worth_fewer(sizes: np.ndarray, scale: float) -> None:
    worth = kish(sizes)
    assert 1 - 1e-12 <= worth <= len(sizes) * (1 + 1e-12)
    assert kish(sizes * scale) == pytest.approx(worth, rel=1e-12)
    assert kish(np.full(len(sizes), scale)) == pytest.approx(len(sizes), rel=1e-12)
    assert kish(np.append(sizes, 0)) == pytest.approx(worth, rel=1e-12)


def test_one_rule_for_all_chapters() -> None:
    """Sixty clusters of which one holds most rows: only `compare` said so; curves counted sixty."""
    rng = np.random.default_rng(4)
    q = rng.random(3_000)
    y = (rng.random(3_000) < q).astype(int)
    clusters = np.maximum(np.arange(3_000) // 30 - 40, 0)
    warning = few_clusters(np.bincount(clusters))
    assert warning.startswith("there are 60 clusters of unequal size, equivalent to 5.7 equal ones: with fewer than 40")
    assert warning in calibration_curve(y, q, clusters=clusters).notes
    assert warning in compare_calibration(y, q, against=q**2, clusters=clusters).notes
    assert f"{warning}." in compare_models(y, q > 0.4, q > 0.6, metrics="accuracy", clusters=clusters, rng=0).notes


def test_few_clusters_widen_valid_intervals_of_bounded_scores() -> None:
    assert few_clusters(np.full(12, 5), bounded=True) == (
        "there are 12 clusters: with fewer than 40, intervals are wide; more clusters are needed, not more rows"
    )
    assert few_clusters(np.full(40, 5), bounded=True) is None


def test_weights_count_as_rows() -> None:
    """Forty-five clusters of equal size; five have the weight."""
    rng = np.random.default_rng(5)
    q = rng.random(900)
    y, clusters = rng.random(900) < q, np.arange(900) // 20
    options = {"clusters": clusters, "sample_weight": np.where(clusters < 5, 1_000.0, 1.0)}
    for notes in (calibration_curve(y, q, **options).notes, compare_calibration(y, q, against=q**2, **options).notes):
        assert notes[0].startswith("there are 45 clusters of unequal size, equivalent to 5.1 equal ones")
    assert not calibration_curve(y, q, clusters=clusters).notes


# Shares that few clusters carry: an interval that is exact for Poisson numbers, and one more cluster.


@pytest.mark.parametrize("events", [0, 1, 4, 30])
def test_equal_contributions_have_the_exact_interval_of_a_poisson_number(events: int) -> None:
    """Garwood's (1936), and the p-value of its upper end."""
    low, high = gamma_interval(events / 50, events / 50**2, 1 / 50, level=0.9)
    assert low == pytest.approx(chi2.ppf(0.05, 2 * events) / 100 if events else 0.0, rel=1e-9)
    assert high == pytest.approx(chi2.ppf(0.95, 2 * events + 2) / 100, rel=1e-9)
    moments = (np.array([moment]) for moment in (events / 50, events / 50**2, 1 / 50))
    assert gamma_p_value(*moments, high).item() == pytest.approx(0.05, rel=1e-9)


def test_one_more_cluster_counts_whole_among_few_and_less_among_many() -> None:
    assert added_contribution(0.1, np.array([0.0, 19.0, 20.0, 40.0])).tolist() == [0.1, 0.1, 0.1, 0.05]
    assert ends_with_added_cluster(0.2, 0.001, 0.1, 100.0, level=0.95) == (0.2, 0.2)
    low, high = ends_with_added_cluster(0.2, 0.001, 0.1, 30.0, level=0.95)
    assert low < 0.2 < high


def test_the_note_names_the_clusters() -> None:
    counts = np.array([18, 1, 1, 0, 0])
    assert effective_contributors(counts) == pytest.approx(400 / 326)
    note = few_contributors(counts, "the wrong answers")
    assert note is not None
    assert "are in 3 of 5 clusters, equivalent to 1.2 equal ones" in note
    assert few_contributors(np.zeros(5), "the wrong answers") is None


# Standard errors of a mean against their definition, Inspect's formula, and leaving out each unit.


def inspect_stderr(values, clusters) -> float:
    """`stderr(cluster=)` of Inspect AI as its formula is written: Σ over pairs of a cluster, times C/(C - 1)."""
    values, clusters = np.asarray(values, dtype=float), np.asarray(clusters)
    total, distinct = 0.0, set(clusters.tolist())
    for cluster_id in distinct:
        off = values[clusters == cluster_id] - values.mean()
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
def test_with_clusters_it_matches_inspect(seed: int) -> None:
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
    left = np.array([values[codes != code].mean() for code in range(groups.units)])
    expected = np.sqrt((groups.units - 1) / groups.units * ((left - values.mean()) ** 2).sum())
    assert groups.jackknife_error(values) == pytest.approx(expected, abs=1e-9)


def test_strata_are_added_up() -> None:
    """The variance of a stratified mean is the sum of the strata's, each with its own degrees of freedom."""
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [10, 30, 60])
    values = rng.normal(size=100) + 5 * strata
    groups = ItemGroups.of(100, strata=strata)
    parts = [values[strata == number] for number in range(3)]
    expected = np.sqrt(sum((len(part) / 100) ** 2 * part.var(ddof=1) / len(part) for part in parts))
    assert groups.standard_error(values) == pytest.approx(expected, rel=1e-12)
    assert groups.jackknife_error(values) == pytest.approx(expected, rel=1e-9)


def test_unequal_clusters_count_as_fewer() -> None:
    clusters = np.repeat(np.arange(4), [30, 1, 1, 1])
    groups = ItemGroups.of(33, clusters=clusters)
    assert groups.degrees == 1.0
    assert ItemGroups.of(33, clusters=np.repeat(np.arange(3), 11)).degrees == pytest.approx(2.0)


# Krippendorff's alpha: his own worked examples, and all pairs of values one by one.


# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: examples A, B and C.
TWO_BINARY = ("0100000010", "1110010000")
TWO_NOMINAL = ("aabbdcccedda", "babbbccceddd")
FOUR_MISSING = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def counts_of(coders: tuple[str, ...]) -> np.ndarray:
    values = sorted({value for coder in coders for value in coder} - {"."})
    return np.array(
        [[sum(coder[unit] == value for coder in coders) for value in values] for unit in range(len(coders[0]))],
        dtype=float,
    )


def alpha_of(counts: np.ndarray) -> float:
    observed, values = pairable_sums(counts)
    return float(alpha(observed.sum(), values.sum(axis=0)))


@pytest.mark.parametrize(
    ("coders", "published"), [(TWO_BINARY, 0.095), (TWO_NOMINAL, 0.692), (FOUR_MISSING, 0.743)], ids=str
)
def test_worked_examples(coders: tuple[str, ...], published: float) -> None:
    assert {len(coder) for coder in coders} == {len(coders[0])}
    assert alpha_of(counts_of(coders)) == pytest.approx(published, abs=5e-4)


@given(st.lists(st.lists(st.sampled_from("ab."), min_size=3, max_size=3), min_size=1, max_size=8))
def test_all_pairs_one_by_one(units: list[list[str]]) -> None:
    """Each ordered pair of values of a unit has the weight 1 / (m - 1); by chance, any two of all values are paired."""
    pairs, all_values = {True: 0.0, False: 0.0}, []
    for unit in units:
        unit_values = [value for value in unit if value != "."]
        if len(unit_values) > 1:
            all_values += unit_values
            for first, other in permutations(unit_values, 2):
                pairs[first == other] += 1 / (len(unit_values) - 1)
    chance = [first != other for first, other in permutations(all_values, 2)]
    counts = np.array([[unit.count("a"), unit.count("b")] for unit in units], dtype=float)
    if not any(chance):
        assert np.isnan(alpha_of(counts))
        return
    observed = pairs[False] / (pairs[True] + pairs[False])
    assert alpha_of(counts) == pytest.approx(1 - observed / np.mean(chance), abs=1e-12)
