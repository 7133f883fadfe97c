"""Groups by name: their numbers of rows, and SQL that turns a name into a code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from howsure.data.predictions.missing import Selection, missing_in
from howsure.data.tables.columns import Column
from howsure.data.tables.database import Connection, literals
from howsure.inputs.coded import check_group_count
from howsure.inputs.naming import natural_order

NUMBERS = count()  # of the types made by this process, so that no two have one name


def group_sizes(selection: Selection, column: Column) -> dict[str, int]:
    """The number of used rows of every group, by name, in natural order.

    Raises InputError at the first row whose group is missing.
    """
    found = {name: int(str(rows)) for name, rows in selection.ask(f"{column.text}, count(*)", rest="GROUP BY 1")}
    if any(name is None or str(name).strip().casefold() in ("", "nan") for name in found):
        fault = missing_in(selection, column)
        if fault is not None:
            raise fault
    check_group_count(len(found), sum(found.values()), name=column.name)
    return {name: found[name] for name in sorted(map(str, found), key=natural_order)}


def enum_sql(connection: Connection, text: str, names: Sequence[str]) -> str:
    """A text as one of `names`, whose codes Arrow streams hold; null if it is none."""
    return f"TRY_CAST({text} AS {_new_type(connection, literals(names))})"


def codes_sql(connection: Connection, text: str, names: Sequence[str]) -> str:
    """The position of a text among `names` in SQL, null if it is none; the names become a type of the database."""
    return _position(text, _new_type(connection, literals(names)))


def enumerated_sql(selection: Selection, column: Column) -> str:
    """The position of a column's text among all its texts in the used rows, in their order."""
    texts = f"SELECT DISTINCT {column.text} AS text FROM {selection.table.relation} WHERE {selection.where} ORDER BY 1"
    return _position(column.text, _new_type(selection.table.connection, texts))


def _new_type(connection: Connection, names: str) -> str:
    name = f"names_{next(NUMBERS)}"
    connection.execute(f"CREATE TYPE {name} AS ENUM ({names})")
    return name


def _position(text: str, type: str) -> str:
    return f"CAST(enum_code(TRY_CAST({text} AS {type})) AS BIGINT)"
