"""A run that leaves a file in the checkout fails and names it; one that does not passes, also in a dirty checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clean_tree import IGNORED, MAX_LISTED

ROOT = Path(__file__).parents[1]
HEADING = "the checkout changed during this run"


def run_tests(folder: Path, *tests: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """pytest, without git, on tests with these bodies in a folder that holds uncommitted files."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name in ("notes.txt", "unused.txt"):
        (folder / name).write_text("uncommitted")
    functions = [f"def test_{number}(tmp_path):\n    {body}\n" for number, body in enumerate(tests)]
    (folder / "test_file.py").write_text("\n".join(["from pathlib import Path", *functions]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.clean_tree", "-p", "no:howsure", *options]
    places = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": places}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_files_that_a_test_leaves_fail_the_run(options: tuple[str, ...], tmp_path: Path) -> None:
    done = run_tests(
        tmp_path,
        "Path('one.csv').write_text('a,b')",
        "Path('notes.txt').write_text('other text')",
        "Path('unused.txt').unlink()",
        options=options,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    listed = done.stdout.partition(HEADING)[2].splitlines()[1:4]
    assert listed == ["notes.txt changed", "one.csv appeared", "unused.txt disappeared"]


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_a_run_that_leaves_nothing_passes(options: tuple[str, ...], tmp_path: Path) -> None:
    done = run_tests(tmp_path, "(tmp_path / 'one.csv').write_text('a,b')", options=options)
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr
    assert HEADING not in done.stdout


def test_what_git_ignores_may_change(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "Path('build').mkdir(); Path('build/page.html').write_text('')")
    assert done.returncode == pytest.ExitCode.OK, done.stdout + done.stderr


def test_a_long_list_is_cut(tmp_path: Path) -> None:
    done = run_tests(tmp_path, f"[Path(f'{{k}}.csv').write_text('') for k in range({MAX_LISTED + 2})]")
    assert "and 2 more files" in done.stdout


def test_a_run_that_fails_anyway_keeps_its_exit_code(tmp_path: Path) -> None:
    done = run_tests(tmp_path, "Path('one.csv').write_text(''); raise KeyboardInterrupt")
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "one.csv appeared" in done.stdout


def test_what_may_change_is_what_git_ignores() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    caches = {".pytest_cache", ".mypy_cache", ".ruff_cache"}
    assert {line.strip("/") for line in lines} - caches == set(IGNORED) - {".git", "*_cache"}


def test_this_run_is_judged(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("tests.clean_tree")
