"""`howsure recalibrate evaluate`: does recalibration help?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.cli.recalibrate.fit import score_options
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import (
    as_called,
    as_names,
    axis_option,
    figure_option,
    in_order,
    level_option,
    output_options,
    reading_options,
    report_option,
    source_and_roles,
)
from howsure.cli.terminal.output import emit, emit_result, json_text, progress, write_pictures
from howsure.errors import InputError
from howsure.recalibration.evaluation_results import MARGIN
from howsure.recalibration.fitted import AUTO, METHODS
from howsure.recalibration.labelled import FOLDS
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.step_maps import BINS
from howsure.result import files_read

OF_FITTING = ("method", "floor", "n_bins", "penalty", "folds", "repeats", "seed")


def fitting_options(function: Any) -> Any:
    """The options that say which maps are fitted and how, or which map is evaluated."""
    options: list[Any] = [
        click.option(
            "--map",
            "map_file",
            metavar="MAP.json",
            help="Evaluate this map, which recalibrate fit wrote, on rows that it was not fitted to.",
        ),
        click.option(
            "--method",
            callback=as_names,
            metavar="NAME[,NAME]…",
            help=f"What is fitted without each fold: {', '.join(METHODS)} (default: {AUTO}).",
        ),
        click.option(
            "--floor",
            type=float,
            metavar="P",
            help="Move probabilities into [P, 1 - P] first, for those that are exactly 0 or 1 and wrong.",
        ),
        click.option(
            "--bins",
            "n_bins",
            type=click.IntRange(1, 100_000),
            metavar="N",
            help=f"Bins of --method histogram (default: {BINS}).",
        ),
        click.option(
            "--penalty",
            type=float,
            metavar="L",
            help="Penalty of --method dirichlet (default: found by cross-fitting).",
        ),
        click.option(
            "--folds",
            type=int,
            metavar="N",
            help=f"Parts that the rows or clusters are divided into, at least 3 (default: {FOLDS}).",
        ),
        click.option(
            "--repeats",
            type=int,
            metavar="N",
            help="How often they are divided anew (default: 3 up to 20,000 rows, 1 for more).",
        ),
        click.option("--seed", type=click.IntRange(min=0), help="Seed of the folds (default: 0)."),
        click.option(
            "--margin",
            type=float,
            default=MARGIN,
            show_default=True,
            metavar="E",
            help="Smallest calibration error that is worth removing.",
        ),
        click.option(
            "--adjust",
            type=click.Choice(["holm", "bh", "none"]),
            default="holm",
            show_default=True,
            help="Adjustment of the p-values for the number of groups and methods.",
        ),
    ]
    return in_order(options)(function)


@click.command("evaluate", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@score_options
@reading_options
@fitting_options
@level_option
@output_options
@figure_option("Draw the curves before and after, and the improvements")
@axis_option
@report_option
def evaluate_command(
    files: tuple[str, ...],
    map_file: str | None,
    margin: float,
    adjust: str,
    level: float,
    form: str,
    output: str | None,
    figure: str | None,
    axis: str,
    report: str | None,
    **reading: Any,
) -> None:
    """Does recalibration help? Calibration error and scores before and after, on rows that no map was fitted to.

    Without --map, the rows are cross-fitted: each is evaluated after a map that was fitted to others. --group gives
    each group a map of its own; rows of a --cluster stay together.

    \b
    howsure recalibrate evaluate dev.jsonl --target gold --prob score
    howsure recalibrate evaluate dev.jsonl --target gold --logits logits --method temperature,vector --figure m.png
    howsure recalibrate evaluate test.jsonl --target gold --prob score --map map.json
    """
    from howsure.recalibration.evaluate_recalibration import recalibration_table, table_of_map

    asked = {name: reading.pop(name) for name in OF_FITTING}
    given = {name: value for name, value in asked.items() if value is not None}
    source, roles = source_and_roles(files, reading)
    source = replace(source, bar=lambda steps: progress("folds", total=steps))
    how: dict[str, Any] = {"adjust": None if adjust == "none" else adjust, "level": level, "margin": margin}
    if map_file is None:
        methods = given.pop("method", [AUTO])
        if len(set(methods)) < len(methods):
            raise InputError(f"--method must name different methods; it is {','.join(methods)}.")
        found = recalibration_table(**roles, methods=methods, rng=given.pop("seed", 0), **given, **how, data=source)
    else:
        if given:
            raise InputError(f"--{next(iter(given))} is for maps that are fitted here, and --map names one that is.")
        fitted = RecalibrationMap.load(map_file)
        if fitted.groups and roles["groups"] is None:
            raise InputError("--group must name the column of groups: the map has one for each group.")
        found = table_of_map(fitted, **roles, **how, data=source)
    found = replace(
        found, recipe={"command": "howsure recalibrate evaluate", "map": map_file, **as_called(found.recipe)}
    )
    one, skipped = found.alone, sum(found.recipe["skipped"].values())
    drawn: dict[str, Any] = {} if one is None else {"axis": axis}
    title = f"Does recalibration help? {files_read(found.recipe)}"
    write_pictures(one or found, figure=figure, report=report, title=title, **drawn)
    if form == "json":
        emit(json_text(found.to_dict() | {"skipped": skipped}), output)
    else:
        emit_result(found if one is None or form == "csv" else one, form, output)
