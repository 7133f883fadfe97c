"""Student's t of a mean: its laws, the plain test where all items differ, and the cases without variation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from howsure.stats.item_groups import ItemGroups
from howsure.significance.means.student import score_interval, student_mean


def found(differences, clusters=None, spread: float = 1.0):
    values = np.asarray(differences, dtype=float)
    return student_mean(values, ItemGroups.of(len(values), clusters=clusters), spread=spread, level=0.95)


def test_it_is_the_paired_t_test_with_one_item_more() -> None:
    d = np.random.default_rng(0).normal(0.2, 1.0, 40)
    one = found(d)
    error = np.hypot(stats.sem(d), np.sqrt((d**2).mean()) / 40)
    assert error > 16 * np.sqrt((d**2).mean()) / 40**2
    assert one.standard_error == pytest.approx(stats.sem(d), rel=1e-12)
    assert one.p_value("two-sided") == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 39), rel=1e-10)
    assert one.interval(0.95) == pytest.approx(stats.t.interval(0.95, 39, loc=d.mean(), scale=error), rel=1e-10)
    many = np.random.default_rng(1).normal(0.02, 1.0, 100_000)
    assert found(many).p_value("two-sided") == pytest.approx(stats.ttest_1samp(many, 0).pvalue, rel=1e-3)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.5, 1.0]), min_size=4, max_size=60),
    st.sampled_from([0.8, 0.95, 0.99]),
    st.booleans(),
)
def test_p_is_at_most_alpha_if_and_only_if_the_interval_excludes_zero(d, level: float, clustered: bool) -> None:
    one = found(d, np.arange(len(d)) // 2 if clustered else None)
    low, high = one.interval(level)
    p = one.p_value("two-sided")
    if abs(p - (1 - level)) > 1e-9:
        assert (low > 0 or high < 0) == (p < 1 - level)
    assert one.p_value("better") + one.p_value("worse") == pytest.approx(1.0 if one.error > 0 else 2.0)
    assert p == pytest.approx(min(1.0, 2 * min(one.p_value("better"), one.p_value("worse"))))


def test_where_no_item_differs_unseen_ones_may() -> None:
    """n items without a difference: with probability .05, a share 1 - .05^(1/n) of all goes unseen."""
    one = found(np.zeros(30), spread=4.0)
    assert one.p_value("two-sided") == 1.0
    assert one.interval(0.95) == pytest.approx((-4 * (1 - 0.05 ** (1 / 30)), 4 * (1 - 0.05 ** (1 / 30))))


def test_equal_differences_of_few_items_are_no_proof() -> None:
    """Without the item more, three items on which a model wins would have p = 0."""
    assert found([1.0, 1.0, 1.0]).p_value("two-sided") > 0.05
    assert found([1.0] * 30).p_value("two-sided") < 1e-10


@pytest.mark.parametrize("m", [3, 4, 6, 8])
def test_equal_clusters_are_so_many_votes(m: int) -> None:
    """m clusters on which a model wins alike have about the p of the sign test, whether they hold an item or 100."""
    ps = [found(np.ones(m * size), np.repeat(np.arange(m), size)).p_value("two-sided") for size in (1, 100)]
    assert ps[0] == pytest.approx(ps[1])
    assert 0.6 < ps[0] / 2.0 ** (1 - m) < 1.3


@pytest.mark.parametrize("values", [[0.5], [np.inf, 0.0, 1.0]])
def test_what_has_no_error_has_no_interval(values) -> None:
    one = found(values)
    assert np.isnan(one.interval(0.95)).all()
    assert np.isnan(one.p_value("two-sided"))
    assert np.isnan(one.detectable(0.95, "two-sided"))


def test_the_detectable_difference_has_a_power_of_80_percent() -> None:
    """With many items: a shift by it is found in four of five sets."""
    rng = np.random.default_rng(3)
    sets = rng.normal(size=(2000, 400))
    truth = found(sets[0]).detectable(0.95, "two-sided")
    share = np.mean([found(one + truth).p_value("two-sided") <= 0.05 for one in sets])
    assert share == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("clustered", [False, True])
def test_the_interval_of_a_proportion_solves_its_equation(clustered: bool) -> None:
    """Both ends f satisfy |p - f| = t √(f (1 - f) / m), with m items of the same standard error."""
    scores = (np.random.default_rng(5).random(60) < 0.9).astype(float)
    groups = ItemGroups.of(60, clusters=np.arange(60) // 3 if clustered else None)
    low, high = score_interval(scores, groups, low=0.0, high=1.0, level=0.95)
    p, t = scores.mean(), stats.t.ppf(0.975, groups.degrees)
    m = p * (1 - p) / groups.jackknife_error(scores) ** 2

    def gap(f: float) -> float:
        return abs(p - f) - t * np.sqrt(f * (1 - f) / m)

    assert low == pytest.approx(optimize.brentq(gap, 1e-9, p - 1e-9), abs=1e-8)
    assert high == pytest.approx(optimize.brentq(gap, p + 1e-9, 1 - 1e-9), abs=1e-8)


def test_grades_get_student_and_equal_ones_what_may_be_unseen() -> None:
    grades = np.array([1.0, 2.0, 5.0, 4.0, 4.0, 3.0])
    groups = ItemGroups.of(6)
    assert score_interval(grades, groups, low=1.0, high=5.0, level=0.9) == pytest.approx(
        stats.t.interval(0.9, 5, loc=grades.mean(), scale=stats.sem(grades))
    )
    low, high = score_interval(np.full(6, 5.0), groups, low=1.0, high=5.0, level=0.95)
    assert (low, high) == pytest.approx((5 - 4 * (1 - 0.05 ** (1 / 6)), 5.0))
    low, high = score_interval(np.ones(30), ItemGroups.of(30), low=0.0, high=1.0, level=0.95)
    assert 0.85 < low < 0.9
    assert high == 1.0
