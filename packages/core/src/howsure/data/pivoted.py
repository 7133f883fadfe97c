"""A table with a row for each grade as a table with a row for each item and a column for each rater."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from howsure.errors import InputError, parameter
from howsure.inputs.checks import is_missing
from howsure.inputs.numbers_and_names import counted, number_or_text, shortened, unknown_name

Tell = Callable[[str], None]
MISSING = object()
MAX_RATERS = 100


def pivoted(rows: Iterable[Mapping[str, Any]], pivot: str, name: str, tell: Tell) -> Iterator[dict[str, Any]]:
    """A row for each item. `pivot` are the columns of the item, one or more, then those of the rater and the grade.

    Other columns are kept if they have one value in each item. Different grades of one item by one rater become their
    mean, or of two labels the more frequent one. tell: called with notes.

    Raises InputError for a column that does not exist, and where no item has grades of two raters.
    """
    *keys, rater, grade = [column.strip() for column in pivot.split(",")]
    names = [*keys, rater, grade]
    if not keys or not all(names) or len({*names}) < len(names):
        raise InputError(
            f"{parameter('pivot', pivot)} must name the columns of the item, the rater and the grade, such as "
            "`pivot='item,rater,grade'`."
        )
    grades = defaultdict[tuple[Any, ...], defaultdict[str, list[Any]]](lambda: defaultdict(list))
    others = defaultdict[tuple[Any, ...], dict[str, Any]](dict)
    columns, varying, unnamed = dict[str, None](), set[str](), 0
    for row in rows:
        values = {column: _value(row, column) for column in names}
        values[grade] = number_or_text(values[grade])
        columns |= dict.fromkeys(row)
        if unknown := [column for column in names if values[column] is MISSING and "." not in column]:
            raise unknown_name("column", unknown[0], list(columns), place=name)
        item, who, given = tuple(values[key] for key in keys), values[rater], values[grade]
        if _is_empty(who) or any(map(_is_empty, item)):
            unnamed += 1
            continue
        if not _is_empty(given):
            grades[item][str(who)].append(given)
        for column, value in row.items():
            if column not in names and not _is_empty(value) and others[item].setdefault(column, value) != value:
                varying.add(column)
    raters = list(dict.fromkeys(who for by_rater in grades.values() for who in by_rater))
    _check_raters(raters, grades.values(), [*keys, *(columns.keys() - {rater, grade} - varying)], pivot)
    if unnamed:
        tell(f"{name}: {counted(unnamed, 'row')} without an item or a rater left out.")
    labels = {given for by_rater in grades.values() for several in by_rater.values() for given in several}
    settle = _mean if len(labels) > 2 and all(isinstance(label, (int, float)) for label in labels) else _majority
    repeated = tied = 0
    for item, by_rater in grades.items():
        settled = {}
        for who, several in by_rater.items():
            settled[who] = several[0] if len({*several}) == 1 else settle(several)
            repeated += len({*several}) > 1
            tied += settled[who] is None
        kept = {column: others[item].get(column) for column in columns if column not in (*names, *varying)}
        yield dict(zip(keys, item, strict=True)) | kept | {who: settled.get(who) for who in raters}
    if repeated:
        how = "their mean is used" if settle is _mean else f"the more frequent grade is used, none of {tied:,} ties"
        tell(f"{name}: {counted(repeated, 'item')} with different grades by one rater; {how}.")
    tell(f"{name}: {counted(len(grades), 'item')} graded by {shortened(raters)}, a column each.")


def _value(row: Mapping[str, Any], column: str) -> Any:
    """The cell of a column, also one such as `source.type` in an object."""
    value: Any = row.get(column, MISSING)
    if value is MISSING and "." in column:
        value = row
        for part in column.split("."):
            value = value.get(part, MISSING) if isinstance(value, Mapping) else MISSING
    if isinstance(value, bool):
        return int(value)
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def _is_empty(value: Any) -> bool:
    return value is None or value is MISSING or (isinstance(value, str) and is_missing(value))


def _check_raters(raters: Sequence[str], grades: Iterable[Mapping[str, Any]], taken: Sequence[str], pivot: str) -> None:
    """Raise InputError where the raters cannot be columns, or share no item."""
    if len(raters) > MAX_RATERS:
        raise InputError(f"{parameter('pivot', pivot)} finds {len(raters):,} raters. Is the second column the rater's?")
    if clash := {*raters} & {*taken}:
        raise InputError(f"{parameter('pivot', pivot)} makes a column of {min(clash)!r}, which exists. Rename it.")
    if not any(len(by_rater) > 1 for by_rater in grades):
        by_whom = shortened(raters) if raters else "nobody"
        raise InputError(
            f"{parameter('pivot', pivot)} finds no item with grades of two raters (graded by {by_whom}), so nothing "
            "can be compared. Do the first columns name the item?"
        )


def _mean(several: Sequence[float]) -> float:
    return sum(several) / len(several)


def _majority(several: Sequence[Any]) -> Any:
    (first, most), *rest = Counter(several).most_common(2)
    return None if rest and rest[0][1] == most else first
