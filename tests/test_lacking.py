"""What a machine lacks is reported in one line for each want; what is demanded and lacking makes a run fail."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.lacking import DEMAND, WANTS, pytest_configure

INSTALL = "Install chromium and chromium-driver (Debian: apt-get install -y chromium chromium-driver)."
FETCH = "`howsure data list` names the sets, `howsure data get NAME --to FOLDER` fetches one; set HOWSURE_DATA=FOLDER."
TESTS = """
import pytest
from tests.lacking import require

@pytest.mark.parametrize("name", ["browser", "data", "data"])
def test_it(name):
    require(name)

def test_needs_nothing():
    pass
"""
OPTIONS = ("-q", "-p", "tests.lacking", "-p", "no:cacheprovider")


@pytest.fixture
def bare(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Tests on a machine with Python and nothing else: an empty folder is the PATH, no variable names data or Java."""
    for variable in [name for name in os.environ if name.startswith(("HOWSURE_", "JAVA_"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PATH", str(pytester.mkdir("empty")))
    pytester.makepyfile(TESTS)
    return pytester


def test_skipped_tests_are_summarised_by_want(bare: pytest.Pytester) -> None:
    run = bare.runpytest_inprocess(*OPTIONS)
    run.assert_outcomes(passed=1, skipped=3)
    assert run.outlines[-3:-1] == [
        f"not run for want of Chromium: 1 test. {INSTALL}",
        f"not run for want of real data: 2 tests. {FETCH}",
    ]


def test_a_run_fails_before_its_first_test_where_what_is_demanded_is_lacking(
    bare: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOWSURE_DATA", "here")
    monkeypatch.setenv(DEMAND, "data,browser")
    run = bare.runpytest_inprocess(*OPTIONS, "-n", "2")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert run.outlines == []
    reason = "but some tests are not run for want of Chromium."
    assert [line for line in run.errlines if line] == [f"ERROR: HOWSURE_DEMAND=data,browser, {reason} {INSTALL}"]


def test_this_run_says_what_it_lacks(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("tests.lacking")


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
