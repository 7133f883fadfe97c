"""What a machine lacks is told in one line for each want; what is demanded and lacking makes a run fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lacking import DEMAND, WANTS, pytest_configure

ROOT = Path(__file__).parents[1]
INSTALL = "Install chromium and chromium-driver (Debian: apt-get install -y chromium chromium-driver)."
FETCH = "`howsure data list` names the sets, `howsure data get NAME --to FOLDER` fetches one; set HOWSURE_DATA=FOLDER."
TESTS = (
    "tests/data/test_real_documents.py",
    "tests/report/test_on_a_phone.py",
    "tests/test_lacking.py::test_a_demand_names_what_may_lack",
)


def bare_run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """pytest on a machine with Python and nothing else: an empty folder is the PATH, no variable names data or Java."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOWSURE_", "JAVA_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    where = kept | {"PATH": str(folder)} | environment
    return subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, check=False)


def test_what_is_not_run_is_told_in_one_line_for_each_want(tmp_path: Path) -> None:
    done = bare_run(tmp_path, "-q", *TESTS, "-m", "not slow")
    assert done.returncode == 0, done.stdout
    browser, data, closing = done.stdout.strip().split("\n")[-3:]
    pages, read = (re.search(r": (\d+) tests?\. (.*)", line) for line in (browser, data))
    assert pages
    assert read
    assert (browser[: pages.start()], pages[2]) == ("not run for want of Chromium", INSTALL)
    assert (data[: read.start()], read[2]) == ("not run for want of real data", FETCH)
    assert f" passed, {int(pages[1]) + int(read[1])} skipped" in closing


def test_a_run_fails_before_its_first_test_where_what_is_demanded_is_lacking(tmp_path: Path) -> None:
    done = bare_run(tmp_path, *TESTS, "-n", "2", HOWSURE_DEMAND="data,browser", HOWSURE_DATA="here")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stdout == ""
    told = "but some tests are not run for want of Chromium."
    assert done.stderr.strip() == f"ERROR: HOWSURE_DEMAND=data,browser, {told} {INSTALL}"


@pytest.mark.parametrize("name", WANTS)
def test_each_want_can_be_demanded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOWSURE_DATA", "JAVA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(DEMAND, name)
    with pytest.raises(pytest.UsageError, match=re.escape(f"{WANTS[name].reason}. {WANTS[name].remedy}")):
        pytest_configure()


def test_what_is_demanded_and_there_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program in ("chromium", "chromedriver", "java"):
        (tmp_path / program).write_text("")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOWSURE_DATA", str(tmp_path))
    monkeypatch.setenv(DEMAND, "browser, java,data")
    pytest_configure()


def test_a_demand_names_what_may_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEMAND, "browser,chrome")
    with pytest.raises(pytest.UsageError, match="browser, data, java, latex, mount; chrome is none of them"):
        pytest_configure()
