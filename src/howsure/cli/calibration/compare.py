"""The two models of `howsure calibration compare`, and what it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from howsure import __version__
from howsure.calibration.comparison import NAMES
from howsure.calibration.results import CalibrationComparison
from howsure.cli.terminal.options import ONE_WAY
from howsure.cli.terminal.output import json_text, table_text
from howsure.data.predictions.paired_rows import PairedRows
from howsure.data.predictions.predictions import Predictions
from howsure.errors import InputError
from howsure.inputs.classes import TOP_LABEL
from howsure.show.table import Table

# The two models of `howsure calibration compare`: which file and columns each has, and the rows that both have.

WORDS_OF_A_VERDICT = {"correct", "correctness", "grade", "hit", "iscorrect", "right", "wrong"}


@dataclass(frozen=True, slots=True)
class Side:
    """One model: its file, its columns, whether its label is its own, and whether that is if its first choice is right.

    `role` is the parameter that names its probabilities; none of a log, which names them itself.
    """

    file: str
    role: str | None
    columns: dict[str, Any]
    own_label: bool
    first_choice: bool = False

    @property
    def name(self) -> str:
        """What the model is called: its file and its columns of probabilities."""
        return self.file if self.role is None else f"{self.file}:{_shown(self.columns[self.role])}"

    @property
    def label(self) -> str:
        """What its label is, in words."""
        return f"{self.columns['label'] or 'target'}{' (is its first choice right?)' if self.first_choice else ''}"


def named_sides(
    files: Sequence[str], given: Mapping[str, Sequence[Any]], labels: Sequence[str | None]
) -> tuple[Side, Side]:
    """The two models that files and columns name, each twice or one for both; `given` holds the columns by parameter.

    Raises InputError if they name none, one or more than two, one twice, or a label that seems to be of one model only.
    """
    roles = [role for role, columns in given.items() if columns]
    if not roles and len(files) == 2 and len(labels) < 2:  # two logs, which name them themselves
        label = labels[0] if labels else None
        return Side(files[0], None, {"label": label}, False), Side(files[1], None, {"label": label}, False)
    if len(roles) != 1:
        raise InputError(ONE_WAY)
    (role,) = roles
    columns = given[role]
    labels = labels or (None,)
    if (len(files), len(columns)) not in ((2, 1), (1, 2), (2, 2)):
        raise InputError(
            f"compare takes two files and one column, or one file and two columns; "
            f"it got {len(files)} and {len(columns)}."
        )
    if len(labels) > 2:
        raise InputError(f"compare takes one --target for both models, or one for each; it got {len(labels)}.")
    if labels[0] is not None and len(labels) == 1 and len(columns) == 2:
        _refuse_label_of_one(labels[0], [_shown(column) for column in columns])
    named = (one if len(one) == 2 else [*one, *one] for one in (files, columns, labels))
    a, b = (
        Side(file, role, {role: column, "label": label}, len(labels) == 2)
        for file, column, label in zip(*named, strict=True)
    )
    if a == b:
        raise InputError(f"{a.name} is named twice; a model is compared with another one.")
    return a, b


def as_read(sides: tuple[Side, Side], read: tuple[Predictions, Predictions]) -> tuple[Side, Side]:
    """The models once their classes are known: where first choices are judged, each has a label of its own."""
    first = read[0].notes.get("reduce") == TOP_LABEL
    a, b = (replace(side, own_label=side.own_label or first, first_choice=first) for side in sides)
    return a, b


def _shown(columns: str | Sequence[str]) -> str:
    return columns if isinstance(columns, str) else ",".join(columns)


def _refuse_label_of_one(label: str, columns: Sequence[str]) -> None:
    """Refuse one label for both that seems to be of one: `right_a` beside `conf_a` and `conf_b`, or `correct`."""
    words, *others = (set(re.split(r"[\W_]+", name.casefold())) for name in (label, *columns))
    named_after = [bool(words & (others[at] - others[1 - at])) for at in (0, 1)]
    both = f"Is it true of both? Say so: --target {label} --target {label}."
    if named_after[0] != named_after[1]:
        one, other = columns if named_after[0] else columns[::-1]
        given = f"--target {label} --target COL" if named_after[0] else f"--target COL --target {label}"
        raise InputError(
            f"--target {label} is named after {one}. Is it whether that model's own answer is right? Then it says "
            f"nothing of {other}: name the label of each, {given}. {both}"
        )
    if words & WORDS_OF_A_VERDICT:
        raise InputError(
            f"--target {label} seems to say whether an answer is right, and there are two models. Is it the answer of "
            f"one of them? Then name the label of each: --target COL --target COL. {both}"
        )


# What `howsure calibration compare` shows.

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
