"""The names of columns as a file writes them: DuckDB takes Y and y for one name and calls the second y_1."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.data.tables.database import Connection, file_literal, identifier
from howsure.data.tables.named_files import File
from howsure.data.tables.sources import as_texts, parquet_source, text_source
from howsure.errors import InputError

JSON_ROWS = 20_480  # whose keys are looked at, as many as DuckDB samples


def check_alike(connection: Connection, file: File, names: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError if a column among `names` stands in the file twice, also if only in another case.

    `known` are DuckDB's names of the columns; the file is asked only where they may be other than its own.
    """
    wanted = dict.fromkeys(name.casefold() for name in names)
    if file.format == "npz":
        written = list(known)
    elif any(column.casefold().startswith(f"{name}_") for name in wanted for column in known):
        written = _written(connection, file)
    else:
        return
    for name in wanted:
        alike = [column for column in written if column.casefold() == name]
        if len(alike) > 1:
            but = ", but for case" if len(set(alike)) > 1 else ""
            raise InputError(f"{file.name} has columns named alike{but}: {', '.join(alike)}. Rename them.")


def _written(connection: Connection, file: File) -> list[str]:
    if file.format == "parquet":
        schema = f"SELECT name, num_children FROM parquet_schema({file_literal(file.path)})"
        return _top_level(connection.execute(schema).fetchall()[1:])
    if file.format in ("csv", "tsv"):
        first = connection.execute(f"SELECT * FROM {text_source(file, header=False)} LIMIT 1").fetchall()
        return [str(name) for name in first[0]]
    objects = text_source(file).replace("read_json(", "read_json_objects(", 1)
    keys = f"SELECT DISTINCT unnest(json_keys(json)) AS key FROM (FROM {objects} LIMIT {JSON_ROWS}) ORDER BY key"
    return [key for (key,) in connection.execute(keys).fetchall()]


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The columns of a Parquet file out of all its fields, in which the fields of a column follow it."""
    columns, inside = [], 0
    for name, children in schema:
        if inside == 0:
            columns.append(name)
        else:
            inside -= 1
        inside += children or 0
    return columns


def keys_in(connection: Connection, file: File, column: str) -> list[str]:
    """The keys of the first mapping in a column of a file of text or of Parquet, as they stand there."""
    if file.format == "npz":
        return []
    asked = as_texts([column]) if file.format in ("json", "jsonl") else ""
    source = parquet_source([file]) if file.format == "parquet" else text_source(file, asked)
    name = identifier(column)
    json = f"to_json({name})" if file.format == "parquet" else f"CASE WHEN json_valid({name}) THEN {name} END"
    query = f"SELECT json_keys(json) FROM (SELECT {json} AS json FROM {source}) WHERE len(json_keys(json)) > 0 LIMIT 1"
    found = connection.execute(query).fetchall()
    return [str(key) for key in found[0][0]] if found else []
