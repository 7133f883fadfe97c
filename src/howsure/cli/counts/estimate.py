"""`howsure counts estimate`: counts with intervals, from the scores of all units and the labels of some."""

from __future__ import annotations

from dataclasses import replace

import click

from howsure.cli.counts.input import (
    cell_options,
    cluster_option,
    prob_option,
    read_population,
    seed_option,
)
from howsure.cli.counts.sheet import join_labelled
from howsure.cli.terminal.commands import Command, rows_as_in_files
from howsure.cli.terminal.options import as_names, figure_option, level_option, output_options, report_option
from howsure.cli.terminal.output import emit, result_text, write_pictures
from howsure.counts import estimate_counts
from howsure.counts.estimation import METHODS
from howsure.errors import InputError


@click.command("estimate", cls=Command)
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--labelled", metavar="FILE.csv", help="File written by `howsure counts sample`, with labels filled in.")
@click.option(
    "--target", "label", metavar="COL", help="Alternatively, the column of labels in FILE: 1, 0, or empty if not read."
)
@click.option("--positive", metavar="VALUE", help="Label value treated as positive (default: 1).")
@click.option("--stratum", metavar="COL", help="Column of the strata within which --target was drawn at random.")
@click.option("--inclusion", metavar="COL", help="Column of the inclusion probabilities of --target.")
@cell_options
@click.option(
    "--features", callback=as_names, metavar="COL,COL,…", help="Numeric columns that may help predict the labels."
)
@cluster_option
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="auto",
    show_default=True,
    help="Method of estimation for groups and totals.",
)
@click.option("--share", is_flag=True, help="Show estimates and intervals as shares of the units.")
@level_option
@seed_option
@output_options
@figure_option("Draw the counts with their intervals")
@report_option
def estimate_command(
    file: str,
    prob: str,
    labelled: str | None,
    label: str | None,
    positive: str | None,
    stratum: str | None,
    inclusion: str | None,
    groups: list[str] | None,
    date: str | None,
    date_format: str | None,
    period: str | None,
    features: list[str] | None,
    where: str | None,
    input_format: str | None,
    cluster: str | None,
    method: str,
    share: bool,
    level: float,
    seed: int,
    form: str,
    output: str | None,
    figure: str | None,
    report: str | None,
) -> None:
    """Estimate counts per group and in all, with intervals.

    FILE: CSV, TSV, JSON lines, Parquet or .npz, with one row per unit.
    """
    if (labelled is None) == (label is None):
        raise InputError("say where the labels are: either --labelled FILE.csv or --target COL.")
    if labelled is not None and (stratum or inclusion):
        raise InputError("--stratum and --inclusion belong to --target; a file of --labelled has its own.")
    population = read_population(
        file,
        prob,
        groups=groups or (),
        date=date,
        period=period,
        date_format=date_format,
        features=features or (),
        cluster=cluster,
        label=label,
        stratum=stratum,
        inclusion=inclusion,
        where=where,
        format=input_format,
    )
    if labelled is not None:
        join_labelled(population, labelled, positive=positive)
    held = population.columns
    with rows_as_in_files(population.place):
        counts = estimate_counts(
            held["labels"],
            held["prob"],
            groups=held["groups"],
            features=held["features"],
            strata=held["strata"],
            inclusion=held["inclusion"],
            clusters=held["clusters"],
            sample=held.get("sample"),
            method=method,
            level=level,
            share=share,
            rng=seed,
            pos_label=positive if labelled is None else None,
        )
    counts = replace(counts, recipe={**counts.recipe, **population.recipe})
    shown = result_text(counts, form)  # which may refuse a column, before anything is written
    write_pictures(counts, figure=figure, report=report)
    emit(shown, output)
