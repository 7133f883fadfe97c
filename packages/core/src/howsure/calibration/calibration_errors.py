"""`calibration_error`, the estimates and notes that calibration curves also use, and the intervals of plug-in
errors."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import fields, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from howsure.calibration.binned_test import binned_p_value
from howsure.calibration.bins import Binned, Sums, bin_pairs, bins_of_rows
from howsure.calibration.clustered_error import ROUNDING, cautious_numbers, clustered_mse, clustered_standard_errors
from howsure.calibration.engines.pairs_or_sums import pairs_or_sums, reading_notes
from howsure.calibration.scores import MulticlassScores, has_complete_rows, wrong_extremes
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import (
    ClusterBlock,
    ClusterSums,
    SquaredError,
    cluster_sums,
    debiased_mse,
    exact_interval,
    mean_gaps,
    plugin_mse,
    root,
)
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted
from howsure.inputs.pairs import Floats, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import marked_note
from howsure.result import Estimate, EstimateWithNotes
from howsure.stats.clusters import few_clusters, kish
from howsure.stats.proportions import normal_quantile, t_quantile

INTERVALS = ("debiased", "nguyen-oconnor", "bootstrap", "none")
Interval = tuple[float, float] | tuple[None, None]


def calibration_error(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
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
    """Estimate the calibration error: the root-mean-square gap between mean predictions and label frequencies of bins.

    estimator: "debiased" (default) corrects for the bias due to noise in the frequencies and has a closed-form
    interval. "plugin" is the value of Algorithm 1, which has an interval only with interval="nguyen-oconnor" or
    "bootstrap". The other arguments are explained in `calibration_curve`; y_true may be `Pairs`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(2000)
    >>> print(calibration_error(rng.random(2000) < q**2, q))
    0.1897 [0.1717, 0.2091]

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    check_arguments(calibration_error, locals())
    check_interval(interval)
    pairs = pairs_or_sums(
        y_true,
        y_prob,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        pos_label=pos_label,
        in_memory=interval == "bootstrap",
    )
    whole, pairs = len(pairs), pairs.with_positive_weight() if isinstance(pairs, Pairs) else pairs
    options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
    error = estimate_error(pairs, estimator=estimator, level=check_level(level), rng=rng, whole=whole, **options)
    notes = (*reading_notes(pairs), *(getattr(error, "notes", ()) or _heavy_pair(pairs)))
    return _with_notes(error, notes)


def estimate_error(
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
    """Compute `calibration_error` for pairs of positive weight; `whole` is the number of pairs in the whole input."""
    if estimator not in ("debiased", "plugin"):
        raise InputError(f"estimator must be 'debiased' or 'plugin', not {estimator!r}")
    check_interval(interval)
    bins: Any = {"binning": binning, "bin_size": bin_size, "n_bins": n_bins}
    if estimator == "debiased" and isinstance(pairs, Pairs) and pairs.clusters is not None:
        squared = clustered_mse(cluster_sums(pairs, *bins_of_rows(pairs, **bins)))
        return debiased_estimate(squared, n=len(pairs), level=check_level(level))
    binned = bin_pairs(pairs, whole=whole, **bins)
    if estimator == "debiased":
        of_sums = estimate_squared_error(binned, None)
        estimate = debiased_estimate(of_sums, n=len(pairs), level=check_level(level))
        return _with_notes(estimate, tuple(map(marked_note, weight_notes(of_sums))))
    return plugin_estimates(pairs, binned, interval, check_level(level), generator_from(rng))[0]


def _with_notes(estimate: Estimate, notes: tuple[str, ...]) -> Estimate:
    """Return the estimate with these notes; unchanged without notes."""
    values = {field.name: getattr(estimate, field.name) for field in fields(Estimate)}
    return EstimateWithNotes(**values, notes=notes) if notes else estimate


def check_interval(interval: str) -> None:
    """Raise InputError for an unknown kind of interval."""
    if interval not in INTERVALS:
        raise InputError(f"interval must be one of {', '.join(map(repr, INTERVALS))}, not {interval!r}")


def squared_error(pairs: Pairs | Slots, binned: Binned) -> SquaredError:
    """Return the debiased squared error of bins; its variance allows for clusters if the pairs have them."""
    return estimate_squared_error(binned, sum_clusters(pairs, binned))


def estimate_squared_error(binned: Binned, cells: ClusterSums | None) -> SquaredError:
    """Return the debiased squared error of bins, from the sums of clusters (`cells`) if there are any.

    Its p-value is from the binned test or, with clusters, from sign flips.
    """
    if cells is not None:
        return clustered_mse(cells)
    return replace(debiased_mse(binned.sums), test=partial(binned_p_value, binned))


def sum_clusters(pairs: Pairs | Slots, binned: Binned) -> ClusterSums | None:
    """The sums of each cluster in each bin; None for pairs without clusters."""
    if not isinstance(pairs, Pairs) or pairs.clusters is None:
        return None
    return cluster_sums(pairs, binned.assign_bins(pairs.probabilities), len(binned.sums))


def debiased_estimate(squared: SquaredError, *, n: int, level: float) -> Estimate:
    """Convert a squared error into the debiased error with its interval, on the scale of probabilities."""
    low, high = squared.interval(level)
    if math.isnan(squared.value):
        return Estimate(math.nan, None, None, level, "debiased", n)
    return Estimate(root(squared.value), root(low), min(root(high), 1.0), level, "debiased", n)


def plugin_estimates(
    pairs: Pairs | Slots, binned: Binned, interval: str, level: float, rng: np.random.Generator
) -> tuple[Estimate, Estimate]:
    """Return Algorithm 1's calibration error and its square, with the requested kind of interval (or none)."""
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
                "`interval='bootstrap'` resamples pairs, and a summary has only their sums. Use 'debiased'.", "interval"
            )
        of_error, of_mse = bootstrap_intervals(pairs, binned, level=level, rng=rng)
        method = interval
    n = int(binned.sums.count.sum())
    error = Estimate(math.sqrt(mse), of_error[0], of_error[1], level, method, n)
    return error, Estimate(mse, of_mse[0], of_mse[1], level, method, n)


# The expected calibration error Σ p_b |g_b| of bins, with an interval for its value in the population.

LARGEST_FACTOR, FAR = 1.64, 4.0  # the variance of `cautious_gaps` is at most 1.64 s², and s² for gaps above 4 s


def expected_error(sums: Sums, cells: ClusterSums | None, *, level: float) -> Estimate:
    """Return the plug-in ECE T = Σ p_b |ĝ_b|, with an interval for the population's ECE Σ p_b |g_b| in the same bins.

    ĝ_b is the mean gap of bin b, s_b its standard error and p_b the proportion of the weight in the bin. T is biased
    upwards, by up to 0.8 Σ p_b s_b for a calibrated model, so T ± z · sd would not cover. The upper end is T + z · sd,
    because the expectation of T is at least the ECE. The lower end is L - z · sd, where L = Σ p_b L_b has an
    expectation of at most the ECE. L_b estimates the size of the gap from one half of the bin's pairs and its sign from
    the other half, averaged over all ways to halve the bin (`cautious_gaps`). sd includes the variance of p_b. If
    labels hardly vary, both ends are extended by moving one bin's frequency to the end of its exact interval. With
    clusters, z is Student's with one degree of freedom less than the effective number of clusters.
    """
    share, gap, frequency = sums.w1 / sums.w1.sum(), mean_gaps(sums), sums.y / sums.w1
    value, n = float(share @ np.abs(gap)), int(sums.count.sum())
    if cells is None:
        z, effective, observed_noise = normal_quantile(level), sums.w1**2 / sums.w2, _seen_noise(sums, gap)
        between = max(float(share @ gap**2) - value**2, 0.0) * float(sums.w2.sum() / sums.w1.sum() ** 2)
        variance = float(share**2 @ observed_noise) + between
    else:
        if cells.n_clusters < 2:
            return Estimate(value, None, None, level, "plugin", n)
        z = t_quantile(level, max(kish(cells.by_cluster(lambda block: block.w)) - 1, 1.0))
        effective = cautious_numbers(cells, frequency, clustered_standard_errors(cells))
        observed_noise, variance = clustered_noise(cells, gap)
        between = max(variance - float(share**2 @ observed_noise), 0.0)
    noise = np.maximum(observed_noise, np.maximum(sums.q - sums.qq, 0.0) / sums.w1 / effective)
    factor = np.where(np.abs(gap) < FAR * np.sqrt(noise), LARGEST_FACTOR, 1.0)
    low = float(share @ cautious_gaps(gap, np.sqrt(noise))) - z * math.sqrt(share**2 @ (factor * noise) + between)
    high = value + z * math.sqrt(variance)
    nearer, farther = _rare_label_reach(share, gap, frequency, effective, level)
    low, high = min(low, value - nearer), max(high, value + farther)
    return Estimate(value, max(low, 0.0), min(high, 1.0), level, "split halves", n)


def cautious_gaps(gap: Floats, s: Floats) -> Floats:
    """Estimate |g| without overestimating it on average: |ĝ| (2Φ(|ĝ| / s) - 1) - 2 s φ(ĝ / s).

    This is the mean of sign(ĝ + δ) (ĝ - δ) over δ ~ Normal(0, s²). If ĝ ~ Normal(g, s²), then ĝ + δ and ĝ - δ are
    independent, like estimates from two halves of the data. The expectation of the mean is |g| (2Φ(|g| / (s √2)) - 1),
    which is 0 if the gap is 0, and close to |g| if the gap is large.

    >>> cautious_gaps(np.array([0.0, 0.1, -0.1]), np.array([0.01, 0.01, 0.1])).round(3).tolist()
    [-0.008, 0.1, 0.02]
    """
    from scipy.special import ndtr

    size = np.abs(gap)
    ratio = np.divide(size, s, out=np.full_like(size, np.inf), where=s > 0)
    density = np.exp(-0.5 * np.minimum(ratio, 40.0) ** 2) / math.sqrt(2 * math.pi)
    return np.asarray(size * (2 * ndtr(ratio) - 1) - 2 * s * density)


def _seen_noise(sums: Sums, gap: Floats) -> Floats:
    """The variance of each bin's mean gap, estimated from its pairs; 0 for a bin with a single pair."""
    couples = sums.w1**2 - sums.w2
    squares = np.maximum(sums.u2 - 2 * gap * sums.wwu + gap**2 * sums.w2, 0.0)
    return np.divide(squares, couples, out=np.zeros_like(squares), where=couples > 0)


def clustered_noise(cells: ClusterSums, gap: Floats) -> tuple[Floats, float]:
    """Return the variance of each bin's mean gap, (bins,), and of the plug-in ECE T, by the jackknife over clusters.

    Each cluster contributes Σ_b sign(ĝ_b) Σ w u, summed over all bins, to T. The variance of T is computed from these
    contributions, but is at least the variance that independent bins would give. A cluster is compared with the values
    without it, because a large cluster is close to values that it determines itself.
    """
    weight, many, n = cells.total_w, cells.n_clusters, cells.entries
    total, weights_by_cluster = float(weight.sum()), cells.by_cluster(lambda block: block.w)

    def change(block: ClusterBlock) -> Floats:
        rest = weight[block.bin] - block.w
        is_alone = rest <= ROUNDING * weight[block.bin]
        return (block.u - gap[block.bin] * block.w) / np.where(is_alone, weight[block.bin], rest)

    of_bins = (n - 1) / n * cells.by_bin(lambda block: change(block) ** 2)
    value, sign = float(weight @ np.abs(gap)) / total, np.sign(gap)
    together = cells.by_cluster(lambda block: sign[block.bin] * block.u - value * block.w)
    together /= np.maximum(total - weights_by_cluster, ROUNDING * total)
    signed = (many - 1) / many * float(np.sort(together**2).sum())
    return of_bins, max(signed, float((weight / total) ** 2 @ of_bins))


def _rare_label_reach(
    share: Floats, gap: Floats, frequency: Floats, effective: Floats, level: float
) -> tuple[float, float]:
    """Return how far T can fall and rise if one bin's label frequency moves within its exact interval."""
    low, high = exact_interval(frequency, effective, tail=(1 - level) / 2)
    predicted = frequency + gap
    nearest = np.maximum(np.maximum(predicted - high, low - predicted), 0.0)
    farthest = np.maximum(high - predicted, predicted - low)
    size = np.abs(gap)
    return float(np.max(share * (size - nearest))), float(np.max(share * (farthest - size)))


# Intervals for the value of Algorithm 1: Algorithm 2 of Nguyen & O'Connor (2015), and a bootstrap.

SAMPLES = 10_000  # as in Nguyen & O'Connor (2015)
RESAMPLES = 1_000
NUMBERS_AT_ONCE = 1 << 22


def frequency_errors(sums: Sums) -> Floats:
    """The standard error of each bin's label frequency, √(p̂ (1 - p̂) / m); with weights, m = (Σw)² / Σw²."""
    frequency = sums.y / sums.w1
    return np.sqrt(np.maximum(frequency * (1 - frequency), 0.0) * sums.w2) / sums.w1


def nguyen_oconnor_intervals(sums: Sums, *, level: float, rng: np.random.Generator) -> tuple[Interval, Interval]:
    """Compute Nguyen & O'Connor's (2015) Algorithm 2: intervals of the error and, as in Nguyen's thesis, of its square.

    Each bin's label frequency is redrawn from Normal(p̂, σ̂²), clipped to [0, 1] for the error but not for its square.
    The interval is mean ± z · sd of the resulting values. **It does not cover** the true value, because redrawing adds
    the binomial noise a second time: for a calibrated model, none of the simulated 95% intervals contained it. Use this
    interval for replication only.
    """
    share = sums.w1 / sums.w1.sum()
    predicted, frequency, sigma = sums.q / sums.w1, sums.y / sums.w1, frequency_errors(sums)
    errors, squares = np.empty(SAMPLES), np.empty(SAMPLES)
    step = max(1, NUMBERS_AT_ONCE // len(sums))
    for start in range(0, SAMPLES, step):
        rows = min(step, SAMPLES - start)
        drawn = frequency + sigma * rng.standard_normal((rows, len(sums)))
        squares[start : start + rows] = (predicted - drawn) ** 2 @ share
        errors[start : start + rows] = np.sqrt((predicted - np.clip(drawn, 0.0, 1.0)) ** 2 @ share)
    z = normal_quantile(level)
    ends = [(float(x.mean() - z * x.std(ddof=1)), float(x.mean() + z * x.std(ddof=1))) for x in (errors, squares)]
    return ends[0], ends[1]


def bootstrap_intervals(
    pairs: Pairs, binned: Binned, *, level: float, rng: np.random.Generator
) -> tuple[Interval, Interval]:
    """Compute basic bootstrap intervals of the error and of its square; rows or whole clusters are resampled.

    The bins are fixed. With the squared error T of the data and T* of the draws, the interval of the square is 2T minus
    the quantiles of T*, truncated at 0. Its square root is the interval of the error. Noise in the frequencies adds to
    T, and again to T*. Reflecting the quantiles cancels this bias; the percentile bootstrap would double it.
    """
    cells = cluster_sums(pairs, binned.assign_bins(pairs.probabilities), len(binned.sums))
    n = cells.n_clusters
    if n < 2:
        raise InputError("`interval='bootstrap'` needs at least 2 rows or clusters to draw from", "interval")
    cluster = np.repeat(np.arange(n), cells.column(lambda block: block.length))
    bins, w, u = (cells.column(attrgetter(name)) for name in ("bin", "w", "u"))
    squares = np.empty(RESAMPLES)
    for i in range(RESAMPLES):
        times = np.bincount(rng.integers(n, size=n), minlength=n)[cluster]
        weight = np.bincount(bins, w * times, cells.n_bins)
        gap = np.divide(np.bincount(bins, u * times, cells.n_bins), weight, out=np.zeros_like(weight), where=weight > 0)
        squares[i] = (weight @ gap**2) / weight.sum()
    value = plugin_mse(binned.sums)
    high, low = 2 * value - np.quantile(squares, [(1 - level) / 2, (1 + level) / 2])
    return (root(low), root(high)), (max(float(low), 0.0), max(float(high), 0.0))


# Notes on calibration figures.

LARGE_SHARE = 0.25  # of the weight, in one pair


def error_notes(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, *, weightless: int) -> tuple[str, ...]:
    """Return notes on the pairs, bins, error and scores; `weightless` is the number of pairs of weight 0."""
    notes = list(notes_of_error(pairs, binned, squared, weightless=weightless))
    if (rate := float(binned.sums.y.sum() / binned.sums.w1.sum())) in (0.0, 1.0):
        constant = f"every label is {int(rate)}, so refinement does not show how well labels are separated"
        notes.insert(0, constant)
    if binned.infinite_rows:
        notes.append(f"{wrong_extremes(binned.infinite_rows)}, so the log loss is infinite")
    return tuple(notes)


def weight_notes(squared: SquaredError) -> Iterator[str]:
    """Yield a note on bins in which one pair has most of the weight, so that their error is unknown."""
    if squared.unknown:
        so = "so the error is unknown" if math.isnan(squared.value) else "so the interval allows for any error in them"
        share = f"{squared.unknown:.1%}" if squared.unknown < 0.999 else "over 99.9%"
        yield f"bins in which one pair outweighs the others have {share} of the weight, {so}"


def notes_of_error(pairs: Pairs | Slots, binned: Binned, squared: SquaredError, *, weightless: int) -> Iterator[str]:
    """Yield the notes on the error, without those on scores."""
    if weightless:
        yield f"{counted(weightless, 'pair')} of weight 0 {'is' if weightless == 1 else 'are'} ignored"
    yield from () if squared.unknown else _heavy_pair(pairs)
    if isinstance(pairs, Pairs) and pairs.clusters is not None:
        weights = cluster_weights(pairs)
        yield from [few] if (few := few_clusters(weights)) else []
        if squared.left_out and np.count_nonzero(weights) > 1:
            yield (
                f"{counted(squared.left_out, 'pair is', 'pairs are')} left out of the debiased error: if a bin has "
                "only pairs of one cluster, its noise cannot be estimated"
            )
    elif squared.unknown:
        yield from weight_notes(squared)
    elif squared.left_out:
        yield (
            f"{counted(squared.left_out, 'pair is', 'pairs are')} left out of the debiased error: if a pair is alone "
            "in its bin, or outweighs the others there, the noise of the bin cannot be estimated"
        )
        if 2 * squared.left_out > binned.sums.count.sum():
            yield "most pairs are alone in their bin; use fewer and larger bins"
    if isinstance(pairs, Slots) and has_complete_rows(pairs):
        yield "intervals treat the pairs of a row, one per class, as independent; see docs/language-models.md#intervals"
    if len(binned.sums) == 1:
        yield "there is only one bin, so the error is that of the mean prediction"


def _heavy_pair(pairs: Pairs | Slots) -> Iterator[str]:
    """Yield a note if one pair has more than a quarter of the weight."""
    if isinstance(pairs, Pairs) and pairs.weights is not None:
        share = float(pairs.weights.max() / pairs.weights.sum())
        if share > LARGE_SHARE and len(pairs) > 1:
            yield (
                f"one pair has {share:.0%} of the weight, so the error is mostly that of this pair, and intervals are "
                "too narrow"
            )


def groups_together(pairs: Pairs | Slots) -> str | None:
    """Return a note that pairs of several groups are pooled; None with fewer than two groups."""
    if isinstance(pairs, Slots) or len(pairs.group_names) < 2:
        return None
    return f"{len(pairs.group_names):,} groups are evaluated together; calibration_table evaluates each"


def infinite_classes(scores: MulticlassScores | None) -> tuple[str, ...]:
    """Return a note if the multi-class log loss is infinite because a label's class had probability 0; otherwise ()."""
    if scores is None or math.isfinite(scores.log_loss):
        return ()
    return ("the multi-class log loss is infinite, because a label's class had probability 0",)


def cluster_weights(pairs: Pairs) -> np.typing.NDArray[np.float64]:
    """Return the total weight of each cluster; the pairs must have clusters."""
    assert pairs.clusters is not None
    return np.bincount(pairs.clusters, weights=pairs.weights).astype(np.float64)
