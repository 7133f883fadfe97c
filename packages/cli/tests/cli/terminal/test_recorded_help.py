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
LOADING = """
import contextlib, io, json, sys
from howsure.__main__ import main

for words in json.load(sys.stdin):
    sys.argv[1:] = [*words.split(), "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as page, contextlib.suppress(SystemExit):
        main()
    print(json.dumps([words, "Usage: howsure" in page.getvalue(), list(sys.modules)]))
"""


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
    wrapped = capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "-h"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == wrapped


@pytest.mark.parametrize("command_line", ["calibration", "no-such --help", "check calibration x.csv --help", ""])
def test_other_command_lines_have_no_recorded_help(command_line: str) -> None:
    assert recorded_help(command_line.split()) is None


def test_help_of_each_command_loads_nothing_that_computes() -> None:
    """In one process, one after another: the first that loads something is named."""
    typed = json.dumps(list(RECORDED))
    printed = subprocess.check_output([sys.executable, "-c", LOADING], input=typed, text=True)
    pages = [json.loads(line) for line in printed.splitlines()]
    assert [words for words, *_ in pages] == list(RECORDED)
    assert [words for words, is_page, _ in pages if not is_page] == []
    loaded = ((words, NUMERICS & set(modules)) for words, _, modules in pages)
    assert next(((words, names) for words, names in loaded if names), None) is None
