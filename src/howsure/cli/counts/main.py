"""`howsure counts`: from a model's scores and a few hundred labels to counts with intervals that hold."""

from __future__ import annotations

import click

from howsure.cli.counts.estimate import estimate_command
from howsure.cli.counts.input import read_population
from howsure.cli.counts.options import prob_option
from howsure.cli.counts.sample import sample_command
from howsure.cli.counts.wording import speaking_of_options
from howsure.cli.terminal.commands import Group
from howsure.cli.terminal.options import level_option, output_option
from howsure.cli.terminal.output import emit
from howsure.cli.terminal.row_numbers import rows_as_in_files
from howsure.counts import labels_needed
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
@click.option("--design", type=click.Choice(["stratified", "simple"]), default="stratified", show_default=True,
              help="Sampling method.")  # fmt: skip
@level_option
@output_option
def plan_command(
    file: str, prob: str, width: float, share: bool, design: str, level: float, output: str | None
) -> None:
    """How many labels does an interval of this width need?

    FILE: CSV, TSV, JSON lines, Parquet or .npz."""
    if not share and 0 < width < 1:
        raise InputError(f"--width must be at least 1 unit; it is {width:g}. If it is a share of the units: --share.")
    with speaking_of_options():
        population = read_population(file, prob)
        score = population.columns["prob"]
        with rows_as_in_files(population.place):
            n = labels_needed(score, width=width * len(score) if share else width, design=design, level=level)
    wide = f"{width:g} of the units" if share else counted(round(width), "unit")
    said = f"{counted(n, 'label')} of {counted(len(score), 'unit')} for an interval about {wide} wide"
    emit(f"{said}, planned from the scores alone; the more positives they miss, the wider it gets.\n", output)


command.add_command(sample_command)
command.add_command(estimate_command)

__all__ = ["command"]
