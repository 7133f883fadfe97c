"""Notes on tables for which no command is proposed: means of models, lists of objects."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.data.column_roles import FEW, LISTS, NUMBERS, ONE, REPEATED, TWO, UNIQUE, WITHIN, SeenColumn
from howsure_cli.column_words import ITEMS, MEANS, MODELS, is_numeric, names_id

SUMMARY = "This is a summary, one row per model; use the samples instead: a row per model and item, with its score."


def summary_of_means(columns: Sequence[SeenColumn], n: int) -> str | None:
    """The note for a table that has a row per model and otherwise only numbers; None for any other table."""
    named = [
        column for column in columns if column.kind in (UNIQUE, TWO) and column.words & MODELS and column.values == n
    ]
    named = [column for column in named if not names_id(column)]
    first = columns[0]
    if (
        0.9 * n <= first.values
        and not (is_numeric(first) or first.words & ITEMS)
        and any(column.words & MEANS for column in columns)
    ):
        return SUMMARY
    if any(column.words & {"stderr"} or column.words > {"ci", "low"} for column in columns):
        return SUMMARY
    others = [column for column in columns if column not in named]
    numeric = all(other.kind in (WITHIN, NUMBERS, UNIQUE, TWO, FEW, REPEATED) and is_numeric(other) for other in others)
    if not (named and others and numeric):
        return None
    return SUMMARY


def lists_of_objects(columns: Sequence[SeenColumn]) -> list[str]:
    """The columns with lists whose objects may be rows."""
    return [column.name for column in columns if column.kind in (LISTS, ONE) and column.examples[0].startswith("[{")]


def said_of_lists(name: str) -> str:
    """What to say of them."""
    return f"{name}: lists of objects; --explode {name} makes each object a row."
