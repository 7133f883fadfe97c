"""What one check found: the evidence, and what was read; and the verdicts on several of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure import __version__
from howsure.check.baseline import Entry
from howsure.check.decision import decided
from howsure.check.evidence import Evidence
from howsure.check.results import Check
from howsure.inputs.naming import counted, shortened


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one check, its recipe, remarks about what was read, and what a later run may compare with."""

    name: str
    evidence: tuple[Evidence, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...]
    entries: tuple[Entry, ...]


def checked(found: Sequence[Found], *, level: float, alarms_over: int) -> Check:
    """The verdicts on all evidence together, adjusted for their number."""
    evidence = [one for each in found for one in each.evidence]
    recipe = {"howsure": __version__, "level": level, "alarms_over": alarms_over}
    recipe |= found[0].recipe if len(found) == 1 else {"checks": [each.recipe for each in found]}
    return Check(decided(evidence, level=level, alarms_over=alarms_over), level, recipe)


def rows_read(recipe: dict[str, Any]) -> list[str]:
    """The files, the rows used, and those left out; [] of arrays and frames."""
    if "files" not in recipe:
        return []
    files, skipped = recipe["files"], sum(recipe["skipped"].values())
    named = files[0] if len(files) == 1 else f"{len(files):,} files pooled ({shortened(files, limit=6)})"
    return [f"{named}: {counted(recipe['rows'], 'row')}{f', {skipped:,} skipped' if skipped else ''}"]
