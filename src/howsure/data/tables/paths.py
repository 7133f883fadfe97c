"""Names of what is asked of a file: a column, a place inside one (`doc.answerKey`, `scores[0].value`), several at once.

A column of exactly that name comes first, whatever stands in the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from howsure.data.tables.database import identifier, literal
from howsure.errors import InputError, parameter
from howsure.inputs.naming import nearest, unknown_name

Step = str | int  # a key of a mapping, or a position from 0 in a list
STEP = re.compile(r"""\.([^.\[\]]+)|\[([0-9]+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
PLAIN = re.compile(r"[^.\[\]]+")
FILE = "file"  # what the name of a file is called as a column


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a file, and the steps that lead to a value inside it."""

    column: str
    steps: tuple[Step, ...] = ()

    def in_text(self) -> str:
        """The value as text, in SQL, where the column holds JSON as text; null where the path leads nowhere."""
        return in_json_text(identifier(self.column), self.steps) if self.steps else identifier(self.column)


def in_json_text(sql: str, steps: Sequence[Step]) -> str:
    """A value inside a text of JSON, as text; null if the text is not JSON or has no such place."""
    pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return f"CASE WHEN json_valid({sql}) THEN json_extract_string({sql}, {literal(pointer)}) END"


def column_of(name: str, known: Collection[str]) -> str:
    """The column that a name begins with: the longest that is known, or else all up to the first step."""
    if name in known:
        return name
    ends = [match.start() for match in re.finditer(r"[.\[]", name)]
    found = [name[:end] for end in reversed(ends) if name[:end] in known]
    return found[0] if found else name[: ends[0]] if ends and ends[0] else name


def place_of(name: str, known: Sequence[str], *, file: str) -> Place:
    """The place that a name means in a file.

    Raises InputError if the file has no such column, or what follows it is no path.
    """
    column = column_of(name, known)
    if column in known:
        return Place(column, _steps(name, column))
    if column == FILE and nearest(FILE, known) is None:
        raise InputError(
            f"{unknown_name('column', name, known, place=file)} For the file's own name, set "
            f"{parameter('by_file', True)}."
        )
    asked = name if nearest(name, known) is not None else column
    raise unknown_name("column", asked, known, place=file)


def parts_of(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The columns that a name joins by commas; itself, where it is a column or there is no comma.

    Raises InputError if a part is empty or named twice.
    """
    if "," not in name or name in known:
        return (name,)
    parts = tuple(part.strip() for part in name.split(","))
    if not all(parts) or len(set(parts)) < len(parts):
        raise InputError(f"several columns as one key are named once each, with commas between: 'a,b'; it is {name!r}.")
    return parts


def path_text(column: str, steps: Sequence[Step]) -> str:
    """The name of a place, as users write it.

    >>> path_text("scores", [0, "value", "an odd.key"])
    "scores[0].value['an odd.key']"
    """
    return column + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if PLAIN.fullmatch(step) and " " not in step
        else f'["{step}"]' if "'" in step else f"['{step}']"
        for step in steps
    )  # fmt: skip


def _steps(name: str, column: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    at = len(column)
    while at < len(name):
        match = STEP.match(name, at)
        if match is None:
            raise InputError(
                f"{name!r} is no path in the column {column!r}: write {column}.key, {column}[0] or {column}['a key']."
            )
        key, position, *quoted = match.groups()
        steps.append(int(position) if position is not None else next(one for one in (key, *quoted) if one is not None))
        at = match.end()
    return tuple(steps)
