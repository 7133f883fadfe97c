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
from howsure.cli.terminal.output import chosen, command_line, emit, json_text, progress, table_text
from howsure.errors import InputError
from howsure.figures.width import of_width
from howsure.files.whole import write_whole
from howsure.recalibration.evaluation_results import MARGIN, RecalibrationEvaluation, RecalibrationTable
from howsure.recalibration.fitted import AUTO, METHODS
from howsure.recalibration.labelled import FOLDS
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.step_maps import BINS
from howsure.result import files_read, rows_read
from howsure.show.numbers import all_digits
from howsure.show.recipe import recipe_text
from howsure.show.table import Table

# What `howsure recalibrate evaluate` shows.

ENDS = ("", " low", " high")


def evaluations_json(found: RecalibrationTable, recipe: dict[str, Any]) -> str:
    """The documented schema: recipe, evaluations, skipped."""
    skipped = sum(recipe["skipped"].values())
    return json_text(found.to_dict() | {"recipe": recipe | found.recipe, "skipped": skipped})


def evaluations_text(found: RecalibrationTable, recipe: dict[str, Any], form: str) -> str:
    """One evaluation: its verdict, table and notes. Several: a row each. `form`: the format."""
    alone = _alone(found)
    if form == "csv":
        return table_text(_exact(found), form)
    if form != "table":
        table = found.table() if alone is None else alone.table()
        told = [recipe_text(found.recipe), rows_read(recipe), *table.notes]
        return table_text(replace(table, caption="\n".join(told), notes=()), form)
    if alone is not None and chosen() is None:
        return f"{rows_read(recipe)}\n\n{alone!r}\n"
    table = found.table()
    return "\n".join([rows_read(recipe), "", table_text(table), *table.notes, ""])


def write_figure(found: RecalibrationTable, path: str, *, axis: str) -> None:
    """Draw the curves of one evaluation, or the improvements of several, into a file."""
    from howsure.figures.compared_curves import improvements_figure, recalibration_figure
    from howsure.figures.files import save_figure

    alone = _alone(found)
    save_figure(improvements_figure(found) if alone is None else recalibration_figure(alone, axis=axis), path)


def write_page(found: RecalibrationTable, path: str, *, recipe: dict[str, Any]) -> None:
    """Write the report into a file."""
    from howsure.report.results import result_report

    title = f"Does recalibration help? {files_read(recipe)}"
    with of_width(None):  # that of the figure in a file is not that of a page
        page = result_report(_alone(found) or found, title=title, read=recipe, command=command_line())
    write_whole(page.encode(), path)


def _alone(found: RecalibrationTable) -> RecalibrationEvaluation | None:
    """The evaluation, where there is just one, of all rows."""
    return found.rows[0] if len(found) == 1 and found.rows[0].name is None else None


def _exact(found: RecalibrationTable) -> Table:
    """One row an evaluation, with all digits, each end of an interval in its own column, empty if unknown."""
    rows = []
    for row, p in zip(found.rows, found.p_adjusted, strict=True):
        held = {"group": row.name or "all", "method": row.method, "n": str(row.n)}
        for name, one in (("error before", row.error_before), ("error after", row.error_after)):
            held |= dict(
                zip([name + end for end in ENDS], map(all_digits, (one.value, one.low, one.high)), strict=True)
            )
        for name, change in row.changes().items():
            words, gain = name.replace("_", " "), change.improvement
            ends = [f"{words} improvement{end}" for end in ENDS]
            held |= {f"{words} before": all_digits(change.before), f"{words} after": all_digits(change.after)}
            held |= dict(zip(ends, map(all_digits, (gain.value, gain.low, gain.high)), strict=True))
        held |= {"p": all_digits(row.p_value), "p adjusted": all_digits(p), "verdict": row.kind}
        rows.append(held | {"rows needed": "" if row.needed is None else str(row.needed)})
    return Table(list(rows[0]), [list(row.values()) for row in rows], words=("group", "method", "verdict"))


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
    read = found.recipe
    recipe = {"command": "howsure recalibrate evaluate", "map": map_file, **as_called(read)}
    if figure is not None:
        write_figure(found, figure, axis=axis)
    if report is not None:
        write_page(found, report, recipe=recipe)
    shown = evaluations_json(found, recipe) if form == "json" else evaluations_text(found, recipe, form)
    emit(shown, output)
