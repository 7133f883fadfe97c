"""`howsure events label` and `howsure events labels`: documents to read, and labels in files."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from howsure.inputs.numbers_and_names import counted
from howsure.show.table import Table
from howsure_cli.terminal.commands import Command, Group, OutputFile, check_labels_kept
from howsure_cli.terminal.options import as_names, level_option, output_options, seed_option
from howsure_cli.terminal.output import SHEET_ENCODING, emit, json_text, table_text
from howsure_events.commands.output import result_output
from howsure_events.commands.page import serve_page, serving_options
from howsure_events.commands.queries import as_groups
from howsure_events.labels.agreement import Disagreement, agreement, disagreements
from howsure_events.labels.answers import Answer, current_answers, find_labelling, reading_order, require_labelling
from howsure_events.labels.coder_progress import OVERLAP, reading_plan_lines
from howsure_events.labels.coders import coder_names, merged_notes
from howsure_events.labels.draw_documents import DESIGNS, LENGTHS, actor_question, draw_documents, rule_question
from howsure_events.labels.import_labels import (
    IMPORTED_DESIGNS,
    import_labels,
    label_table,
    reading_sheet,
    readings_table,
)
from howsure_events.labels.totals_so_far import one_more_hour
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import acting_actors, query_rows

if TYPE_CHECKING:
    from howsure_events.explorer import Visitor

LABELS = 200
HOW_LONG = "(Ctrl-C ends it; every answer is stored at once)"
ANY_NAME = "the documents and answer under any name (--coders A,B gives each coder a link of their own)"


def as_codes(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """Return the codes or names of actors in one list; None if the option is not given."""
    return [code for group in as_groups(context, parameter, values) for code in group] or None


@click.command("label", cls=Command)
@click.argument("path", metavar="STORE")
@click.option("--labels", "n", type=click.IntRange(min=1), metavar="N")
@click.option("--actor", "actors", multiple=True, callback=as_codes, metavar="ACTOR[,ACTOR]…")
@click.option("--question", metavar="TEXT")
@click.option(
    "--period",
    type=click.Choice(LENGTHS),
    help="Periods that all get labels (default: quarter; longer ones if N is too small).",
)
@click.option("--design", type=click.Choice(DESIGNS))
@seed_option(to="rng")
@click.option("--draw-only", is_flag=True, help="Draw, and do not open the page.")
@click.option("--assisted", is_flag=True, help="Show coders what the rule found (default: only the text).")
@click.option(
    "--overlap",
    type=click.FloatRange(0.0, 1.0, min_open=True),
    default=OVERLAP,
    show_default=True,
    metavar="SHARE",
    help="Proportion of the documents that every coder after the first also reads.",
)
@click.option("--coders", callback=as_names, metavar="A,B,…")
@click.option(
    "--coordinator",
    metavar="NAME",
    help="Name of the coordinator, under which only the coordinator's link answers and settles.",
)
@serving_options
def label_command(path: str, n: int | None, draw_only: bool, **options: Any) -> None:
    """Draw documents of STORE at random, and read them in a page: which actors act in each? Ctrl-C ends it.

    \b
    howsure events label news.duckdb --labels 200
    howsure events label news.duckdb --actor IRQ,USA --question "Which of these bomb here?"

    Every answer is stored at once: rerun the same command to resume, with a larger N to read more. Documents in which
    the rule found nothing are drawn too, since events that it misses are there.
    """
    serving = {name: options.pop(name) for name in ("port", "host", "names", "show", "language")}
    reading = {name: options.pop(name) for name in ("assisted", "overlap", "coders", "coordinator")}
    with EventStore.open(path, read_only=False) as store, contextlib.suppress(KeyboardInterrupt):
        _draw(store, n, options, language=serving["language"])
        progress_notes = [*reading_plan_lines(store, overlap=reading["overlap"]), one_more_hour(store)]
        emit("".join(f"  {line}\n" for line in progress_notes if line), None)
        if not draw_only:
            from howsure_events.explorer import Room

            room = Room(store, **{**reading, "coders": reading["coders"] or ()})
            what = "the documents and answer" if room.coders else ANY_NAME
            serve_page(store, what=what, links=_link_text, room=room, **serving)


def _link_text(addresses: Mapping[Visitor, str]) -> str:
    """Format the link of each visitor, one per line."""
    links = {
        "coordinator (totals, disagreements, series)" if visitor.is_coordinator else visitor.coder: address
        for visitor, address in addresses.items()
    }
    shared = links.pop(None, None)
    first = "labelled by these links" if shared is None else f"labelled at {shared}"
    return "\n".join([f"{first} {HOW_LONG}", *(f"  {name}: {address}" for name, address in links.items())])


def _draw(store: EventStore, number: int | None, options: dict[str, Any], *, language: str) -> None:
    """Draw further documents up to a total number; by default the question is made from the rule, in `language`."""
    drawn = 0 if find_labelling(store) is None else len(reading_order(store))
    rule = store.settings.get("rule") or {}
    actors = options["actors"] or [*acting_actors(store)]
    if find_labelling(store) is None and options["question"] is None and actor_question(rule, actors) is not None:
        options["question"] = rule_question(rule, actors, language)
    stored = int(query_rows(store, "SELECT count(*) FROM documents")[0][0])
    sample = draw_documents(store, number or drawn or max(min(LABELS, stored), 1), **options)
    if sum(sample.drawn):
        emit(result_output(sample, "table", None), None)
    else:
        emit(f"{counted(drawn, 'document')} drawn before: {sample.question}\n", None)


@click.group("labels", cls=Group)
def labels_command() -> None:
    """Labels of a store: to and from files, and how far coders agree.

    Draw documents and read them in the page with `howsure events label STORE`.
    """


@labels_command.command("sheet")
@click.argument("path", metavar="STORE")
@click.option("--output", type=OutputFile(".csv", ".json"), required=True, metavar="OUT")
@click.option("--semicolons", is_flag=True, help="Semicolons in a .csv, for a spreadsheet with decimal commas.")
def sheet_command(path: str, output: str, semicolons: bool) -> None:
    """Write the drawn documents for reading elsewhere.

    A CSV has a row per document and actor, and an empty column label to fill with 1, 0 or unclear. JSON has the texts
    with their ids, for Label Studio; `howsure events labels import` reads what it exports, and the filled CSV.
    """
    with EventStore.open(path) as store:
        rows, actors = reading_sheet(store), require_labelling(store).actors
    if output.endswith(".csv"):
        cells = [[*map(str, row.values()), actor, ""] for row in rows for actor in actors]
        text = Table([*rows[0], "actor", "label"], cells).csv(separator=";" if semicolons else ",")
        check_labels_kept(output, text, column="label")
        emit(f"{text}\n", output, encoding=SHEET_ENCODING)
    else:
        emit(json_text(rows), output)
    emit(f"{counted(len(rows), 'document')} to read in {output}\n", None)


@labels_command.command("import")
@click.argument("path", metavar="STORE")
@click.argument("file", metavar="FILE")
@click.option("--coder", metavar="NAME", help="Name of the coder, if FILE names none (or instead of what it names).")
@click.option("--design", type=click.Choice(IMPORTED_DESIGNS))
@click.option("--actor", "actors", multiple=True, callback=as_codes, metavar="ACTOR[,ACTOR]…")
@click.option("--question", metavar="TEXT")
@click.option("--positive", "pos_label", metavar="VALUE")
@click.option("--encoding", metavar="NAME")
def import_command(path: str, file: str, **options: Any) -> None:
    """Add the labels in FILE to STORE.

    FILE: CSV with the columns document, actor and label (1, 0 or unclear), and perhaps coder and inclusion; or the JSON
    of Label Studio, whose texts had a field document with their id.

    \b
    howsure events labels import news.duckdb labels.csv
    howsure events labels import news.duckdb export.json --coder anna --design simple
    """
    with EventStore.open(path, read_only=False) as store:
        report = import_labels(store, file, **options)
    emit(f"{path}: {report}\n", None)


@labels_command.command("export")
@click.argument("path", metavar="STORE")
@click.option("--readings", is_flag=True, help="Write all documents instead, with up to two answers for each.")
@click.option("--output", type=OutputFile(".csv"), metavar="OUT.csv")
def export_command(path: str, readings: bool, output: str | None) -> None:
    """Write all answers as CSV: document, date, actor, label, coder, stratum, inclusion.

    \b
    howsure events labels export news.duckdb --output labels.csv
    howsure events labels export news.duckdb --readings --output readings.csv
    howsure counts estimate readings.csv --where "actor = 'IRQ'" --prob score --target label --stratum stratum \\
        --second second --settled settled

    With --readings, the file has a row per document and actor, labelled or not. `howsure counts estimate` uses the
    documents that two coders labelled to correct annotation errors.
    """
    with EventStore.open(path) as store:
        table = readings_table(store) if readings else label_table(store)
    emit(table_text(table, "csv"), output)
    if output is not None:
        emit(f"{counted(len(table.rows), 'row' if readings else 'label')} in {output}\n", None)


@labels_command.command("agreement")
@click.argument("path", metavar="STORE")
@click.option("--coders", metavar="A,B,…", callback=as_names)
@level_option
@seed_option()
@output_options
def agreement_command(
    path: str, coders: list[str] | None, level: float, seed: int, form: str, output: str | None
) -> None:
    """Print how far coders agree beyond chance: Krippendorff's alpha per actor and in all, with intervals."""
    with EventStore.open(path) as store:
        coder_agreement = agreement(store, coders=coders, level=level, rng=seed)
    emit(result_output(coder_agreement, form, output), output)


@labels_command.command("disagreements")
@click.argument("path", metavar="STORE")
@output_options
def disagreements_command(path: str, form: str, output: str | None) -> None:
    """List the documents that coders answered differently, and what settled them; the page settles them."""
    with EventStore.open(path) as store:
        differences = disagreements(store)
        answers = current_answers(store)
        ids: dict[int, str] = dict(query_rows(store, "SELECT document, id FROM documents"))
        table, notes = _differing(differences, ids), merged_notes(coder_names(store).merged)
    if form == "json":
        documents = {"store": path, "documents": [_plain(disagreement, ids) for disagreement in differences]}
        emit(json_text(documents | ({"notes": notes} if notes else {})), output)
    elif form == "table":
        shown = table_text(table, form) if differences else f"{_agreement_note(answers)}\n"
        emit("".join([shown, *("\n" for _ in notes[:1]), *(f"{note}\n" for note in notes)]), output)
    else:
        emit(table_text(table, form), output)


def _agreement_note(answers: Sequence[Answer]) -> str:
    """Explain why there are no disagreements."""
    times = Counter(answer.document for answer in answers)
    twice = sum(n > 1 for n in times.values())
    if twice:
        return f"all coders agree on the {counted(twice, 'document')} that two or more of them read"
    documents_read = counted(len(times), "document was", "documents were") if times else "no document was"
    return f"{documents_read} read yet, none by two coders: nobody could disagree"


def _differing(differences: list[Disagreement], ids: dict[int, str]) -> Table:
    coders = sorted({answer.coder for disagreement in differences for answer in disagreement.answers})
    rows = []
    for disagreement in differences:
        by = {answer.coder: _answer_text(answer) for answer in disagreement.answers}
        settled = (
            ""
            if disagreement.settled is None
            else f"{_answer_text(disagreement.settled)} ({disagreement.settled.coder})"
        )
        rows.append([ids[disagreement.document], *(by.get(coder, "") for coder in coders), settled])
    headings = ["document", *coders, "settled"]
    return Table(headings, rows, words=headings)


def _answer_text(answer: Answer) -> str:
    return "unclear" if answer.unclear else ", ".join(answer.acting) or "none"


def _plain(disagreement: Disagreement, ids: dict[int, str]) -> dict[str, Any]:
    answers = [*disagreement.answers] if disagreement.settled is None else [*disagreement.answers, disagreement.settled]
    return {
        "document": ids[disagreement.document],
        "answers": [
            {
                "coder": answer.coder,
                "acting": list(answer.acting),
                "unclear": answer.unclear,
                "settles": answer is disagreement.settled,
            }
            for answer in answers
        ],
    }
