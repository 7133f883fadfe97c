"""`howsure calibration find-groups`: in which groups of rows are predictions worse calibrated than in the whole?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.calibration.found_groups import groups_of
from howsure.calibration.group_results import FoundGroups, found_in_words, groups_table, whole_in_words
from howsure.calibration.multicalibration import MulticalibrationError, multicalibration_of
from howsure.calibration.scan import DIAGONAL, MIN_ROWS, WHOLE
from howsure.cli.calibration.output import files_text, left_out
from howsure.cli.calibration.reading import as_called, opened, reading_options
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import (
    as_names,
    figure_option,
    level_option,
    output_options,
    probability_options,
    report_option,
)
from howsure.cli.terminal.output import emit, json_text, table_text
from howsure.errors import InputError
from howsure.figures.width import of_width
from howsure.inputs.classes import CLASS_WISE
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Pairs
from howsure.show.table import Table


@click.command("find-groups", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--features", callback=as_names, required=True, metavar="COL,COL,…",
              help="Columns to make groups of: names, numbers, dates; length(COL) is that of a text.")  # fmt: skip
@probability_options("Column of the predicted probability.")
@click.option("--reduce", metavar="HOW", help="With classes: top-label (default), or the name of one class.")
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--target", "label", metavar="COL", help="Column of the true label.")
@reading_options
@click.option("--conditions", type=click.IntRange(1, 2), default=2, show_default=True,
              help="Most conditions of a group.")  # fmt: skip
@click.option("--against", type=click.Choice([WHOLE, DIAGONAL]), default=WHOLE, show_default=True,
              help="Compare a group with the whole at the same predictions, or with perfect calibration.")  # fmt: skip
@click.option("--min-rows", type=click.IntRange(min=2), default=MIN_ROWS, show_default=True,
              help="Least number of rows of a group.")  # fmt: skip
@level_option
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@output_options
@figure_option("Draw the groups found")
@report_option
def command(
    files: tuple[str, ...], features: list[str], conditions: int, against: str, min_rows: int, level: float, seed: int,
    form: str, output: str | None, figure: str | None, report: str | None, **reading: Any,
) -> None:  # fmt: skip
    """In which groups of rows are predictions worse calibrated than in the whole?

    Groups are made of one or two conditions on columns, and tested all at once. FILE...: as for `howsure calibration`.

    \b
    howsure calibration find-groups dev.csv --target gold --prob score --features genre,length
    howsure calibration find-groups dev.jsonl --target gold --probs-column probs --features 'genre,length(text)'
    howsure calibration find-groups answers.csv --target right --prob confidence --features model,topic --cluster item
    """
    pairs, held, recipe, skipped = _read(files, features, reading)
    asked: dict[str, Any] = {"min_rows": min_rows, "level": level, "rng": seed}
    found = groups_of(pairs, held, conditions=conditions, against=against, **asked)
    error = multicalibration_of(pairs, held, **asked)
    if figure is not None:
        from howsure.figures.calibration import groups_figure
        from howsure.figures.files import save_figure

        save_figure(groups_figure(found), figure)
    if report is not None:
        told = replace(found, notes=(*found.notes, repr(error)))
        with of_width(None):  # that of the figure in a file is not that of a page
            told.report(report, title=f"Which groups are worse calibrated? {files_text(recipe)}")
    if form == "json":
        document = found.to_dict() | {"recipe": {**found.recipe, **recipe}, "skipped": skipped}
        emit(json_text(document | {"multicalibration": error.to_dict()}), output)
    elif form == "table":
        emit(_text(found, error, recipe, skipped), output)
    else:
        emit(table_text(_printed(found, recipe, exact=form == "csv"), form), output)


def _read(
    files: tuple[str, ...], features: list[str], reading: dict[str, Any]
) -> tuple[Pairs, dict[str, Any], dict[str, Any], int]:
    """The pairs, the features by name, what was read, and the number of rows skipped."""
    from howsure.data.predictions.features import column_of_feature, feature_columns

    if reading.get("reduce") == CLASS_WISE:
        raise InputError("--reduce class-wise makes several pairs of a row; find groups with top-label or one class.")
    _check_features(features, reading)
    columns = list(dict.fromkeys(map(column_of_feature, features)))
    with opened(files, features=columns, **reading) as predictions:
        pairs = predictions.pairs()
        held = feature_columns(predictions.selection, features)
        recipe = {"command": "howsure calibration find-groups", **as_called(predictions.describe())}
        skipped = sum(predictions.skipped.values())
    return pairs, held, recipe, skipped


def _check_features(features: list[str], reading: dict[str, Any]) -> None:
    """Raise InputError for a feature that is named twice, or is the label."""
    for name in features:
        if features.count(name) > 1:
            raise InputError(f"--features must name each column once; {name} is there {features.count(name)} times.")
        if name == reading.get("label"):
            raise InputError(
                f"--features must not name the label: {name} is --target. Groups are made of what is known before it."
            )


def _text(found: FoundGroups, error: MulticalibrationError, recipe: dict[str, Any], skipped: int) -> str:
    missing = ", ".join(f"{column}: {count:,}" for column, count in recipe["skipped"].items())
    read = f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}"
    read += f", {skipped:,} skipped ({missing})" if skipped else ""
    lines = [read + left_out(recipe), "", whole_in_words(found), repr(error), ""]
    if found.rows:
        level = 100 * found.recipe["level"]
        lines += [table_text(groups_table(found)).rstrip("\n")]
        lines += [f"In brackets: {level:g} % intervals, for all groups at once.", ""]
    return "\n".join([*lines, found_in_words(found), *groups_table(found).notes, ""])


def _printed(found: FoundGroups, recipe: dict[str, Any], *, exact: bool) -> Table:
    table = groups_table(found, exact=exact)
    read = f"howsure {found.recipe['howsure']}, files {', '.join(recipe['files'])}{left_out(recipe)}"
    caption = "\n".join([read, whole_in_words(found), *found_in_words(found).splitlines()[:1], *table.notes])
    return replace(table, caption=caption, notes=(), title="Groups that are worse calibrated than the whole")
