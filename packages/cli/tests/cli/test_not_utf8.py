"""File names and arguments that are not UTF-8: one sentence and exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import howsure

HOWSURE = Path(sys.executable).parent / "howsure"
JUDGE = [b"calibration", b"p.csv", b"--target", b"y", b"--prob", b"q"]
ARGUMENTS = [
    [b"calibration", b"p\xff.csv", b"--target", b"y", b"--prob", b"q"],
    [*JUDGE, b"--where", b"y = '\xff'"],
    [*JUDGE, b"--figure", b"f.svg", b"--title", b"\xff"],
    [*JUDGE, b"--output", b"\xff.txt"],
    [*JUDGE, b"--missing", b"\xff"],
    [b"\xff"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table under a name that is UTF-8, and under one that is not."""
    table = "y,q\n" + "".join(f"{row % 2},0.{row}\n" for row in range(1, 10))
    (tmp_path / "p.csv").write_text(table)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/p\xff.csv")).write_text(table)
    return tmp_path


def run(folder: Path, arguments: list[bytes]) -> tuple[int, str]:
    done = subprocess.run([str(HOWSURE), *arguments], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda words: ascii(words[-1]))
def test_an_argument_that_is_not_utf_8(arguments: list[bytes], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    before = sorted(os.listdir(folder))
    outcome = howsure(*map(os.fsdecode, arguments))
    assert outcome.code == 2
    assert outcome.err.startswith("howsure: each argument must be UTF-8 text; it is ")
    assert r"\udcff" in outcome.err
    assert sorted(os.listdir(folder)) == before


def test_a_name_that_a_glob_finds(folder: Path) -> None:
    code, message = run(folder, [b"calibration", b"*.csv", b"--target", b"y", b"--prob", b"q"])
    assert code == 2
    assert r"must be UTF-8 text; it is '" in message
    assert "the name of a file of a table" in message  # whose folder may be long
