"""Proper scores and their decomposition, for binary problems and for several classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import __version__
from howsure.calibration.bins import Binned, bin_pairs, sorted_rows
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import mean_gaps
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.pairs import CLASS_WISE, Bools, Floats, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Result, as_json
from howsure.show.table import COUNT, NUMBER, Column, number

if TYPE_CHECKING:
    from howsure.calibration.corp import CorpCurve
    from howsure.calibration.results import CalibrationCurve


# Proper scores of probabilities, and their decomposition into calibration, refinement and a within-bin part.
#
# Theorem 3.4 of Nguyen's thesis decomposes the expectation of any strictly proper score into calibration and
# refinement. With bins there is a third part, due to predictions that vary within a bin (Stephenson, Coelho & Jolliffe
# 2008); the three parts add up exactly. Scores here are losses (lower is better), so they have the opposite sign of the
# scores in the thesis.

Loss = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class ProperLoss:
    """A strictly proper score as a loss: the cost of a prediction q if the label is 1 (`if_true`) or 0 (`if_false`).

    >>> spherical = ProperLoss("spherical", lambda q: -q / np.hypot(q, 1 - q), lambda q: -(1 - q) / np.hypot(q, 1 - q))
    """

    name: str
    if_true: Loss
    if_false: Loss

    def expected(self, prediction: Floats, frequency: Floats) -> Floats:
        """Return f · if_true(q) + (1 - f) · if_false(q); a factor of 0 cancels an infinite loss."""
        with np.errstate(divide="ignore", invalid="ignore"):
            true, false = self.if_true(prediction), self.if_false(prediction)
            return np.where(frequency > 0, frequency * true, 0.0) + np.where(
                frequency < 1, (1 - frequency) * false, 0.0
            )


BRIER = ProperLoss("brier", lambda q: (1 - q) ** 2, lambda q: q**2)
LOG = ProperLoss("log", lambda q: -np.log(q), lambda q: -np.log1p(-q))
LOSSES = {loss.name: loss for loss in (BRIER, LOG)}


@dataclass(frozen=True, slots=True, repr=False)
class ScoreParts(Result):
    """A mean score and its components: score = calibration + refinement + within_bin, exactly.

    calibration: the loss due to differences between frequencies and mean predictions of bins (0 if calibrated).
    refinement: the loss that remains after recalibration; small if the bins separate the labels well. within_bin: the
    loss or gain due to predictions that vary within a bin. A log loss is infinite if a prediction of 0 or 1 is wrong;
    infinite_rows: the number of such rows. recipe: the settings of `decompose_score`.
    """

    score: float
    calibration: float
    refinement: float
    within_bin: float
    infinite_rows: int = 0
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def columns(self) -> Sequence[Column]:
        """One row."""
        parts = ("score", "calibration", "refinement", "within_bin")
        return [*(Column(name, NUMBER) for name in parts), Column("infinite_rows", COUNT)]

    @property
    def description(self) -> str:
        """The score, written as the sum of its parts."""
        is_known = math.isfinite(self.calibration)
        of_bins = f"calibration {self.calibration:.4f} + refinement {self.refinement:.4f}"
        if not math.isfinite(self.score):
            rows = f"infinite ({wrong_extremes(self.infinite_rows)})"
            return f"{rows}; of the bins: {of_bins}" if is_known else rows
        sign = "-" if self.within_bin < 0 else "+"
        return f"{self.score:.4f} = {of_bins} {sign} within bins {abs(self.within_bin):.4f}"


def wrong_extremes(rows: int) -> str:
    """Say why a log loss is infinite."""
    return (
        f"{rows:,} predictions of exactly 0 or 1 are wrong" if rows > 1 else "1 prediction of exactly 0 or 1 is wrong"
    )


def is_certain(probabilities: Floats) -> Bools:
    """Whether each probability is exactly 0 or 1: the log loss is infinite if such a prediction is wrong.

    >>> is_certain(np.array([0.0, 0.3, 1.0])).tolist()
    [True, False, True]
    """
    return np.asarray((probabilities == 0.0) | (probabilities == 1.0))


def right_extremes(rows: int) -> str:
    """Say why a log loss that is finite in the sample may be infinite in expectation."""
    are = "predictions are exactly 0 or 1; all are" if rows > 1 else "prediction is exactly 0 or 1; it is"
    return f"{rows:,} {are} right here, but one that is wrong makes the log loss infinite"


def brier_parts(binned: Binned) -> ScoreParts:
    """Decompose the Brier score, mean (q - y)²; within_bin is Var(q) - 2 Cov(q, y), averaged over the bins."""
    s = binned.sums
    total = s.w1.sum()
    frequency = s.y / s.w1
    calibration = float((s.w1 * mean_gaps(s) ** 2).sum() / total)
    refinement = float((s.w1 * frequency * (1 - frequency)).sum() / total)
    variance, covariance = s.qq - s.q**2 / s.w1, s.qy - s.q * s.y / s.w1
    return ScoreParts(
        float(s.uu.sum() / total), calibration, refinement, float((variance - 2 * covariance).sum() / total)
    )


def log_parts(binned: Binned) -> ScoreParts:
    """Decompose the logarithmic loss, in nats; the calibration part is the mean Kullback–Leibler divergence of bins."""
    s = binned.sums
    mean = math.inf if binned.infinite_rows else binned.log_sum / float(s.w1.sum())
    return _parts(LOG, mean, s.q / s.w1, s.y / s.w1, s.w1, binned.infinite_rows)


def _parts(
    loss: ProperLoss, score: float, mean: Floats, frequency: Floats, weight: Floats, infinite: int
) -> ScoreParts:
    share = weight / weight.sum()
    mean, frequency = np.clip(mean, 0.0, 1.0), np.clip(frequency, 0.0, 1.0)  # rounding may exceed [0, 1] by 1e-16
    at_mean = float(share @ loss.expected(mean, frequency))
    refinement = float(share @ loss.expected(frequency, frequency))
    within = score - at_mean if math.isfinite(at_mean) else math.nan
    return ScoreParts(score, at_mean - refinement, refinement, within, infinite)


def decompose_score(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    score: str | ProperLoss = "brier",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    data: Source | IntoFrame | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
) -> ScoreParts:
    """Split a proper score of predictions into calibration, refinement and a within-bin part.

    y_true (n,): labels. y_prob (n,): probabilities. `Pairs` may replace both. score: "brier", "log" or a `ProperLoss`.
    The other arguments are those of `calibration_curve`. Let L be the loss, and p and q̂ the label frequency and mean
    prediction of row i's bin. Then calibration = mean [L(q̂, p) - L(p, p)], refinement = mean L(p, p), and within_bin =
    mean [L(q_i, y_i) - L(q̂, p)]. Source: Theorem 3.4 of Nguyen's thesis; the third part is from Stephenson, Coelho &
    Jolliffe (2008).

    >>> parts = decompose_score([0, 1, 1, 1], [0.2, 0.2, 0.8, 0.8], bin_size=2)
    >>> round(parts.score, 3), round(parts.calibration, 3), round(parts.refinement, 3), round(parts.within_bin, 3)
    (0.19, 0.065, 0.125, 0.0)

    Raises InputError for invalid labels or probabilities, or an unknown score.
    """
    check_arguments(decompose_score, locals())
    loss = LOSSES.get(score) if isinstance(score, str) else score
    if not isinstance(loss, ProperLoss):
        raise InputError(f"score must be 'brier', 'log' or a ProperLoss, not {score!r}")
    pairs = pairs_from(
        y_true, y_prob, data=data, sample_weight=sample_weight, pos_label=pos_label
    ).with_positive_weight()
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    recipe = {"howsure": __version__, **pairs.described, "score": loss.name, "n": len(pairs), "binning": binning}
    recipe |= {"bin_size": binned.bin_size, "n_bins": n_bins, "weighted": pairs.weights is not None}
    return replace(brier_parts(binned) if loss is BRIER else _loss_parts(pairs, binned, loss), recipe=recipe)


def _loss_parts(pairs: Pairs, binned: Binned, loss: ProperLoss) -> ScoreParts:
    """Decompose any proper loss, for pairs in memory."""
    q, y, w = sorted_rows(pairs)
    losses = loss.expected(q, y.astype(np.float64))
    finite = np.isfinite(losses)
    mean = float(np.average(losses, weights=w)) if finite.all() else math.inf
    s = binned.sums
    return _parts(loss, mean, s.q / s.w1, s.y / s.w1, s.w1, int(np.count_nonzero(~finite)))


# Multi-class scores from sums of class-wise pairs. Complete rows have a pair for every class, exactly one with label 1.


def has_complete_rows(slots: Slots) -> bool:
    """Whether the pairs are all classes of complete rows: in each row, probabilities sum to 1 and one label is 1.

    This is inferred from equal sums of predictions and labels (relative difference below 10⁻⁹). For a single class, the
    sums would agree only up to sampling error.
    """
    if slots.reduction != CLASS_WISE or slots.positive is not None:
        return False
    predicted = float((slots.means()[0] * slots.count).sum())
    return math.isclose(predicted, float(slots.count[slots.label == 1].sum()), rel_tol=1e-9)


def losses_of_complete_rows(slots: Slots) -> tuple[float, float]:
    """Return the mean multi-class Brier score and log loss of complete rows; weights by probability are ignored."""
    _, u, variance = slots.means()
    true = slots.label == 1
    right = replace(
        slots,
        slot=slots.slot[true],
        sums=slots.sums[:, true],
        weights=None if slots.weights is None else _unweighted(slots)[:, true],
    )
    rows = len(right)
    brier = float((slots.count * (u * u + variance)).sum()) / rows
    return brier, math.inf if right.infinite_rows else right.log_sum() / rows


def _unweighted(slots: Slots) -> np.typing.NDArray[np.float64]:
    """Return the sums of weights as if every pair had weight 1. Within a slot, all pairs must have equal weight."""
    assert slots.weights is not None
    unit = slots.weights[0] / slots.count
    counts = np.broadcast_to(slots.count, (4, len(slots.slot)))
    return np.concatenate([counts, slots.weights[4:] / unit])


# Multi-class scores, and the names of scores in tables and JSON.

MULTICLASS = "multi-class"
SCORES = {"brier": "Brier score", "log_loss": "log loss"}


@dataclass(frozen=True, slots=True)
class MulticlassScores:
    """Mean scores of the probabilities of K classes; lower is better.

    brier: the mean over rows of Σ_k (p_k - y_k)², where y_k is 1 for the label's class, else 0; from 0 to 2. log_loss:
    the mean of -log P(label), in nats; infinite if a label's class had probability 0.
    """

    brier: float = as_json("multiclass_brier")
    log_loss: float = as_json("multiclass_log_loss")


def multiclass_scores(pairs: Pairs | Slots) -> MulticlassScores | None:
    """Return multi-class scores of the rows from which pairs were made; None if unknown or if pairs were changed."""
    if isinstance(pairs, Slots):
        return MulticlassScores(*losses_of_complete_rows(pairs)) if has_complete_rows(pairs) else None
    losses = multiclass_losses(pairs)
    if losses is None:
        return None
    brier, log_loss = (_mean(loss, pairs.weights) for loss in losses)
    return MulticlassScores(brier, log_loss)


def multiclass_losses(pairs: Pairs | Slots) -> tuple[Floats, Floats] | None:
    """Return the multi-class Brier score and log loss, (n,) each, of each pair's row; None if they are unknown."""
    if not isinstance(pairs, Pairs) or pairs.class_scores is None:
        return None
    scores = pairs.class_scores
    if not scores.match_pairs(pairs.labels, pairs.probabilities):
        return None
    with np.errstate(divide="ignore"):
        return scores.brier, -np.log(scores.label_probability) + 0.0


def _mean(losses: Floats, weights: Floats | None) -> float:
    """Return the weighted mean. The result is exactly the same for any order of rows."""
    if weights is None:
        return _sum_in_any_order(losses) / len(losses)
    with np.errstate(invalid="ignore"):
        weighted = np.where(weights > 0, losses * weights, 0.0)
    return _sum_in_any_order(weighted) / _sum_in_any_order(weights)


def _sum_in_any_order(values: Floats) -> float:
    """Add up nonnegative values to about 2⁻⁸⁰ of the largest, by splitting them into integers of two sizes.

    >>> _sum_in_any_order(np.array([0.1, 0.2, 0.3])), _sum_in_any_order(np.array([1.0, np.inf]))
    (0.6, inf)
    """
    largest, bits = float(values.max(initial=0.0)), 61 - len(values).bit_length()
    if largest in (0.0, math.inf):
        return largest
    unit = 2.0 ** min(bits - math.frexp(largest)[1], 1000)
    rest = values * unit
    whole = np.rint(rest)
    rest -= whole
    rest *= 2.0**bits
    total = (int(whole.astype(np.int64).sum()) << bits) + int(np.rint(rest, out=rest).astype(np.int64).sum())
    return total / (1 << bits) / unit


def score_key(score: str, reduction: str | None) -> str:
    """Return the key of a score in JSON, with a prefix for the reduction of several classes or for multi-class scores.

    >>> score_key("brier", "top-label"), score_key("log_loss", "multi-class"), score_key("brier", None)
    ('top_label_brier', 'multiclass_log_loss', 'brier')
    """
    return score if reduction is None else f"{reduction.replace(MULTICLASS, 'multiclass').replace('-', '_')}_{score}"


def with_score_keys(values: Mapping[str, Any], reduction: str | None) -> dict[str, Any]:
    """Rename the scores in a curve's JSON by `score_key`, and leave out their recipes, which repeat the curve's."""
    scores = {
        key: {name: part for name, part in value.items() if name != "recipe"}
        for key, value in values.items()
        if key.removesuffix("_difference") in SCORES
    }
    return {
        score_key(key, reduction) if key in scores else key: scores.get(key, value) for key, value in values.items()
    }


def score_words(score: str, reduction: str | None) -> str:
    """Return the name of a score in words.

    >>> score_words("brier", "top-label"), score_words("log_loss", None)
    ('top-label Brier score', 'log loss')
    """
    return SCORES[score] if reduction is None else f"{reduction} {SCORES[score]}"


def heading(name: str) -> str:
    """Return the heading of a column: the name without a final "score".

    >>> heading("top-label Brier score")
    'top-label Brier'
    """
    return name.removesuffix(" score")


def score_columns(curves: Sequence[CalibrationCurve], *, each: bool = False) -> list[tuple[str, list[float | None]]]:
    """Return columns of scores for a table: a heading, and a value for each curve (None if it has no such score).

    Multi-class scores that all curves have in common are left out unless `each` is set, because `scores_of_all_classes`
    reports them once.
    """
    scores_of_curves = [_scores_by_name(curve, alone=each or not _are_classes_of_rows(curves)) for curve in curves]
    names = sorted(
        dict.fromkeys(name for scores in scores_of_curves for name in scores), key=lambda name: MULTICLASS in name
    )
    return [(heading(name), [scores.get(name) for scores in scores_of_curves]) for name in names]


def scores_of_all_classes(curves: Sequence[CalibrationCurve]) -> list[str]:
    """Return a sentence with the multi-class scores if the curves are of classes of the same rows; otherwise []."""
    if not _are_classes_of_rows(curves):
        return []
    assert curves[0].multiclass is not None
    brier, log_loss = curves[0].multiclass.brier, curves[0].multiclass.log_loss
    return [
        f"All classes together: {score_words('brier', MULTICLASS)} {number(brier)} (sum over the classes), "
        f"{score_words('log_loss', MULTICLASS)} {number(log_loss)}."
    ]


def base_rate_words(curves: Sequence[CalibrationCurve | CorpCurve]) -> str:
    """Return the name of the frequency of label 1: "accuracy" for top-label pairs, otherwise "base rate"."""
    return "accuracy" if all(curve.reduction == "top-label" for curve in curves) else "base rate"


def _are_classes_of_rows(curves: Sequence[CalibrationCurve]) -> bool:
    """Whether there are several curves of classes of the same rows, so that their multi-class scores are equal."""
    return len(curves) > 1 and all(curve.reduction == "class-wise" and _same(curve, curves[0]) for curve in curves)


def _same(calibration_curve: CalibrationCurve, other: CalibrationCurve) -> bool:
    if calibration_curve.multiclass is None or other.multiclass is None:
        return False
    return all(
        math.isclose(getattr(calibration_curve.multiclass, score), getattr(other.multiclass, score)) for score in SCORES
    )


def _scores_by_name(curve: CalibrationCurve, *, alone: bool) -> dict[str, float]:
    """Return the scores of a curve by name; with `alone`, also the multi-class scores."""
    named = {score_words(score, curve.reduction): getattr(curve, score).score for score in SCORES}
    if curve.multiclass is not None and alone:
        named |= {score_words(score, MULTICLASS): getattr(curve.multiclass, score) for score in SCORES}
    return named
