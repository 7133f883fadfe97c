"""Columns whose values all have a percent sign are read as proportions."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.cli.running import howsure as run

import howsure
from howsure.errors import InputError
from howsure.inputs.frames import Kind

NOTE = "Read as proportions (65% is 0.65): p."


def table(path: Path, values: list[str]) -> Path:
    """A file with the values as the column p, and labels."""
    frame = pd.DataFrame({"y": ["1", "0"] * (len(values) // 2), "p": values})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, sep=";")
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.SCORE, Kind.MEASURE])
def test_percentages_are_proportions(suffix: str, kind: Kind, tmp_path: Path) -> None:
    path = table(tmp_path / f"x.{suffix}", ["65%", "35,5 %", "100\u00a0%", ".5%"])
    rows = howsure.read(path).rows({"p": kind})
    assert [float(value) for value in rows["p"]] == [0.65, 0.355, 1.0, 0.005]
    assert rows.read["percentages"] == ["p"]


def test_scores_and_probabilities_in_percent(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["60%", "40%", "80%", "20%"])
    twin = table(tmp_path / "y.csv", ["0.6", "0.4", "0.8", "0.2"])
    for data, note in ((path, NOTE), (twin, "")):
        result = run("score", data, "--score", "p")
        assert "The mean score is 0.5000" in result.out
        assert (NOTE in result.err) == bool(note)
    errors = [howsure.calibration_error("y", "p", data=howsure.read(data)) for data in (path, twin)]
    assert errors[0] == errors[1]
    assert NOTE in (look := str(howsure.look(path)))
    assert "--prob p" in look


def test_missing_values_and_names_have_no_sign(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65%", "", "NA", "5%"])
    data = howsure.read(path, skip_missing=True, missing_values=["NA"])
    assert data.rows({"p": Kind.NUMBER})["p"].tolist() == [0.65, 0.05]
    assert howsure.read(table(path, ["65%", "5%"])).rows({"p": Kind.VALUES})["p"].tolist() == ["65%", "5%"]


@pytest.mark.parametrize("other", ["35", "high"])
def test_all_values_have_the_sign_or_none(other: str, tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65%", other, "5%", "5%"])
    message = rf"row 1 of .*x\.csv .* is '65%', but others have none, such as '{other}'"
    for kind in (Kind.NUMBER, Kind.SCORE):
        with pytest.raises(InputError, match=message):
            howsure.read(path).rows({"p": kind})
    with pytest.raises(InputError, match=message):
        howsure.calibration_error("y", "p", data=howsure.read(path))


def test_percentages_without_a_sign_are_refused_with_the_reason(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65", "35", "80", "20"])
    with pytest.raises(InputError, match="Are these percentages"):
        howsure.calibration_error("y", "p", data=howsure.read(path))
