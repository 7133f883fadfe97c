"""`howsure counts sample`: the units to label."""

from __future__ import annotations

import shlex
from typing import Any

import click
import numpy as np

from howsure.cli.counts.input import (
    CHANCE,
    CHECK,
    LABEL,
    ROW,
    STRATUM,
    cell_options,
    cluster_option,
    prob_option,
    read_population,
    seed_option,
)
from howsure.cli.counts.sheet import Sheet, read_sheet, sheet_table, two_values
from howsure.cli.terminal.commands import Command, Written, rows_as_in_files
from howsure.cli.terminal.options import as_names
from howsure.cli.terminal.output import emit, say, table_text
from howsure.counts import LabelSample, sample_for_labels
from howsure.counts.further_labels import joined, recovered_sample
from howsure.counts.label_sample import DESIGNS
from howsure.errors import InputError
from howsure.result import rows_read


@click.command("sample", cls=Command)
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--labels", "n", type=click.IntRange(min=1), required=True, metavar="N", help="Number of units to label.")
@cell_options
@cluster_option
@click.option("--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as an id and the text.")
@click.option("--design", type=click.Choice(DESIGNS), default="stratified", show_default=True, help="Sampling method.")
@click.option(
    "--more",
    metavar="FILE.csv",
    help="Filled sheet of an earlier sample: draw N further units, and write all into one sheet.",
)
@seed_option
@click.option("--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output.")
def sample_command(
    file: str,
    prob: str,
    n: int,
    groups: list[str] | None,
    date: str | None,
    date_format: str | None,
    period: str | None,
    where: str | None,
    input_format: str | None,
    cluster: str | None,
    show: list[str] | None,
    design: str,
    more: str | None,
    seed: int,
    output: str | None,
) -> None:
    """Draw the units to label, into a CSV.

    Units whose score is low are drawn too, since what a model misses lies there. Fill the column `label` of the CSV
    with 1 or 0. FILE: CSV, TSV, JSON lines, Parquet or .npz.
    """
    taken = {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show or ())
    if taken:
        raise InputError(f"--show names {min(taken)!r}, which is the name of a column that is written; rename it.")
    population = read_population(
        file,
        prob,
        groups=groups or (),
        date=date,
        period=period,
        date_format=date_format,
        cluster=cluster,
        shown=show or (),
        where=where,
        format=input_format,
    )
    held = population.columns
    earlier = None if more is None else read_sheet(population, more, words=True, whole=True)
    given = {"groups": held["groups"], "clusters": held["clusters"]}
    with rows_as_in_files(population.place):
        if earlier is None:
            sample = sample_for_labels(held["prob"], n, design=design, rng=seed, **given)
        else:
            sample = _further(held["prob"], n, earlier, str(more), seed, given)
    shown = population.at(sample.indices.tolist())
    columns = {name: shown[name] for name in show or ()}
    labels = {} if earlier is None else earlier.labels
    emit(table_text(sheet_table(sample, held["prob"], columns, labels=labels), "csv"), output)
    if output is not None:
        same = {
            "--prob": prob,
            "--labelled": output,
            "--group": groups and ",".join(groups),
            "--date": date,
            "--period": period,
            "--date-format": date_format,
            "--cluster": cluster,
            "--where": where,
            "--from": input_format,
        }
        typed = [part for name, value in same.items() if value for part in (name, value)]
        table = sample.table().shortened(rest=f"{output} holds the units themselves")
        say(
            f"{rows_read(population.recipe)}\n{len(sample):,} of {len(sample.codes):,} units to read\n{table}\n"
            f"Fill the column {LABEL} of {output} with 1 or 0, then: "
            f"{shlex.join(['howsure', 'counts', 'estimate', file, *typed])}"
        )


def _further(score: Any, number: int, earlier: Sheet, file: str, seed: int, given: dict[str, Any]) -> LabelSample:
    """The sample of a sheet and further units as one."""
    if all(name is None for name in earlier.strata.values()):
        raise InputError(f"--more: {file} was drawn by --design importance; further units can be drawn in strata only.")
    before = recovered_sample(score, earlier.strata, **given)
    told = [earlier.chances[unit] for unit in before.indices.tolist()]
    if not np.allclose(before.inclusion, told, rtol=1e-3):
        raise InputError(
            f"--more: {file} must hold all rows of its sample, with the inclusion probabilities that this gave; some "
            "are missing or changed. What was drawn and is not labelled cannot be drawn again."
        )
    labels = two_values(earlier.labels, file)
    further = sample_for_labels(score, number, batch=(before, labels), rng=seed, clusters=given["clusters"])
    return joined(before, further, clusters=given["clusters"])
