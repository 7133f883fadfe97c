"""`howsure calibration`: from files of predictions to curves, tables, figures and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from howsure.cli.calibration_output import curves_json, curves_table, curves_text, write_figure, write_report
from howsure.cli.options import DefaultGroup, as_names, binning_options, output_options
from howsure.cli.output import emit
from howsure.cli.progress import progress
from howsure.errors import InputError


@click.group(cls=DefaultGroup, default="curve", context_settings={"max_content_width": 110})
def command() -> None:
    """Calibration: do predicted probabilities match frequencies?"""


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what the columns of a file are."""
    for option in reversed(
        [
            click.option("--label", required=True, metavar="COL", help="Column of the true label."),
            click.option("--positive", metavar="VALUE", help="The label that the probabilities speak of (default: 1)."),
            click.option("--cluster", metavar="COL", help="Column of what belongs together (document, sentence)."),
            click.option("--weight", metavar="COL", help="Column of the rows' weights."),
            click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them."),
            click.option(
                "--missing", multiple=True, metavar="VALUE",
                help="A value that counts as missing, such as 'unparseable' (see --skip-missing). Repeatable.",
            ),
            click.option("--input-format", metavar="FORMAT", help="csv, tsv, jsonl, parquet, npz; default: by suffix."),
        ]
    ):  # fmt: skip
        function = option(function)
    return function


@command.command("curve", epilog="See also: howsure calibration compare --help")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--prob", metavar="COL", help="Column of the predicted probability.")
@click.option("--probs", callback=as_names, metavar="COL,COL,…", help="Columns of the classes' probabilities.")
@click.option("--probs-column", metavar="COL", help="Column that holds a list of the classes' probabilities.")
@click.option(
    "--reduce", metavar="HOW", help="With classes: top-label (default), class-wise, or the name of one class."
)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="The classes' names, in order.")
@click.option("--group", metavar="COL", help="Column of groups (a tag, a model, a language): one curve each.")
@reading_options
@binning_options
@click.option("--interval", default="debiased", show_default=True, metavar="METHOD",
              help="debiased, nguyen-oconnor, bootstrap or none: the interval of Algorithm 1's value.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random intervals.")
@click.option("--adjust", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True,
              help="Adjustment of the p-values for the number of groups.")  # fmt: skip
@output_options
@click.option("--figure", metavar="FILE", help="Draw the curves: .svg, .png or .pdf.")
@click.option("--report", metavar="FILE.html", help="Write a report: one HTML file that needs no network.")
def curve_command(
    files: tuple[str, ...], level: float, seed: int, interval: str, adjust: str, bin_size: int | str,
    bins: int | None, binning: str, form: str, output: str | None, figure: str | None, report: str | None,
    **reading: Any,
) -> None:  # fmt: skip
    """Judge the predictions in FILE... (CSV, TSV, JSON lines, Parquet, .npz; plain, .gz or .zst; globs; - is stdin).

    \b
    howsure calibration dev.jsonl --label gold --prob score
    howsure calibration 'export/*.parquet' --label y --prob score --group country --format json
    howsure calibration dev.jsonl --label gold --probs-column probs --reduce class-wise --figure curve.pdf
    """
    from howsure.calibration.judging import check_interval

    check_interval(interval)
    with opened(files, **reading) as predictions:
        curves = list(
            judged(
                predictions, bin_size=bin_size, n_bins=bins, binning=binning, interval=interval, level=level, rng=seed
            )
        )
        recipe = {
            "command": "howsure calibration",
            **predictions.describe(),
            "adjust": adjust if len(curves) > 1 else None,
        }
        skipped = sum(predictions.skipped.values())
    if figure is not None:
        write_figure(curves, figure)
    if report is not None:
        write_report(curves, report, recipe=recipe, skipped=skipped, adjust=adjust)
    if form == "json":
        emit(curves_json(curves, recipe=recipe, skipped=skipped, adjust=adjust), output)
    elif form == "table":
        emit(curves_text(curves, recipe=recipe, skipped=skipped, adjust=adjust), output)
    else:
        emit(curves_table(curves, recipe=recipe, skipped=skipped, adjust=adjust).text(form), output)


def opened(files: Sequence[str], *, missing: Sequence[str], input_format: str | None, **reading: Any) -> Any:
    """The predictions in files, checked."""
    from howsure.data import open_predictions

    given = [name for name in ("prob", "probs", "probs_column") if reading.get(name)]
    if len(given) != 1:
        raise InputError("say where the probabilities are: exactly one of --prob, --probs and --probs-column")
    if reading.get("reduce") and given == ["prob"]:
        raise InputError("--reduce is for several classes; with --prob there is one probability a row")
    if given != ["prob"] and not reading.get("reduce"):
        reading["reduce"] = "top-label"
    return open_predictions(files, missing_values=missing, format=input_format, **reading)


def judged(predictions: Any, **arguments: Any) -> Iterator[Any]:
    """One curve a group, or one for all; streamed where the pairs are too many for memory."""
    from howsure.calibration.judging import curve_of

    in_memory = predictions.columns.get("weight") or predictions.columns.get("cluster")
    names = predictions.group_names or (None,)
    with progress("judging", total=len(names)) as advance:
        for name in names:
            if name is None:
                source = predictions.pairs() if in_memory else predictions.source()
            else:
                source = predictions.source(name)
            yield curve_of(source, name=name, **arguments)
            advance(1)


@command.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="FILE | FILE_A FILE_B")
@click.option("--prob", "probs", multiple=True, required=True, metavar="COL",
              help="Column of the predicted probability; given twice to compare two columns of one file.")  # fmt: skip
@reading_options
@binning_options
@output_options
def compare_command(
    files: tuple[str, ...], probs: tuple[str, ...], level: float, bin_size: int | str, bins: int | None, binning: str,
    form: str, output: str | None, **reading: Any,
) -> None:  # fmt: skip
    """Is model B better calibrated than model A on the same rows? Two files, or two columns of one file.

    \b
    howsure calibration compare base.jsonl large.jsonl --label gold --prob score
    howsure calibration compare dev.csv --label gold --prob base --prob large
    """
    from howsure.calibration.comparison import compare_pairs
    from howsure.cli.comparison_output import comparison_json, comparison_table, comparison_text

    if (len(files), len(probs)) not in ((2, 1), (1, 2), (2, 2)):
        raise InputError(
            f"compare takes two files and --prob once, or one file and --prob twice; "
            f"it got {len(files)} and {len(probs)}"
        )
    both = [opened([path], prob=prob, **reading) for path, prob in zip((files * 2)[:2], (probs * 2)[:2], strict=True)]
    a, b = (predictions.pairs() for predictions in both)
    if len(a) != len(b):
        raise InputError(
            f"the two models must be judged on the same rows; {files[0]} has {len(a):,}, {files[-1]} {len(b):,}"
        )
    result = compare_pairs(a, b, bin_size=bin_size, n_bins=bins, binning=binning, level=level)
    names = (f"{files[0]}:{probs[0]}", f"{files[-1]}:{probs[-1]}")
    if form == "json":
        emit(comparison_json(result, names), output)
    elif form == "table":
        emit(comparison_text(result, names), output)
    else:
        emit(comparison_table(result, names).text(form), output)
