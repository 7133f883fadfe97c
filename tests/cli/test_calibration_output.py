"""What `howsure calibration` says of several groups: their recipes, notes and adjustment, and the figure of many."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import printed

JUDGE = ("--target", "gold", "--prob", "prob")


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Two groups of 30 and 600 predictions; all labels of the small one are 1, and one was called impossible."""
    path = tmp_path / "uneven.csv"
    small = [(1, round(0.01 + i / 40, 3) if i else 0.0, "few") for i in range(30)]
    large = [(i % 2, round(0.2 + i / 1000, 3), "many") for i in range(600)]
    path.write_text("gold,prob,tag\n" + "".join(f"{gold},{prob},{tag}\n" for gold, prob, tag in small + large))
    return path


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_every_group_is_in_the_recipe_and_its_notes_are_said(uneven: Path, form: str) -> None:
    shown = {
        name: printed("calibration", uneven, *JUDGE, "--group", "tag", "--format", name) for name in ("json", form)
    }
    curves = json.loads(shown["json"])["curves"]
    lines = [line.removeprefix("% ").removesuffix(" -->") for line in shown[form].splitlines()]
    notes = [f"{curve['group']}: {note}" for curve in curves for note in curve["notes"]]
    assert len(notes) >= 2
    assert [line for line in lines if line in notes] == notes
    if form != "table":
        sizes = [curve["recipe"]["bin_size"] for curve in curves]
        assert any(f"bin_size {min(sizes)} to {max(sizes)}, " in line for line in lines)
        assert lines[2] == "Verdicts are each group's own; p is adjusted for 2 groups (Holm)."


def test_a_note_about_many_groups_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "ones.csv"
    path.write_text("gold,prob,tag\n" + "".join(f"1,0.5,t{tag}\n1,0.7,t{tag}\n" * 20 for tag in range(15)))
    (said,) = re.findall(".*: every label is 1.*", printed("calibration", path, *JUDGE, "--group", "tag"))
    assert said.startswith("t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 and 3 more: every label is 1")


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_notes_of_all_pairs_are_comments(tmp_path: Path, form: str) -> None:
    path = tmp_path / "ones.csv"
    path.write_text("gold,prob\n" + "1,0.5\n1,0.7\n" * 20)
    shown = printed("calibration", path, *JUDGE, "--format", form)
    assert "note: every label is 1" in shown
    assert "Verdicts" not in shown


@pytest.mark.parametrize(
    ("adjust", "said"),
    [
        ("holm", "Verdicts are each group's own; p is adjusted for 2 groups (Holm)."),
        ("bh", "Verdicts are each group's own; p is adjusted for 2 groups (Benjamini–Hochberg)."),
        ("none", "Verdicts and p are each group's own; nothing is adjusted for 2 groups."),
    ],
)
def test_under_the_table_stands_what_is_adjusted(uneven: Path, adjust: str, said: str) -> None:
    assert said in printed("calibration", uneven, *JUDGE, "--group", "tag", "--adjust", adjust).splitlines()


def test_a_figure_of_too_many_groups_shows_those_with_most_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("howsure.figures.calibration.MOST_ERRORS", 20)
    path, figure = tmp_path / "tags.csv", tmp_path / "tags.svg"
    rows = [f"{i % 2},0.{1 + i % 8},t{tag}\n" for tag in range(70) for i in range(6 if tag >= 50 else 4)]
    path.write_text("gold,prob,tag\n" + "".join(rows))
    printed("calibration", path, *JUDGE, "--group", "tag", "--figure", figure)
    drawn = figure.read_text(encoding="utf-8")
    assert "20 of 70 groups, those with most pairs" in drawn
    named = [int(tag) for tag in re.findall(r">t([0-9]+)</text>", drawn)]
    assert sorted(named) == list(range(50, 70))
