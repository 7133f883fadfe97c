"""Requirements that a machine may lack: real data, a browser, Java, and other programs that some tests need.

A test or fixture that needs one of them calls `require(name)`. If the requirement is missing, the test is not run; one
line at the end of the run says how many tests were not run, and what to install. `HOWSURE_DEMAND=browser,java,data`
names requirements that must be met: if one is missing, the run fails before its first test. Therefore, `.ci/run` never
leaves tests out silently.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from howsure.inputs.numbers_and_names import counted

DEMAND = "HOWSURE_DEMAND"
OWN_FILE_SYSTEMS = ("unshare", "--user", "--map-root-user", "--mount", "true")


@dataclass(frozen=True, slots=True)
class Want:
    """A requirement of some tests: its name within a sentence, whether it is met, and how to install it."""

    what: str
    is_there: Callable[[], bool]
    remedy: str

    @property
    def reason(self) -> str:
        """Why its tests are not run."""
        return f"not run for want of {self.what}"


def on_the_path(*programs: str) -> Callable[[], bool]:
    """Return whether a shell would find all these programs."""
    return lambda: all(map(shutil.which, programs))


WANTS = {
    "browser": Want(
        "Chromium",
        on_the_path("chromium", "chromedriver"),
        "Install chromium and chromium-driver (Debian: apt-get install -y chromium chromium-driver).",
    ),
    "data": Want(
        "real data",
        lambda: bool(os.environ.get("HOWSURE_DATA")),
        "`howsure data list` names the sets, `howsure data get NAME --to FOLDER` fetches one; set HOWSURE_DATA=FOLDER.",
    ),
    "java": Want(
        "Java, on which Spark runs",
        lambda: bool(os.environ.get("JAVA_HOME") or shutil.which("java")),
        "Install Java 17 (Debian: apt-get install -y --no-install-recommends openjdk-17-jre-headless).",
    ),
    "latex": Want(
        "pdfLaTeX and Poppler",
        on_the_path("pdflatex", "pdftotext"),
        "Install them (Debian: apt-get install -y --no-install-recommends texlive-latex-base texlive-latex-recommended "
        "lmodern poppler-utils).",
    ),
    "mount": Want(
        "file systems of their own",
        lambda: bool(shutil.which("unshare")) and subprocess.run(OWN_FILE_SYSTEMS, check=False).returncode == 0,
        f"Install util-linux and mount, and allow `{' '.join(OWN_FILE_SYSTEMS)}`.",
    ),
}


def require(name: str) -> None:
    """Continue only if the machine meets this requirement; otherwise, the test is not run."""
    if not WANTS[name].is_there():
        pytest.skip(WANTS[name].reason)


def pytest_configure() -> None:
    """Fail before the first test if a demanded requirement is missing."""
    demanded = re.findall(r"[^\s,]+", os.environ.get(DEMAND, ""))
    for name in demanded:
        if name not in WANTS:
            raise pytest.UsageError(f"{DEMAND} names what must be there: {', '.join(WANTS)}; {name} is none of them.")
    for want in (WANTS[name] for name in demanded):
        if not want.is_there():
            message = f"{DEMAND}={','.join(demanded)}, but some tests are {want.reason}. {want.remedy}"
            raise pytest.UsageError(message)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each missing requirement: how many tests were not run, and what to install."""
    reasons = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    for want in WANTS.values():
        if number := sum(want.reason in reason for reason in reasons):
            terminalreporter.write_line(f"{want.reason}: {counted(number, 'test')}. {want.remedy}")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Return the folder with real data sets."""
    require("data")
    return Path(os.environ["HOWSURE_DATA"])


@pytest.fixture(scope="session")
def pipeline(real_data: Path) -> Path:
    """Return a small spaCy pipeline, which is next to the real data."""
    return real_data.parent / "models" / "en_ud_small"
