"""`howsure recalibrate fit` and `apply`: learn a map from labelled rows, and apply it to others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.cli.terminal.commands import Command, Written, as_options, options_of, rows_as_in_files, tell
from howsure.cli.terminal.options import (
    ONE_WAY,
    PROBABILITIES,
    as_called,
    as_names,
    figure_option,
    from_option,
    in_order,
    probability_options,
    reading_options,
    source_and_roles,
)
from howsure.cli.terminal.output import emit, name_text, progress, write_pictures
from howsure.data.added_columns import SUFFIXES, FileToExtend, open_to_extend
from howsure.errors import InputError
from howsure.inputs.given import Given
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats
from howsure.recalibration.fitted import AUTO, ERROR, METHODS, POOLED
from howsure.recalibration.labelled import FOLDS, MOST_FOLDS
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.scores import scores_of
from howsure.recalibration.step_maps import BINS

# `howsure recalibrate fit`: learn a map from labelled rows.


def method_options(function: Any) -> Any:
    """The options that say what is fitted, and how."""
    options: list[Any] = [
        click.option(
            "--method",
            type=click.Choice(METHODS),
            default=AUTO,
            show_default=True,
            help="What is fitted; auto chooses by cross-fitted log loss, and may choose none. For one "
            "probability per row: temperature to histogram; for several classes: temperature, vector, "
            "dirichlet.",
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
            default=BINS,
            show_default=True,
            help="Bins of --method histogram.",
        ),
        click.option(
            "--penalty",
            type=float,
            metavar="L",
            help="Penalty of --method dirichlet (default: found by cross-fitting).",
        ),
        click.option(
            "--small-groups",
            type=click.Choice([ERROR, POOLED]),
            default=ERROR,
            show_default=True,
            help="Groups of fewer than 20 rows of each label: an error, or they take the map of all rows.",
        ),
        click.option(
            "--folds",
            type=click.IntRange(2, MOST_FOLDS),
            default=FOLDS,
            show_default=True,
            help="Folds of cross-fitting; rows of a cluster stay together.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the folds."),
    ]
    return in_order(options)(function)


def score_options(function: Any) -> Any:
    """The options that name the labels, the scores and the groups."""
    options: list[Any] = [
        click.option("--target", "label", metavar="COL", help="Column of the true label."),
        probability_options("Column of the predicted probability."),
        click.option(
            "--reduce",
            metavar="HOW",
            help="With classes: a map of one probability per row, that of the top "
            "label (top-label) or of one class (its name), instead of one of all classes.",
        ),
        click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order."),
        click.option("--group", metavar="COL", help="Column of groups: one map for each; several: a,b."),
    ]
    return in_order(options)(function)


@click.command("fit", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@score_options
@reading_options
@method_options
@click.option("--output", type=Written(".json"), required=True, metavar="MAP.json", help="Where the map is written.")
@figure_option("Draw the map")
def fit_command(
    files: tuple[str, ...],
    method: str,
    floor: float | None,
    n_bins: int,
    penalty: float | None,
    small_groups: str,
    folds: int,
    seed: int,
    output: str,
    figure: str | None,
    **reading: Any,
) -> None:
    """Learn a map from a model's probabilities to calibrated ones, and write it as JSON.

    FILE...: labelled rows, as for howsure calibration. Judge the map on other rows, or by howsure recalibrate evaluate.

    \b
    howsure recalibrate fit dev.jsonl --target gold --prob score --output map.json
    howsure recalibrate fit dev.csv --target gold --logits a,b,c --method temperature --output map.json
    howsure recalibrate fit dev.csv --target gold --prob p --group language --cluster document --output map.json
    """
    from howsure.recalibration.recalibrate import recalibrate

    source, roles = source_and_roles(files, reading)
    source = replace(source, bar=lambda steps: progress("folds", total=steps))
    asked: dict[str, Any] = {"method": method, "floor": floor, "n_bins": n_bins, "penalty": penalty, "folds": folds}
    found = recalibrate(**roles, **asked, small_groups=small_groups, rng=seed, data=source)
    options = options_of(click.get_current_context().command)
    notes = tuple(as_options(note, options) for note in found.notes)
    found = replace(found, recipe={"command": "howsure recalibrate fit", **as_called(found.recipe)}, notes=notes)
    write_pictures(found, figure=figure, report=None)
    found.save(output)
    emit(_text(found, output), None)


def _text(found: RecalibrationMap, out: str) -> str:
    """What was read, the map, and what each candidate scored."""
    lines = [replace(found, choice=None).text()]
    if found.choice is not None:
        lines += ["", found.table().text()]
        lines += [f"The choice took {found.choice.seconds:.1f} s. A score of the best of several is a little too good:"]
        lines += ["howsure recalibrate evaluate judges the map with the choice."]
    return "\n".join([*lines, "", f"written: {name_text(out)}", ""])


# `howsure recalibrate apply`: a file of predictions with recalibrated probabilities beside the others.

NEW_NAME = "recalibrated"


@click.command("apply", cls=Command, context_settings={"max_content_width": 110})
@click.argument("file", metavar="FILE")
@click.option("--map", "map_file", required=True, metavar="MAP.json", help="The map that recalibrate fit wrote.")
@probability_options("Column of the predicted probability.")
@click.option(
    "--classes",
    callback=as_names,
    metavar="NAME,NAME,…",
    help="Which class each column is, in order, where the columns have other names.",
)
@click.option("--group", metavar="COL", help="Column of groups, for a map of groups; several: a,b.")
@click.option(
    "--new-name",
    metavar="NAME",
    default=NEW_NAME,
    show_default=True,
    help="Name of the new column; with classes, of the columns NAME_CLASS.",
)
@click.option(
    "--skip-missing", is_flag=True, help="Leave the new columns empty where a value is missing, and count these."
)
@from_option
@click.option("--output", type=Written(*SUFFIXES), required=True, metavar="FILE", help="Where the rows are written.")
def apply_command(
    file: str,
    map_file: str,
    classes: list[str] | None,
    group: str | None,
    new_name: str,
    skip_missing: bool,
    input_format: str | None,
    output: str,
    **scores: Any,
) -> None:
    """Write FILE with recalibrated probabilities in new columns, after its own.

    FILE: CSV, TSV, JSON, JSON lines or Parquet; the rows stay in order, in a file of the same format. Classes are
    matched by name, whatever the order of their columns.

    \b
    howsure recalibrate apply test.jsonl --map map.json --prob score --output mended.jsonl
    howsure recalibrate apply test.csv --map map.json --logits a,b,c --output mended.csv
    """
    given = [role for role in PROBABILITIES if scores.get(role)]
    if len(given) != 1:
        raise InputError(ONE_WAY)
    Given(given[0], scores[given[0]], classes=classes)
    found = RecalibrationMap.load(map_file)
    if found.groups and group is None:
        raise InputError("--group COL must name the column of groups: the map has one for each group.")
    with open_to_extend(
        file,
        classes=classes,
        wanted=found.classes,
        group=group,
        format=input_format,
        skip_missing=skip_missing,
        check_groups=found.check_groups,
        **scores,
    ) as rows:
        if SUFFIXES[output[output.rindex(".") :].lower()] != rows.file.format:
            raise InputError(
                f"--output must be of the format of {rows.file.name}, {rows.file.format}; {output} is not."
            )
        names = [f"{new_name}_{name}" for name in found.classes] or [new_name]
        rows.check_new(names)
        tell(rows.said)
        with progress("rows", total=rows.n) as advance:
            _recalibrate(found, rows, names, advance)
        rows.write(output)
        empty = f", {rows.skipped:,} of them without a value" if rows.skipped else ""
    emit(f"{name_text(output)}: {counted(rows.n, 'row')}{empty}, with {', '.join(map(name_text, names))}\n", None)


def _recalibrate(found: RecalibrationMap, rows: FileToExtend, names: list[str], advance: Any) -> None:
    """Add the recalibrated probabilities of all rows."""
    for chunk in rows.chunks():
        with rows_as_in_files(lambda row, held=chunk.rows: rows.place(int(held[row]))):  # type: ignore[misc]
            scores = scores_of(chunk.scores, rows.scale, found.floor)
            after: Floats = found.apply_rows(scores, chunk.groups, rows.groups)
        columns = [after] if after.ndim == 1 else list(after.T.copy())
        rows.add(chunk, dict(zip(names, columns, strict=True)))
        advance(chunk.length)
