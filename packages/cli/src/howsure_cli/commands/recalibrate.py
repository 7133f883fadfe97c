"""`howsure recalibrate`: fit a map (a function from probabilities to calibrated ones), evaluate it, and apply it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.data.added_columns import SUFFIXES
from howsure.recalibration.evaluate_recalibration import evaluate_maps, recalibration_table
from howsure.recalibration.methods import AUTO, METHODS
from howsure.recalibration.recalibrate import recalibrate, recalibrate_file
from howsure.recalibration.results import RecalibrationMap
from howsure.result import files_read
from howsure_cli.terminal.commands import Group, OutputFile
from howsure_cli.terminal.derived import build_command, call_function, choice, parameter_help
from howsure_cli.terminal.options import (
    as_names,
    axis_option,
    build_source,
    encoding_option,
    figure_option,
    from_option,
    missing_option,
    output_options,
    probability_form,
    probability_options,
    report_option,
)
from howsure_cli.terminal.output import emit, emit_result, in_options, name_text, write_pictures

WIDE = {"max_content_width": 110}


@click.group("recalibrate", cls=Group)
def command() -> None:
    """Recalibrate a model's probabilities: fit a map to labelled rows (fit), test whether it helps (evaluate), and
    apply it to other rows (apply)."""


def fit(output: str, figure: str | None, **typed: Any) -> None:
    """Fit a map, write it, and print it with the result of each candidate."""
    recalibration = in_options(call_function(recalibrate, typed))
    recalibration = replace(recalibration, recipe={"command": "howsure recalibrate fit", **recalibration.recipe})
    write_pictures(recalibration, figure=figure, report=None)
    recalibration.save(output)
    lines = [replace(recalibration, choice=None).text()]
    if recalibration.choice is not None:
        lines += ["", recalibration.table().text()]
        lines += [
            f"The choice took {recalibration.choice.seconds:.1f} s. The score of the best of several methods is "
            "slightly too good:",
            "howsure recalibrate evaluate evaluates the map including the choice.",
        ]
    emit("\n".join([*lines, "", f"written: {name_text(output)}", ""]), None)


def evaluate(
    map: str | None, form: str, output: str | None, figure: str | None, report: str | None, axis: str, **typed: Any
) -> None:
    """Evaluate maps, and print one evaluation, or a table of several."""
    evaluations = call_function(evaluate_maps, typed, map=None if map is None else RecalibrationMap.load(map))
    evaluations = replace(
        evaluations, recipe={"command": "howsure recalibrate evaluate", "map": map, **evaluations.recipe}
    )
    single_evaluation = evaluations.alone
    drawn: dict[str, Any] = {} if single_evaluation is None else {"axis": axis}
    title = f"Does recalibration help? {files_read(evaluations.recipe)}"
    write_pictures(single_evaluation or evaluations, figure=figure, report=report, title=title, **drawn)
    emit_result(
        evaluations if single_evaluation is None or form in ("csv", "json") else single_evaluation, form, output
    )


command.add_command(
    build_command(
        "fit",
        recalibrate,
        fit,
        examples="""
howsure recalibrate fit dev.jsonl --target gold --prob score --output map.json
howsure recalibrate fit dev.csv --target gold --logits a,b,c --method temperature --output map.json
howsure recalibrate fit dev.csv --target gold --prob p --group language --cluster document --output map.json
""",
        more_options=[
            click.option("--output", type=OutputFile(".json"), required=True, metavar="MAP.json"),
            figure_option(),
        ],
        options={"method": choice(recalibrate, "method", METHODS)},
    )
)
command.add_command(
    build_command(
        "evaluate",
        evaluate_maps,
        evaluate,
        examples="""
howsure recalibrate evaluate dev.jsonl --target gold --prob score
howsure recalibrate evaluate dev.jsonl --target gold --logits logits --method temperature,vector --figure m.png
howsure recalibrate evaluate test.jsonl --target gold --prob score --map map.json
""",
        more_options=[output_options, figure_option(), axis_option, report_option],
        documented_by=(recalibration_table,),
        options={
            "methods": click.option(
                "--method",
                "methods",
                callback=as_names,
                metavar="NAME[,NAME]…",
                help=f"{parameter_help(recalibration_table)['methods']} (default: {AUTO}).",
            ),
            "map": click.option("--map", metavar="MAP.json"),
        },
    )
)


@command.command("apply", context_settings=WIDE)
@click.argument("file", metavar="FILE")
@click.option("--map", required=True, metavar="MAP.json")
@probability_options(labelled=False)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…")
@click.option("--group", "groups", metavar="COL")
@click.option(
    "--new-name",
    metavar="NAME",
    default="recalibrated",
    show_default=True,
    help="Name of the new column; with classes, of the columns NAME_CLASS.",
)
@click.option("--skip-missing", is_flag=True)
@missing_option
@from_option
@encoding_option
@click.option("--output", type=OutputFile(*SUFFIXES), required=True, metavar="FILE")
def apply_command(file: str, map: str, output: str, new_name: str, groups: str | None, **typed: Any) -> None:
    """Write a copy of FILE with recalibrated probabilities in new columns at the end.

    FILE: CSV, TSV, JSON, JSON lines or Parquet. The output has the same format and order of rows, in UTF-8. Classes are
    matched by name, whatever the order of their columns.

    \b
    howsure recalibrate apply test.jsonl --map map.json --prob score --output recalibrated.jsonl
    howsure recalibrate apply test.csv --map map.json --logits a,b,c --output recalibrated.csv
    """
    written = recalibrate_file(
        RecalibrationMap.load(map),
        probability_form(typed),
        groups=groups,
        new_name=new_name,
        output=output,
        data=build_source([file], typed),
    )
    emit(f"{name_text(str(written))}\n", None)
