"""Connections to DuckDB: all are opened here, with the same settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import duckdb

Connection = duckdb.DuckDBPyConnection
Setting = str | bool | int | float | list[str]

IN_MEMORY = ":memory:"
THREADS = 2  # each holds a row group
MEMORY = "512MB"  # beyond it, DuckDB writes to a scratch folder
CONFIG: dict[str, Setting] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": MEMORY,
    "threads": str(THREADS),
}


def connect(database: str | Path = IN_MEMORY, *, read_only: bool = False, **settings: Setting) -> Connection:
    """A connection with the shared settings, further `settings` of DuckDB, and no progress bar.

    Raises duckdb.Error if the database cannot be opened.
    """
    connection = duckdb.connect(database, read_only=read_only, config={**CONFIG, **settings})
    try:
        _hide_progress_bar(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _hide_progress_bar(connection: Connection) -> None:
    """Switch off the progress bar that DuckDB prints between results in a notebook.

    Without ipywidgets, DuckDB prints no bar, and raises an error if the setting is changed. The setting is then kept.
    """
    ((shown,),) = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if shown:
        connection.execute("SET enable_progress_bar = false")


OUT_OF_MEMORY = "Out of Memory Error"  # of DuckDB, also where nanoarrow passes it on


def lift_memory_limit(connection: Connection, error: BaseException) -> bool:
    """Replace the memory limit by DuckDB's default (80% of the memory) if an error says that it is too small.

    Returns whether the query may now succeed: False for other errors, and if the limit is the default already.
    """
    if OUT_OF_MEMORY not in str(error):
        return False
    with connection.cursor() as cursor:  # of its own: a query on `connection` would end what it streams
        limit = memory_limit(cursor)
        cursor.execute("RESET memory_limit")
        return memory_limit(cursor) != limit


def memory_limit(connection: Connection) -> str:
    """The memory limit of a connection, such as "122.0 MiB"."""
    return str(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])


class PatientConnection:
    """A connection that repeats a query with a larger memory limit if the limit is too small.

    Rows that were already fetched are then skipped, because a query's rows keep their order.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._query: tuple[object, ...] = ()
        self._n_fetched = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def cursor(self) -> PatientConnection:
        """Another connection to the same database."""
        return PatientConnection(self._connection.cursor())

    def execute(self, *query: object) -> Self:
        self._query, self._n_fetched = query, 0
        try:
            self._run()
        except duckdb.Error as error:
            if not lift_memory_limit(self._connection, error):
                raise
            self._run()
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._fetch(self._connection.fetchall)
        self._n_fetched += len(rows)
        return rows

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._fetch(lambda: self._connection.fetchmany(size))
        self._n_fetched += len(rows)
        return rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None at the end."""
        row: tuple[Any, ...] | None = self._fetch(self._connection.fetchone)
        self._n_fetched += row is not None
        return row

    def fetchnumpy(self) -> dict[str, Any]:
        columns: dict[str, Any] = self._fetch(self._connection.fetchnumpy)
        return columns

    def _run(self) -> None:
        self._connection.execute(*self._query)  # type: ignore[arg-type]

    def _fetch(self, fetch: Callable[[], Any]) -> Any:
        try:
            return fetch()
        except duckdb.Error as error:
            if not lift_memory_limit(self._connection, error):
                raise
        self._run()
        for _ in range(self._n_fetched):
            self._connection.fetchone()
        return fetch()
