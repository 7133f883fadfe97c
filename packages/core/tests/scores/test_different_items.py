"""Models that answered different items: the first one named is the one that ranks first on shared items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import howsure

# both answer 60 easy items, A with 54 right and B with 45 of the same; A alone answers 60 hard ones, with 18 right
EASY = [(model, f"easy {i}", int(i < right)) for model, right in (("A", 54), ("B", 45)) for i in range(60)]
HARD = [("A", f"hard {i}", int(i < 18)) for i in range(60)]


def rows(*, lower_is_better: bool = False) -> dict[str, Any]:
    models, items, scores = zip(*EASY, *HARD, strict=True)
    return {"score": [1 - s if lower_is_better else s for s in scores], "model": list(models), "id": list(items)}


@pytest.mark.parametrize("function", [howsure.mean_scores, howsure.score_agents])
def test_the_first_model_is_the_best_on_shared_items(function: Callable[..., Any]) -> None:
    table = function(**rows(), rng=0)
    assert [(row.model, row.ranks) for row in table] == [("A", "1"), ("B", "2")]
    answer = str(table).split("\n")[0]
    assert "A scores best on the" in answer
    assert "share, 0.6000" in answer  # (54 + 18) / 120
    assert answer.replace("tasks", "items").endswith("on all its own items; significantly better than B.")
    assert "ranks compare shared" in str(table).lower()


def test_the_lowest_mean_may_be_of_easier_items() -> None:
    table = howsure.mean_scores(**rows(lower_is_better=True), lower_is_better=True, rng=0)
    assert [(row.model, round(row.mean.value, 4)) for row in table] == [("A", 0.4), ("B", 0.25)]
    assert str(table).startswith("A scores best (lowest) on the items that models share, 0.4000")


def test_a_best_mean_of_fewer_items_is_not_over_all_groups() -> None:
    models, items, scores = zip(*EASY, *HARD, strict=True)
    kept = [s if m == "A" else int(int(i.split()[1]) < 53) for m, i, s in zip(models, items, scores, strict=True)]
    groups = [item.split()[0] for item in items]
    table = howsure.mean_scores(kept, model=list(models), groups=groups, id=list(items), rng=0)
    assert str(table).startswith("B scores best on its own items, 0.8833")
    assert "overall, B: 60 of 120 items missing; ranks compare shared items." in str(table)


def test_the_model_that_lacks_most_items_is_noted_first() -> None:
    models, items = zip(
        *((model, item) for item in range(40) for model in "ABC"[: 1 + (item > 0) + (item > 9)]), strict=True
    )
    table = howsure.mean_scores([item % 2 for item in items], model=list(models), id=list(map(str, items)), rng=0)
    notes = [note for note in table.footnotes() if "missing" in note]
    assert notes[0].startswith("C: 10 of 40 items missing")
    assert notes[1].startswith("B: 1 of 40 items missing")


def test_few_shared_items_are_noted() -> None:
    # A has the items 0-39, B 37-76: 3 are shared; C has only item 0, which it shares with A alone
    items = {"A": range(40), "B": range(37, 77), "C": range(1)}
    models, ids = zip(*((model, str(item)) for model, has in items.items() for item in has), strict=True)
    table = howsure.mean_scores([int(m == "A") for m in models], model=list(models), id=list(ids), rng=0)
    notes = [str(note) for note in table.footnotes() if "missing" in note]
    assert "A: 37 of 77 items missing; ranks compare shared items, and only 3 are shared with B." in notes
    assert table.answer.startswith("A scores best on its own items, 1.0000")
    assert table.answer.endswith("not significantly worse: B; not compared with it: C.")
