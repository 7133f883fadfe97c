"""`howsure counts`: from a model's scores and a few hundred labels to counts with intervals that hold."""

from __future__ import annotations

import click

from howsure.cli.counts.input import CHANCE, LABEL, ROW, STRATUM, read_population
from howsure.cli.counts.labelled import join_labelled
from howsure.cli.terminal.commands import Group
from howsure.cli.terminal.destinations import Written
from howsure.cli.terminal.options import as_names, figure_option, level_option, output_option, output_options
from howsure.cli.terminal.output import emit, json_text, say, table_text
from howsure.cli.terminal.row_numbers import rows_as_in_files
from howsure.counts import estimate_counts, labels_needed, sample_for_labels
from howsure.counts.estimation import METHODS
from howsure.counts.label_sample import DESIGNS
from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.show.table import Table

prob_option = click.option("--prob", required=True, metavar="COL", help="Column of the scores, from 0 to 1.")
by_option = click.option("--by", callback=as_names, metavar="COL,COL,…",
                         help="Columns that divide the units into cells, the period last.")  # fmt: skip
cluster_option = click.option(
    "--cluster", metavar="COL", help="Column identifying units that are read together, e.g. the document."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")


@click.group("counts", cls=Group)
def command() -> None:
    """How many units have a property, if a model's scores are known for all and labels for a few hundred?

    First draw the units to label (sample), label them in a spreadsheet, then estimate.
    """


@command.command("sample")
@click.argument("file", metavar="FILE")
@prob_option
@click.option(
    "--labels", "number", type=click.IntRange(min=1), required=True, metavar="N", help="Number of units to label."
)
@by_option
@cluster_option
@click.option("--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as an id and the text.")
@click.option("--design", type=click.Choice(DESIGNS), default="stratified", show_default=True, help="Sampling method.")
@seed_option
@click.option("--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output.")
def sample_command(
    file: str, prob: str, number: int, by: list[str] | None, cluster: str | None, show: list[str] | None,
    design: str, seed: int, output: str | None,
) -> None:  # fmt: skip
    """Draw the units to label, into a CSV.

    Units whose score is low are drawn too, since what a model misses lies there. Fill the column `label` of the CSV
    with 1 or 0. FILE: CSV, TSV, JSON lines, Parquet or .npz.
    """
    population = read_population(file, prob, by=by or (), cluster=cluster, shown=show or ())
    held = population.columns
    taken = {ROW, STRATUM, CHANCE, LABEL} & set(held["shown"])
    if taken:
        raise InputError(f"--show names {min(taken)!r}, which is the name of a column that is written; rename it.")
    with rows_as_in_files(population.place):
        sample = sample_for_labels(
            held["prob"], number, cells=held["cells"], clusters=held["clusters"], design=design, rng=seed
        )
    names = [ROW, *held["shown"], STRATUM, CHANCE, LABEL]
    shown = [column[sample.indices] for column in held["shown"].values()]
    strata = [""] * len(sample) if design == "importance" else sample.stratum[sample.indices].tolist()
    rows = [
        [str(i + 1), *("" if column[k] is None else str(column[k]) for column in shown), strata[k], repr(chance), ""]
        for k, (i, chance) in enumerate(zip(sample.indices.tolist(), sample.inclusion.tolist(), strict=True))
    ]
    emit(table_text(Table(names, rows), "csv"), output)
    if output is not None:
        say(f"{sample}\nFill the column {LABEL} of {output} with 1 or 0, then: "
            f"howsure counts estimate {file} --prob {prob} --labelled {output}")  # fmt: skip


@command.command("estimate")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--labelled", metavar="FILE.csv", help="File written by `howsure counts sample`, with labels filled in.")
@click.option(
    "--target", "label", metavar="COL", help="Alternatively, the column of labels in FILE: 1, 0, or empty if not read."
)
@click.option("--stratum", metavar="COL", help="Column of the strata within which --target was drawn at random.")
@click.option("--inclusion", metavar="COL", help="Column of the inclusion probabilities of --target.")
@by_option
@click.option(
    "--features", callback=as_names, metavar="COL,COL,…", help="Numeric columns that may help predict the labels."
)
@cluster_option
@click.option("--method", type=click.Choice(METHODS), default="auto", show_default=True,
              help="Method of estimation for cells and totals.")  # fmt: skip
@level_option
@seed_option
@output_options
@figure_option("Draw the counts with their intervals")
def estimate_command(
    file: str, prob: str, labelled: str | None, label: str | None, stratum: str | None, inclusion: str | None,
    by: list[str] | None, features: list[str] | None, cluster: str | None, method: str, level: float, seed: int,
    form: str, output: str | None, figure: str | None,
) -> None:  # fmt: skip
    """Estimate counts per cell and in all, with intervals.

    FILE: CSV, TSV, JSON lines, Parquet or .npz, with one row per unit.
    """
    if (labelled is None) == (label is None):
        raise InputError("say where the labels are: either --labelled FILE.csv or --target COL.")
    if labelled is not None and (stratum or inclusion):
        raise InputError("--stratum and --inclusion belong to --target; a file of --labelled has its own.")
    population = read_population(
        file, prob, by=by or (), features=features or (), cluster=cluster, label=label, stratum=stratum,
        inclusion=inclusion,
    )  # fmt: skip
    if labelled is not None:
        join_labelled(population, labelled)
    held = population.columns
    with rows_as_in_files(population.place):
        counts = estimate_counts(
            held["prob"], held["labels"], cells=held["cells"], features=held["features"], strata=held["strata"],
            inclusion=held["inclusion"], clusters=held["clusters"], method=method, level=level, rng=seed,
        )  # fmt: skip
    if figure is not None:
        from howsure.figures.counts import count_figure
        from howsure.figures.files import save_figure

        save_figure(count_figure(counts), figure)
    if form == "json":
        found = counts.to_dict()
        emit(json_text(found | {"recipe": {**found["recipe"], **population.recipe}}), output)
        return
    table = counts.table()
    said = "\n".join(["", *table.notes, ""])
    emit(table_text(table, form) + (said if form == "table" else ""), output)


@command.command("plan")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--width", type=float, required=True, metavar="W", help="Width of the total's interval, in units.")
@click.option("--design", type=click.Choice(["stratified", "simple"]), default="stratified", show_default=True,
              help="Sampling method.")  # fmt: skip
@level_option
@output_option
def plan_command(file: str, prob: str, width: float, design: str, level: float, output: str | None) -> None:
    """How many labels does an interval of this width need?

    FILE: CSV, TSV, JSON lines, Parquet or .npz."""
    population = read_population(file, prob)
    score = population.columns["prob"]
    with rows_as_in_files(population.place):
        n = labels_needed(score, width=width, design=design, level=level)
    said = f"{counted(n, 'label')} of {counted(len(score), 'unit')} for an interval about {width:g} units wide"
    emit(f"{said}, planned from the scores alone; the more positives they miss, the wider it gets.\n", output)


__all__ = ["command"]
