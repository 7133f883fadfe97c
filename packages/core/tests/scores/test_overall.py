"""The overall row: all items of all groups, in every form of a table of scores, and what a check of a log judges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.data.logs.writers import lm_eval_sample, write_lm_eval

import howsure
from howsure.scores.overall import SHARED_ITEMS_NOTE

GROUP = np.repeat(["a", "b", "c"], [10, 20, 30])
RIGHT = (np.arange(60) * 7 % 11 > 3).astype(float)


def test_the_overall_row_is_the_mean_over_all_items() -> None:
    table = howsure.mean_scores(RIGHT, groups=GROUP, id=np.arange(60), macro=True)
    whole = howsure.mean_scores(RIGHT, id=np.arange(60))[0]
    assert [(row.group, row.n) for row in table] == [
        ("overall", 60),
        ("macro mean", 60),
        ("a", 10),
        ("b", 20),
        ("c", 30),
    ]
    assert (table[0].mean.value, table[0].mean.low, table[0].mean.high) == pytest.approx(
        (whole.mean.value, whole.mean.low, whole.mean.high), rel=1e-12
    )
    for text in (str(table), table.to_latex(), table.to_markdown(), table.to_csv()):
        assert "overall" in text
    assert next(row["group"] for row in table.to_dict()["scores"]) == "overall"


def test_one_group_has_no_overall_row_and_a_group_keeps_its_name() -> None:
    assert [row.group for row in howsure.mean_scores(RIGHT, groups=["a"] * 60)] == ["a"]
    named = np.where(GROUP == "a", "overall", GROUP)
    assert howsure.mean_scores(RIGHT, groups=named)[0].group == "overall (all groups)"


def test_items_that_all_groups_have_are_clusters() -> None:
    """Equal items under three conditions that agree: three times the rows add no information."""
    right, item = np.tile(RIGHT[:20], 3), np.tile(np.arange(20), 3)
    table = howsure.mean_scores(right, groups=np.repeat(["x", "y", "z"], 20), id=item, macro=True)
    clustered = howsure.mean_scores(right, clusters=item)[0].mean
    for row in table[:2]:
        assert (row.mean.low, row.mean.high) == pytest.approx((clustered.low, clustered.high))
    assert SHARED_ITEMS_NOTE in table.notes


def test_equal_models_on_the_items_of_all_groups_are_not_ranked() -> None:
    """Two models of equal means that differ on 15 items, asked in 60 ways, with a few answers missing."""
    a, b = np.tile([1, 0, 0] * 5, 60), np.tile([0, 1, 0, 0, 1, 1] + [0, 0, 1] * 3, 60)
    rows = np.delete(np.arange(900), [3, 400, 777])
    item, group = np.tile(np.arange(15), 60)[rows], np.repeat(np.arange(60), 15)[rows]
    columns = {"id": np.tile(item, 2), "groups": np.tile(group, 2), "model": np.repeat(["a", "b"], len(rows))}
    table = howsure.mean_scores(np.concatenate([a[rows], b[rows]]), **columns, macro=True)
    for row in table[:4]:
        assert (row.group in ("overall", "macro mean"), row.rank_low, row.rank_high) == (True, 1, 2)
        assert row.mean.width > 0.4


def test_a_model_that_lacks_a_group_says_so() -> None:
    table = howsure.mean_scores([1, 0, 1, 0, 1, 1], model=list("aaaabb"), groups=list("xxyyxx"), id=[1, 2, 1, 2, 1, 2])
    notes = {row.model: row.notes for row in table if row.group == "overall"}
    assert "1 group missing." in notes["b"]
    assert "1 group missing." not in notes["a"]


def test_only_models_of_a_group_compete_for_bold() -> None:
    categories = howsure.mean_scores(RIGHT, groups=GROUP)
    assert r"\textbf" not in categories.to_latex()
    alone = howsure.mean_scores(np.concatenate([RIGHT, 0 * RIGHT]), model=["m"] * 60 + ["w"] * 60, id=[*range(60)] * 2)
    assert "The best of a column is bold. " in f"{alone.to_markdown()} "
    models = howsure.mean_scores(
        np.concatenate([RIGHT, 0 * RIGHT]), model=["m"] * 60 + ["w"] * 60, groups=[*GROUP, *GROUP], id=[*range(60)] * 2
    )
    assert models.to_latex().count(r"\textbf") == 4
    assert "The best of a column is bold within each group." in models.to_latex()


def test_a_check_of_a_log_judges_each_model_over_its_tasks(tmp_path: Path) -> None:
    for task, wins, date in (("arc", 15, "2026-11-22T10-00-00.000001"), ("quiz", 5, "2026-11-23T10-00-00.000001")):
        samples = [lm_eval_sample(i, [-1.0, -0.5] if i < wins else [-0.5, -1.0], 1) for i in range(20)]
        write_lm_eval(tmp_path, "org/a", task, samples, date=date)
    data = howsure.read(tmp_path / "*" / "samples_*.jsonl")
    (whole,) = howsure.check_score("acc", min_score=0.2, data=data).rows
    assert (whole.group, whole.n, whole.estimate.value) == (None, 40, pytest.approx(0.5))
    check = howsure.check_score("acc", min_score=0.2, data=data)
    assert any("2 tasks are judged together; to judge each, groups='task'" in note for note in check.notes)
    assert len(howsure.check_score("acc", min_score=0.2, groups="task", data=data).rows) == 2
