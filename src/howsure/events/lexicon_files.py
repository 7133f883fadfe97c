"""The files that lexicons are kept in: `CODE<TAB>NAME`, and the same with the source of each entry."""

from __future__ import annotations

import os

from howsure.data.texts import read_text
from howsure.errors import InputError

COMMENTS = ("===", "#")


def read_entries(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """The codes and names of a file. A third column, the source of an entry, is for readers.

    Raises InputError naming the line that has no code, no name or more columns, and for a file without any entry.
    """
    text = read_text(path)
    entries = []
    for number, line in enumerate(text.content.splitlines(), start=1):
        if not line.strip() or line.startswith(COMMENTS):
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) not in (2, 3) or not all(columns[:2]) or " " in columns[0]:
            raise InputError(f"{text.name}, line {number}: a line must be CODE<TAB>NAME; it is {line!r}.")
        entries.append((columns[0], columns[1].replace("_", " ")))
    if not entries:
        raise InputError(f"{text.name} holds no entry; a line must be CODE<TAB>NAME.")
    return entries
