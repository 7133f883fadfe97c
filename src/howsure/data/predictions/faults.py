"""What is wrong with a column of files: the first row that breaks a rule, found once something is known to.

The rules and their sentences are those of `inputs.checks`; here SQL finds the row, and the file says where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from howsure.data.tables.columns import Column
from howsure.data.tables.table import Table
from howsure.errors import ColumnName, Fault, InputError, parameter
from howsure.inputs.checks import missing, no_number, no_probability, no_weight, not_two_values
from howsure.inputs.given import no_score
from howsure.inputs.naming import shortened
from howsure.inputs.numbers import comma_advice, spelled_number

if TYPE_CHECKING:
    from howsure.data.predictions.selection import Selection


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


def missing_in(selection: Selection, column: Column, kind: str = "text") -> InputError | None:
    """The error for the first used row in which a column is missing, if there is one."""
    test = column.missing(kind=kind)
    rows = int(str(selection.ask("count(*)", rest=f"AND {test}")[0][0]))
    return missing_value(selection.table, column, f"{selection.where} AND {test}", rows=rows) if rows else None


def labels_refused(column: Column, counts: dict[str, int], pos_label: str | None = None) -> InputError:
    """The error for a label that is neither 0 or 1 nor one of two values."""
    rest = [value for value in counts if value != pos_label]
    choice = (
        "" if pos_label is not None else f" If two are left, say which is positive: {parameter('pos_label', 'VALUE')}."
    )
    treated = (
        f"Treat non-answers as missing, for example {parameter('missing_values', [rest[-1]])} with "
        f"{parameter('skip_missing', True)}.{choice}"
    )
    return not_two_values(counts, pos_label=pos_label, name=column.called, treated=treated)


def no_weight_sql(column: Column) -> str:
    """Whether the value is not a finite weight of at least 0, in SQL."""
    return f"({column.number} IS NULL OR NOT ({column.number} >= 0 AND {column.number} < CAST('inf' AS DOUBLE)))"


def bad_weight(selection: Selection, column: Column) -> InputError | None:
    """The error in the first row whose weight is none, if there is one."""
    fault = missing_in(selection, column, "number")
    if fault is not None or not selection.has(no_weight_sql(column)):
        return fault
    place, held = selection.place(no_weight_sql(column), column.text)
    value = spelled_number(str(held))
    if value is None:
        return no_number(column.called, repr(held), place=place)
    return no_weight(column.called, repr(value), place=place)


def bad_probability(selection: Selection, column: Column, probability: str, scale: str | None) -> InputError | None:
    """The error in the first row whose `probability`, in SQL, is none, of a column on a `scale`, if there is one."""
    bad = f"({probability} IS NULL OR NOT ({probability} >= 0 AND {probability} <= 1))"
    if not selection.has(bad):
        return None
    place, held = selection.place(bad, column.text)
    value = spelled_number(str(held))
    if value is None:
        return no_number(column.called, repr(held), place=place)
    if scale is not None:
        return no_score(scale, str(held), name=column.called, place=place)
    highest = selection.ask(f"max({column.number})")[0][0]
    return no_probability(column.called, repr(value), highest=float(str(highest)), place=place)


def no_numbers(selection: Selection, columns: Sequence[Column], *, lists: bool) -> InputError:
    """The error in the first row that holds something else than the numbers of classes."""
    for column in columns:
        value = column.numbers if lists else column.number
        condition = f"{value} IS NULL" + (f" OR list_count({value}) < len({value})" if lists else "")
        if selection.has(f"({condition})"):
            place, held = selection.place(f"({condition})", column.text)
            wanted = "lists of numbers" if lists else "numbers"
            advice = "" if lists else comma_advice(str(held))
            name = ColumnName(column.name, "y_prob")
            return InputError(Fault(name, f"must hold {wanted}", repr(held), place=place, advice=advice))
    return InputError(f"{shortened(column.name for column in columns)}: the values changed while they were read.")


def unequal_lists(selection: Selection, column: Column, k: int) -> InputError:
    """The error in the first row whose list has another length than k."""
    place, length = selection.place(f"len({column.numbers}) <> {k}", f"len({column.numbers})")
    return InputError(f"{column.name} must hold lists of the same length; the first has {k}, {place} has {length}.")
