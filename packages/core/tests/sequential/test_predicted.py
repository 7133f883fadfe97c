"""What is predicted of the items makes bets win sooner, and no bet unfair."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.stats.betting import BettingMean, Units

N = 400
shares = st.floats(0, 1, width=16)


def units(y: Any, f: Any) -> Units:
    return Units(y, np.ones(len(y)), 1.0, len(y), f, (float(f.mean()), float(f.min()), float(f.max())))


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), shares), min_size=2, max_size=5))
def test_over_all_orders_nobody_gains_where_the_hypothesis_is_true(items: list[tuple[float, float]]) -> None:
    y, f = np.array(items).T
    orders = [list(order) for order in itertools.permutations(range(len(items)))]
    for first, second in ((y, f), (1 - y, 1 - f)):
        gains = [units(first[order], second[order]).wealth(first.mean()) for order in orders]
        assert np.mean(gains, axis=0) == pytest.approx(np.ones(len(items)), rel=1e-9)


def test_what_predicts_the_same_of_all_changes_nothing() -> None:
    y = np.random.default_rng(0).integers(0, 2, 50).astype(float)
    plain = Units(y, np.ones(50), 1.0, 100)
    same = Units(y, np.ones(50), 1.0, 100, np.full(50, 0.3), (0.3, 0.3, 0.3))
    for m in (0.3, 0.5):
        assert same.wealth(m) == pytest.approx(plain.wealth(m))
        assert same.reflected().wealth(m) == pytest.approx(plain.reflected().wealth(m))
    assert same.mean == plain.mean


@pytest.mark.parametrize("kind", ["good", "useless", "opposite"])
def test_few_intervals_ever_miss_the_mean_whatever_was_predicted(kind: str) -> None:
    rng = np.random.default_rng(5)
    hard = rng.random(N)
    predicted = {"good": hard, "useless": rng.random(N), "opposite": 1 - hard}[kind]
    missed = 0
    for _ in range(200):
        y = (rng.random(N) < hard).astype(float)
        order = rng.permutation(N)
        test = BettingMean(units(y[order], predicted[order]), (0.0, 1.0))
        missed += test.verdict(float(y.mean()), 0.05, ("above", "below", ""))[1] != ""
    assert missed <= 32  # of 200 with probability at most .1 each: more has probability .004


def benchmark() -> tuple[Any, dict[str, float], Any]:
    rng = np.random.default_rng(1)
    hard = rng.random(N)
    order = howsure.draw_order([f"q{i}" for i in range(N)], rng=1)
    return order, {f"q{i}": float(hard[i]) for i in range(N)}, (rng.random(N) < hard).astype(float)


def test_it_decides_sooner() -> None:
    _, predicted, y = benchmark()
    hard = np.array(list(predicted.values()))
    rng = np.random.default_rng(0)
    stops_of_runs = []
    for _ in range(60):
        order = rng.permutation(N)
        both = Units(y[order], np.ones(N), 1.0, N), units(y[order], hard[order])
        stops = [unit_scores.first_above(float(y.mean()) - 0.08, 0.05) for unit_scores in both]
        stops_of_runs.append([N if stop is None else stop for stop in stops])
    first, second = np.mean(stops_of_runs, axis=0)
    assert second < 0.8 * first


def test_a_state_goes_on_and_ends_at_the_mean(tmp_path: Path) -> None:
    order, predicted, y = benchmark()
    ids = [item.id for item in order.rows]
    values = [y[int(item_id[1:])] for item_id in ids]
    helped = howsure.SequentialScore(min_score=0.4, order=order, predicted=predicted)
    helped.add(values[:300], id=ids[:300])
    helped.save(tmp_path / "score.json")
    again = howsure.SequentialScore.load(tmp_path / "score.json")
    assert again.status().to_dict() == helped.status().to_dict()
    again.add(values[300:], id=ids[300:])
    assert again.status().estimate.value == pytest.approx(y.mean())
    assert again.interval == pytest.approx((y.mean(), y.mean()))
    assert "predicted:yes" in again.status().signature
    assert "adjusted by what was predicted" in repr(again)


def test_of_other_bounds_it_is_the_same() -> None:
    order, predicted, y = benchmark()
    ids = [item.id for item in order.rows[:90]]
    first = howsure.SequentialScore(order=order, predicted=predicted)
    ten = {item: 10 * value - 5 for item, value in predicted.items()}
    second = howsure.SequentialScore(order=order, predicted=ten, bounds=(-5, 5))
    first.add([y[int(item_id[1:])] for item_id in ids], id=ids)
    second.add([10 * y[int(item_id[1:])] - 5 for item_id in ids], id=ids)
    assert second.interval == pytest.approx([10 * end - 5 for end in first.interval], abs=1e-6)


def test_items_are_named() -> None:
    score = howsure.SequentialScore(predicted={"a": 0.5, "b": 0.5})
    with pytest.raises(howsure.InputError, match="id must name each item"):
        score.add([1])
    with pytest.raises(howsure.InputError, match="it has none for 'c'"):
        score.add([1], id=["c"])
    with pytest.raises(howsure.InputError, match="predicted is for items without clusters"):
        howsure.SequentialScore(predicted={"a": 1, "b": 0}, largest_cluster=2, clusters_total=1, items_total=2)
    assert len(score) == 0
