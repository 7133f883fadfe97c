"""`howsure quantiles`: are posterior draws of continuous quantities calibrated?"""

from __future__ import annotations

from dataclasses import replace

import click

from howsure.calibration.quantiles import METHODS, QuantileCalibration, posterior_quantiles
from howsure.cli.terminal.commands import Command, tell
from howsure.cli.terminal.options import as_names, figure_option, level_option, output_options
from howsure.cli.terminal.output import emit, json_text, table_text, write_pictures
from howsure.data.sources import read as files_of
from howsure.errors import InputError


@click.command("quantiles", cls=Command)
@click.argument("file", metavar="FILE")
@click.option("--target", "truth", required=True, metavar="COL", help="Column of the true values.")
@click.option("--draws", callback=as_names, metavar="COL,COL,…", help="Columns of the posterior draws.")
@click.option("--draws-column", metavar="COL", help="Column containing a list of draws per row (in .npz: a matrix).")
@click.option("--cluster", metavar="COL", help="Column identifying correlated rows, e.g. the document.")
@click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them.")
@click.option(
    "--test",
    "method",
    type=click.Choice(METHODS),
    default="chi-square",
    show_default=True,
    help="Test to rely on: of the histogram, or of the cumulative curve.",
)
@click.option("--bins", type=click.IntRange(min=2), metavar="N", help="Bars of the histogram (default: up to 20).")
@level_option
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed (for the ranks of ties and the signs of clusters).",
)
@output_options
@figure_option("Draw histogram and cumulative curve")
def command(
    file: str,
    truth: str,
    draws: list[str] | None,
    draws_column: str | None,
    cluster: str | None,
    skip_missing: bool,
    method: str,
    bins: int | None,
    level: float,
    seed: int,
    form: str,
    output: str | None,
    figure: str | None,
) -> None:
    """Where does the true value fall among posterior draws? Uniformly, if the posterior is calibrated.

    FILE: CSV, TSV, JSON lines, Parquet or .npz; one quantity per row.
    """
    if (draws is None) == (draws_column is None):
        raise InputError("name the draws with either --draws COL,COL,… or --draws-column COL.")
    source = replace(files_of(file, skip_missing=skip_missing), tell=tell)
    result = posterior_quantiles(
        truth,
        draws_column or draws or (),
        n_bins=bins,
        method=method,
        clusters=cluster,
        level=level,
        rng=seed,
        data=source,
    )
    shown = _shown(result, form)  # may refuse a column, before anything is written
    write_pictures(result, figure=figure, report=None)
    emit(shown, output)


def _shown(result: QuantileCalibration, form: str) -> str:
    """The test and the histogram in a format."""
    if form == "json":
        return json_text(result.to_dict())
    left_out = result.recipe["skipped"].items()
    skipped = [f"rows left out, {column} being missing in them: {count:,}" for column, count in left_out]
    said = "\n".join([result.words, *skipped])
    shown = table_text(replace(result.table(), caption=said), form)
    return f"{said}\n\n{shown}" if form == "table" else shown
