"""What `howsure selective` shows of its curves and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.calibration.words.notes import notes_by_name
from howsure.cli.calibration.output import files_text
from howsure.cli.terminal.output import json_text, table_text
from howsure.inputs.naming import counted
from howsure.selective.results import SelectiveCurve, SelectiveThreshold
from howsure.selective.threshold import ASSUMED
from howsure.show.numbers import UNDEFINED, all_digits, interval, number
from howsure.show.table import Table
from howsure.stats.estimate import Estimate


def selective_json(
    curves: Sequence[SelectiveCurve], found: Sequence[SelectiveThreshold], *, recipe: dict[str, Any], skipped: int
) -> str:
    """The documented schema: recipe, curves, thresholds, skipped."""
    thresholds = [one.to_dict() for one in found]
    return json_text(
        {"recipe": recipe, "curves": [c.to_dict() for c in curves], "thresholds": thresholds, "skipped": skipped}
    )


def selective_text(
    curves: Sequence[SelectiveCurve], found: Sequence[SelectiveThreshold], *, recipe: dict[str, Any], skipped: int
) -> str:
    """One group: its figures in words. Several: a table, with the notes below."""
    missing = ", ".join(f"{column}: {count:,}" for column, count in recipe["skipped"].items())
    read = f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}" + (
        f", {skipped:,} skipped ({missing})" if skipped else ""
    )
    if len(curves) == 1 and curves[0].name is None:
        return "\n\n".join([read, *map(repr, [*curves, *found])]) + "\n"
    table = selective_table(curves, found, recipe=recipe)
    return "\n".join([read, "", table_text(table), *_below(curves, found), ""])


def selective_table(
    curves: Sequence[SelectiveCurve],
    found: Sequence[SelectiveThreshold],
    *,
    recipe: dict[str, Any],
    exact: bool = False,
) -> Table:
    """One row a group. `exact`: all digits, each end of an interval in its own column, empty if unknown."""
    shown = all_digits if exact else number
    headings, rows = ["group", "n", "accuracy"], []
    for name in ("AUROC", "AURC"):
        headings += [name, f"{name} low", f"{name} high"] if exact else [name, f"[{100 * curves[0].auroc.level:g} %]"]
    headings += ["E-AURC", "E-AURC low", "E-AURC high"] if exact else ["E-AURC"]
    headings += [f"accuracy at {one.asked:g}" for one in curves[0].at_coverage]
    headings += [f"coverage at {one.asked:g}" for one in curves[0].at_accuracy]
    headings += ["threshold", "kept", "wrong"] if found else []
    for i, curve in enumerate(curves):
        row = [curve.name or "all", f"{curve.n}", shown(curve.accuracy.value)]
        for one in (curve.auroc, curve.aurc, curve.excess_aurc):
            row += _cells(one, exact=exact, alone=one is curve.excess_aurc)
        row += [shown(one.accuracy.value) for one in curve.at_coverage]
        row += [shown(one.coverage.value) for one in curve.at_accuracy]
        if found:
            row += [
                all_digits(found[i].threshold) or ("" if exact else UNDEFINED),
                f"{found[i].n_kept}",
                f"{found[i].errors}",
            ]
        rows.append(row)
    comment = [f"howsure {curves[0].recipe['howsure']}, files {', '.join(recipe['files'])}", *_below(curves, found)]
    return Table(headings, rows, words=("group",), caption="\n".join(comment))


def _cells(estimate: Estimate, *, exact: bool, alone: bool) -> list[str]:
    if exact:
        return [all_digits(x) for x in (estimate.value, estimate.low, estimate.high)]
    value = number(estimate.value)
    return [value] if alone else [value, interval(estimate.low, estimate.high)]


def _below(curves: Sequence[SelectiveCurve], found: Sequence[SelectiveThreshold]) -> list[str]:
    """The promise of the thresholds, and the notes."""
    lines = []
    if found:
        one = found[0]
        each = "each group's threshold by itself: " if len(found) > 1 else ""
        lines.append(
            f"threshold: {each}at most {one.risk:g} of the answers at or above it are wrong, "
            f"with probability {1 - one.delta:g}"
        )
        lines += dict.fromkeys(note for other in found for note in other.notes if note in ASSUMED.values())
        lines += [
            f"{other.name or 'all'}: none can be promised; "
            + (
                "none has an observed risk below the target"
                if other.needed is None
                else f"about {other.needed:,} answers like these would be needed"
            )
            for other in found
            if other.threshold is None
        ]
    notes = [(curve.name or "note", curve.notes) for curve in curves]
    of_found = [(one.name or "note", [note for note in one.notes if note not in ASSUMED.values()]) for one in found]
    return [*lines, *dict.fromkeys(notes_by_name(notes) + notes_by_name(of_found))]
