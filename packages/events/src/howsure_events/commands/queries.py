"""`howsure events series|compare|doubtful|regress`: queries to a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from howsure.data.sources import read
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.derived import parameter_help
from howsure_cli.terminal.options import (
    as_figure_option,
    as_names,
    choice_option,
    figure_option,
    in_order,
    level_option,
    output_options,
    report_option,
)
from howsure_cli.terminal.output import emit, write_pictures
from howsure_events.commands.options import days_options
from howsure_events.commands.output import doubtful_output, result_output
from howsure_events.questions import COMPARISON_PARAMETERS, QUERY_PARAMETERS, query_defaults
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.event_series import event_series
from howsure_events.series.extra_features import read_scores
from howsure_events.series.files import comparison_with_corrections, doubtful_documents, series_with_corrections
from howsure_events.series.regress_events import regress_events
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import Store, chosen_actors

Decorated = Callable[..., Any]
Options = dict[str, Any]
TOP, TOP_DRAWN = 5, 20  # actors of a series, if none is named
LISTED = 20  # doubtful documents

store_argument = click.argument("path", metavar="STORE")


def as_groups(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[list[str]]:
    """Return the codes or names of actors as groups: those of one option, separated by commas, are one group."""
    groups = [[code.strip() for code in value.split(",")] for value in values]
    if not all(code for group in groups for code in group):
        raise click.BadParameter("a code is empty")
    return groups


def query_options(question: Decorated, *names: str, **defaults: Any) -> Callable[[Decorated], Decorated]:
    """Return a decorator with options for parameters of a query, as declared in `howsure_events.questions`."""
    default_values = query_defaults(question) | defaults
    declared = QUERY_PARAMETERS | (COMPARISON_PARAMETERS if question is compare_actors else {})
    options = []
    for name in names:
        declaration = declared[name]
        kind = (
            click.Choice(declaration.words)
            if declaration.words
            else float
            if declaration.most is None
            else click.IntRange(min=1)
        )
        options.append(
            click.option(
                f"--{name}",
                type=kind,
                default=default_values[name],
                show_default=True,
                metavar=declaration.sign,
                help=declaration.about,
            )
        )
    return in_order(options)


def correction_options(function: Decorated) -> Decorated:
    """Add the options for the correction of counts by labels."""
    return in_order(
        [
            click.option("--uncorrected", is_flag=True, help="Leave out the counts corrected by labels."),
            click.option(
                "--learn", is_flag=True, help="For corrected counts, also learn from the words of the labelled texts."
            ),
            click.option("--score", metavar="FILE"),
        ]
    )(function)


@click.command("series", cls=Command)
@store_argument
@query_options(event_series, "period")
@click.option("--actor", "groups", multiple=True, callback=as_groups, metavar="ACTOR[,ACTOR]…")
@click.option("--top", type=click.IntRange(min=1), metavar="N")
@query_options(event_series, "unit", "interval", "stories", "overdispersion")
@days_options
@level_option
@correction_options
@output_options
@figure_option()
@click.option("--title", metavar="TEXT", callback=as_figure_option, help="Title of the figure.")
def series_command(
    path: str,
    groups: list[list[str]],
    top: int | None,
    form: str,
    output: str | None,
    figure: str | None,
    title: str | None,
    **options: Any,
) -> None:
    """Show how often actors act in each period: mean, interval, and the count of the 1-best.

    \b
    howsure events series news.duckdb --actor IRQ --period year
    howsure events series news.duckdb --figure figure6.pdf --actor USA --actor YUG,NATO
    howsure events series news.duckdb --period month --format csv --output attacks.csv

    If documents of the store were labelled, the counts corrected by these labels are shown next to the raw ones. In a
    figure, codes separated by commas share a panel. CSV has one row per actor (ISO3 code) and period, with all digits;
    JSON has the recipe, too.
    """
    with EventStore.open(path) as store:
        helped = _correction(store, options)
        panels = [list(chosen_actors(store, group)) for group in groups]
        acting = chosen_actors(store, [code for panel in panels for code in panel] or None)
        most = None if panels else top or (TOP_DRAWN if figure else TOP)
        series = event_series(store, actors=acting[:most], **options)
        if helped is not None:
            series = series_with_corrections(store, series, **helped)
    left = len(acting) - len(series.actors)
    more = [f"{counted(left, 'more actor')}: --top or --actor shows them."] if left else []
    if figure is not None:
        from howsure.figures.files import save_figure
        from howsure_events.figures import event_figure, event_page

        drawn = event_figure(series, panels=panels, title=title) if panels else event_page(series, title=title)
        save_figure(drawn, figure)
    emit(result_output(series, form, output, more=more, store=path), output)


@click.command("compare", cls=Command)
@store_argument
@click.argument("first")
@click.argument("second")
@query_options(compare_actors, "period", "unit", "stories", "overdispersion")
@days_options
@level_option
@correction_options
@output_options
def compare_command(path: str, first: str, second: str, form: str, output: str | None, **options: Any) -> None:
    """Print the probability that the actor FIRST acts more often than SECOND in each period.

    \b
    howsure events compare news.duckdb NATO YUG --period year
    """
    with EventStore.open(path) as store:
        helped = _correction(store, options)
        compared = compare_actors(store, first, second, **options)
        if helped is not None:
            compared = comparison_with_corrections(store, compared, **helped)
    emit(result_output(compared, form, output, store=path), output)


REGRESS = parameter_help(regress_events)


@click.command("regress", cls=Command)
@store_argument
@click.argument("file", required=False)
@click.option("--covariates", callback=as_names, metavar="COL,COL,…")
@click.option("--fixed-effects", callback=as_names, metavar="COL,COL,…")
@click.option("--treated", metavar="COL")
@click.option("--after", metavar="COL")
@click.option(
    "--on", callback=as_names, default="actor,period", show_default=True, metavar="COL,COL,…", help=REGRESS["on"]
)
@query_options(regress_events, "period")
@choice_option("--method", of=("linear", "logit"), help=REGRESS["method"])
@level_option
@output_options
@figure_option()
@report_option
def regress_command(
    path: str, file: str | None, form: str, output: str | None, figure: str | None, report: str | None, **options: Any
) -> None:
    """Regress whether actors act in a document on covariates, with the labels of documents.

    \b
    howsure events regress news.duckdb --covariates actor
    howsure events regress news.duckdb troops.csv --covariates troops --fixed-effects actor,period

    FILE: a row for each actor in each period (with --on period, for each period); --covariates and the like name its
    columns, or are `actor` or `period`. The table has naive coefficients, which treat the model's probabilities as
    labels, and corrected coefficients, which use the labels of coders.
    """
    arguments = {name: value for name, value in options.items() if value is not None}
    with EventStore.open(path) as store:
        regression = regress_events(store, **arguments, data=None if file is None else read(file))
    text = result_output(regression, form, output, store=path)  # first, because it may refuse a column
    write_pictures(regression, figure=figure, report=report)
    emit(text, output)


@click.command("doubtful", cls=Command)
@store_argument
@query_options(doubtful_documents, "low", "high")
@click.option("--actor", metavar="ACTOR", help="Only this actor, by code or name (default: all).")
@query_options(doubtful_documents, "limit", limit=LISTED)
@output_options
def doubtful_command(path: str, form: str, output: str | None, **options: Any) -> None:
    """List the documents whose events are most uncertain, and the links between mentions they depend on."""
    with EventStore.open(path) as store:
        documents = doubtful_documents(store, **options)
    emit(doubtful_output(documents, form, path), output)


def _correction(store: Store, options: Options) -> Options | None:
    """Remove the settings of the correction from the options and return them; None if counts are not corrected."""
    uncorrected, learn, file = (options.pop(name) for name in ("uncorrected", "learn", "score"))
    correction_option = "--score" if file is not None else "--learn" if learn else None
    if uncorrected and correction_option:
        raise InputError(
            f"{correction_option} is for corrected counts, but --uncorrected leaves them out; give one of the two."
        )
    return None if uncorrected else {"learn": learn, "scores": None if file is None else read_scores(store, file)}
