"""Results of recalibration: errors and scores before and after, of one map or of several."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores.multiclass import MULTICLASS, score_key
from howsure.recalibration.evaluation.change import Change
from howsure.recalibration.evaluation.verdict import p_value_of, rows_needed, verdict_kind
from howsure.recalibration.evaluation.wording import evaluation_in_words, evaluation_table, rows_table, verdict_text
from howsure.result import Result
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = ("quantity", "before", "after", "improvement", "low", "high")


@dataclass(frozen=True, slots=True)
class RecalibrationEvaluation(Result):
    """The result of `evaluate_recalibration`: what recalibration does to rows that no map was fitted on.

    error_before, error_after: debiased calibration errors with intervals. squared_error, brier, log_loss: what they
    were, what they are, and the improvement with its interval; of first choices among several classes, their own.
    multiclass_brier, multiclass_log_loss: those of all classes, None where there are two. curves: before and after.
    method: of the map. margin: the smallest calibration error that is worth removing. n: the rows. notes: caveats.
    recipe: everything needed to repeat it. name: the group.

    The Brier score decides the verdict, with several classes that of all of them. A map that keeps the order of the
    predictions lowers it by exactly the squared calibration error that it removes; one that merges predictions loses
    what they told apart.
    """

    error_before: Estimate
    error_after: Estimate
    squared_error: Change
    brier: Change
    log_loss: Change
    multiclass_brier: Change | None
    multiclass_log_loss: Change | None
    curves: tuple[CalibrationCurve, CalibrationCurve] = field(repr=False)
    method: str
    margin: float
    n: int
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None

    @property
    def deciding(self) -> Change:
        """The change that decides the verdict: of the Brier score."""
        return self.brier if self.multiclass_brier is None else self.multiclass_brier

    @property
    def kind(self) -> str:
        """ "improves", "does not help", "cannot tell" or "makes it worse"."""
        return verdict_kind(self.deciding.improvement, self.margin)

    @property
    def p_value(self) -> float:
        """Of "the Brier score stays as it is", two-sided; below 1 - level where its interval excludes 0."""
        return p_value_of(self.deciding.improvement)

    @property
    def needed(self) -> int | None:
        """Where nothing can be told: about how many rows like these would tell, in four of five data sets."""
        return rows_needed(self.deciding.improvement, self.margin) if self.kind == "cannot tell" else None

    def verdict(self) -> str:
        """Does recalibration help, in a sentence, and what that supposes."""
        return verdict_text(self)

    def changes(self) -> dict[str, Change]:
        """The changes of all losses by their names in JSON."""
        reduction = self.curves[0].reduction
        found: dict[str, Change] = {"squared_error": self.squared_error}
        found |= {score_key(name, reduction): getattr(self, name) for name in ("brier", "log_loss")}
        of_classes = {"brier": self.multiclass_brier, "log_loss": self.multiclass_log_loss}
        return found | {score_key(name, MULTICLASS): one for name, one in of_classes.items() if one is not None}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "recipe": self.recipe, "group": self.name, "method": self.method, "n": self.n, "verdict": self.kind,
            "margin": self.margin, "p_value": finite_or_none(self.p_value), "needed": self.needed,
            "error_before": self.error_before.to_dict(), "error_after": self.error_after.to_dict(),
            **{name: change.to_dict() for name, change in self.changes().items()}, "notes": list(self.notes),
        }  # fmt: skip

    def table(self) -> Table:
        """One row per quantity: before, after, improvement."""
        return evaluation_table(self)

    def _columns(self) -> dict[str, Any]:
        rows = [(name, one.before, one.after, *_ends(one.improvement)) for name, one in self.changes().items()]
        nothing = math.nan
        rows.insert(0, ("error", self.error_before.value, self.error_after.value, nothing, nothing, nothing))
        return {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}

    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curves before and after on matplotlib axes (new ones if None); axis as for a calibration curve."""
        from howsure.figures.compared_curves import draw_recalibration

        return draw_recalibration(self, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """Both curves, and below them the improvements with their intervals, as a matplotlib figure."""
        from howsure.figures.compared_curves import recalibration_figure

        return recalibration_figure(self, axis=axis)

    def __repr__(self) -> str:
        return evaluation_in_words(self)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


@dataclass(frozen=True, slots=True)
class RecalibrationTable(Result):
    """The evaluations of `recalibration_table`, one per group and method; iterate, index by name, or convert them.

    p_adjusted: the p-values, adjusted for their number.
    """

    rows: tuple[RecalibrationEvaluation, ...]
    p_adjusted: tuple[float, ...]
    recipe: dict[str, Any] = field(repr=False)

    def __iter__(self) -> Iterator[RecalibrationEvaluation]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> RecalibrationEvaluation:
        """The evaluation of a group or method, by the name in the first column of the table."""
        for called, row in zip(self.names, self.rows, strict=True):
            if called == name:
                return row
        raise KeyError(name)

    @property
    def names(self) -> list[str]:
        """What the rows are called: by group, by method, or by both where there are several of both."""
        methods = {row.method for row in self.rows}
        called = []
        for row in self.rows:
            several = len(methods) > 1 or row.name is None
            called.append(": ".join(part for part in (row.name, row.method if several else None) if part is not None))
        return called

    def to_dict(self) -> dict[str, Any]:
        """The evaluations and the recipe."""
        rows = zip(self.rows, self.p_adjusted, strict=True)
        return {
            "recipe": self.recipe,
            "evaluations": [row.to_dict() | {"p_adjusted": finite_or_none(p)} for row, p in rows],
        }

    def _columns(self) -> dict[str, Any]:
        rows = self.rows
        columns: dict[str, list[Any]] = {
            "group": [row.name for row in rows],
            "method": [row.method for row in rows],
            "n": [row.n for row in rows],
            "error_before": [row.error_before.value for row in rows],
            "error_after": [row.error_after.value for row in rows],
        }
        for name in ("squared_error", "brier", "log_loss"):
            ends = [_ends(getattr(row, name).improvement) for row in rows]
            for part, column in zip(("improvement", "low", "high"), zip(*ends, strict=True), strict=True):
                columns[f"{name}_{part}"] = list(column)
        columns |= {"p_value": [row.p_value for row in rows], "p_adjusted": list(self.p_adjusted)}
        return columns | {"verdict": [row.kind for row in rows], "notes": ["; ".join(row.notes) for row in rows]}

    def table(self) -> Table:
        """One row per group and method."""
        return rows_table(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the improvements of the Brier score with their intervals, a row each, on axes (new ones if None)."""
        from howsure.figures.compared_curves import draw_improvements

        return draw_improvements(self, ax=ax)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    return tuple(math.nan if one is None else one for one in (estimate.value, estimate.low, estimate.high))  # type: ignore[return-value]
