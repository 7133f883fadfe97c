"""Several files as one: whether equal values of a column in two of them are the same thing, which the user must say."""

from __future__ import annotations

import numpy as np

from howsure.data.predictions.missing import Selection
from howsure.data.tables.columns import Column
from howsure.data.tables.database import reading
from howsure.data.tables.table import Table
from howsure.errors import InputError, parameter
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Integers

SAME, SEPARATE = "same", "separate"
ACROSS_FILES = ("error", SAME, SEPARATE)


def check_way(how: str, *, of: str | None, named: str) -> None:
    """Raise InputError for a way that does not exist, or one that has no column to be `of`."""
    if how not in ACROSS_FILES:
        raise unknown_name("way", how, ACROSS_FILES, place="across_files")
    if how != "error" and of is None:
        raise InputError(
            f"{parameter('across_files', how)} says what equal values of a column in several files are, and none is "
            "named. Name "
            f"it with {named}, or leave {parameter('across_files')} out."
        )


def check_across_files(selection: Selection, column: Column, group: Column | None, *, how: str) -> None:
    """Refuse a value that stands in several files (within a group, if there are groups), unless `how` says what it is.

    Raises InputError naming the first such value, two rows in which it stands, and how many there are.
    """
    table = selection.table
    if how != "error" or len(table.files) == 1:
        return
    position = table.position
    keys = ", ".join([column.text] + ([] if group is None else [group.text]))
    ends = f"{column.text} AS value, min({position}) AS first, max({position}) AS last"
    groups = f"SELECT {ends} FROM {table.numbered} WHERE {selection.where} GROUP BY {keys}"
    several = (
        f"SELECT *, count(*) OVER () AS number FROM ({groups}) WHERE {_file(table, 'first')} <> {_file(table, 'last')}"
    )
    with reading(table.name):
        found = table.connection.sql(f"{several} ORDER BY first LIMIT 1").fetchall()
        if not found:
            return
        ((total,),) = table.connection.sql(f"SELECT count(*) FROM ({groups})").fetchall()
    value, first, last, number = found[0]
    here, there = table.place_of(int(first)), table.place_of(int(last))
    raise InputError(
        f"equal values of {column.name} occur in several files, and it is unclear what that means: "
        f"{str(value)!r} is in {here} and in {there}; so are {int(number) - 1:,} of {int(total) - 1:,} "
        "others. Are they the same item, evaluated twice (for example with two seeds)? "
        f"{parameter('across_files', SAME)} counts "
        "them as one "
        f"cluster. Does each file have its own numbering? {parameter('across_files', SEPARATE)} keeps them apart."
    )


def _file(table: Table, position: str) -> str:
    """The number of the file that a position lies in, in SQL."""
    return " + ".join(f"CAST({position} >= {start} AS BIGINT)" for start in table.starts)


def check_different(selection: Selection, column: Column, group: Column | None) -> None:
    """Refuse an id that stands twice in one file (within a group, if there are groups).

    Raises InputError naming it and the two rows.
    """
    table = selection.table
    for number, start in enumerate(table.starts):
        stop = table.starts[number + 1] if number + 1 < len(table.starts) else None
        within = f"{selection.where} AND {table.position} >= {start}"
        within += "" if stop is None else f" AND {table.position} < {stop}"
        keys = ", ".join([column.text] + ([] if group is None else [group.text]))
        ends = f"{column.text}, min({table.position}), max({table.position})"
        query = f"SELECT {ends} FROM {table.numbered} WHERE {within} GROUP BY {keys} HAVING count(*) > 1"
        with reading(table.name):
            found = table.connection.sql(f"{query} ORDER BY 2 LIMIT 1").fetchall()
        if found:
            value, *ends_of = found[0]
            first, last = (table.place_of(int(end)) for end in ends_of)
            raise InputError(
                f"{column.name} must be different in every row; {value!r} is that of {first} and of {last}. "
                f"Several rows per item? Name them with {parameter('clusters', column.name)}."
            )


def file_of(selection: Selection, positions: Integers) -> Integers:
    """Which file each row is of, by its position over all files."""
    found: Integers = np.searchsorted(np.asarray(selection.table.starts), positions, side="right") - 1
    return found


def apart_by_file(selection: Selection, codes: Integers) -> Integers:
    """Codes of the used rows such that equal ones of different files differ; as they are where there is one file."""
    if len(selection.table.files) == 1:
        return codes
    both = codes * len(selection.table.files) + file_of(selection, selection.positions())
    apart: Integers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return apart
