"""Reports as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.report import write_report


def test_a_report_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    write_report("<p>né</p>", target)
    assert target.read_bytes() == "<p>né</p>".encode()
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["report.txt", "report"])
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"must end in \.html"):
        write_report("x", tmp_path / name)
    assert list(tmp_path.iterdir()) == []
