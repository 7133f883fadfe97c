"""Compare two records of what a user sees: words exactly, numbers within rounding."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

NUMBERS = re.compile(r"([-+−]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?)")
TOLERANCE, EXACT = 1e-9, 1e-12
NEAR_ZERO = 1e-12
AGAIN = r" \| |  # again"
MOST_LINES = 12


def same_line(before: str, after: str, tolerance: float) -> bool:
    """Whether two lines say the same.

    >>> same_line("error 0.25 of 12", "error 0.2500000000001 of 12", 1e-9)
    True
    >>> same_line("error 0.25 of 12", "error 0.25 of 13", 1e-9)
    False
    """
    if before == after:
        return True
    pieces, other_pieces = NUMBERS.split(before), NUMBERS.split(after)
    if len(pieces) != len(other_pieces) or pieces[::2] != other_pieces[::2]:
        return False
    return all(_same_number(a, b, tolerance) for a, b in zip(pieces[1::2], other_pieces[1::2], strict=True))


def _same_number(before: str, after: str, tolerance: float) -> bool:
    if before == after:
        return True
    if not re.search(r"[.eE]", before + after):  # whole numbers, dates, names
        return False
    number, other_number = (float(text.replace("−", "-").replace(",", "")) for text in (before, after))
    return math.isclose(
        number, other_number, rel_tol=tolerance, abs_tol=tolerance if tolerance > TOLERANCE else NEAR_ZERO
    )


def differences(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    tolerance: float,
    declared: Mapping[str, float] | None = None,
) -> dict[str, list[str]]:
    """Return lines that describe what differs, for each entry that differs. A larger tolerance may be declared for an
    entry."""
    allowed = declared or {}
    lines_by_entry = {}
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in before:
            lines_by_entry[name] = ["not stored"]
        elif name not in after:
            lines_by_entry[name] = ["stored, but no longer asked"]
        elif changed_lines := list(_parts(before[name], after[name], allowed.get(re.split(AGAIN, name)[0], tolerance))):
            lines_by_entry[name] = changed_lines
    return lines_by_entry


def _parts(before: Mapping[str, Any], after: Mapping[str, Any], tolerance: float) -> Iterator[str]:
    parts_before, parts_after = _flat(before), _flat(after)
    for part in [*parts_before, *(name for name in parts_after if name not in parts_before)]:
        if part not in parts_before or part not in parts_after:
            change = "new" if part in parts_after else "gone"
            lines = parts_before.get(part) or parts_after.get(part) or []
            yield f"{part}: {change}: {json.dumps(lines[:2], ensure_ascii=False)[:200]}"
        else:
            yield from (f"{part}: {line}" for line in _lines(parts_before[part], parts_after[part], tolerance))


def _flat(record: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the parts of a record as lines: code, out, err, each file, figures."""
    lines_by_part: dict[str, list[str]] = {}
    for part, value in record.items():
        if isinstance(value, Mapping):
            lines_by_part.update({f"{part} {name}": list(lines) for name, lines in value.items()})
        else:
            lines_by_part[part] = list(value) if isinstance(value, list) else [str(value)]
    return lines_by_part


def _lines(before: list[str], after: list[str], tolerance: float) -> Iterator[str]:
    if len(before) == len(after):
        pairs = [(a, b) for a, b in zip(before, after, strict=True) if not same_line(a, b, tolerance)]
        changed_lines = [line for a, b in pairs for line in (f"- {a}", f"+ {b}")]
    else:
        old_lines = {line: line for line in before}
        near = [line if line in old_lines else _nearest(line, before, tolerance) for line in after]
        changed_lines = [line for line in difflib.ndiff(before, near) if line[0] in "-+"] if before != near else []
    yield from changed_lines[:MOST_LINES]
    if len(changed_lines) > MOST_LINES:
        yield f"… and {len(changed_lines) - MOST_LINES} lines more"


def _nearest(line: str, lines: list[str], tolerance: float) -> str:
    return next((other for other in lines if same_line(other, line, tolerance)), line)
