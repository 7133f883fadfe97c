"""Every wrong input of the table gets its sentence and exit code 2; nothing is written, no traceback shown."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure
from tests.cli.bad_input import PYTHON, Wrong
from tests.cli.bad_input_page import PAGE, TOPICS, page
from tests.cli.running import howsure as run

WRONG = [wrong for wrongs in TOPICS.values() for wrong in wrongs]


def write_files(wrong: Wrong, folder: Path) -> None:
    for name, content in wrong.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.what)
def test_wrong_input_gets_its_sentence(wrong: Wrong, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(wrong, tmp_path)
    done = run(*shlex.split(wrong.typed))
    usage, error, said = done.err.rpartition("\nError: ")
    told = said if error else done.err.removeprefix("howsure: ")
    assert told == wrong.told + "\n"
    assert usage.startswith("Usage: howsure ") if error else done.err.startswith("howsure: ")
    assert (done.code, done.out) == (2, "")
    assert contents(tmp_path) == wrong.files


@pytest.mark.parametrize(("call", "told"), PYTHON)
def test_wrong_arguments_get_their_sentence(call: str, told: str) -> None:
    names = {
        "np": np,
        "howsure": howsure,
        "curve": howsure.calibration_curve,
        "frame": pd.DataFrame({"gold": [0, 1], "prob": [0.1, 0.8]}),
    }
    with pytest.raises(howsure.InputError) as caught:
        eval(call, names)
    assert str(caught.value) == told


def test_there_are_enough_of_them_and_each_is_one() -> None:
    assert len(WRONG) >= 60
    assert len({wrong.what for wrong in WRONG}) == len(WRONG)


def test_the_page_shows_this_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it again: python -m tests.cli.bad_input_page"


def test_files_may_be_good_beside_a_bad_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is counted in its own file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("gold,prob\n1,0.5\n")
    (tmp_path / "b.csv").write_text("gold,prob\n1,0.5\n0,2\n")
    done = run("calibration", "a.csv", "b.csv", "--target", "gold", "--prob", "prob")
    assert "row 2 of b.csv" in done.err
    assert done.code == 2
