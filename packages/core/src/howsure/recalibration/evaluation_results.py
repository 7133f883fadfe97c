"""Results of evaluating recalibration: errors and scores before and after, for one or several maps, with sentences."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import MULTICLASS, score_key, score_words
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.parameter_types import Axes, Figure
from howsure.notes import DETAIL, Note, notes_by_name
from howsure.result import Estimate, Result, Rows, plain
from howsure.show.axes import checks_axes
from howsure.show.table import (
    COUNT,
    ENDS,
    ESTIMATE,
    FRAME,
    LOWER,
    NUMBER,
    P_VALUE,
    TABLE,
    UNDEFINED,
    WORDS,
    Column,
    Kind,
    interval,
    number,
)
from howsure.stats.p_values import ADJUSTED
from howsure.stats.proportions import normal_quantile


@dataclass(frozen=True, slots=True)
class Change:
    """A mean loss before and after recalibration, and the improvement (before - after) with its interval."""

    before: float
    after: float
    improvement: Estimate


# The verdict on an improvement, and the number of rows that a verdict needs.

IMPROVES, NO_HELP, CANNOT_TELL, WORSE = "improves", "does not help", "cannot tell", "makes it worse"
MARGIN = 0.01  # calibration error below which recalibration is not worth while
POWER = 0.8416  # the normal quantile of 0.8


def verdict_kind(improvement: Estimate, margin: float) -> str:
    """The verdict on an improvement of the Brier score.

    "improves": the interval is above 0. "makes it worse": the interval is below 0. "does not help": the interval
    contains 0 and is below margin², which is the gain from removing a calibration error of `margin`. "cannot tell": the
    interval contains 0 and margin².

    >>> [verdict_kind(Estimate(0.0, low, high, 0.95, "", 9), 0.01) for low, high in ((1e-5, 1), (-1, 5e-5), (-1, 1))]
    ['improves', 'does not help', 'cannot tell']
    """
    low, high = improvement.low, improvement.high
    if low is None or high is None:
        return CANNOT_TELL
    if low > 0:
        return IMPROVES
    if high < 0:
        return WORSE
    return NO_HELP if high < margin**2 else CANNOT_TELL


def improvement_p_value(improvement: Estimate) -> float:
    """Return the two-sided p-value of "no improvement" by a normal distribution. Its standard error is derived from the
    distance between the estimate and the end of the interval on the side of 0.
    """
    from scipy.special import ndtr

    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None or math.isnan(value):
        return math.nan
    reach = value - low if value > 0 else high - value
    if reach <= 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * ndtr(-abs(value) / reach * normal_quantile(improvement.level)))


def rows_needed(improvement: Estimate, margin: float) -> int | None:
    """Return the approximate number of rows that would lead to the verdict "improves" or "does not help" with
    probability 0.8; None if unknown. The true improvement is assumed to equal the estimate, and intervals to shrink
    with the square root of the number of rows.
    """
    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None:
        return None
    farther = 1 + POWER / normal_quantile(improvement.level)
    ways = [(value - low, value)] if value > 0 else []
    ways += [(high - value, margin**2 - value)] if value < margin**2 else []
    return math.ceil(min(improvement.n * (farther * reach / distance) ** 2 for reach, distance in ways))


# Sentences and tables on evaluations of recalibration.

WIDTH = 104  # of sentences
FINE = 5  # decimals on the scale of squared probabilities
SCOPE_NOTE = "This holds for rows like these. Other data benefit only if their probabilities are wrong in the same way."


def fine(estimate: Estimate) -> str:
    """Return an improvement with its interval as text, or `UNDEFINED` if it has no interval."""
    if estimate.low is None:
        return UNDEFINED
    ends = interval(estimate.low, estimate.high, FINE, sign=True)
    return f"{number(estimate.value, FINE, sign=True)} {ends}"


GAIN = Kind(fine, ends=ENDS, decimals=FINE)


def rounded(value: float) -> str:
    """A number of rows with two significant digits.

    >>> rounded(12345), rounded(87)
    ('12,000', '87')
    """
    return f"{int(float(f'{value:.1e}')):,}"


def verdict_sentence(result: RecalibrationEvaluation) -> str:
    """Return a sentence on whether the map helps."""
    gain, map_ = result.deciding.improvement, f"recalibration ({result.method})"
    score = score_words("brier", None if result.multiclass_brier is None else MULTICLASS)
    least = f"{result.margin**2:g}"
    errors = f"calibration error {number(result.error_before.value)} before, {result.error_after} after"
    if result.kind == IMPROVES:
        change = f"{number(gain.value, FINE)} {interval(gain.low, gain.high, FINE)}"
        verdict = f"{map_} improves these probabilities: {errors}; the {score} is lower by {change}."
    elif result.kind == NO_HELP:
        verdict = (
            f"{map_} does not help: the improvement of the {score}, {fine(gain)}, is less than {least}, the gain from "
            f"removing a calibration error of {result.margin:g}."
        )
    elif result.kind == CANNOT_TELL:
        verdict = f"too little data to show whether {map_} helps"
        if gain.low is not None:
            verdict += (
                f": the improvement of the {score}, {fine(gain)}, could be 0 or more than {least}, the gain from "
                f"removing a calibration error of {result.margin:g}"
            )
        verdict += (
            f"; about {rounded(result.needed)} rows like these would decide it." if result.needed is not None else "."
        )
    else:
        change = f"{number(-gain.value, FINE)} {interval(-(gain.high or 0.0), -(gain.low or 0.0), FINE)}"
        verdict = f"{map_} makes these probabilities worse: {errors}; the {score} is higher by {change}."
    return f"{verdict[0].upper()}{verdict[1:]}"


def _design_text(result: RecalibrationEvaluation) -> str:
    folds = result.recipe.get("folds")
    if folds is None:
        return f"{result.n:,} rows that the map was not fitted to"
    clusters = " of whole clusters" if result.recipe["clustered"] else ""
    times = result.recipe["repeats"]
    often = f", {times} times" if times > 1 else ""
    return f"cross-fitted in {folds} folds{clusters}{often}, {result.n:,} rows"


@dataclass(frozen=True, slots=True, repr=False)
class RecalibrationEvaluation(Result):
    """The result of `evaluate_recalibration`: the effect of recalibration on rows that no map was fitted to.

    error_before, error_after: debiased calibration errors with intervals. squared_error, brier, log_loss: the values
    before and after, and the improvement with its interval; for several classes, these refer to the first choices.
    multiclass_brier, multiclass_log_loss: the same over all classes, None for two classes. curves: the calibration
    curves before and after. method: the method of the map. margin: the smallest calibration error that is worth
    removing. n: the number of rows. notes: caveats.
    recipe: everything needed to repeat it. name: the group.

    The verdict is based on the Brier score; for several classes, on the Brier score over all classes. A map that keeps
    the order of the predictions lowers the Brier score by exactly the squared calibration error that it removes. A map
    that merges predictions also loses discrimination between them.
    """

    error_before: Estimate
    error_after: Estimate
    squared_error: Change
    brier: Change
    log_loss: Change
    multiclass_brier: Change | None
    multiclass_log_loss: Change | None
    curves: tuple[CalibrationCurve, CalibrationCurve]
    method: str
    margin: float
    n: int
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()
    name: str | None = None

    title = "Recalibration"
    description = ""

    @property
    def deciding(self) -> Change:
        """The change of the Brier score, which determines the verdict."""
        return self.brier if self.multiclass_brier is None else self.multiclass_brier

    @property
    def kind(self) -> str:
        """ "improves", "does not help", "cannot tell" or "makes it worse"."""
        return verdict_kind(self.deciding.improvement, self.margin)

    @property
    def p_value(self) -> float:
        """The two-sided p-value of "the Brier score is unchanged". It is below 1 - level if the interval excludes 0."""
        return improvement_p_value(self.deciding.improvement)

    @property
    def needed(self) -> int | None:
        """If the verdict is "cannot tell", the approximate number of such rows that would lead to another verdict with
        probability 0.8."""
        return rows_needed(self.deciding.improvement, self.margin) if self.kind == "cannot tell" else None

    def verdict(self) -> str:
        """A sentence on whether recalibration helps, with the assumption in a second line."""
        return f"{verdict_sentence(self)}\n{SCOPE_NOTE}"

    def changes(self) -> dict[str, Change]:
        """The changes of all losses by their names in JSON."""
        loss_changes = {score_key(score, reduction): change for score, reduction, change in self._losses()}
        return {"squared_error": self.squared_error} | loss_changes

    def _losses(self) -> list[tuple[str, str | None, Change]]:
        """The changes of the proper scores, with descriptions."""
        reduction = self.curves[0].reduction
        changes = [("brier", reduction, self.brier), ("log_loss", reduction, self.log_loss)]
        of_classes = [("brier", self.multiclass_brier), ("log_loss", self.multiclass_log_loss)]
        return [*changes, *((score, MULTICLASS, change) for score, change in of_classes if change is not None)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: each change is named by its loss."""
        fields_ = {
            "recipe": self.recipe,
            "group": self.name,
            "method": self.method,
            "n": self.n,
            "verdict": self.kind,
            "margin": self.margin,
            "p_value": self.p_value,
            "needed": self.needed,
            "error_before": self.error_before,
            "error_after": self.error_after,
            **self.changes(),
            "notes": self.notes,
        }
        return {name: plain(value) for name, value in fields_.items()}

    def columns(self) -> Sequence[Column]:
        """One row per quantity: before, after, improvement."""
        changes = self.changes()
        named = [score_words(score, reduction) for score, reduction, _ in self._losses()]
        sides = []
        for end in ("before", "after"):
            error, means = getattr(self, f"error_{end}"), [getattr(change, end) for change in changes.values()]
            cells = [str(error), number(means[0], FINE), *map(number, means[1:])]
            sides.append(Column(end, NUMBER, values=[error.value, *means], only=FRAME))
            sides.append(Column(end, Kind(str), values=cells, only=TABLE))
        level = f"{100 * self.error_before.level:g}%"
        better = f"before minus after, with its {level} interval; above 0 if recalibration is better"
        return [
            Column("quantity", WORDS, values=["error", *changes], only=FRAME),
            Column("quantity", WORDS, values=["calibration error", "squared error", *named], only=TABLE),
            *sides,
            Column(
                "improvement", GAIN, legend=better, values=[None, *(change.improvement for change in changes.values())]
            ),
        ]

    def legend(self) -> Mapping[str, str]:
        """The meaning of the improvement, and the rows it refers to."""
        rows = f"{self.n:,} rows, each recalibrated by a map ({self.method}) that was fitted without this row."
        return {**Result.legend(self), "": rows}

    @property
    def answer(self) -> str:
        """The first line of output: whether recalibration helps."""
        name = "" if self.name is None else f"{self.name}: "
        return f"{name}{verdict_sentence(self)}"

    def footnotes(self) -> Sequence[str]:
        """The division of rows into folds, the assumption of the verdict, and the notes."""
        details = [f"{_design_text(self)[:1].upper()}{_design_text(self)[1:]}.", SCOPE_NOTE]
        return [*(Note(detail, DETAIL) for detail in details), *Result.footnotes(self)]

    @checks_axes
    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curves before and after on matplotlib axes (new ones if None); axis as for a calibration curve."""
        from howsure.figures.compared_curves import draw_recalibration

        return draw_recalibration(self, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """Both curves, and below them the improvements with their intervals, as a matplotlib figure."""
        from howsure.figures.compared_curves import recalibration_figure

        return recalibration_figure(self, axis=axis)


@dataclass(frozen=True, slots=True, repr=False)
class RecalibrationTable(Rows[RecalibrationEvaluation]):
    """The result of `recalibration_table`: an evaluation for each group and method. Iterate over the evaluations, or
    index by name.

    p_adjusted: the p-values, adjusted for the number of evaluations.
    """

    rows: tuple[RecalibrationEvaluation, ...]
    p_adjusted: tuple[float, ...]
    recipe: dict[str, Any]

    title = "Recalibration"

    def _row_called(self, name: str) -> RecalibrationEvaluation:
        """The evaluation of a group or method, by its name in the first column of the table."""
        for row_name, row in zip(self.names, self.rows, strict=True):
            if row_name == name:
                return row
        raise KeyError(name)

    @property
    def names(self) -> list[str]:
        """The names of the rows: group, method, or both if there are several of both."""
        methods = {row.method for row in self.rows}
        row_names = []
        for row in self.rows:
            several = len(methods) > 1 or row.name is None
            row_names.append(
                ": ".join(part for part in (row.name, row.method if several else None) if part is not None)
            )
        return row_names

    def competing_rows(self) -> Sequence[Hashable]:
        """The competing methods, by group."""
        return [row.name for row in self.rows]

    @property
    def alone(self) -> RecalibrationEvaluation | None:
        """The evaluation of all rows with the recipe of the table, if the table has a single evaluation; otherwise
        None."""
        row = self.rows[0]
        return replace(row, recipe=self.recipe | row.recipe) if len(self) == 1 and row.name is None else None

    def to_dict(self) -> dict[str, Any]:
        """The evaluations, the recipe and, for files, the number of rows left out."""
        rows = zip(self.rows, self.p_adjusted, strict=True)
        evaluations = [row.to_dict() | {"p_adjusted": plain(p)} for row, p in rows]
        left = self.recipe.get("skipped")
        skipped = {} if left is None else {"skipped": sum(left.values())}
        return {"recipe": plain(self.recipe), "evaluations": evaluations, **skipped}

    def columns(self) -> Sequence[Column]:
        """One row per group and method."""
        first = "group" if any(row.name is not None for row in self.rows) else "method"
        better = "before minus after; above 0 if recalibration is better"
        return [
            Column(first, WORDS, values=self.names, only=TABLE),
            Column("group", WORDS, get=lambda row: row.name or "all", only=FRAME),
            Column("method", WORDS, only=FRAME),
            Column("n", COUNT),
            Column("error_before", ESTIMATE),
            Column("error_after", ESTIMATE, better=LOWER),
            *(column for name in self.rows[0].changes() for column in self._change_columns(name)),
            Column("gain", GAIN, "Brier improvement", "", better, lambda row: row.deciding.improvement, only=TABLE),
            Column("p_value", P_VALUE, "p", only=FRAME),
            Column("p_adjusted", P_VALUE, "p (adjusted)", values=self.p_adjusted),
            Column("verdict", WORDS, get=lambda row: row.kind),
            Column("needed", COUNT, "rows needed", only=FRAME),
            Column("notes", WORDS, get=lambda row: "; ".join(row.notes), only=FRAME),
        ]

    def _change_columns(self, name: str) -> Iterator[Column]:
        changes, label = [row.changes()[name] for row in self.rows], name.replace("_", " ")
        for end in ("before", "after"):
            values = [getattr(change, end) for change in changes]
            yield Column(f"{name}_{end}", NUMBER, f"{label} {end}", values=values, only=FRAME)
        values = [change.improvement for change in changes]
        yield Column(f"{name}_improvement", GAIN, f"{label} improvement", values=values, only=FRAME)

    @property
    def answer(self) -> str:
        """The groups and methods that recalibration improves, and those where it does not help."""
        names_by_kind: dict[str, list[str]] = {}
        for name, row in zip(self.names, self.rows, strict=True):
            names_by_kind.setdefault(row.kind, []).append(name)
        words = {IMPROVES: "helps", CANNOT_TELL: "may or may not help (too little data)"}
        parts = [f"{words.get(kind, kind)}: {shortened(names)}" for kind, names in names_by_kind.items()]
        return f"Recalibration {'; '.join(parts)}."

    def footnotes(self) -> Sequence[str]:
        """The adjustment of p-values, and the notes."""
        lines, how = [], self.recipe["adjust"]
        if len(self.rows) > 1:
            each = f"the {len(self.rows):,} methods or groups"
            of_p = f"p is adjusted for {each} ({ADJUSTED[how]})" if how else f"p is not adjusted for {each}"
            lines = [f"{of_p}; intervals and verdicts are not adjusted."]
        lines += notes_by_name((name, row.notes) for name, row in zip(self.names, self.rows, strict=True))
        return [*lines, *self.recipe_notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the improvements of the Brier score with their intervals, a row each, on axes (new ones if None)."""
        from howsure.figures.compared_curves import draw_improvements

        return draw_improvements(self, ax=ax)
