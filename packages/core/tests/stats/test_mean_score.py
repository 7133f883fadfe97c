"""Tests of means: with bounds and without, the literature's formulas, and error rates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import ttest_1samp, ttest_ind

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import BoundedMean, MeanScore, mean_difference, mean_score, share_bounds

SHARE = (0.0, 1.0)


def in_clusters(clusters: Integers) -> ItemGroups:
    return ItemGroups.of(len(clusters), clusters=clusters)


def test_without_skewness_it_is_the_t_test() -> None:
    values = np.array([1.0, 2.0, 4.0, 6.0, 7.0, 4.0])
    test = mean_score(values)
    assert test.skewness == pytest.approx(0.0, abs=1e-12)
    assert test.p_above(3.0) == pytest.approx(ttest_1samp(values, 3.0, alternative="greater").pvalue)
    assert test.p_below(5.5) == pytest.approx(ttest_1samp(values, 5.5, alternative="less").pvalue)


def test_the_standard_error_over_clusters() -> None:
    rng = np.random.default_rng(1)
    clusters = rng.integers(0, 8, 50)
    values = rng.normal(size=50) + clusters
    residuals = np.array([(values[clusters == c] - values.mean()).sum() for c in range(8)])
    mean = mean_score(values, in_clusters(clusters))
    assert mean.standard_error == pytest.approx(np.sqrt(8 / 7 * (residuals**2).sum()) / 50, rel=1e-12)
    assert mean_score(values, in_clusters(np.arange(50))).standard_error == pytest.approx(stats.sem(values), rel=1e-12)


def test_the_difference_of_two_runs_is_welch() -> None:
    a, b = np.array([3.0, 4.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0, 2.0, 2.0])
    test = mean_score(a).minus(mean_score(b))
    assert test.p_above(0.5) == pytest.approx(ttest_ind(a - 0.5, b, equal_var=False, alternative="greater").pvalue)


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_bounds_and_p_values_are_the_same_test(bounded: bool, clustered: bool) -> None:
    values = np.random.default_rng(3).random(80) ** 0.3
    groups = in_clusters(np.arange(80) // 4) if clustered else None
    test = mean_score(values, groups, bounds=SHARE if bounded else None)
    low, high = test.bounds(0.05)
    assert test.p_above(low - 1e-6) <= 0.05 <= test.p_above(low + 1e-6)
    assert test.p_below(high + 1e-6) <= 0.05 <= test.p_below(high - 1e-6)
    assert test.interval(0.9) == test.bounds(0.05)


@pytest.mark.long
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0]), min_size=4, max_size=60),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.booleans(),
    st.booleans(),
)
def test_p_is_at_most_alpha_if_and_only_if_the_interval_excludes_zero(
    d: list[float], level: float, clustered: bool, bounded: bool
) -> None:
    values = np.array(d)
    groups = in_clusters(np.arange(len(d)) // 2) if clustered else None
    difference = mean_difference(values, np.zeros(len(d)), groups, bounds=(-1.0, 1.0) if bounded else None, spread=1.0)
    low, high = difference.interval(level)
    p = difference.p_value("two-sided")
    assert p == pytest.approx(min(1.0, 2 * min(difference.p_value("better"), difference.p_value("worse"))))
    if not np.isnan(low) and abs(p - (1 - level)) > 1e-6:
        assert (low > 0 or high < 0) == (p < 1 - level)


def test_scores_that_do_not_vary_say_nothing_but_with_bounds() -> None:
    same = mean_score(np.full(50, 0.4))
    assert (same.p_above(0.1), same.p_below(0.9)) == (1.0, 1.0)
    assert np.isnan(same.bounds(0.05)).all()
    assert mean_score(np.full(50, 0.4), bounds=SHARE).p_above(0.1) < 0.01
    right = mean_score(np.ones(50), bounds=share_bounds(np.ones(50)))
    assert right.p_above(0.9) == pytest.approx(0.9**50)
    assert right.bounds(0.05)[0] == pytest.approx(0.05 ** (1 / 50), abs=1e-6)


def test_bounds_are_known_of_shares_alone() -> None:
    assert share_bounds(np.array([0.0, 1.0, 1.0]), np.ones(2)) == SHARE
    assert share_bounds(np.array([0.0, 1.0]), np.array([0.5])) is None


def test_items_on_which_both_agree_leave_uncertainty() -> None:
    values = np.repeat([1.0, 0.0], 10)
    assert mean_difference(values, values, bounds=SHARE).p_above(-0.02) > 0.05
    many = np.repeat([1.0, 0.0], 1000)
    assert mean_difference(many, many, bounds=SHARE).p_above(-0.02) < 0.001


def test_agreement_of_whole_clusters_counts_one_vote_each() -> None:
    """If one of twenty clusters may be lost as a whole, twenty that agree say no more than .95^20."""
    right = np.ones(400)
    test = mean_difference(right, right, in_clusters(np.arange(400) // 20), bounds=SHARE)
    assert test.p_above(-0.05) == pytest.approx(0.95**20)
    needed = test.rows_needed(-0.05, 0.05)
    assert 0.95 ** (needed / 20) <= 0.05 < 0.95 ** (needed / 20 - 1)


def test_the_rows_needed_give_a_verdict_as_often_as_they_should() -> None:
    needed = mean_score(np.repeat([1.0, 0.0], [85, 15]), bounds=SHARE).rows_needed(0.8, 0.05)
    k = np.arange(needed + 1)
    passing = k[stats.binom.sf(k - 1, needed, 0.8) <= 0.05]
    assert 0.75 < stats.binom.sf(passing.min() - 1, needed, 0.85) < 0.87
    assert mean_score(np.repeat([1.0, 0.0], [80, 20]), bounds=SHARE).rows_needed(0.8, 0.05) is None


def test_so_few_clusters_cannot_pass_whatever_they_hold() -> None:
    clusters = np.arange(200) // 20
    test = mean_score(np.r_[np.ones(199), 0.0], in_clusters(clusters), bounds=SHARE)
    assert isinstance(test, BoundedMean)
    assert test.least_p(0.9, above=True) == pytest.approx(0.9**10)
    assert test.p_above(0.9) > test.least_p(0.9, above=True)


@pytest.mark.long
@pytest.mark.parametrize("clustered", [False, True])
def test_strata_of_given_sizes_take_away_what_varies_between_them(clustered: bool) -> None:
    """The interval holds the truth in 19 of 20 sets, and its width is about that of the stratified standard error."""
    rng = np.random.default_rng(11)
    strata = np.repeat([0, 1, 2], 100)
    groups = ItemGroups.of(300, strata=strata, clusters=np.arange(300) // 2 if clustered else None)
    rates = np.array([0.2, 0.6, 0.95])[strata]
    covered, ratios = 0, []
    for _ in range(300):
        values = (rng.random(300) < rates).astype(float)
        mean = mean_score(values, groups, bounds=SHARE)
        low, high = mean.interval(0.95)
        covered += low <= rates.mean() <= high
        ratios.append((high - low) / mean.standard_error / 3.92)
    assert covered / 300 >= 0.92
    assert 1.0 < np.mean(ratios) < (1.3 if clustered else 1.15)


def test_strata_of_two_leave_an_interval_inside_what_is_possible() -> None:
    values = np.array([1.0, 0.0, 1.0, 1.0])
    mean = mean_score(values, ItemGroups.of(4, strata=np.array([0, 0, 1, 1])), bounds=SHARE)
    assert mean.interval(0.95) == (0.0, 1.0)
    assert (mean.p_above(0.0), mean.p_below(1.0)) == (0.0, 0.0)


def test_an_unseen_value_would_have_to_be_so_far_away() -> None:
    values = np.random.default_rng(0).normal(5.0, 1.0, 60)
    test = mean_score(values)
    share, value = test.rare_loss(4.5, 0.05)
    assert (1 - share) ** 60 == pytest.approx(0.05)
    assert (1 - share) * values.mean() + share * value == pytest.approx(4.5)


def test_a_baseline_without_variation_leaves_uncertainty() -> None:
    """Of ten clusters that are all right another ten may hold a wrong one."""
    groups = in_clusters(np.arange(200) // 20)
    right, one_wrong = np.ones(200), np.repeat([0.0, 1.0], [20, 180])
    first, second = (mean_score(values, groups, bounds=SHARE) for values in (right, one_wrong))
    assert isinstance(first, BoundedMean)
    assert isinstance(second, BoundedMean)
    assert second.summary.minus(first.summary).p_below(0.0) > 0.05
    assert first.summary.error > 0.05


def skewed(rng: np.random.Generator) -> MeanScore:
    return mean_score(rng.exponential(1.0, 150))


def paired(rng: np.random.Generator) -> MeanScore:
    a, b = ((rng.random(100) < 0.8).astype(float) for _ in range(2))
    return mean_difference(a, b, bounds=SHARE)


def clustered(rng: np.random.Generator) -> MeanScore:
    clusters = np.repeat(np.arange(40), 5)
    p: Floats = np.where(rng.random(40) < 0.5, 0.9, 0.7)[clusters]
    return mean_score((rng.random(200) < p).astype(float), in_clusters(clusters), bounds=SHARE)


@pytest.mark.parametrize(("draw", "limit"), [(skewed, 1.0), (paired, 0.0), (clustered, 0.8)])
def test_the_type_1_error_at_the_limit(draw, limit: float) -> None:
    rng = np.random.default_rng(17)
    tests = [draw(rng) for _ in range(800)]
    assert np.mean([test.p_above(limit) <= 0.05 for test in tests]) <= 0.076  # .05 and 3.4 standard errors
    assert np.mean([test.p_below(limit) <= 0.05 for test in tests]) <= 0.076


@pytest.mark.parametrize("m", [3, 4, 5, 8])
@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("bounded", [False, True])
def test_each_cluster_counts_as_one_vote(m: int, size: int, bounded: bool) -> None:
    """If one model is right everywhere and the other nowhere, p is about that of the sign test."""
    right, groups = np.ones(m * size), in_clusters(np.repeat(np.arange(m), size))
    test = mean_difference(right, 1 - right, groups, bounds=SHARE if bounded else None)
    assert 0.6 < test.p_above(0.0) / 0.5**m < 1.3
    if bounded:
        assert test.p_above(0.0) == pytest.approx(0.5**m)
    else:
        assert np.isnan(test.bounds(0.05)).all() == (m < 5)


def test_three_clusters_that_hardly_differ_count_as_three() -> None:
    scores = np.ones(300)
    scores[-1] = 0.5
    test = mean_difference(scores, np.zeros(300), in_clusters(np.repeat(np.arange(3), 100)))
    assert 1 / 8 <= test.p_above(0.0) < 1.3 / 8


def test_rounding_is_neither_difference_nor_variation() -> None:
    scores = np.random.default_rng(0).random(200).round(2)
    test = mean_difference(scores + 0.1, scores)
    assert test.standard_error == pytest.approx(0.0, abs=1e-15)


def test_where_no_item_differs_unseen_ones_may() -> None:
    """n items without a difference: with probability .05, a share 1 - .05^(1/n) of all goes unseen."""
    difference = mean_difference(np.zeros(30), np.zeros(30), spread=4.0)
    assert difference.p_value("two-sided") == 1.0
    assert difference.interval(0.95) == pytest.approx((-4 * (1 - 0.05 ** (1 / 30)), 4 * (1 - 0.05 ** (1 / 30))))
    bounded = mean_difference(np.zeros(30), np.zeros(30), bounds=(0.0, 4.0))
    assert bounded.bounds(0.05) == pytest.approx((-4 * (1 - 0.05 ** (1 / 30)), 4 * (1 - 0.05 ** (1 / 30))))


def test_it_is_the_paired_t_test_with_one_item_more() -> None:
    d = np.random.default_rng(0).normal(0.2, 1.0, 40)
    d = np.concatenate([d, 0.4 - d])  # without skewness
    difference = mean_difference(d, np.zeros(80))
    error = np.hypot(stats.sem(d), np.sqrt((d**2).mean()) / 80)
    assert difference.standard_error == pytest.approx(stats.sem(d), rel=1e-12)
    assert difference.p_value("two-sided") == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 79), rel=1e-10)
    assert difference.interval(0.95) == pytest.approx(stats.t.interval(0.95, 79, loc=d.mean(), scale=error), rel=1e-9)
    many = np.random.default_rng(1).normal(0.02, 1.0, 100_000)
    p = mean_difference(many, np.zeros(100_000)).p_value("two-sided")
    assert p == pytest.approx(stats.ttest_1samp(many, 0).pvalue, rel=2e-2)


def test_equal_differences_of_few_items_prove_nothing() -> None:
    """Without the item more, three items on which a model wins would have p = 0."""
    assert mean_difference(np.ones(3), np.zeros(3)).p_value("two-sided") > 0.05
    assert mean_difference(np.ones(30), np.zeros(30)).p_value("two-sided") < 1e-8


@pytest.mark.parametrize("values", [[0.5], [np.inf, 0.0, 1.0]])
def test_what_has_no_error_has_no_interval(values: list[float]) -> None:
    difference = mean_difference(np.array(values), np.zeros(len(values)))
    assert np.isnan(difference.interval(0.95)).all()
    assert np.isnan(difference.p_value("two-sided"))
    assert np.isnan(difference.detectable(0.95, "two-sided"))


def test_a_difference_beyond_the_range_of_scores_is_not_detectable() -> None:
    difference = mean_difference(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    detectable = difference.detectable(0.95, "two-sided")
    assert detectable > 1
    assert np.isnan(difference.detectable(0.95, "two-sided", bounds=(0.0, 1.0)))
    assert difference.detectable(0.95, "two-sided", bounds=(0.0, 10.0)) == detectable


@pytest.mark.long
def test_the_detectable_difference_has_a_power_of_80_percent() -> None:
    """With many items: a shift by it is found in four of five sets."""
    rng = np.random.default_rng(3)
    sets = rng.normal(size=(2000, 400))
    zeros = np.zeros(400)
    truth = mean_difference(sets[0], zeros).detectable(0.95, "two-sided")
    share = np.mean([mean_difference(sample + truth, zeros).p_value("two-sided") <= 0.05 for sample in sets])
    assert share == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize(("differing", "few"), [(9, True), (50, True), (51, False), (100, False)])
def test_skewness_of_few_differences_does_not_help(differing: int, few: bool) -> None:
    differences = np.zeros(100)
    differences[:differing] = np.random.default_rng(4).exponential(1.0, differing)
    mean = mean_difference(differences, np.zeros(100))
    assert mean.few == few
    plain, corrected = (replace(mean, skewness=gamma, few=False) for gamma in (0.0, mean.skewness))
    p_values = [test.p_value("two-sided") for test in (plain, corrected)]
    assert mean.p_value("two-sided") == (max(p_values) if few else p_values[1])
    assert mean.p_value("two-sided") == pytest.approx(mean.negated().p_value("two-sided"))
    low, high = mean.interval(0.95)
    intervals = [test.interval(0.95) for test in ((plain, corrected) if few else (corrected,))]
    assert (low, high) == pytest.approx((min(i[0] for i in intervals), max(i[1] for i in intervals)), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300, 1000])
def test_size_if_three_percent_of_symmetric_differences_are_not_zero(n: int) -> None:
    rng, runs = np.random.default_rng(n), 500
    p_values = [
        mean_difference(np.where(rng.random(n) < 0.03, rng.laplace(size=n), 0.0), np.zeros(n)).p_value("two-sided")
        for _ in range(runs)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / runs)
