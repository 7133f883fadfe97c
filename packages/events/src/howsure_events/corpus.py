"""Dated documents of a corpus: their columns and dates, parts for several machines, and filters."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from howsure.data.documents.document import Document
from howsure.data.tables.database import literal, reading
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.files.input_files import checked_encoding
from howsure.inputs.date_formats import (
    ISO_DATE,
    TIME,
    best_formats,
    check_date_format,
    count_date_formats,
    has_short_year,
    last_year,
    plain_format,
    reading_steps,
    several_formats,
)
from howsure.inputs.numbers_and_names import check_integer, unknown_name
from howsure.inputs.periods import as_date
from howsure_events.lexicon import Lexicon

BATCH = 64  # documents that are parsed and stored together
MAX_PARTS = 512  # limited because merging opens one file per part
WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """Part `number` of `of` parts of an input: batch `number` (from 1) and every `of`-th batch after it.

    The batches are the same as in a run over the whole input, so the parts together give exactly the same results.
    Neighbouring batches are in different parts, so parts take about equally long even if documents grow over the years.

    >>> [document for document in range(0, 640, 64) if Part(2, 4).holds(document)]
    [64, 320, 576]
    >>> Part.parse("3/64").size(193_403)
    3072
    """

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        check_integer(self.of, name="the number of parts", most=MAX_PARTS)
        check_integer(self.number, name="the number of a part", most=self.of)

    @classmethod
    def parse(cls, part: object) -> Self:
        """Return the part for (3, 64) or "3/64", as given by the user; None means the whole input."""
        if part is None:
            return cls()
        match = WRITTEN.fullmatch(part.strip()) if isinstance(part, str) else None
        both = [int(match[1]), int(match[2])] if match else list(part) if isinstance(part, tuple | list) else []
        if len(both) != 2:
            raise InputError(
                f"part must be the number of the part and the number of parts, such as 3/64; it is {part!r}."
            )
        return cls(*both)

    def __str__(self) -> str:
        return f"part {self.number} of {self.of}"

    @property
    def is_all(self) -> bool:
        """Whether the part is the whole input."""
        return self.of == 1

    def holds(self, document: int) -> bool:
        """Whether the document at a position of the input, from 0, is in this part."""
        return document // BATCH % self.of == self.number - 1

    def size(self, documents: int) -> int:
        """Return the number of documents in this part, for an input of this many `documents`."""
        batches, rest = divmod(documents, BATCH)
        n_batches = max(0, -(-(batches - self.number + 1) // self.of))
        return n_batches * BATCH + (rest if batches % self.of == self.number - 1 else 0)

    def recipe(self, documents: int) -> dict[str, Any]:
        """Return the settings that identify the part in its store; empty for the whole input."""
        return {} if self.is_all else {"part": {"number": self.number, "of": self.of, "documents": documents}}


ALL = Part()


FETCHED = 256  # rows read at a time
BAD_DATES = ("error", "leave-out")
YEARS = 1000, 2999  # 9999-12-31 and 0001-01-01 mean "no date" in many databases
Rows = Iterator[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class InputDocument:
    """A document as read from the input.

    number: its position in the input, from 0. date: in ISO 8601; None if missing or invalid. text: its text, or its
    lines of a CoNLL-U file. file, line: location of these lines, for error messages. story: identifier of the story
    that it reports. A document from a store is already `parsed`, or has the reason for which it was `left_out`.
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
    """The columns, or keys of CoNLL-U metadata, that contain the fields of a document; None for a missing field.

    id: if None, documents are numbered from 1. date_format: as in strptime (%d/%m/%Y); if None, dates are ISO 8601, and
    a time is ignored. Dates before the year 1000 or after 2999 are invalid. story: identifier of the reported story;
    documents of one story, such as reprints, do not count as independent. encoding: encoding of text files, such as
    windows-1252 (default: UTF-8).
    """

    text: str | None = None
    date: str | None = None
    id: str | None = None
    title: str | None = None
    category: str | None = None
    story: str | None = None
    date_format: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        checked_encoding(self.encoding)
        if self.date_format is not None:
            check_date_format(self.date_format)


class Documents(Protocol):
    """Documents to process, in a fixed order: from files, or from a store."""

    @property
    def total(self) -> int:
        """The number of documents."""

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """Yield the documents of a part, beginning with the document at index `start`."""


class Corpus:
    """The documents of some files, in the order of the files, with valid ids and dates.

    They can be read repeatedly, from any position.
    """

    def __init__(self, table: Table, fields: Fields, *, bad_dates: str = "error", is_parsed: bool = False) -> None:
        if bad_dates not in BAD_DATES:
            raise unknown_name("way", bad_dates, BAD_DATES, place="what to do with bad dates")
        self.table, self.fields, self.bad_dates, self.is_parsed = table, fields, bad_dates, is_parsed
        self._last_year: int | None = None  # of dates with years of two digits
        self._check_ids()
        if fields.date_format is None:
            self.fields = replace(fields, date_format=self._seen_format())
        self._check_dates()
        (total,) = table.ask("count(*)")[0]
        self.total = int(str(total))

    @property
    def recipe(self) -> dict[str, Any]:
        """The names and sizes of the files, the columns, and the handling of bad dates, as plain values."""
        files = [[os.path.basename(file.name), os.path.getsize(file.path)] for file in self.table.files]
        columns = {name: getattr(self.fields, name) for name in Fields.__slots__}
        return {"files": files, "columns": columns, "bad_dates": self.bad_dates}

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """Yield the documents of a part from a position on, with only a few in memory at a time."""
        for number, name, date, title, category, story, text in self._rows(start, part):
            document_id = str(number + 1) if self.fields.id is None else name
            yield InputDocument(
                number, document_id, date, title, category, text or "", story=(story or "").strip() or None
            )

    def _rows(self, start: int, part: Part) -> Rows:
        """The position of each document of a part, from a position on, and its fields."""
        fields = self.fields
        texts = [self._text(name) for name in (fields.id, fields.title, fields.category, fields.story, fields.text)]
        date = f"CAST({self.date} AS VARCHAR)"
        position = self.table.position
        listed = ", ".join([position, texts[0], date, *texts[1:]])
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
        text, written = f"trim({self._text(self.fields.date)})", self.fields.date_format
        if written is None:
            return (
                f"CASE WHEN regexp_full_match({text}, {literal(ISO_DATE)}) THEN TRY_CAST(left({text}, 10) AS DATE) END"
            )
        for pattern, replacement in reading_steps(written):
            text = f"regexp_replace({text}, {literal(pattern)}, {literal(replacement)}, 'gi')"
        date = f"CAST(try_strptime({text}, {literal(plain_format(written))}) AS DATE)"
        if not has_short_year(written):
            return date
        if self._last_year is None:
            years = self.table.ask(f"DISTINCT year({date})", rest=f"WHERE {date} IS NOT NULL")
            self._last_year = last_year([int(str(year)) for (year,) in years])
        return (
            f"CASE WHEN year({date}) > {self._last_year} THEN CAST({date} - INTERVAL 100 YEAR AS DATE) ELSE {date} END"
        )

    def _check_ids(self) -> None:
        if self.fields.id is None:
            return
        column = self.table.columns[self.fields.id]
        missing = f"({column.sql} IS NULL OR trim({column.text}) = '')"
        if self.table.ask("1", rest=f"WHERE {missing} LIMIT 1"):
            place, _ = self.table.place(missing)
            raise InputError(f"{column.name} must not be missing; {place} has none. Give every document an id.")
        twice = self.table.ask(column.text, rest=f"GROUP BY {column.text} HAVING count(*) > 1 LIMIT 1")
        if twice:
            same = f"{column.text} = {literal(str(twice[0][0]))}"
            first, second = self.table.place(same)[0], self.table.place(same, skip=1)[0]
            raise InputError(
                f"{column.name} must be different in every document; {twice[0][0]!r} is in {first} and in {second}. "
                "Remove one of them, or give each its own id."
            )

    def _seen_format(self) -> str | None:
        """Return the date format that reads the most dates; None for ISO 8601."""
        column = self.table.columns[self.fields.date or ""]
        text, is_iso = f"trim({column.text})", f"({self._written_date()}) IS NOT NULL"
        has_date = f"WHERE {column.text} IS NOT NULL AND {text} <> ''"
        day = f"regexp_replace({text}, {literal(TIME[0])}, {literal(TIME[1])}, 'gi')"
        dates = [str(date) for (date,) in self.table.ask(f"DISTINCT {day}", rest=f"{has_date} AND NOT {is_iso}")]
        ((n_iso,),) = self.table.ask(f"count(DISTINCT {day})", rest=f"{has_date} AND {is_iso}")
        counts = count_date_formats(dates)
        formats = best_formats(counts)
        if not formats or counts[formats[0]] <= int(str(n_iso)):
            return None
        if len(formats) > 1:

            def place(date: str) -> str:
                return self.table.place(f"{day} = {literal(date)}")[0]

            raise several_formats(dates, formats, name=column.name, place=place)
        return formats[0]

    def _check_dates(self) -> None:
        column = self.table.columns[self.fields.date or ""]
        bad = f"({self.date}) IS NULL"
        count, total = (int(str(number)) for number in self.table.ask(f"count(*) FILTER (WHERE {bad}), count(*)")[0])
        if not count or self.bad_dates == "leave-out":
            return
        place, value = self.table.place(bad, column.text)
        content = "empty" if value is None or not str(value).strip() else repr(value)
        written = self.fields.date_format or "YYYY-MM-DD"
        advice = (
            f"{written} reads the other {total - count:,}. Correct these"
            if count < total - count
            else "If they are written in another way, give `date_format`, such as %d/%m/%Y for 31/12/2001 (%y for 01); "
            "or correct them"
        )
        raise InputError(
            f"{column.name} must be a date, written {written}; {place} is {content} ({count:,} in all). Years run from "
            f"{YEARS[0]} to {YEARS[1]}. {advice}, or leave such documents out with `bad_dates='leave-out'`."
        )


CATEGORY, NO_DATE, NO_ACTOR, EMPTY, TOO_LONG, DAY = "category", "no date", "no actor", "empty", "too long", "date"
REASONS = {
    NO_DATE: "the date is missing or invalid",
    DAY: "outside the requested days",
    CATEGORY: "excluded by category",
    EMPTY: "no text",
    NO_ACTOR: "names no actor",
    TOO_LONG: "too long to parse, or too many mentions",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter for documents, by category, date, and actors.

    keep, drop: regular expressions; a document is kept if its category matches `keep` and does not match `drop`.
    require_actor: whether the text must name an actor. since, until: the first and the last day to keep, as YYYY-MM-DD.

    >>> one = InputDocument(0, "a", "1999-01-02", None, "Top/News/World/Europe", "…")
    >>> Filter(keep="^Top/News/World", drop="Sports|Opinion").reason(one) is None
    True

    Raises InputError if `keep` or `drop` is not a regular expression, or a day is not a date.
    """

    keep: str | None = None
    drop: str | None = None
    require_actor: bool = False
    since: str | None = None
    until: str | None = None

    def __post_init__(self) -> None:
        for day in ("since", "until"):
            date_value = as_date(getattr(self, day), name=day)
            object.__setattr__(self, day, None if date_value is None else date_value.isoformat())
        for option in ("keep", "drop"):
            pattern = getattr(self, option)
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise InputError(f"{option} must be a regular expression; {pattern!r} is not: {error}.") from error

    def reason(self, document: InputDocument) -> str | None:
        """The reason to leave out a document before parsing; None to keep it."""
        if document.date is None:
            return NO_DATE
        if not (self.since or "") <= document.date <= (self.until or document.date):
            return DAY
        if document.left_out is not None:
            return document.left_out
        category = document.category or ""
        if self.keep is not None and not re.search(self.keep, category):
            return CATEGORY
        if self.drop is not None and re.search(self.drop, category):
            return CATEGORY
        return None if document.parsed is not None or document.text.strip() else EMPTY

    def reason_of_words(self, words: Sequence[str], lexicon: Lexicon) -> str | None:
        """The reason to leave out a document with these words; None to keep it."""
        if not words:
            return EMPTY
        return NO_ACTOR if self.require_actor and not lexicon.match(words) else None
