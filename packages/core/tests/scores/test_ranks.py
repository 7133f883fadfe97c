"""Ranks of models: by their definition from all pairs, and what they cover where models are tied."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.scores.ranks import (
    BONFERRONI,
    GAFFKE,
    MAX_T,
    Ranks,
    _all_differences,
    _difference_statistics,
    _largest_t,
    _ScoresByUnit,
    _two_way,
    ranks,
)


def ranks_of(scores: np.ndarray, **how: object) -> Ranks:
    return ranks(np.asarray(scores, dtype=float), level=0.95, rng=np.random.default_rng(0), **how)  # type: ignore[arg-type]


def test_models_far_apart_have_one_rank_each() -> None:
    draw = np.random.default_rng(1)
    estimated = ranks_of(draw.random((4, 400)) < np.array([[0.3], [0.9], [0.6], [0.1]]))
    assert estimated.low.tolist() == estimated.high.tolist() == estimated.tier.tolist() == [3, 1, 2, 4]
    assert estimated.best.tolist() == [False, True, False, False]
    assert estimated.method == MAX_T


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.booleans(), st.booleans())
def test_ranks_and_tiers_follow_from_pairs(seed: int, m: int, clustered: bool, ragged: bool) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.random((m, 60)) + draw.choice([0.0, 0.3], m)[:, None]
    if ragged:
        scores[draw.random(scores.shape) < 0.2] = np.nan
    estimated = ranks_of(scores, units=draw.integers(0, 20, 60) if clustered else None)
    means = np.nanmean(scores, axis=1)
    assert estimated.method == (BONFERRONI if np.isnan(scores).any() else MAX_T)
    for a, b in itertools.permutations(range(m), 2):
        if estimated.high[a] < estimated.low[b]:
            assert estimated.tier[a] <= estimated.tier[b]
        if estimated.tier[a] < estimated.tier[b]:  # a tier ends only where all above are surely better
            assert estimated.low[b] > (estimated.tier < estimated.tier[b]).sum()
            assert means[a] > means[b]
    assert estimated.best[estimated.low == 1].any()
    assert (estimated.low <= estimated.high).all()
    assert (estimated.low >= 1).all()
    assert (estimated.high <= m).all()


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.sampled_from([0.0, 1.0, 3.0]),
    st.sampled_from([0.0, 0.3]),
    st.tuples(st.sampled_from([0.5, 0.9, 0.99]), st.sampled_from([0.5, 0.9, 0.99])),
)
def test_quantiles_of_the_largest_t_match_all_pairs(
    seed: int, m: int, spread: float, incomparable: float, levels: tuple[float, float]
) -> None:
    """Models of unlike variance, some of them equal, some without a comparable model, in blocks or not."""
    draw = np.random.default_rng(seed)
    drawn = draw.normal(size=(m, 300)) * np.sort(np.exp(spread * draw.normal(size=m)))[:, None]
    drawn[draw.random(m) < 0.2] = drawn[0]
    inverse = np.triu(np.exp(spread * draw.normal(size=(m, m))) * (draw.random((m, m)) >= incomparable), 1)
    inverse += inverse.T
    against_each = (np.maximum((drawn[:, None] - drawn) * inverse[:, :, None], 0.0)).max(axis=0)
    level, level_of_best = levels
    largest = _largest_t(drawn, inverse, level=level, level_of_best=level_of_best)
    assert np.array_equal(np.quantile(largest, level_of_best, axis=1), np.quantile(against_each, level_of_best, axis=1))
    assert np.quantile(largest.max(axis=0), level) == np.quantile(against_each.max(axis=0), level)


def test_the_order_of_models_and_items_does_not_matter() -> None:
    draw = np.random.default_rng(5)
    scores, units = draw.random((5, 90)) + np.linspace(0, 0.4, 5)[:, None], draw.integers(0, 30, 90)
    place, model = draw.permutation(90), draw.permutation(5)
    estimated, other = ranks_of(scores, units=units), ranks_of(scores[model][:, place], units=units[place])
    assert estimated.tier[model].tolist() == other.tier.tolist()
    assert np.abs(estimated.low[model] - other.low).max() <= 1  # but for the draws


def test_equal_models_stay_together() -> None:
    same = np.tile(np.arange(50) % 2, (4, 1))
    estimated = ranks_of(same)
    assert estimated.low.tolist() == [1] * 4
    assert estimated.high.tolist() == [4] * 4
    assert estimated.best.all()


def test_few_clusters_that_are_right_or_wrong_as_a_whole_are_tested_by_gaffke() -> None:
    draw = np.random.default_rng(2)
    whole = np.repeat(draw.random((3, 8)) < np.array([[0.9], [0.5], [0.5]]), 25, axis=1)
    units = np.repeat(np.arange(8), 25)
    estimated = ranks_of(whole, units=units, bounds=(0.0, 1.0))
    assert estimated.method == GAFFKE
    assert estimated.high.tolist() == [3] * 3  # eight clusters show nothing, two hundred rows would
    assert ranks_of(whole).tier.max() > 1


def test_means_of_groups_count_groups_alike() -> None:
    draw = np.random.default_rng(3)
    small = np.repeat([False, True], [900, 30])
    scores = np.stack([np.full(930, 0.5), np.where(small, 0.6, 0.49)]) + draw.normal(0, 0.02, (2, 930))
    assert ranks_of(scores).tier.tolist() == [1, 2]
    assert ranks_of(scores, weights=np.where(small, 1 / 30, 1 / 900)).tier.tolist() == [2, 1]


def test_crossed_clusters_add_up_the_variances_of_both_kinds() -> None:
    draw = np.random.default_rng(8)
    scores, (task, item) = draw.random((3, 60)), np.divmod(np.arange(60), 12)
    sums = [
        np.array([(d[codes == code] - d.mean()).sum() for code in range(k)])
        for d in [scores[0] - scores[1]]
        for codes, k in ((task, 5), (item, 12))
    ]
    by_task, by_item = (_ScoresByUnit.of(scores, codes, None, None) for codes in (task, item))
    pairs = _two_way(by_task, by_item).pairs
    one_way = [by_unit.differences().pairs.scale[0, 1] for by_unit in (by_task, by_item)]
    assert pairs.scale[0, 1] == pytest.approx(np.hypot(*one_way))
    assert pairs.t[0, 1] * pairs.scale[0, 1] == pytest.approx((scores[0] - scores[1]).sum())
    assert one_way[0] ** 2 >= (sums[0] ** 2).sum() * 5 / 4 - 1e-9  # at least the variance of sums of tasks
    assert one_way[1] ** 2 >= (sums[1] ** 2).sum() * 12 / 11 - 1e-9
    assert 4 <= pairs.degrees[0, 1] <= 15


@pytest.mark.parametrize("tasks", [12, 50])
def test_crossed_clusters_tell_no_models_apart_that_one_kind_alone_does_not(tasks: int) -> None:
    draw = np.random.default_rng(9)
    task, item = np.divmod(np.arange(tasks * 40), 40)
    effects = draw.normal(0, 0.2, (4, tasks))[:, task] + draw.normal(0, 0.2, (4, 40))[:, item]
    scores = draw.random((4, tasks * 40)) < np.linspace(0.2, 0.8, 4)[:, None] + effects
    one_way = [ranks_of(scores, units=codes, bounds=(0.0, 1.0)) for codes in (task, item)]
    both = ranks_of(scores, units=task, crossed_units=item, bounds=(0.0, 1.0))
    for alone in one_way:
        assert (both.low <= alone.low).all()
        assert (both.high >= alone.high).all()


@pytest.mark.long
@pytest.mark.parametrize(("tasks", "effect"), [(8, 1.0), (60, 0.5)])
def test_ranks_over_sampled_tasks_are_covered(tasks: int, effect: float) -> None:
    draw, covered = np.random.default_rng(10), {"tasks": 0, "items": 0}
    for _ in range(100):
        task = np.repeat(np.arange(tasks), draw.integers(5, 100, tasks))
        chances = 1 / (1 + np.exp(-draw.normal(0, effect, (5, tasks)) - draw.normal(0, 1, tasks)))
        scores, weights = draw.random((5, len(task))) < chances[:, task], 1 / np.bincount(task)[task]
        for name, units in (("tasks", task), ("items", None)):
            covered[name] += bool((ranks_of(scores, units=units, weights=weights, bounds=(0.0, 1.0)).low == 1).all())
    assert covered["tasks"] >= 88  # .95, less three standard errors
    assert covered["items"] < 80  # items of fixed tasks say too much


@pytest.mark.long
@pytest.mark.parametrize("sizes", [[1] * 100, [2] * 60, [3, 3, 3, 300]])
def test_ranks_by_means_of_small_groups_are_covered(sizes: list[int]) -> None:
    draw, covered = np.random.default_rng(6), 0
    weights = np.concatenate([np.full(size, 1 / size) for size in sizes])
    for _ in range(100):
        estimated = ranks_of(draw.random((6, sum(sizes))) < 0.6, weights=weights, bounds=(0.0, 1.0))
        covered += bool((estimated.low == 1).all())
    assert covered / 100 >= 0.88  # .95, less three standard errors


@pytest.mark.long
@pytest.mark.parametrize(("m", "n", "share"), [(10, 300, 0.7), (5, 60, 0.97)])
def test_ranks_of_tied_models_are_covered(m: int, n: int, share: float) -> None:
    draw = np.random.default_rng(4)
    covered = split = 0
    for _ in range(150):
        hard = draw.normal(size=n)
        estimated = ranks_of((hard + draw.normal(size=(m, n))) / 2**0.5 < np.quantile(draw.normal(size=9999), share))
        covered += bool((estimated.low == 1).all() and (estimated.high == m).all())
        split += bool(estimated.tier.max() > 1)
    assert covered / 150 >= 0.9  # .95, less three standard errors
    assert split <= 3


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.sampled_from(["binary", "continuous", "alike", "shifted"]))
def test_differences_of_all_pairs_at_once_equal_those_of_each_pair(seed: int, m: int, kind: str) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 60))
    scores = {
        "binary": (draw.random((m, n)) < 0.7).astype(float),
        "continuous": draw.lognormal(0, 2, (m, n)),
        "alike": draw.random(n) + 1e-7 * draw.normal(size=(m, n)) * (draw.random((m, n)) < 0.2),
        "shifted": np.tile(draw.integers(0, 2, n) + 0.0, (m, 1)) + draw.integers(0, 3, (m, 1)),
    }[kind]
    starts = np.flatnonzero(np.append(True, draw.random(n - 1) < 0.4)) if draw.random() < 0.5 else None
    weights = draw.random(n) + 0.1 if starts is not None and draw.random() < 0.5 else np.ones(n)
    sizes = draw.lognormal(0, 1, n)
    pairs = _all_differences(scores, weights, sizes, starts)
    for a, b in itertools.combinations(range(m), 2):
        t, scale, degrees, units = _difference_statistics(scores[a : a + 1] - scores[b], weights, sizes, starts)
        assert pairs.t[a, b] == pytest.approx(t[0], rel=1e-9, abs=1e-9)
        assert pairs.t[b, a] == -pairs.t[a, b]
        assert (pairs.scale[a, b], pairs.degrees[a, b]) == pytest.approx((scale[0], degrees[0]), rel=1e-9)
        assert pairs.units[a, b] == units[0]
