"""How dates are written, as in strptime: %d/%m/%Y for 31/12/2001."""

from __future__ import annotations

import re

from howsure.errors import InputError

DIRECTIVE = re.compile(r"%-?(.)")
KNOWN = "aAbBcdfgGhHIjmMnpSuUVwWxXyYzZ%"  # DuckDB's
DAYS = (
    {"Y", "y", "c", "x", "G"},
    {"m", "b", "B", "h", "j", "c", "x", "V", "U", "W"},
    {"d", "j", "c", "x", "u", "w", "a", "A"},
)
WORDS = (
    ("yyyy", "%Y"),
    ("yy", "%y"),
    ("mmmm", "%B"),
    ("mmm", "%b"),
    ("mm", "%m"),
    ("m", "%m"),
    ("dd", "%d"),
    ("d", "%d"),
)


def check_date_format(written: str) -> None:
    """Raise InputError unless a format names the year, the month and the day, as in %d/%m/%Y."""
    asked = {found[1] for found in DIRECTIVE.finditer(written)}
    unknown = sorted(asked - set(KNOWN))
    if unknown:
        raise InputError(
            f"date_format must be written as in strptime; %{unknown[0]} in {written!r} is none of its signs."
        )
    if not all(asked & one for one in DAYS):
        meant = _meant(written)
        advice = f"Did you mean date_format={meant!r}?" if meant else "For 31/12/2001 it is '%d/%m/%Y'."
        raise InputError(f"date_format must name the year, the month and the day; it is {written!r}. {advice}")


def _meant(written: str) -> str | None:
    """The same in the signs of strptime, where it is written as spreadsheets write it: dd/mm/yyyy."""
    signs = dict(WORDS)
    parts = re.findall(r"[a-zA-Z]+|[^a-zA-Z]+", written)
    if not all(part.lower() in signs or not part.isalpha() for part in parts):
        return None
    meant = "".join(signs.get(part.lower(), part) for part in parts)
    asked = {found[1] for found in DIRECTIVE.finditer(meant)}
    return meant if all(asked & one for one in DAYS) else None
