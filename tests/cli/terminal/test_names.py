"""Names that others chose, as the commands print them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.running import howsure, printed

NAMES = ("=cmd|' /C calc'!A0", "\x1b]0;owned\x07", "-LRB-", "a\nb", "plain")
JUDGE = ("--target", "y", "--prob", "p", "--group", "g")


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Predictions of groups with names of the worst kind."""
    path = tmp_path / "dev.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "p", "g"])
        writer.writerows([i % 2, (i % 10) / 10, name] for name in NAMES for i in range(40))
    return path


@pytest.mark.parametrize(
    "form", ["table", "csv", "json", *(pytest.param(one, marks=pytest.mark.long) for one in ("markdown", "latex"))]
)
def test_names_steer_nothing(predictions: Path, form: str) -> None:
    text = printed("calibration", predictions, *JUDGE, "--format", form)
    assert "\x1b" not in text
    assert "\x07" not in text
    raw = printed("calibration", predictions, *JUDGE, "--format", form, "--raw")
    assert ("\x1b" in raw) == (form != "json")  # JSON knows no such character
    if form == "csv":
        names = {row[0] for row in csv.reader(io.StringIO(text))} - {"group"}
        assert names == {"'=cmd|' /C calc'!A0", r"\u001b]0;owned\u0007", "'-LRB-", "a\nb", "plain"}
        assert {row[0] for row in csv.reader(io.StringIO(raw))} - {"group"} == set(NAMES)


def test_a_table_is_as_long_as_its_rows(predictions: Path) -> None:
    table = printed("calibration", predictions, *JUDGE).split("\n\n")[1]
    assert len(table.splitlines()) == 2 + len(NAMES)


def test_what_goes_wrong_is_told_without_them(tmp_path: Path) -> None:
    done = howsure("calibration", tmp_path / "\x1b[31m.csv", *JUDGE)
    assert done.code == 2
    assert r"\u001b[31m.csv" in done.err
    assert "\x1b" not in done.err
    done = howsure("calibration", "--\x1b[31m", *JUDGE)
    assert done.code == 2
    assert "\x1b" not in done.err
