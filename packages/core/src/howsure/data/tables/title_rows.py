"""Tables from spreadsheet programs: lines above the names of columns, `sep=;`, two kinds of line ends, one column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.errors import InputError, quote
from howsure.files.input_files import open_unpacked
from howsure.inputs.numbers_and_names import counted

BEGINNING = 1 << 16  # bytes in which the names of the columns are sought
MAX_TITLES = 5  # lines above the names of the columns
MAX_ROWS = 40  # rows that show the width of the table
MIN_WIDTH = 3
SEPARATORS = ",;\t"
SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n")  # the first line by which Excel exchanges the separator
UNNAMED = re.compile(r"Unnamed: \d+(_level_\d+)?")  # the name that pandas writes for an empty one
VALUE = re.compile(r"[\d\s.,:/%+-]+")  # a number, date or time: not the name of a column
SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class Table:
    """The table in a file: the number of lines above the names, whether line ends are made equal, and a note."""

    skipped: int
    equal_ends: bool
    note: str


def spreadsheet_error(path: str) -> InputError:
    """Error for a workbook, which has several sheets, formats and formulas: how to export a sheet."""
    return InputError(
        f"{path} is a workbook of a spreadsheet program. Save the sheet as CSV, and name that file. Excel: File, Save "
        "As, CSV UTF-8 (Comma delimited); LibreOffice: File, Save As, Text CSV, character set Unicode (UTF-8); Google "
        'Sheets: File, Download, Comma-separated values; pandas: read_excel(...).to_csv("sheet.csv", index=False).'
    )


def rewrite_table(path: str, copy: str, *, separators: str = SEPARATORS, compression: str = "none") -> Table | None:
    """Write a copy of a table of text without the lines above the names of the columns, and with one kind of line ends.

    Return what was left out; None, without a copy, if the table begins with the names and has one kind of line ends.
    separators: those that the format of the file allows.
    """
    with open_unpacked(path, compression, path) as file:
        head = file.read(BEGINNING)
    if b"\0" in head or b"\n" not in head:
        return None
    text = head.decode("utf-8-sig", "replace")
    if len(head) == BEGINNING:
        text = text[: text.rfind("\n") + 1]
    match = SEPARATOR_LINE.match(text)
    rows = _rows(text[match.end() :] if match else text, separators=match[1] if match else separators)
    above = _titles(rows)
    skipped = (rows[above - 1].end if above else 0) + (match is not None)
    ends = {text_line[-2:] == "\r\n" for row in rows for text_line in (row.line,) if text_line.endswith("\n")}
    if not skipped and len(ends) < 2:
        return None
    note = ""
    if above:
        names = ", ".join(quote(cell) for cell in rows[above].cells[:3])
        left_out = f"{counted(skipped, 'line')} above left out"
        note = f"The names of the columns are in line {skipped + 1} ({names} …); {left_out}."
    with open_unpacked(path, compression, path) as file, open(copy, "wb") as written:
        for _ in range(skipped):
            file.readline()
        while lines := file.readlines(1 << 20):
            written.write(b"".join(lines).replace(b"\r\n", b"\n") if len(ends) > 1 else b"".join(lines))
    return Table(skipped, len(ends) > 1, note)


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of a row, its last line, and the number of this line."""

    cells: list[str]
    line: str
    end: int

    @property
    def filled(self) -> int:
        """The number of cells with a content."""
        return sum(bool(cell.strip()) and UNNAMED.fullmatch(cell) is None for cell in self.cells)


def _rows(text: str, *, separators: str) -> list[_Row]:
    """Parse the first rows by the separator by which most rows have the same number of cells, three or more."""
    lines = io.StringIO(text, newline="\n").readlines()
    best: list[_Row] = []
    for separator in separators:
        reader, rows = csv.reader(lines, delimiter=separator), list[_Row]()
        try:
            for cells in reader:
                rows.append(_Row(cells, lines[reader.line_num - 1], reader.line_num))
                if len(rows) == MAX_ROWS:
                    break
        except csv.Error:
            continue
        if _is_table(rows) or _rows_of_width(rows) > _rows_of_width(best):
            best = rows
        if _is_table(rows):
            break
    return best


def _is_table(rows: Sequence[_Row]) -> bool:
    """Whether the rows are a table without a title: all as wide as the first one, which has a content in each cell."""
    width = len(rows[0].cells) if rows else 0
    return width > 1 and rows[0].filled == width and all(len(row.cells) == width for row in rows)


def _rows_of_width(rows: Sequence[_Row]) -> tuple[int, int]:
    """The number of rows that are as wide as most rows, and this width; zeros if it is below three."""
    width = _width(rows)
    return (sum(len(row.cells) == width for row in rows), width) if width >= MIN_WIDTH else (0, 0)


def _width(rows: Sequence[_Row]) -> int:
    """The number of columns of most rows."""
    widths = [len(row.cells) for row in rows]
    return max(set(widths), key=lambda width: (widths.count(width), width), default=0)


def _titles(rows: Sequence[_Row]) -> int:
    """The number of rows above the names of the columns: 0 if the first row contains these, or no row does.

    A title has a content in at most one column. The names are texts, different, in at least three quarters of
    the columns, and above rows of values.
    """
    width = _width(rows)
    if width < MIN_WIDTH or _is_table(rows):
        return 0
    for above in range(1, min(MAX_TITLES, len(rows) - 2) + 1):
        if rows[above - 1].filled > 1:
            return 0
        cells = [cell.strip() for cell in rows[above].cells]
        names = [cell for cell in cells if cell and UNNAMED.fullmatch(cell) is None]
        if (
            len(cells) == width
            and 4 * len(names) >= 3 * width
            and len(set(names)) == len(names)
            and not any(map(VALUE.fullmatch, names))
        ):
            values = [cell for row in rows[above + 1 :] for cell in row.cells]
            return above if any(map(VALUE.fullmatch, values)) else 0
    return 0


def why_one_column(header: str, values: Sequence[str] = ()) -> str | None:
    """Return why a table may have been read as one column, and what to do; None if neither its name nor its values show
    this.

    >>> why_one_column("id gold pred")
    'its columns seem to be separated by blanks. Separate them by commas or tabs.'
    >>> why_one_column("Results of July", ["model;score", "a;0.5"])
    "its first line is a title; the names of the columns seem to be in a later one, 'model;score', separated by ';'.
    Remove the lines before it."
    """
    if titled := [mark for mark in ";\t," if _names_columns(mark, header, *values)]:
        return (
            f"its first line is a title; the names of the columns seem to be in a later one, {values[0]!r}, separated "
            f"by {titled[0]!r}. Remove the lines before it."
        )
    if "," in header or ";" in header or "\t" in header:
        mark = max(",;\t", key=header.count)
        odd = next((row for row in values if len(_cells(row, mark)) != len(_cells(header, mark))), None)
        such = "" if odd is None else f", such as {odd!r}"
        return f"some rows have more or fewer values than the header{such}. Quote values that contain a separator."
    names = header.split()
    aligned = len(names) > 1 and (re.search(r"\S\s{2,}\S", header) is not None)
    fits = len(names) == 2 and bool(values) and all(len(value.split()) == 2 for value in values)
    if len(names) > 2 or aligned or fits:
        return "its columns seem to be separated by blanks. Separate them by commas or tabs."
    return None


def _cells(row: str, mark: str) -> list[str]:
    return next(csv.reader([row], delimiter=mark), [])


def _names_columns(mark: str, header: str, names: str = "", *rows: str) -> bool:
    """Whether a separator is not in the header, but in the names of columns that follow it, and in all rows."""
    is_in_all = mark in names and bool(rows) and all(mark in row for row in rows)
    return is_in_all and mark not in header and not any(letter.isdecimal() for letter in names)
