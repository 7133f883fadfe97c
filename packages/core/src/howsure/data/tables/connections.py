"""Connections to DuckDB: all are opened here, with the same settings."""

from __future__ import annotations

from pathlib import Path

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
    """In a notebook, DuckDB prints a progress bar between the results. Without ipywidgets it does not, and then raises
    an error if the setting is changed, even to false; so only a bar that is shown is switched off."""
    ((shown,),) = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if shown:
        connection.execute("SET enable_progress_bar = false")
