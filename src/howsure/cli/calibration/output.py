"""What `howsure calibration` shows of its curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.calibration import words
from howsure.calibration.calibration_tests import CalibrationTest, check_calibration
from howsure.calibration.corp_results import CorpCurve
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import scores_of_all_classes
from howsure.calibration.words import notes_by_name, recipe_rows, summary, verdict
from howsure.cli.terminal.output import chosen, command_line, json_text, table_text
from howsure.figures.width import of_width
from howsure.files.whole import write_whole
from howsure.inputs.naming import counted, shortened
from howsure.inputs.pairs import Pairs
from howsure.show.numbers import number
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED, adjust_p_values

# `howsure calibration --test`: the p-value of a curve by a test that the user names.


def with_test(
    curve: CalibrationCurve, pairs: Pairs, method: str, *, interval: str, level: float, **options: Any
) -> CalibrationCurve:
    """The curve with the p-value of a method of `calibration_test`, and a note of what the method estimates."""
    found = check_calibration(pairs, method, **options)
    recipe = curve.recipe | {"test": method} | {k: v for k, v in found.recipe.items() if k in ("n_simulations", "seed")}
    return replace(curve, p_value=found.p_value, notes=(*curve.notes, *_said(found)), recipe=recipe)


def _said(found: CalibrationTest) -> list[str]:
    if found.method != "cox":
        return []
    if math.isinf(found.statistic):
        return [
            "cox test: wrong predictions of exactly 0 or 1 alone refute calibration; if these were rounded, use "
            "another test"
        ]
    intercept, slope = found.estimates["intercept"], found.estimates["slope"]
    if math.isfinite(intercept) and math.isfinite(slope):
        return [f"cox test: log-odds of the labels = {intercept:.3f} + {slope:.3f} · log-odds of the predictions"]
    return []


IN_A_TITLE = 3  # names of files
SOFT = (
    "\nnote: labels are shares of annotators: a row is a pair of label 1 and one of label 0, weighted by its shares, "
    "in one cluster; every score is that against an annotator drawn at random, and intervals are on the safe side"
)
MOST_ERRORS = 100  # rows of a figure of errors


def curves_json(curves: Sequence[CalibrationCurve], *, recipe: dict[str, Any], skipped: int, adjust: str) -> str:
    """The documented schema: recipe, curves, skipped."""
    adjusted = adjusted_p_values(curves, adjust)
    found = [
        curve.to_dict() | {"p_adjusted": None if math.isnan(p) else p, "recipe": curve.recipe}
        for curve, p in zip(curves, adjusted, strict=True)
    ]
    return json_text({"recipe": recipe, "curves": found, "skipped": skipped})


def curves_text(curves: Sequence[CalibrationCurve], *, recipe: dict[str, Any], skipped: int, adjust: str) -> str:
    """One curve: its figures in words and its bins. Several: a table, and what is wrong with each in a sentence."""
    read = rows_text(recipe, skipped)
    if len(curves) == 1 and curves[0].name is None and chosen() is None:
        return f"{read}\n\n{summary(curves[0])}\n\n{table_text(bins_table(curves[0]))}"
    table = curves_table(curves, recipe=recipe, skipped=skipped, adjust=adjust)
    adjusted = adjusted_p_values(curves, adjust)
    said = [named(curve, verdict(curve, p)) for curve, p in zip(curves, adjusted, strict=True)]
    lines = [*scores_of_all_classes(curves), *_families(curves, adjust), *said, *_notes(curves)]
    return "\n".join([read, "", table_text(table), *lines, ""])


def named(curve: CalibrationCurve | CorpCurve, said: str) -> str:
    """What is said of a curve, after its name, if it has one."""
    return said if curve.name is None else f"{curve.name}: {said}"


def rows_text(recipe: dict[str, Any], skipped: int) -> str:
    """The files, how many rows they have, which are left out, and how rows of several files count."""
    read = f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}"
    read += f", {skipped:,} skipped ({_counts(recipe['skipped'])})" if skipped else ""
    return read + left_out(recipe) + _pooling(recipe)


def files_text(recipe: dict[str, Any]) -> str:
    """The names of the files, and how many there are if several are pooled."""
    files = recipe["files"]
    return files[0] if len(files) == 1 else f"{len(files):,} files pooled ({shortened(files, limit=6)})"


def left_out(recipe: dict[str, Any]) -> str:
    """The rows that do not satisfy the user's expression, and the expression."""
    return f", {recipe['left_out']:,} left out (not where {recipe['where']})" if "where" in recipe else ""


def _pooling(recipe: dict[str, Any]) -> str:
    """How rows of several files count, in a sentence of its own."""
    said = SOFT if recipe.get("soft_labels") else ""
    if len(recipe["files"]) == 1 or "classes" in recipe:  # shards of one thing
        return said
    return said + _across_files(recipe)


def _across_files(recipe: dict[str, Any]) -> str:
    if "engine" in recipe:
        return "\nnote: rows of all files count as independent"
    if recipe.get("across_files"):
        column = recipe.get("cluster") or recipe["id"]
        same = "are one cluster" if recipe["across_files"] == "same" else "are kept apart"
        return f"\nnote: equal values of {column} in several files {same}"
    if recipe.get("cluster") or recipe.get("id"):
        return ""
    return (
        "\nnote: rows of all files count as independent; if files evaluate the same items, name the item with --id COL"
    )


def _families(curves: Sequence[CalibrationCurve], adjust: str) -> list[str]:
    """What of several curves is adjusted for their number, and what is not."""
    if len(curves) == 1:
        return []
    if adjust == "none":
        return [f"Verdicts and p are each group's own; nothing is adjusted for {len(curves):,} groups."]
    return [f"Verdicts are each group's own; p is adjusted for {len(curves):,} groups ({ADJUSTED[adjust]})."]


def _notes(curves: Sequence[CalibrationCurve]) -> list[str]:
    return notes_by_name((curve.name or "note", curve.notes) for curve in curves)


def _counts(skipped: dict[str, int]) -> str:
    return ", ".join(f"{column}: {number:,}" for column, number in skipped.items())


def curves_table(
    curves: Sequence[CalibrationCurve], *, recipe: dict[str, Any], skipped: int, adjust: str, exact: bool = False
) -> Table:
    """One row a curve; p is adjusted for the number of curves. `exact`: all digits, and nothing for what is unknown.

    The comment holds the recipe, what is adjusted, and the notes.
    """
    method = dict(recipe_rows(curves))
    read = f"howsure {method.pop('howsure')}, files {', '.join(recipe['files'])}, skipped {skipped}{left_out(recipe)}"
    read += f", files pooled {len(recipe['files'])}" if len(recipe["files"]) > 1 else ""
    steps = ", ".join(f"{key} {value}" for key, value in method.items() if key != "n")
    comment = "\n".join([read, steps, *scores_of_all_classes(curves), *_families(curves, adjust), *_notes(curves)])
    alone = len(curves) == 1 or adjust == "none"
    adjusted = "" if alone else f"adjusted for {len(curves):,} groups ({ADJUSTED[adjust]})"
    table = words.curves_table(curves, adjusted_p_values(curves, adjust), adjusted=adjusted, exact=exact)
    return replace(table, caption=comment)


def bins_table(curve: CalibrationCurve, *, most: int = 20) -> Table:
    """The bins of a curve; of many bins, some at regular steps, and the header says so."""
    b = curve.bins
    shown = np.unique(np.linspace(0, len(b) - 1, min(len(b), most)).round().astype(int))
    rows = [
        [f"{i + 1}", f"{b.count[i]}", *(number(column[i]) for column in (b.mean_prob, b.frequency, b.low, b.high))]
        for i in shown
    ]
    first = "bin" if len(shown) == len(b) else f"bin of {len(b)}"
    return Table((first, "n", "predicted", "observed", "low", "high"), rows)


def adjusted_p_values(curves: Sequence[CalibrationCurve], adjust: str) -> list[float]:
    """The p-values of calibration, adjusted for the number of curves."""
    adjusted: list[float] = adjust_p_values(
        [curve.p_value for curve in curves], method=None if adjust == "none" else adjust
    ).tolist()
    return adjusted


def write_figure(curves: Sequence[CalibrationCurve], path: str, *, axis: str) -> None:
    """Draw the curves into a file; of more than can be seen the errors alone, at most of those with most pairs."""
    from howsure.figures.calibration import curve_figure, error_figure
    from howsure.figures.curves import MOST_PANELS
    from howsure.figures.files import save_figure

    if len(curves) <= MOST_PANELS:
        figure = curve_figure(curves, axis=axis)
    elif len(curves) <= MOST_ERRORS:
        figure = error_figure(curves)
    else:
        shown = sorted(curves, key=lambda curve: -curve.n)[:MOST_ERRORS]
        figure = error_figure(shown, title=f"{MOST_ERRORS} of {len(curves):,} groups, those with most pairs")
    save_figure(figure, path)


def pictured(curves: Sequence[CalibrationCurve]) -> set[str | None]:
    """The names of the curves that a report draws."""
    from howsure.report.calibration import largest

    return {curves[i].name for i in largest(curves)}


def write_report(
    curves: Sequence[CalibrationCurve], path: str, *, corp: Sequence[CorpCurve], recipe: dict[str, Any], skipped: int,
    adjust: str,
) -> None:  # fmt: skip
    """Write the report into a file."""
    from howsure.report import calibration_report

    files = recipe["files"]
    read = files_text(recipe) if len(files) <= IN_A_TITLE else f"{len(files):,} files"
    title = f"How far can these predictions be trusted? {read}"
    notes = [] if len(files) <= IN_A_TITLE else [f"{files_text(recipe)}."]
    notes += [f"{skipped:,} rows were skipped: {_counts(recipe['skipped'])}."] if skipped else []
    notes += [f"{recipe['left_out']:,} rows were left out: not where {recipe['where']}."] if "where" in recipe else []
    notes += [f"{pooling[0].upper()}{pooling[1:]}."] if (pooling := _pooling(recipe).partition("note: ")[2]) else []
    how = None if adjust == "none" else adjust
    with of_width(None):  # that of the figure in a file is not that of a page
        page = calibration_report(curves, title=title, notes=notes, adjust=how, command=command_line(), corp=corp)
    write_whole(page.encode(), path)
