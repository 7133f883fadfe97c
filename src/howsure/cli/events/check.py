"""`howsure events check`: is a store whole, and what of it is damaged?"""

from __future__ import annotations

import click

from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import output_options
from howsure.cli.terminal.output import emit, json_text, table_text
from howsure.errors import InputError


@click.command("check", cls=Command)
@click.argument("path", metavar="STORE")
@output_options
def check_command(path: str, form: str, output: str | None) -> None:
    """Check all of STORE, and list the rules that its tables violate.

    \b
    howsure events check news.duckdb

    A truncated, edited or damaged store ends with exit code 2. The other commands check only what they read; this
    command reads everything.
    """
    from howsure.events.store.check_store import check_store

    found = check_store(path)
    table = found.table()
    if form == "json":
        emit(json_text(found.to_dict()), output)
    elif table.rows or form != "table":
        emit(table_text(table, form), output)
    if not found.is_whole:
        raise InputError(found.verdict())
    if form == "table":
        emit(f"{found.verdict()}\n", output)
