"""The filled sheet of units to label, the CSV of a `LabelSample`, put beside the units again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.counts.further_labels import Drawn
from howsure.counts.label_sample import CHANCE, CHECK, LABEL, ROW, STRATUM
from howsure.errors import InputError, at_row, parameter
from howsure.inputs.frames import Kind, Rows, Source
from howsure.inputs.numbers_and_names import nearest, shortened, spelled_number
from howsure.inputs.pairs import Floats
from howsure.show.table import out_of_a_spreadsheet

LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")  # no spreadsheet takes them for a number


def check_of(score: float, n: int) -> str:
    """Eight letters that tell whether a row still is that of a unit with this score among n, and not the score."""
    return hashlib.blake2b(f"{n} {score!r}".encode(), digest_size=4).hexdigest().translate(LETTERS)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a filled sheet says of the drawn units, by their row (from 0): stratum, chance, and labels as written."""

    strata: dict[int, Any]
    chances: dict[int, float]
    labels: dict[int, Any]
    others: tuple[dict[int, Any], ...] = ()


def labels_of_sheet(
    sheet: Source,
    score: Floats,
    *,
    place: Callable[[int], str] = at_row,
    pos_label: str | None = None,
    others: Sequence[str] = (),
) -> tuple[list[dict[int, Any]], Drawn]:
    """The labels of a sheet by their rows (from 0) among the units, those of `others`, columns of further readings,
    and what was drawn; see `read_sheet`.

    Raises InputError naming the row of the sheet, the value and what to do.
    """
    held = read_sheet(sheet, score, place=place, words=pos_label is not None, others=others)
    has_strata = any(name is not None for name in held.strata.values())
    columns = [held.labels, *held.others]
    read = {(k, unit): one for k, column in enumerate(columns) for unit, one in column.items() if one is not None}
    known = read if pos_label is None else _of_positive(read, pos_label, sheet.name)
    labels = [{unit: one for (of, unit), one in known.items() if of == k} for k in range(len(columns))]
    return labels, Drawn(held.chances, held.strata if has_strata else None)


def read_sheet(
    sheet: Source,
    score: Floats,
    *,
    place: Callable[[int], str] = at_row,
    words: bool,
    whole: bool = False,
    others: Sequence[str] = (),
) -> Sheet:
    """A filled sheet, whose labels are 0 and 1, or any `words`; None where there is none, unless all must be there.

    score (N,): of the units, the i-th of which is at its `place`.

    Raises InputError as `labels_of_sheet` does.
    """
    if not isinstance(sheet, Source):
        raise InputError(
            f"{parameter('labelled')} must be a sheet by howsure.read, such as howsure.read('labelled.csv'); it is a "
            f"{type(sheet).__name__}."
        )
    file = sheet.name
    found = sheet.rows(dict.fromkeys((ROW, STRATUM, CHANCE, CHECK, LABEL, *others), Kind.OPTIONAL))
    lines = [i for i in range(len(found.columns[ROW])) if any(held[i] is not None for held in found.columns.values())]
    if not lines:
        raise InputError(f"{file} has no row with a unit; write it by howsure counts sample, and fill its {LABEL}.")
    filled = Sheet({}, {}, {}, tuple({} for _ in others))
    odd: list[int] = []
    for i in lines:
        unit = _unit(found, i, len(score))
        if unit in filled.chances:
            raise InputError(f"{ROW} must be different in each row; {found.place(i)} has {unit + 1} again.")
        filled.strata[unit], filled.chances[unit] = _text(found.columns[STRATUM][i]), _chance(found, i)
        for held, name in ((filled.labels, LABEL), *zip(filled.others, others, strict=True)):
            held[unit] = _text(found.columns[name][i]) if words else _label(found, i, name)
        if found.columns[CHECK][i] != check_of(float(score[unit]), len(score)):
            odd.append(unit)
    if odd:
        raise InputError(
            f"{CHECK} must be that of the unit's score: {place(odd[0])} has the score {score[odd[0]]:g}, "
            f"and {file} was drawn when that row had another, or the file another number of rows ({len(odd):,} such). "
            "Has the scored file been sorted or changed since the sample was drawn? Use the original file, with the "
            f"same {parameter('y_prob')}."
        )
    if whole:
        _check_all_labelled(found, lines)
    return filled


def _text(value: Any) -> Any:
    """A value of a sheet, as it was before it was written for a spreadsheet."""
    return out_of_a_spreadsheet(value) if isinstance(value, str) else value


def two_values(labels: dict[int, Any], file: str) -> dict[int, int]:
    """Labels as 0 and 1, whichever is which: how much they vary is the same.

    Raises InputError for more than two values.
    """
    texts = {unit: str(one).strip() for unit, one in labels.items()}
    values = list(dict.fromkeys(texts.values()))
    if len(values) > 2:
        raise InputError(f"{LABEL} must have two values; {file} holds {shortened(map(repr, values))}.")
    return {unit: int(text == values[0]) for unit, text in texts.items()}


def _of_positive(labels: dict[tuple[int, int], Any], positive: str, file: str) -> dict[tuple[int, int], float]:
    """1 where a label is the positive value, 0 where it is the other one."""
    values = list(dict.fromkeys(str(one).strip() for one in labels.values()))
    others = [one for one in values if one != positive]
    if len(others) == len(values) or len(others) > 1:
        near = None if positive in values else nearest(positive, values)
        advice = f" Did you mean {parameter('pos_label', near)}?" if near else ""
        raise InputError(
            f"{LABEL} must be {positive!r} or one other value; {file} holds {shortened(map(repr, values))}.{advice}"
        )
    return {at: float(str(one).strip() == positive) for at, one in labels.items()}


def _number(value: object) -> float | None:
    return spelled_number(value) if isinstance(value, str) else None if value is None else float(str(value))


def _unit(found: Rows, i: int, units: int) -> int:
    held = found.columns[ROW][i]
    row = _number(held)
    if row is None or row % 1 != 0 or not 1 <= row <= units:
        said = "none" if held is None else held
        raise InputError(
            f"{ROW} must be the number of a row of the scored file, 1 to {units:,}; {found.place(i)} has {said}. "
            "Is it the file of another sample?"
        )
    return int(row) - 1


def _chance(found: Rows, i: int) -> float:
    held = found.columns[CHANCE][i]
    chance = _number(held)
    if chance is None or not 0.0 < chance <= 1.0:
        said = "nothing" if held is None else repr(held)
        advice = "Write a decimal point." if "," in said else "Leave this column as the sample gave it."
        raise InputError(f"{CHANCE} must be a number above 0 and at most 1; {found.place(i)} holds {said}. {advice}")
    return chance


def _label(found: Rows, i: int, name: str) -> float | None:
    held = found.columns[name][i]
    label = float(held) if isinstance(held, bool) else _number(held)
    if held is not None and label not in (0.0, 1.0):
        raise InputError(
            f"{name} must be 1 or 0; {found.place(i)} holds {held!r}. Write 1 for a unit that has the property and 0 "
            f"for one that has not, or say which value means 1: {parameter('pos_label')}."
        )
    return label


def _check_all_labelled(found: Rows, lines: list[int]) -> None:
    lack = [i for i in lines if found.columns[LABEL][i] is None]
    if lack:
        raise InputError(
            f"{LABEL} must be 1 or 0 in each drawn row; {found.place(lack[0])} has none ({len(lack):,} in all). "
            "Label them before drawing more: what is drawn next depends on them."
        )
