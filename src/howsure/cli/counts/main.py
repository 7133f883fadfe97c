"""`howsure counts`: from a model's scores and a few hundred labels to counts with intervals that hold."""

from __future__ import annotations

import click

from howsure.cli.counts.estimate import estimate_command
from howsure.cli.counts.input import prob_option, read_population
from howsure.cli.counts.sample import sample_command
from howsure.cli.counts.sheet import join_labelled
from howsure.cli.terminal.commands import Group, rows_as_in_files
from howsure.cli.terminal.options import level_option, output_option
from howsure.cli.terminal.output import emit
from howsure.counts import labels_needed
from howsure.counts.planning import worth_is_known
from howsure.errors import InputError
from howsure.inputs.naming import counted


@click.group("counts", cls=Group)
def command() -> None:
    """How many units have a property, if a model's scores are known for all and labels for a few hundred?

    First draw the units to label (sample), label them in a spreadsheet, then estimate.
    """


@command.command("plan")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--width", type=float, required=True, metavar="W", help="Width of the total's interval, in units.")
@click.option("--share", is_flag=True, help="W is a share of the units, such as 0.05.")
@click.option(
    "--design",
    type=click.Choice(["stratified", "simple"]),
    default="stratified",
    show_default=True,
    help="Sampling method.",
)
@click.option("--labelled", metavar="FILE.csv", help="File written by `howsure counts sample`, with some labels.")
@click.option("--target", "label", metavar="COL", help="Alternatively, the column of some labels in FILE.")
@click.option("--positive", metavar="VALUE", help="Label value treated as positive (default: 1).")
@level_option
@output_option
def plan_command(
    file: str,
    prob: str,
    width: float,
    share: bool,
    design: str,
    labelled: str | None,
    label: str | None,
    positive: str | None,
    level: float,
    output: str | None,
) -> None:
    """How many labels does an interval of this width need?

    With some labels at hand the plan counts on what the scores are worth; without, on the labels alone.

    FILE: CSV, TSV, JSON lines, Parquet or .npz."""
    if labelled is not None and label is not None:
        raise InputError("labels are either in --labelled FILE.csv or in --target COL, not in both.")
    if not share and 0 < width < 1:
        raise InputError(f"--width must be at least 1 unit; it is {width:g}. If it is a share of the units: --share.")
    population = read_population(file, prob, label=label)
    score = population.columns["prob"]
    if labelled is not None:
        join_labelled(population, labelled, positive=positive)
    with rows_as_in_files(population.place):
        n = labels_needed(
            score,
            width=width * len(score) if share else width,
            y_true=population.columns["labels"],
            pos_label=positive if labelled is None else None,
            design=design,
            level=level,
        )
        worth = worth_is_known(population.columns["labels"], len(score), positive if labelled is None else None)
    wide = f"{width:g} of the units" if share else counted(round(width), "unit")
    said = f"{counted(n, 'label')} of {counted(len(score), 'unit')} for an interval about {wide} wide"
    how = (
        "those at hand included, planned from what these show of the scores"
        if worth
        else "planned as if the scores were worth nothing and half of the units positive; with 20 labels or more at "
        "hand (--labelled, --target), perhaps fewer"
    )
    emit(f"{said}, {how}.\n", output)


command.add_command(sample_command)
command.add_command(estimate_command)

__all__ = ["command"]
