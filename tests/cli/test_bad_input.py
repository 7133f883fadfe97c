"""Every wrong input of the table gets its sentence and exit code 2; nothing is written, no traceback shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.bad_input import PYTHON, Wrong
from tests.cli.bad_input_page import PAGE, TOPICS, page, row_of, row_of_call, told, told_in_python
from tests.cli.running import howsure as run

WRONG = [wrong for wrongs in TOPICS.values() for wrong in wrongs]
ROWS = PAGE.read_text(encoding="utf-8").splitlines(keepends=True)
AGAIN = "write it again: python -m tests.cli.bad_input_page"


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.what)
def test_wrong_input_gets_its_sentence(wrong: Wrong, tmp_path: Path) -> None:
    assert row_of(wrong, told(wrong, tmp_path)) == stored(row_of(wrong, "")), AGAIN


@pytest.mark.parametrize("call", PYTHON)
def test_wrong_arguments_get_their_sentence(call: str) -> None:
    assert row_of_call(call, told_in_python(call)) == stored(row_of_call(call, "")), AGAIN


def stored(row: str) -> str:
    """The row of the page that begins like this one without a message; "" if there is none, or several."""
    found = [one for one in ROWS if one.startswith(row.removesuffix(" |\n"))]
    return found[0] if len(found) == 1 else ""


def test_there_are_enough_of_them_and_each_is_one() -> None:
    assert len(WRONG) >= 60
    assert len({wrong.what for wrong in WRONG}) == len(WRONG)


def test_the_page_shows_this_table() -> None:
    shown = page(lambda wrong: stored(row_of(wrong, "")), lambda call: stored(row_of_call(call, "")))
    assert "".join(ROWS) == shown, AGAIN


def test_files_may_be_good_beside_a_bad_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is counted in its own file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("gold,prob\n1,0.5\n")
    (tmp_path / "b.csv").write_text("gold,prob\n1,0.5\n0,2\n")
    done = run("calibration", "a.csv", "b.csv", "--target", "gold", "--prob", "prob")
    assert "row 2 of b.csv" in done.err
    assert done.code == 2
