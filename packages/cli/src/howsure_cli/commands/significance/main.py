"""`howsure significance`: test whether a model is better than a baseline."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import click

from howsure.data.sources import read as files_of
from howsure.errors import InputError, parameter
from howsure.significance.comparison import compare
from howsure.significance.model_comparison import compare_models, compare_scores, resample_models
from howsure.significance.model_files import no_input_error
from howsure.significance.power import comparison_power
from howsure.significance.results import Comparison
from howsure_cli.command_line import check_memory
from howsure_cli.terminal.derived import (
    FILES,
    NONE_VALUE,
    build_command,
    choice,
    command_help,
    finish,
    function_options,
    parameter_help,
)
from howsure_cli.terminal.options import (
    SOURCE_OPTIONS,
    Decorator,
    DefaultGroup,
    as_names,
    bounds_option,
    build_source,
    figure_option,
    in_order,
    output_options,
    report_option,
    seed_option,
)
from howsure_cli.terminal.output import emit, progress, requested_columns, result_text, table_text, write_pictures

POWER_EXAMPLES = """
howsure significance power --disagreement 0.1 --n 1000
howsure significance power --disagreement 0.1 --difference 0.01
"""
PRINTED_FORMATS = ("markdown", "latex")  # formats that print the means of the models as a separate table above
RESAMPLE_BYTES = 32  # minimum memory of a resample for one metric: both differences and intermediate results


@click.group(cls=DefaultGroup, default="compare", context_settings={"max_content_width": 110})
def command() -> None:
    """Significance: is a model really better than the baseline?"""


def repeated_option(option: str, parameter: str, metavar: str) -> Decorator:
    """An option of `compare` that can be given several times."""
    return click.option(option, parameter, multiple=True, metavar=metavar, help=PARAMETER_HELP[parameter])


DOCUMENTED_BY = (compare_models, compare_scores, resample_models)
PARAMETER_HELP = parameter_help(compare, *DOCUMENTED_BY)
TEST_OPTIONS: dict[str, Decorator | None] = {
    "metrics": repeated_option("--metric", "metrics", "NAME"),
    "bounds": bounds_option,
    "adjust": choice(compare, "adjust", ["holm", "bh", NONE_VALUE]),
    "n_resamples": click.option(
        "--resamples",
        "n_resamples",
        type=click.IntRange(min=1),
        default=10_000,
        show_default=True,
        metavar="N",
        help=PARAMETER_HELP["n_resamples"],
    ),
    "rng": seed_option(to="rng"),
    "bug_compatible": None,
    "progress": None,
}
FILE_OPTIONS: dict[str, Decorator | None] = {
    "against": click.option("--against", metavar="COL|FILE|NAME", help=PARAMETER_HELP["against"]),
    "model": repeated_option("--model", "model", "COL|FILE"),
    "score": repeated_option("--score", "score", "COL"),
    "targets": click.option("--targets", metavar="FILE"),
    "skip_missing": None,  # of the source
    "classes": click.option("--classes", callback=as_names, metavar="NAME,NAME,…"),
}
ROW_ROLES = [
    *("y_true", "prediction", "data", "id", "run", "groups", "clusters", "strata"),
    *("pos_label", "lower_is_better", "all_pairs"),
]
OUTPUT_OPTIONS: list[Decorator] = [output_options, figure_option(), report_option]


def compare_files(form: str, output: str | None, figure: str | None, report: str | None, **typed: Any) -> None:
    """Compare the models in files, and show the result."""
    arguments = compare_arguments(typed)
    of_source = {
        name: arguments.pop(name) for name in ("files", "missing", "input_format", *SOURCE_OPTIONS) if name in arguments
    }
    files, model, targets = of_source["files"], arguments["model"], arguments["targets"]
    arguments["score"] = list(arguments["score"]) or None
    in_rows = arguments["prediction"] is not None or arguments["score"] is not None
    if files:
        if in_rows and len(model) > 1:
            raise InputError(
                "--model must be one column, the model of each row. To select models, use --where, such as "
                "\"model in ('base', 'large')\"."
            )
        if targets is not None and not (in_rows and arguments["y_true"] and arguments["prediction"]):
            columns = "For columns, use --target for true labels and --prediction for predictions."
            if len(files) > 1 and not (arguments["against"] or model):
                models = shlex.join(part for file in files[1:] for part in ("--model", file))
                columns = f"Name the files of predictions: --against {shlex.quote(files[0])} {models}."
            raise InputError(f"--targets is a file of true labels. {columns}")
        arguments |= {
            "data": build_source(files, of_source),
            "model": None if not model else model[0] if in_rows else list(model),
            "targets": None if targets is None else files_of(targets, skip_missing=of_source["skip_missing"]),
        }
    else:
        usual = {"across_files": "error"}
        misplaced_options = [name for name, value in of_source.items() if value and value != usual.get(name)]
        if misplaced_options:
            raise InputError(f"{parameter(misplaced_options[0])} is for columns: name a FILE that contains them.")
        if targets is None:
            raise no_input_error()
        arguments["model"] = list(model)
    with comparison_progress() as advance:
        result = compare(**arguments, progress=advance)
    show(result, "howsure significance", form=form, output=output, figure=figure, report=report)


def compare_arguments(typed: dict[str, Any]) -> dict[str, Any]:
    """The command line as arguments of `compare`."""
    check_memory(typed["n_resamples"] * RESAMPLE_BYTES, name="--resamples", value=typed["n_resamples"])
    none = {name: None for name in ("adjust", "interval") if typed[name] == NONE_VALUE}
    return typed | none | {"metrics": list(typed["metrics"]) or None}


command.add_command(
    build_command(
        "compare",
        compare,
        compare_files,
        files=f"{FILES} Or a file for each model, without columns: of labels, one per line, or of documents.",
        required=False,
        examples="""
howsure significance dev.jsonl --target gold --against base --model large --model large-ft
howsure significance runs.csv --target gold --against base --model large --run seed --id uid
howsure significance log.tsv --model model --id question --score exact_match --cluster document
howsure significance base.jsonl large.jsonl --id uid --target gold --prediction label
howsure significance "results/**/samples_*.jsonl" --group doc.subject
howsure significance --targets targs.txt --against h0.txt --model h1.txt --method boostsa --sample-size 0.2
""",
        more_options=OUTPUT_OPTIONS,
        options=TEST_OPTIONS | FILE_OPTIONS,
        documented_by=DOCUMENTED_BY,
        epilog="See also: howsure significance outcomes --help; power --help",
    )
)


@command.command("outcomes")
@click.argument("file", metavar="outcomes.json")
@in_order(
    [
        *function_options(compare, *DOCUMENTED_BY, options=TEST_OPTIONS | dict.fromkeys([*FILE_OPTIONS, *ROW_ROLES])),
        *OUTPUT_OPTIONS,
    ]
)
def outcomes_command(
    file: str, form: str, output: str | None, figure: str | None, report: str | None, **typed: Any
) -> None:
    """Compare the experiments in an outcomes.json of BooStSa; items are resampled with all their runs."""
    from howsure.significance.boostsa.runs import compare_outcomes
    from howsure.significance.boostsa.storage import read_outcomes

    result = compare_outcomes(read_outcomes(file), **compare_arguments(typed))
    result = replace(result, recipe={"files": [file], **result.recipe})
    show(result, "howsure significance outcomes", form=form, output=output, figure=figure, report=report)


POWER_METHOD = click.option(
    "--method",
    metavar="permutation|mcnemar",
    default="permutation",
    show_default=True,
    help="Test: permutation, exact for independent items, or mcnemar (mid-p, with slightly more power).",
)


@command.command("power", help=command_help(comparison_power, POWER_EXAMPLES, files=""))
@in_order([*function_options(comparison_power, options={"method": POWER_METHOD}), output_options])
def power_command(form: str, output: str | None, **typed: Any) -> None:
    """Print the power of a comparison of n items."""
    finish(comparison_power(**typed), name="significance power", form=form, output=output)


@contextmanager
def comparison_progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar over the compared pairs, whose number is known after the first one."""
    with ExitStack() as ending:
        bars: list[Callable[[int], None]] = []

        def advance(done: int, total: int) -> None:
            if not bars:
                bars.append(ending.enter_context(progress("comparing", total=total)))
            bars[0](1 if done else 0)

        yield advance


def show(
    result: Comparison, command: str, *, form: str, output: str | None, figure: str | None, report: str | None
) -> None:
    shown = result_text(replace(result, recipe={"command": command, **result.recipe}), form, output)
    if form in PRINTED_FORMATS and requested_columns() is None:
        shown = "\n".join([*(table_text(table, form) for table in result.tables_above()), shown])
    write_pictures(result, figure=figure, report=report)
    emit(shown, output)
