"""`howsure recalibrate fit`: learn a map from labelled rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.cli.calibration.output import files_text
from howsure.cli.calibration.reading import as_called, reading_options
from howsure.cli.recalibrate.input import labelled_rows
from howsure.cli.terminal.commands import Command, Written, as_options, options_of
from howsure.cli.terminal.options import as_names, figure_option, in_order, probability_options
from howsure.cli.terminal.output import emit, name_text, table_text
from howsure.cli.terminal.progress import progress
from howsure.files.whole import write_text
from howsure.inputs.naming import counted
from howsure.recalibration.fitted import ERROR, POOLED
from howsure.recalibration.folds import FOLDS, MOST_FOLDS
from howsure.recalibration.maps.histogram import BINS
from howsure.recalibration.methods import AUTO, METHODS, candidates
from howsure.recalibration.results import RecalibrationMap


def method_options(function: Any) -> Any:
    """The options that say what is fitted, and how."""
    options: list[Any] = [
        click.option("--method", type=click.Choice(METHODS), default=AUTO, show_default=True,
                     help="What is fitted; auto chooses by cross-fitted log loss, and may choose none. For one "
                     "probability per row: temperature to histogram; for several classes: temperature, vector, "
                     "dirichlet."),
        click.option("--floor", type=float, metavar="P",
                     help="Move probabilities into [P, 1 - P] first, for those that are exactly 0 or 1 and wrong."),
        click.option("--bins", type=click.IntRange(1, 100_000), default=BINS, show_default=True,
                     help="Bins of --method histogram."),
        click.option("--penalty", type=float, metavar="L",
                     help="Penalty of --method dirichlet (default: found by cross-fitting)."),
        click.option("--small-groups", type=click.Choice([ERROR, POOLED]), default=ERROR, show_default=True,
                     help="Groups of fewer than 20 rows of each label: an error, or they take the map of all rows."),
        click.option("--folds", type=click.IntRange(2, MOST_FOLDS), default=FOLDS, show_default=True,
                     help="Folds of cross-fitting; rows of a cluster stay together."),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the folds."),
    ]  # fmt: skip
    return in_order(options)(function)


def score_options(function: Any) -> Any:
    """The options that name the labels, the scores and the groups."""
    options: list[Any] = [
        click.option("--target", "label", metavar="COL", help="Column of the true label."),
        probability_options("Column of the predicted probability."),
        click.option("--reduce", metavar="HOW", help="With classes: a map of one probability per row, that of the top "
                     "label (top-label) or of one class (its name), instead of one of all classes."),
        click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order."),
        click.option("--group", "--by", metavar="COL", help="Column of groups: one map for each; several: a,b."),
    ]  # fmt: skip
    return in_order(options)(function)


@click.command("fit", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@score_options
@reading_options
@method_options
@click.option("--out", type=Written(".json"), required=True, metavar="MAP.json", help="Where the map is written.")
@figure_option("Draw the map")
def fit_command(
    files: tuple[str, ...], method: str, floor: float | None, bins: int, penalty: float | None, small_groups: str,
    folds: int, seed: int, out: str, figure: str | None, **reading: Any,
) -> None:  # fmt: skip
    """Learn a map from a model's probabilities to calibrated ones, and write it as JSON.

    FILE...: labelled rows, as for howsure calibration. Judge the map on other rows, or by howsure recalibrate evaluate.

    \b
    howsure recalibrate fit dev.jsonl --target gold --prob score --out map.json
    howsure recalibrate fit dev.csv --target gold --logits a,b,c --method temperature --out map.json
    howsure recalibrate fit dev.csv --target gold --prob p --by language --cluster document --out map.json
    """
    from howsure.recalibration.recalibrate import recalibration_of

    with labelled_rows(files, floor=floor, **reading) as (data, read):
        tried = candidates(method, binary=data.is_binary, bins=bins, penalty=penalty)
        with progress("folds", total=folds * len(tried)) as advance:
            found = recalibration_of(
                data, method=method, folds=folds, floor=floor, small=small_groups, bins=bins, penalty=penalty, rng=seed,
                advance=advance,
            )  # fmt: skip
    options = options_of(click.get_current_context().command)
    found = replace(
        found, recipe={"command": "howsure recalibrate fit", **as_called(read), **found.recipe},
        notes=tuple(as_options(note, options) for note in found.notes),
    )  # fmt: skip
    if figure is not None:
        _draw(found, figure)
    write_text(found.to_json(), out)
    emit(_text(found, read, out), None)


def _text(found: RecalibrationMap, read: dict[str, Any], out: str) -> str:
    """What was read, the map, and what each candidate scored."""
    skipped = sum(read["skipped"].values())
    lines = [f"{files_text(read)}: {counted(read['rows'], 'row')}" + (f", {skipped:,} skipped" if skipped else "")]
    lines += ["", repr(replace(found, choice=None))]
    if found.choice is not None:
        lines += ["", table_text(replace(found.table(), notes=())).rstrip("\n")]
        lines += [f"The choice took {found.choice.seconds:.1f} s. A score of the best of several is a little too good:"]
        lines += ["howsure recalibrate evaluate judges the map with the choice."]
    return "\n".join([*lines, "", f"written: {name_text(out)}", ""])


def _draw(found: RecalibrationMap, path: str) -> None:
    from howsure.figures.compared_curves import map_figure
    from howsure.figures.files import save_figure

    save_figure(map_figure(found), path)
