"""`howsure counts estimate`: counts with intervals, from the scores of all units and the labels of some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import click

from howsure.cli.counts.input import (
    Population,
    cell_options,
    cluster_option,
    in_options,
    left_out,
    prob_option,
    read_population,
    seed_option,
    speaking_of_options,
)
from howsure.cli.counts.sheet import join_labelled
from howsure.cli.terminal.commands import Command, rows_as_in_files
from howsure.cli.terminal.options import as_names, figure_option, level_option, output_options, report_option
from howsure.cli.terminal.output import command_line, emit, json_text, records_csv, table_text
from howsure.counts import estimate_counts
from howsure.counts.estimation import METHODS
from howsure.counts.results import ALL, CountEstimates
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
    with speaking_of_options():
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
    with speaking_of_options(), rows_as_in_files(population.place):
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
            rng=seed,
            pos_label=positive if labelled is None else None,
        )
    shown = _shown(counts, population, form, share=share)  # which may refuse a column, before anything is written
    if figure is not None:
        from howsure.figures.counts import count_figure
        from howsure.figures.files import save_figure

        save_figure(count_figure(counts, share=share), figure)
    if report is not None:
        from howsure.report.files import write_report
        from howsure.report.results import counts_report

        write_report(counts_report(counts, read=population.recipe, share=share, command=command_line()), report)
    emit(shown, output)


def _shown(counts: CountEstimates, population: Population, form: str, *, share: bool) -> str:
    """Counts in a format."""
    if form == "json":
        found = counts.to_dict()
        return json_text(found | {"recipe": {**found["recipe"], **population.recipe}})
    if form == "csv":
        return records_csv(_records(counts, share=share))
    table = counts.table(share=share)
    if form != "table":
        table = replace(table, caption=_comment({**counts.recipe, **population.recipe}, map(in_options, table.notes)))
    said = "\n".join(["", *map(in_options, table.notes), *left_out(population), ""])
    return table_text(table, form) + (said if form == "table" else "")


def _records(counts: CountEstimates, *, share: bool) -> list[dict[str, Any]]:
    """The rows of the table with all their digits, one number in each; with `share`, intervals of shares."""
    columns = counts.keys or ("group",)
    domains = counts.domains if len(columns) > 1 else ()
    held = []
    for row in (*(counts.rows if counts.keys else ()), *domains, counts.total):
        names = [*row.group, *[ALL] * (len(columns) - len(row.group))]
        numbers = row.to_dict()
        kept = {name: numbers[name] for name in ("n", "labelled", "positives", "estimate", "low", "high", "share")}
        if share:
            kept |= {name: numbers[name] / row.n for name in ("low", "high")}
            del kept["estimate"]
        held.append(dict(zip(columns, names, strict=True)) | kept | {"method": row.method})
    return held


def _comment(recipe: Mapping[str, Any], notes: Iterable[str]) -> str:
    """How a table came about, in a few lines."""
    words = {
        name.replace("_", " "): ", ".join(map(str, one)) if isinstance(one, (list, tuple)) else one
        for name, one in recipe.items()
        if one not in (None, [], (), {})
    }
    return "\n".join(["; ".join(f"{name} {one}" for name, one in words.items()), *notes])
