"""`howsure events recount`, `merge` and `check`: stores made from other stores, and checks for damage."""

from __future__ import annotations

import glob
import os
from typing import Any

import click

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, natural_order
from howsure.inputs.periods import PERIODS
from howsure_cli.terminal.commands import Command, OutputFile
from howsure_cli.terminal.options import output_options
from howsure_cli.terminal.output import emit, progress, result_text, table_text
from howsure_events.commands.options import (
    antecedent_model,
    coreference_options,
    days_options,
    store_option,
    workers_option,
)

NOTE = """
Expected documents by each rule, and those of the 1-best; then in how many documents both rules, only
the first or only the second find an event in some sample.
"""
CARRIED = "labels of {n} are carried over from {path}; they answer: {question}\n"


@click.command("recount", cls=Command)
@click.argument("path", metavar="STORE")
@click.option("--rule", metavar="NAME|FILE", required=True)
@store_option
@click.option("--model", metavar="FILE")
@days_options
@click.option("--period", type=click.Choice(PERIODS), help="Compare the rules by period (default: over all documents).")
@click.option("--top", type=click.IntRange(min=1), default=8, show_default=True, metavar="N")
@workers_option
@coreference_options
def recount_command(
    path: str,
    rule: str,
    store: str,
    model: str | None,
    coreference: str | None,
    misplaced: Any,
    period: str | None,
    top: int,
    workers: int | None,
    **days: Any,
) -> None:
    """Find the events of another rule in the documents of STORE, without parsing them again.

    \b
    howsure events recount news.duckdb --rule my_rule.yaml --store again.duckdb

    Writes a store, as extract with that rule would, and prints what both rules count. If interrupted, rerun the same
    command to resume.
    """
    from howsure_events.commands.setup import interrupted, rule_named, rules_text, summary
    from howsure_events.extraction.extract_events import usable_processors
    from howsure_events.extraction.recount import recount_events, stored_label_scheme
    from howsure_events.labels.answers import settled_labels
    from howsure_events.rule_comparison import compare_rules
    from howsure_events.store.event_store import EventStore

    coreference_model = antecedent_model(model, coreference, misplaced)
    with EventStore.open(path) as opened:
        n = usable_processors(opened.next_document) if workers is None else workers
        chosen = rule_named(rule, None, stored_label_scheme(opened))
        with progress("documents", total=opened.next_document, rate=True) as advance:
            report = recount_events(
                opened, store, rule=chosen, model=coreference_model, workers=n, advance=advance, **days
            )
        if report.interrupted:
            click.echo(interrupted(store, report), err=True)
            raise click.exceptions.Abort
        with EventStore.open(store) as again:
            compared = compare_rules(opened, again, period=period)
            labels = settled_labels(again)
    carried = (
        ""
        if labels is None
        else CARRIED.format(n=counted(len(labels.documents), "document"), path=path, question=labels.question)
    )
    emit(f"{summary(store, report)}{carried}\n{rules_text(compared, top=top)}\n{NOTE}", None)


@click.command("merge", cls=Command)
@click.argument("parts", nargs=-1, required=True, metavar="STORE...")
@click.option("--store", type=OutputFile(), metavar="OUT", required=True)
def merge_command(parts: tuple[str, ...], store: str) -> None:
    """Merge the stores of all parts of an input, such as those of extract --part 1/3, --part 2/3 and --part 3/3.

    \b
    howsure events merge part-*.duckdb --store news.duckdb

    The new store equals, row by row, the store of a single run over the whole input. It is written completely or not at
    all. All parts are needed, and they must have been extracted with the same settings.
    """
    from howsure_events.commands.setup import summary
    from howsure_events.extraction.merge_stores import input_document_count, merge_stores

    stores = [store for part in parts for store in _matching_stores(part)]
    with progress("documents", total=input_document_count(stores[0]), rate=True) as advance:
        report = merge_stores(stores, store, advance=advance)
    made = "there already, of" if report.was_there else "merged from"
    emit(summary(store, made=f"{made} {counted(report.parts, 'part')}"), None)


def _matching_stores(part: str) -> list[str]:
    """Return the stores that a name or a glob matches, since not every shell expands globs."""
    if os.path.exists(part) or not glob.has_magic(part):
        return [part]
    paths = sorted(glob.glob(part, recursive=True), key=natural_order)
    if not paths:
        raise InputError(f"no file matches {part}.")
    return paths


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
    from howsure_events.store.check_store import check_store

    report = check_store(path)
    table = report.table()
    if form in ("json", "signature"):
        emit(result_text(report, form), output)
    elif table.rows or form != "table":
        emit(table_text(table, form), output)
    if not report.is_whole:
        raise InputError(report.verdict())
    if form == "table":
        emit(f"{report.verdict()}\n", output)
