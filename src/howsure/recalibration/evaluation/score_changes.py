"""By how much the mean scores fall, with paired jackknife intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from howsure.calibration.estimates.clusters import NOTHING
from howsure.calibration.estimates.paired_jackknife import Units, jackknifed
from howsure.calibration.estimates.score_differences import losses, reach
from howsure.calibration.scores.multiclass import multiclass_losses
from howsure.calibration.scores.score_parts import ProperLoss
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.evaluation.change import Change
from howsure.recalibration.evaluation.held_out import HeldOut, shared_variance
from howsure.stats.estimate import Estimate


def pair_score_change(repeats: Sequence[HeldOut], units: Units, level: float, *, loss: ProperLoss) -> Change:
    """The change of the mean loss of the pairs, the mean over repeated cross-fittings."""
    first = repeats[0]
    far = _reach(first, loss, units, level) if all(one.same_labels() for one in repeats) else (0.0, 0.0)
    after = [np.stack([losses(pairs, loss) for pairs in one.after]) for one in repeats]
    return _change(losses(first.before, loss), after, [one.fold for one in repeats], units, level, far)


def class_score_changes(repeats: Sequence[HeldOut], units: Units, level: float) -> tuple[Change, Change] | None:
    """The changes of the Brier score and the log loss of all classes; None where these are not known."""
    before = multiclass_losses(repeats[0].before)
    after = [[multiclass_losses(pairs) for pairs in one.after] for one in repeats]
    if before is None or any(losses is None for one in after for losses in one):
        return None
    folds = [one.fold for one in repeats]
    brier, log = (
        _change(
            before[i], [np.stack([losses[i] for losses in one if losses is not None]) for one in after], folds, units,
            level, (0.0, 0.0),
        )
        for i in range(2)
    )  # fmt: skip
    return brier, log


def _reach(held: HeldOut, loss: ProperLoss, units: Units, level: float) -> tuple[float, float]:
    """How far the interval must reach where labels hardly vary."""
    own, ends = held.own, (np.ones(len(held.before)), np.zeros(len(held.before)))
    with np.errstate(invalid="ignore"):
        of_one, of_zero = (
            loss.expected(held.before.probabilities, label) - loss.expected(own.probabilities, label) for label in ends
        )
        return reach(held.before, own, of_one - of_zero, units, level)


def _change(
    before: Floats, after: list[Floats], folds: list[Integers], units: Units, level: float, far: tuple[float, float]
) -> Change:
    """The change of a loss: of each row before, and after each map (maps, n), by repetition."""
    n, weight = len(before), units.weight
    own = np.mean([one[fold, np.arange(n)] for one, fold in zip(after, folds, strict=True)], axis=0)
    with np.errstate(invalid="ignore"):
        gain = before - own
        means = [float(np.sort(weight * one).sum() / np.sort(weight).sum()) for one in (before, own)]
    by_w, by_u = units.sums(weight), units.sums(weight * np.where(np.isfinite(gain), gain, 0.0))
    total_w, total = by_w.sum(), by_u.sum()
    if not np.isfinite(gain).all() or by_w.max() >= (1 - NOTHING) * total_w:
        return Change(means[0], means[1], Estimate(math.nan, None, None, level, "jackknife", n))
    rest = np.where((by_w > 0) & (by_w < total_w), total_w - by_w, np.nan)
    shared = [shared_variance(_by_map(one, fold, weight)) for one, fold in zip(after, folds, strict=True)]
    improvement = jackknifed(
        float(total / total_w), (total - by_u) / rest, level=level, n=n, units=units, reach=far,
        beside=float(np.mean(shared)),
    )  # fmt: skip
    return Change(means[0], means[1], improvement)


def _by_map(after: Floats, fold: Integers, weight: Floats) -> Floats:
    """Minus the loss of each map in each fold, over the weight of all rows; infinite ones say nothing."""
    table = np.zeros((len(after), len(after)))
    for other, loss in enumerate(after):
        finite = np.where(np.isfinite(loss), weight * loss, 0.0)
        table[:, other] = -np.bincount(fold, weights=finite, minlength=len(after)) / weight.sum()
    return table
