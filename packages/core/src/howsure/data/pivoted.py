"""A table with a row for each grade as a table with a row for each item and a column for each rater."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from howsure.data.tables.database import literal
from howsure.errors import InputError, parameter
from howsure.inputs.checks import is_missing
from howsure.inputs.numbers_and_names import counted, number_or_text, shortened, unknown_name

Tell = Callable[[str], None]
MISSING = object()
MAX_RATERS = 100


def pivoted(
    rows: Iterable[Mapping[str, Any]], pivot: str, name: str, tell: Tell, *, are_labels: bool = False
) -> Iterator[dict[str, Any]]:
    """A row for each item. `pivot` are the columns of the item, one or more, then those of the rater and the grade.

    Other columns are kept if they have one value in each item. Different grades of one item by one rater become their
    mean, or of two labels the more frequent one, and so with `are_labels`. tell: called with notes.

    Raises InputError for a column that does not exist, where no item has grades of two raters, and where grades of one
    item by one rater differ in a column that tells them apart, such as the criterion or the model.
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
    columns, varying, unnamed, items = dict[str, None](), set[str](), 0, set[tuple[Any, ...]]()
    repeats = Repeats(pivot)
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
        items.add(item)
        if not _is_empty(given):
            grades[item][str(who)].append(given)
            repeats.add((item, str(who)), {column: _value(row, column) for column in row if column not in names})
        for column, value in row.items():
            if column not in names and not _is_empty(value) and others[item].setdefault(column, value) != value:
                varying.add(column)
    raters = list(dict.fromkeys(who for by_rater in grades.values() for who in by_rater))
    repeats.check([column for column in CRITERIA if column in varying])
    _check_raters(raters, grades.values(), [*keys, *(columns.keys() - {rater, grade} - varying)], pivot)
    if unnamed:
        tell(f"{name}: {counted(unnamed, 'row')} without an item or a rater left out.")
    for who, annotators in repeats.annotators().items():
        tell(f"{name}: {who} is {len(annotators):,} annotators ({shortened(map(str, annotators))}) of different items.")
    if ungraded := len(items) - len(grades):
        tell(f"{name}: {counted(ungraded, 'item')} without any grade left out.")
    labels = {given for by_rater in grades.values() for several in by_rater.values() for given in several}
    numeric = not are_labels and len(labels) > 2
    settle = _mean if numeric and all(isinstance(label, (int, float)) for label in labels) else _majority
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
        how = "their mean is used" if settle is _mean else "the more frequent one is used"
        ties = f"; {counted(tied, 'tie')} {'counts' if tied == 1 else 'count'} as missing" if tied else ""
        cases = "1 case" if repeated == 1 else f"{repeated:,} cases"
        tell(f"{name}: {cases} of different grades of an item by one rater; {how}{ties}.")
    tell(f"{name}: {counted(len(grades), 'item')} graded by {shortened(raters)}, a column each.")


CRITERIA = ("criterion",)
KEYS = (*CRITERIA, "annotator", "model")  # columns that always tell grades apart
ASIDE = ("comment",)


class Repeats:
    """The columns in which the grades of one item by one rater differ."""

    def __init__(self, pivot: str) -> None:
        self.pivot = pivot
        self.first_rows: dict[tuple[Any, str], Mapping[str, Any]] = {}
        self.differing: dict[str, tuple[Any, str]] = {}  # columns, and the item and rater with the first difference
        self.raters_by_value: defaultdict[str, defaultdict[Any, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.counts: Counter[str] = Counter()

    def add(self, cell: tuple[Any, str], others: Mapping[str, Any]) -> None:
        """Add a row with a grade: its item and rater, and its other columns."""
        first = self.first_rows.setdefault(cell, others)
        for column, value in others.items():
            if not _is_empty(value):
                self.counts[column] += 1
                self.raters_by_value[column][value].add(cell[1])
        for column in {*first, *others} if first is not others else ():
            if first.get(column) != others.get(column) and column not in ASIDE:
                self.differing.setdefault(column, cell)

    def check(self, criteria: Sequence[str]) -> None:
        """Raise InputError if a column tells repeated grades apart: one whose values recur, unlike those of a time.

        criteria: columns of criteria with several values in an item, also if each rater has one of them.
        """
        recurring = [c for c in self.differing if c in KEYS or 2 * len(self.raters_by_value[c]) <= self.counts[c]]
        names = list(dict.fromkeys([*criteria, *recurring]))
        if not names:
            return
        *keys, rater, grade = [column.strip() for column in self.pivot.split(",")]
        of_raters = [column for column in names if column not in criteria and self._names_raters(column)][:1]
        more = [column for column in names if column not in of_raters]
        better = ",".join([*keys, *more, *(of_raters or [rater]), grade])
        values = {column: shortened(map(str, self.raters_by_value[column]), limit=3) for column in names}
        which = " and ".join(f"{column} ({shown})" for column, shown in values.items())
        advice = f"Use {parameter('pivot', better)}"
        if of_raters:
            advice += f", in which {of_raters[0]} names the raters"
        if more:
            value = next(iter(self.raters_by_value[more[0]]), "")
            one = f"{more[0]} = {literal(value) if isinstance(value, str) else value}"
            advice += f"; add {parameter('where', one)} to keep one {more[0]}"
        item, who = self.differing.get(names[0], ((), ""))
        place = f", for example of item {shortened(map(str, item))} by {who}" if item else ""
        raise InputError(
            f"{parameter('pivot', self.pivot)} would mix grades of one item that differ in {which}{place}. {advice}."
        )

    def annotators(self) -> dict[str, list[Any]]:
        """The annotators of a judge that are several, each of other items."""
        by_rater = defaultdict[str, list[Any]](list)
        for value, raters in self.raters_by_value["annotator"].items() if "annotator" in self.raters_by_value else ():
            for who in raters & {"judge"}:
                by_rater[who].append(value)
        return {who: annotators for who, annotators in by_rater.items() if len(annotators) > 1}

    def _names_raters(self, column: str) -> bool:
        """Whether each value belongs to one rater, so that the column says more exactly who graded."""
        by_value = self.raters_by_value[column]
        complete = self.counts[column] == max(self.counts.values())
        return complete and all(len(raters) == 1 for raters in by_value.values()) and column not in CRITERIA


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
