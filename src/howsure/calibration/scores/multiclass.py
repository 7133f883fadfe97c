"""Scores of the probabilities of several classes, beside those of the pairs made of them, and the names of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.calibration.scores.whole_rows import holds_whole_rows, losses_of_whole_rows
from howsure.calibration.summary.slots import Slots
from howsure.inputs.pairs import Floats, Pairs
from howsure.show.numbers import number
from howsure.stats.estimate import finite_or_none

if TYPE_CHECKING:
    from howsure.calibration.corp.results import CorpCurve
    from howsure.calibration.results import CalibrationCurve

MULTICLASS = "multi-class"
SCORES = {"brier": "Brier score", "log_loss": "log loss"}


@dataclass(frozen=True, slots=True)
class MulticlassScores:
    """Mean scores of the probabilities of K classes; lower is better.

    brier: the mean over the rows of Σ (probability - 1 if the class is the label, else 0)² over the classes, from 0 to
    2. log_loss: the mean of -log P(label), in nats; infinite if a label had the probability 0.
    """

    brier: float
    log_loss: float

    def to_dict(self) -> dict[str, float | None]:
        """The JSON form, by the names that tell them from other scores; infinite values are None."""
        return {score_key(score, MULTICLASS): finite_or_none(getattr(self, score)) for score in SCORES}


def multiclass_scores(pairs: Pairs | Slots) -> MulticlassScores | None:
    """The scores of the classes that pairs were made of; None for pairs that were not, or were changed since."""
    if isinstance(pairs, Slots):
        return MulticlassScores(*losses_of_whole_rows(pairs)) if holds_whole_rows(pairs) else None
    losses = multiclass_losses(pairs)
    if losses is None:
        return None
    brier, log_loss = (_mean(one, pairs.weights) for one in losses)
    return MulticlassScores(brier, log_loss)


def multiclass_losses(pairs: Pairs | Slots) -> tuple[Floats, Floats] | None:
    """The multi-class Brier score and log loss of the row of each pair, where they are known."""
    if not isinstance(pairs, Pairs) or pairs.class_scores is None:
        return None
    scores = pairs.class_scores
    if not scores.are_of(pairs.labels, pairs.probabilities):
        return None
    with np.errstate(divide="ignore"):
        return scores.brier, -np.log(scores.label_probability) + 0.0


def _mean(losses: Floats, weights: Floats | None) -> float:
    """The weighted mean; summed in the order of their size, they give the same in any order of the rows."""
    if weights is None:
        return float(np.sort(losses).sum()) / len(losses)
    with np.errstate(invalid="ignore"):
        weighted = np.where(weights > 0, losses * weights, 0.0)
    return float(np.sort(weighted).sum() / np.sort(weights).sum())


def score_key(score: str, reduction: str | None) -> str:
    """The name of a score in JSON: it says how several classes were reduced to pairs, or that it is of all classes.

    >>> score_key("brier", "top-label"), score_key("log_loss", "multi-class"), score_key("brier", None)
    ('top_label_brier', 'multiclass_log_loss', 'brier')
    """
    return score if reduction is None else f"{reduction.replace(MULTICLASS, 'multiclass').replace('-', '_')}_{score}"


def score_words(score: str, reduction: str | None) -> str:
    """The name of a score in words.

    >>> score_words("brier", "top-label"), score_words("log_loss", None)
    ('top-label Brier score', 'log loss')
    """
    return SCORES[score] if reduction is None else f"{reduction} {SCORES[score]}"


def heading(name: str) -> str:
    """A name as the heading of a column, where "score" says nothing.

    >>> heading("top-label Brier score")
    'top-label Brier'
    """
    return name.removesuffix(" score")


def score_columns(curves: Sequence[CalibrationCurve], *, each: bool = False) -> list[tuple[str, list[float | None]]]:
    """The columns of a table: the scores by name, of every curve that has one of that name.

    Scores of all classes that are the same for every class are left to `scores_of_all_classes`, unless `each` curve is
    to have them.
    """
    held = [_named(curve, alone=each or not _shared(curves)) for curve in curves]
    names = sorted(dict.fromkeys(name for one in held for name in one), key=lambda name: MULTICLASS in name)
    return [(heading(name), [one.get(name) for one in held]) for name in names]


def scores_of_all_classes(curves: Sequence[CalibrationCurve]) -> list[str]:
    """The scores of all classes in a sentence, where the curves are of the classes of the same rows."""
    if not _shared(curves):
        return []
    assert curves[0].multiclass is not None
    brier, log_loss = curves[0].multiclass.brier, curves[0].multiclass.log_loss
    return [
        f"All classes together: {score_words('brier', MULTICLASS)} {number(brier)} (sum over the classes), "
        f"{score_words('log_loss', MULTICLASS)} {number(log_loss)}."
    ]


def base_rate_words(curves: Sequence[CalibrationCurve | CorpCurve]) -> str:
    """What the frequency of label 1 is: of first choices, the accuracy."""
    return "accuracy" if all(curve.reduction == "top-label" for curve in curves) else "base rate"


def _shared(curves: Sequence[CalibrationCurve]) -> bool:
    """Whether several curves are of the classes of the same rows."""
    return len(curves) > 1 and all(one.reduction == "class-wise" and _same(one, curves[0]) for one in curves)


def _same(one: CalibrationCurve, other: CalibrationCurve) -> bool:
    if one.multiclass is None or other.multiclass is None:
        return False
    return all(math.isclose(getattr(one.multiclass, score), getattr(other.multiclass, score)) for score in SCORES)


def _named(curve: CalibrationCurve, *, alone: bool) -> dict[str, float]:
    """The scores of a curve by their names in words; `alone`: also those of all classes."""
    named = {score_words(score, curve.reduction): getattr(curve, score).score for score in SCORES}
    if curve.multiclass is not None and alone:
        named |= {score_words(score, MULTICLASS): getattr(curve.multiclass, score) for score in SCORES}
    return named
