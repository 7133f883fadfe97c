"""Judge and people in swapped columns are noticed where gaps or names show it; repeated labels have no mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import howsure
from howsure.errors import InputError

ROWS = 40
SWAPPED = "human is read as the judge's grades, and judge as the human grades. Are they swapped?"


def written(path: Path, header: str, rows: list[str]) -> howsure.Files:
    path.write_text("\n".join([header, *rows]) + "\n")
    return howsure.read(path)


def test_swapped_names_are_noted(tmp_path: Path) -> None:
    rows = [f"{row % 2},{row % 2 if row % 5 else 1 - row % 2}" for row in range(ROWS)]
    data = written(tmp_path / "a.csv", "human,judge", rows)
    for function in (howsure.validate_judge, howsure.correct_judge_scores):
        assert SWAPPED in function("judge", "human", data=data).notes
        assert SWAPPED not in function("human", "judge", data=data).notes


def test_gaps_in_the_grades_of_the_judge_are_explained(tmp_path: Path) -> None:
    rows = [f"{row % 2},{row % 2 if row < 20 else ''}" for row in range(ROWS)]
    data = written(tmp_path / "a.csv", "first,gold", rows)
    for function in (howsure.validate_judge, howsure.correct_judge_scores):
        with pytest.raises(
            InputError, match=r"\(20 in all\)\. If y_true, which has no gaps, names the judge's"
        ) as error:
            function("first", "gold", data=data)
        assert str(error.value).endswith("the columns are swapped.")
        assert function("gold", "first", data=data).rows[0].n in (10, ROWS)
    skipping = howsure.read(tmp_path / "a.csv", skip_missing=True)
    assert any("Are they swapped?" in note for note in howsure.validate_judge("first", "gold", data=skipping).notes)


def test_gaps_in_both_columns_are_no_swap(tmp_path: Path) -> None:
    rows = [f"{row % 2 if row > 3 else ''},{row % 2 if row < 20 else ''}" for row in range(ROWS)]
    data = written(tmp_path / "a.csv", "first,gold", rows)
    with pytest.raises(InputError, match=r"skip_missing=True \(20 in all\)\.$"):
        howsure.validate_judge("first", "gold", data=data)
    graded = written(tmp_path / "b.csv", "item,rater,grade", ["a,h,1", "a,m,1", "b,h,0", "b,m,1", "b,m,0"])
    with pytest.raises(InputError, match=r"skip_missing=True \(1 in all\)\.$"):
        howsure.correct_judge_scores("h", "m", data=replace(graded, pivot="item,rater,grade"))
    for people, message in (([1, 0], "the columns are swapped"), ([1, None], "Leave such rows out first.")):
        with pytest.raises(InputError, match=message) as error:
            howsure.correct_judge_scores(people, [None, 1])
        assert ("swapped" in str(error.value)) == (None not in people)


def test_repeated_labels_are_settled_by_the_more_frequent_one(tmp_path: Path) -> None:
    rows = [f"{item},{rater},{item % 3 + 1}" for item in range(30) for rater in ("judge", "person", "person")]
    rows += ["0,person,3", "1,person,1", "1,person,1"]  # 1, 1, 3 is 1; 2, 2, 1, 1 have no label
    written(tmp_path / "a.csv", "item,rater,grade", rows)
    pivoted = howsure.read(tmp_path / "a.csv", pivot="item,rater,grade")
    validation = howsure.validate_judge("person", "judge", data=pivoted)
    assert [(row.label, row.n) for row in validation.rows] == [("1", 10), ("2", 9), ("3", 10)]
    assert howsure.correct_judge_scores("person", "judge", data=pivoted).rows[0].labelled == 30
