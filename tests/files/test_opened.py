"""A file is one file under all its names, links and as standard input."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.files.opened import check_each_once, identity


@pytest.fixture
def names(tmp_path: Path) -> list[Path]:
    """A file, a symbolic and a hard link to it, and another path to it."""
    one = tmp_path / "one.csv"
    one.write_text("a\n1\n")
    (tmp_path / "soft.csv").symlink_to(one)
    (tmp_path / "hard.csv").hardlink_to(one)
    (tmp_path / "folder").mkdir()
    return [one, tmp_path / "soft.csv", tmp_path / "hard.csv", tmp_path / "folder" / ".." / "one.csv"]


def test_every_name_of_a_file_is_the_same_file(names: list[Path]) -> None:
    assert len({identity(name) for name in names}) == 1
    for name in names[1:]:
        with pytest.raises(InputError, match=r"is named twice, also as .*one\.csv; its rows would be counted twice"):
            check_each_once([names[0], name])


def test_files_of_equal_content_are_two(names: list[Path], tmp_path: Path) -> None:
    (tmp_path / "copy.csv").write_text("a\n1\n")
    check_each_once([names[0], tmp_path / "copy.csv", tmp_path / "none.csv"])


def test_a_file_and_standard_input_that_is_this_file(names: list[Path]) -> None:
    before = os.dup(0)
    with open(names[0], "rb") as file:
        try:
            os.dup2(file.fileno(), 0)
            with pytest.raises(InputError, match="is named twice, also as -"):
                check_each_once(["-", names[0]])
            with pytest.raises(InputError, match="/dev/stdin is named twice, also as -"):
                check_each_once(["-", "/dev/stdin"])
        finally:
            os.dup2(before, 0)
            os.close(before)
