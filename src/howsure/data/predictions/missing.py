"""The rows used: those without missing values. The others are an error, or are counted and left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.data.tables.columns import Column
from howsure.data.tables.conditions import ALL
from howsure.data.tables.database import chunks
from howsure.data.tables.table import Table
from howsure.errors import InputError, parameter
from howsure.inputs.arrays import missing
from howsure.inputs.pairs import Integers


@dataclass(frozen=True, slots=True)
class Selection:
    """The used rows of a table, as the rest of a query, with their number and that of the rows left out.

    Left out are those `skipped`, which miss a value, and the `others`, which do not satisfy the condition of the user.
    """

    table: Table
    where: str
    n: int
    skipped: dict[str, int]
    others: int = 0

    def ask(self, select: str, *, rest: str = "") -> list[tuple[object, ...]]:
        """The rows of SELECT `select` over the used rows."""
        return self.table.ask(select, rest=f"WHERE {self.where} {rest}")

    def query(self, select: Sequence[str]) -> str:
        """The query for some expressions over the used rows."""
        limit = "" if self.where == ALL else f" WHERE {self.where}"
        return f"SELECT {', '.join(select)} FROM {self.table.relation}{limit}"

    @property
    def total(self) -> int:
        """The number of rows, used or not."""
        return self.n + sum(self.skipped.values()) + self.others

    def positions(self) -> Integers:
        """The position of each used row among all rows of all files, from 0."""
        if self.where == ALL:
            return np.arange(self.n, dtype=np.int64)
        position = self.table.position
        query = f"SELECT {position} FROM {self.table.numbered} WHERE {self.where} ORDER BY {position}"
        return np.concatenate([part for (part,) in chunks(self.table.connection, query, [np.int64])])

    def place(self, condition: str, shown: str) -> tuple[str, object]:
        """The location of the first used row that satisfies a condition, and a value of it."""
        return self.table.place(f"{self.where} AND {condition}", shown)

    def has(self, condition: str) -> bool:
        """Whether a condition holds for any used row."""
        return bool(self.ask("1", rest=f"AND {condition} LIMIT 1"))


def select_rows(
    table: Table, missing: dict[Column, str], *, skip: bool, values: Sequence[str], stream_checks: bool, only: str = ALL
) -> Selection:
    """The rows in which no column is missing; `missing` says in SQL when one is, and `only` which rows are wanted.

    A row with several missing values is counted under the first. With `stream_checks`, columns whose nulls a stream
    detects anyway are not checked beforehand.

    Raises InputError at the first missing value unless `skip`, or if no row is left.
    """
    if stream_checks and not skip:
        all_rows, wanted = (int(str(count)) for count in table.ask(f"count(*), count(*) FILTER ({only})")[0])
        return Selection(table, only, wanted, {}, all_rows - wanted)
    tests, earlier = [f"count(*) FILTER ({only})"], "FALSE"
    for test in missing.values():
        tests.append(f"count(*) FILTER ({only} AND {test} AND NOT {earlier})")
        earlier = f"({earlier} OR {test})"
    all_rows, wanted, *counts = (int(str(count)) for count in table.ask(", ".join(["count(*)", *tests]))[0])
    others = all_rows - wanted
    skipped = {column.name: count for column, count in zip(missing, counts, strict=True) if count}
    if not skipped:
        return Selection(table, only, wanted, {}, others)
    column = next(column for column in missing if column.name in skipped)
    rows = sum(skipped.values())
    if not skip:
        raise missing_value(table, column, f"{only} AND {missing[column]}", values=values, rows=rows)
    if rows == wanted:
        kept = "" if only == ALL else " that satisfies where=..."
        raise InputError(f"every row of {table.name}{kept} has a missing value ({_counted(skipped)}); nothing is left.")
    where = f"NOT {earlier}" if only == ALL else f"({only} AND NOT {earlier})"
    return Selection(table, where, wanted - rows, skipped, others)


def missing_value(
    table: Table, column: Column, test: str, *, values: Sequence[str] = (), rows: int | None = None
) -> InputError:
    """The error for the first row in which a column is missing."""
    place, value = table.place(test, column.text)
    held = "nothing" if value is None or not str(value).strip() else repr(value)
    held += ", which counts as missing" if value in values else ""
    count = "" if rows is None else f" ({rows:,} in all)"
    remedy = f"Leave such rows out with {parameter('skip_missing', True)}{count}."
    return missing(column.called, place=place, value=held, remedy=remedy)


def missing_in(selection: Selection, column: Column, role: str = "text") -> InputError | None:
    """The error for the first used row in which a column is missing, if there is one."""
    test = column.missing(role=role)
    rows = int(str(selection.ask("count(*)", rest=f"AND {test}")[0][0]))
    return missing_value(selection.table, column, f"{selection.where} AND {test}", rows=rows) if rows else None


def _counted(skipped: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in skipped.items())
