"""`howsure events merge`: parts of an input that were extracted apart, as one store."""

from __future__ import annotations

import glob
import os

import click

from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.destinations import Written
from howsure.cli.terminal.output import emit
from howsure.cli.terminal.progress import progress
from howsure.errors import InputError
from howsure.inputs.naming import natural_order


@click.command("merge", cls=Command)
@click.argument("parts", nargs=-1, required=True, metavar="STORE...")
@click.option("--store", type=Written(), metavar="OUT", required=True, help="DuckDB file to write.")
def merge_command(parts: tuple[str, ...], store: str) -> None:
    """Put the parts of an input together: STORE... of extract --part 1/3, --part 2/3 and --part 3/3.

    \b
    howsure events merge part-*.duckdb --store news.duckdb

    The store is that of one run over the whole input, row by row; it appears whole or not at all. Parts that differ in
    what made them, or of which one is missing, are refused.
    """
    from howsure.cli.events.summary import summary
    from howsure.events.parts.merge_stores import merge_stores
    from howsure.events.parts.parts_given import documents_of_all
    from howsure.inputs.naming import counted

    stores = [store for part in parts for store in _named(part)]
    with progress("documents", total=documents_of_all(stores[0]), rate=True) as advance:
        report = merge_stores(stores, store, advance=advance)
    made = "there already, of" if report.was_there else "put together from"
    emit(summary(store, made=f"{made} {counted(report.parts, 'part')}"), None)


def _named(part: str) -> list[str]:
    """The stores that a name or a glob stands for; not every shell expands a glob."""
    if os.path.exists(part) or not glob.has_magic(part):
        return [part]
    found = sorted(glob.glob(part, recursive=True), key=natural_order)
    if not found:
        raise InputError(f"no file matches {part}.")
    return found
