"""Lexicon files: one code and one name per line, separated by a tab, or as CSV from a spreadsheet."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence

from howsure.errors import InputError
from howsure.files.text import Text, read_text

COMMENTS = ("===", "#")
COLUMNS = ("code", "name")  # of a header
OF_CODES = re.compile("abbreviation|acronym|alpha|codes?|ccode|cow|id|iso|key|symbol")  # words of other headers
OF_NAMES = re.compile(
    "actors?|alias|country|countries|description|entity|group|label|names?|nation|organi[sz]ation|party|person|states?|"
    "term|title"
)
Row = tuple[int, list[str]]  # its line, its cells


def read_entries(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """The codes and names of a file: `CODE<TAB>NAME`, or CSV if its name ends in .csv, with commas or semicolons.

    A first line with `code` and `name` names their columns; without it, they are the first two, and a third one, the
    source of an entry, is ignored.

    Raises InputError naming the line that has no code, no name or extra columns, or the first line if it is a header
    with other words, and for a file without entries.
    """
    text = read_text(path)
    is_csv = text.name.lower().endswith(".csv")
    rows, wanted = (_csv_rows(text), "CODE,NAME") if is_csv else (_tab_rows(text), "CODE<TAB>NAME")
    entries: list[tuple[str, str]] = []
    first = 0  # the line of the first entry
    places, most, headed = (0, 1), 3, False
    for at, (line, cells) in enumerate(rows):
        columns = [cell.strip() for cell in cells]
        lower = [cell.lower() for cell in columns]
        if at == 0 and all(name in lower for name in COLUMNS):
            places, most, headed = (lower.index("code"), lower.index("name")), len(lower), True
            continue
        if at == 0 and any(name in lower[:2] for name in COLUMNS):
            raise InputError(f"{text.name}, line {line}: a header must have both code and name; it is {columns!r}.")
        first = first or line
        if not max(places) < len(columns) <= most or not all(columns[place] for place in places):
            held = (" | " if is_csv else "\t").join(cells)[:100]
            raise InputError(f"{text.name}, line {line}: a line must be {wanted}; it is {held!r}.")
        code, name = columns[places[0]], columns[places[1]].replace("_", " ").strip()
        if any(map(str.isspace, code)):
            raise InputError(f"{text.name}, line {line}: a code must be one word; it is {code[:60]!r}.")
        if not any(map(str.isalnum, name)):
            raise InputError(f"{text.name}, line {line}: a name must hold a letter or a digit; it is {name[:60]!r}.")
        entries.append((code, name))
    if not entries:
        raise InputError(f"{text.name} holds no entry; a line must be {wanted}.")
    if not headed and _is_header(entries):
        raise InputError(
            f"{text.name}, line {first}: {' and '.join(entries[0])} look like a header; name its columns code and "
            "name, or take it out. If it is an entry, do not put it first."
        )
    return entries


def _is_header(entries: Sequence[tuple[str, str]]) -> bool:
    """Whether the first entry names columns, or has the only code with small letters."""
    ours, others = entries[0][0], {code for code, _ in entries[1:]} - {"-"}
    words = [set(re.findall("[a-z]+", cell.lower())) for cell in entries[0]]
    named = any(
        any(map(OF_CODES.fullmatch, one)) and other and all(map(OF_NAMES.fullmatch, other))
        for one, other in (words, words[::-1])
    )
    return named or (ours != ours.upper() and len(others) > 1 and all(code == code.upper() for code in others))


def _tab_rows(text: Text) -> Iterator[Row]:
    for number, line in enumerate(text.content.splitlines(), start=1):
        if line.strip() and not line.startswith(COMMENTS):
            yield number, line.split("\t")


def _csv_rows(text: Text) -> Iterator[Row]:
    """The rows of a spreadsheet saved as CSV; its first line, not counting comments, determines the delimiter."""
    lines = text.content.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith(COMMENTS)), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.content), delimiter=separator, strict=True)
    try:
        for row in reader:
            if any(map(str.strip, row)) and not row[0].startswith(COMMENTS):
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{text.name}, line {reader.line_num}: it is not CSV: {error}.") from error
