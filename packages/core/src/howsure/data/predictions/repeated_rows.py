"""Detection of a column that identifies the item of a row, and of repeated items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from howsure.data.predictions.selection import Opened, file_number
from howsure.data.tables.table import Table, column_names
from howsure.inputs.repeated_items import RepeatedItems, candidates, first_repeated

MAX_COUNTED = 1_000_000  # rows; of more, all rows of a random share of the items show first whether any repeat


def item_columns(opened: Opened, with_role: Sequence[str]) -> dict[str, bool]:
    """The columns of tables that may identify the item of a row, as in `candidates`; none for logs, which name their
    items, and if the user says that rows are independent. `with_role`: the columns that have a role."""
    if opened.log is not None or opened.asked.independent_rows:
        return {}
    columns = dict(candidates(column_names(opened.database, opened.files[0]), with_role))
    others = [set(column_names(opened.database, file)) for file in opened.files[1:]] if columns else []
    return {name: is_item for name, is_item in columns.items() if all(name in other for other in others)}


def repeated_rows(
    opened: Opened, table: Table, only: str, columns: Mapping[str, bool], cells: Sequence[str]
) -> RepeatedItems | None:
    """The first of `item_columns` whose values repeat within the cells of other columns; None if none repeats."""
    return first_repeated(columns, lambda name: _repeated(opened, table, only, name, cells))


def note_on_items(repeated: RepeatedItems | None, *, as_clusters: bool = True) -> tuple[str, ...]:
    """A note that repeated items are clusters, or what to do if they are not; None if no item repeats."""
    if repeated is None:
        return ()
    return (repeated.note() if as_clusters and repeated.are_clusters else repeated.warning(),)


def _repeated(opened: Opened, table: Table, only: str, name: str, cells: Sequence[str]) -> RepeatedItems | None:
    column, parts = table.columns[name], [table.columns[cell].text for cell in cells]
    missing = column.missing(opened.asked.missing_values)
    used = f"{only} AND NOT {missing}"
    share = 1 + int(str(table.ask("count(*)", rest=f"WHERE {only}")[0][0])) // MAX_COUNTED
    if share > 1 and _counts(table, f"{used} AND hash({column.text}) % {share} = 0", column.text, parts).times <= 1:
        return None
    file_parts = [file_number(table, table.position)] if len(opened.files) > 1 else []
    counts = _counts(table, used, column.text, [*parts, *file_parts])
    across_files = False
    if counts.times <= 1 and file_parts:
        counts = _counts(table, used, column.text, parts)
        across_files = counts.times > 1
    if counts.times <= 1:
        return None
    has_missing = bool(table.ask("1", rest=f"WHERE {only} AND {missing} LIMIT 1"))
    return replace(counts, column=name, has_missing=has_missing, across_files=across_files)


def _counts(table: Table, used: str, item: str, cells: Sequence[str]) -> RepeatedItems:
    """The numbers of rows and items, the largest number of rows of an item in a cell, the smallest number of items in a
    cell, and the number of cells."""
    keys = [f"k{at}" for at in range(len(cells))]
    columns = ", ".join([*(f"{sql} AS {key}" for key, sql in zip(keys, cells, strict=True)), f"{item} AS item"])
    by_item = f"SELECT * FROM (SELECT {columns} FROM {table.numbered} WHERE {used})"
    grouped = ", ".join([*keys, "item"])
    counts = f"SELECT {grouped}, count(*) AS times FROM ({by_item}) GROUP BY {grouped}"
    per_cell = "SELECT sum(times) AS n, count(*) AS items, max(times) AS most FROM counts"
    per_cell += f" GROUP BY {', '.join(keys)}" if keys else ""
    distinct = "(SELECT count(DISTINCT item) FROM counts)"
    query = (
        f"WITH counts AS MATERIALIZED ({counts}) "
        f"SELECT sum(n), {distinct}, max(most), min(items), count(*) FROM ({per_cell})"
    )
    rows, items, times, fewest, groups = (int(number or 0) for number in table.fetch(query)[0])
    return RepeatedItems(item, rows, items, times, fewest, groups)
