"""For scikit-learn: scorers for `cross_validate`, and a display of a classifier's calibration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.curve import calibration_curve
from howsure.errors import InputError
from howsure.inputs.arguments import check_row_order
from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import TOP_LABEL, Pairs
from howsure.inputs.parameter_types import ArrayLike, Axes, Figure
from howsure.selective.curve import selective_curve
from howsure.show.axes import checks_axes

if TYPE_CHECKING:
    from howsure.calibration.results import CalibrationCurve

__all__ = ["CalibrationDisplay", "Classifier", "ConfidenceScorer", "scorers"]
MEASURES = ("calibration_error", "aurc")


class Classifier(Protocol):
    """A fitted scikit-learn classifier."""

    classes_: Any

    def predict_proba(self, X: Any, /) -> Any:
        """Return the probability of each class (columns) for each row of X."""
        ...


def _pairs(
    estimator: Classifier, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None, *, top: bool = False
) -> Pairs:
    """Return calibration pairs of a classifier's predictions for X.

    For two classes, they are the labels and the probabilities of the second class. For more classes, or with `top`,
    they say whether the predicted class is right, with its probability.
    """
    if not hasattr(estimator, "predict_proba"):
        raise InputError(f"estimator must have predict_proba; {type(estimator).__name__} has none.")
    check_row_order({"X": X, "y": y, "sample_weight": sample_weight})
    classes = list(estimator.classes_)
    reduce = classes[1] if len(classes) == 2 and not top else TOP_LABEL
    probabilities = estimator.predict_proba(X)
    return pairs_from_classes(y, probabilities, classes=classes, reduce=reduce, sample_weight=sample_weight)


@dataclass(frozen=True)
class ConfidenceScorer:
    """A scikit-learn scorer for a measure of confidence, which is negated, because larger scores must be better.

    measure: "calibration_error", the debiased error (`calibration_error`) of the probability of the second of two
    classes or, for more classes, of the predicted class; or "aurc", the area under the risk–coverage curve
    (`selective_curve`) of the predicted class.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(2000, random_state=0)
    >>> -0.3 < ConfidenceScorer("calibration_error")(GaussianNB().fit(X, y), X, y) < 0
    True
    """

    measure: str

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise unknown_name("measure", self.measure, MEASURES, place="a scorer")

    def __call__(self, estimator: Classifier, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        if self.measure == "calibration_error":
            return -calibration_error(_pairs(estimator, X, y, sample_weight)).value
        pairs = _pairs(estimator, X, y, sample_weight, top=True)
        return -selective_curve(pairs).aurc.value


def scorers() -> dict[str, ConfidenceScorer]:
    """Return the scorers by name, for the parameter `scoring` of `cross_validate` and `GridSearchCV`.

    >>> sorted(scorers())
    ['neg_aurc', 'neg_calibration_error']
    """
    return {f"neg_{measure}": ConfidenceScorer(measure) for measure in MEASURES}


@dataclass
class CalibrationDisplay:
    """A calibration curve with its intervals, drawn like scikit-learn's displays.

    curve: the `CalibrationCurve` that is drawn. ax_, figure_: the axes and the figure, after `plot`.

    >>> import numpy as np
    >>> prob = np.random.default_rng(0).random(1000)
    >>> display = CalibrationDisplay.from_predictions(np.random.default_rng(1).random(1000) < prob, prob)
    >>> display.ax_.get_xlabel() != "", len(display.curve.bins) > 5
    (True, True)
    """

    curve: CalibrationCurve
    ax_: Axes | None = field(default=None, repr=False)
    figure_: Figure | None = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Classifier, X: object, y: ArrayLike, *, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Draw the curve of a fitted classifier, for the second of two classes or else for the predicted class."""
        return cls(calibration_curve(_pairs(estimator, X, y))).plot(ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None, ax: Axes | None = None
    ) -> CalibrationDisplay:
        """Draw the curve of labels and probabilities, given as in `calibration_curve`."""
        return cls(calibration_curve(y_true, y_prob, pos_label=pos_label)).plot(ax)

    @checks_axes
    def plot(self, ax: Axes | None = None) -> CalibrationDisplay:
        """Draw the curve, on the given axes or new ones."""
        self.ax_ = self.curve.plot(ax)
        self.figure_ = self.ax_.get_figure(root=True)
        return self
