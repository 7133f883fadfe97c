"""Rows that are items × runs."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.significance import Runs, compare
from howsure.significance.results import how
from tests.significance.made_systems import distributions, labels

SETTING = {"rng": 2, "n_resamples": 300}


def long_table(runs: int = 3, items: int = 80):
    """Rows of items × runs in a mixed order: target, baseline, model, run, item."""
    columns = [labels(items, 3, seed) for seed in range(runs)]
    targets = columns[0][0]
    rng = np.random.default_rng(0)
    systems = [[np.where(rng.random(items) < 0.7, targets, (targets + 1) % 3) for _ in range(runs)] for _ in range(2)]
    order = rng.permutation(runs * items)
    run, item = np.repeat(np.arange(runs), items)[order], np.tile(np.arange(items), runs)[order]
    long = [np.tile(targets, runs)[order], *(np.concatenate(one)[order] for one in systems)]
    return long, [f"seed {r}" for r in run], [f"item {i}" for i in item], (targets, *systems)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_long_table_is_the_runs_side_by_side(method: str) -> None:
    long, runs, ids, (targets, a, b) = long_table()
    one = compare(*long, run=runs, id=ids, method=method, **SETTING)
    other = compare(targets, Runs(a), Runs(b), method=method, **SETTING)
    assert repr(one.rows) == repr(other.rows)  # NaN among them, which equals nothing
    assert one.recipe == other.recipe
    assert one[0].n == 80
    assert one.recipe["resampled"] == "items with all their runs"


def test_without_ids_the_order_of_rows_says_which_item_it_is() -> None:
    _, _, _, (targets, a, b) = long_table()
    long = np.tile(targets, 3), np.concatenate(a), np.concatenate(b)
    one = compare(*long, run=np.repeat([0, 1, 2], 80), **SETTING)
    other = compare(targets, Runs(a), Runs(b), **SETTING)
    assert repr(one.rows) == repr(other.rows)
    assert one.recipe == {**other.recipe, "items": "matched by their order"}
    assert "The items of the runs were matched by their order; to be sure, say which is which, by their id." in how(one)
    assert not any("order" in sentence for sentence in how(other))


def test_the_value_of_several_runs_is_their_mean_accuracy() -> None:
    _, _, _, (targets, a, b) = long_table()
    row = compare(targets, Runs(a), Runs(b[:2]), metrics="accuracy", **SETTING)[0]
    assert row.against_value == pytest.approx(np.mean([np.mean(one == targets) for one in a]))
    assert row.model_value == pytest.approx(np.mean([np.mean(one == targets) for one in b[:2]]))


@pytest.mark.parametrize("two_way", [False, True])
def test_the_order_of_runs_changes_nothing(two_way: bool) -> None:
    _, _, _, (targets, a, b) = long_table()
    options = {"method": "bootstrap", "two_way": two_way, **SETTING}
    plain, turned = compare(targets, Runs(a), Runs(b), **options), compare(targets, Runs(a[::-1]), Runs(b), **options)
    for one, other in zip(plain, turned, strict=True):
        assert (one.low, one.high, one.p_value) == pytest.approx((other.low, other.high, other.p_value), abs=1e-12)


def test_two_way_draws_runs_as_well() -> None:
    """Runs that differ much: the interval over items alone is far too sure about training again."""
    rng = np.random.default_rng(1)
    targets = rng.integers(0, 2, 2000)
    runs = [np.where(rng.random(2000) < accuracy, targets, 1 - targets) for accuracy in (0.6, 0.7, 0.8, 0.9)]
    other = [np.where(rng.random(2000) < 0.8, targets, 1 - targets) for _ in range(4)]
    options = {"metrics": "accuracy", "method": "bootstrap", **SETTING}
    items = compare(targets, Runs(runs), Runs(other), **options)[0]
    both = compare(targets, Runs(runs), Runs(other), two_way=True, **options)[0]
    assert items.difference == both.difference
    expected = 2 * 1.96 * np.std([0.6, 0.7, 0.8, 0.9]) / 2
    assert both.high - both.low == pytest.approx(expected, rel=0.25)
    assert items.high - items.low < 0.4 * expected


def test_two_way_with_unequal_runs() -> None:
    """Without any difference between runs, drawing them as well changes nothing but the draws."""
    targets, a, b = labels(300, 3, 1)
    options = {"metrics": "macro_f1", "method": "bootstrap", "rng": 0, "n_resamples": 4000}
    items = compare(targets, a, b, **options)[0]
    both = compare(targets, Runs([a] * 2), Runs([b] * 5), two_way=True, **options)[0]
    assert (both.against_value, both.model_value) == pytest.approx((items.against_value, items.model_value))
    assert (both.low, both.high) == pytest.approx((items.low, items.high), abs=0.01)


def test_soft_runs_and_clusters() -> None:
    targets, a, b = distributions(60, 3, 0)
    other = distributions(60, 3, 1)[1]
    del other
    row = compare(targets, Runs([a, b]), Runs([b, b]), clusters=np.arange(60) // 3, **SETTING)[0]
    assert row.against_value == pytest.approx(np.mean([-(targets * np.log(one)).sum(axis=1).mean() for one in (a, b)]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"run": [0, 0, 1]}, "run '0' has 2 rows, run '1' has 1"),
        ({"run": [0, 0, 1, 1], "id": ["x", "x", "x", "y"]}, "run '0' lacks 'y'"),
        ({"run": [0, 0, 1, 1], "id": ["x", "y", "y", "x"]}, "y_true must be the same in every run of an item"),
        (
            {"run": [0, 1, 0, 1]},
            "the runs do not list the same targets in the same order; identify the item of each row: id=",
        ),
        ({"id": ["x", "y", "y", "x"]}, "id must differ; 'x' occurs 2 times .* run="),
    ],
)
def test_runs_that_do_not_match_are_refused(change: dict[str, list[object]], message: str) -> None:
    n = len(change.get("run", [0] * 4))
    with pytest.raises(InputError, match=message):
        compare([0, 1, 0, 1][:n], [0, 0, 0, 1][:n], [0, 1, 0, 1][:n], **change)


def test_both_ways_to_give_runs_are_one_too_many() -> None:
    with pytest.raises(InputError, match="not both"):
        compare([0, 1], Runs([[0, 1]]), [0, 1], run=[0, 0])
    with pytest.raises(InputError, match="at least one run"):
        Runs([])
    with pytest.raises(InputError, match="cannot be added up over runs"):
        compare([0, 1], Runs([[0.1, 0.8]] * 2), Runs([[0.1, 0.7]] * 2), metrics="calibration_error")
