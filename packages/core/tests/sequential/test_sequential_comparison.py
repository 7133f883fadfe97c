"""Verdicts that may be read at any time: their bets, their state, and what is refused."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.files.serialization import SavedState
from howsure.stats.betting import SHARES, BettingMean, Units

# The mean of betting_mart(x, m, lambdas_fn_positive=huge, N=total, theta=1, trunc_scale=share) of confseq 0.0.11 over
# the shares that our bettors stake, after 20, 60 and 100 items.
CONFSEQ = {
    (None, 0.3): [7.8240868381909126, 6810.004427337607, 7801032.3852799535],
    (None, 0.45): [0.6211605981568055, 0.8022990443411132, 1.0927065038812995],
    (150, 0.3): [123.61957415975633, 272245379.43706954, math.inf],
    (150, 0.45): [1.4241510470288457, 1.9603314378915033, 9.197258616044085],
}
ORDER = howsure.draw_order(["a", "b"], rng=2)


def of_confseq(total: int | None) -> list[float]:
    """100 values between 0 and 1 without a generator, so that another library can have the same."""
    return [round(abs(math.sin(3.7 * i + (0.0 if total is None else 1.0))) ** 2, 6) for i in range(100)]


@pytest.mark.parametrize(("total", "m"), list(CONFSEQ))
def test_bets_match_confseq(total: int | None, m: float) -> None:
    units = Units(np.array(of_confseq(total)), np.ones(100), 1.0, total)
    assert units.wealth(m)[[19, 59, 99]] == pytest.approx(CONFSEQ[total, m], rel=1e-12)


@pytest.mark.parametrize("total", [None, 150])
def test_a_bound_is_the_largest_mean_that_is_refuted(total: int | None) -> None:
    units = Units(np.array(of_confseq(total)), np.ones(100), 1.0, total)
    low, high = BettingMean(units, (0.0, 1.0)).bounds(0.025)
    for side, bound in ((units, low), (units.reflected(), 1 - high)):
        wealth = [side.wealth(m).max() for m in np.linspace(0.01, 0.99, 99)]
        assert all(first >= second for first, second in pairwise(wealth))
        assert side.wealth(bound - 1e-9).max() > 40 > side.wealth(bound + 1e-9).max()


def by_hand(values: list[tuple[float, int]], m: float, *, largest: int, total: int | None) -> list[float]:
    """The wealth of bets on more than m after each cluster of a sum and a size, one after the other."""
    bettors, wealth, total_so_far = [1.0] * len(SHARES), list[float](), 0.0
    for t, (s, n) in enumerate(values, 1):
        value = s / largest + m * (1 - n / largest)
        expected = m if total is None else (total * m - total_so_far) / (total - t + 1)
        bettors = [has + has * share * (value / expected - 1) for has, share in zip(bettors, SHARES, strict=True)]
        wealth.append(sum(bettors) / len(bettors))
        total_so_far += value
    return wealth


@pytest.mark.parametrize("total", [None, 9])
def test_bets_on_clusters_are_those_made_by_hand(total: int | None) -> None:
    values = [(2.0, 3), (0.5, 1), (3.5, 4), (1.0, 2), (4.0, 4), (2.5, 3)]
    sums, sizes = np.array(values).T
    units = Units(sums, sizes, 4.0, total)
    assert units.wealth(0.6) == pytest.approx(by_hand(values, 0.6, largest=4, total=total), rel=1e-12)


def test_after_the_last_item_the_mean_of_the_benchmark_is_known() -> None:
    comparison = howsure.SequentialComparison(items_total=7)
    comparison.add([1, 0, 1, 1, 0, 1, 0], [0, 0, 1, 1, 1, 1, 0])
    assert comparison.interval == (0.0, 0.0)
    assert comparison.outcome == "undecided"
    barely = howsure.SequentialComparison(items_total=7)
    barely.add([1, 0, 1, 1, 0, 1, 1], [0, 0, 1, 1, 1, 1, 0])
    assert (barely.outcome, barely.status().decided_after) == ("first", 7)
    assert barely.interval == pytest.approx((1 / 7, 1 / 7))


@pytest.mark.parametrize("total", [None, 400])
def test_of_many_ties_few_are_ever_decided(total: int | None) -> None:
    draw = np.random.default_rng(4)
    values = np.r_[np.zeros(40), np.ones(40), np.full(320, 0.5)]
    wrong = 0
    for _ in range(400):
        order = draw.permutation(values) if total else draw.choice(values, 400)
        test = BettingMean(Units(order, np.ones(400), 1.0, total), (-1.0, 1.0))
        wrong += test.verdict(0.0, 0.025, ("first", "second", "undecided"))[1] != "undecided"
    assert wrong <= 30  # of 20 expected at most; more with probability .01


def test_models_change_places() -> None:
    scores = [1, 1, 0, 1] * 10, [0, 1, 0, 0] * 10
    forward, other = howsure.SequentialComparison(items_total=90), howsure.SequentialComparison(items_total=90)
    forward.add(*scores)
    other.add(*scores[::-1])
    assert (forward.outcome, other.outcome) == ("first", "second")
    assert forward.interval == pytest.approx(tuple(-end for end in reversed(other.interval)))
    assert forward.status().decided_after == other.status().decided_after


def test_scores_of_other_bounds_are_the_same_comparison() -> None:
    small, large = howsure.SequentialComparison(), howsure.SequentialComparison(bounds=(1, 5))
    small.add([1, 0.5, 0.75], [0, 0.5, 0.25])
    large.add([5, 3, 4], [1, 3, 2])
    assert large.interval == pytest.approx([4 * end for end in small.interval])


def test_runs_of_an_item_count_once() -> None:
    runs, means = howsure.SequentialComparison(), howsure.SequentialComparison()
    runs.add([[1, 0], [1, 1]], [[0, 0], [1, 0]])
    means.add([0.5, 1.0], [0.0, 0.5])
    assert (len(runs), runs.interval) == (2, means.interval)


def test_a_cluster_waits_until_it_is_complete() -> None:
    comparison = howsure.SequentialComparison(items_total=9, clusters_total=3, largest_cluster=4)
    comparison.add([1, 1, 0], [0, 1, 0], clusters=["a", "a", "b"])
    assert (comparison.status().n, comparison.status().waiting) == (2, 1)
    comparison.add([1] * 3, [0] * 3, clusters=["b"] * 3)
    assert (comparison.status().n, comparison.status().waiting) == (6, 0)
    comparison.add([1] * 3, [0] * 3, clusters=["c"] * 3)
    assert comparison.interval == pytest.approx((7 / 9, 7 / 9))


def test_a_score_passes_fails_or_cannot_tell() -> None:
    for scores, outcome in (([1] * 60, "pass"), ([0] * 60, "fail"), ([1, 1, 0], "cannot tell")):
        score = howsure.SequentialScore(min_score=0.6)
        score.add(scores)
        assert score.outcome == outcome
    assert howsure.SequentialScore().outcome == "undecided"


def test_the_order_keeps_clusters_together_and_follows_its_seed() -> None:
    items, clusters = [f"q{i}" for i in range(40)], [f"d{i % 7}" for i in range(40)]
    order = howsure.draw_order(items, clusters=clusters, rng=5)
    names = [item.cluster for item in order]
    assert sum(a != b for a, b in pairwise(names)) == 6
    assert sorted(item.id for item in order) == sorted(items)
    assert order == howsure.draw_order(items, clusters=clusters, rng=5)
    first = [howsure.draw_order(list("abc"), rng=seed).rows[0].id for seed in range(300)]
    assert min(map(first.count, "abc")) > 70


def test_a_state_goes_on_where_it_was(tmp_path: Path) -> None:
    order = howsure.draw_order(list("abcdef"), rng=3)
    ids = [item.id for item in order]
    comparison = howsure.SequentialComparison(order=order)
    comparison.add([1, 0, 1], [0, 0, 1], id=ids[:3])
    comparison.save(tmp_path / "state.json")
    again = howsure.SequentialComparison.load(tmp_path / "state.json")
    assert again.status() == comparison.status()
    again.add([1], [0], id=[ids[3]])
    again.save(tmp_path / "state.json")
    with pytest.raises(howsure.InputError, match="was written by another process since it was loaded"):
        comparison.save(tmp_path / "state.json")
    assert len(howsure.SequentialComparison.load(tmp_path / "state.json")) == 4


def test_states_of_another_kind_or_version_are_refused(tmp_path: Path) -> None:
    score = howsure.SequentialScore(min_score=0.5)
    score.add([1, 0])
    path = tmp_path / "state.json"
    score.save(path)
    with pytest.raises(howsure.InputError, match="this is not the state of a comparison"):
        howsure.SequentialComparison.load(path)
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(fields | {"version": 1}))
    with pytest.raises(howsure.InputError, match="of version 1, and this howsure reads version 2"):
        howsure.SequentialScore.load(path)


def test_a_state_may_have_copies_under_other_names(tmp_path: Path) -> None:
    first_path, two, three = (tmp_path / f"{name}.json" for name in ("one", "two", "three"))
    score = howsure.SequentialScore(min_score=0.5)
    score.save(first_path)
    score.add([1, 0])
    score.save(two)
    score.save(first_path)  # which holds an earlier state of this
    again = howsure.SequentialScore.load(two)
    again.save(three)
    again.add([1])
    again.save(two)
    again.save(three)
    assert [len(howsure.SequentialScore.load(path)) for path in (first_path, two, three)] == [2, 3, 3]


def test_a_state_replaces_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("notes")
    with pytest.raises(
        howsure.InputError, match=r"state\.json contains other data\. Load the file and add to its content"
    ):
        howsure.SequentialScore().save(path)
    assert path.read_text() == "notes"


def test_a_name_that_is_not_a_text_cannot_be_saved(tmp_path: Path) -> None:
    score = howsure.SequentialScore()
    score.add([1], id=["a\ud800"])
    with pytest.raises(howsure.InputError, match=r"a name contains half a character \(a lone surrogate\)"):
        score.save(tmp_path / "state.json")
    assert list(tmp_path.iterdir()) == []


EDITS: tuple[dict[str, Any], ...] = (
    {"scores": {"score": [1, 7]}},
    {"scores": {"score": ["1", {}]}},
    {"scores": {"score": [10**400, 1]}},
    {"scores": {}},
    {"scores": None},
    {"settings": {}},
    {"settings": {"unknown": 1}},
    {"settings": {"items_total": 10**400}},
    {"settings": {"bounds": [0, "1"]}},
    {"settings": {"level": None}},
    {"settings": {"predicted": [1]}},
    {"order": [[], {}]},
    {"order": [[["a", None], [1, None]], {"seed": 1}]},
    {"order": [[["a", None], ["b", "c"]], {"seed": 1}]},
    {"order": [[["a", None], ["b", None]], {}]},
    {"id": ["a", "a"]},
    {"clusters": ["a", "b"]},
)


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_an_edited_state_is_refused_with_its_checksum_and_without(edit: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    score = howsure.SequentialScore(min_score=0.5)
    score.add([1, 0])
    score.save(path)
    fields = json.loads(path.read_text())
    edited = {**fields["state"], **edit}
    if edit.get("settings"):
        edited["settings"] = {**fields["state"]["settings"], **edit["settings"]}
    path.write_text(json.dumps(fields | {"state": edited}))
    with pytest.raises(howsure.InputError, match=r"state\.json: the state of a score does not match its checksum"):
        howsure.SequentialScore.load(path)
    path.write_text(SavedState(howsure.SequentialScore.head, "").text(edited))
    with pytest.raises(howsure.InputError, match=r"state\.json: "):
        howsure.SequentialScore.load(path)


@pytest.mark.parametrize(
    ("settings", "added", "message"),
    [
        ({}, {"first": [1, 0], "second": [1]}, "must have a score for each item"),
        ({}, {"first": [1, 2], "second": [1, 0]}, r"first must be between the bounds, 0 and 1; row 1 is 2"),
        ({}, {"first": [1], "second": [math.nan]}, "second must be finite; row 0 is nan"),
        ({"items_total": 1}, {"first": [1, 0], "second": [1, 0]}, "there are more items than items_total"),
        ({}, {"first": [1, 0], "second": [1, 0], "id": ["a", "a"]}, "must name each item once; row 1 repeats 'a'"),
        (
            {},
            {"first": [1], "second": [1], "clusters": ["a"]},
            r"clusters=\.\.\. and largest_cluster=\.\.\. belong together",
        ),
        (
            {"largest_cluster": 2},
            {"first": [1], "second": [1]},
            r"clusters=\.\.\. and largest_cluster=\.\.\. belong together",
        ),
        ({"largest_cluster": 1}, {"first": [1, 0], "second": [1, 0], "clusters": ["a", "a"]}, "has 2 items, more than"),
        (
            {"largest_cluster": 2},
            {"first": [1, 0, 1], "second": [1, 0, 1], "clusters": ["a", "b", "a"]},
            "must follow one another; 'a' occurs again",
        ),
        (
            {"items_total": 2, "clusters_total": 2, "largest_cluster": 2},
            {"first": [1, 0], "second": [1, 0], "clusters": ["a", "a"]},
            "it is 2, and these 2 items are in 1",
        ),
        ({"order": ORDER}, {"first": [1], "second": [1]}, "id must name each item"),
        ({"order": ORDER}, {"first": [1], "second": [0], "id": [ORDER.rows[1].id]}, "must follow the order drawn"),
    ],
)
def test_invalid_input_is_refused_and_nothing_is_added(
    settings: dict[str, object], added: dict[str, object], message: str
) -> None:
    comparison = howsure.SequentialComparison(**settings)  # type: ignore[arg-type]
    with pytest.raises(howsure.InputError, match=message):
        comparison.add(**added)  # type: ignore[arg-type]
    assert len(comparison) == 0


def test_a_plan_expects_what_comparisons_take() -> None:
    draw = np.random.default_rng(1)
    pilot = draw.permutation(np.r_[np.ones(700), -np.ones(300), np.zeros(1000)])
    first, second = (pilot > 0) * 1.0, (pilot < 0) * 1.0
    plan = howsure.plan_comparison(first, second, items_total=1000, n_simulations=200, rng=2)
    decided_after = []
    for seed in range(200):
        comparison = howsure.SequentialComparison(items_total=1000)
        chosen = np.random.default_rng(seed).permutation(2000)[:1000]
        comparison.add(first[chosen], second[chosen])
        decided_after.append(comparison.status().decided_after or 1000)
    assert plan.items == pytest.approx(np.mean(decided_after), rel=0.15)
    assert plan.first == 1.0
    spread = np.std(first - second)
    assert plan.fixed == pytest.approx(((1.959964 + 0.841621) * spread / 0.2) ** 2, rel=0.02)


def test_a_check_that_is_sequential_bets_as_a_comparison_does() -> None:
    first, second = [1, 1, 0, 1] * 20, [0, 1, 0, 0] * 20
    check = howsure.check_score_so_far(first, against=second, items_total=200)
    (verdict,) = check
    assert verdict.outcome == "pass"
    comparison = howsure.SequentialComparison(items_total=200)
    comparison.add(first, second)
    tests = comparison.test()
    assert (verdict.estimate.low, verdict.estimate.high) == tests.bounds(0.025)
    assert verdict.p_pass == tests.p_above(0.0) < 0.05
    assert "the mean of these 200 items" in verdict.notes[0]
