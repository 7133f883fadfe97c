"""`howsure significance`: is a model better than a baseline?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from howsure.cli.significance.output import comparison_output, power_output, write_figure, write_report
from howsure.cli.significance.tables import Asked, compare_long, compare_wide, long_form_options
from howsure.cli.terminal.commands import as_options, options_of
from howsure.cli.terminal.memory import check_memory
from howsure.cli.terminal.options import (
    DefaultGroup,
    across_files_option,
    as_level,
    as_names,
    bounds_option,
    by_file_option,
    figure_option,
    from_option,
    in_order,
    level_option,
    output_options,
    report_option,
    where_option,
)
from howsure.cli.terminal.output import emit
from howsure.errors import InputError

POWER = 0.8  # the usual wish
RESAMPLE_BYTES = 32  # of one metric, at least: both differences of each, and what is made of them


@click.group(cls=DefaultGroup, default="compare", context_settings={"max_content_width": 110})
def command() -> None:
    """Significance: is a model really better than the baseline?"""


def testing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how to compare."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option(
            "--metric",
            "metrics",
            multiple=True,
            metavar="NAME",
            help="A metric; repeatable; score: the columns of the models hold scores.",
        ),
        click.option(
            "--class",
            "target_class",
            metavar="LABEL",
            help="Also report precision, recall and F1 of this class (or those named by --metric).",
        ),
        click.option(
            "--method",
            metavar="METHOD",
            help="permutation (default), bootstrap, gaffke (means with bounds; default for --score), student "
            "(other means; default for other scores), mcnemar (accuracy), "
            "or boostsa (the paper's rule).",
        ),
        click.option(
            "--sample-size",
            type=float,
            metavar="SHARE",
            help="Share of the items in each sub-sample, 0.05 to 0.5 (default: 0.1); with --method boostsa.",
        ),
        click.option(
            "--alternative",
            default="two-sided",
            show_default=True,
            metavar="SIDE",
            help="two-sided, better or worse (for the model).",
        ),
        click.option(
            "--interval",
            default="usual",
            metavar="METHOD",
            help="basic (default), percentile, bca or none; gaffke and student with --method of that name.",
        ),
        bounds_option,
        level_option,
        click.option(
            "--resamples",
            "n_resamples",
            type=click.IntRange(min=1),
            default=10_000,
            show_default=True,
            metavar="N",
            help="Number of resamples.",
        ),
        click.option("--two-way", is_flag=True, help="Resample runs as well as items; with --method bootstrap."),
        click.option(
            "--adjust",
            type=click.Choice(["holm", "bh", "none"]),
            default="holm",
            show_default=True,
            help="Adjustment of p for the number of models and metrics in the table.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."),
        output_options,
        figure_option("Draw differences with intervals"),
        report_option,
    ]
    return in_order(options)(function)


@command.command("compare", epilog="See also: howsure significance outcomes --help, howsure significance power --help")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--target", metavar="COL", help="Column of the true labels (or distributions).")
@click.option(
    "--targets",
    metavar="FILE",
    help="File of the true labels: .txt, .csv, .tsv, .npy, one per line; with --prediction, by --id and --target.",
)
@click.option(
    "--baseline", metavar="COL|FILE|NAME", help="The baseline's predictions; with --by its name (default: the best)."
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="COL|FILE|NAME",
    help="A model's predictions; with --by its name (default: all); repeatable.",
)
@long_form_options
@click.option(
    "--id", metavar="COL", help="Column identifying the item, with several runs and in tables by model; several: a,b."
)
@click.option("--run", metavar="COL", help="Column of the run (seed); items are resampled with all their runs.")
@click.option(
    "--cluster", "clusters", metavar="COL", help="Column identifying correlated rows, e.g. the document; several: a,b."
)
@across_files_option("--cluster or --id")
@click.option("--stratum", "strata", metavar="COL", help="Column of strata; each stratum keeps its size.")
@click.option(
    "--classes",
    callback=as_names,
    metavar="NAME,NAME,…",
    help="The classes of rows of probabilities, in order; for labels, those that averages are over.",
)
@where_option
@by_file_option
@click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them.")
@from_option
@testing_options
def compare_command(
    files: tuple[str, ...],
    target: str | None,
    targets: str | None,
    baseline: str | None,
    models: tuple[str, ...],
    model: str | None,
    prediction: str | None,
    score: tuple[str, ...],
    pos_label: str | None,
    lower_is_better: bool,
    all_pairs: bool,
    id: str | None,
    run: str | None,
    clusters: str | None,
    strata: str | None,
    classes: list[str] | None,
    skip_missing: bool,
    input_format: str | None,
    across_files: str,
    where: str | None,
    by_file: bool,
    **testing: Any,
) -> None:
    """Compare models with a baseline: columns of FILE... (CSV, TSV, JSON lines, Parquet), or one file each.

    With --by, a table has one row per model and item (and run): every pair of models is tested, and those with the
    best are shown, unless a --baseline is named.

    \b
    howsure significance dev.jsonl --target gold --baseline base --model large --model large-ft
    howsure significance runs.csv --target gold --baseline base --model large --run seed --id uid
    howsure significance items.csv --baseline rouge_base --model rouge_large --metric score --cluster document
    howsure significance log.tsv --by model --id question --run prompt --target gold --prediction answer
    howsure significance log.tsv --by model --id question --score exact_match --cluster document
    howsure significance base.jsonl large.jsonl --id uid --target gold --prediction label
    howsure significance --targets targs.txt --baseline h0.txt --model h1.txt --method boostsa --sample-size 0.2
    """
    options, showing = _split(testing)
    asked = Asked(
        model,
        id,
        run,
        target,
        targets,
        prediction,
        score,
        pos_label,
        clusters,
        strata,
        baseline,
        models,
        all_pairs,
        lower_is_better,
        skip_missing,
        input_format,
        across_files,
        where,
        by_file,
    )
    asked.check(bool(files))
    way = compare_long if asked.is_long else compare_wide
    result, read = way(files, asked, classes, options)
    true = str(target or targets or " and ".join(score))
    _show(_in_options(result, true=true), {"command": "howsure significance", **read}, **showing)


@command.command("outcomes")
@click.argument("file", metavar="outcomes.json")
@testing_options
def outcomes_command(file: str, **testing: Any) -> None:
    """Compare the experiments in an outcomes.json of BooStSa; items are resampled with all their runs."""
    from howsure.significance.boostsa.runs import compare_outcomes
    from howsure.significance.boostsa.storage import read_outcomes

    options, showing = _split(testing)
    result = compare_outcomes(read_outcomes(file), **options)
    _show(
        _in_options(result, true="what is true"),
        {"command": "howsure significance outcomes", "files": [file]},
        **showing,
    )


@command.command("power")
@click.option("--n", type=click.IntRange(min=1), metavar="N", help="Number of items.")
@click.option(
    "--disagreement",
    type=float,
    required=True,
    metavar="SHARE",
    help="Share of the items on which only one system is right.",
)
@click.option("--difference", type=float, metavar="D", help="True difference in accuracy.")
@click.option("--power", type=float, help=f"Desired probability of detecting it (default: {POWER}).")
@click.option("--alternative", default="two-sided", show_default=True, metavar="SIDE", help="two-sided or better.")
@click.option(
    "--method",
    default="permutation",
    show_default=True,
    metavar="METHOD",
    help="The test: permutation, or mcnemar (mid-p).",
)
@click.option(
    "--level",
    type=float,
    callback=as_level,
    default=0.95,
    show_default=True,
    help="Level of the test: it finds a difference if p is at most 1 - level.",
)
@output_options
def power_command(
    n: int | None,
    disagreement: float,
    difference: float | None,
    power: float | None,
    level: float,
    alternative: str,
    method: str,
    form: str,
    output: str | None,
) -> None:
    """Say what n items can find (give --n), how many it takes (--difference), or how probable it is (both)."""
    from howsure.significance import detection_power, minimum_detectable_difference, required_sample_size

    test: dict[str, Any] = {"level": level, "alternative": alternative, "method": method}
    if n is None and difference is None:
        raise InputError("give --n, --difference, or both.")
    if power is not None and None not in (n, difference):
        raise InputError(
            "--power is the desired power, but --n and --difference determine it. Leave one of the three out."
        )
    power = POWER if power is None else power
    if n is None:
        assert difference is not None
        n = required_sample_size(difference, disagreement, power=power, **test)
    elif difference is None:
        difference = minimum_detectable_difference(n, disagreement, power=power, **test)
    else:
        power = detection_power(n, disagreement, difference, **test)
    found = {"n": n, "disagreement": disagreement, "difference": difference, "power": power, **test}
    emit(power_output(found, form), output)


def _split(testing: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of `compare`, and where results go."""
    check_memory(testing["n_resamples"] * RESAMPLE_BYTES, name="--resamples", value=testing["n_resamples"])
    showing = {key: testing.pop(key) for key in ("form", "output", "figure", "report")}
    options = {**testing, "rng": testing["seed"], "metrics": list(testing["metrics"]) or None}
    del options["seed"]
    for key in ("adjust", "interval"):
        options[key] = None if options[key] == "none" else options[key]
    return options, showing


def _in_options(result: Any, *, true: str) -> Any:
    """A comparison whose notes speak of options; `true` is the column or file of what is true."""
    options = options_of(click.get_current_context().command) | {"y_true": true}
    return replace(result, notes=tuple(as_options(note, options) for note in result.notes))


def _show(
    result: Any, recipe: dict[str, Any], *, form: str, output: str | None, figure: str | None, report: str | None
) -> None:
    if figure is not None:
        write_figure(result, figure)
    if report is not None:
        write_report(result, report, recipe)
    emit(comparison_output(result, recipe, form), output)
