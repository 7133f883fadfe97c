"""Decimal commas, as spreadsheets write them in many languages: 0,87. Only where nothing else can be meant.

A comma may also separate thousands: 1,234. A column's numbers are read with decimal commas if some value can mean
nothing else (0,87 or 12,5), or if so in another column, which holds only numbers; and if neither it nor a column of
numbers has a decimal point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from howsure.data.tables.columns import Column
from howsure.data.tables.database import literal

COMMA = r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?\s*"
THOUSANDS = r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*"
POINT = r"\s*[+-]?[0-9,]*\.[0-9]*([eE][+-]?[0-9]+)?\s*"
WHOLE = r"\s*([+-]?[0-9]+|[nN][aA][nN])?\s*"


def columns_with_commas(columns: Iterable[Column], ask: Callable[[str], list[tuple[object, ...]]]) -> list[str]:
    """The names of those columns of text whose numbers have a decimal comma; `ask` is that of their table."""
    texts = [one for one in columns if one.is_text]
    if not texts:
        return []
    there = ask(", ".join(f"bool_or(contains({one.sql}, ','))" for one in texts))[0]
    if not any(there):
        return []
    found = {one.name: [bool(count) for count in ask(_counts(one))[0]] for one in texts}
    if any(point and not other for _, _, point, other in found.values()):
        return []
    told = any(clear and not other for _, clear, _, other in found.values())
    return [name for name, (comma, clear, point, _) in found.items() if comma and not point and (clear or told)]


def _counts(column: Column) -> str:
    """How many values are numbers with a comma, with one that is a decimal comma, with a point, and no number."""
    comma, thousands, point, whole = (
        f"regexp_full_match({column.sql}, {literal(one)})" for one in (COMMA, THOUSANDS, POINT, WHOLE)
    )
    tests = (comma, f"{comma} AND NOT {thousands}", point, f"NOT ({comma} OR {point} OR {whole})")
    return ", ".join(f"count(*) FILTER ({test})" for test in tests)


def said_of_commas(names: Sequence[str]) -> str:
    """What readers are told of columns with decimal commas; nothing where there are none."""
    return f"Read with decimal commas (0,5 is a half): {', '.join(names)}." if names else ""
