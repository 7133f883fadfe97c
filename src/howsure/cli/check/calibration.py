"""What `howsure check calibration` reads, and the evidence in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.check.baseline import Baseline, Entry, ErrorSummary
from howsure.check.calibration import Bins, comparison_rules, evidence_of_limit, judged, of_comparison
from howsure.check.evidence import Evidence
from howsure.check.limits import named_once
from howsure.cli.calibration.reading import as_called, opened, sources
from howsure.cli.check.found import Found, what_was_read
from howsure.cli.check.other_model import other_files
from howsure.cli.terminal.progress import progress
from howsure.data.predictions.paired_rows import PairedRows, paired_rows
from howsure.data.predictions.predictions import Predictions
from howsure.data.predictions.sources import SOURCES
from howsure.errors import InputError
from howsure.inputs.naming import counted

TOP_LABEL = "top-label"


def calibration_found(
    *, files: Sequence[str], labels: Sequence[str], name: str, max_error: float | None, better_than: str | None,
    not_worse_than: float | None, against: str | None, bin_size: int | str, bins: int | None, binning: str,
    baseline: Baseline | None, **reading: Any,
) -> Found:  # fmt: skip
    """The evidence for all rules that are named.

    Raises InputError if none is named, or the other model in no way or in two.
    """
    other = named_once(better_than, against, not_worse_than, baseline=baseline is not None)
    if max_error is None and other is None and baseline is None:
        raise InputError("nothing to check: name a limit, --max-error 0.05, or another model, --better-than FILE.")
    if len(labels) > 2 or (len(labels) == 2 and other is None):
        raise InputError("--target is named once, or twice with another model: the labels of this one and of that one.")
    how = Bins(bin_size, bins, binning)
    this, that = (labels[0], labels[-1]) if labels else (None, None)
    how_read: dict[str, Any] = {"label": this, "pairing": other is not None}
    with opened(files, **how_read, **reading) as predictions:
        evidence, entries = _alone(predictions, max_error, how, name)
        recipe = {"check": name, **as_called(predictions.describe()), **how.options}
        notes = [what_was_read(recipe)]
        if baseline is not None:
            for rule in comparison_rules(better=False, margin=not_worse_than, against=baseline.name, name=name):
                evidence += baseline.evidence(entries, rule)
        if other is not None:
            rules = comparison_rules(
                better=better_than is not None, margin=not_worse_than if baseline is None or against else None,
                against=other, name=name,
            )  # fmt: skip
            place, columns = _other(other, files, reading)
            with opened(place, label=that, pairing=True, **columns) as beside:
                own = len(labels) == 2 or beside.notes.get("reduce") == TOP_LABEL
                rows = _paired(predictions, beside, own=own, skip=reading["skip_missing"])
                evidence += of_comparison(rows.a, rows.b, rules, how, own_labels=own)
                recipe |= {"without_the_other": rows.only_a, "only_the_other": rows.only_b}
                notes += _left_out(rows, predictions.selection.table.name, beside.selection.table.name)
    limits = {"max_error": max_error, "better_than": better_than, "not_worse_than": not_worse_than, "against": against}
    return Found(name, tuple(evidence), recipe | limits, tuple(notes), tuple(entries))


def _alone(predictions: Any, limit: float | None, how: Bins, name: str) -> tuple[list[Evidence], list[Entry]]:
    """The evidence about a limit, and what a later run may compare with."""
    evidence, entries = [], []
    with progress("pairs", total=predictions.n) as advance:
        for group, source in sources(predictions, advance=advance):
            squared, n, notes = judged(source, how, whole=predictions.n)
            entries.append(Entry(name, group, ErrorSummary.of(squared, n, how.growth), how.options))
            if limit is not None:
                evidence.append(evidence_of_limit(group, squared, n, notes, limit, how, name=name))
    return evidence, entries


def _other(named: str, files: Sequence[str], reading: dict[str, Any]) -> tuple[Sequence[str], dict[str, Any]]:
    """The files and the columns of the other model: a file with the same columns, or another column of these files."""
    place = other_files(named, files)
    if place is not None:
        return place, reading
    role = next((role for role in SOURCES if reading.get(role)), "prob")
    own = reading.get(role)
    if own in (named, [named]):
        raise InputError(f"{named} is this model's own column; name that of another one.")
    if isinstance(own, list) and len(own) > 1:
        raise InputError(f"{named} is no file; this model has several columns, so name the other model's file.")
    return files, reading | {role: [named] if isinstance(own, list) else named}


def _paired(this: Predictions, other: Predictions, *, own: bool, skip: bool) -> PairedRows:
    rows = paired_rows(this, other, own_labels=own)
    if not skip and (rows.only_a or rows.only_b):
        raise InputError(
            f"both models must be evaluated on the same rows; {counted(rows.only_a, 'row')} only of "
            f"{this.selection.table.name}, {rows.only_b:,} only of {other.selection.table.name}. Leave them out with "
            "--skip-missing."
        )
    return rows


def _left_out(rows: PairedRows, this: str, other: str) -> list[str]:
    counts = [f"{counted(n, 'row')} of {name}" for n, name in ((rows.only_a, this), (rows.only_b, other)) if n]
    return [f"left out because one model has none: {', '.join(counts)}"] if counts else []
