"""Convert a table with a row for each grade to a table with a row for each item and a column for each rater."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from operator import or_
from typing import Any, Self

import numpy as np

from howsure.data.tables.database import literal
from howsure.errors import InputError, parameter
from howsure.inputs.checks import factorised, is_missing
from howsure.inputs.numbers_and_names import counted, number_or_text, shortened, unknown_name
from howsure.inputs.pairs import Bools, Integers

Tell = Callable[[str], None]
Values = Sequence[Any]
MAX_RATERS = 100


def columns_of_rows(rows: Iterable[Mapping[str, Any]]) -> dict[str, Values]:
    """Return the values of rows by column, in the order in which columns first occur; a missing value is None.

    >>> columns_of_rows([{"item": 1}, {"item": 2, "grade": "good"}])
    {'item': [1, 2], 'grade': [None, 'good']}
    """
    rows = list(rows)
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(chain.from_iterable(rows))}


def pivoted(
    columns: Mapping[str, Values], pivot: str, name: str, tell: Tell, *, are_labels: bool = False
) -> dict[str, Values]:
    """Return a table with a row for each item. pivot: one or more columns of the item, then the columns of the rater
    and the grade.

    Other columns are kept if they have one value in each item. Different grades of an item by the same rater are
    replaced by their mean; labels (two values, or any values with `are_labels`) by the most frequent label. tell: a
    function that is called with notes.
    """
    *keys, rater, grade = [column.strip() for column in pivot.split(",")]
    names = [*keys, rater, grade]
    if not keys or not all(names) or len({*names}) < len(names):
        raise InputError(
            f"{parameter('pivot', pivot)} must name the columns of the item, the rater and the grade, such as "
            "`pivot='item,rater,grade'`."
        )
    grades = LongGrades.read(columns, names, name)
    others = {column: CodedCells.of(values) for column, values in columns.items() if column not in names}
    first_rows = {column: grades.first_rows(cells) for column, cells in others.items()}
    varying = {column for column, cells in others.items() if grades.varies(cells, first_rows[column])}
    mixture = Mixture(pivot, grades, others)
    mixture.check([column for column in CRITERIA if column in varying])
    _check_raters(grades, [*keys, *(others.keys() - varying)], pivot)
    if unnamed := int((~grades.is_named).sum()):
        tell(f"{name}: {counted(unnamed, 'row')} without an item or a rater left out.")
    for who, annotators in mixture.annotators().items():
        tell(f"{name}: {who} is {len(annotators):,} annotators ({shortened(map(str, annotators))}) of different items.")
    if ungraded := grades.n_items - len(grades.first_graded):
        tell(f"{name}: {counted(ungraded, 'item')} without any grade left out.")
    items = grades.item[grades.first_graded]
    kept = {
        column: [None if row < 0 else columns[column][row] for row in first_rows[column][items].tolist()]
        for column in others
        if column not in varying
    }
    by_rater = grades.by_rater(name, tell, are_labels=are_labels)
    tell(f"{name}: {counted(len(items), 'item')} graded by {shortened(grades.raters)}, a column each.")
    return grades.keys | kept | by_rater


@dataclass(frozen=True, slots=True)
class CodedCells:
    """The cells of a column; equal values have equal codes, from 0 in the order of the rows.

    distinct: the values by code.
    """

    codes: Integers
    is_empty: Bools
    distinct: Values

    @classmethod
    def of(cls, values: Values) -> Self:
        """Code a column; truth values become numbers, and lists and objects become strings."""
        if not PLAIN.issuperset(map(type, values)):
            values = [
                int(value) if isinstance(value, bool) else json.dumps(value) if isinstance(value, NESTED) else value
                for value in values
            ]
        distinct = dict.fromkeys(values)
        code_of = dict(zip(distinct, range(len(distinct)), strict=True))
        codes = np.fromiter(map(code_of.__getitem__, values), np.int64, len(values))
        is_empty = np.fromiter(map(is_missing, distinct), np.bool_, len(distinct))
        return cls(codes, is_empty[codes], [*distinct])

    def converted(self, convert: Callable[[Any], Any]) -> Self:
        """Return the cells with each distinct value converted; values may become equal."""
        cells = self.of([*map(convert, self.distinct)])
        return replace(cells, codes=cells.codes[self.codes], is_empty=cells.is_empty[self.codes])

    def at(self, rows: Integers) -> list[Any]:
        return [*map(self.distinct.__getitem__, self.codes[rows].tolist())]


PLAIN, NESTED = {str, int, float, tuple, type(None)}, (list, dict)


@dataclass(frozen=True)
class LongGrades:
    """Rows with a grade each. is_named: whether a row has item and rater. graded: indices of rows with all three."""

    key_cells: Mapping[str, CodedCells]
    item: Integers  # code of each row's item
    who: CodedCells
    grade: CodedCells
    is_named: Bools
    graded: Integers

    @classmethod
    def read(cls, columns: Mapping[str, Values], names: Sequence[str], file: str) -> Self:
        """Read the columns of the item, the rater and the grade. file: the name of the file in errors."""
        n = len(next(iter(columns.values()), ()))
        for column in names:
            if n and column not in columns and "." not in column:
                raise unknown_name("column", column, list(columns), place=file)
        *keys, rater, grade = [_cells(columns, column, n) for column in names]
        key_cells, raters, grades = [*map(CodedCells.of, keys)], CodedCells.of(rater), CodedCells.of(grade)
        grades = grades.converted(number_or_text)
        first, *more = key_cells
        item = CodedCells.of(list(zip(*(key.codes.tolist() for key in key_cells), strict=True))) if more else first
        is_named = ~reduce(or_, (cells.is_empty for cells in (*key_cells, raters)))
        return cls(
            dict(zip(names, key_cells, strict=False)),
            item.codes,
            raters.converted(str),
            grades,
            is_named,
            np.flatnonzero(is_named & ~grades.is_empty),
        )

    @cached_property
    def n_items(self) -> int:
        """The number of items, graded or not."""
        return int(np.count_nonzero(np.bincount(self.item[self.is_named])))

    @cached_property
    def first_graded(self) -> Integers:
        """The first row of each graded item, ascending."""
        first = self.first_rows(self.grade)
        return np.sort(first[first >= 0])

    @cached_property
    def keys(self) -> dict[str, Values]:
        """The columns of the graded items."""
        return {name: cells.at(self.first_graded) for name, cells in self.key_cells.items()}

    @cached_property
    def place(self) -> Integers:
        """The index of each graded row's item among the graded items."""
        places = np.zeros(self.item.max(initial=-1) + 1, np.int64)
        places[self.item[self.first_graded]] = np.arange(len(self.first_graded))
        return places[self.item[self.graded]]

    @cached_property
    def raters(self) -> list[str]:
        """The names of the raters, in the order of the items."""
        in_order = self.who.codes[self.graded][np.argsort(self.place, kind="stable")]
        return [self.who.distinct[code] for code in dict.fromkeys(in_order.tolist())]

    @cached_property
    def rater(self) -> Integers:
        """The index of each graded row's rater among the raters."""
        place_of = {who: place for place, who in enumerate(self.raters)}
        places = np.array([place_of.get(who, -1) for who in self.who.distinct], np.int64)
        return np.asarray(places[self.who.codes[self.graded]])

    @cached_property
    def first_of_cell(self) -> Integers:
        """For each graded row, the first row with the same item and rater."""
        if not len(self.graded):
            return self.graded
        cells, distinct = factorised(self.place * len(self.raters) + self.rater)
        first = np.empty(len(distinct), np.int64)
        first[cells[::-1]] = self.graded[::-1]  # assigned in reverse order, so that the first row remains
        return first[cells]

    def first_rows(self, cells: CodedCells) -> Integers:
        """Return the first named row of each item with a value in a column; -1 for items without a value."""
        first = np.full(self.item.max(initial=-1) + 1, -1)
        rows = np.flatnonzero(self.is_named & ~cells.is_empty)[::-1]
        first[self.item[rows]] = rows  # assigned in reverse order, so that the first row remains
        return first

    def varies(self, cells: CodedCells, first_rows: Integers) -> bool:
        """Whether a column has different values in some item."""
        rows = np.flatnonzero(self.is_named & ~cells.is_empty)
        return bool((cells.codes[rows] != cells.codes[first_rows[self.item[rows]]]).any())

    def by_rater(self, name: str, tell: Tell, *, are_labels: bool) -> dict[str, Values]:
        """Return the grades of each rater by item; an item without a grade has None.

        are_labels: whether grades are labels, which cannot be averaged. tell: a function that is called with a note
        about different grades of an item by the same rater.
        """
        values, codes = np.empty(len(self.grade.distinct), dtype=object), self.grade.codes
        values[:] = self.grade.distinct
        settled = values[codes[self.first_of_cell]]
        differs = codes[self.graded] != codes[self.first_of_cell]
        several = defaultdict[int, list[int]](list)  # indices of the rows of each cell with different grades
        for position in np.flatnonzero(np.isin(self.first_of_cell, self.first_of_cell[differs])).tolist():
            several[int(self.first_of_cell[position])].append(position)
        labels = {*self.grade.at(self.graded)} if several else set()
        numeric = not are_labels and len(labels) > 2
        settle = _mean if numeric and all(isinstance(label, (int, float)) for label in labels) else _majority
        tied = 0
        for positions in several.values():
            grade = settle(self.grade.at(self.graded[positions]))
            settled[positions] = grade
            tied += grade is None
        if several:
            how = "their mean is used" if settle is _mean else "the more frequent one is used"
            ties = f"; {counted(tied, 'tie')} {'counts' if tied == 1 else 'count'} as missing" if tied else ""
            cases = counted(len(several), "case")
            tell(f"{name}: {cases} of different grades of an item by one rater; {how}{ties}.")
        columns = dict[str, Values]()
        for place, who in enumerate(self.raters):
            column, rows = np.full(len(self.first_graded), None, dtype=object), self.rater == place
            column[self.place[rows]] = settled[rows]
            columns[who] = column.tolist()
        return columns


CRITERIA = ("criterion",)
KEYS = (*CRITERIA, "annotator", "model")  # columns that always separate grades
ASIDE = ("comment",)


@dataclass(frozen=True)
class Mixture:
    """The columns in which several grades of an item by the same rater differ."""

    pivot: str
    grades: LongGrades
    others: Mapping[str, CodedCells]

    @cached_property
    def differing(self) -> dict[str, int]:
        """The columns, each with the first row that differs from the first row of its item and rater."""
        rows_of = dict[str, int]()
        for column, cells in self.others.items():
            differs = cells.codes[self.grades.graded] != cells.codes[self.grades.first_of_cell]
            if column not in ASIDE and differs.any():
                rows_of[column] = int(self.grades.graded[differs.argmax()])
        return dict(sorted(rows_of.items(), key=lambda column_and_row: column_and_row[1]))

    def raters_by_value(self, column: str) -> dict[Any, set[str]]:
        """Return for each value of a column the raters who gave grades in its rows."""
        by_value = dict[Any, set[str]]()
        rows = self.grades.graded[~self.others[column].is_empty[self.grades.graded]]
        for value, who in dict.fromkeys(zip(self.others[column].at(rows), self.grades.who.at(rows), strict=True)):
            by_value.setdefault(value, set()).add(who)
        return by_value

    def check(self, criteria: Sequence[str]) -> None:
        """Raise InputError if another column distinguishes repeated grades of an item by a rater, such as a criterion.

        The values of such a column must recur, unlike those of a time. criteria: columns of criteria with several
        values in an item; these count even if each rater has only one of the values.
        """
        by_column = {column: self.raters_by_value(column) for column in [*criteria, *self.differing]}
        recurring = [
            column for column in self.differing if column in KEYS or 2 * len(by_column[column]) <= self._count(column)
        ]
        names = list(dict.fromkeys([*criteria, *recurring]))
        if not names:
            return
        *keys, rater, grade = [column.strip() for column in self.pivot.split(",")]
        of_raters = [c for c in names if c not in criteria and self._names_raters(c, by_column[c])][:1]
        more = [column for column in names if column not in of_raters]
        better = ",".join([*keys, *more, *(of_raters or [rater]), grade])
        values = {column: shortened(map(str, by_column[column]), limit=3) for column in names}
        which = " and ".join(f"{column} ({shown})" for column, shown in values.items())
        advice = f"Use {parameter('pivot', better)}"
        if of_raters:
            advice += f", in which {of_raters[0]} names the raters"
        if more:
            value = next(iter(by_column[more[0]]), "")
            condition = f"{more[0]} = {literal(value) if isinstance(value, str) else value}"
            advice += f"; add {parameter('where', condition)} to keep one {more[0]}"
        place = ""
        if names[0] in self.differing:
            row = np.array([self.differing[names[0]]])
            item = shortened(str(cells.at(row)[0]) for cells in self.grades.key_cells.values())
            place = f", for example of item {item} by {self.grades.who.at(row)[0]}"
        raise InputError(
            f"{parameter('pivot', self.pivot)} would mix grades of one item that differ in {which}{place}. {advice}."
        )

    def annotators(self) -> dict[str, list[Any]]:
        """Return the annotators behind the rater "judge", if there are several, each for other items."""
        by_value = self.raters_by_value("annotator") if "annotator" in self.others else {}
        annotators = [value for value, raters in by_value.items() if "judge" in raters]
        return {"judge": annotators} if len(annotators) > 1 else {}

    def _count(self, column: str) -> int:
        """Count the grades in rows with a value in a column."""
        return len(self.grades.graded) - int(self.others[column].is_empty[self.grades.graded].sum())

    def _names_raters(self, column: str, by_value: Mapping[Any, set[str]]) -> bool:
        """Whether each value belongs to one rater, so that the column names raters more exactly."""
        complete = self._count(column) == max(map(self._count, self.others))
        return complete and all(len(raters) == 1 for raters in by_value.values()) and column not in CRITERIA


def _cells(columns: Mapping[str, Values], column: str, n: int) -> Values:
    """Return the cells of a column or of a field such as `source.type`; None for missing cells."""
    if column in columns:
        return columns[column]
    first, *parts = column.split(".")
    cells = columns.get(first, [None] * n)
    for part in parts:
        cells = [cell.get(part) if isinstance(cell, Mapping) else None for cell in cells]
    return cells


def _check_raters(grades: LongGrades, columns: Sequence[str], pivot: str) -> None:
    """Raise InputError if the raters cannot be columns, or if no item has two raters."""
    raters = grades.raters
    if len(raters) > MAX_RATERS:
        raise InputError(f"{parameter('pivot', pivot)} finds {len(raters):,} raters. Is the second column the rater's?")
    if clash := {*raters} & {*columns}:
        raise InputError(f"{parameter('pivot', pivot)} makes a column of {min(clash)!r}, which exists. Rename it.")
    n_cells = int((grades.first_of_cell == grades.graded).sum())
    if n_cells == len(grades.first_graded):
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
