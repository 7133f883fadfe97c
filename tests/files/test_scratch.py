"""Scratch folders: no process leaves one for good, and none loses one that it still needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.files.whole import OWNER, PREFIX, Scratch, remove_abandoned

LIVING = """
import sys
from howsure.files.whole import Scratch
held = Scratch(sys.argv[1])
print(held.folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def living(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two other processes that hold a folder each."""
    command = [sys.executable, "-c", LIVING, str(tmp_path)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def folder_of(process: subprocess.Popen[str]) -> Path:
    assert process.stdout is not None
    return Path(process.stdout.readline().strip())


def test_a_folder_goes_with_its_holder(tmp_path: Path) -> None:
    with Scratch(tmp_path) as held:
        (held.folder / "input").write_text("x")
        assert held.folder.stat().st_mode & 0o777 == 0o700
    assert not held.folder.exists()
    folder = Scratch(tmp_path).folder  # which nobody holds
    assert not folder.exists()


def test_what_a_killed_process_leaves_goes_with_the_next(tmp_path: Path, living: list[subprocess.Popen[str]]) -> None:
    killed, lives = map(folder_of, living)
    living[0].send_signal(signal.SIGKILL)
    living[0].wait()
    assert killed.exists()
    with Scratch(tmp_path) as held:
        assert not killed.exists()
        assert lives.exists()
        remove_abandoned(tmp_path)
        assert held.folder.exists()  # of this process
        assert lives.exists()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    elsewhere = Path(tempfile.mkdtemp(dir=tmp_path))
    (elsewhere / OWNER).touch()
    strange = tmp_path / f"{PREFIX}strange"
    strange.mkdir()
    (strange / "owner").touch()  # a folder of results, say
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    linked = tmp_path / f"{PREFIX}linked"
    linked.mkdir()
    (linked / OWNER).symlink_to(elsewhere / OWNER)
    before = sorted(tmp_path.rglob("*"))
    Scratch(tmp_path).close()
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / f"{PREFIX}theirs"
    theirs.mkdir()
    (theirs / OWNER).touch()
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
        remove_abandoned(tmp_path)
    assert theirs.exists()
    remove_abandoned(tmp_path)
    assert not theirs.exists()
