"""`howsure calibration`: from files of predictions to curves, tables, figures and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from howsure.calibration.calibration_tests import METHODS
from howsure.calibration.corp import SIMULATIONS
from howsure.calibration.curves import calibration_curves
from howsure.cli.terminal.options import (
    ONE_WAY,
    PROBABILITIES,
    DefaultGroup,
    as_names,
    axis_option,
    binning_options,
    engine_options,
    figure_option,
    output_options,
    probability_options,
    reading_options,
    report_option,
    source_and_roles,
    source_of,
)
from howsure.cli.terminal.output import emit, result_text, write_pictures
from howsure.errors import InputError

OF_BINS = ("bin_size", "bins", "binning", "interval", "test", "adjust")


ELSEWHERE = {name: f"howsure.cli.calibration.{name.replace('-', '_')}" for name in ("find-groups", "logits", "summary")}


@click.group(cls=DefaultGroup, default="curve", elsewhere=ELSEWHERE, context_settings={"max_content_width": 110})
def command() -> None:
    """Calibration: do predicted probabilities match frequencies?"""


@command.command(
    "curve", epilog="See also: howsure calibration compare --help, find-groups --help, logits --help and summary --help"
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@probability_options("Column of the predicted probability.")
@click.option(
    "--reduce", metavar="HOW", help="With classes: top-label (default), class-wise, or the name of one class."
)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--group", metavar="COL", help="Column of groups (tag, model, language), one curve each; several: a,b.")
@click.option("--target", "label", metavar="COL", help="Column of the true label.")
@reading_options
@engine_options
@click.option("--method", type=click.Choice(["bins", "corp"]), default="bins", show_default=True,
              help="A curve of bins, or without bins: isotonic regression (CORP).")  # fmt: skip
@click.option("--simulations", type=click.IntRange(min=1), metavar="N", default=SIMULATIONS, show_default=True,
              help="Curves of a calibrated model to simulate, for the band of CORP.")  # fmt: skip
@binning_options
@click.option("--interval", type=click.Choice(["debiased", "nguyen-oconnor", "bootstrap", "none"]), default="debiased",
              show_default=True, help="Interval of Algorithm 1's value, beside the debiased one.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of random intervals and tests.")  # fmt: skip
@click.option("--adjust", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True,
              help="Adjustment of the p-values for the number of groups.")  # fmt: skip
@click.option("--test", type=click.Choice(METHODS), help="Test that p comes from (default: the binned test).")
@output_options
@figure_option("Draw the curves")
@axis_option
@report_option
def curve_command(
    files: tuple[str, ...], level: float, seed: int, interval: str, adjust: str, test: str | None,
    bin_size: int | str, bins: int | None, binning: str, form: str, output: str | None, figure: str | None,
    axis: str, report: str | None, method: str, simulations: int, **reading: Any,
) -> None:  # fmt: skip
    """Evaluate the predictions in FILE... (CSV, TSV, JSON lines, Parquet, .npz; plain, .gz or .zst; globs; - is stdin;
    or logs of programs that evaluate language models, see --from; or saved summaries, see `summary`).

    \b
    howsure calibration dev.jsonl --target gold --prob score
    howsure calibration 'export/*.parquet' --target y --prob score --group country --format json
    howsure calibration dev.jsonl --target gold --probs-column probs --reduce class-wise --figure curve.pdf
    howsure calibration dev.jsonl --target gold --prob score --method corp --report report.html
    howsure calibration 'results/*/samples_*.jsonl'
    """
    check_options(method)
    source, roles = source_and_roles(files, reading)
    of_bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": bins, "binning": binning, "interval": interval}
    how: dict[str, Any] = {"n_simulations": simulations} if method == "corp" else {**of_bins, "test": test}
    found = calibration_curves(
        **roles, data=source, method=method, adjust=None if adjust == "none" else adjust,
        both_methods=report is not None, level=level, rng=seed, **how,
    )  # fmt: skip
    found = replace(found, recipe={"command": "howsure calibration", **found.recipe})
    shown = result_text(found, form)  # which may refuse a column, before anything is written
    write_pictures(found, figure=figure, report=report, axis=axis)
    emit(shown, output)


def check_options(method: str) -> None:
    """Raise InputError for an option of the other method."""
    context = click.get_current_context()
    wrong = OF_BINS if method == "corp" else ("simulations",)
    for option in context.command.params:
        default = click.core.ParameterSource.DEFAULT
        if option.name in wrong and context.get_parameter_source(option.name) is not default:
            other = "bins" if method == "corp" else "corp"
            why = "a curve without bins has none" if method == "corp" else "bins are not simulated"
            raise InputError(f"{option.opts[0]} belongs to --method {other}: {why}. Leave out one of the two.")


@command.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="FILE | FILE_A FILE_B")
@probability_options("Column of the predicted probability; this and the next five: twice for two of one file.",
                     of_two=True)  # fmt: skip
@click.option(
    "--reduce", metavar="HOW", help="With classes: top-label (default), class-wise, or the name of one class."
)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--target", "labels", multiple=True, metavar="COL",
              help="Column of the true label; twice if each model has its own (is its answer right?).")  # fmt: skip
@reading_options
@binning_options
@click.option("--names", callback=as_names, metavar="NAME,NAME", help="What the models are called (default: A,B).")
@output_options
@figure_option("Draw both curves, and by how much they differ")
@axis_option
def compare_command(
    files: tuple[str, ...], labels: tuple[str, ...], level: float, bin_size: int | str, bins: int | None,
    binning: str, form: str, output: str | None, figure: str | None, axis: str, names: list[str] | None,
    **reading: Any,
) -> None:  # fmt: skip
    """Is model B better calibrated than model A on the same rows? Two files, or two columns of one file.

    Rows of two files are matched by --id, or by position if the files have the same number of rows.

    \b
    howsure calibration compare base.jsonl large.jsonl --target gold --prob score
    howsure calibration compare base.jsonl large.jsonl --target gold --prob score --id uid --skip-missing
    howsure calibration compare dev.csv --target gold --prob base --prob large
    howsure calibration compare dev.csv --target base_right --target large_right --prob base --prob large
    howsure calibration compare base.jsonl large.jsonl --target gold --probs-column probs
    howsure calibration compare dev.csv --target gold --logits a_no,a_yes --logits b_no,b_yes --classes no,yes
    """
    from howsure.calibration.comparison import compare_calibration
    from howsure.calibration.results import NAMES

    result = compare_calibration(
        **two_models(files, labels, reading),
        bin_size=bin_size,
        n_bins=bins,
        binning=binning,
        level=level,
        names=names or NAMES,
    )
    shown = result_text(result, form)  # which may refuse a column, before anything is written
    write_pictures(result, figure=figure, report=None, axis=axis)
    emit(shown, output)


def two_models(files: Sequence[str], labels: Sequence[str], reading: dict[str, Any]) -> dict[str, Any]:
    """The arguments that name two models and their rows: files and columns, each given twice or once for both.

    Raises InputError if they name none, one or more than two.
    """
    given = {role: reading.pop(role) for role in PROBABILITIES}
    ways = [way for way, columns in given.items() if columns]
    of_logs = not ways and len(files) == 2 and len(labels) < 2  # which name the columns themselves
    if len(ways) != 1 and not of_logs:
        raise InputError(ONE_WAY)
    columns: Sequence[Any] = () if of_logs else given[ways[0]]
    if (len(files), len(columns)) not in ((2, 1), (1, 2), (2, 2)) and not of_logs:
        raise InputError(
            f"compare takes two files and one column, or one file and two columns; "
            f"it got {len(files)} and {len(columns)}."
        )
    if len(labels) > 2:
        raise InputError(f"compare takes one --target for both models, or one for each; it got {len(labels)}.")
    source, roles = source_and_roles(files[:1], reading | dict(zip(ways, columns, strict=False)))
    roles |= {"data": source, "y_true": labels[0] if labels else None}
    roles |= {"y_true_against": labels[1] if len(labels) == 2 else None}
    if len(files) == 1:
        return roles | {"against": columns[1]}
    return roles | {
        "against": source_of(files[1:], reading),
        "y_prob_against": columns[1] if len(columns) == 2 else None,
    }
