"""The door: what is refused, and how it is said."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.significance.made_systems import distributions, labels

from howsure.significance import Runs
from howsure.significance.boostsa.storage import read_labels
from howsure.significance.checked_systems import check_predictions
from howsure.significance.comparison import compare
from howsure.significance.results import how
from howsure_cli.commands.significance.main import command

GOOD = [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]


def with_row(row: list[float]) -> list[list[float]]:
    return [GOOD[0], row, GOOD[2]]


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        lambda values: pd.Series(values, index=[9, 8, 7, 6]),
        lambda values: pd.Series(values, dtype="category"),
        lambda values: np.array(values, dtype=object),
        lambda values: np.array(values)[:, None],
    ],
)
@pytest.mark.parametrize("pair", [("a", "b"), (1, 2), (1.0, 2.0), (True, False)])
def test_any_kind_of_column_and_label(kind: object, pair: tuple[object, object]) -> None:
    a, b = pair
    values, other = [a, b, b, a], [a, a, b, b]
    result = compare(kind(values), kind(other), kind(values), metrics="accuracy", rng=0, n_resamples=10)
    assert (result[0].against_value, result[0].model_value) == (0.5, 1.0)


@pytest.mark.parametrize("kind", [list, np.array, pd.DataFrame, lambda rows: pd.Series(list(rows))])
def test_any_kind_of_rows(kind: object) -> None:
    result = compare(kind(GOOD), kind(GOOD), kind(GOOD), metrics="total_variation", rng=0, n_resamples=10)
    assert result[0].model_value == 0


def test_bytes_are_read_as_the_text_that_they_are() -> None:
    assert check_predictions(np.array([b"a", b"b"]), name="predictions").tolist() == ["a", "b"]


SETTING = {"rng": 2, "n_resamples": 300}


def long_table(runs: int = 3, items: int = 80):
    """Rows of items × runs in a mixed order: target, baseline, model, run, item."""
    columns = [labels(items, 3, seed) for seed in range(runs)]
    targets = columns[0][0]
    rng = np.random.default_rng(0)
    systems = [[np.where(rng.random(items) < 0.7, targets, (targets + 1) % 3) for _ in range(runs)] for _ in range(2)]
    order = rng.permutation(runs * items)
    run, item = np.repeat(np.arange(runs), items)[order], np.tile(np.arange(items), runs)[order]
    long = [np.tile(targets, runs)[order], *(np.concatenate(runs_of_system)[order] for runs_of_system in systems)]
    return long, [f"seed {r}" for r in run], [f"item {i}" for i in item], (targets, *systems)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_long_table_is_the_runs_side_by_side(method: str) -> None:
    long, runs, ids, (targets, a, b) = long_table()
    from_long = compare(*long, run=runs, id=ids, method=method, **SETTING)
    other = compare(targets, Runs(a), Runs(b), method=method, **SETTING)
    assert repr(from_long.rows) == repr(other.rows)  # NaN among them, which equals nothing
    assert from_long.recipe == other.recipe
    assert from_long[0].n == 80
    assert from_long.recipe["resampled"] == "items with all their runs"


def test_without_ids_the_order_of_rows_says_which_item_it_is() -> None:
    _, _, _, (targets, a, b) = long_table()
    long = np.tile(targets, 3), np.concatenate(a), np.concatenate(b)
    from_long = compare(*long, run=np.repeat([0, 1, 2], 80), **SETTING)
    other = compare(targets, Runs(a), Runs(b), **SETTING)
    assert repr(from_long.rows) == repr(other.rows)
    assert from_long.recipe == {**other.recipe, "items": "matched by their order"}
    assert (
        "The items of the runs were matched by their order. To match them reliably, give the id of each item."
        in how(from_long)
    )
    assert not any("order" in sentence for sentence in how(other))


def test_the_value_of_several_runs_is_their_mean_accuracy() -> None:
    _, _, _, (targets, a, b) = long_table()
    row = compare(targets, Runs(a), Runs(b[:2]), metrics="accuracy", **SETTING)[0]
    assert row.against_value == pytest.approx(np.mean([np.mean(predicted == targets) for predicted in a]))
    assert row.model_value == pytest.approx(np.mean([np.mean(predicted == targets) for predicted in b[:2]]))


@pytest.mark.parametrize("two_way", [False, True])
def test_the_order_of_runs_changes_nothing(two_way: bool) -> None:
    _, _, _, (targets, a, b) = long_table()
    options = {"method": "bootstrap", "two_way": two_way, **SETTING}
    plain, turned = compare(targets, Runs(a), Runs(b), **options), compare(targets, Runs(a[::-1]), Runs(b), **options)
    for row, other in zip(plain, turned, strict=True):
        assert (row.low, row.high, row.p_value) == pytest.approx((other.low, other.high, other.p_value), abs=1e-12)


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
    assert row.against_value == pytest.approx(
        np.mean([-(targets * np.log(probabilities)).sum(axis=1).mean() for probabilities in (a, b)])
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "mixed.jsonl",
            '{"gold":1,"base":1.0,"big":1}\n{"gold":0,"base":0.0,"big":0}\n{"gold":1,"base":0.0,"big":1}\n',
        ),
        ("mixed.csv", "gold,base,big\n1,1.0,1\n0,0.0,0\n1,0.0,1\n"),
    ],
)
def test_one_and_one_point_nought_are_one_class(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    arguments = [str(tmp_path / name), "--target", "gold", "--against", "base", "--model", "big"]
    done = CliRunner().invoke(command, [*arguments, "--metric", "accuracy", "--format", "json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["comparisons"][0]["against_value"] == pytest.approx(2 / 3)


def test_a_byte_order_mark_is_not_part_of_a_label(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_bytes(b"\xef\xbb\xbfa\nb\na\n")
    assert list(read_labels(tmp_path / "labels.txt")) == ["a", "b", "a"]


def test_one_item_has_no_interval_by_any_method() -> None:
    """It was [+1, +1], and the bootstrap's p .0001."""
    for interval in ("basic", "percentile", "bca"):
        (row,) = compare([1], [0], [1], metrics="accuracy", method="bootstrap", interval=interval, rng=0)
        assert math.isnan(row.low)
        assert math.isnan(row.high)
        assert row.p_value == 1.0


@pytest.mark.parametrize("metric", ["entropy_similarity", "entropy_correlation"])
def test_identical_soft_systems_differ_by_nothing(metric: str) -> None:
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], size=40)
    truth = np.random.default_rng(1).dirichlet([1, 1, 1], size=40)
    (row,) = compare(truth, rows, rows, metrics=metric, rng=0, n_resamples=500)
    assert (row.p_value, row.low, row.high) == (1.0, 0.0, 0.0)
