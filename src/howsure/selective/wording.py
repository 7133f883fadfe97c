"""Risk–coverage curves and promised thresholds in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from howsure.calibration.words.notes import notes_by_name
from howsure.show.numbers import number
from howsure.show.table import Table

if TYPE_CHECKING:
    from howsure.selective.results import SelectiveCurve, SelectiveThreshold

HEADINGS = ("group", "n", "accuracy", "AUROC", "AURC", "E-AURC")


def curve_in_words(curve: SelectiveCurve) -> str:
    """The figures of a curve as a short aligned text, with the notes."""
    rows = [
        ("answers", f"{curve.n:,}"),
        ("accuracy", str(curve.accuracy)),
        ("AUROC", f"{curve.auroc}"),
        ("AURC", f"{curve.aurc}"),
        ("E-AURC", f"{curve.excess_aurc} (0: a perfect order)"),
    ]
    width = max(len(name) for name, _ in rows)
    head = "selective answers" + (f" of {curve.name}" if curve.name is not None else "")
    lines = [head, *(f"  {name:<{width}}  {text}" for name, text in rows)]
    lines += [f"  intervals: {100 * curve.accuracy.level:g} %"]
    return "\n".join([*lines, *_points(curve), *(f"  note: {note}" for note in curve.notes)])


def _points(curve: SelectiveCurve) -> list[str]:
    covered = [
        f"  coverage {one.asked:.4g}: confidence ≥ {one.threshold!r} keeps {one.n:,} ({one.coverage:.1%}), "
        f"accuracy {one.accuracy}"
        for one in curve.at_coverage
    ]
    return covered + [
        f"  accuracy {one.asked:.4g}: "
        + ("no threshold, " if one.threshold is None else f"confidence ≥ {one.threshold!r} keeps {one.n:,}, ")
        + f"coverage {one.coverage}"
        for one in curve.at_accuracy
    ]


def curves_table(curves: Sequence[SelectiveCurve]) -> Table:
    """One row per group, and the notes below."""
    rows = [
        [curve.name or "all", f"{curve.n:,}", *map(str, (curve.accuracy, curve.auroc, curve.aurc, curve.excess_aurc))]
        for curve in curves
    ]
    return Table(
        HEADINGS,
        rows,
        words=HEADINGS[:1],
        notes=[
            f"intervals: {100 * curves[0].accuracy.level:g} %",
            *notes_by_name((curve.name or "note", curve.notes) for curve in curves),
        ],
    )


def threshold_in_words(found: SelectiveThreshold) -> str:
    """What can be promised, in a few sentences."""
    of = "" if found.name is None else f"{found.name}: "
    if found.threshold is None:
        lines = [f"{of}no threshold can be promised: risk at most {found.risk:g} with probability {1 - found.delta:g}"]
        if found.needed is None:
            lines.append("  none has an observed risk below the target: more answers alone would not change that")
        else:
            lines.append(f"  about {found.needed:,} answers like these would be needed, not {found.n:,}")
    else:
        cover = found.coverage
        ends = "" if cover.low is None or cover.high is None else f" [{cover.low:.1%}, {cover.high:.1%}]"
        lines = [
            f"{of}keep answers with confidence ≥ {found.threshold!r}: {found.n_kept:,} of {found.n:,}, "
            f"{cover.value:.1%}{ends}",
            f"  promise: at most {found.risk:.4g} of such answers are wrong, with probability {1 - found.delta:g}",
            f"  seen: {found.errors:,} wrong among those kept ({number(found.errors / found.n_kept)}), "
            f"{found.n_wrong - found.errors:,} among the others",
        ]
    return "\n".join([*lines, *(f"  note: {note}" for note in found.notes)])
