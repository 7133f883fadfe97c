"""What people see is what is stored."""

from __future__ import annotations

import pytest

from tests.goldens.comparing import TOLERANCE, differences, same_line
from tests.goldens.coverage import uncovered
from tests.goldens.running import ROOMS, room, run_room, tolerances
from tests.goldens.stored_files import read_stored
from tests.lacking import require

ADVICE = "If this is meant: python -m tests.goldens --write, and a line in tests/goldens/CHANGES.md"


@pytest.mark.parametrize(
    "name", [pytest.param(room_name, marks=[pytest.mark.long] * room(room_name).long) for room_name in ROOMS]
)
def test_people_see_what_they_saw(name: str) -> None:
    want = room(name).wants
    if want is not None:
        require(want)
    changes = differences(read_stored(name), run_room(name), tolerance=TOLERANCE, declared=tolerances(name))
    explanation = "\n".join(f"{entry}\n    " + "\n    ".join(lines) for entry, lines in changes.items())
    assert not changes, f"{explanation}\n{ADVICE}"


@pytest.mark.parametrize("name", ROOMS)
def test_no_bug_is_stored(name: str) -> None:
    """`--write` stores whatever is printed, also of a command that failed."""
    assert "This is a bug" not in str(read_stored(name))


def test_every_command_is_typed_somewhere() -> None:
    assert uncovered() == []


def test_words_are_compared_exactly_and_numbers_by_their_value() -> None:
    assert same_line("p 0.125, n 12", "p 0.12500000000000003, n 12", TOLERANCE)
    assert not same_line("p 0.125, n 12", "p 0.12500001, n 12", TOLERANCE)
    assert not same_line("p 0.125, n 12", "p 0.125, n 13", TOLERANCE)
    assert not same_line("p 0.125", "q 0.125", TOLERANCE)
    assert not same_line("2026-01-02", "2026-01-03", TOLERANCE)
    assert same_line("1e-17", "0.0", TOLERANCE)


def test_a_difference_names_the_command_and_both_lines() -> None:
    before = {"calibration a.csv": {"code": 0, "out": ["n 12", "error 0.5"]}, "gone": {"code": 0}}
    after = {"calibration a.csv": {"code": 1, "out": ["n 12", "error 0.25"], "files": {"b.csv": ["n"]}}, "new": {}}
    assert differences(before, after, tolerance=TOLERANCE) == {
        "calibration a.csv": [
            "code: - 0",
            "code: + 1",
            "out: - error 0.5",
            "out: + error 0.25",
            'files b.csv: new: ["n"]',
        ],
        "gone": ["stored, but no longer asked"],
        "new": ["not stored"],
    }
