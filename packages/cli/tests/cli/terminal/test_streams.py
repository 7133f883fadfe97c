"""Standard output and standard error in encodings that lack characters, or closed."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import printed
from tests.cli.walking import commands
from tests.events.made_up_store import store_file

from howsure_cli.command_line import main

GROUPED = ("--target", "y", "--prob", "p", "--group", "g")


def run(encoding: str, *arguments: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """A command whose streams are in an encoding: its code, and what it wrote."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", streams[0])
        patched.setattr(sys, "stderr", streams[1])
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
    for stream in streams:
        assert stream.errors == "strict"  # as it was before
        stream.flush()
    out, err = (stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]
    assert isinstance(end.value.code, int)
    return end.value.code, out, err


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])
def test_the_help_of_every_command(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("", *commands()):
        code, out, err = run(encoding, *words.split(), "--help", monkeypatch=monkeypatch)
        assert (code, err, out[:14]) == (0, "", "Usage: howsure")
        assert encoding != "utf-8" or max(map(len, out.splitlines())) <= 120


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    rows = [f"{i % 2},{(i % 9) / 10},{(i % 7) / 10},{name}" for name in ("Müller ─ 東京 🙂", "b") for i in range(60)]
    (folder / "dev.csv").write_text("\n".join(["y,p,q,g", *rows, ""]), encoding="utf-8")
    rng = np.random.default_rng(0)
    np.savez(folder / "draws.npz", draws=rng.normal(size=(60, 9)), truth=rng.normal(size=60))
    store_file(folder / "news.duckdb", documents=20)
    return folder


@pytest.mark.slow
def test_the_demo_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says and makes the same a second time, in another encoding."""
    monkeypatch.chdir(tmp_path)
    code, plain, err = run("ascii", "demo", monkeypatch=monkeypatch)
    assert (code, plain.isascii(), err) == (0, True, "")
    code, text, err = run("utf-8", "demo", monkeypatch=monkeypatch)
    assert (code, err) == (0, "report.html existed and was replaced.\n")
    assert "HMM: underconfident between" in text
    assert "CRF advanced: overconfident between" in text
    assert "48 documents of 963 words" in text
    made = {"scores.png", "curve.png", "report.html", "news.duckdb", "events.html"}
    inputs = {"answers", "predictions.csv", "news.conllu", "actors.tsv", "labels.csv"}
    assert {path.name for path in (tmp_path / "demo-output").iterdir()} == made | inputs
    seconds = re.compile(r"[\d.,]+( s for| a second| per second|% of the work)")
    spelled = text.encode("ascii", "backslashreplace").decode()
    assert seconds.sub("", spelled) == seconds.sub("", plain)
    assert run("utf-8", "demo", "--output", "demo-output/curve.png", monkeypatch=monkeypatch)[0] == 2


RUNS = (
    ("calibration", "dev.csv", *GROUPED),
    ("calibration", "dev.csv", *GROUPED[:4]),
    ("calibration", "dev.csv", *GROUPED, "--format", "json"),
    ("calibration", "dev.csv", *GROUPED, "--format", "csv"),
    ("calibration", "dev.csv", *GROUPED, "--format", "markdown"),
    ("calibration", "dev.csv", *GROUPED, "--format", "latex"),
    ("calibration", "compare", "dev.csv", "--target", "y", "--prob", "p", "--prob", "q"),
    ("significance", "dev.csv", "--target", "y", "--against", "p", "--model", "q", "--metric", "brier"),
    ("significance", "power", "--n", "500", "--disagreement", "0.1"),
    ("quantiles", "draws.npz", "--target", "truth", "--draws-column", "draws"),
    ("data", "list"),
    ("data", "show", "litbank_coref"),
    ("events", "series", "news.duckdb", "--period", "year"),
    ("events", "compare", "news.duckdb", "IRQ", "NATO"),
    ("events", "doubtful", "news.duckdb"),
)


FURTHER = {*RUNS[1:4], RUNS[5], RUNS[7], RUNS[11], RUNS[13]}  # formats and options of commands that stand here too


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(typed_words, id=" ".join(typed_words), marks=[pytest.mark.long] if typed_words in FURTHER else [])
        for typed_words in RUNS
    ],
)
def test_what_is_printed(arguments: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoding that lacks characters loses no line: they are escaped."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOWSURE_DATA", str(place))
    whole = run("utf-8", *arguments, monkeypatch=monkeypatch)
    assert whole[0] == 0
    code, out, err = run("ascii", *arguments, monkeypatch=monkeypatch)
    assert (code, err) == (0, whole[2])
    assert len(out.splitlines()) == len(whole[1].splitlines())


def test_characters_that_an_encoding_lacks_are_escaped(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    _, out, _ = run("ascii", "calibration", "dev.csv", *GROUPED, monkeypatch=monkeypatch)
    assert r"M\xfcller \u2500 \u6771\u4eac \U0001f642" in out
    _, out, _ = run("cp1252", "calibration", "dev.csv", *GROUPED, monkeypatch=monkeypatch)
    assert r"Müller \u2500 \u6771\u4eac \U0001f642" in out
    code, _, err = run("ascii", "calibration", "Müller….csv", *GROUPED, monkeypatch=monkeypatch)
    assert (code, err[:37]) == (2, r"howsure: no file M\xfcller\u2026.csv.")


@pytest.mark.parametrize(
    ("arguments", "closed", "message"),
    [
        ("calibration - --target y --prob p", "<&-", "standard input is closed, so - cannot be read; name a file."),
        pytest.param(
            "simulate 5", ">&-", "standard output is closed, so nothing can be printed", marks=pytest.mark.long
        ),
    ],
)
def test_streams_that_are_closed(arguments: str, closed: str, message: str) -> None:
    command = f"{sys.executable} -m howsure_cli {arguments} {closed}"
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"howsure: {message}")


@pytest.mark.long
def test_a_program_without_any_stream_still_ends() -> None:
    command = f"{sys.executable} -m howsure_cli simulate 5 >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 2


@pytest.mark.long
def test_a_bar_where_the_terminal_is_of_ascii() -> None:
    """A bar appears at once, on a terminal of its own."""
    program = """
import howsure_cli.terminal.output as progress
progress.PATIENCE = -1.0
with progress.progress("pairs", total=10, rate=True) as advance:
    for _ in range(10):
        advance(1)
"""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict", "TERM": "xterm"}
    done = subprocess.run([sys.executable, "-c", program], stderr=theirs, env=environment, check=False)
    os.close(theirs)
    terminal_output = os.read(ours, 1 << 16)
    os.close(ours)
    assert done.returncode == 0
    assert b"pairs" in terminal_output
    assert terminal_output.isascii()


# Names that others chose, as the commands print them.


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
    "form",
    ["table", "csv", "json", *(pytest.param(long_form, marks=pytest.mark.long) for long_form in ("markdown", "latex"))],
)
def test_control_characters_in_names_are_escaped(predictions: Path, form: str) -> None:
    text = printed("calibration", predictions, *JUDGE, "--format", form)
    assert "\x1b" not in text
    assert "\x07" not in text
    raw = printed("calibration", predictions, *JUDGE, "--format", form, "--raw")
    assert ("\x1b" in raw) == (form != "json")  # JSON knows no such character
    if form == "csv":
        names = {row[0] for row in csv.reader(io.StringIO(text))} - {"group"}
        assert names == {"'=cmd|' /C calc'!A0", r"\u001b]0;owned\u0007", "'-LRB-", "a\nb", "plain"}
        assert {row[0] for row in csv.reader(io.StringIO(raw))} - {"group"} == set(NAMES)
