"""`howsure events series|export|compare|doubtful|figure`: what a store says."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from howsure.cli.terminal.commands import FIGURES, Command, Written
from howsure.cli.terminal.options import in_order, level_option, output_options, raw_option
from howsure.cli.terminal.output import emit, is_raw, json_text, name_text, records_csv, say, table_text
from howsure.errors import InputError
from howsure.events.series.actor_comparison import ActorComparison
from howsure.events.series.corrected_comparison import CorrectedComparison
from howsure.events.series.corrected_series import CorrectedSeries
from howsure.events.series.event_series import EventSeries
from howsure.events.series.files import csv_text
from howsure.inputs.naming import counted
from howsure.show.table import Table

# What `howsure events` shows of a store: series, comparisons, doubtful documents.

MOST_ROWS = 200  # of a table that people read
REST = "--format csv holds them all"


def series_output(series: EventSeries, form: str, path: str, left: int, reason: str = "") -> str:
    """A series in one of the formats; JSON and CSV hold all digits. reason: why it is not corrected by labels."""
    if form == "json":
        return json_text({"store": path, **series.to_dict(), **_not_corrected(reason)})
    if form == "csv":
        return csv_text(series, raw=is_raw())
    beside = _beside(series.corrected, reason)
    table = replace(series.table(), caption=_comment(series.recipe, beside))
    if form != "table":
        return table_text(table, form)
    table = table.shortened(MOST_ROWS, rest=REST)
    more = [f"{left:,} more actors: --top or --actor shows them."] if left else []
    told = [*table.notes, *more, *_told(series.recipe, beside)]
    return "\n".join([f"event: {series.event}", "", table_text(table), *told, ""])


def comparison_output(compared: ActorComparison, form: str, path: str, reason: str = "") -> str:
    """A comparison by period in one of the formats; JSON and CSV hold all digits. reason: why it is not corrected."""
    document = compared.to_dict()
    if form == "json":
        return json_text({"store": path, **document, **_not_corrected(reason)})
    if form == "csv":
        return records_csv(compared.records())
    corrected = compared.corrected
    beside = _beside(corrected, reason)
    tables = [compared.table()] if corrected is None else [compared.table(), corrected.table()]
    captions = [_comment(compared.recipe, beside), "corrected by labels"]
    tables = [replace(table, caption=said, notes=()) for table, said in zip(tables, captions, strict=False)]
    if form != "table":
        return "\n".join(table_text(table, form) for table in tables)
    raw, *others = (table_text(table.shortened(MOST_ROWS, rest=REST)) for table in tables)
    verdicts = [f"Raw counts. {compared.verdict()}" if beside else compared.verdict()]
    verdicts += [] if corrected is None else [corrected.verdict()]
    shown = ["raw", raw] if beside else [raw]
    shown += [] if corrected is None else ["corrected by labels", *others]
    notes = tables[0].shortened(MOST_ROWS, rest=REST).notes
    wrapped = [line for one in verdicts for line in textwrap.wrap(one, 100)]
    return "\n".join([f"event: {compared.event}", "", *shown, *notes, *wrapped, *_told(compared.recipe, beside), ""])


def doubtful_output(found: Sequence[Mapping[str, Any]], form: str, path: str) -> str:
    """Uncertain documents with the links that they hinge on, in one of the formats."""
    if form == "json":
        return json_text({"store": path, "documents": list(found)})
    if form != "table":
        headers = ["document", "date", "title", "actor", "probability", "mention", "with", "link_probability"]
        rows = [row for one in found for row in _link_rows(one)]
        return table_text(Table(headers, rows, words=("document", "date", "title", "actor", "mention", "with")), form)
    if not found:
        return "no document is that uncertain; see --low and --high\n"
    return "\n".join(line for one in found for line in _described(one)) + "\n"


def _described(one: Mapping[str, Any]) -> list[str]:
    title = name_text(one["title"] or "")
    lines = [f"{one['probability']:.2f}  {one['actor']}  {one['date']}  {name_text(one['id'])}  {title}".rstrip()]
    for link in one["links"]:
        words = f'"{name_text(link["mention_text"])}" ~ "{name_text(link["with_text"])}"'
        shares = f"{100 * link['with_event']:.0f} % of the samples with the event, {100 * link['without_event']:.0f} %"
        lines.append(f"      {words}, p = {link['probability']:.2f}; together in {shares} without")
    return lines


def _link_rows(one: Mapping[str, Any]) -> list[list[str]]:
    named = [one["id"], one["date"], one["title"] or "", one["actor"], f"{one['probability']:.4f}"]
    links = [[link["mention_text"], link["with_text"], f"{link['probability']:.4f}"] for link in one["links"]]
    return [[*named, *link] for link in links or [["", "", ""]]]


def _not_corrected(reason: str) -> dict[str, str]:
    return {"not_corrected": reason} if reason else {}


def _beside(corrected: CorrectedSeries | CorrectedComparison | None, reason: str) -> list[str]:
    """What the reader should know of the corrected counts, and how they were checked; or why there are none."""
    if corrected is None:
        return [reason] if reason else []
    return [" ".join(corrected.said), " ".join(corrected.checks)]


def _told(recipe: Mapping[str, Any], beside: Sequence[str]) -> list[str]:
    """What the reader should know before he believes it."""
    store = recipe["store"]
    unfinished = [] if store.get("finished", True) else ["The store is not finished: documents are missing."]
    told = f"{store['samples']} samples per document. The uncertainty is that of {recipe['uncertainty']}"
    raw = f"Raw counts: {told}" if beside else told
    lines = [line for paragraph in beside for line in textwrap.wrap(paragraph, 100)]
    return [*unfinished, *lines, *textwrap.wrap(raw, 100), *textwrap.wrap(_dependence(recipe), 100)]


def _dependence(recipe: Mapping[str, Any]) -> str:
    """What is taken as known of how documents depend on each other."""
    shared, told, rho = (recipe[name] for name in ("documents_of_shared_stories", "shared_stories", "overdispersion"))
    others = f"to have a correlation of {rho:g}" if rho else "to be independent"
    if not shared:
        return f"Different documents are assumed {others}."
    said = f"{counted(shared, 'document')} with an event tell {counted(told, 'story', 'stories')}"
    if recipe["stories"] == "apart":
        return f"{said}, but all documents are assumed {others}."
    return f"{said}: documents of one story count as one source; different stories are assumed {others}."


def _comment(recipe: Mapping[str, Any], beside: Sequence[str]) -> str:
    asked = ", ".join(f"{name} {value}" for name, value in recipe.items() if name not in ("store", "uncertainty"))
    return "\n".join([asked, *_told(recipe, beside)])


PERIODS = ("week", "month", "quarter", "year")
INTERVALS = ("exact", "normal", "samples")
STORIES = ("together", "apart")
UNITS = ("documents", "share", "entities")
Decorated = Callable[..., Any]
store_argument = click.argument("path", metavar="STORE")
by_option = click.option(
    "--by", type=click.Choice(PERIODS), default="quarter", show_default=True, help="Length of a period."
)


def recipe_beside(path: str) -> list[str]:
    """The file that goes with an exported table."""
    from howsure.events.series.files import recipe_path

    return [str(recipe_path(Path(path)))] if path.lower().endswith(".csv") else []


def as_groups(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[list[str]]:
    """Codes or names of actors, those separated by commas in one group."""
    groups = [[code.strip() for code in value.split(",")] for value in values]
    if not all(code for group in groups for code in group):
        raise click.BadParameter("a code is empty")
    return groups


def dependence_options(function: Decorated) -> Decorated:
    """How documents depend on each other, and of which days they are."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option(
            "--stories",
            type=click.Choice(STORIES),
            default="together",
            show_default=True,
            help="Treat documents of one story (reprints) as one source, or all documents as independent.",
        ),
        click.option(
            "--overdispersion",
            type=float,
            default=0.0,
            metavar="RHO",
            show_default=True,
            help="Correlation of the events of different stories, from 0 to below 1.",
        ),
        click.option("--since", metavar="DATE", help="First day (YYYY-MM-DD)."),
        click.option("--until", metavar="DATE", help="Last day (YYYY-MM-DD)."),
    ]
    return in_order(options)(function)


def correction_options(function: Decorated) -> Decorated:
    """Whether counts are corrected by labels, and what helps."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--uncorrected", is_flag=True, help="Leave out the counts corrected by labels."),
        click.option(
            "--learn", is_flag=True, help="For corrected counts, also learn from the words of the labelled texts."
        ),
        click.option(
            "--score",
            metavar="FILE",
            help="For corrected counts, also use the numbers in FILE: columns document, perhaps actor, and "
            "any number of scores.",
        ),
    ]
    return in_order(options)(function)


def series_options(function: Decorated) -> Decorated:
    """What is counted, of whom, and by what period."""
    options: list[Callable[[Decorated], Decorated]] = [
        by_option,
        click.option(
            "--actor",
            "groups",
            multiple=True,
            callback=as_groups,
            metavar="ACTOR[,ACTOR]…",
            help="Actor, by code or name; repeatable (default: the most frequent).",
        ),
        click.option(
            "--unit",
            type=click.Choice(UNITS),
            default="documents",
            show_default=True,
            help="Count documents, their share of all documents, or the entities that act.",
        ),
        click.option(
            "--interval",
            type=click.Choice(INTERVALS),
            default="exact",
            show_default=True,
            help="Exact distribution of the count, the paper's normal one, or quantiles of the samples.",
        ),
        dependence_options,
        level_option,
        correction_options,
    ]
    return in_order(options)(function)


def top_option(default: int | None, what: str) -> Callable[[Decorated], Decorated]:
    """`--top`: how many actors, where none is named."""
    return click.option(
        "--top",
        type=click.IntRange(min=1),
        default=default,
        show_default=default is not None,
        metavar="N",
        help=f"{what} the N most frequent actors, if none is named.",
    )


@click.command("series", cls=Command)
@store_argument
@series_options
@top_option(5, "Show")
@output_options
def series_command(path: str, groups: list[list[str]], top: int, form: str, output: str | None, **options: Any) -> None:
    """Show how often actors act in each period: mean, interval, and the count of the 1-best.

    \b
    howsure events series news.duckdb --actor IRQ --by year

    If documents of the store were labelled, the counts corrected by these labels stand beside the raw ones.
    """

    series, left, _, reason = _series(path, groups, top, options)
    emit(series_output(series, form, path, left, reason), output)


@click.command("export", cls=Command)
@store_argument
@click.argument("output", type=Written(".csv", ".parquet", beside=recipe_beside), metavar="FILE.csv|FILE.parquet")
@series_options
@top_option(None, "Write")
@raw_option
def export_command(path: str, output: str, groups: list[list[str]], top: int | None, **options: Any) -> None:
    """Write the series of all actors as a tidy table: one row per actor (ISO3 code) and period.

    The recipe of a CSV file is written to FILE.recipe.json, that of a Parquet file to its metadata.
    """
    from howsure.events.series.files import export_series

    series, _, _, reason = _series(path, groups, top, options)
    written = export_series(series, output, raw=is_raw())
    rows = len(series.rows)
    _say(reason)
    emit(f"{' and '.join(map(str, written))}: {rows:,} rows, {len(series.actors):,} actors\n", None)


@click.command("compare", cls=Command)
@store_argument
@click.argument("first")
@click.argument("second")
@by_option
@click.option("--unit", type=click.Choice(UNITS[::2]), default="documents", show_default=True, help="What to count.")
@dependence_options
@level_option
@correction_options
@output_options
def compare_command(path: str, first: str, second: str, form: str, output: str | None, **options: Any) -> None:
    """Print the probability that the actor FIRST acts more often than SECOND in each period.

    \b
    howsure events compare news.duckdb NATO YUG --by year
    """
    from howsure.events.series.actor_comparison import compare_actors
    from howsure.events.series.files import comparison_beside_labels
    from howsure.events.store.event_store import EventStore

    with EventStore.open(path) as store:
        helped = _correction(store, options)
        compared, reason = compare_actors(store, first, second, **options), ""
        if helped is not None:
            compared, reason = comparison_beside_labels(store, compared, **helped)
    emit(comparison_output(compared, form, path, reason), output)


@click.command("doubtful", cls=Command)
@store_argument
@click.option("--low", type=float, default=0.2, show_default=True, help="Lowest probability.")
@click.option("--high", type=float, default=0.8, show_default=True, help="Highest probability.")
@click.option("--actor", metavar="ACTOR", help="Only this actor, by code or name.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Number of documents.")
@output_options
def doubtful_command(path: str, form: str, output: str | None, **options: Any) -> None:
    """List the documents whose events are most uncertain, and the links between mentions they depend on."""
    from howsure.events.series.files import doubtful_documents
    from howsure.events.store.event_store import EventStore

    with EventStore.open(path) as store:
        found = doubtful_documents(store, **options)
    emit(doubtful_output(found, form, path), output)


@click.command("figure", cls=Command)
@store_argument
@click.argument("output", type=Written(*FIGURES), metavar="FILE.svg|.png|.pdf")
@series_options
@top_option(20, "Draw a page of")
@click.option("--title", metavar="TEXT", help="Title of the figure.")
def figure_command(
    path: str, output: str, groups: list[list[str]], top: int, title: str | None, **options: Any
) -> None:
    """Draw the series with uncertainty bands: the named actors, or a page of the most frequent ones.

    Each --actor gets its own panel; codes separated by commas share one.

    \b
    howsure events figure news.duckdb figure6.pdf --actor USA --actor YUG,NATO
    howsure events figure news.duckdb page.pdf --by month
    """
    from howsure.figures.events import event_figure, event_page
    from howsure.figures.files import save_figure

    series, _, panels, reason = _series(path, groups, top, options)
    figure = event_figure(series, panels=panels, title=title) if panels else event_page(series, title=title)
    save_figure(figure, output)
    _say(reason)
    emit(f"{output}: {series.event}, {counted(len(series.actors), 'actor')} by {series.by}\n", None)


def _say(reason: str) -> None:
    """Why there are no corrected counts, for people, who may have expected them."""
    if reason:
        say(f"howsure: {reason}")


def _correction(store: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    """What helps to correct counts, taken out of the options; None if counts are not corrected."""
    from howsure.events.series.extra_features import read_scores

    uncorrected, learn, file = (options.pop(name) for name in ("uncorrected", "learn", "score"))
    given = "--score" if file is not None else "--learn" if learn else None
    if uncorrected and given:
        raise InputError(f"{given} is for corrected counts, which --uncorrected leaves out; give one of the two.")
    return None if uncorrected else {"learn": learn, "scores": None if file is None else read_scores(store, file)}


def _series(
    path: str, groups: list[list[str]], top: int | None, options: dict[str, Any]
) -> tuple[Any, int, list[list[str]], str]:
    """The series of the actors named, or of the most frequent ones, and beside it the one corrected by labels.

    Also how many actors it leaves out, the codes of the groups, and why it is not corrected.
    """
    from howsure.events.series.event_series import event_series
    from howsure.events.series.files import series_beside_labels
    from howsure.events.store.event_store import EventStore
    from howsure.events.store.reading import chosen_actors

    with EventStore.open(path) as store:
        helped = _correction(store, options)
        panels = [list(chosen_actors(store, group)) for group in groups]
        named = [code for panel in panels for code in panel]
        acting = chosen_actors(store, named or None)
        actors = acting if named else acting[:top]
        series, reason = event_series(store, actors=actors, **options), ""
        if helped is not None:
            series, reason = series_beside_labels(store, series, **helped)
        return series, len(acting) - len(actors), panels, reason
