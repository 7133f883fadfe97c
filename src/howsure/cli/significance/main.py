"""`howsure significance`: is a model better than a baseline?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import click

from howsure import __version__
from howsure.cli.terminal.commands import tell
from howsure.cli.terminal.options import (
    DefaultGroup,
    across_files_option,
    as_level,
    as_names,
    bounds_option,
    by_file_option,
    choice_option,
    explode_option,
    figure_option,
    from_option,
    in_order,
    level_option,
    output_options,
    report_option,
    seed_option,
    where_option,
)
from howsure.cli.terminal.output import chosen, emit, json_text, progress, result_text, table_text, write_pictures
from howsure.cli.terminal.process import check_memory
from howsure.data.sources import read as files_of
from howsure.errors import InputError
from howsure.show.table import Table
from howsure.significance.results import Comparison

POWER = 0.8  # the usual wish
PRINTED = ("markdown", "latex")  # where the models' own means stand above, as a table of their own
RESAMPLE_BYTES = 32  # of one metric, at least: both differences of each, and what is made of them
TESTING = (
    "target_class",
    "method",
    "sample_size",
    "alternative",
    "interval",
    "bounds",
    "level",
    "n_resamples",
    "two_way",
    "adjust",
    "rng",
)


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
        choice_option(
            "--adjust",
            of=["holm", "bh", "none"],
            help="Adjustment of p for the number of models and metrics in the table.",
        ),
        seed_option(to="rng"),
        output_options,
        figure_option("Draw differences with intervals"),
        report_option,
    ]
    return in_order(options)(function)


@command.command("compare", epilog="See also: howsure significance outcomes --help, howsure significance power --help")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--target", "y_true", metavar="COL", help="Column of the true labels (or distributions).")
@click.option(
    "--targets",
    metavar="FILE",
    help="File of the true labels: .txt, .csv, .tsv, .npy, one per line; with --prediction, by --id and --target.",
)
@click.option(
    "--against",
    metavar="COL|FILE|NAME",
    help="The baseline's predictions; in tables by model its name (default: the best).",
)
@click.option(
    "--model",
    multiple=True,
    metavar="COL|FILE",
    help="A model's predictions; repeatable. In tables with one row per model, item (--id) and run: the column of the "
    "model (default: the file, with several).",
)
@click.option("--prediction", metavar="COL", help="Column of the predictions, in tables by model.")
@click.option(
    "--score",
    multiple=True,
    metavar="COL",
    help="Column of a score that each row already has (exact match, a grade); repeatable.",
)
@click.option(
    "--positive",
    "pos_label",
    metavar="VALUE",
    help="The value of --score that counts as 1; every other counts as 0.",
)
@click.option("--lower-is-better", is_flag=True, help="Lower values of --score are better.")
@click.option("--all-pairs", is_flag=True, help="Show every pair of models, not only those with the best.")
@click.option(
    "--id", metavar="COL", help="Column identifying the item, with several runs and in tables by model; several: a,b."
)
@click.option("--run", metavar="COL", help="Column of the run (seed); items are resampled with all their runs.")
@click.option(
    "--group",
    "groups",
    metavar="COL",
    help="Also compare the models in each group: the column of the category of each item; several: a,b.",
)
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
@explode_option
@testing_options
def compare_command(
    files: tuple[str, ...],
    model: tuple[str, ...],
    targets: str | None,
    across_files: str,
    where: str | None,
    by_file: bool,
    skip_missing: bool,
    input_format: str | None,
    explode: str | None,
    **asked: Any,
) -> None:
    """Compare models with a baseline: columns of FILE... (CSV, TSV, JSON lines, Parquet), or one file each.

    With --score or --prediction, a table has one row per model and item (and run): every pair of models is tested, and
    those with the best are shown, unless one is named by --against. Logs name their scores themselves.

    \b
    howsure significance dev.jsonl --target gold --against base --model large --model large-ft
    howsure significance runs.csv --target gold --against base --model large --run seed --id uid
    howsure significance items.csv --against rouge_base --model rouge_large --metric score --cluster document
    howsure significance log.tsv --model model --id question --run prompt --target gold --prediction answer
    howsure significance log.tsv --model model --id question --score exact_match --cluster document
    howsure significance base.jsonl large.jsonl --id uid --target gold --prediction label
    howsure significance "results/**/samples_*.jsonl" --group doc.subject
    howsure significance --targets targs.txt --against h0.txt --model h1.txt --method boostsa --sample-size 0.2
    """
    from howsure.significance import compare
    from howsure.significance.model_files import no_files

    options, showing = _split(asked)
    how: dict[str, Any] = {"where": where, "by_file": by_file, "skip_missing": skip_missing, "format": input_format}
    how["explode"] = explode
    asked["score"] = list(asked["score"]) or None
    in_rows = asked["prediction"] is not None or asked["score"] is not None
    if files:
        if in_rows and len(model) > 1:
            raise InputError(
                "--model names one column in a table by model, the model's; choose models by --where, such as "
                "\"model in ('base', 'large')\"."
            )
        if targets is not None and not (in_rows and asked["y_true"] and asked["prediction"]):
            raise InputError("--targets holds what is true: name its column, --target, and the --prediction's.")
        asked |= {
            "data": replace(files_of(files, across_files=across_files, **how), tell=tell),
            "model": None if not model else model[0] if in_rows else list(model),
            "targets": None if targets is None else files_of(targets, skip_missing=skip_missing),
        }
    else:
        for_columns = {"--where": where, "--by-file": by_file, "--from": input_format, "--skip-missing": skip_missing}
        for_columns |= {"--across-files": across_files != "error", "--explode": explode}
        if wrong := [option for option, value in for_columns.items() if value]:
            raise InputError(f"{wrong[0]} is for columns: name a FILE that holds them.")
        if targets is None:
            raise no_files()
        asked |= {"targets": targets, "model": list(model)}
    with comparing() as advance:
        result = compare(**asked, **options, progress=advance)
    _show(result, "howsure significance", **showing)


@command.command("outcomes")
@click.argument("file", metavar="outcomes.json")
@testing_options
def outcomes_command(file: str, **testing: Any) -> None:
    """Compare the experiments in an outcomes.json of BooStSa; items are resampled with all their runs."""
    from howsure.significance.boostsa.runs import compare_outcomes
    from howsure.significance.boostsa.storage import read_outcomes

    options, showing = _split(testing)
    result = compare_outcomes(read_outcomes(file), **options)
    result = replace(result, recipe={"files": [file], **result.recipe})
    _show(result, "howsure significance outcomes", **showing)


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
    emit(power_text(found, form), output)


def power_text(found: Mapping[str, Any], form: str) -> str:
    """What n items find."""
    plain = {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in found.items()}
    if form == "json":
        return json_text({**plain, "howsure": __version__})
    shown = {"difference": ".4f", "power": ".3f", "n": ",d"}
    cells = [("none" if v is None else format(v, shown[k]) if k in shown else str(v)) for k, v in plain.items()]
    return table_text(Table(list(plain), [cells], caption=f"howsure {__version__}, test of accuracy"), form)


def _split(asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Takes what `testing_options` say out of all that was asked: how to compare, and where results go."""
    check_memory(asked["n_resamples"] * RESAMPLE_BYTES, name="--resamples", value=asked["n_resamples"])
    showing = {key: asked.pop(key) for key in ("form", "output", "figure", "report")}
    options = {key: asked.pop(key) for key in TESTING}
    options |= {"metrics": list(asked.pop("metrics")) or None}
    for key in ("adjust", "interval"):
        options[key] = None if options[key] == "none" else options[key]
    return options, showing


@contextmanager
def comparing() -> Iterator[Callable[[int, int], None]]:
    """A bar over the pairs that are compared, whose number is known with the first of them."""
    with ExitStack() as ending:
        bars: list[Callable[[int], None]] = []

        def advance(done: int, total: int) -> None:
            if not bars:
                bars.append(ending.enter_context(progress("comparing", total=total)))
            bars[0](1 if done else 0)

        yield advance


def _show(
    result: Comparison, command: str, *, form: str, output: str | None, figure: str | None, report: str | None
) -> None:
    shown = result_text(replace(result, recipe={"command": command, **result.recipe}), form)
    if form in PRINTED and chosen() is None:
        shown = "\n".join([*(table_text(table, form) for table in result.above()), shown])
    write_pictures(result, figure=figure, report=report)
    emit(shown, output)
