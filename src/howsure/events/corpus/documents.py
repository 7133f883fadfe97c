"""Dated documents to read: rows of JSON lines, CSV or Parquet with a text, or CoNLL-U from any parser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from howsure.data.documents.document import Document
from howsure.data.tables.database import literal, reading
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.events.corpus.date_formats import check_date_format
from howsure.events.parts.part import ALL, BATCH, Part
from howsure.inputs.naming import unknown_name

FETCHED = 256  # rows at a time
BAD_DATES = ("error", "leave-out")
ISO = r"^\d{4}-\d{2}-\d{2}([T ].*)?$"
YEARS = 1000, 2999  # 9999-12-31 and 0001-01-01 stand for "no date" in many a database
Rows = Iterator[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class InputDocument:
    """A document as read: its position in the input, counted from 0, and a text, or a part of a CoNLL-U file.

    `date` is ISO 8601, None if it is missing and such documents are left out. `story` identifies its story. `file` and
    `line` locate a part of a CoNLL-U file, for errors. A document from a store is already `parsed`, or was `left_out`
    for a reason.
    """

    number: int
    id: str
    date: str | None
    title: str | None
    category: str | None
    text: str
    file: str = ""
    line: int = 0
    story: str | None = None
    parsed: Document | None = None
    left_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The columns, or the keys of metadata, that contain the fields of a document; None if there is none.

    Without `id`, documents are numbered from 1. `date_format` is as in strptime (%d/%m/%Y); without it, dates are ISO
    8601 with or without a time, and the day is used as written; dates before the year 1000 or after 2999 are invalid.
    `story` identifies the story of a document: documents of one story, such as reprints, do not count as independent.
    """

    text: str | None = None
    date: str | None = None
    id: str | None = None
    title: str | None = None
    category: str | None = None
    story: str | None = None
    date_format: str | None = None

    def __post_init__(self) -> None:
        if self.date_format is not None:
            check_date_format(self.date_format)


class Documents(Protocol):
    """Documents to process, in a fixed order: from files, or from a store."""

    @property
    def total(self) -> int:
        """Their number."""

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """The documents of a part from a position on."""


class Corpus:
    """The documents of some files, checked, in the order of the files; they can be read repeatedly, from any
    position."""

    def __init__(self, table: Table, fields: Fields, *, bad_dates: str = "error", is_parsed: bool = False) -> None:
        if bad_dates not in BAD_DATES:
            raise unknown_name("way", bad_dates, BAD_DATES, place="what to do with bad dates")
        self.table, self.fields, self.bad_dates, self.is_parsed = table, fields, bad_dates, is_parsed
        self._check_ids()
        self._check_dates()
        (total,) = table.ask("count(*)")[0]
        self.total = int(str(total))

    @property
    def recipe(self) -> dict[str, Any]:
        """What was read, as plain values: the names and sizes of the files, the columns, the handling of bad dates."""
        files = [[os.path.basename(file.name), os.path.getsize(file.path)] for file in self.table.files]
        columns = {name: getattr(self.fields, name) for name in Fields.__slots__}
        return {"files": files, "columns": columns, "bad_dates": self.bad_dates}

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """The documents of a part from a position on, a few in memory at a time."""
        for number, name, date, title, category, story, text in self._rows(start, part):
            held = str(number + 1) if self.fields.id is None else name
            yield InputDocument(number, held, date, title, category, text or "", story=(story or "").strip() or None)

    def _rows(self, start: int, part: Part) -> Rows:
        """The position of each document of a part, from a position on, and its fields."""
        fields = self.fields
        wanted = [self._text(name) for name in (fields.id, fields.title, fields.category, fields.story, fields.text)]
        date = f"CAST({self.date} AS VARCHAR)"
        position = self.table.position
        listed = ", ".join([position, wanted[0], date, *wanted[1:]])
        chosen = f"{position} >= {start} AND {position} // {BATCH} % {part.of} = {part.number - 1}"  # as `Part.holds`
        with reading(self.table.name, self.table.files[0].path), self.table.connection.cursor() as cursor:
            cursor.execute(f"SELECT {listed} FROM {self.table.numbered} WHERE {chosen}")
            while rows := cursor.fetchmany(FETCHED):
                yield from rows

    def _text(self, name: str | None) -> str:
        return "NULL" if name is None else self.table.columns[name].text

    @property
    def date(self) -> str:
        """The date as SQL; null if there is none, or a placeholder year (9999-12-31, 0001-01-01)."""
        date = self._written_date()
        return f"CASE WHEN year({date}) BETWEEN {YEARS[0]} AND {YEARS[1]} THEN {date} END"

    def _written_date(self) -> str:
        text = f"trim({self._text(self.fields.date)})"
        if self.fields.date_format is not None:
            return f"CAST(try_strptime({text}, {literal(self.fields.date_format)}) AS DATE)"
        return f"CASE WHEN regexp_matches({text}, {literal(ISO)}) THEN TRY_CAST(left({text}, 10) AS DATE) END"

    def _check_ids(self) -> None:
        if self.fields.id is None:
            return
        column = self.table.columns[self.fields.id]
        missing = f"({column.sql} IS NULL OR trim({column.text}) = '')"
        if self.table.ask("1", rest=f"WHERE {missing} LIMIT 1"):
            place, _ = self.table.place(missing)
            raise InputError(
                f"{column.name} must not be missing; {place} has none. Give every document an id, or leave id=... out "
                "to number them."
            )
        twice = self.table.ask(column.text, rest=f"GROUP BY {column.text} HAVING count(*) > 1 LIMIT 1")
        if twice:
            same = f"{column.text} = {literal(str(twice[0][0]))}"
            first, second = self.table.place(same)[0], self.table.place(same, skip=1)[0]
            raise InputError(
                f"{column.name} must be different in every document; {twice[0][0]!r} is that of {first} and of "
                f"{second}. Remove one of them, or leave id=... out to number them."
            )

    def _check_dates(self) -> None:
        column = self.table.columns[self.fields.date or ""]
        bad = f"({self.date}) IS NULL"
        (count,) = self.table.ask("count(*)", rest=f"WHERE {bad}")[0]
        if not count or self.bad_dates == "leave-out":
            return
        place, value = self.table.place(bad, column.text)
        held = "no date" if value is None or not str(value).strip() else repr(value)
        written = self.fields.date_format or "YYYY-MM-DD"
        raise InputError(
            f"{column.name} must be a date, written {written}; {place} holds {held} ({int(str(count)):,} in all). "
            f"Years run from {YEARS[0]} to {YEARS[1]}. If they are written in another way, give date_format, "
            "such as %d/%m/%Y for 31/12/2001; or leave such documents out with bad_dates='leave-out'."
        )
