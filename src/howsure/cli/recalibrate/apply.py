"""`howsure recalibrate apply`: a file of predictions with recalibrated probabilities beside the others."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.recalibrate.input import read_map, scores_of
from howsure.cli.terminal.commands import Command, Written, rows_as_in_files, tell
from howsure.cli.terminal.options import ONE_WAY, PROBABILITIES, as_names, from_option, probability_options
from howsure.cli.terminal.output import emit, name_text
from howsure.cli.terminal.progress import progress
from howsure.data.added_columns import SUFFIXES, FileToExtend, open_to_extend
from howsure.errors import InputError
from howsure.inputs.given import Given
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats
from howsure.recalibration.results import RecalibrationMap

NEW_NAME = "recalibrated"


@click.command("apply", cls=Command, context_settings={"max_content_width": 110})
@click.argument("file", metavar="FILE")
@click.option("--map", "map_file", required=True, metavar="MAP.json", help="The map that recalibrate fit wrote.")
@probability_options("Column of the predicted probability.")
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…",
              help="Which class each column is, in order, where the columns have other names.")  # fmt: skip
@click.option("--group", "--by", metavar="COL", help="Column of groups, for a map of groups; several: a,b.")
@click.option("--new-name", metavar="NAME", default=NEW_NAME, show_default=True,
              help="Name of the new column; with classes, of the columns NAME_CLASS.")  # fmt: skip
@click.option(
    "--skip-missing", is_flag=True, help="Leave the new columns empty where a value is missing, and count these."
)
@from_option
@click.option("--out", type=Written(*SUFFIXES), required=True, metavar="FILE", help="Where the rows are written.")
def apply_command(
    file: str, map_file: str, classes: list[str] | None, group: str | None, new_name: str, skip_missing: bool,
    input_format: str | None, out: str, **scores: Any,
) -> None:  # fmt: skip
    """Write FILE with recalibrated probabilities in new columns, after its own.

    FILE: CSV, TSV, JSON, JSON lines or Parquet; the rows stay in order, and OUT is of the same format. Classes are
    matched by name, whatever the order of their columns.

    \b
    howsure recalibrate apply test.jsonl --map map.json --prob score --out mended.jsonl
    howsure recalibrate apply test.csv --map map.json --logits a,b,c --out mended.csv
    """
    given = [role for role in PROBABILITIES if scores.get(role)]
    if len(given) != 1:
        raise InputError(ONE_WAY)
    Given(given[0], scores[given[0]], classes=classes)
    found = read_map(map_file)
    if found.groups and group is None:
        raise InputError("group='COL' must name the column of groups: the map has one for each group.")
    with open_to_extend(
        file, classes=classes, wanted=found.classes, group=group, format=input_format, skip_missing=skip_missing,
        check_groups=found.check_groups, **scores,
    ) as rows:  # fmt: skip
        if SUFFIXES[out[out.rindex(".") :].lower()] != rows.file.format:
            raise InputError(f"--out must be of the format of {rows.file.name}, {rows.file.format}; {out} is not.")
        names = [f"{new_name}_{name}" for name in found.classes] or [new_name]
        rows.check_new(names)
        tell(rows.said)
        with progress("rows", total=rows.n) as advance:
            _recalibrate(found, rows, names, advance)
        rows.write(out)
        empty = f", {rows.skipped:,} of them without a value" if rows.skipped else ""
    emit(f"{name_text(out)}: {counted(rows.n, 'row')}{empty}, with {', '.join(map(name_text, names))}\n", None)


def _recalibrate(found: RecalibrationMap, rows: FileToExtend, names: list[str], advance: Any) -> None:
    """Add the recalibrated probabilities of all rows."""
    for chunk in rows.chunks():
        with rows_as_in_files(lambda row, held=chunk.rows: rows.place(int(held[row]))):  # type: ignore[misc]
            scores = scores_of(chunk.scores, rows.scale, found.floor)
            after: Floats = found.apply_rows(scores, chunk.groups, rows.groups)
        columns = [after] if after.ndim == 1 else list(after.T.copy())
        rows.add(chunk, dict(zip(names, columns, strict=True)))
        advance(chunk.length)
