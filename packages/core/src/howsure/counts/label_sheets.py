"""Filled label sheets (the CSV of a `LabelSample`), matched with the units they were drawn from."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.counts.further_labels import Drawn
from howsure.counts.label_sample import CHANCE, CHECK, LABEL, ROW, STRATUM
from howsure.errors import InputError, parameter, row_reference
from howsure.inputs.frames import Kind, Rows, Source
from howsure.inputs.numbers_and_names import nearest, parse_number, shortened
from howsure.inputs.pairs import Floats
from howsure.show.table import out_of_a_spreadsheet

LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")  # no spreadsheet takes them for a number


def row_check(score: float, n: int) -> str:
    """A check code of eight letters for a row: it changes with the score or the number of rows n."""
    return hashlib.blake2b(f"{n} {score!r}".encode(), digest_size=4).hexdigest().translate(LETTERS)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Stratum, inclusion probability and labels (verbatim) of the drawn units of a sheet, by row (from 0)."""

    strata: dict[int, Any]
    chances: dict[int, float]
    labels: dict[int, Any]
    others: tuple[dict[int, Any], ...] = ()


def sheet_labels(
    sheet: Source,
    score: Floats,
    *,
    place: Callable[[int], str] = row_reference,
    pos_label: str | None = None,
    others: Sequence[str] = (),
) -> tuple[list[dict[int, Any]], Drawn]:
    """Return the labels of a sheet by row (from 0), those of the further label columns `others`, and the drawn units.

    See `read_sheet`.
    """
    filled = read_sheet(sheet, score, place=place, words=pos_label is not None, others=others)
    has_strata = any(name is not None for name in filled.strata.values())
    columns = [filled.labels, *filled.others]
    labels_by_place = {
        (k, unit): label for k, column in enumerate(columns) for unit, label in column.items() if label is not None
    }
    numeric_labels = labels_by_place if pos_label is None else _positive_labels(labels_by_place, pos_label, sheet.name)
    labels = [{unit: label for (of, unit), label in numeric_labels.items() if of == k} for k in range(len(columns))]
    return labels, Drawn(filled.chances, filled.strata if has_strata else None)


def read_sheet(
    sheet: Source,
    score: Floats,
    *,
    place: Callable[[int], str] = row_reference,
    words: bool,
    whole: bool = False,
    others: Sequence[str] = (),
) -> Sheet:
    """Read a sheet with labels. Labels are 0 and 1 or, with `words`, any strings. A missing label is None; with
    `whole`, it is an error.

    score (N,): the scores of the units. place: a function that names the row of a unit in messages.
    """
    if not isinstance(sheet, Source):
        raise InputError(
            "`labelled` must be read by howsure.read, such as howsure.read('labelled.csv'); it is a "
            f"{type(sheet).__name__}."
        )
    file = sheet.name
    try:
        kinds = dict.fromkeys((ROW, STRATUM, CHANCE, CHECK, LABEL, *others), Kind.OPTIONAL)
        numeric = (ROW, CHANCE) if words else (ROW, CHANCE, LABEL, *others)
        rows = sheet.rows(kinds | dict.fromkeys(numeric, Kind.GRADE))
    except InputError as error:
        if error.fault is None or error.fault.rule != "unknown_name" or error.fault.value in others:
            raise
        raise InputError(replace(error.fault, remedy="filled_sheet")) from error
    lines = [i for i in range(len(rows.columns[ROW])) if any(labels[i] is not None for labels in rows.columns.values())]
    if not lines:
        raise InputError(f"{file} has no rows; write it with howsure counts sample, and fill in its column {LABEL}.")
    filled = Sheet({}, {}, {}, tuple({} for _ in others))
    odd: list[int] = []
    for i in lines:
        unit = _unit(rows, i, len(score))
        if unit in filled.chances:
            raise InputError(f"{ROW} must be different in each row; {rows.place(i)} has {unit + 1} again.")
        filled.strata[unit], filled.chances[unit] = _text(rows.columns[STRATUM][i]), _chance(rows, i)
        for labels, name in ((filled.labels, LABEL), *zip(filled.others, others, strict=True)):
            labels[unit] = _text(rows.columns[name][i]) if words else _label(rows, i, name)
        if rows.columns[CHECK][i] != row_check(float(score[unit]), len(score)):
            odd.append(unit)
    if odd:
        raise InputError(
            f"{file} does not match the scored file: {place(odd[0])} has the score {score[odd[0]]:g}, but another "
            f"{CHECK} ({len(odd):,} such rows). If the scored file was sorted or changed since the sample was drawn, "
            "use the original file, with the same `y_prob` and `where`."
        )
    if whole:
        _check_all_labelled(rows, lines)
    return filled


def _text(value: Any) -> Any:
    """A value of a sheet without its protection against spreadsheet formulas."""
    return out_of_a_spreadsheet(value) if isinstance(value, str) else value


def two_values(labels: dict[int, Any], file: str) -> dict[int, int]:
    """Labels as 0 and 1 in either order, which leaves their variance unchanged."""
    texts = {unit: str(label).strip() for unit, label in labels.items()}
    values = list(dict.fromkeys(texts.values()))
    if len(values) > 2:
        raise InputError(f"{LABEL} must have two values; {file} contains {shortened(map(repr, values))}.")
    return {unit: int(text == values[0]) for unit, text in texts.items()}


def _positive_labels(labels: dict[tuple[int, int], Any], positive: str, file: str) -> dict[tuple[int, int], float]:
    """Return 1 for the positive label, and 0 for the other label."""
    values = list(dict.fromkeys(str(label).strip() for label in labels.values()))
    others = [value for value in values if value != positive]
    if len(others) == len(values) or len(others) > 1:
        near = None if positive in values else nearest(positive, values)
        advice = f" Did you mean {parameter('pos_label', near)}?" if near else ""
        if positive in values:
            counts = Counter(str(label).strip() for label in labels.values() if str(label).strip() != positive)
            rest = [value for value, _ in counts.most_common()][1:]
            what = "is not a label, leave it" if len(rest) == 1 else "are not labels, leave them"
            advice = f" If {' and '.join(map(repr, rest))} {what} out: {parameter('missing_values', rest)}."
        raise InputError(
            f"{LABEL} must be {positive!r} or one other value; {file} contains {shortened(map(repr, values))}.{advice}"
        )
    return {at: float(str(label).strip() == positive) for at, label in labels.items()}


def _number(value: object) -> float | None:
    return parse_number(value) if isinstance(value, str) else None if value is None else float(str(value))


def _unit(rows: Rows, i: int, units: int) -> int:
    value = rows.columns[ROW][i]
    row = _number(value)
    if row is None or row % 1 != 0 or not 1 <= row <= units:
        shown = "none" if value is None else value
        raise InputError(
            f"{ROW} must be the number of a row of the scored file, 1 to {units:,}; {rows.place(i)} has {shown}. "
            "Does the sheet belong to another file?"
        )
    return int(row) - 1


def _chance(rows: Rows, i: int) -> float:
    value = rows.columns[CHANCE][i]
    chance = _number(value)
    if chance is None or not 0.0 < chance <= 1.0:
        shown = "empty" if value is None else repr(value)
        advice = "Write a decimal point." if "," in shown else "Restore this column from the sample."
        raise InputError(f"{CHANCE} must be a number above 0 and at most 1; {rows.place(i)} is {shown}. {advice}")
    return chance


def _label(rows: Rows, i: int, name: str) -> float | None:
    value = rows.columns[name][i]
    label = float(value) if isinstance(value, bool) else _number(value)
    if value is not None and label not in (0.0, 1.0):
        raise InputError(
            f"{name} must be 1 or 0; {rows.place(i)} is {value!r}. Write 1 for a unit with the property and 0 for one "
            "without it, or say which value means 1: `pos_label`."
        )
    return label


def _check_all_labelled(rows: Rows, lines: list[int]) -> None:
    unlabelled = [i for i in lines if rows.columns[LABEL][i] is None]
    if unlabelled:
        raise InputError(
            f"{LABEL} must be 1 or 0 in each drawn row; {rows.place(unlabelled[0])} has none ({len(unlabelled):,} in "
            "all). Label them before drawing more: the next sample depends on them."
        )
