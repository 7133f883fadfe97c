"""Is model B better calibrated than model A on the same pairs?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.binning import bin_pairs
from howsure.calibration.clusters import ClusterSums, cluster_sums, clustered_mse, without_each_cluster
from howsure.calibration.error import SquaredError, debiased_mse
from howsure.calibration.judging import debiased_estimate
from howsure.calibration.scores import BRIER, LOG
from howsure.errors import InputError
from howsure.stats.checks import check_labels, check_level, check_probabilities, check_same_length
from howsure.stats.door import columns_of, pairs_from
from howsure.stats.estimate import Estimate
from howsure.stats.pairs import Floats, Integers, Pairs
from howsure.stats.proportions import normal_quantile


@dataclass(frozen=True, slots=True)
class CalibrationComparison:
    """A and B on the same pairs; every difference is A - B, so that positive means that B is better.

    error_a, error_b: debiased errors with intervals. squared_error_difference: of the squared debiased errors, not cut
    at zero. error_difference: of the errors themselves, None unless both are clearly above zero. brier_difference,
    log_loss_difference: of the mean scores (undefined where a loss is infinite).
    """

    error_a: Estimate
    error_b: Estimate
    squared_error_difference: Estimate
    error_difference: Estimate | None
    brier_difference: Estimate
    log_loss_difference: Estimate
    n: int
    recipe: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        names = ("error_a", "error_b", "squared_error_difference", "error_difference", "brier_difference")
        parts = {name: getattr(self, name) for name in (*names, "log_loss_difference")}
        shown = {name: None if part is None else part.to_dict() for name, part in parts.items()}
        return {"recipe": self.recipe, "n": self.n, **shown}

    def __repr__(self) -> str:
        shown = "not shown: an error's interval reaches 0" if self.error_difference is None else self.error_difference
        return "\n".join(
            [
                f"calibration error of A     {self.error_a}",
                f"calibration error of B     {self.error_b}",
                f"difference A - B           {shown}",
                f"squared errors, A - B      {_fine(self.squared_error_difference)}",
                f"Brier score, A - B         {_fine(self.brier_difference)}",
                f"log loss, A - B            {_fine(self.log_loss_difference)}",
            ]
        )


def _fine(e: Estimate) -> str:
    return "undefined" if e.low is None else f"{e.value:+.5f} [{e.low:+.5f}, {e.high:+.5f}]"


def compare_calibration(
    y_true: Any,
    prob_a: Any,
    prob_b: Any,
    *,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    level: float = 0.95,
    data: Any = None,
    y_true_b: Any = None,
) -> CalibrationComparison:
    """The difference in calibration of two models on the same pairs, with paired jackknife intervals.

    y_true (n,), prob_a and prob_b (n,) are predictions for the same rows in the same order; the other arguments are
    those of `calibration_curve`. Where each model has a label of its own, such as whether its own answer is right,
    y_true holds the labels of A and y_true_b (n,) those of B. Each model has its own bins. With T the debiased squared
    error, the difference T_a - T_b is estimated without cutting at zero, its standard error by leaving out one row (or
    cluster) at a time from both; the interval is normal. The difference of the errors follows by the delta method where
    it may.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(5000)
    >>> y = rng.random(5000) < q
    >>> result = compare_calibration(y, q**1.5, q)
    >>> result.squared_error_difference.low > 0, result.error_difference is None
    (True, True)

    Raises InputError naming the parameter, row and value that broke a rule.
    """
    if data is not None:
        y_true, prob_a, prob_b, sample_weight, clusters, y_true_b = columns_of(
            data, y_true=y_true, prob_a=prob_a, prob_b=prob_b, sample_weight=sample_weight, clusters=clusters,
            y_true_b=y_true_b,
        )  # fmt: skip
    level = check_level(level)
    a = pairs_from(
        y_true, prob_a, sample_weight=sample_weight, clusters=clusters, pos_label=pos_label, prob_name="prob_a"
    )
    own = y_true_b is not None
    labels_b = check_labels(y_true_b, pos_label=pos_label, name="y_true_b") if own else a.labels
    check_same_length(y_true=a.labels, y_true_b=labels_b)
    b = Pairs(labels_b, check_probabilities(prob_b, name="prob_b", n=len(a)), a.weights, clusters=a.clusters)
    return compare_pairs(a, b, bin_size=bin_size, n_bins=n_bins, binning=binning, level=level, own_labels=own)


def compare_pairs(
    a: Pairs,
    b: Pairs,
    *,
    bin_size: int | str,
    n_bins: int | None,
    binning: str,
    level: float,
    own_labels: bool = False,
) -> CalibrationComparison:
    """What `compare_calibration` does after the door; with `own_labels`, the labels of the two need not agree."""
    if not own_labels and not np.array_equal(a.labels, b.labels):
        row = int(np.flatnonzero(a.labels != b.labels)[0])
        raise InputError(f"the two models must be judged on the same rows; the label of row {row} differs")
    for name, one, other in (("weight", a.weights, b.weights), ("cluster", a.clusters, b.clusters)):
        _check_same(name, one, other)
    a, b = a.that_weigh(), b.that_weigh()
    units = _units(a, b)
    (squared_a, without_a), (squared_b, without_b) = (_judge(p, units, binning, bin_size, n_bins) for p in (a, b))
    n = len(a)
    estimates = [debiased_estimate(squared, n=n, level=level) for squared in (squared_a, squared_b)]
    difference = _jackknifed(squared_a.value - squared_b.value, without_a - without_b, level, n)
    roots = None
    if all(e.low is not None and e.low > 0 for e in estimates):
        roots = _jackknifed(
            estimates[0].value - estimates[1].value,
            without_a / (2 * estimates[0].value) - without_b / (2 * estimates[1].value), level, n,
        )  # fmt: skip
    brier, log = (_score_difference(a, b, units, loss.expected, level) for loss in (BRIER, LOG))
    recipe = {
        "howsure": __version__,
        "n": n,
        "binning": binning,
        "bin_size": bin_size,
        "n_bins": n_bins,
        "level": level,
    }
    recipe |= {"own_labels": own_labels, "clustered": a.clusters is not None, "weighted": a.weights is not None}
    return CalibrationComparison(estimates[0], estimates[1], difference, roots, brier, log, n, recipe)


def _check_same(name: str, one: Any, other: Any) -> None:
    if (one is None) != (other is None):
        raise InputError(f"the two models must be judged on the same rows; only one of them has a {name}")
    differs = np.flatnonzero(one != other) if one is not None else np.empty(0)
    if len(differs):
        raise InputError(f"the two models must be judged on the same rows; the {name} of row {differs[0]} differs")


def _units(a: Pairs, b: Pairs) -> Integers:
    """What the jackknife leaves out: a cluster, or a row, numbered by its content and not by its place."""
    if a.clusters is not None:
        return a.clusters
    w = np.ones(len(a)) if a.weights is None else a.weights
    units = np.empty(len(a), dtype=np.int64)
    units[np.lexsort((w, b.labels, a.labels, b.probabilities, a.probabilities))] = np.arange(len(a))
    return units


def _judge(
    pairs: Pairs, units: Integers, binning: str, bin_size: int | str, n_bins: int | None
) -> tuple[SquaredError, Floats]:
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    cells = cluster_sums(replace(pairs, clusters=units), binned.bins_of(pairs.probabilities), len(binned.sums))
    squared = debiased_mse(binned.sums) if pairs.clusters is None else clustered_mse(cells)
    return squared, without_each_cluster(cells)


def _jackknifed(value: float, without: Floats, level: float, n: int) -> Estimate:
    """The estimate with the standard error of its leave-one-out values."""
    known = np.sort(without[~np.isnan(without)])
    if len(known) < 2 or math.isnan(value):
        return Estimate(math.nan, None, None, level, "jackknife", n)
    m = len(known)
    reach = normal_quantile(level) * math.sqrt((m - 1) / m * float(((known - known.mean()) ** 2).sum()))
    return Estimate(value, value - reach, value + reach, level, "jackknife", n)


def _score_difference(a: Pairs, b: Pairs, units: Integers, expected: Any, level: float) -> Estimate:
    with np.errstate(invalid="ignore"):
        losses = [expected(one.probabilities, one.labels.astype(np.float64)) for one in (a, b)]
        difference = losses[0] - losses[1]
    if not np.isfinite(difference).all():
        return Estimate(math.nan, None, None, level, "jackknife", len(a))
    cells = _one_bin(a, units, difference)
    total_w, total = cells.w.sum(), cells.u.sum()
    by_w, by_u = cells.by_cluster(cells.w), cells.by_cluster(cells.u)
    rest = np.where((by_w > 0) & (by_w < total_w), total_w - by_w, np.nan)
    return _jackknifed(float(total / total_w), (total - by_u) / rest, level, len(a))


def _one_bin(pairs: Pairs, units: Integers, values: Floats) -> ClusterSums:
    """Sums of w and w · value by unit, in an order that does not depend on that of the rows."""
    w = np.ones(len(values)) if pairs.weights is None else pairs.weights
    order = np.lexsort((w, values, units))
    clusters, w, u = units[order], w[order], (w * values)[order]
    return ClusterSums(np.zeros(len(w), dtype=np.int64), clusters, w, w, u, u, 1, int(clusters.max()) + 1)
