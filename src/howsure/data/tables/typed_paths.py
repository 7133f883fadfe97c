"""A place inside a column that has a type of its own (in Parquet a STRUCT, MAP or list, in .npz a matrix)."""

from __future__ import annotations

import duckdb

from howsure.data.tables.database import Connection, identifier, literal
from howsure.data.tables.paths import Place, Step, in_json_text, path_text
from howsure.errors import InputError
from howsure.inputs.naming import unknown_name

TEXTS = ("VARCHAR", "JSON")


def in_typed(connection: Connection, relation: str, place: Place, type: str) -> str:
    """The value at a place in SQL, in its own type; null where a list is too short or a MAP lacks the key.

    Raises InputError for a field that a STRUCT does not have, and a step that a type cannot go.
    """
    sql = identifier(place.column)
    for at, step in enumerate(place.steps):
        if type in TEXTS:
            return in_json_text(f"CAST({sql} AS VARCHAR)", place.steps[at:])
        taken = _taken(sql, type, step)
        described = None if taken is None else _type(connection, relation, taken)
        if taken is None or described is None:
            raise _no_step(connection, relation, sql, type, place, at)
        sql, type = taken, described
    return sql


def _taken(sql: str, type: str, step: Step) -> str | None:
    if type.endswith("]"):
        return f"{sql}[{step + 1}]" if isinstance(step, int) else None
    if type.startswith("STRUCT"):
        return f"struct_extract({sql}, {literal(str(step))})"
    if type.startswith("MAP"):
        return f"{sql}[{literal(str(step))}]"
    return None


def _type(connection: Connection, relation: str, sql: str) -> str | None:
    try:
        return str(connection.execute(f"DESCRIBE SELECT {sql} FROM {relation}").fetchall()[0][1])
    except (duckdb.BinderException, duckdb.ConversionException):
        return None


def _no_step(connection: Connection, relation: str, sql: str, type: str, place: Place, at: int) -> InputError:
    before, step = path_text(place.column, place.steps[:at]), place.steps[at]
    if type.startswith("STRUCT"):
        fields = [row[0] for row in connection.execute(f"DESCRIBE SELECT unnest({sql}) FROM {relation}").fetchall()]
        return unknown_name("field", str(step), fields, place=before)
    return InputError(f"{path_text(place.column, place.steps)} leads nowhere: the type of {before} is {type}.")
