"""Proper scores of probabilities, and the parts they are made of: calibration, refinement, and what bins hide.

Theorem 3.4 of Nguyen's thesis splits the expectation of any strictly proper score into calibration and refinement.
With bins there is a third part, what predictions that differ within a bin add (Stephenson, Coelho & Jolliffe 2008), so
that the three add up exactly. Scores are written as losses (lower is better), the negatives of the thesis's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.bins.bins import Binned, bin_pairs, sorted_rows
from howsure.calibration.estimates.error import mean_gaps
from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.inputs.pairs_from import pairs_from

Loss = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class ProperLoss:
    """A strictly proper score as a loss: what a prediction q costs if the label is 1 (`if_true`) and if it is 0.

    >>> spherical = ProperLoss("spherical", lambda q: -q / np.hypot(q, 1 - q), lambda q: -(1 - q) / np.hypot(q, 1 - q))
    """

    name: str
    if_true: Loss
    if_false: Loss

    def expected(self, prediction: Floats, frequency: Floats) -> Floats:
        """f · if_true(q) + (1 - f) · if_false(q), where a factor of 0 silences an infinite loss."""
        with np.errstate(divide="ignore", invalid="ignore"):
            true, false = self.if_true(prediction), self.if_false(prediction)
            return np.where(frequency > 0, frequency * true, 0.0) + np.where(
                frequency < 1, (1 - frequency) * false, 0.0
            )


BRIER = ProperLoss("brier", lambda q: (1 - q) ** 2, lambda q: q**2)
LOG = ProperLoss("log", lambda q: -np.log(q), lambda q: -np.log1p(-q))
LOSSES = {loss.name: loss for loss in (BRIER, LOG)}


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """A mean score and its parts: score = calibration + refinement + within_bin, exactly.

    calibration: what the model loses because frequencies differ from its predictions (0 if calibrated). refinement:
    what remains even if they were mended; small when the bins tell the labels apart. within_bin: what predictions that
    differ within a bin add or save. A score is infinite where a prediction of 0 or 1 is wrong; `infinite_rows` counts
    these.
    """

    score: float
    calibration: float
    refinement: float
    within_bin: float
    infinite_rows: int = 0

    def to_dict(self) -> dict[str, float | int | None]:
        """The JSON form; what is infinite is None."""
        parts = {name: getattr(self, name) for name in ("score", "calibration", "refinement", "within_bin")}
        return {name: value if math.isfinite(value) else None for name, value in parts.items()}


def brier_parts(binned: Binned) -> ScoreParts:
    """The Brier score mean (q - y)² of bins; within_bin is Var(q) - 2 Cov(q, y), averaged over the bins."""
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
    """The logarithmic loss, in nats; its calibration part is the mean Kullback–Leibler divergence of the bins."""
    s = binned.sums
    mean = math.inf if binned.infinite_rows else binned.log_sum / float(s.w1.sum())
    return _parts(LOG, mean, s.q / s.w1, s.y / s.w1, s.w1, binned.infinite_rows)


def _parts(
    loss: ProperLoss, score: float, mean: Floats, frequency: Floats, weight: Floats, infinite: int
) -> ScoreParts:
    share = weight / weight.sum()
    mean, frequency = np.clip(mean, 0.0, 1.0), np.clip(frequency, 0.0, 1.0)  # sums of sums may end 1e-16 outside
    at_mean = float(share @ loss.expected(mean, frequency))
    refinement = float(share @ loss.expected(frequency, frequency))
    within = score - at_mean if math.isfinite(at_mean) else math.nan
    return ScoreParts(score, at_mean - refinement, refinement, within, infinite)


def score_parts(
    y_true: Any,
    y_prob: Any = None,
    *,
    score: str | ProperLoss = "brier",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    data: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> ScoreParts:
    """Split a proper score of predictions into calibration, refinement and a within-bin part.

    y_true (n,) labels, y_prob (n,) probabilities, or `Pairs` in place of both; `score` is "brier", "log" or a
    `ProperLoss`. The other arguments are
    those of `calibration_curve`. With b(i) the bin of row i, p its label frequency and q̂ its mean prediction:
    calibration = mean [L(q̂, p) - L(p, p)], refinement = mean L(p, p), within_bin = mean [L(q_i, y_i) - L(q̂, p)].
    Source: Theorem 3.4 of Nguyen's thesis; the third part after Stephenson, Coelho & Jolliffe (2008).

    >>> parts = score_parts([0, 1, 1, 1], [0.2, 0.2, 0.8, 0.8], bin_size=2)
    >>> round(parts.score, 3), round(parts.calibration, 3), round(parts.refinement, 3), round(parts.within_bin, 3)
    (0.19, 0.065, 0.125, 0.0)

    Raises InputError for bad labels, probabilities or an unknown score.
    """
    loss = LOSSES.get(score) if isinstance(score, str) else score
    if not isinstance(loss, ProperLoss):
        raise InputError(f"score must be 'brier', 'log' or a ProperLoss, not {score!r}")
    pairs = pairs_from(y_true, y_prob, data=data, sample_weight=sample_weight, pos_label=pos_label).that_weigh()
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    if loss is BRIER:
        return brier_parts(binned)
    q, y, w = sorted_rows(pairs)
    losses = loss.expected(q, y.astype(np.float64))
    finite = np.isfinite(losses)
    mean = float(np.average(losses, weights=w)) if finite.all() else math.inf
    s = binned.sums
    return _parts(loss, mean, s.q / s.w1, s.y / s.w1, s.w1, int(np.count_nonzero(~finite)))
