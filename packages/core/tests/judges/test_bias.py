"""`judge_bias`: against brute force, scipy and simulated judges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import howsure
from howsure.inputs.pairs import Floats


def brute(f: Floats, y: Floats, columns: list[Floats], clusters: Floats | None = None) -> tuple[Floats, Floats]:
    """Least squares on a constant for each grade of people, and CR2 errors by clusters, from dense matrices."""
    x = np.column_stack([*columns, *((y == level) * 1.0 for level in np.unique(y))])
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ f
    units = np.arange(len(x)) if clusters is None else clusters
    rest = np.eye(len(x)) - x @ bread @ x.T
    variance = np.zeros(len(bread))
    for unit in np.unique(units):
        rows = units == unit
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        root = (vectors * np.where(values > 1e-9, np.maximum(values, 1e-9) ** -0.5, 0.0)) @ vectors.T
        variance += (bread @ x[rows].T @ root @ (f - x @ beta)[rows]) ** 2
    errors = np.sqrt(variance)
    return beta[: len(columns)], errors[: len(columns)]


@pytest.mark.parametrize("clustered", [False, True])
def test_lengths_and_family_are_least_squares_given_the_grade(clustered: bool) -> None:
    draw = np.random.default_rng(0)
    n = 240
    y, words, prompt_words = draw.integers(1, 6, n) * 1.0, draw.integers(20, 400, n), draw.integers(3, 90, n)
    family = draw.choice(["us", "them", "others"], n)
    f = y + 0.2 * np.log2(words) + 0.3 * (family == "us") + draw.normal(size=n)
    clusters = np.arange(n) // 4 if clustered else None
    biases = howsure.judge_bias(
        f, y_true=y, length=words, prompt_length=prompt_words, family=family, own="us", clusters=clusters
    )
    values, errors = brute(f, y, [np.log2(words), np.log2(prompt_words), (family == "us") * 1.0], clusters)
    for name, value, error in zip(("length", "prompt length", "family"), values, errors, strict=True):
        row = biases[name]
        assert row.estimate.value == pytest.approx(value, abs=1e-10)
        # between the quantiles of the normal distribution and of few degrees of freedom
        assert 1.95 < (row.estimate.value - row.estimate.low) / error < 2.2
    assert biases["family"].sentence.startswith("among answers with the same human grade, the judge's grade is ")
    assert "for an answer of us" in biases["family"].sentence


def test_chances_of_being_graded_weigh() -> None:
    """Answers that the judge likes are graded more often; weights correct for it."""
    draw = np.random.default_rng(1)
    n = 40_000
    y, length = draw.integers(1, 4, n) * 1.0, 2.0 ** draw.normal(7, 1, n)
    f = y + 0.5 * np.log2(length) + draw.normal(size=n)
    chance = np.where(f > np.median(f), 0.3, 0.03)
    people = np.where(draw.random(n) < chance, y, np.nan)
    plain, weighted = (
        howsure.judge_bias(f, y_true=people, length=length, inclusion=inclusion)["length"].estimate
        for inclusion in (None, chance)
    )
    assert plain.high < 0.5
    assert weighted.value == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(("n", "up", "down"), [(100, 12, 4), (300, 40, 20), (60, 3, 0), (80, 0, 0)])
def test_order_of_0_and_1_is_mcnemars_exact_test(n: int, up: int, down: int) -> None:
    first = np.concatenate([np.ones(up), np.zeros(down), np.arange(n - up - down) % 2])
    second = np.concatenate([np.zeros(up), np.ones(down), np.arange(n - up - down) % 2])
    bias = howsure.judge_bias(first, swapped=second)
    share, shift = bias["order: changes"], bias["order: shift"]
    assert shift.p_value == pytest.approx(stats.binomtest(up, up + down).pvalue if up + down else 1.0, rel=1e-5)
    assert shift.estimate.value == pytest.approx((up - down) / n)
    exact = stats.binomtest(up + down, n).proportion_ci(method="exact")
    assert (share.estimate.low, share.estimate.high) == pytest.approx((exact.low, exact.high), abs=1e-6)
    assert ("may be chance" in shift.sentence) == (shift.p_value > 0.05)


def test_drift_is_of_the_answers_that_were_graded_before() -> None:
    now = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 40)
    before = np.where(np.arange(200) < 100, np.nan, np.where(np.arange(200) % 2, now, np.maximum(now - 1, 1)))
    row = howsure.judge_bias(now, earlier=before)["drift: shift"]
    differences = (now - before)[100:]
    test = stats.ttest_1samp(differences, 0.0)
    assert row.n == 100
    assert row.estimate.value == pytest.approx(differences.mean())
    assert row.estimate.low == pytest.approx(test.confidence_interval(0.95).low, abs=0.01)
    assert row.sentence == "the judge grades the same answer 0.4000 higher than earlier."


def test_few_changes_show_nothing_without_bounds() -> None:
    now = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 40)
    before = now.copy()
    before[:2] += 1
    untold, bounded = (
        howsure.judge_bias(now, earlier=before, bounds=bounds)["drift: shift"] for bounds in (None, (1, 5))
    )
    assert untold.estimate.low is None
    assert "based on few answers: rarer errors may change this, and bounds=... would settle it." in untold.sentence
    assert bounded.estimate.low is not None
    assert math.isnan(untold.p_value)


def test_too_few_cannot_tell() -> None:
    y = np.arange(60) % 4
    bias = howsure.judge_bias(y + np.arange(60) % 3, y_true=y, length=np.arange(60) + 1, clusters=np.arange(60) // 3)
    assert bias["length"].estimate.low is None
    assert bias["length"].sentence == "cannot tell: too few answers, or clusters of them, show it."
    same = howsure.judge_bias(y, y_true=y, length=np.arange(60) + 1)
    assert same["length"].sentence == "cannot tell: the human grades determine the judge's completely."


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100])
def test_intervals_of_coefficients_hold(n: int) -> None:
    """Rounded grades, and a judge of 0 and 1 that favours its own family, which is rare."""
    draw, files = np.random.default_rng(n), 300
    covered, decided = np.zeros(3), np.zeros(3)
    for _ in range(files):
        words, is_own = np.exp(draw.normal(5, 0.8, n)), np.arange(n) % 5 == 0
        family = np.where(is_own, "us", "them")
        y = draw.integers(1, 6, n) * 1.0
        f = np.round(y + 0.3 * (np.log2(words) - 7) + 0.4 * is_own + draw.normal(0, 0.7, n))
        right = (draw.random(n) < 0.5) * 1.0
        kind = np.where(is_own & (draw.random(n) < 0.2), 1.0, right)  # .1 more of its own
        rows = [
            *howsure.judge_bias(f, y_true=y, length=words, family=family, own="us").rows,
            howsure.judge_bias(kind, y_true=right, family=family, own="us")["family"],
        ]
        for place, (row, truth) in enumerate(zip(rows, (0.3, 0.4, 0.1), strict=True)):
            if row.estimate.low is not None and row.estimate.high is not None:
                decided[place] += 1
                covered[place] += row.estimate.low <= truth <= row.estimate.high
    assert (covered[:2] / decided[:2] > 0.92).all()
    assert covered[2] + files - decided[2] > 0.92 * files


def test_a_bias_that_a_single_cluster_shows_has_no_interval() -> None:
    draw = np.random.default_rng(4)
    item = np.repeat(np.arange(40), 4)
    y, judge = draw.integers(1, 4, 160), draw.normal(3, 1, 160)
    family = np.where(item == 0, "own", "other")
    alone = howsure.judge_bias(judge, y_true=y, family=family, own="own", clusters=item)["family"]
    assert (alone.estimate.low, alone.sentence) == (None, "cannot tell: a single cluster determines it.")
    two = howsure.judge_bias(judge, y_true=y, family=np.where(item < 2, "own", "other"), own="own", clusters=item)
    assert two["family"].estimate.low is not None
    assert any("fewer than 4 degrees of freedom: family (" in note for note in two.notes)


def test_intervals_with_few_clusters_are_wide_if_gaffkes_and_approximate_if_students() -> None:
    """Gaffke's intervals are valid with any number of clusters."""
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 2, 200)
    swapped, clusters = np.where(rng.random(200) < 0.2, 1 - grades, grades), np.repeat(np.arange(10), 20)
    (note,) = howsure.judge_bias(grades, swapped=swapped, clusters=clusters).notes
    assert "there are 10 clusters: with fewer than 40, intervals are wide" in note
    with_length = howsure.judge_bias(
        grades, swapped=swapped, y_true=grades[::-1], length=rng.integers(9, 99, 200), clusters=clusters
    )
    assert any("intervals and p-values are approximate" in note for note in with_length.notes)
