"""`calibration_error`, and the estimates that it shares with the curve."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from howsure.calibration.bins import Binned, bin_pairs
from howsure.calibration.clusters import clustered_mse
from howsure.calibration.engines.pairs_or_sums import pairs_or_sums
from howsure.calibration.error import ClusterSums, SquaredError, cluster_sums, debiased_mse, plugin_mse, root
from howsure.calibration.intervals import bootstrap_intervals, nguyen_oconnor_intervals
from howsure.calibration.slots import Slots
from howsure.errors import InputError, parameter
from howsure.inputs.frames import Source
from howsure.inputs.given import Given
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import Pairs
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.stats.randomness import Randomness, generator_from

INTERVALS = ("debiased", "nguyen-oconnor", "bootstrap", "none")
Interval = tuple[float, float] | tuple[None, None]


def calibration_error(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Given | None = None,
    *,
    estimator: str = "debiased",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    interval: str = "debiased",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> Estimate:
    """The calibration error of predictions: the root-mean-square gap between them and label frequencies.

    estimator: "debiased" (default) is corrected for the bias due to noise in the frequencies and has a closed-form
    interval; "plugin" is Algorithm 1's value, with an interval only for interval="nguyen-oconnor" or "bootstrap". The
    other arguments are those of `calibration_curve`, explained there; y_true may be `Pairs`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(2000)
    >>> print(calibration_error(rng.random(2000) < q**2, q))
    0.1897 [0.1717, 0.2091]

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_interval(interval)
    pairs = pairs_or_sums(
        y_true,
        y_prob,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
        needs_rows=interval == "bootstrap",
    )
    whole, pairs = len(pairs), pairs.that_weigh() if isinstance(pairs, Pairs) else pairs
    options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
    return error_of(pairs, estimator=estimator, level=check_level(level), rng=rng, whole=whole, **options)


def error_of(
    pairs: Pairs | Slots,
    *,
    estimator: str = "debiased",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    interval: str = "debiased",
    level: float = 0.95,
    rng: Randomness = None,
    whole: int = 0,
) -> Estimate:
    """The error of checked pairs that weigh something, of `whole` pairs: the implementation of `calibration_error`."""
    if estimator not in ("debiased", "plugin"):
        raise InputError(f"estimator must be 'debiased' or 'plugin', not {estimator!r}")
    check_interval(interval)
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins, whole=whole)
    if estimator == "debiased":
        return debiased_estimate(squared_error(pairs, binned), n=len(pairs), level=check_level(level))
    return plugin_estimates(pairs, binned, interval, check_level(level), generator_from(rng))[0]


def check_interval(interval: str) -> None:
    """Raise InputError for an interval that does not exist."""
    if interval not in INTERVALS:
        raise InputError(f"interval must be one of {', '.join(map(repr, INTERVALS))}, not {interval!r}")


def squared_error(pairs: Pairs | Slots, binned: Binned) -> SquaredError:
    """The debiased squared error, with clusters if the pairs have them."""
    return squared_error_of(binned, cells_of(pairs, binned))


def squared_error_of(binned: Binned, cells: ClusterSums | None) -> SquaredError:
    """The debiased squared error of bins, from the sums of their clusters if there are any."""
    return debiased_mse(binned.sums) if cells is None else clustered_mse(cells)


def cells_of(pairs: Pairs | Slots, binned: Binned) -> ClusterSums | None:
    """The sums of each cluster in each bin; None for pairs without clusters."""
    if not isinstance(pairs, Pairs) or pairs.clusters is None:
        return None
    return cluster_sums(pairs, binned.bins_of(pairs.probabilities), len(binned.sums))


def debiased_estimate(squared: SquaredError, *, n: int, level: float) -> Estimate:
    """The debiased error with its interval, on the scale of probabilities."""
    low, high = squared.interval(level)
    if math.isnan(squared.value):
        return Estimate(math.nan, None, None, level, "debiased", n)
    return Estimate(root(squared.value), root(low), min(root(high), 1.0), level, "debiased", n)


def plugin_estimates(
    pairs: Pairs | Slots, binned: Binned, interval: str, level: float, rng: np.random.Generator
) -> tuple[Estimate, Estimate]:
    """Algorithm 1's value and its square."""
    mse = plugin_mse(binned.sums)
    of_error: Interval = (None, None)
    of_mse: Interval = (None, None)
    method = "plugin"
    if interval == "nguyen-oconnor":
        of_error, of_mse = nguyen_oconnor_intervals(binned.sums, level=level, rng=rng)
        method = interval
    elif interval == "bootstrap":
        if not isinstance(pairs, Pairs):
            raise InputError(
                f"{parameter('interval', 'bootstrap')} draws pairs anew; these are kept as sums. Use 'debiased'."
            )
        of_error, of_mse = bootstrap_intervals(pairs, binned, level=level, rng=rng)
        method = interval
    n = int(binned.sums.count.sum())
    error = Estimate(math.sqrt(mse), of_error[0], of_error[1], level, method, n)
    return error, Estimate(mse, of_mse[0], of_mse[1], level, method, n)
