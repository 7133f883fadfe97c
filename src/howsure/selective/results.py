"""Results about answers of which only confident ones are kept: curves, tables of groups, a threshold, in words too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.calibration.words import notes_by_name
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result
from howsure.show.numbers import number
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Risk–coverage curves and promised thresholds in words and tables.

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


# Results about answers of which only confident ones are kept: curves, tables of groups, a promised threshold.

POINTS = ("threshold", "n", "errors", "coverage", "risk", "low", "high")
CANDIDATES = ("threshold", "n", "errors", "coverage", "risk", "p_value", "level", "passed")


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The risk–coverage curve: arrays, one entry per threshold, the highest first; at most 200.

    n, errors: answers whose confidence is at least `threshold`, and how many of them are wrong. coverage: their share
    of all answers. risk: errors / n, with its interval [low, high], each at the stated level by itself.
    """

    threshold: Floats
    n: Integers
    errors: Integers
    coverage: Floats
    risk: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.n)


@dataclass(frozen=True, slots=True)
class AtCoverage:
    """The accuracy of the n answers whose confidence is at least `threshold`, the highest threshold that keeps a share
    of at least `asked`; `coverage` is the share that it keeps."""

    asked: float
    threshold: float
    n: int
    coverage: float
    accuracy: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found = {"asked": self.asked, "threshold": self.threshold, "n": self.n, "coverage": self.coverage}
        return found | {"accuracy": self.accuracy.to_dict()}


@dataclass(frozen=True, slots=True)
class AtAccuracy:
    """The largest share of answers whose accuracy is at least `asked`, the threshold that keeps them (None without any)
    and their number n."""

    asked: float
    threshold: float | None
    n: int
    coverage: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found = {"asked": self.asked, "threshold": self.threshold, "n": self.n}
        return found | {"coverage": self.coverage.to_dict()}


@dataclass(frozen=True, slots=True)
class SelectiveCurve(Result):
    """The result of `selective_curve`.

    auroc: of confidence for correctness. aurc, excess_aurc: the area under the risk–coverage curve, and its excess over
    a perfect order. accuracy: of all answers. points: the curve. at_coverage, at_accuracy: what was asked for. n: the
    answers. notes: caveats. recipe: everything needed to repeat it. name: the group.
    """

    auroc: Estimate
    aurc: Estimate
    excess_aurc: Estimate
    accuracy: Estimate
    points: RiskCoverage
    at_coverage: tuple[AtCoverage, ...]
    at_accuracy: tuple[AtAccuracy, ...]
    n: int
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of a curve, as the command line writes it, too."""
        rows = zip(*(getattr(self.points, column).tolist() for column in POINTS), strict=True)
        return {
            "recipe": self.recipe,
            "group": self.name,
            "n": self.n,
            "accuracy": self.accuracy.to_dict(),
            "auroc": self.auroc.to_dict(),
            "aurc": self.aurc.to_dict(),
            "excess_aurc": self.excess_aurc.to_dict(),
            "at_coverage": [one.to_dict() for one in self.at_coverage],
            "at_accuracy": [one.to_dict() for one in self.at_accuracy],
            "notes": list(self.notes),
            "points": [dict(zip(POINTS, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        """The points."""
        return {column: getattr(self.points, column) for column in POINTS}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the risk–coverage curve with its band on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_risk_coverage

        return draw_risk_coverage([self], ax=ax)

    def __repr__(self) -> str:
        return curve_in_words(self)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


@dataclass(frozen=True, slots=True)
class SelectiveTable(Result):
    """The curves of `selective_table`, one per group; iterate, index by name, or convert them."""

    rows: tuple[SelectiveCurve, ...]
    recipe: dict[str, Any] = field(repr=False)

    def __iter__(self) -> Iterator[SelectiveCurve]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> SelectiveCurve:
        """The curve of a group, by name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The curves, and the recipe."""
        return {"recipe": self.recipe, "curves": [row.to_dict() for row in self.rows]}

    def _columns(self) -> dict[str, Any]:
        """One row per group."""
        columns: dict[str, list[Any]] = {"group": [row.name for row in self.rows], "n": [row.n for row in self.rows]}
        for name in ("accuracy", "auroc", "aurc", "excess_aurc"):
            held = [getattr(row, name) for row in self.rows]
            columns |= {name: [one.value for one in held]}
            columns |= {f"{name}_low": [one.low for one in held], f"{name}_high": [one.high for one in held]}
        return columns | {"notes": ["; ".join(row.notes) for row in self.rows]}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the risk–coverage curves of all groups on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_risk_coverage

        return draw_risk_coverage(self.rows, ax=ax)

    def __repr__(self) -> str:
        return str(curves_table(self.rows))

    def table(self) -> Table:
        """One row per group."""
        return curves_table(self.rows)

    def _repr_html_(self) -> str:
        return self.table().html()


@dataclass(frozen=True, slots=True)
class Candidates:
    """The thresholds that were tested, the highest first: what each keeps, the p-value of "the risk exceeds the
    target", the level at which it was tested, and whether it passed."""

    threshold: Floats
    n: Integers
    errors: Integers
    coverage: Floats
    risk: Floats
    p_value: Floats
    level: Floats
    passed: np.typing.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.n)


@dataclass(frozen=True, slots=True)
class SelectiveThreshold(Result):
    """The result of `threshold_for`.

    threshold: keep answers whose confidence is at least this; None if nothing can be promised. risk, delta: the
    promise, P(wrong | kept) ≤ risk, broken with probability delta at most. n_kept, errors: the answers kept here and
    how many of them are wrong. coverage: their share. candidates: what was tested. n, n_wrong: all answers. needed:
    without a threshold, about how many answers like these would lead to one in four of five data sets; None if no
    number would. notes: caveats. recipe: everything needed to repeat it. name: the group.
    """

    threshold: float | None
    risk: float
    delta: float
    n_kept: int
    errors: int
    coverage: Estimate
    candidates: Candidates = field(repr=False)
    n: int
    n_wrong: int
    needed: int | None
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        rows = zip(*(getattr(self.candidates, column).tolist() for column in CANDIDATES), strict=True)
        return {
            "recipe": self.recipe,
            "group": self.name,
            "threshold": self.threshold,
            "risk": self.risk,
            "delta": self.delta,
            "n_kept": self.n_kept,
            "errors": self.errors,
            "coverage": self.coverage.to_dict(),
            "n": self.n,
            "n_wrong": self.n_wrong,
            "needed": self.needed,
            "notes": list(self.notes),
            "candidates": [
                {name: finite_or_none(value) for name, value in zip(CANDIDATES, row, strict=True)} for row in rows
            ],
        }

    def _columns(self) -> dict[str, Any]:
        """The tested thresholds."""
        return {column: getattr(self.candidates, column) for column in CANDIDATES}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tested thresholds, the target and the threshold found on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_threshold

        return draw_threshold(self, ax=ax)

    def __repr__(self) -> str:
        return threshold_in_words(self)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))
