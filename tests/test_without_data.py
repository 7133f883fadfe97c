"""Without the real data a run says in one line what it left out and how to get it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
READS_DATA = ("tests/data/test_real_files.py", "tests/data/documents/test_entity_brackets.py")


def test_what_is_skipped_is_told_in_one_line() -> None:
    without = {name: value for name, value in os.environ.items() if name != "HOWSURE_DATA"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *READS_DATA]
    done = subprocess.run(command, cwd=ROOT, env=without, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    told, closing = done.stdout.strip().split("\n")[-2:]
    skipped = told.removeprefix("skipped: ").split()[0]
    assert told == (
        f"skipped: {skipped} tests and pages of real data. `howsure data list` names the sets, "
        "`howsure data get NAME --to FOLDER` fetches one; set HOWSURE_DATA=FOLDER"
    )
    assert f" passed, {skipped} skipped" in closing
