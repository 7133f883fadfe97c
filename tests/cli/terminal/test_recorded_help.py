"""`--help` is what the commands say, and loads nothing that computes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from howsure_cli.chapters import howsure
from howsure_cli.command_line import main
from howsure_cli.terminal.recorded_help import FILE, recorded_help
from scripts.record_help import all_help

RECORDED = json.loads(Path(FILE).read_text(encoding="utf-8"))
NUMERICS = {"dask", "duckdb", "matplotlib", "nanoarrow", "narwhals", "numpy", "pandas", "scipy", "sklearn"}
LOADING = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from howsure.__main__ import main; main()"


def test_what_is_recorded_is_what_the_commands_say() -> None:
    """If not: make help-pages."""
    assert all_help() == RECORDED


@pytest.mark.parametrize("columns", ["60", "100", "200"])
@pytest.mark.parametrize("words", ["", "check", "check calibration", "events series", "calibration", "recalibrate fit"])
def test_lines_break_where_the_terminal_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str, words: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    howsure([*words.split(), "--help"], standalone_mode=False, prog_name="howsure")
    said = capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "-h"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("asked", ["calibration", "no-such --help", "check calibration x.csv --help", ""])
def test_whatever_else_is_asked_goes_its_way(asked: str) -> None:
    assert recorded_help(asked.split()) is None


def check_what_help_loads(words: str) -> None:
    said = subprocess.check_output([sys.executable, "-c", LOADING, *words.split(), "--help"], text=True)
    assert "Usage: howsure" in said
    assert NUMERICS & set(said.splitlines()[-1].split()) == set()


@pytest.mark.parametrize("words", ["", "check calibration"])
def test_help_loads_nothing_that_computes(words: str) -> None:
    check_what_help_loads(words)


@pytest.mark.long
@pytest.mark.parametrize("words", RECORDED)
def test_help_of_each_command_loads_nothing_that_computes(words: str) -> None:
    check_what_help_loads(words)
