"""`howsure recalibrate evaluate`: does recalibration help?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from howsure.cli.calibration.reading import as_called, reading_options
from howsure.cli.recalibrate.fit import score_options
from howsure.cli.recalibrate.input import labelled_rows, read_map
from howsure.cli.recalibrate.output import evaluations_json, evaluations_text, write_figure, write_page
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import (
    as_names,
    axis_option,
    figure_option,
    in_order,
    level_option,
    output_options,
    report_option,
)
from howsure.cli.terminal.output import emit
from howsure.cli.terminal.progress import progress
from howsure.errors import InputError
from howsure.recalibration.evaluation.verdict import MARGIN
from howsure.recalibration.folds import FOLDS
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.histogram import BINS
from howsure.recalibration.methods import AUTO, METHODS

OF_FITTING = ("method", "floor", "bins", "penalty", "folds", "repeats", "seed")


def fitting_options(function: Any) -> Any:
    """The options that say which maps are fitted and how, or which map is evaluated."""
    options: list[Any] = [
        click.option("--map", "map_file", metavar="MAP.json",
                     help="Evaluate this map, which recalibrate fit wrote, on rows that it was not fitted to."),
        click.option("--method", callback=as_names, metavar="NAME[,NAME]…",
                     help=f"What is fitted without each fold: {', '.join(METHODS)} (default: {AUTO})."),
        click.option("--floor", type=float, metavar="P",
                     help="Move probabilities into [P, 1 - P] first, for those that are exactly 0 or 1 and wrong."),
        click.option("--bins", type=click.IntRange(1, 100_000), metavar="N",
                     help=f"Bins of --method histogram (default: {BINS})."),
        click.option("--penalty", type=float, metavar="L",
                     help="Penalty of --method dirichlet (default: found by cross-fitting)."),
        click.option("--folds", type=int, metavar="N",
                     help=f"Parts that the rows or clusters are divided into, at least 3 (default: {FOLDS})."),
        click.option("--repeats", type=int, metavar="N",
                     help="How often they are divided anew (default: 3 up to 20,000 rows, 1 for more)."),
        click.option("--seed", type=click.IntRange(min=0), help="Seed of the folds (default: 0)."),
        click.option("--margin", type=float, default=MARGIN, show_default=True, metavar="E",
                     help="Smallest calibration error that is worth removing."),
        click.option("--adjust", type=click.Choice(["holm", "bh", "none"]), default="holm", show_default=True,
                     help="Adjustment of the p-values for the number of groups and methods."),
    ]  # fmt: skip
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
    files: tuple[str, ...], map_file: str | None, margin: float, adjust: str, level: float, form: str,
    output: str | None, figure: str | None, axis: str, report: str | None, **reading: Any,
) -> None:  # fmt: skip
    """Does recalibration help? Calibration error and scores before and after, on rows that no map was fitted to.

    Without --map, the rows are cross-fitted: each is evaluated after a map that was fitted to others. --group gives
    each group a map of its own; rows of a --cluster stay together.

    \b
    howsure recalibrate evaluate dev.jsonl --target gold --prob score
    howsure recalibrate evaluate dev.jsonl --target gold --logits logits --method temperature,vector --figure m.png
    howsure recalibrate evaluate test.jsonl --target gold --prob score --map map.json
    """
    from howsure.recalibration.evaluation.evaluate_recalibration import joined
    from howsure.recalibration.evaluation.of_map import evaluations_of_map

    asked = {name: reading.pop(name) for name in OF_FITTING}
    given = {name: value for name, value in asked.items() if value is not None}
    fitted = None
    if map_file is not None:
        if given:
            raise InputError(f"--{next(iter(given))} is for maps that are fitted here, and --map names one that is.")
        fitted = read_map(map_file)
        if fitted.groups and reading.get("group") is None:
            raise InputError("--group must name the column of groups: the map has one for each group.")
    how = None if adjust == "none" else adjust
    with labelled_rows(files, floor=None, **reading) as (data, read):
        if fitted is None:
            found = _cross_fitted(data, given, adjust=how, level=level, margin=margin)
        else:
            rows = evaluations_of_map(fitted, data, level=level, margin=margin)
            found = joined(rows, n=len(data), adjust=how, methods=[fitted.method])
    recipe = {"command": "howsure recalibrate evaluate", "map": map_file, **as_called(read)}
    if figure is not None:
        write_figure(found, figure, axis=axis)
    if report is not None:
        write_page(found, report, recipe=recipe)
    shown = evaluations_json(found, recipe) if form == "json" else evaluations_text(found, recipe, form)
    emit(shown, output)


def _cross_fitted(data: Labelled, given: dict[str, Any], **how: Any) -> Any:
    from howsure.recalibration.evaluation.cross_fitted import check_evaluation_folds, check_repeats
    from howsure.recalibration.evaluation.evaluate_recalibration import table_of

    methods: Sequence[str] = given.get("method", [AUTO])
    if len(set(methods)) < len(methods):
        raise InputError(f"--method must name different methods; it is {','.join(methods)}.")
    folds = check_evaluation_folds(given.get("folds", FOLDS))
    groups = max(len(data.group_names), 1)
    steps = folds * check_repeats(given.get("repeats"), len(data) // groups) * len(methods) * groups
    with progress("folds", total=steps) as advance:
        return table_of(
            data, methods=methods, folds=folds, repeats=given.get("repeats"), floor=given.get("floor"),
            bins=given.get("bins", BINS), penalty=given.get("penalty"), rng=given.get("seed", 0), advance=advance,
            **how,
        )  # fmt: skip
