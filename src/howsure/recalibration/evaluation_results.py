"""Results of recalibration: errors and scores before and after, of one map or of several, in words too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import fill
from typing import TYPE_CHECKING, Any

from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import MULTICLASS, score_key, score_words
from howsure.calibration.words import notes_by_name
from howsure.result import Result
from howsure.show.numbers import UNDEFINED, interval, number, p_text
from howsure.show.preformatted import preformatted
from howsure.show.table import LOWER, Table
from howsure.stats.estimate import Estimate, finite_or_none
from howsure.stats.multiplicity import ADJUSTED
from howsure.stats.proportions import normal_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Change:
    """A mean loss before and after recalibration, and the improvement, before - after, with its interval: above 0 is
    better."""

    before: float
    after: float
    improvement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; what is undefined or infinite is None."""
        found = {"before": finite_or_none(self.before), "after": finite_or_none(self.after)}
        return found | {"improvement": self.improvement.to_dict()}


# Does recalibration help? The verdict on an improvement, and the rows that it would take.

IMPROVES, NO_HELP, CANNOT_TELL, WORSE = "improves", "does not help", "cannot tell", "makes it worse"
MARGIN = 0.01  # a calibration error that is not worth removing
POWER = 0.8416  # the normal quantile of 0.8


def verdict_kind(improvement: Estimate, margin: float) -> str:
    """The verdict on an improvement of the Brier score.

    "improves": the interval lies above 0. "makes it worse": it lies below 0. "does not help": it contains 0 and lies
    below margin², what removing a calibration error of `margin` gains. "cannot tell": it contains both.

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


def p_value_of(improvement: Estimate) -> float:
    """The two-sided p-value of no improvement, from the interval: normal, as wide as the interval on the side of 0."""
    from scipy.special import ndtr

    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None or math.isnan(value):
        return math.nan
    reach = value - low if value > 0 else high - value
    if reach <= 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * ndtr(-abs(value) / reach * normal_quantile(improvement.level)))


def rows_needed(improvement: Estimate, margin: float) -> int | None:
    """About how many rows would lead to "improves" or to "does not help" in four of five data sets, if the improvement
    is what was seen: intervals shrink with the square root of the rows. None if it is unknown."""
    value, low, high = improvement.value, improvement.low, improvement.high
    if low is None or high is None:
        return None
    farther = 1 + POWER / normal_quantile(improvement.level)
    ways = [(value - low, value)] if value > 0 else []
    ways += [(high - value, margin**2 - value)] if value < margin**2 else []
    return math.ceil(min(improvement.n * (farther * reach / distance) ** 2 for reach, distance in ways))


# Evaluations of recalibration in words and tables.

HEADINGS = ("quantity", "before", "after", "improvement")
ROWS = ("n", "error before", "error after", "Brier improvement", "p (adjusted)", "verdict")
WIDTH = 104  # of sentences
FINE = 5  # decimals of what is on the scale of squared probabilities
ALIKE = "This is about rows like these: a map mends other data only as far as they err in the same way."


def fine(estimate: Estimate) -> str:
    """An improvement with its interval."""
    if estimate.low is None:
        return UNDEFINED
    ends = interval(estimate.low, estimate.high, FINE, sign=True)
    return f"{number(estimate.value, FINE, sign=True)} {ends}"


def rounded(value: float) -> str:
    """A number of rows with two digits.

    >>> rounded(12345), rounded(87)
    ('12,000', '87')
    """
    return f"{int(float(f'{value:.1e}')):,}"


def verdict_text(result: RecalibrationEvaluation) -> str:
    """Does the map help, in a sentence, and what that supposes in a second line."""
    gain, map_ = result.deciding.improvement, f"recalibration ({result.method})"
    score = score_words("brier", None if result.multiclass_brier is None else MULTICLASS)
    least = f"{result.margin**2:g}"
    errors = f"the calibration error goes from {number(result.error_before.value)} to {result.error_after}"
    if result.kind == IMPROVES:
        said = f"{map_} improves these probabilities: {errors}, the {score} falls by {fine(gain)[1:]}."
    elif result.kind == NO_HELP:
        said = (
            f"{map_} does not help: the improvement of the {score}, {fine(gain)}, is less than {least}, which removing "
            f"a calibration error of {result.margin:g} would gain."
        )
    elif result.kind == CANNOT_TELL:
        said = f"too little data to tell whether {map_} helps"
        if gain.low is not None:
            said += (
                f": the improvement of the {score}, {fine(gain)}, may be 0 or more than {least}, which removing a "
                f"calibration error of {result.margin:g} would gain"
            )
        said += f"; about {rounded(result.needed)} rows like these would tell." if result.needed is not None else "."
    else:
        said = f"{map_} makes it worse: the {score} rises, its improvement is {fine(gain)}; {errors}."
    return f"{said[0].upper()}{said[1:]}\n{ALIKE}"


def evaluation_table(result: RecalibrationEvaluation) -> Table:
    """One row per quantity."""
    rows = [["calibration error", str(result.error_before), str(result.error_after), ""]]
    rows += [
        [name, number(one.before, decimals), number(one.after, decimals), fine(one.improvement)]
        for name, one, decimals in _named(result)
    ]
    level = f"{100 * result.error_before.level:g} %"
    legend = {
        "improvement": f"before minus after, with its {level} interval: above 0, recalibration is better",
        "": f"{result.n:,} rows, each after a map that was fitted without it.",
    }
    title = f"Recalibration ({result.method})"
    notes = [f"note: {note}" for note in result.notes]
    return Table(HEADINGS, rows, words=HEADINGS[:1], notes=notes, title=title, legend=legend)


def evaluation_in_words(result: RecalibrationEvaluation) -> str:
    """The verdict, the table and the notes."""
    name = "" if result.name is None else f" of {result.name}"
    head = f"recalibration ({result.method}){name}, {_how(result)}"
    said = [fill(line, WIDTH) for line in result.verdict().splitlines()]
    notes = [f"note: {note}" for note in result.notes]
    return "\n".join([head, "", evaluation_table(result).text(), "", *said, *notes])


def rows_table(found: RecalibrationTable) -> Table:
    """One row per group and method."""
    first = "group" if any(row.name is not None for row in found.rows) else "method"
    cells = [
        [
            name,
            f"{row.n:,}",
            str(row.error_before),
            str(row.error_after),
            fine(row.deciding.improvement),
            p_text(p),
            row.kind,
        ]
        for name, row, p in zip(found.names, found.rows, found.p_adjusted, strict=True)
    ]
    said = []
    if len(found.rows) > 1:
        how = found.recipe["adjust"]
        adjusted = "nothing is adjusted" if how is None else f"p is adjusted ({ADJUSTED[how]})"
        said = [f"Verdicts are each row's own; {adjusted} for {len(found.rows):,} of them."]
    notes = notes_by_name((name, row.notes) for name, row in zip(found.names, found.rows, strict=True))
    return Table(
        (first, *ROWS),
        cells,
        words=(first, "verdict"),
        notes=[*said, *notes],
        title="Recalibration",
        better={"error after": LOWER},
        legend={"Brier improvement": "before minus after: above 0, recalibration is better"},
    )


def _how(result: RecalibrationEvaluation) -> str:
    folds = result.recipe.get("folds")
    if folds is None:
        return f"{result.n:,} rows that the map was not fitted to"
    clusters = " of whole clusters" if result.recipe["clustered"] else ""
    times = result.recipe["repeats"]
    often = f", {times} times" if times > 1 else ""
    return f"cross-fitted in {folds} folds{clusters}{often}, {result.n:,} rows"


def _named(result: RecalibrationEvaluation) -> list[tuple[str, Change, int]]:
    """The changes by their names in words, and the decimals that they need."""
    reduction = result.curves[0].reduction
    rows = [("squared error", result.squared_error, FINE)]
    rows += [(score_words(name, reduction), getattr(result, name), 4) for name in ("brier", "log_loss")]
    of_classes = {"brier": result.multiclass_brier, "log_loss": result.multiclass_log_loss}
    return rows + [(score_words(name, MULTICLASS), one, 4) for name, one in of_classes.items() if one is not None]


# Results of recalibration: errors and scores before and after, of one map or of several.

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
            "recipe": self.recipe,
            "group": self.name,
            "method": self.method,
            "n": self.n,
            "verdict": self.kind,
            "margin": self.margin,
            "p_value": finite_or_none(self.p_value),
            "needed": self.needed,
            "error_before": self.error_before.to_dict(),
            "error_after": self.error_after.to_dict(),
            **{name: change.to_dict() for name, change in self.changes().items()},
            "notes": list(self.notes),
        }

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
