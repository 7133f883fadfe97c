"""What one check of a command found: the evidence, and what was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from howsure.check.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one check, its recipe, and remarks about what was read."""

    evidence: tuple[Evidence, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...] = field(default=())
