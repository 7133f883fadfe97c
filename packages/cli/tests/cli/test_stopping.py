"""A command that gets a signal to end ends, and takes its scratch files with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from howsure.monitoring import CalibrationMonitor
from howsure_cli.command_line import terminated_as_interrupted

COMMANDS = (
    (signal.SIGTERM, ("calibration", "-", "--target", "y", "--prob", "p")),
    (signal.SIGINT, ("significance", "-", "--target", "y", "--against", "p", "--model", "q")),
)


@pytest.mark.parametrize(
    "command",
    [pytest.param(COMMANDS[0], id="calibration"), pytest.param(COMMANDS[1], id="significance", marks=pytest.mark.long)],
)
def test_scratch_files_go_with_the_command(tmp_path: Path, command: tuple[signal.Signals, tuple[str, ...]]) -> None:
    """While it waits for more of standard input, what came of it lies in a scratch folder."""
    stop_signal, arguments = command
    typed = [sys.executable, "-m", "howsure_cli", *arguments]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(typed, env=environment, **pipes) as process:
        while not list(tmp_path.glob("howsure-*/input-*")) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(stop_signal)
        printed, message = process.communicate()
    assert (process.returncode, printed, message.strip()) == (130, b"", b"howsure: stopped")
    assert list(tmp_path.iterdir()) == []


def test_the_signals_are_as_before_after_a_command() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with pytest.raises(KeyboardInterrupt), terminated_as_interrupted():
            os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with terminated_as_interrupted():  # who ignores it still does
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


# Commands at the same time, in processes of their own: nothing that one has written is lost by another.


HOWSURE = (sys.executable, "-m", "howsure_cli")
WATCH = ("--date", "day", "--target", "right", "--prob", "p", "--period", "week")
JULY, AUGUST = "2026-07-06", "2026-08-03"
HOLD = """from howsure.files.atomic_write import locked
with locked({path!r}):
    print('held', flush=True)
    input()
"""
APPEND = """import sys
import howsure
from howsure_cli.commands.check.main import append_summary
first = int(sys.argv[2])
for limit in range(first, first + 25):
    append_summary(howsure.check_score([1] * 50, min_score=limit / 1000), sys.argv[1])
"""


def log(first: str) -> str:
    """Four weeks from a Monday on; more than a pipe holds, so that its reader has begun to read once it is written."""
    days = np.datetime64(first) + np.arange(28)
    return "day,right,p,filler\n" + "".join(f"{day},1,0.8,{'x' * 400}\n" * 8 for day in days)


def update(state: Path, until: str = "2026-08-30") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*HOWSURE, "monitor", "update", str(state), "-", *WATCH, "--until", until],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def weeks(state: Path) -> int:
    return len(CalibrationMonitor.from_json(state.read_text()).series())


@pytest.mark.long
def test_two_updates_at_once_keep_every_period(tmp_path: Path) -> None:
    """August has begun to be read before July is in the state: when it is in, August comes after it."""
    state = tmp_path / "s.json"
    logs = {"2026-08-02": log(JULY), "2026-08-30": log(AUGUST)}
    both = {until: update(state, until) for until in logs}
    for until, process in both.items():
        process.stdin.write(logs[until][:-1])  # returns when the process reads
    for process in both.values():
        output, err = process.communicate("\n")
        assert (process.returncode, err) == (0, "")
        assert "224 rows of 4 new periods" in output
    assert weeks(state) == 8


@pytest.mark.long
def test_late_period_is_reported(tmp_path: Path) -> None:
    """Where August was first, nothing calls July taken."""
    state = tmp_path / "s.json"
    assert update(state).communicate(log(AUGUST))[1] == ""
    output, err = update(state).communicate(log(JULY))
    assert err == ""
    assert "224 rows of skipped periods: not used, because later periods were added" in output
    assert "taken before" not in output


def test_a_process_that_is_killed_leaves_no_lock(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    holding = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(path=str(state))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holding.stdout.readline() == "held\n"
    waiting = update(state)
    waiting.stdin.write(log(JULY))
    waiting.stdin.close()
    assert not state.exists()
    holding.kill()
    holding.communicate()
    assert waiting.wait() == 0
    for stream in (waiting.stdout, waiting.stderr):
        stream.close()
    assert weeks(state) == 4
    assert list(tmp_path.iterdir()) == [state]


@pytest.mark.long
def test_summaries_at_once_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "s.md"
    four = [subprocess.Popen([sys.executable, "-c", APPEND, str(path), str(first)]) for first in (100, 125, 150, 175)]
    assert [process.wait() for process in four] == [0, 0, 0, 0]
    rules = re.findall(r"^\| mean score > (\S+) ", path.read_text(), re.MULTILINE)
    assert sorted(map(float, rules)) == [limit / 1000 for limit in range(100, 200)]


@pytest.mark.long
def test_four_checks_at_once_share_their_summary(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n" + "1,0.9\n0,0.1\n" * 200)
    options = ("a.csv", "--score", "p", "--min-score", "0.2", "--summary", "s.md")
    four = [
        subprocess.Popen([*HOWSURE, "check", "score", *options], cwd=tmp_path, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]
    assert [process.wait() for process in four] == [0, 0, 0, 0]
    assert (tmp_path / "s.md").read_text().count("### howsure check: pass") == 4
