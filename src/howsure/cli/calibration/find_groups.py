"""`howsure calibration find-groups`: in which groups of rows are predictions worse calibrated than in the whole?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.calibration.found_groups import find_groups
from howsure.calibration.scan import DIAGONAL, MIN_ROWS, WHOLE
from howsure.cli.terminal.commands import Command
from howsure.cli.terminal.options import (
    as_names,
    figure_option,
    level_option,
    output_options,
    probability_options,
    reading_options,
    report_option,
    source_and_roles,
)
from howsure.cli.terminal.output import emit, result_text, write_pictures
from howsure.result import files_read


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
    source, roles = source_and_roles(files, reading)
    found = find_groups(
        **roles, features=features, conditions=conditions, against=against, min_rows=min_rows, multicalibration=True,
        level=level, rng=seed, data=source,
    )  # fmt: skip
    found = replace(found, recipe={"command": "howsure calibration find-groups", **found.recipe})
    title = f"Which groups are worse calibrated? {files_read(found.recipe)}"
    shown = result_text(found, form)  # which may refuse a column, before anything is written
    write_pictures(found, figure=figure, report=report, title=title)
    emit(shown, output)
