"""Replicates and intervals against their definition and against scipy."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats
from tests.significance.made_systems import distributions, labels, one_metric, problem_of

from howsure.significance import bootstrap as drawing
from howsure.significance.bootstrap import bootstrap_interval, bootstrap_values, jackknife_values, student_p_value
from howsure.significance.comparison import compare
from howsure.significance.resampling_units import build_units, label_colours, merge_equal, row_fingerprints, splitmix64


def units_of(targets, a, b, names, **options):
    problem, metrics = problem_of(targets, a, b, names, **options)
    return build_units(problem, metrics), metrics


@pytest.mark.parametrize(("rows_a_unit", "few_units"), [(10**9, 0), (0, 10**9), (0, -(10**9))])
def test_weights_are_multinomial(rows_a_unit: int, few_units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ways to draw: rows that are counted, one multinomial of the counts, Poisson counts and the rest as rows.

    With half a standard deviation to spare, a third of the Poisson totals is too large and drawn again.
    """
    monkeypatch.setattr(drawing, "ROWS_A_UNIT", rows_a_unit)
    monkeypatch.setattr(drawing, "FEW_UNITS", few_units)
    monkeypatch.setattr(drawing, "SPARE", 0.5)
    targets, a, b = labels(50, 2, 0)
    units, _ = units_of(targets, a, b, ["accuracy"])
    drawn = np.concatenate(list(drawing.bootstrap_weights(units, 20_000, np.random.default_rng(1))))
    assert (drawn.sum(axis=1) == 50).all()
    share = units.counts / 50
    assert drawn.mean(axis=0) == pytest.approx(units.counts, abs=4 * np.sqrt(50 * 0.25 / 20_000))
    expected = 50 * (np.diag(share) - np.outer(share, share))
    assert np.cov(drawn.T) == pytest.approx(expected, abs=0.35)
    for column, p in zip(drawn.T, share, strict=True):
        observed = np.bincount(column.astype(int), minlength=51)
        law = 20_000 * stats.binom(50, p).pmf(np.arange(51))
        kept = law > 5
        table = np.append(observed[kept], observed[~kept].sum()), np.append(law[kept], law[~kept].sum())
        assert stats.chisquare(*table).pvalue > 1e-4


def test_every_stratum_keeps_its_size() -> None:
    targets, a, b = labels(90, 3, 0)
    strata = np.repeat(["x", "y", "z"], [50, 30, 10])
    units, _ = units_of(targets, a, b, ["accuracy"], strata=strata)
    drawn = np.concatenate(list(drawing.bootstrap_weights(units, 50, np.random.default_rng(1))))
    sizes = np.add.reduceat(drawn, units.starts, axis=1)
    assert (np.sort(sizes, axis=1) == [10, 30, 50]).all()


def test_draws_of_small_strata_are_multinomial() -> None:
    """Ten strata of two and three rows, drawn in one go, and one large stratum."""
    targets, a, b = labels(425, 3, 0)
    strata = np.concatenate([np.repeat(np.arange(10), [2, 3] * 5), np.full(400, 10)])
    units, _ = units_of(targets, a, b, ["accuracy"], strata=strata)
    drawn = np.concatenate(list(drawing.bootstrap_weights(units, 20_000, np.random.default_rng(1))))
    sizes = units.stratum_sizes
    assert (np.add.reduceat(drawn, units.starts, axis=1) == np.add.reduceat(units.counts, units.starts)).all()
    assert np.sort(np.unique(sizes)).tolist() == [2, 3, 400]
    share = units.counts / sizes
    stratum = np.repeat(np.arange(11), np.diff(units.starts, append=len(units)))
    same = stratum[:, None] == stratum
    expected = sizes[:, None] * np.where(same, np.diag(share) - np.outer(share, share), 0.0)
    assert drawn.mean(axis=0) == pytest.approx(units.counts, rel=0.03)
    few = sizes < 400
    assert np.cov(drawn.T)[np.ix_(few, few)] == pytest.approx(expected[np.ix_(few, few)], abs=0.03)


@pytest.mark.parametrize("metric", ["macro_f1", "mcc"])
def test_replicates_are_the_metric_of_resampled_rows(metric: str) -> None:
    """What one multinomial draw gives is what the metric of the rows themselves gives."""
    targets, a, b = labels(60, 4, 2)
    units, metrics = units_of(targets, a, b, [metric])
    values = bootstrap_values(units, metrics, 20, np.random.default_rng(5))[0]
    drawn = np.concatenate(list(drawing.bootstrap_weights(units, 20, np.random.default_rng(5))))
    cells = np.stack([units.first[:, 8:].argmax(1), units.first[:, 4:8].argmax(1), units.second[:, 4:8].argmax(1)], 1)
    for k, weights in enumerate(drawn.astype(int)):
        t, x, y = np.repeat(cells, weights, axis=0).T
        expected = one_metric(metric, t, x), one_metric(metric, t, y)
        assert (values[0][k], values[1][k]) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("method", ["basic", pytest.param("percentile", marks=pytest.mark.long), "bca"])
def test_intervals_match_scipy(method: str) -> None:
    """The mean of a loss, by scipy from its own draws: equal up to Monte Carlo error."""
    targets, a, b = distributions(80, 3, 6)
    losses = [-(targets * np.log(probabilities)).sum(axis=1) for probabilities in (a, b)]
    row = compare(targets, a, b, metrics="cross_entropy", interval=method, rng=1, n_resamples=40_000)[0]
    difference = losses[1] - losses[0]
    expected = stats.bootstrap(
        (difference,), np.mean, method="BCa" if method == "bca" else method, n_resamples=40_000, rng=2
    ).confidence_interval
    width = expected.high - expected.low
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high), abs=0.02 * width)


def test_bca_leaves_out_one_row_at_a_time() -> None:
    targets, a, b = labels(40, 3, 6)
    units, metrics = units_of(targets, a, b, ["macro_f1"])
    values, copies = jackknife_values(units, metrics)[0]
    sign = -1 if units.swapped else 1
    slow = []
    for row in range(40):
        kept = np.arange(40) != row
        slow.append(one_metric("macro_f1", targets[kept], b[kept]) - one_metric("macro_f1", targets[kept], a[kept]))
    assert np.sort(np.repeat(sign * values, copies.astype(int))) == pytest.approx(np.sort(slow), abs=1e-12)


def test_bca_on_the_same_replicates_matches_its_formula() -> None:
    rng = np.random.default_rng(1)
    replicates, left_out = rng.gamma(2, size=999), rng.gamma(2, size=30)
    interval = bootstrap_interval(replicates, 1.7, 0.9, "bca", (left_out, np.ones(30)))
    z0 = stats.norm.ppf(np.mean(replicates < 1.7))
    gap = left_out.mean() - left_out
    a = (gap**3).sum() / (6 * (gap**2).sum() ** 1.5)
    tails = [stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in stats.norm.ppf([0.05, 0.95])]
    assert interval == pytest.approx(np.quantile(replicates, tails), abs=1e-12)


def test_undefined_replicates_count_against_a_finding() -> None:
    """A class with one row is missing from a third of the resamples: they are reported, and counted as extreme."""
    targets, a, b = labels(40, 2, 3)
    targets[0], a[0], b[0] = 2, 2, 0
    a[a == 2], b[b == 2] = 0, 0
    a[0] = 2
    row = compare(targets, a, b, metrics="recall", target_class=2, method="bootstrap", rng=0, n_resamples=2000)[0]
    assert 0.3 < row.undefined_resamples / 2000 < 0.45
    assert row.p_value > 0.3


def test_p_does_not_depend_on_the_level_of_the_interval() -> None:
    """Six clusters: Student's t is wide, and wider at higher levels; p once followed it, from .04 to .19."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(6), 30)
    y = rng.integers(0, 2, 180)
    a, b = (np.where(rng.random(180) < right, y, 1 - y) for right in (0.7, 0.82))
    options = {"metrics": ["accuracy", "macro_f1"], "method": "bootstrap", "clusters": clusters, "rng": 0}
    results_by_level = {
        level: compare(y, a, b, level=level, n_resamples=2_000, **options) for level in (0.5, 0.9, 0.95, 0.99)
    }
    for row in range(2):
        p_values = [results_by_level[level][row].p_value for level in results_by_level]
        assert p_values == pytest.approx([p_values[2]] * 4, abs=2 / 2_001)
        assert (p_values[2] <= 0.05) == (results_by_level[0.95][row].low > 0.0)


@pytest.mark.parametrize("clusters", [8, 10, 15])
def test_small_p_of_few_clusters_matches_student(clusters: int) -> None:
    """Equal clusters and a mean: the t-test's. It took the ratio of t at .95 for every tail: .0027 for .0067."""
    rng = np.random.default_rng(clusters)
    drawn = rng.normal(size=clusters)
    for t in (1.0, 2.3, 3.5):
        effects = (drawn - drawn.mean()) / drawn.std(ddof=1) + t / np.sqrt(clusters)
        sums = np.round(60 * effects).astype(int)
        y = np.ones((clusters, 400), dtype=int)
        a, b = (np.where(np.arange(400) < np.maximum(sign * sums, 0)[:, None], 0, 1) for sign in (1, -1))
        options = {"clusters": np.repeat(np.arange(clusters), 400), "method": "bootstrap", "rng": 0}
        row = compare(y.ravel(), a.ravel(), b.ravel(), metrics="accuracy", n_resamples=20_000, **options)[0]
        expected = stats.ttest_1samp(sums, 0).pvalue
        assert row.p_value == pytest.approx(expected, rel=0.3, abs=3 * row.p_error)
        assert row.p_value > 0.7 * expected


@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_p_of_student_on_normal_replicates(alternative: str) -> None:
    """The law itself, in all tails, and its error by the derivative."""
    sides = 2 if alternative == "two-sided" else 1
    for degrees in (1.0, 4.5, 30.0, 1e6):
        for z in (0.0, 0.5, 1.96, 3.0):
            p = sides * stats.norm.sf(z)
            p_value, error = student_p_value(p, 1e-6, alternative, degrees)
            assert p_value == pytest.approx(sides * stats.t.sf(z, degrees), rel=1e-9)
            if z:
                assert error == pytest.approx(1e-6 * stats.t.pdf(z, degrees) / stats.norm.pdf(z), rel=1e-2)
    assert student_p_value(0.3, 0.1, alternative, 0.0) == (0.3, 0.1)


def test_mixing_is_one_to_one() -> None:
    values = np.concatenate([np.arange(100_000), 2**40 + np.arange(100_000)]).astype(np.uint64)
    assert len(np.unique(splitmix64(values))) == len(values)


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
    targets, a, b = (np.repeat(probabilities, 2, axis=0) for probabilities in distributions(20, 3, 1))
    prints, exchanged = row_fingerprints(problem_of(targets, a, b, ["total_variation"])[0])
    assert (prints[::2] == prints[1::2]).all()
    assert len(np.unique(prints)) == len(np.unique(exchanged)) == 20
    back, _ = row_fingerprints(problem_of(targets, b, a, ["total_variation"])[0])
    assert (back == exchanged).all()


def test_the_units_match_the_exchanged_systems() -> None:
    targets, a, b = labels(100, 3, 1)
    names = ["macro_f1"]
    forward, other = (build_units(*problem_of(targets, *systems, names)) for systems in ((a, b), (b, a)))
    assert forward.swapped != other.swapped
    assert (forward.first == other.first).all()
    assert (forward.second == other.second).all()
    assert (forward.counts == other.counts).all()
    assert forward.counts.sum() == 100


@pytest.mark.parametrize("stratified", [False, True])
def test_units_of_equal_sums_are_drawn_as_one(stratified: bool) -> None:
    """Accuracy knows four kinds of rows, whatever the number of classes; the law of the draws is the same."""
    targets, a, b = labels(3_000, 20, 0)
    strata = np.tile(["x", "y", "z"], 1_000) if stratified else None
    units, metrics = units_of(targets, a, b, ["accuracy"], strata=strata)
    merged = merge_equal(units)
    assert len(units) > 400
    assert len(merged) == (12 if stratified else 4)
    assert merged.counts.sum() == units.counts.sum()
    assert merged.counts @ merged.sums == pytest.approx(units.counts @ units.sums)
    assert np.add.reduceat(merged.counts, merged.starts).tolist() == [1_000] * 3 if stratified else [3_000]
    together = bootstrap_values(units, metrics, 4_000, np.random.default_rng(1))[0]
    with patch.object(drawing, "merge_equal", lambda units: units):
        apart = bootstrap_values(units, metrics, 4_000, np.random.default_rng(1))[0]
    for one_by_one, merged_values in zip(apart, together, strict=True):
        assert stats.ks_2samp(one_by_one, merged_values).pvalue > 1e-4
    assert np.cov(*together) == pytest.approx(np.cov(*apart), rel=0.15)


def test_units_that_differ_stay_apart() -> None:
    targets, a, b = labels(3_000, 20, 0)
    units, _ = units_of(targets, a, b, ["macro_f1"])
    assert merge_equal(units) is units
    few, _ = units_of(targets[:30], a[:30], b[:30], ["accuracy"])
    assert merge_equal(few) is few
