"""Columns that name several models and have no role are named, in files and data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import howsure

ROWS = [{"system": "abc"[at % 3], "y": at % 2, "p": 0.25 + 0.5 * (at % 2), "part": at % 4 // 2} for at in range(48)]
NOTE = "system has 3 values, and their rows are evaluated together. For a result of each: {}='system'."


def table(folder: Path, rows: list[dict[str, Any]] = ROWS, name: str = "a.csv") -> Path:
    pandas.DataFrame(rows).to_csv(folder / name, index=False)
    return folder / name


@pytest.mark.parametrize("as_frame", [True, False])
def test_pooled_models_are_named(as_frame: bool, tmp_path: Path) -> None:
    data = pandas.DataFrame(ROWS) if as_frame else howsure.read(table(tmp_path))
    of_each = NOTE.format("groups")
    assert howsure.mean_scores("y", data=data).notes == (NOTE.format("model"),)
    assert howsure.calibration_curve("y", "p", data=data).notes.count(of_each) == 1
    assert of_each in howsure.check_calibration("y", "p", max_error=0.9, data=data).notes
    assert of_each in howsure.check_score("y", min_score=0.1, data=data).notes
    assert NOTE.format("model") in howsure.mean_scores("y", groups="part", data=data).notes
    if not as_frame:
        assert str(howsure.selective_curve("y", "p", data=data)).count("evaluated together") == 1


@pytest.mark.parametrize("as_frame", [True, False])
def test_a_note_names_a_parameter_of_the_function(as_frame: bool, tmp_path: Path) -> None:
    rows = [
        {**row, "p": 0.4 + 0.05 * (at % 5), "other": 0.5, "x": at % 5, "label": row["y"] if at < 60 else None}
        for at, row in enumerate(ROWS * 4)
    ]
    data = pandas.DataFrame(rows) if as_frame else howsure.read(table(tmp_path, rows))
    groups = howsure.find_miscalibrated_groups("y", "p", features=["part"], min_rows=5, data=data)
    assert "To find groups of each: features='system'" in str(groups.to_dict())
    groups = howsure.find_miscalibrated_groups("y", "p", features=["system"], min_rows=5, data=data)
    assert "evaluated together" not in str(groups.to_dict())
    compared = howsure.compare_calibration("y", "p", against="other", data=data)
    assert "For one of them: where=\"system = 'NAME'\"" in " ".join(compared.notes)
    regression: dict[str, Any] = {"y_true": "label", "prediction": "p", "data": data}
    assert "To compare equal models: covariates='system'" in str(
        howsure.regress_predicted(covariates=["x"], **regression).notes
    )
    assert "together" not in str(howsure.regress_predicted(covariates=["x", "system"], **regression).notes)


@pytest.mark.parametrize("as_frame", [True, False])
def test_models_with_a_role_are_not(as_frame: bool, tmp_path: Path) -> None:
    data = pandas.DataFrame(ROWS) if as_frame else howsure.read(table(tmp_path))
    assert howsure.mean_scores("y", model="system", data=data).notes == ()
    curves = howsure.calibration_curves("y", "p", groups="system", data=data)
    assert not any("together" in note for curve in curves for note in curve.notes)
    assert howsure.mean_scores("y", groups="system", data=data).notes == ()


def test_one_model_and_prompts_of_the_system_are_not(tmp_path: Path) -> None:
    chosen = howsure.read(table(tmp_path), where="system = 'a'")
    assert howsure.mean_scores("y", data=chosen).notes == ()
    prompts = pandas.DataFrame([{**row, "system": f"You are {row['system']}. " * 20} for row in ROWS])
    assert howsure.mean_scores("y", data=prompts).notes == ()


def test_files_with_a_model_each_are_not(tmp_path: Path) -> None:
    files = [table(tmp_path, [row for row in ROWS if row["system"] == name], f"{name}.csv") for name in "abc"]
    assert howsure.mean_scores("y", data=howsure.read(files)).notes == ()
