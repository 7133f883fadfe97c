"""The label as 0 or 1: from booleans, from 0 and 1 in any notation, or from any two values and the positive one."""

from __future__ import annotations

from howsure.data.predictions.missing import Selection
from howsure.data.tables.columns import Column, as_number
from howsure.errors import InputError, parameter
from howsure.inputs.checks import not_two_values

LISTED = 1000  # distinct labels that are looked at: more than two are too many anyway
BOOLEANS = {"true": 1.0, "false": 0.0}


def label_sql(selection: Selection, column: Column, positive: str | None) -> str:
    """The label in SQL: 1, 0, or null if it is neither.

    Raises InputError, listing the values with their counts, if there are not two or `positive` is not among them.
    """
    if positive is None and column.type == "BOOLEAN":
        return f"CAST({column.sql} AS UTINYINT)"
    if positive is None and column.is_integer:
        return f"TRY_CAST({column.sql} AS UTINYINT)"
    if positive is None and column.is_number:
        return f"CAST(CASE WHEN {column.sql} = 1 THEN 1 WHEN {column.sql} = 0 THEN 0 END AS UTINYINT)"
    return f"CAST({column.among(positive_values(column, label_counts(selection, column), positive))} AS UTINYINT)"


def label_counts(selection: Selection, column: Column, *, limit: int = LISTED) -> dict[str, int]:
    """The frequency of each label, as text, the most frequent first."""
    found = selection.ask(f"{column.text}, count(*)", rest=f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}")
    return {str(value): int(str(count)) for value, count in found}


def positive_values(column: Column, counts: dict[str, int], positive: str | None) -> list[str]:
    """Which of the labels mean 1."""
    numbers = {value: _zero_or_one(value.replace(",", ".") if column.comma else value) for value in counts}
    target = 1.0 if positive is None else _zero_or_one(positive)
    if target is not None and None not in numbers.values():
        return [value for value, number in numbers.items() if number == target]
    if positive is None:
        raise labels_refused(column, counts)
    chosen = [value for value in counts if _same(value, positive)]
    if not chosen or len(counts) - len(chosen) > 1:
        raise labels_refused(column, counts, positive)
    return chosen


def labels_refused(column: Column, counts: dict[str, int], positive: str | None = None) -> InputError:
    """The error for a label that is neither 0 or 1 nor one of two values."""
    rest = [value for value in counts if value != positive]
    choice = (
        "" if positive is not None else f" If two are left, say which is positive: {parameter('pos_label', 'VALUE')}."
    )
    treated = (
        f"Treat non-answers as missing, for example {parameter('missing_values', [rest[-1]])} with "
        f"{parameter('skip_missing', True)}.{choice}"
    )
    return not_two_values(counts, pos_label=positive, name=column.called, treated=treated)


def _same(value: str, positive: str) -> bool:
    if value == positive or (value.lower() in BOOLEANS and value.lower() == positive.lower()):
        return True
    number = as_number(value)
    return number is not None and number == as_number(positive)


def _zero_or_one(value: str) -> float | None:
    text = value.strip().lower()
    number = BOOLEANS.get(text, as_number(text))
    return number if number in (0.0, 1.0) else None
