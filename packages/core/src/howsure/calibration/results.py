"""Results of calibration: a curve with all figures computed from it, and the comparison of two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from howsure.calibration.bins import Binned
from howsure.calibration.scores import MULTICLASS, SCORES, MulticlassScores, ScoreParts, score_words, with_score_keys
from howsure.inputs.matching import ReadOfBoth
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import Axes, Figure
from howsure.result import AMONG, Arrays, Estimate, Result, as_json, plain_dict
from howsure.show.axes import checks_axes
from howsure.show.table import FRAME, NUMBER, TABLE, WORDS, Column, digits

NAMES = ("A", "B")  # default names of two models


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins(Arrays):
    """The bins of a calibration curve: arrays with one entry per bin, in ascending order of predictions.

    count, weight: the number of pairs and their weight. mean_prob: mean prediction. frequency: label frequency, with
    standard_error and interval [low, high]. upper: the largest prediction that belongs to the bin.
    """

    count: Integers = as_json("n")
    weight: Floats = as_json(None)
    mean_prob: Floats
    frequency: Floats
    standard_error: Floats = as_json(None)
    low: Floats
    high: Floats
    upper: Floats = as_json(None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationCurve(Result):
    """The result of `calibration_curve`.

    bins: the curve. error: the main result, the root mean squared gap between predictions and label frequencies,
    corrected for the bias due to noise, with an interval. algorithm1_error, mse: Algorithm 1's value and its square,
    with an interval only from Algorithm 2 or a bootstrap. ece: the mean absolute gap, with an interval for its value in
    the population (docs/calibration.md). max_error: the largest absolute gap. brier, log_loss: mean scores and their
    decomposition. p_value: the p-value of the hypothesis that the predictions are calibrated. base_rate: frequency of
    label 1. n: number of pairs. histogram (2, 64): weight by label (0, 1) and prediction, in 64 bars over [0, 1].
    notes: caveats. recipe: everything needed to repeat the analysis. name: the group, or None.

    reduction: how several classes were reduced to pairs, "top-label" or "class-wise"; None for a binary problem. If it
    is set, brier and log_loss are the top-label or class-wise scores and are labelled so. multiclass: the scores of all
    classes, if their probabilities are known. positive: the name of label 1, if it has one.
    """

    name: str | None = as_json("group", default=None)
    n: int
    base_rate: float
    error: Estimate
    algorithm1_error: Estimate
    mse: Estimate
    ece: Estimate
    max_error: Estimate
    p_value: float
    brier: ScoreParts
    log_loss: ScoreParts
    multiclass: MulticlassScores | None = as_json(AMONG, default=None)
    notes: tuple[str, ...] = ()
    bins: Bins
    histogram: Floats = as_json(None)
    reduction: str | None = as_json(None, default=None)
    positive: str | None = as_json(None, default=None)
    recipe: dict[str, Any]

    title = "Calibration"

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as a dictionary for JSON, the same that the command line writes."""
        return with_score_keys(plain_dict(self) | {"max_error": self.max_error.value}, self.reduction)

    def frame_columns(self) -> dict[str, Any]:
        """The columns of the data frame: the bins of the curve."""
        return self.bins.arrays()

    def columns(self) -> Sequence[Column]:
        """One row with the figures of the curve."""
        from howsure.calibration.curve_text import curve_columns

        return curve_columns([self], [self.p_value])[0 if self.name is not None else 1 :]

    @property
    def description(self) -> str:
        """The figures of the curve, aligned, with the verdict, the notes and the recipe."""
        from howsure.calibration.curve_text import figures_in_words, summary, verdict

        return summary(self, "calibration curve", figures_in_words(self), verdict(self))

    @checks_axes
    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curve on matplotlib axes (new ones if None) and return them.

        axis: "linear" shows all of [0, 1], "zoom" the range of the bins, "logit" log-odds, and "auto" zooms if all bins
        are below 0.2 or above 0.8.

        Raises InputError for another axis, or log-odds of a mean prediction of exactly 0 or 1.
        """
        from howsure.figures.calibration import draw_curves

        return draw_curves([self], ax=ax, axis=axis)

    def _repr_html_(self) -> str:
        from howsure.figures.calibration import curve_html

        return curve_html(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationComparison(Result):
    """Two models, A and B, on the same items. Every difference is A - B, so positive values mean that B is better.

    error_a, error_b: debiased errors with intervals. squared_error_difference: difference of the squared debiased
    errors, not truncated at zero. error_difference: difference of the errors; None unless both errors are clearly above
    zero.
    brier_difference, log_loss_difference: differences of the pairs' mean scores (undefined if a loss is infinite, or if
    one row or cluster has all the weight). reduction: how several classes were reduced to pairs; the keys of `to_dict`
    then name the scores accordingly. multiclass_brier_difference, multiclass_log_loss_difference: differences of the
    scores of all classes; None if their probabilities are unknown. curves: the curves of A and B, with the models'
    names. notes: caveats. read: the files of the models and the numbers of unused rows, if files were compared.
    """

    n: int
    notes: tuple[str, ...] = ()
    error_a: Estimate
    error_b: Estimate
    squared_error_difference: Estimate
    error_difference: Estimate | None
    brier_difference: Estimate
    log_loss_difference: Estimate
    multiclass_brier_difference: Estimate | None = None
    multiclass_log_loss_difference: Estimate | None = None
    reduction: str | None = as_json(None, default=None)
    curves: tuple[CalibrationCurve, CalibrationCurve] = as_json(None)
    recipe: dict[str, Any]
    inputs: ReadOfBoth | None = as_json(None, default=None)

    title = "Calibration of two models"
    description = ""

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; if files were compared, it begins with a description of them."""
        values = with_score_keys(plain_dict(self), self.reduction)
        provenance = {} if self.inputs is None else {**self.inputs.to_dict(), "howsure": self.recipe["howsure"]}
        return provenance | {
            key: value for key, value in values.items() if value is not None or not key.startswith("multiclass")
        }

    @property
    def input_line(self) -> str:
        """The models with their labels and rows, if files were compared."""
        return "\n".join(self._lines_read())

    def _lines_read(self) -> list[str]:
        if self.inputs is None:
            return []
        first, second, rows, *unused = self.inputs.lines(self.n, self.names)
        return [first, second, f"{rows}; differences are {' - '.join(self.names)}", *unused]

    def recipe_comment(self) -> str:
        """Return the provenance in one line; if files were compared, with a description of them."""
        if self.inputs is None:
            return Result.recipe_comment(self)
        provenance = "; ".join(self.inputs.lines(self.n, self.names))
        return f"howsure {self.recipe['howsure']}; {provenance}; level {self.recipe['level']}"

    def columns(self) -> Sequence[Column]:
        """One row per figure: tables show those with an interval, frames and CSV all that are known."""
        a, b = self.names
        estimates = {
            f"error of {a}": self.error_a,
            f"error of {b}": self.error_b,
            "difference of errors": self.error_difference,
            "difference of squared errors": self.squared_error_difference,
        }
        estimates |= {
            f"difference of {_several(name)}": difference for name, difference in self.score_differences().items()
        }
        shown = [None if estimate is None or estimate.low is None else estimate for estimate in estimates.values()]
        estimates_ = {
            name: value for name, value in self.to_dict().items() if isinstance(value, dict) and name != "recipe"
        }
        ends = {"value": "", "low": f"with high, the {100 * self.error_a.level:g}% interval", "high": ""}
        return [
            Column("figure", WORDS, values=list(estimates), only=TABLE),
            *(
                Column(
                    end,
                    digits(5),
                    legend=legend,
                    values=[estimate and getattr(estimate, end) for estimate in shown],
                    only=TABLE,
                )
                for end, legend in ends.items()
            ),
            Column("quantity", WORDS, values=list(estimates_), only=FRAME),
            *(
                Column(
                    field.name, NUMBER, values=[estimate[field.name] for estimate in estimates_.values()], only=FRAME
                )
                for field in fields(Estimate)
            ),
        ]

    @property
    def answer(self) -> str:
        """Which model is better calibrated."""
        return self._verdict_sentences()[0]

    @property
    def provenance(self) -> str:
        """The level of the intervals and, if files were compared, the models with their labels and rows."""
        return " ".join([*(f"{line}." for line in self._lines_read()), f"{100 * self.error_a.level:g}% intervals."])

    def legend(self) -> Mapping[str, str]:
        """The meaning of the headings, and which model is better if a difference is positive."""
        a, b = self.names
        return {**Result.legend(self), "": f"Differences are {a} minus {b}: above 0, {b} is better."}

    def footnotes(self) -> Sequence[str]:
        """The verdict, and the notes."""
        return [*self._verdict_sentences(), *Result.footnotes(self)]

    @property
    def names(self) -> tuple[str, str]:
        """The names of the models."""
        return self.curves[0].name or NAMES[0], self.curves[1].name or NAMES[1]

    @checks_axes
    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw both curves on matplotlib axes (new ones if None); axis as in `CalibrationCurve.plot`."""
        from howsure.figures.calibration import draw_comparison

        return draw_comparison(self, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """Return a matplotlib figure with both curves, and below them the differences with their intervals."""
        from howsure.figures.calibration import comparison_figure

        return comparison_figure(self, axis=axis)

    def verdict(self) -> str:
        """Say which model is better calibrated and, if an error is 0, what that means."""
        return "\n".join(self._verdict_sentences())

    def _verdict_sentences(self) -> list[str]:
        e, (a, b) = self.squared_error_difference, self.names
        if e.low is None or e.high is None:
            summary = "Too little data to compare."
        elif e.low > 0:
            summary = f"{b} is better calibrated than {a}."
        elif e.high < 0:
            summary = f"{a} is better calibrated than {b}."
        else:
            summary = (
                "No difference in calibration detected: the interval of the difference of squared errors contains 0."
            )
        zeros = [name for name, error in ((a, self.error_a), (b, self.error_b)) if error.value == 0]
        why = "because the bins differ no more than by chance. This does not mean that a model has no error."
        return [summary, *([f"The error of {' and of '.join(zeros)} is 0 {why}"] if zeros else [])]

    def score_differences(self) -> dict[str, Estimate]:
        """Return the differences of the mean scores by the names of the scores."""
        differences = {score_words(score, self.reduction): getattr(self, f"{score}_difference") for score in SCORES}
        of_classes = {score_words(score, MULTICLASS): f"multiclass_{score}_difference" for score in SCORES}
        differences |= {name: getattr(self, field_name) for name, field_name in of_classes.items()}
        return {name: difference for name, difference in differences.items() if difference is not None}


def _several(score: str) -> str:
    return f"{score}es" if score.endswith("s") else f"{score}s"


def bins_from(binned: Binned, unit: float, standard_error: Floats, low: Floats, high: Floats) -> Bins:
    """Convert bins to the public `Bins`; weights are multiplied by `unit` to restore the user's scale."""
    s = binned.sums
    mean_prob = np.clip(s.q / s.w1, 0.0, 1.0)  # rounding may exceed [0, 1] by 1e-16
    return Bins(
        count=s.count,
        weight=s.w1 * unit,
        mean_prob=mean_prob,
        frequency=s.y / s.w1,
        standard_error=standard_error,
        low=low,
        high=high,
        upper=binned.upper,
    )
