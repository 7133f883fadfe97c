"""Check that tests do not change the checkout: a run fails if a file was added, changed or deleted.

The files are compared with those at the start of the run, so a checkout may have uncommitted changes, or no git. With
xdist, the main process compares them after the last worker has ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

import pytest

MAX_LISTED = 10
CACHES = ("__pycache__", "*_cache", ".hypothesis")
IGNORED = (".git", ".venv*", "*.egg-info", "dist", "build", "out", "demo-output", *CACHES)
DRAWN = os.path.join("docs", "images")  # `make pictures` runs the documents to draw these anew

Snapshot = dict[str, tuple[int, int, int]]  # of each file: inode, size, time of its last change
AT_START = pytest.StashKey[Snapshot]()
DIFFERENCES = pytest.StashKey[list[str]]()


def snapshot(root: Path) -> Snapshot:
    """Return the files below a folder, except those that git ignores."""
    states: Snapshot = {}
    for entry in _files(os.fspath(root)):
        with suppress(FileNotFoundError):  # a scratch file of an editor is gone again
            status = entry.stat(follow_symlinks=False)
            states[os.path.relpath(entry.path, root)] = status.st_ino, status.st_size, status.st_mtime_ns
    return states


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if any(fnmatch(entry.name, pattern) for pattern in IGNORED):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            else:
                yield entry


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    """Return one line for each file that differs."""
    lines = dict.fromkeys(after.keys() - before.keys(), "appeared")
    lines |= dict.fromkeys(before.keys() - after.keys(), "disappeared")
    lines |= {name: "changed" for name in before.keys() & after.keys() if before[name] != after[name]}
    if "HOWSURE_DRAW" in os.environ:
        lines = {name: change for name, change in lines.items() if not name.startswith(DRAWN)}
    return [f"{name} {change}" for name, change in sorted(lines.items())]


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Record the files before the first test is collected."""
    if not _is_worker(session.config):
        session.config.stash[AT_START] = snapshot(session.config.rootpath)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run that changed a file of the checkout."""
    config = session.config
    if AT_START not in config.stash:
        return
    config.stash[DIFFERENCES] = differences(config.stash[AT_START], snapshot(config.rootpath))
    if config.stash[DIFFERENCES] and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the files."""
    lines = config.stash.get(DIFFERENCES, [])
    if not lines:
        return
    terminalreporter.section("the checkout changed during this run", red=True)
    for line in lines[:MAX_LISTED]:
        terminalreporter.write_line(line)
    if len(lines) > MAX_LISTED:
        terminalreporter.write_line(f"and {len(lines) - MAX_LISTED} more files")
    terminalreporter.write_line("A test must write to tmp_path. If you edited these files, run the tests again.")
