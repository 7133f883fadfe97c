"""Results of calibration: a curve with all figures derived from it, and the comparison of two models."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.calibration.bins import Binned
from howsure.calibration.scores import MULTICLASS, MulticlassScores, ScoreParts, score_key, score_words
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result
from howsure.show.column import Column
from howsure.show.numbers import UNDEFINED, interval, number
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURE = ("figure", "value", "low", "high")
BIN_COLUMNS = ("count", "weight", "mean_prob", "frequency", "standard_error", "low", "high", "upper")


@dataclass(frozen=True, slots=True)
class Bins:
    """Arrays, one entry per bin in ascending order of predictions.

    count, weight: pairs and their weight. mean_prob: mean prediction. frequency: label frequency, with standard_error
    and interval [low, high]. upper: the largest prediction that belongs to the bin.
    """

    count: Integers
    weight: Floats
    mean_prob: Floats
    frequency: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationCurve(Result):
    """The result of `calibration_curve`.

    bins: the curve. error: the headline, the root mean squared gap between predictions and label frequencies corrected
    for the bias due to noise, with its interval. algorithm1_error, mse: Algorithm 1's value and its square, with an
    interval only from Algorithm 2 or a bootstrap. ece: the mean absolute gap, with an interval of its value in the
    population (docs/calibration.md). max_error: the largest. brier, log_loss: scores of the pairs in parts. p_value:
    of the hypothesis that the predictions are calibrated. base_rate: the frequency of label 1. n: the pairs. histogram
    (2, 64): weight of the predictions of label 0 and of label 1 in 64 bars over [0, 1]. notes: caveats. recipe:
    everything needed to repeat it. name: the group.

    reduction: how several classes became pairs, "top-label" or "class-wise"; None where a pair is all there is. The
    scores of the pairs are then the top-label or class-wise ones, and are called so; multiclass: those of all classes,
    where their probabilities are known. positive: what label 1 means, where that has a name.
    """

    bins: Bins
    error: Estimate
    algorithm1_error: Estimate
    mse: Estimate
    ece: Estimate
    max_error: Estimate
    brier: ScoreParts
    log_loss: ScoreParts
    p_value: float
    base_rate: float
    n: int
    histogram: Floats = field(repr=False)
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    name: str | None = None
    reduction: str | None = None
    multiclass: MulticlassScores | None = None
    positive: str | None = None

    title = "Calibration"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of a curve, as the command line writes it, too."""
        bins = zip(
            *(getattr(self.bins, c).tolist() for c in ("count", "mean_prob", "frequency", "low", "high")), strict=True
        )
        return {
            "recipe": self.recipe,
            "group": self.name,
            "n": self.n,
            "base_rate": self.base_rate,
            "error": self.error.to_dict(),
            "algorithm1_error": self.algorithm1_error.to_dict(),
            "mse": self.mse.to_dict(),
            "ece": self.ece.to_dict(),
            "max_error": self.max_error.value,
            "p_value": None if math.isnan(self.p_value) else self.p_value,
            score_key("brier", self.reduction): self.brier.parts(),
            score_key("log_loss", self.reduction): self.log_loss.parts(),
            **({} if self.multiclass is None else self.multiclass.to_dict()),
            "notes": list(self.notes),
            "bins": [dict(zip(("n", "mean_prob", "frequency", "low", "high"), row, strict=True)) for row in bins],
        }

    def columns(self) -> Sequence[Column]:
        """One row with the figures of the curve."""
        from howsure.calibration.words import curve_columns

        return curve_columns([self], [self.p_value])[0 if self.name is not None else 1 :]

    @property
    def words(self) -> str:
        """The figures of the curve, aligned, with the verdict, the notes and the recipe."""
        from howsure.calibration.words import summary

        return summary(self)

    def _columns(self) -> dict[str, Any]:
        """The bins."""
        return {name: getattr(self.bins, name) for name in BIN_COLUMNS}

    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curve on matplotlib axes (new ones if None) and return them.

        axis: "linear" for all of [0, 1], "zoom" for the part with bins, "logit" for log-odds, or "auto": zoomed where
        all bins lie below .2 or above .8.

        Raises InputError for another axis, or log-odds of a mean prediction of exactly 0 or 1.
        """
        from howsure.figures.calibration import draw_curves

        return draw_curves([self], ax=ax, axis=axis)

    def _repr_html_(self) -> str:
        from howsure.figures.calibration import curve_html

        return curve_html(self)


@dataclass(frozen=True, slots=True)
class CalibrationComparison(Result):
    """A and B on the same pairs; every difference is A - B, so positive values mean that B is better.

    error_a, error_b: debiased errors with intervals. squared_error_difference: of the squared debiased errors, not
    truncated at zero. error_difference: of the errors themselves, None unless both are clearly above zero.
    brier_difference, log_loss_difference: of the mean scores of the pairs (undefined if a loss is infinite, or if one
    row or cluster has all the weight); `to_dict` calls them top-label or class-wise if several classes became pairs so,
    as `reduction` says. multiclass_brier_difference, multiclass_log_loss_difference: of the scores of all classes, None
    where their probabilities are not known. curves: of A and of B, with their names. notes: caveats.
    """

    error_a: Estimate
    error_b: Estimate
    squared_error_difference: Estimate
    error_difference: Estimate | None
    brier_difference: Estimate
    log_loss_difference: Estimate
    curves: tuple[CalibrationCurve, CalibrationCurve] = field(repr=False)
    n: int
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    reduction: str | None = None
    multiclass_brier_difference: Estimate | None = None
    multiclass_log_loss_difference: Estimate | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        shown = {name: None if part is None else part.to_dict() for name, part in self._parts().items()}
        return {"recipe": self.recipe, "n": self.n, "notes": list(self.notes), **shown}

    def table(self) -> Table:
        """One row per figure."""
        a, b = self.names
        plain = {
            f"error of {a}": self.error_a,
            f"error of {b}": self.error_b,
            "difference of errors": self.error_difference,
            "difference of squared errors": self.squared_error_difference,
        }
        scores = {f"difference of {_several(name)}": e for name, e in self.score_differences(score_words).items()}
        shown = {name: None if e is None or e.low is None else e for name, e in (plain | scores).items()}
        rows = [
            [name, *(number(x, 5) for x in ((None,) * 3 if e is None else (e.value, e.low, e.high)))]
            for name, e in shown.items()
        ]
        level = f"{100 * self.error_a.level:g} %"
        legend = {
            "low": f"from here to high, the {level} interval",
            "": f"Differences are {a} minus {b}: above 0, {b} is better.",
        }
        notes = [f"note: {note}" for note in self.notes]
        title = "Calibration of two models"
        return Table(FIGURE, rows, words=FIGURE[:1], notes=notes, title=title, legend=legend)

    def _columns(self) -> dict[str, Any]:
        """One row per quantity that is known."""
        known = {name: part for name, part in self._parts().items() if part is not None}
        names = [one.name for one in fields(Estimate)]
        columns = {name: [getattr(part, name) for part in known.values()] for name in names}
        ends = {name: [math.nan if end is None else end for end in columns[name]] for name in ("low", "high")}
        return {"quantity": list(known), **columns, **ends}

    @property
    def names(self) -> tuple[str, str]:
        """What the models are called."""
        return self.curves[0].name or "A", self.curves[1].name or "B"

    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw both curves on matplotlib axes (new ones if None); axis as for a curve."""
        from howsure.figures.calibration import draw_comparison

        return draw_comparison(self, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """Both curves, and below them the differences with their intervals, as a matplotlib figure."""
        from howsure.figures.calibration import comparison_figure

        return comparison_figure(self, axis=axis)

    def verdict(self) -> str:
        """Which model is better calibrated, and what an error of 0 means, in a line each."""
        e, (a, b) = self.squared_error_difference, self.names
        if e.low is None or e.high is None:
            said = "Too little data to compare."
        elif e.low > 0:
            said = f"{b} is better calibrated than {a}."
        elif e.high < 0:
            said = f"{a} is better calibrated than {b}."
        else:
            said = "No difference in calibration detected: the interval of the difference of squared errors contains 0."
        zeros = [name for name, one in ((a, self.error_a), (b, self.error_b)) if one.value == 0]
        why = (
            "because the bins differ no more than chance alone would have it: this does not mean a model without error."
        )
        return said + (f"\nThe error of {' and of '.join(zeros)} is 0 {why}" if zeros else "")

    def score_differences(self, named: Callable[[str, str | None], str]) -> dict[str, Estimate]:
        """The differences of the mean scores, by the names that `named` gives to a score and a reduction."""
        of_pairs = {"brier": self.brier_difference, "log_loss": self.log_loss_difference}
        of_classes = {"brier": self.multiclass_brier_difference, "log_loss": self.multiclass_log_loss_difference}
        known = {named(score, MULTICLASS): found for score, found in of_classes.items() if found is not None}
        return {named(score, self.reduction): found for score, found in of_pairs.items()} | known

    def _parts(self) -> dict[str, Estimate | None]:
        names = ("error_a", "error_b", "squared_error_difference", "error_difference")
        scores = {f"{name}_difference": found for name, found in self.score_differences(score_key).items()}
        return {name: getattr(self, name) for name in names} | scores

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def __repr__(self) -> str:
        shown = "not shown: an error's interval reaches 0" if self.error_difference is None else self.error_difference
        a, b = self.names
        rows = {
            f"calibration error of {a}": str(self.error_a),
            f"calibration error of {b}": str(self.error_b),
            f"difference {a} - {b}": str(shown),
            f"squared errors, {a} - {b}": _fine(self.squared_error_difference),
        }
        rows |= {f"{name}, {a} - {b}": _fine(one) for name, one in self.score_differences(score_words).items()}
        width = max(map(len, rows))
        lines = [f"{name:<{width}}  {text}" for name, text in rows.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _fine(e: Estimate) -> str:
    return UNDEFINED if e.low is None else f"{e.value:+.5f} {interval(e.low, e.high, 5, sign=True)}"


def _several(score: str) -> str:
    return f"{score}es" if score.endswith("s") else f"{score}s"


def bins_from(binned: Binned, unit: float, standard_error: Floats, low: Floats, high: Floats) -> Bins:
    """The public form of bins, with weights in the user's own `unit`."""
    s = binned.sums
    mean_prob = np.clip(s.q / s.w1, 0.0, 1.0)  # a sum of sums may end 1e-16 outside
    return Bins(s.count, s.w1 * unit, mean_prob, s.y / s.w1, standard_error, low, high, binned.upper)
