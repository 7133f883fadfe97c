"""A command that is told to end ends, and takes its scratch files with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from howsure.cli import terminated_as_interrupted

COMMANDS = (
    (signal.SIGTERM, ("calibration", "-", "--target", "y", "--prob", "p")),
    (signal.SIGINT, ("significance", "-", "--target", "y", "--against", "p", "--model", "q")),
)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(COMMANDS[0], id="calibration"),
        pytest.param(COMMANDS[1], id="significance", marks=pytest.mark.long),
    ],
)
def test_scratch_files_go_with_the_command(tmp_path: Path, command: tuple[signal.Signals, tuple[str, ...]]) -> None:
    """While it waits for more of standard input, what came of it lies in a scratch folder."""
    told, arguments = command
    typed = [sys.executable, "-m", "howsure.cli", *arguments]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(typed, env=environment, **pipes) as process:
        while not list(tmp_path.glob("howsure-*/input-*")) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(told)
        printed, said = process.communicate()
    assert (process.returncode, printed, said.strip()) == (130, b"", b"howsure: stopped")
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
