"""Every wrong input of bad_input.md gets its sentence and exit code 2; nothing is written, no traceback shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import howsure as run

from tests.bad_input.page import TOPICS, Row, rows

LINES = [(line, row) for line, row in rows() if row is not None]


@pytest.mark.parametrize(("line", "row"), LINES, ids=[row.what for _, row in LINES])
def test_wrong_input_gets_its_message(line: str, row: Row, tmp_path: Path) -> None:
    assert row.line(row.message(tmp_path)) == line, "write it again: python -m tests.bad_input.page"


def test_every_wrong_input_is_recorded() -> None:
    """Also of the files: each belongs to a row of its topic."""
    assert len(LINES) >= 555
    assert len({row.what for _, row in LINES}) == len(LINES)
    covered = {(row.topic, row.what) for _, row in LINES}
    assert [
        (topic, what) for topic, files in TOPICS.items() for what in files.of_case if (topic, what) not in covered
    ] == []


def test_error_names_the_bad_file_and_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row is counted in its own file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("gold,prob\n1,0.5\n")
    (tmp_path / "b.csv").write_text("gold,prob\n1,0.5\n0,2\n")
    done = run("calibration", "a.csv", "b.csv", "--target", "gold", "--prob", "prob")
    assert "row 2 of b.csv" in done.err
    assert done.code == 2
