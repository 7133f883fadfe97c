"""`howsure events series|export|compare|doubtful|figure`: what a store says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from howsure.cli.terminal.commands import FIGURES, Command, Written
from howsure.cli.terminal.options import in_order, level_option, output_options, raw_option
from howsure.cli.terminal.output import emit, is_raw, say
from howsure.errors import InputError
from howsure.inputs.naming import counted

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
    from howsure.cli.events.output import series_output

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
    from howsure.cli.events.output import comparison_output
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
    from howsure.cli.events.output import doubtful_output
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
