"""The API reference names everything public, once, by the path from which it is imported."""

from __future__ import annotations

import inspect
from pathlib import Path

import howsure
from website.reference import CHAPTERS, found, names_of, page_of, public_names, write_reference
from website.tasks import PAGE, TASKS, page


def test_every_public_name_has_one_place() -> None:
    names = public_names()
    assert len(names) == len(set(names))
    assert {f"howsure.{name}" for name in howsure.__all__} <= set(names)
    assert [name for name in names if found(name) is None] == []


def test_no_name_is_in_two_chapters() -> None:
    things = [id(found(name)) for name in public_names()]
    assert len(things) == len(set(things))


def test_a_page_lists_functions_before_classes() -> None:
    names = names_of(CHAPTERS["calibration"])
    assert names.index("howsure.calibration_curve") < names.index("howsure.CalibrationCurve")
    calibration = page_of(CHAPTERS["calibration"])
    assert calibration.startswith("# Calibration\n")
    assert "\n::: howsure.calibration_curve\n" in calibration
    assert "| [`calibration_curve`][howsure.calibration_curve] | " in calibration


def test_pages_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "reference"
    write_reference(folder)
    assert {path.stem for path in folder.glob("*.md")} == {"index", *CHAPTERS}
    assert "[`calibration_error`][howsure.calibration_error]" in (tmp_path / "api.md").read_text()


def test_every_function_has_one_task() -> None:
    functions = [name for name in howsure.__all__ if inspect.isfunction(getattr(howsure, name))]
    assert sorted(" ".join(TASKS.values()).split()) == functions


def test_the_page_of_tasks_is_current() -> None:
    """`python -m website.tasks` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page()
