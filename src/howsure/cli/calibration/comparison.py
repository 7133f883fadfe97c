"""What `howsure calibration compare` shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from howsure import __version__
from howsure.calibration.comparison import NAMES
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
    said = result.verdict()
    table = table_text(comparison_table(result, sides, rows))
    read = "".join(f"{line}\n" for line in _read(result, sides, rows))
    notes = "".join(f"note: {note}\n" for note in result.notes)
    return f"{read}\n{table}\n{said}\n{notes}"


def _read(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> list[str]:
    """The models, their labels, and how many pairs there are."""
    a, b = sides
    labels = (f", label {a.label}", f", label {b.label}") if a.own_label else ("", "")
    shared = "" if a.own_label else f", label {a.label} for both"
    one, other = result.names
    lines = [f"{one}: {a.name}{labels[0]}", f"{other}: {b.name}{labels[1]}"]
    lines.append(f"{result.n:,} pairs{shared}; differences are {one} - {other}")
    if rows.skipped_a or rows.skipped_b:
        lines.append(
            f"skipped because of missing values: {rows.skipped_a:,} of the rows of {one}, {rows.skipped_b:,} of {other}"
        )
    if rows.where is not None:
        counts = f"{rows.left_out_a:,} of the rows of {one}, {rows.left_out_b:,} of {other}"
        lines.append(f"left out because not where {rows.where}: {counts}")
    if rows.only_a or rows.only_b:
        counts = f"{rows.only_a:,} of the rows of {one}, {rows.only_b:,} of {other}"
        lines.append(f"left out because the other model has none: {counts}")
    return lines


def comparison_table(result: CalibrationComparison, sides: Sides, rows: PairedRows) -> Table:
    """One row a figure."""
    read = [line.partition("; differences are ")[0] for line in _read(result, sides, rows)]
    comment = f"howsure {__version__}; {'; '.join(read)}; level {result.recipe['level']}"
    return replace(result.table(), caption=comment)


def write_comparison(result: CalibrationComparison, sides: Sides, path: str, *, axis: str) -> None:
    """Draw both curves and their differences into a file."""
    from howsure.figures.calibration import comparison_figure
    from howsure.figures.files import save_figure

    both = zip(result.names, sides, strict=True)
    called = [f"{name}: {Path(side.name).name}" if name in NAMES else name for name, side in both]
    save_figure(comparison_figure(result, labels=called, axis=axis), path)
