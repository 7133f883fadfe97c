"""`howsure events recount`, `merge`, `import` and `check`: stores from stores, or from scores."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING, Any

import click

from howsure.cli.events.setup import antecedent_model, coreference_options
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.options import CLUSTERINGS, PROCESSES, as_names, output_options
from howsure.cli.terminal.output import emit, json_text, table_text
from howsure.cli.terminal.progress import progress
from howsure.errors import InputError
from howsure.events.corpus import BAD_DATES, NO_DATE, REASONS
from howsure.inputs.naming import counted, natural_order

if TYPE_CHECKING:
    from howsure.events.extraction.import_events import ImportReport


# `howsure events recount`: the documents of a store counted again by another rule.

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
@click.option(
    "--workers", type=PROCESSES, metavar="N", help="Number of processes (default: one per processor, at most 4)."
)
@coreference_options
def recount_command(
    path: str,
    rule: str,
    store: str,
    model: str | None,
    coreference: str | None,
    misplaced: Any,
    by: str | None,
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
    from howsure.cli.events.setup import interrupted, rule_named, rules_text, summary
    from howsure.events.extraction.extract_events import usable_processors
    from howsure.events.extraction.recount import labels_of, recount_events
    from howsure.events.labels.answers import settled_labels
    from howsure.events.rule_comparison import compare_rules
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
    carried = (
        ""
        if labels is None
        else CARRIED.format(n=counted(len(labels.documents), "document"), path=path, question=labels.question)
    )
    emit(f"{summary(store, report)}{carried}\n{rules_text(compared, top=top)}\n{NOTE}", None)


# `howsure events merge`: parts of an input that were extracted apart, as one store.


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
    from howsure.cli.events.setup import summary
    from howsure.events.extraction.merge_stores import documents_of_all, merge_stores
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


# `howsure events import`: the scores of any model as a store.

MOST_ACTORS = 8  # of the summary
NO_TEXT = "  no text: name its column (--text) to read and label the documents in the page"
ALL_ACT = (
    "  note: every document has an event with a probability above 0. Documents that were searched without finding one "
    "belong in the file too (or in --documents): they count in shares, and what the model missed lies among them."
)


@click.command("import", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--id", required=True, metavar="COL", help="Column of the document's id.")
@click.option("--date", required=True, metavar="COL", help="Column of the date.")
@click.option("--actor", metavar="COL", help="Column of the actor; empty where nobody acts.")
@click.option("--prob", metavar="COL", help="Column of the probability that the actor acts.")
@click.option(
    "--samples",
    "drawn",
    metavar="COL",
    help="Column of samples, lists of 0 and 1; without --prob, their share is the probability.",
)
@click.option(
    "--actors",
    metavar="COL,COL,…",
    callback=as_names,
    help="Instead of --actor and --prob: a column of probabilities per actor, named after it.",
)
@click.option("--text", metavar="COL", help="Column of the text.")
@click.option("--title", metavar="COL", help="Column of the title.")
@click.option(
    "--story",
    metavar="COL",
    help="Column of the story; documents of one story count as one source (default: nearly equal texts do).",
)
@click.option(
    "--documents",
    metavar="FILE",
    help="Take id, date, text, title and story from this file, with one row per document.",
)
@click.option(
    "--event", default="event", show_default=True, metavar="NAME", help="Name of the event in tables and figures."
)
@click.option(
    "--question",
    metavar="TEXT",
    help='What readers are asked who label documents, such as "Which of these '
    "attack here?\" (default: made of the event's name).",
)
@click.option("--date-format", metavar="FORMAT", help="Date format, such as %d/%m/%Y (default: ISO 8601).")
@click.option(
    "--bad-dates",
    type=click.Choice(BAD_DATES),
    default="error",
    show_default=True,
    help="What to do about documents whose date is missing or invalid.",
)
@click.option("--from", "input_format", metavar="FORMAT", help="jsonl, csv, tsv, parquet or npz; default: by name.")
@click.option(
    "--sample-size",
    type=CLUSTERINGS,
    default=100,
    show_default=True,
    help="Number of samples to draw per event, without --samples.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option(
    "--store",
    type=Written(beside=lambda path: (f"{path}.wal",)),
    metavar="OUT",
    required=True,
    help="DuckDB file to write.",
)
def import_command(
    files: tuple[str, ...],
    actor: str | None,
    prob: str | None,
    drawn: str | None,
    actors: list[str] | None,
    documents: str | None,
    event: str,
    question: str | None,
    bad_dates: str,
    input_format: str | None,
    sample_size: int,
    seed: int,
    store: str,
    **fields: Any,
) -> None:
    """Make a store of the events that another model found in the documents of FILE...

    FILE... are CSV, TSV, JSON lines, Parquet or .npz, with one row per document and actor. Documents in which nobody
    acts belong in it, too: with a probability of 0, or without an actor.

    \b
    howsure events import scores.csv --id id --date date --actor actor --prob p --text text --store news.duckdb
    howsure events import wide.csv --id id --date date --actors IRQ,USA --event attack --store news.duckdb

    Series, comparisons, the page and labelling work on this store as on that of extract; mentions and evidence are
    unknown.
    """
    from howsure.events.corpus import Fields
    from howsure.events.extraction.import_events import import_events
    from howsure.events.extraction.imported_scores import ScoreColumns, open_scores

    columns = ScoreColumns(actor=actor, prob=prob, samples=drawn, actors=tuple(actors or ()))
    scores = open_scores(
        files,
        fields=Fields(**fields),
        columns=columns,
        documents=[documents] if documents else (),
        bad_dates=bad_dates,
        format=input_format,
    )
    with progress("documents", total=scores.corpus.total, rate=True) as advance:
        report = import_events(
            scores, store, event=event, question=question, samples=sample_size, seed=seed, advance=advance
        )
    emit(_summary(store, report, has_text=fields["text"] is not None), None)


def _summary(path: str, report: ImportReport, *, has_text: bool) -> str:
    """What is in the store."""
    from howsure.events.store.event_store import EventStore
    from howsure.events.store.reading import actors_in

    with EventStore.open(path) as store:
        actors = list(actors_in(store).items())[:MOST_ACTORS]
    held = f"{counted(report.documents, 'document')} of {counted(report.words, 'word')}"
    lines = [f"{path}: {held}, {report.with_events:,} with an event above probability 0"]
    if report.was_there:
        lines.append("  it was there: the same files were imported before")
    if report.left_out:
        lines.append(f"  left out {report.left_out:,}: {REASONS[NO_DATE]}")
    if actors:
        lines.append("  expected documents: " + ", ".join(f"{actor} {count:.1f}" for actor, (_, count) in actors))
    lines += [] if has_text else [NO_TEXT]
    lines += [ALL_ACT] if report.with_events == report.documents else []
    return "\n".join([*lines, f"next: howsure events explore {path}"]) + "\n"


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
