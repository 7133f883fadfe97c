"""What `howsure calibration compare` shows."""

from __future__ import annotations

from dataclasses import replace

from howsure import __version__
from howsure.calibration.results import CalibrationComparison
from howsure.cli.calibration.sides import Side
from howsure.cli.terminal.output import json_text, table_text
from howsure.data.predictions.paired_rows import PairedRows
from howsure.show.table import Table

Sides = tuple[Side, Side]


def comparison_json(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> str:
    """The models, their labels, the rows that only one has, and everything that was found."""
    a, b = sides
    read = {"a": a.name, "b": b.name, "target_a": a.columns["label"], "target_b": b.columns["label"]}
    left_out: dict[str, int | str] = {
        "skipped_a": rows.skipped_a,
        "skipped_b": rows.skipped_b,
        "only_a": rows.only_a,
        "only_b": rows.only_b,
    }
    if rows.where is not None:
        left_out |= {"where": rows.where, "left_out_a": rows.left_out_a, "left_out_b": rows.left_out_b}
    return json_text({**read, **left_out, "howsure": __version__, **result.to_dict()})


def comparison_text(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> str:
    """The figures, and one sentence."""
    e = result.squared_error_difference
    if e.low is None or e.high is None:
        said = "Too little data to compare."
    elif e.low > 0:
        said = "B is better calibrated than A."
    elif e.high < 0:
        said = "A is better calibrated than B."
    else:
        said = "No difference in calibration detected: the interval of the difference of squared errors contains 0."
    zeros = [name for name, one in (("A", result.error_a), ("B", result.error_b)) if one is not None and one.value == 0]
    if zeros:
        said += (
            f"\nThe error of {' and of '.join(zeros)} is 0 because the bins differ no more than chance alone would have"
        )
        said += " it: this does not mean a model without error."
    table = table_text(comparison_table(result, sides, rows))
    read = "".join(f"{line}\n" for line in _read(result, sides, rows))
    notes = "".join(f"note: {note}\n" for note in result.notes)
    return f"{read}\n{table}\n{said}\n{notes}"


def _read(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> list[str]:
    """The models, their labels, and how many pairs there are."""
    a, b = sides
    labels = (f", label {a.label}", f", label {b.label}") if a.own_label else ("", "")
    shared = "" if a.own_label else f", label {a.label} for both"
    lines = [f"A: {a.name}{labels[0]}", f"B: {b.name}{labels[1]}", f"{result.n:,} pairs{shared}; differences are A - B"]
    if rows.skipped_a or rows.skipped_b:
        lines.append(f"skipped because of missing values: {rows.skipped_a:,} of the rows of A, {rows.skipped_b:,} of B")
    if rows.where is not None:
        counts = f"{rows.left_out_a:,} of the rows of A, {rows.left_out_b:,} of B"
        lines.append(f"left out because not where {rows.where}: {counts}")
    if rows.only_a or rows.only_b:
        lines.append(
            f"left out because the other model has none: {rows.only_a:,} of the rows of A, {rows.only_b:,} of B"
        )
    return lines


def comparison_table(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> Table:
    """One row a figure."""
    read = [line.removesuffix("; differences are A - B") for line in _read(result, sides, rows)]
    comment = f"howsure {__version__}; {'; '.join(read)}; level {result.recipe['level']}"
    return replace(result.table(), caption=comment)
