"""Races of several models: who is dropped and when, what that takes, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import howsure
from howsure.inputs.pairs import Floats
from howsure.sequential.race import drops
from howsure.stats.betting import SHARES

Column = list[str]


def by_hand(sums: Floats, sizes: list[int], size: float) -> list[int | None]:
    """The same game after game, unit after unit, bettor after bettor."""
    total, models, largest = len(sums), sums.shape[1], max(sizes)
    wealth = [[1.0] * len(SHARES) for _ in range(models)]
    impossible, stops = [False] * models, list[int | None]([None] * models)
    for t in range(total):
        racing = [j for j in range(models) if stops[j] is None]
        if len(racing) == 1:
            break
        before = sums[:t].sum(axis=0)
        for j in racing:
            leader = max((i for i in racing if i != j), key=lambda i: (before[i], -i))
            value = 0.5 + (sums[t, leader] - sums[t, j]) / (2 * largest)
            rest = total / 2 - t / 2 - (before[leader] - before[j]) / (2 * largest)
            expected = rest / (total - t)
            if expected > 0:
                wealth[j] = [
                    has * (1 + share * (value / expected - 1)) for has, share in zip(wealth[j], SHARES, strict=True)
                ]
            impossible[j] |= rest - value < -1e-9
        mean_wealth = {j: np.inf if impossible[j] else np.mean(wealth[j]) for j in racing}
        while True:
            short = sum(min(mean_wealth[j] - 1 / size, 0) for j in racing)
            out = [j for j in racing if mean_wealth[j] - 1 / size + min(mean_wealth[j] - 1 / size, 0) + short >= 0]
            if not out or len(racing) == 1:
                break
            if len(out) == len(racing):
                out.remove(min(racing, key=lambda j: mean_wealth[j]))
            for j in out:
                stops[j] = t + 1
                racing.remove(j)
    return stops


@pytest.mark.parametrize("seed", range(8))
def test_drops_are_those_by_hand(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(1, 4, 90)
    sums = draw.binomial(sizes[:, None], draw.uniform(0.3, 0.9, 5)).astype(float)
    assert drops(sums, sizes, 0.05) == by_hand(sums, sizes.tolist(), 0.05)


def test_of_many_races_few_drop_a_best_model() -> None:
    draw = np.random.default_rng(6)
    wrong = 0
    for _ in range(300):
        scores = np.array([draw.permutation(np.repeat([1.0, 0.0], (n, 200 - n))) for n in (120, 120, 120, 90)]).T
        wrong += any(stop is not None for stop in drops(scores, np.ones(200, dtype=int), 0.05)[:3])
    assert wrong <= 24  # of 15 expected at most; more with probability .01


def test_a_race_of_two_is_a_comparison() -> None:
    draw = np.random.default_rng(1)
    scores = (draw.random((2, 400)) < [[0.7], [0.5]]).astype(float)
    order = howsure.draw_order([str(i) for i in range(400)], rng=3)
    places = [int(item.id) for item in order]
    comparison = howsure.SequentialComparison(items_total=400)
    comparison.add(*scores[:, places])
    race = howsure.race_models(scores.ravel(), model=["a"] * 400 + ["b"] * 400, id=[*range(400)] * 2, order=order)
    assert (race["a"].outcome, race["b"].outcome) == ("best", "dropped")
    # e-Holm asks 40 and what the other game lost; the comparison asks 40
    assert race.n == pytest.approx(comparison.status().decided_after, abs=15)


def rows_of(order: howsure.ItemOrder, n_of_model: dict[str, int]) -> dict[str, list[object]]:
    """Scores of the first items of the order, as many as each model took: "good" is mostly right, others seldom."""
    columns: dict[str, list[object]] = {"model": [], "item": [], "right": []}
    for model, n in n_of_model.items():
        for item in order.rows[:n]:
            columns["model"].append(model)
            columns["item"].append(item.id)
            columns["right"].append(int(hash_of(model, item.id) < (0.9 if model == "good" else 0.4)))
    return columns


def hash_of(*texts: str) -> float:
    """A number between 0 and 1 that looks random and is the same everywhere."""
    return abs(np.sin(sum((i + 1) * ord(letter) ** 2 for i, letter in enumerate("".join(texts))))) % 1


def test_a_race_goes_on_without_whom_it_dropped(tmp_path: Path) -> None:
    order = howsure.draw_order([f"q{i}" for i in range(300)], rng=2)
    whole = rows_of(order, {"good": 300, "bad": 300, "worse": 300})
    complete = howsure.race_models(whole["right"], model=whole["model"], id=whole["item"], order=order)
    assert complete.left == ("good",)
    first_drop = min(row.n for row in complete if row.outcome == "dropped")
    early = {name: complete[name].n for name in ("bad", "worse")}
    grown = rows_of(order, {"good": 300, **early})
    again = howsure.race_models(grown["right"], model=grown["model"], id=grown["item"], order=order)
    assert [(row.model, row.outcome, row.n) for row in again] == [(row.model, row.outcome, row.n) for row in complete]
    part = rows_of(order, dict.fromkeys(("good", "bad", "worse"), first_drop - 1))
    so_far = howsure.race_models(part["right"], model=part["model"], id=part["item"], order=order)
    assert {row.outcome for row in so_far} == {"in the race"}
    assert so_far.n == first_drop - 1
    path = tmp_path / "order.csv"
    path.write_text(order.to_csv())
    race = howsure.race_models(whole["right"], model=whole["model"], id=whole["item"], order=howsure.read(path))
    assert race.rows == complete.rows


def test_clusters_are_dropped_after_whole_ones() -> None:
    ids, documents = [f"q{i}" for i in range(240)], [f"d{i // 4}" for i in range(240)]
    order = howsure.draw_order(ids, clusters=documents, rng=2)
    columns = rows_of(order, {"good": 240, "bad": 240})
    race = howsure.race_models(columns["right"], model=columns["model"], id=columns["item"], order=order)
    assert race["bad"].n % 4 == 0
    assert race.answers == 2 * race.n < 480
    partly = rows_of(order, {"good": 7, "bad": 7})
    assert howsure.race_models(partly["right"], model=partly["model"], id=partly["item"], order=order).n == 4


FOUR = {"model": ["a", "a", "b", "b"], "id": ["x", "y", "x", "y"]}
DRAWN = howsure.draw_order(["x", "y", "z"], rng=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": ["a"] * 4}, "must name two or more models; it names only 'a'"),
        ({"id": ["x", "x", "x", "y"]}, "must name each item of a model once; row 1 repeats 'x' for 'a'"),
        ({"id": ["x", "y", "x", "z"]}, "must have all items in the order drawn; '[ab]' lacks '[yz]', at position"),
        ({"id": ["x", "y", "x", "w"], "order": DRAWN}, "must name items of the order; row 3 is 'w'"),
        (
            {"id": [DRAWN.rows[0].id, DRAWN.rows[2].id] * 2, "order": DRAWN},
            "lacks '.', at position 2, but has scores of later",
        ),
        ({"order": ["x", "y"]}, "order=.* must come from howsure.draw_order, or be the file .*; it is a list"),
        ({"order": DRAWN, "clusters": ["x"] * 4}, "contains the clusters"),
        ({"score": [0, 1, 2, 1]}, "bounds.* must be given, the lowest and the highest possible score, because"),
        ({"score": [0, 1, 2, 1], "bounds": (0, 1)}, "must be between the bounds, 0 and 1; row 2 is 2"),
        ({"score": [0, 1, float("nan"), 1], "bounds": (0, 1)}, "score must be finite; row 2 is nan"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"score": [1, 0, 1, 1], **FOUR, **changes}
    with pytest.raises(howsure.InputError, match=message):
        howsure.race_models(**arguments)  # type: ignore[arg-type]


def test_an_order_that_was_not_drawn_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "order.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("position", "id"), (2, "x"), (1, "y")])
    with pytest.raises(howsure.InputError, match="position must count the items from 1; give the file that howsure"):
        howsure.race_models([1, 0, 1, 1], model=FOUR["model"], id=FOUR["id"], order=howsure.read(path))


def test_files_are_models_if_no_column_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for name, rate in (("a", 0.3), ("b", 0.8)):
        right = (rng.random(80) < rate).astype(int)
        rows = "".join(f"{item},{score}\n" for item, score in enumerate(right))
        (tmp_path / f"{name}.csv").write_text(f"item,right\n{rows}")
    data = howsure.read(f"{tmp_path}/*.csv")
    race = howsure.race_models("right", id="item", data=data, rng=1)
    assert [(row.model, row.outcome) for row in race] == [("b", "best"), ("a", "dropped")]
    with pytest.raises(howsure.InputError, match="model must be given"):
        howsure.race_models([1, 0], id=[1, 2])
