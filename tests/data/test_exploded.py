"""Rows of objects: what is no object is left out and counted; an element of a list may be a row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.errors import InputError
from tests.data.logs.writers import human_eval, promptfoo, promptfoo_document, write_lines, write_parquet

GRADED: list[dict[str, Any]] = [
    {"id": item, "judgments": [{"judge": judge, "grade": grade} for judge, grade in zip("xy", grades, strict=False)]}
    for item, grades in enumerate([(1, 0), (1, 1), (0,), ()])
]


def written(folder: Path, kind: str, rows: list[Any]) -> Path:
    if kind == "jsonl":
        return write_lines(folder / "graded.jsonl", rows)
    if kind == "parquet":
        return write_parquet(folder / "graded.parquet", rows)
    path = folder / "graded.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
def test_each_element_is_a_row(kind: str, tmp_path: Path) -> None:
    path, told = written(tmp_path, kind, GRADED), list[str]()
    source = howsure.read(path, explode="judgments")
    object.__setattr__(source, "tell", told.append)
    table = howsure.score_table("judgments.grade", groups="judgments.judge", clusters="id", data=source)
    assert {one.group: (one.n, one.mean.value) for one in table} == {"x": (3, pytest.approx(2 / 3)), "y": (2, 0.5)}
    assert table.recipe["explode"] == "judgments"
    assert (
        told[0]
        == f"{path}: 5 rows, one for each element of judgments in the 4 rows of the file, 1 of them without any."
    )


def test_an_element_by_its_position_needs_no_rows_of_its_own(tmp_path: Path) -> None:
    path = written(tmp_path, "json", GRADED[:3])
    (row,) = howsure.score_table("judgments[0].grade", data=howsure.read(path))
    assert (row.n, row.mean.value) == (3, pytest.approx(2 / 3))


def test_a_list_inside_an_object_of_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "jsonl", [{"run": {"scores": [0, 1, 1]}, "kept": 1}, {"run": {"scores": [0]}, "kept": 2}])
    (row,) = howsure.score_table("run.scores", clusters="kept", data=howsure.read(path, explode="run.scores"))
    assert (row.n, row.mean.value) == (4, 0.5)


def test_a_log_is_exploded_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo_document(promptfoo(True), promptfoo(False, item=1))))
    with pytest.raises(
        InputError, match=r"is for lists in tables; .* is a log of promptfoo. Read it as a table: format"
    ):
        howsure.score_table(data=howsure.read(path, explode="results.results"))
    source = howsure.read(path, explode="results.results", format="json")
    (row,) = howsure.score_table("results.results.success", data=source)
    assert (row.n, row.mean.value) == (2, 0.5)


def test_what_is_no_object_is_left_out_and_counted(tmp_path: Path) -> None:
    rows = [{"id": item, "right": item % 2 == 0} for item in range(4)]
    path = written(tmp_path, "json", [*rows[:2], "a note", *rows[2:], None])
    (row,) = howsure.score_table("right", data=howsure.read(path))
    assert (row.n, row.mean.value) == (4, 0.5)
    assert howsure.look(path).notes[0] == f"{path}: 2 of 6 elements left out, for only objects are rows."


def test_a_log_may_hold_texts_among_its_records(tmp_path: Path) -> None:
    path = written(tmp_path, "json", [human_eval(True), "a note", human_eval(False, item=1)])
    table = howsure.score_table(data=howsure.read(path))
    assert table[0].mean.value == 0.5
    assert table.recipe["notes"] == [f"{path}: 1 of 3 elements left out, for only objects are rows."]


def test_look_says_which_lists_may_be_rows(tmp_path: Path) -> None:
    notes = howsure.look(written(tmp_path, "json", GRADED)).notes
    assert notes[0] == "judgments: lists of objects; --explode judgments makes each object a row."
