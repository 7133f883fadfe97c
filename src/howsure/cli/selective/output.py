"""What `howsure selective` shows of its curves and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.calibration.words import notes_by_name
from howsure.cli.calibration.output import files_text
from howsure.cli.terminal.output import json_text, table_text
from howsure.inputs.naming import counted
from howsure.selective.results import SelectiveCurve, SelectiveThreshold
from howsure.selective.threshold import ASSUMED
from howsure.show.numbers import UNDEFINED, all_digits, number
from howsure.show.table import HIGHER, LOWER, Table


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
    level = f"In brackets: {100 * curves[0].auroc.level:g} % intervals."
    return "\n".join([read, "", table_text(table), level, *_below(curves, found), ""])


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
    for name in ("AUROC", "AURC", "E-AURC"):
        headings += [name, f"{name} low", f"{name} high"] if exact else [name]
    headings += [f"accuracy at {one.asked:g}" for one in curves[0].at_coverage]
    headings += [f"coverage at {one.asked:g}" for one in curves[0].at_accuracy]
    headings += ["threshold", "kept", "wrong"] if found else []
    for i, curve in enumerate(curves):
        row = [curve.name or "all", f"{curve.n}", shown(curve.accuracy.value)]
        for one in (curve.auroc, curve.aurc, curve.excess_aurc):
            row += [all_digits(x) for x in (one.value, one.low, one.high)] if exact else [str(one)]
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
    level = f"in brackets the {100 * curves[0].auroc.level:g} % interval"
    return Table(
        headings,
        rows,
        words=("group",),
        caption="\n".join(comment),
        title="Selective answers",
        better={"accuracy": HIGHER, "AUROC": HIGHER, "AURC": LOWER, "E-AURC": LOWER},
        legend={
            "AUROC": f"area under the ROC curve of confidence for correctness; {level}",
            "AURC": "area under the risk–coverage curve",
            "E-AURC": "its excess over a perfect order",
        },
    )


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
