"""What one check of a command found: the evidence, and what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from howsure.check.baseline import Entry
from howsure.check.evidence import Evidence
from howsure.cli.calibration.output import files_text
from howsure.inputs.naming import counted


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one check, its recipe, remarks about what was read, and what a later run may compare with."""

    name: str
    evidence: tuple[Evidence, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...]
    entries: tuple[Entry, ...]


def what_was_read(recipe: dict[str, Any]) -> str:
    """The files, the rows used, and those left out."""
    skipped = sum(recipe["skipped"].values())
    return f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}{f', {skipped:,} skipped' if skipped else ''}"
