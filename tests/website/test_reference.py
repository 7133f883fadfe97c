"""The API reference names everything public, once, by the path from which it is imported."""

from __future__ import annotations

from pathlib import Path

import howsure
from website.reference import CHAPTERS, found, names_of, page_of, public_names, write_reference


def test_every_public_name_has_one_place() -> None:
    names = public_names()
    assert len(names) == len(set(names))
    assert {f"howsure.{name}" for name in howsure.__all__} <= set(names)
    assert [name for name in names if found(name) is None] == []


def test_no_name_stands_in_two_chapters_under_two_paths() -> None:
    things = [id(found(name)) for name in public_names()]
    assert len(things) == len(set(things))


def test_a_page_lists_functions_before_classes() -> None:
    names = names_of(CHAPTERS["calibration"])
    assert names.index("howsure.calibration_curve") < names.index("howsure.CalibrationCurve")
    page = page_of(CHAPTERS["calibration"])
    assert page.startswith("# Calibration\n")
    assert "\n::: howsure.calibration_curve\n" in page
    assert "| [`calibration_curve`][howsure.calibration_curve] | " in page


def test_pages_are_written(tmp_path: Path) -> None:
    write_reference(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.md")} == {"index", *CHAPTERS}
