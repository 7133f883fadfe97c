"""`howsure events import`: the scores of any model as a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from howsure.inputs.numbers_and_names import counted
from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.options import CLUSTERINGS, as_names, seed_option
from howsure_cli.terminal.output import emit, progress
from howsure_events.commands.options import date_options, store_option
from howsure_events.commands.output import dates_read, empty_texts, next_steps
from howsure_events.commands.setup import say_notes
from howsure_events.corpus import NO_DATE, REASONS

if TYPE_CHECKING:
    from howsure_events.extraction.import_events import ImportReport

MAX_ACTORS = 8  # in the summary
UNLIKELY = 0.1  # a classifier of all documents gives some of them a lower probability

NO_TEXT = "  no text: name its column (--text) to read and label the documents in the page"
ALL_ACT = (
    "  note: every document has an event with a probability of at least 0.1. Documents in which the model found "
    "nothing belong in the file too (or in --documents): they count in shares, and may contain events that it missed."
)


@click.command("import", cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--id", metavar="COL")
@click.option("--date", required=True, metavar="COL")
@click.option("--actor", metavar="COL", help="Column of the actor; empty where nobody acts.")
@click.option("--prob", metavar="COL")
@click.option(
    "--actors",
    metavar="COL,COL,…",
    is_flag=False,
    flag_value="?",  # whose refusal lists the columns
    callback=as_names,
    help="Instead of --actor and --prob: a column of probabilities per actor, named after it.",
)
@click.option("--text", metavar="COL")
@click.option("--title", metavar="COL")
@click.option("--story", metavar="COL")
@click.option(
    "--documents",
    metavar="FILE",
    help="Take id, date, text, title and story from this file, with one row per document.",
)
@click.option(
    "--event", default="event", show_default=True, metavar="NAME", help="Name of the event in tables and figures."
)
@click.option("--question", metavar="TEXT")
@date_options
@click.option("--from", "input_format", metavar="FORMAT")
@click.option(
    "--sample-size", type=CLUSTERINGS, default=100, show_default=True, help="Number of samples to draw per event."
)
@seed_option()
@store_option
def import_command(
    files: tuple[str, ...],
    actor: str | None,
    prob: str | None,
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

    FILE... are CSV, TSV, JSON lines, Parquet or .npz, with one row per document and actor. Include the
    documents without any event: with a probability of 0, or without an actor. With --actors, the table has one row per
    document and a column of probabilities for each actor; without --id, the number of the row is its id.

    \b
    howsure events import scores.csv --id id --date date --actor actor --prob p --text text --store news.duckdb
    howsure events import wide.csv --id id --date date --actors IRQ,USA --event attack --store news.duckdb

    The store works with events series, compare, explore and label, like one that events extract made. It has no
    mentions and no evidence, since the files do not hold them.
    """
    from howsure_events.corpus import Fields
    from howsure_events.extraction.import_events import import_events
    from howsure_events.extraction.imported_scores import ScoreColumns, open_scores

    columns = ScoreColumns(actor=actor, prob=prob, actors=tuple(actors or ()))
    scores = open_scores(
        files,
        fields=Fields(**fields),
        columns=columns,
        documents=[documents] if documents else (),
        bad_dates=bad_dates,
        format=input_format,
    )
    say_notes(scores.corpus)
    with progress("documents", total=scores.corpus.total, rate=True) as advance:
        report = import_events(
            scores, store, event=event, question=question, samples=sample_size, rng=seed, advance=advance
        )
    may_lack = not actors and report.with_events == report.documents and report.lowest >= UNLIKELY
    emit(_summary(store, report, has_text=fields["text"] is not None, may_lack_documents=may_lack), None)


def _summary(path: str, report: ImportReport, *, has_text: bool, may_lack_documents: bool) -> str:
    """Describe the contents of the store. may_lack_documents: whether the files may have only those with events."""
    from howsure_events.labels.draw_documents import UNNAMED
    from howsure_events.store.event_store import EventStore
    from howsure_events.store.store_queries import acting_actors

    with EventStore.open(path) as store:
        actors = list(acting_actors(store).items())[:MAX_ACTORS]
        dates = dates_read(store.settings)
        has_question = store.settings.get("rule") != {"name": UNNAMED}
    corpus_size = f"{counted(report.documents, 'document')} of {counted(report.words, 'word')}"
    lines = [f"{path}: {corpus_size}, {report.with_events:,} with an event above probability 0"]
    lines += dates
    if report.was_there:
        lines.append("  it was there: the same files were imported before")
    lines += empty_texts(report.empty) if has_text else []
    if report.left_out:
        lines.append(f"  left out {report.left_out:,}: {REASONS[NO_DATE]}")
    if actors:
        lines.append("  expected documents: " + ", ".join(f"{actor} {count:.1f}" for actor, (_, count) in actors))
    lines += [] if has_text else [NO_TEXT]
    lines += [ALL_ACT] if may_lack_documents else []
    return "\n".join([*lines, next_steps(path, has_question=has_question)]) + "\n"
