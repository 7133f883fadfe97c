"""What `howsure check calibration` reads, and the evidence in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from howsure.check.calibration import Bins, comparison_rules, of_comparison, of_limit
from howsure.check.evidence import Evidence
from howsure.cli.calibration.main import as_called, opened, sources
from howsure.cli.calibration.output import files_text
from howsure.cli.check.found import Found
from howsure.cli.terminal.progress import progress
from howsure.data.predictions.paired_rows import PairedRows, paired_rows
from howsure.data.predictions.predictions import Predictions
from howsure.errors import InputError
from howsure.inputs.naming import counted

TOP_LABEL = "top-label"


def calibration_found(
    *, files: Sequence[str], labels: Sequence[str], max_error: float | None, better_than: str | None,
    not_worse_than: float | None, against: str | None, bin_size: int | str, bins: int | None, binning: str,
    **reading: Any,
) -> Found:  # fmt: skip
    """The evidence for all rules that are named.

    Raises InputError if none is named, or the other model in no way or in two.
    """
    other = _named_once(better_than, against, not_worse_than)
    if max_error is None and other is None:
        raise InputError("nothing to check: name a limit, --max-error 0.05, or another model, --better-than FILE.")
    if len(labels) > 2 or (len(labels) == 2 and other is None):
        raise InputError("--target is named once, or twice with another model: the labels of this one and of that one.")
    how = Bins(bin_size, bins, binning)
    this, that = (labels[0], labels[-1]) if labels else (None, None)
    with opened(files, label=this, pairing=other is not None, **reading) as predictions:
        evidence = [] if max_error is None else _of_limit(predictions, max_error, how)
        recipe = {**as_called(predictions.describe()), **how.options}
        notes = _read(recipe, sum(predictions.skipped.values()))
        if other is not None:
            rules = comparison_rules(better=better_than is not None, margin=not_worse_than, against=other)
            place, columns = _other(other, files, reading)
            with opened(place, label=that, pairing=True, **columns) as beside:
                own = len(labels) == 2 or beside.notes.get("reduce") == TOP_LABEL
                rows = _paired(predictions, beside, own=own, skip=reading["skip_missing"])
                evidence += of_comparison(rows.a, rows.b, rules, how, own_labels=own)
                recipe |= {"without_the_other": rows.only_a, "only_the_other": rows.only_b}
                notes += _left_out(rows, predictions.selection.table.name, beside.selection.table.name)
    limits = {"max_error": max_error, "better_than": better_than, "not_worse_than": not_worse_than, "against": against}
    return Found(tuple(evidence), recipe | limits, tuple(notes))


def _of_limit(predictions: Any, limit: float, how: Bins) -> list[Evidence]:
    with progress("pairs", total=predictions.n) as advance:
        found = []
        for name, source in sources(predictions):
            found.append(of_limit(name, source, limit, how))
            advance(found[-1].n)
    return found


def _other(named: str, files: Sequence[str], reading: dict[str, Any]) -> tuple[Sequence[str], dict[str, Any]]:
    """The files and the columns of the other model: a file with the same columns, or another column of these files."""
    if os.path.exists(named) or Path(named).suffix or any(mark in named for mark in "*?/"):
        if [os.path.realpath(named)] == [os.path.realpath(path) for path in files]:
            raise InputError(f"{named} is what is checked; a model is compared with another one.")
        return [named], reading
    if reading.get("probs"):
        raise InputError(f"{named} is no file; with --probs, whose columns are several, name the other model's file.")
    role = "prob" if reading.get("prob") else "probs_column"
    if reading.get(role) == named:
        raise InputError(f"{named} is this model's own column; name that of another one.")
    return files, reading | {role: named}


def _left_out(rows: PairedRows, this: str, other: str) -> list[str]:
    counts = [f"{counted(n, 'row')} of {name}" for n, name in ((rows.only_a, this), (rows.only_b, other)) if n]
    return [f"left out because one model has none: {', '.join(counts)}"] if counts else []


def _paired(this: Predictions, other: Predictions, *, own: bool, skip: bool) -> PairedRows:
    rows = paired_rows(this, other, own_labels=own)
    if not skip and (rows.only_a or rows.only_b):
        raise InputError(
            f"both models must be evaluated on the same rows; {counted(rows.only_a, 'row')} only of "
            f"{this.selection.table.name}, {rows.only_b:,} only of {other.selection.table.name}. Leave them out with "
            "--skip-missing."
        )
    return rows


def _read(recipe: dict[str, Any], skipped: int) -> list[str]:
    left_out = f", {skipped:,} skipped" if skipped else ""
    return [f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}{left_out}"]


def _named_once(better_than: str | None, against: str | None, margin: float | None) -> str | None:
    if better_than is not None and against is not None:
        raise InputError("--better-than and --against both name the other model; give one of them.")
    if against is not None and margin is None:
        raise InputError("--against needs the margin by which this error may exceed the other: --not-worse-than 0.01.")
    if margin is not None and better_than is None and against is None:
        raise InputError("--not-worse-than needs the other model: --against FILE or --against COL.")
    return against if better_than is None else better_than
