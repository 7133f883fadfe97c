"""Errors and scores before and after recalibration, on rows that the map was not fitted to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.bins import Sums, bin_pairs, sorted_rows, sums_of_rows
from howsure.calibration.calibration_errors import debiased_estimate
from howsure.calibration.clustered_error import clustered_mse, clustered_value, without_each_cluster
from howsure.calibration.curve import binned_curve
from howsure.calibration.differences import (
    Units,
    certain_classes,
    certain_pairs,
    jackknifed,
    label_shifts,
    losses,
    mean_difference,
    reach,
    undefined_difference,
    zero_classes,
)
from howsure.calibration.scores import BRIER, LOG, ProperLoss, multiclass_losses, right_extremes, wrong_extremes
from howsure.calibration.squared_error import ClusterSums, SquaredError, cluster_sums, debiased_mse
from howsure.errors import InputError
from howsure.inputs.classes import reduced
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import TOP_LABEL, Floats, Integers, Pairs
from howsure.recalibration.evaluation_results import Change, RecalibrationEvaluation
from howsure.recalibration.map_input import Labelled
from howsure.stats.clusters import few_clusters

# Rows before and after recalibration by maps that were fitted without them, and the variance of cross-fitting.


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Pairs before and after recalibration by each of several maps.

    before: the pairs of label and probability before recalibration. after[k]: all pairs after the map that was fitted
    without the rows of fold k. fold (n,): the fold of each row; 0 for all rows if a single map was fitted to other
    data.
    """

    before: Pairs
    after: Sequence[Pairs]
    fold: Integers

    @property
    def folds(self) -> int:
        """The number of folds."""
        return len(self.after)

    @property
    def own(self) -> Pairs:
        """Return the pairs after recalibration, each by the map that was fitted without the row."""
        first = self.after[0]
        if self.folds == 1:
            return first
        scores = first.class_scores
        if scores is not None:
            class_scores = [pairs.class_scores for pairs in self.after]
            parts = {
                f.name: self._chosen([getattr(scores_of_map, f.name) for scores_of_map in class_scores])
                for f in fields(scores)
            }
            scores = replace(scores, **parts)
        labels = self._chosen([pairs.labels for pairs in self.after])
        chosen = self._chosen([pairs.probabilities for pairs in self.after])
        return replace(first, labels=labels, probabilities=chosen, class_scores=scores)

    def same_labels(self) -> bool:
        """Whether recalibration changes no label of a pair; with several classes, whether the first choice is right."""
        return all(np.array_equal(pairs.labels, self.before.labels) for pairs in self.after)

    def _chosen(self, columns: Sequence[Any]) -> Any:
        chosen = np.empty_like(columns[0])
        for k, column in enumerate(columns):
            chosen[self.fold == k] = column[self.fold == k]
        return chosen


def shared_variance(by_map: Floats) -> float:
    """Return the variance that is added to a cross-fitted sum because the maps of different folds share rows.

    by_map (K, K): entry (k, l) is the gain on fold k by the map that was fitted without fold l. The cross-fitted sum is
    the sum of the entries (k, k). To second order, it deviates from its estimand by Σ_k S_k' A Σ_{l≠k} S_l, where S_k
    is the noise of fold k. This deviation has the variance 2 K (K - 1) v, where v is the variance of S_k' A S_l. One
    half is already part of the variance between rows given their maps. This function returns the other half. v is
    estimated by the variance of the entries (k, l) over the maps l ≠ k. The result only matters if almost nothing is
    gained or lost: without it, intervals would then cover in only four of five data sets.
    """
    k = len(by_map)
    if k < 3:
        return 0.0
    others = by_map[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    return k * (k - 1) * float(others.var(axis=1, ddof=1).mean())


ROUNDING = 1e-12  # names of losses
NEVER_CERTAIN = "platt or beta"  # methods whose probabilities lie strictly between 0 and 1


# The decrease of the mean scores, with paired jackknife intervals.


def pair_score_change(repeats: Sequence[HeldOut], units: Units, level: float, *, loss: ProperLoss) -> Change:
    """Return the change of the mean loss of the pairs, averaged over repeated cross-fittings."""
    first = repeats[0]
    before, held_out, far = first.before, first.own, (0.0, 0.0)
    if all(repeat.same_labels() for repeat in repeats):
        far = reach(before, held_out, label_shifts(before, held_out, loss), units, level)
    after = [np.stack([losses(pairs, loss) for pairs in repeat.after]) for repeat in repeats]
    infinite = loss is LOG and any(map(certain_pairs, (before, *(repeat.own for repeat in repeats))))
    return _change(
        losses(before, loss), after, [repeat.fold for repeat in repeats], units, level, far, infinite=infinite
    )


def class_score_changes(repeats: Sequence[HeldOut], units: Units, level: float) -> tuple[Change, Change] | None:
    """Return the changes of the Brier score and of the log loss over all classes; None unless the probabilities of all
    classes are known.
    """
    before = multiclass_losses(repeats[0].before)
    after = [[multiclass_losses(pairs) for pairs in repeat.after] for repeat in repeats]
    if before is None or any(losses is None for by_map in after for losses in by_map):
        return None
    folds = [repeat.fold for repeat in repeats]
    infinite = any(map(certain_classes, (repeats[0].before, *(repeat.own for repeat in repeats))))
    brier, log = (
        _change(
            before[i],
            [np.stack([losses[i] for losses in by_map if losses is not None]) for by_map in after],
            folds,
            units,
            level,
            (0.0, 0.0),
            infinite=infinite and i == 1,
        )
        for i in range(2)
    )
    return brier, log


def _change(
    before: Floats,
    after: list[Floats],
    folds: list[Integers],
    units: Units,
    level: float,
    far: tuple[float, float],
    *,
    infinite: bool,
) -> Change:
    """Return the change of a mean loss with its interval.

    before: the loss of each row before recalibration. after: for each repetition, the losses after each map (maps, n).
    infinite: whether the expected loss may be infinite, which makes the improvement undefined.
    """
    n, weight = len(before), units.weight
    held_out = np.mean([losses[fold, np.arange(n)] for losses, fold in zip(after, folds, strict=True)], axis=0)
    with np.errstate(invalid="ignore"):
        gain = before - held_out
        gain[np.abs(gain) <= ROUNDING * before] = 0.0  # rounding error of a map that changes nothing
        means = [float(np.sort(weight * losses).sum() / np.sort(weight).sum()) for losses in (before, held_out)]
    if infinite:
        return Change(means[0], means[1], undefined_difference(n, level))
    shared = [shared_variance(_losses_by_map(losses, fold, weight)) for losses, fold in zip(after, folds, strict=True)]
    return Change(means[0], means[1], mean_difference(gain, units, level, far, extra_variance=float(np.mean(shared))))


def _losses_by_map(after: Floats, fold: Integers, weight: Floats) -> Floats:
    """The negative loss (K, K) on each fold of each map, divided by the weight of all rows, without infinite losses."""
    table = np.zeros((len(after), len(after)))
    for other, loss in enumerate(after):
        finite = np.where(np.isfinite(loss), weight * loss, 0.0)
        table[:, other] = -np.bincount(fold, weights=finite, minlength=len(after)) / weight.sum()
    return table


# The decrease of the squared calibration error, from pairs of rows in the same fold.

ROWS_PER_VALUE = 5  # each distinct prediction is a bin if a fold has at least this many rows per distinct prediction


@dataclass(frozen=True, slots=True)
class Judged:
    """The debiased squared calibration error of pairs, the inner edges of their bins, sums by unit, bin and fold."""

    squared: SquaredError
    edges: Floats
    cells: ClusterSums


def squared_error_change(repeats: Sequence[HeldOut], units: Units, level: float) -> tuple[Change, SquaredError]:
    """The squared calibration error before and after recalibration, averaged over repeated cross-fittings.

    Returns both errors and their difference, and the error after recalibration with the figures for its interval.
    """
    before, after = (
        [_judged(getattr(repeat, when), repeat.fold, units) for repeat in repeats] for when in ("before", "own")
    )
    values = [float(np.mean([error.squared.value for error in each])) for each in (before, after)]
    without = [np.mean([without_each_cluster(error.cells) for error in each], axis=0) for each in (before, after)]
    tables = [_errors_by_map(pairs, error.edges, units) for pairs, error in zip(repeats, after, strict=True)]
    improvement = jackknifed(
        values[0] - values[1],
        without[0] - without[1],
        level=level,
        n=len(units.weight),
        units=units,
        extra_variance=float(np.mean([shared_variance(table) for table in tables])),
    )
    return Change(values[0], values[1], improvement), _mean([error.squared for error in after], repeats[0].folds)


def _mean(errors: Sequence[SquaredError], folds: int) -> SquaredError:
    """Return the mean of the squared errors of repeated cross-fittings, with its variance.

    The variance under perfect calibration (`least`) comes from products of the noise of two rows in one fold. Two
    repetitions share a proportion 1 / `folds` of these products, so averaging reduces this component of the variance.
    The rest of the variance is the same for the mean as for a single repetition.
    """
    shared = (1 + (len(errors) - 1) / folds) / len(errors)
    mean = {
        f: float(np.mean([getattr(error, f) for error in errors]))
        for f in ("value", "variance", "least", "slope_above")
    }
    left = mean["variance"] - (1 - shared) * mean["least"]
    return replace(
        errors[0],
        value=mean["value"],
        variance=left,
        least=shared * mean["least"],
        slope_above=shared * mean["slope_above"],
    )


def _judged(pairs: Pairs, fold: Integers, units: Units) -> Judged:
    """Return the squared error in the bins of the pairs' curve, from pairs of rows in the same bin and fold.

    If each fold's map yields few values, as in histogram binning, each value is a bin.

    A gap is a label minus its probability. The product of the gaps of two rows in one fold is unbiased, because their
    map was fitted to neither row. For two rows in different folds, each row's map was fitted to the other row and is
    biased towards the other row's label, so the product is too small.
    """
    folds = int(fold.max()) + 1
    edges = values[:-1] if (values := _few_values(pairs, fold)) is not None else bin_pairs(pairs).upper[:-1]
    places = _assign_bins(pairs.probabilities, edges) * folds + fold
    filled, cells_of_rows = np.unique(places, return_inverse=True)
    cells = cluster_sums(replace(pairs, clusters=units.code), cells_of_rows, len(filled))
    if units.clustered:
        return Judged(clustered_mse(cells), edges, cells)
    sums = [_sums(pairs.select(np.flatnonzero(fold == k)), edges) for k in range(folds)]
    joined = Sums(*(np.concatenate([getattr(part_sums, f.name) for part_sums in sums]) for f in fields(Sums)))
    return Judged(debiased_mse(joined), edges, cells)


def _few_values(pairs: Pairs, fold: Integers) -> Floats | None:
    """Return the distinct predictions if there are several folds and each fold has few of them; otherwise None.

    A map such as a histogram has few different values, and each value has its own error. If neighbouring values were in
    one bin, their errors would cancel.
    """
    if not fold.any():
        return None
    for k in range(int(fold.max()) + 1):
        fold_probabilities = pairs.probabilities[fold == k]
        if len(np.unique(fold_probabilities)) * ROWS_PER_VALUE > len(fold_probabilities):
            return None
    return np.unique(pairs.probabilities)


def _assign_bins(q: Floats, edges: Floats) -> Integers:
    return np.asarray(np.searchsorted(edges, q, side="left"))


def _sums(part: Pairs, edges: Floats) -> Sums:
    """The sums of a fold's pairs in each of its nonempty bins."""
    q, y, w = sorted_rows(part)
    sums = sums_of_rows(q, y, w).into(_assign_bins(q, edges), len(edges) + 1)
    return sums.select(np.flatnonzero(sums.count))


def _errors_by_map(held_out: HeldOut, edges: Floats, units: Units) -> Floats:
    """Return the negative squared error (K, K) of each map on each fold, times the fold's proportion of the weight. The
    entry is 0 for the map that was fitted without the fold.
    """
    table = np.zeros((held_out.folds, held_out.folds))
    for k in range(held_out.folds) if held_out.folds > 1 else ():
        rows = np.flatnonzero(held_out.fold == k)
        share = units.weight[rows].sum() / units.weight.sum()
        for other in set(range(held_out.folds)) - {k}:
            table[k, other] = -share * _value(held_out.after[other].select(rows), edges, units, rows)
    return table


def _value(part: Pairs, edges: Floats, units: Units, rows: Integers) -> float:
    """The debiased squared calibration error of a fold's pairs in the bins between `edges`; 0 if it is undefined."""
    if units.clustered:
        bins = _assign_bins(part.probabilities, edges)
        filled, bin_index = np.unique(bins, return_inverse=True)
        value = clustered_value(cluster_sums(replace(part, clusters=units.code[rows]), bin_index, len(filled)))
    else:
        value = debiased_mse(_sums(part, edges)).value
    return 0.0 if np.isnan(value) else value


# Errors and scores before and after recalibration, on rows that the map was not fitted to.


def check_margin(margin: float) -> float:
    """Check the smallest calibration error that is worth removing, and return it: a number above 0 and below 1."""
    if isinstance(margin, bool) or not isinstance(margin, (int, float)) or not 0 < margin < 1:
        raise InputError(f"margin must be greater than 0 and less than 1; it is {margin!r}. For example, write 0.01.")
    return float(margin)


def evaluate_fits(
    data: Labelled,
    fitted: Sequence[tuple[Integers, Sequence[Floats]]],
    *,
    method: str,
    level: float,
    margin: float,
    recipe: dict[str, Any],
    notes: Sequence[str] = (),
    name: str | None = None,
) -> RecalibrationEvaluation:
    """Evaluate recalibrated probabilities on checked rows.

    fitted: for each repeated cross-fitting, the fold of each row (n,) and, for each fold k, the probabilities of all
    rows by the map that was fitted without fold k.
    """
    level, margin = check_level(level), check_margin(margin)
    before = judged_pairs(data, data.scores.probabilities)
    repeats = [HeldOut(before, [judged_pairs(data, each) for each in after], fold) for fold, after in fitted]
    held_out = repeats[0].own
    units = Units.of(before, held_out)
    squared, squared_after = squared_error_change(repeats, units, level)
    brier, log_loss = (pair_score_change(repeats, units, level, loss=loss) for loss in (BRIER, LOG))
    of_classes = class_score_changes(repeats, units, level) or (None, None)
    curves = [
        binned_curve(pairs, level=level, name=curve_name)
        for pairs, curve_name in ((before, "before"), (held_out, "after"))
    ]
    error_after = debiased_estimate(squared_after, n=len(data), level=level)
    curves[1] = replace(curves[1], error=error_after, p_value=math.nan)
    return RecalibrationEvaluation(
        error_before=curves[0].error,
        error_after=error_after,
        squared_error=squared,
        brier=brier,
        log_loss=log_loss,
        multiclass_brier=of_classes[0],
        multiclass_log_loss=of_classes[1],
        curves=(curves[0], curves[1]),
        method=method,
        margin=margin,
        n=len(data),
        recipe={"howsure": __version__, "n": len(data), **recipe, "level": level, "margin": margin}
        | {"weighted": data.weights is not None, "clustered": before.clusters is not None},
        notes=(*_notes(before, held_out, units), *notes),
        name=name,
    )


def evaluation_of_map(
    data: Labelled, after: Floats, *, method: str, level: float, margin: float, name: str | None = None
) -> RecalibrationEvaluation:
    """Evaluate a map on rows that it was not fitted to; `after` are the recalibrated probabilities of these rows."""
    recipe: dict[str, Any] = {"method": method, "folds": None}
    fitted = [(np.zeros(len(data), dtype=np.int64), [after])]
    return evaluate_fits(data, fitted, method=method, level=level, margin=margin, recipe=recipe, name=name)


def judged_pairs(data: Labelled, probabilities: Floats) -> Pairs:
    """Return the pairs whose calibration is evaluated.

    These are the labels with the probabilities of label 1. For several classes, they are whether the first choice is
    right, with the probability of the first choice."""
    if data.is_binary:
        return Pairs(
            data.labels.astype(np.uint8),
            probabilities + 0.0,
            data.weights,
            clusters=data.clusters,
            positive=data.positive,
        )
    return reduced(
        data.labels, probabilities, data.classes, reduce=TOP_LABEL, weights=data.weights, clusters=data.clusters
    )


def _notes(before: Pairs, held_out: Pairs, units: Units) -> list[str]:
    few = few_clusters(units.sums(units.weight)) if units.clustered else None
    notes = [] if few is None else [few]
    for when, pairs in (("before", before), ("after", held_out)):
        certain_and_wrong = (pairs.probabilities == 0) & (pairs.labels == 1) | (pairs.probabilities == 1) & (
            pairs.labels == 0
        )
        if certain_and_wrong.any():
            notes.append(
                f"{when} recalibration, {wrong_extremes(int(certain_and_wrong.sum()))}, so the log loss is infinite"
            )
        elif certain := certain_pairs(pairs):
            other = "" if when == "before" else f"use a method that never gives 0 or 1, such as {NEVER_CERTAIN}, or "
            notes.append(
                f"{when} recalibration, {right_extremes(certain)}, so its "
                f"improvement is undefined; {other}judge by the Brier score"
            )
    return [*notes, *zero_classes(before, held_out)]
