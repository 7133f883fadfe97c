"""`howsure events recount`: the documents of a store counted again by another rule."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.events.antecedents import antecedent_model, coreference_options
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.destinations import Written
from howsure.cli.terminal.options import PROCESSES
from howsure.cli.terminal.output import emit
from howsure.cli.terminal.progress import progress

PERIODS = ("week", "month", "quarter", "year")
NOTE = """
Expected documents by each rule, and those of the 1-best; then in how many documents both rules, only
the first or only the second find an event in some sample.
"""
CARRIED = "labels of {n} are carried over from {path}; they answer: {question}\n"


@click.command("recount", cls=Command)
@click.argument("path", metavar="STORE")
@click.option("--rule", metavar="NAME|FILE", required=True, help="attack, attack-wide, or a YAML file.")
@click.option(
    "--store",
    type=Written(beside=lambda path: (f"{path}.wal",)),
    metavar="OUT",
    required=True,
    help="DuckDB file to write or to resume.",
)
@click.option("--model", metavar="FILE", help="Antecedent model that made STORE (default: the one in the package).")
@click.option("--since", metavar="DATE", help="Leave out documents before this day (YYYY-MM-DD).")
@click.option("--until", metavar="DATE", help="Leave out documents after this day.")
@click.option("--by", type=click.Choice(PERIODS), help="Compare the rules by period (default: over all documents).")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    metavar="N",
    help="Show the N most frequent actors.",
)
@click.option("--workers", type=PROCESSES, metavar="N",
              help="Number of processes (default: one per processor, at most 4).")  # fmt: skip
@coreference_options
def recount_command(
    path: str, rule: str, store: str, model: str | None, coreference: str | None, misplaced: Any, by: str | None,
    top: int, workers: int | None, **days: Any,
) -> None:  # fmt: skip
    """Find the events of another rule in the documents of STORE, without parsing them again.

    \b
    howsure events recount news.duckdb --rule my_rule.yaml --store again.duckdb

    Writes a store, as extract with that rule would, and prints what both rules count. If interrupted, rerun the same
    command to resume.
    """
    from howsure.cli.events.setup import rule_named
    from howsure.cli.events.summary import interrupted, rules_text, summary
    from howsure.events.extraction.extract_events import usable_processors
    from howsure.events.extraction.recount import labels_of, recount_events
    from howsure.events.labels.settled import settled_labels
    from howsure.events.rules.rule_comparison import compare_rules
    from howsure.events.store.event_store import EventStore
    from howsure.inputs.naming import counted

    n = usable_processors() if workers is None else workers
    held = antecedent_model(model, coreference, misplaced)
    with EventStore.open(path) as opened:
        chosen = rule_named(rule, None, labels_of(opened))
        with progress("documents", total=opened.next_document, rate=True) as advance:
            report = recount_events(opened, store, rule=chosen, model=held, workers=n, advance=advance, **days)
        if report.interrupted:
            click.echo(interrupted(store, report), err=True)
            raise click.exceptions.Abort
        with EventStore.open(store) as again:
            compared = compare_rules(opened, again, by=by)
            labels = settled_labels(again)
    carried = "" if labels is None else CARRIED.format(n=counted(len(labels.documents), "document"), path=path,
                                                       question=labels.question)  # fmt: skip
    emit(f"{summary(store, report)}{carried}\n{rules_text(compared, top=top)}\n{NOTE}", None)
