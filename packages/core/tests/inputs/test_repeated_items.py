"""Rows of one item are not independent: items that repeat are clusters, in files and in data frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run_command

import howsure
from howsure.data.predictions import rows as reading
from howsure.errors import InputError

ITEMS, EPOCHS = 40, 5


def frame(column: str = "item", *, items: int = ITEMS, models: int = 1) -> pd.DataFrame:
    """Answers of each model to each item in several epochs, items being hard or easy."""
    draw = np.random.default_rng(1)
    chance = np.repeat(draw.beta(0.5, 0.5, items), EPOCHS)
    n = items * EPOCHS
    parts = [
        pd.DataFrame(
            {
                column: np.repeat([f"q{i}" for i in range(items)], EPOCHS),
                "model": f"m{k}",
                "correct": (draw.random(n) < chance).astype(int),
                "other": (draw.random(n) < chance).astype(int),
                "prob": np.clip(chance + draw.normal(0, 0.1, n), 0.01, 0.99),
            }
        )
        for k in range(models)
    ]
    return pd.concat(parts)


def write(folder: Path, data: pd.DataFrame) -> Path:
    path = folder / "answers.csv"
    data.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("column", ["item", "question_id", "doc_id", "task_id", "id", "Item"])
def test_items_that_repeat_in_a_file_are_clusters(column: str, tmp_path: Path) -> None:
    path = write(tmp_path, frame(column))
    (row,) = table = howsure.mean_scores("correct", data=howsure.read(path))
    (named,) = howsure.mean_scores("correct", clusters=column, data=howsure.read(path))
    assert row.mean == named.mean
    assert table.recipe["cluster"] == column
    counts = f"{column} repeats (200 rows of 40 items, up to 5 each), so rows of equal {column} are one cluster."
    assert table.notes == (f"{counts} If rows are independent: independent_rows=True.",)
    (free,) = off = howsure.mean_scores("correct", data=howsure.read(path, independent_rows=True))
    assert off.notes == ()
    assert free.mean.high - free.mean.low < 0.75 * (row.mean.high - row.mean.low)


@pytest.mark.long
def test_every_chapter_takes_them_as_clusters(tmp_path: Path) -> None:
    path = write(tmp_path, frame())
    data = howsure.read(path)
    functions = {
        "check": lambda **how: howsure.check_score("correct", min_score=0.3, data=data, **how),
        "compare": lambda **how: howsure.compare_scores(
            against="other", model="correct", data=data, method="gaffke", bounds=(0, 1), **how
        ),
        "calibration": lambda **how: howsure.calibration_error("correct", "prob", data=data, **how),
        "selective": lambda **how: howsure.selective_table("correct", "prob", data=data, **how),
    }
    for name, function in functions.items():
        assert str(function()).splitlines()[:6] == str(function(clusters="item")).splitlines()[:6], name
    check = howsure.check_score("correct", min_score=0.3, data=data)
    assert check.recipe["cluster"] == "item"
    assert any("item repeats" in note for note in check.notes)


def test_the_command_says_so_and_switches_it_off(tmp_path: Path) -> None:
    path = str(write(tmp_path, frame()))
    for command in (
        ["score", path, "--score", "correct"],
        ["calibration", path, "--target", "correct", "--prob", "prob"],
    ):
        done = run_command(*command)
        assert "item repeats (200 rows of 40 items, up to 5 each)" in done.out + done.err
        assert "If rows are independent: --independent-rows." in done.out + done.err
        off = run_command(*command, "--independent-rows")
        assert (off.code, "repeats" in off.out + off.err) == (0, False)


def test_an_item_of_several_models_does_not_repeat(tmp_path: Path) -> None:
    data = frame(models=2).groupby(["model", "item"], as_index=False).first()
    table = howsure.mean_scores("correct", model="model", data=howsure.read(write(tmp_path, data)))
    assert "cluster" not in table.recipe
    assert not any("repeats" in note for note in table.notes)
    table = howsure.mean_scores("correct", model="model", data=howsure.read(write(tmp_path, frame(models=2))))
    assert table.recipe["cluster"] == "item"


@pytest.mark.parametrize("case", ["few", "missing", "files"])
def test_where_items_are_doubtful_there_is_a_warning_only(case: str, tmp_path: Path) -> None:
    data = frame("task_id", items=4 if case == "few" else ITEMS)
    paths = [write(tmp_path, data)]
    if case == "missing":
        data["task_id"] = data["task_id"].where(np.arange(len(data)) > 2)
        paths = [write(tmp_path, data)]
    if case == "files":
        once = data.groupby("task_id", as_index=False).first()
        paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
        for path in paths:
            once.to_csv(path, index=False)
        check = howsure.check_score("correct", min_score=0.3, data=howsure.read(paths))
        assert any("task_id repeats in several files" in note for note in check.notes)
    else:
        table = howsure.mean_scores("correct", data=howsure.read(paths))
        assert "cluster" not in table.recipe
        (note,) = table.notes
        assert "intervals are too narrow. In this case, give clusters='task_id'. If rows are independent" in note


def test_a_column_that_names_each_row_shows_that_rows_are_items(tmp_path: Path) -> None:
    data = frame("document_id").assign(question_id=range(ITEMS * EPOCHS))
    table = howsure.mean_scores("correct", data=howsure.read(write(tmp_path, data)))
    assert "cluster" not in table.recipe
    rows = frame("task_id").assign(id=range(ITEMS * EPOCHS))  # an id of the answer
    assert howsure.mean_scores("correct", data=howsure.read(write(tmp_path, rows))).recipe["cluster"] == "task_id"


def test_what_is_named_goes_first(tmp_path: Path) -> None:
    data = frame("task_id").assign(epoch=list(range(EPOCHS)) * ITEMS)
    source = howsure.read(write(tmp_path, data))
    (row,) = table = howsure.mean_scores("correct", id="task_id", run="epoch", data=source)
    assert (row.n, row.runs, table.notes) == (ITEMS, EPOCHS, ())
    grouped = howsure.mean_scores("correct", groups="task_id", data=source)
    assert "cluster" not in grouped.recipe


def test_scores_of_data_frames_take_them_as_clusters(tmp_path: Path) -> None:
    data = frame()
    source = howsure.read(write(tmp_path, data))
    functions: list[Callable[..., Any]] = [
        lambda **how: howsure.mean_scores("correct", **how),
        lambda **how: howsure.compare_scores(against="other", model="correct", rng=0, **how),
        lambda **how: howsure.compare_models("correct", "other", "prob", metrics="brier", rng=0, **how),
    ]
    for function in functions:
        named = function(data=data, clusters="item")
        assert not any("repeats" in note for note in named.notes)
        for table in (data, source):
            result = function(data=table)
            assert any("item repeats (200 rows of 40 items, up to 5 each)" in note for note in result.notes)
            pd.testing.assert_frame_equal(result.to_frame(), named.to_frame())
    free = howsure.mean_scores("correct", data=data.drop(columns="item"))
    assert free[0].mean.width < howsure.mean_scores("correct", data=data)[0].mean.width


def test_items_are_counted_once_whatever_the_number_of_models(tmp_path: Path) -> None:
    data = pd.concat([frame().assign(model=model) for model in ("a", "b")])
    for table in (data, howsure.read(write(tmp_path, data))):
        (note,) = howsure.mean_scores("correct", model="model", data=table).notes
        assert note.startswith("item repeats (400 rows of 40 items, up to 5 each in a model or group)"), note


@pytest.mark.parametrize("column", ["item", "question", "prompt"])
def test_checks_of_data_frames_take_them_as_clusters(column: str) -> None:
    data = frame(column)
    functions = {
        "score": lambda **how: howsure.check_score("correct", min_score=0.3, **how),
        "calibration": lambda **how: howsure.check_calibration("correct", "prob", max_error=0.1, **how),
        "selective": lambda **how: howsure.check_selective("correct", "prob", max_risk=0.3, **how),
    }
    for name, function in functions.items():
        by_default, named = function(data=data), function(data=data, clusters=column)
        assert (by_default[0].bound, by_default[0].outcome) == (named[0].bound, named[0].outcome), name
        assert by_default.recipe["clustered"] is True
        (note,) = (note for note in by_default.notes if "repeats" in note)
        assert note.endswith(f"If rows are independent: leave {column} out of data.")
    free = howsure.check_score("correct", min_score=0.3, data=data.drop(columns=column))
    assert free.recipe["clustered"] is False
    lists = data.assign(**{column: [[cell] for cell in data[column]]})
    assert "too narrow" in howsure.check_score("correct", min_score=0.3, data=lists).notes[0]


@pytest.mark.long
def test_calibration_of_frames_and_of_files_takes_items_as_clusters_and_says_so(tmp_path: Path) -> None:
    data = frame().assign(prob2=lambda rows: rows["prob"] ** 1.5, length=list(range(20)) * 10)
    source = howsure.read(write(tmp_path, data))
    same_label = {"y_true_against": "correct"}
    functions = {
        "error": lambda **how: howsure.calibration_error("correct", "prob", **how),
        "test": lambda **how: howsure.calibration_test("correct", "prob", rng=0, **how),
        "curve": lambda **how: howsure.calibration_curve("correct", "prob", **how),
        "comparison": lambda **how: howsure.compare_calibration(
            "correct", "prob", against="prob2", **same_label, **how
        ),
        "groups": lambda **how: howsure.find_miscalibrated_groups("correct", "prob", features=["length"], **how),
        "better": lambda **how: howsure.check_calibration("correct", "prob", against="prob2", **same_label, **how),
        "selective": lambda **how: howsure.selective_curve("correct", "prob", **how),
        "threshold": lambda **how: howsure.selective_threshold("correct", "prob", risk=0.3, **how),
    }
    for name, function in functions.items():
        named = function(data=data, clusters="item").to_frame().drop(columns="rule", errors="ignore")
        for table in (data, source):
            by_default = function(data=table)
            assert any("item repeats" in note for note in by_default.notes), name
            pd.testing.assert_frame_equal(by_default.to_frame()[named.columns], named)


def test_recalibration_and_ordinal_levels_take_items_as_clusters(tmp_path: Path) -> None:
    data = frame()
    levels = data.assign(p0=1 - data["prob"], p1=data["prob"])
    for name, table, function in (
        (
            "recalibration",
            data,
            lambda **how: howsure.evaluate_recalibration("correct", "prob", method="beta", rng=0, **how),
        ),
        (
            "ordinal",
            levels,
            lambda **how: howsure.ordinal_calibration("correct", ["p0", "p1"], levels=["0", "1"], **how),
        ),
    ):
        named = function(data=table, clusters="item").to_frame()
        for source in (table, howsure.read(write(tmp_path, table))):
            by_default = function(data=source)
            assert any("item repeats" in note for note in by_default.recipe["notes"]), name
            pd.testing.assert_frame_equal(by_default.to_frame(), named)


@pytest.mark.parametrize("column", ["question", "question_text", "prompt", "input"])
def test_the_question_identifies_the_item_where_nothing_else_does(column: str, tmp_path: Path) -> None:
    path = write(tmp_path, frame(column).assign(task_id="all"))
    assert howsure.mean_scores("correct", data=howsure.read(path)).recipe["cluster"] == column
    path = write(tmp_path, frame(column).assign(qid=range(ITEMS * EPOCHS)))
    assert "cluster" not in howsure.mean_scores("correct", data=howsure.read(path)).recipe
    few = howsure.mean_scores("correct", data=howsure.read(write(tmp_path, frame(column, items=4))))
    are_templates = column == "prompt"
    assert ("cluster" in few.recipe, any("too narrow" in note for note in few.notes)) == (False, not are_templates)


def test_look_proposes_no_groups_of_prompts_that_are_items(tmp_path: Path) -> None:
    overview = howsure.look(write(tmp_path, frame("prompt")))
    assert any("--cluster prompt" in command for command in overview.commands)
    assert not any("--group prompt" in command for command in overview.commands)


@pytest.mark.slow
def test_the_interval_covers_where_rows_of_an_item_are_alike(tmp_path: Path) -> None:
    """Coverage with and without clusters, on made-up items of which half are always answered correctly."""
    draw = np.random.default_rng(7)
    covered = {True: 0, False: 0}
    for _ in range(40):
        right = np.repeat(draw.random(ITEMS) < 0.5, EPOCHS).astype(int)
        path = write(tmp_path, pd.DataFrame({"item": np.repeat(range(ITEMS), EPOCHS), "correct": right}))
        for independent in covered:
            (row,) = howsure.mean_scores("correct", data=howsure.read(path, independent_rows=independent))
            covered[independent] += row.mean.low <= 0.5 <= row.mean.high
    assert covered[False] >= 35
    assert covered[True] <= 30


def test_json_lines_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in frame("question_id").to_dict("records")))
    assert howsure.mean_scores("correct", data=howsure.read(path)).recipe["cluster"] == "question_id"


@pytest.mark.parametrize("items", [["q1", "q2", "q1"], [1, 2, 1], [1.5, np.nan, 1.5], ["q1", None, "q1"]])
def test_items_of_any_type_repeat_in_data_frames(items: list[object]) -> None:
    data = pd.DataFrame({"item": items, "correct": [1, 0, 1]})
    (note,) = howsure.mean_scores("correct", data=data).notes
    assert "up to 2 each" in note


def test_of_many_rows_a_share_of_the_items_shows_whether_any_repeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_COUNTED", 50)
    path = write(tmp_path, frame("id"))
    whole = howsure.mean_scores("correct", data=howsure.read(path))
    assert whole.recipe["cluster"] == "id"
    assert "200 rows of 40 items, up to 5 each" in whole.notes[0]
    path = write(tmp_path, frame("id").assign(id=np.arange(ITEMS * EPOCHS)))
    assert howsure.mean_scores("correct", data=howsure.read(path)).notes == ()


def test_a_sequential_check_that_refuses_clusters_names_their_column(tmp_path: Path) -> None:
    data = frame("question_id")
    options: dict[str, Any] = {"min_score": 0.3, "bounds": (0, 1), "items_total": 400}
    for table in (data, howsure.read(write(tmp_path, data))):
        with pytest.raises(InputError, match=r"question_id repeats, so each item is a cluster.*largest_cluster"):
            howsure.check_score_so_far("correct", data=table, **options)
    sizes = {"clusters_total": 80, "largest_cluster": EPOCHS}
    check = howsure.check_score_so_far("correct", data=data, **options, **sizes)
    assert (
        check[0].p_pass
        == howsure.check_score_so_far("correct", data=data, clusters="question_id", **options, **sizes)[0].p_pass
    )


def test_a_monitor_warns_of_repeated_items(tmp_path: Path) -> None:
    data = frame().assign(day=np.repeat(["2026-01-01", "2026-01-02"], ITEMS * EPOCHS // 2))
    source = howsure.read(write(tmp_path, data))
    for table in (data, source):
        monitor = howsure.CalibrationMonitor(period="day")
        update = monitor.update("day", "correct", "prob", data=table, until="2026-01-02")
        (note,) = update.notes
        assert "clusters='item'" in note
        assert note in str(update)
        named = howsure.CalibrationMonitor(period="day")
        assert not named.update("day", "correct", "prob", clusters="item", data=table, until="2026-01-02").notes


def test_items_with_the_same_names_in_each_group_do_not_repeat() -> None:
    rng = np.random.default_rng(0)
    prob = rng.random(80)
    data = pd.DataFrame({"item": [*range(40)] * 2, "group": ["a"] * 40 + ["b"] * 40, "prob": prob})
    data["correct"] = (rng.random(80) < prob).astype(int)
    table = howsure.calibration_table("correct", "prob", groups="group", data=data)
    assert "notes" not in table.recipe


@pytest.mark.parametrize(("items", "limit"), [(3, 0.75), (40, 0.8)])
@pytest.mark.parametrize("id", [None, "question_id"])
def test_a_check_takes_items_as_clusters_however_few_and_even_if_they_are_named(
    items: int, limit: float, id: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "runs.csv"
    rows = [f"{item},{int(item % 8 > 0 or items == 3)}" for item in range(items) for _ in range(4)]
    path.write_text("\n".join(["question_id,right", *rows]))
    check = howsure.check_score("right", data=howsure.read(path), min_score=limit, id=id)
    assert check.outcome == "cannot tell"
    assert f"question_id repeats ({4 * items} rows of {items} items, up to 4 each)" in "".join(map(str, check.notes))
    independent = howsure.check_score("right", data=howsure.read(path, independent_rows=True), min_score=limit, id=id)
    assert independent.outcome == "pass"


@pytest.mark.parametrize("id", ["id", "question_id,attempt"])
def test_an_id_of_rows_does_not_hide_items_that_repeat(id: str, tmp_path: Path) -> None:
    data = frame("question_id").assign(id=range(ITEMS * EPOCHS), attempt=list(range(EPOCHS)) * ITEMS)
    source = howsure.read(write(tmp_path, data))
    named = howsure.mean_scores("correct", clusters="question_id", data=source)[0].mean
    (row,) = table = howsure.mean_scores("correct", id=id, data=source)
    assert (row.mean.low, row.mean.high) == (named.low, named.high)
    assert any("question_id repeats (200 rows of 40 items" in note for note in table.notes)
    assert howsure.check_score("correct", id=id, min_score=0.4, data=source).recipe["cluster"] == "question_id"
    both = pd.concat([data.assign(model=model) for model in "ab"])
    for table in (howsure.read(write(tmp_path, both)), both):
        names = id.split(",") if table is both else id
        compared = howsure.compare_scores("correct", against="a", model="model", id=names, data=table)
        assert any("question_id repeats" in note for note in compared.notes)


@pytest.mark.parametrize("columns", ["question_id", "dataset,question_id"])
def test_an_id_of_items_leaves_them_independent(columns: str, tmp_path: Path) -> None:
    data = frame("dataset").assign(question_id=list(range(EPOCHS)) * ITEMS)
    source = howsure.read(write(tmp_path, data if "," in columns else data.assign(question_id=range(ITEMS * EPOCHS))))
    table = howsure.mean_scores("correct", id=columns, data=source)
    assert "cluster" not in table.recipe
    assert not table.notes
