"""A column of texts that state a confidence, as a column of numbers beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from howsure.data.tables.columns import Column
from howsure.data.tables.database import identifier, reading
from howsure.data.tables.table import Table
from howsure.errors import InputError, parameter, shown
from howsure.inputs.stated_confidence import NONE, UNCLEAR, stated_confidence

STATED = "stated"  # the table of what each row states, in the order of the rows
KIND = "kind of what is stated"


def with_stated_confidence(table: Table, text: Column, only: str, *, skip: bool) -> tuple[Table, Column]:
    """The table with a column of the confidence that a text states, missing where it states none or is unclear.

    Raises InputError naming the first row that does not state one, of those that `only` wants, unless it is to `skip`.
    """
    connection, name = table.connection, f"confidence stated in {text.name}"
    with reading(table.name):
        held = connection.sql(f"SELECT {text.text} AS value FROM {table.relation}").fetchall()
    found = [stated_confidence("" if one is None else str(one)) for (one,) in held]
    values = np.array([one if isinstance(one, float) else np.nan for one in found])
    kinds = np.array([0 if isinstance(one, float) else (NONE, UNCLEAR).index(one) + 1 for one in found], np.int8)
    connection.register("parsed", {"value": values, "kind": kinds})
    columns = f"CASE WHEN kind = 0 THEN value END AS {identifier(name)}, kind AS {identifier(KIND)}"
    connection.execute(f"CREATE TABLE {STATED} AS SELECT {columns} FROM parsed")
    connection.unregister("parsed")
    beside = f"SELECT * FROM {table.relation} POSITIONAL JOIN {STATED}"
    if table.is_copied:
        connection.execute(f"CREATE OR REPLACE TABLE {table.relation} AS {beside}")
    else:
        table = replace(table, relation=f"({beside})")
    stated = Column(name, "DOUBLE")
    table = replace(table, columns=table.columns | {name: stated, KIND: Column(KIND, "TINYINT")})
    if not skip:
        _check(table, text, only)
    return table, stated


def _check(table: Table, text: Column, only: str) -> None:
    kind = identifier(KIND)
    counts = [f"count(*) FILTER ({only} AND {kind} = {number})" for number in (1, 2)]
    none, unclear = (int(str(count)) for count in table.ask(", ".join(counts))[0])
    if none + unclear:
        place, held = table.place(f"{only} AND {kind} > 0", text.text)
        raise InputError(
            f"{text.name} must state one confidence in every row; {place} holds {shown('' if held is None else held)} "
            f"({none + unclear:,} in all: {none:,} state none, {unclear:,} are unclear). Leave such rows out with "
            f"{parameter('skip_missing', True)}."
        )
