"""Labels as CSV: a row per document, actor and coder."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from howsure.errors import InputError
from howsure.events.labels.exchange.read_answer import ReadAnswer
from howsure.files.text import Text
from howsure.inputs.naming import unknown_name
from howsure.inputs.numerals import spelled_number
from howsure.show.harmless import out_of_a_spreadsheet

DOCUMENT, ACTOR, LABEL, CODER = "document", "actor", "label", "coder"
STRATUM, INCLUSION, SETTLES = "stratum", "inclusion", "settles"
COLUMNS = (DOCUMENT, "date", ACTOR, LABEL, CODER, STRATUM, INCLUSION, SETTLES)
UNCLEAR = "unclear"
Row = Mapping[str, str]


def read_rows(text: Text) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV with commas, semicolons or tabs, by the names of their columns, each with its place.

    Raises InputError if it is no CSV, or a row has another number of cells than the header.
    """
    first = text.content.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.content), delimiter=separator, strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    names: list[str] = []
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                continue
            place = f"{text.name}, line {reader.line_num}"
            if len(cells) != len(names):
                raise InputError(f"{place} must have {len(names)} cells, as the header; it has {len(cells)}.")
            row = dict(zip(names, map(str.strip, cells), strict=True))
            if separator != "," and INCLUSION in row:  # of at most 1, so that no comma in it separates thousands
                row[INCLUSION] = row[INCLUSION].replace(",", ".")
            rows.append((place, row))
    except csv.Error as error:
        raise InputError(f"{text.name}, line {reader.line_num}: it is not CSV: {error}.") from error
    if not rows:
        raise InputError(f"{text.name} holds no row below its header.")
    return rows


def read_label_csv(text: Text) -> list[ReadAnswer]:
    """The answers in a CSV with the columns document, actor and label (1, 0 or unclear), perhaps coder and others.

    Raises InputError naming the line and what is wrong with it.
    """
    rows = read_rows(text)
    for name in (DOCUMENT, ACTOR, LABEL):
        if name not in rows[0][1]:
            raise unknown_name("column", name, list(rows[0][1]), place=text.name)
    found: dict[tuple[str, str | None, bool], ReadAnswer] = {}
    for place, row in rows:
        _add(found, place, row)
    return list(found.values())


def _add(found: dict[tuple[str, str | None, bool], ReadAnswer], place: str, row: Row) -> None:
    document, actor, coder = row[DOCUMENT], *(out_of_a_spreadsheet(row.get(name, "")) for name in (ACTOR, CODER))
    if not document or not actor:
        raise InputError(f"{place} must name a document and an actor; it has {document!r} and {actor!r}.")
    key = document, coder or None, _settles(place, row)
    label = _label(place, row[LABEL])
    answer = found.get(key)
    if answer is None:
        answer = ReadAnswer(place, document, key[1], settles=key[2], unclear=label is None)
        answer.stratum, answer.inclusion = row.get(STRATUM) or None, _inclusion(place, row)
        found[key] = answer
    if actor in answer.says:
        raise InputError(f"{place} labels {actor} in {document} again; {answer.place} and later did so.")
    if answer.unclear != (label is None):
        raise InputError(f"{place}: a document is unclear for all actors or for none; {document} is both.")
    if answer.inclusion != _inclusion(place, row):
        raise InputError(f"{place}: {INCLUSION} must be the same in all rows of {document}.")
    answer.says[actor] = bool(label)


def _label(place: str, text: str) -> bool | None:
    """Whether the actor acts; None if the text is unclear."""
    value = spelled_number(text)
    if value in (0.0, 1.0):
        return value == 1.0
    if text.lower() == UNCLEAR:
        return None
    raise InputError(f"{place}: {LABEL} must be 1, 0 or {UNCLEAR}; it is {text!r}.")


def _inclusion(place: str, row: Row) -> float | None:
    text = row.get(INCLUSION) or ""
    if not text:
        return None
    value = spelled_number(text)
    if value is None or not 0.0 < value <= 1.0:
        raise InputError(f"{place}: {INCLUSION} must be a number above 0 and at most 1; it is {text!r}.")
    return value


def _settles(place: str, row: Row) -> bool:
    text = row.get(SETTLES) or "0"
    if text not in ("0", "1"):
        raise InputError(f"{place}: {SETTLES} must be 1 or 0; it is {text!r}.")
    return text == "1"
