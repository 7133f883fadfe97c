"""`howsure counts sample`: the units to label."""

from __future__ import annotations

import click

from howsure.cli.counts.input import CHANCE, CHECK, LABEL, ROW, STRATUM, read_population
from howsure.cli.counts.options import cell_options, cluster_option, prob_option, seed_option
from howsure.cli.counts.sheet import sheet_table
from howsure.cli.counts.wording import speaking_of_options
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.destinations import Written
from howsure.cli.terminal.options import as_names
from howsure.cli.terminal.output import emit, say, table_text
from howsure.cli.terminal.row_numbers import rows_as_in_files
from howsure.counts import sample_for_labels
from howsure.counts.label_sample import DESIGNS
from howsure.errors import InputError


@click.command("sample", cls=Command)
@click.argument("file", metavar="FILE")
@prob_option
@click.option(
    "--labels", "number", type=click.IntRange(min=1), required=True, metavar="N", help="Number of units to label."
)
@cell_options
@cluster_option
@click.option("--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as an id and the text.")
@click.option("--design", type=click.Choice(DESIGNS), default="stratified", show_default=True, help="Sampling method.")
@seed_option
@click.option("--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output.")
def sample_command(
    file: str, prob: str, number: int, by: list[str] | None, date: str | None, period: str | None,
    cluster: str | None, show: list[str] | None, design: str, seed: int, output: str | None,
) -> None:  # fmt: skip
    """Draw the units to label, into a CSV.

    Units whose score is low are drawn too, since what a model misses lies there. Fill the column `label` of the CSV
    with 1 or 0. FILE: CSV, TSV, JSON lines, Parquet or .npz.
    """
    taken = {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show or ())
    if taken:
        raise InputError(f"--show names {min(taken)!r}, which is the name of a column that is written; rename it.")
    with speaking_of_options():
        population = read_population(
            file, prob, by=by or (), date=date, period=period, cluster=cluster, shown=show or ()
        )
        held = population.columns
        with rows_as_in_files(population.place):
            sample = sample_for_labels(
                held["prob"], number, cells=held["cells"], clusters=held["clusters"], design=design, rng=seed
            )
    shown = population.at(sample.indices.tolist())
    emit(table_text(sheet_table(sample, held["prob"], {name: shown[name] for name in show or ()}), "csv"), output)
    if output is not None:
        said = sample.table().shortened(rest=f"{output} holds the units themselves")
        say(f"{len(sample):,} of {len(sample.codes):,} units to read\n{said}\n"
            f"Fill the column {LABEL} of {output} with 1 or 0, then: "
            f"howsure counts estimate {file} --prob {prob} --labelled {output}")  # fmt: skip
