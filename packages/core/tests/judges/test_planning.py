"""Which answers people shall grade, and how many: strata and chances by hand, plans against actual widths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run_command

import howsure


def answers(items: int = 400) -> pd.DataFrame:
    """Grades of two models by a judge that likes long answers."""
    draw = np.random.default_rng(4)
    good = draw.integers(1, 5, 2 * items)
    length = draw.integers(10, 100, 2 * items)
    return pd.DataFrame(
        {
            "item": np.arange(2 * items) // 2,
            "model": ["x", "y"] * items,
            "judge": good + (length > 50),
            "words": length,
            "truth": good,
        }
    )


def test_items_are_drawn_within_strata_for_all_models() -> None:
    data = answers()
    sample = howsure.draw_judge_sample("judge", 60, model="model", id="item", length="words", data=data, rng=1)
    drawn = np.zeros(len(data), dtype=bool)
    drawn[sample.indices] = True
    assert drawn.sum() == 120
    assert (np.bincount(data["item"], drawn) % 2 == 0).all()
    assert len(sample.strata) == 6
    for name in sample.strata:
        in_stratum = sample.stratum == name
        assert sample.inclusion[in_stratum & drawn] == pytest.approx(drawn[in_stratum].mean(), abs=1e-12)
    assert np.isnan(sample.inclusion[~drawn]).all()


def test_what_was_drawn_is_what_judged_scores_take(tmp_path: Path) -> None:
    data = answers()
    data.to_csv(tmp_path / "answers.csv", index=False)
    options = ["--score", "judge", "--labels", 50, "--model", "model", "--id", "item", "--show", "truth"]
    sheet = tmp_path / "sheet.csv"
    run_command("judge", "sample", tmp_path / "answers.csv", *options, "--format", "csv", "--output", sheet)
    table = pd.read_csv(sheet)
    assert table["person"].isna().all()
    assert table["inclusion"].notna().sum() == 100 == table["inclusion"].first_valid_index() + 100
    table["person"] = table["truth"].where(table["inclusion"].notna())
    corrected = howsure.correct_judge_scores(
        "person", "judge", model="model", id="item", strata="stratum", bounds=(1, 5), data=table
    )
    for row in corrected:
        assert row.corrected.low < data["truth"][data["model"] == row.model].mean() < row.corrected.high


def test_answers_are_drawn_of_each_model_where_items_are_not_known() -> None:
    data = answers(60)
    sample = howsure.draw_judge_sample("judge", 16, model="model", data=data)
    assert {name.split(",")[0] for name in sample.strata} == {"x", "y"}
    assert "gets 8 grades, below the 10" in sample.notes[0]


def test_a_plan_keeps_its_promise() -> None:
    draw = np.random.default_rng(5)
    y = (draw.random(4000) < 0.6) * 1.0
    f = np.where(draw.random(4000) < 0.9, y, 1.0)
    order = draw.permutation(4000)
    row = howsure.plan_judge_sample(
        f, width=0.12, y_true=np.where(np.isin(np.arange(4000), order[:80]), y, np.nan)
    ).rows[0]
    assert row.corrected < row.people
    for n, name in ((row.corrected, "corrected"), (row.people, "people")):
        widths = []
        for _ in range(8):
            labels = np.where(np.isin(np.arange(4000), draw.choice(4000, n, replace=False)), y, np.nan)
            estimate = getattr(howsure.correct_judge_scores(labels, f).rows[0], name)
            widths.append(estimate.high - estimate.low)
        assert np.mean(widths) == pytest.approx(0.12, rel=0.2)


def test_an_assumed_correlation_is_one_of_grades_at_both_bounds() -> None:
    row = howsure.plan_judge_sample(np.zeros(4000), width=0.1, correlation=0.8, bounds=(0, 1)).rows[0]
    variance = (1.96 / 0.05) ** 2 * 0.25
    assert row.people == pytest.approx(variance, rel=0.1)  # of labels alone, 384
    assert row.corrected == pytest.approx(variance * (1 - 0.64) / (1 - variance * 0.64 / 4000), rel=0.3)
    assert (
        howsure.plan_judge_sample(np.zeros(100), width=0.01, correlation=0.8, bounds=(0, 1)).rows[0].corrected is None
    )


def test_a_plan_from_few_grades_says_so() -> None:
    plan = howsure.plan_judge_sample([1, 0] * 30, width=0.5, y_true=[1, 0] * 5 + [None] * 50)
    assert plan.rows[0].corrected is None
    assert "humans graded 10 answers, but a plan needs 20" in repr(plan)
