"""The paired bootstrap: replicates of both systems on the same draws, their p-value and interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.resampling.bootstrap_weights import bootstrap_weights
from howsure.significance.resampling.units import Units

Values = tuple[Floats, Floats]
Booleans = npt.NDArray[np.bool_]
JACKKNIFE_ROWS = 1 << 14
COPIES = 1e6
CLOSE = 1e-12  # differences that only rounding tells apart are equal


def observed_values(units: Units, metrics: Sequence[Metric], *, copies: float = 1) -> list[tuple[float, float]]:
    """For each metric, the values of the first and of the second system, as if every row occurred `copies` times."""
    counts = copies * units.counts[None].astype(np.float64)
    held = _values(units, metrics, counts, None)
    return [(float(first[0]), float(second[0])) for first, second in held]


def bootstrap_values(
    units: Units, metrics: Sequence[Metric], n_resamples: int, rng: np.random.Generator, *, size: int | None = None
) -> list[Values]:
    """For each metric, the values of the first and of the second system in every replicate."""
    out = [(np.empty(n_resamples), np.empty(n_resamples)) for _ in metrics]
    start = 0
    for weights in bootstrap_weights(units, n_resamples, rng, size=size):
        stop = start + len(weights)
        drawn = _drawn_runs(units, len(weights), rng)
        for (first, second), (a, b) in zip(out, _values(units, metrics, weights, drawn), strict=True):
            first[start:stop], second[start:stop] = a, b
        start = stop
    return out


def drift(units: Units, metric: Metric, difference: float) -> float:
    """The offset of the replicates' centre from the difference; the centre is the difference of the rows taken as a
    population.

    A metric that is not scale-free removes the noise of n rows, and a replicate that of its own n rows, but these are
    drawn from rows that still contain their noise.
    """
    if metric.scale_free:
        return 0.0
    first, second = observed_values(units, [metric], copies=COPIES)[0]
    return second - first - difference


def shift_p_value(replicates: Floats, difference: float, alternative: str) -> tuple[float, float]:
    """The p-value of no difference, and its Monte Carlo error: (c + 1)/(B + 1), where c counts the replicates at least
    as far from the difference as the difference is from 0. `replicates` and `difference` are signed so that higher is
    better."""
    shifted = replicates - difference
    return counted_p_value(at_least_as_extreme(shifted, difference, alternative))


def at_least_as_extreme(null: Floats, difference: float, alternative: str, *, close: float = CLOSE) -> Booleans:
    """Which draws under no difference are at least as extreme as the observed one; undefined draws count as extreme."""
    slack = close * max(1.0, abs(difference))
    if alternative == "two-sided":
        inner = np.abs(null) < abs(difference) - slack
    elif alternative == "better":
        inner = null < difference - slack
    else:
        inner = null > difference + slack
    return ~inner


def counted_p_value(extreme: Booleans) -> tuple[float, float]:
    """(c + 1)/(B + 1) for c extreme draws among B (Davison & Hinkley 1997), and its standard error."""
    p = (int(extreme.sum()) + 1) / (len(extreme) + 1)
    return p, float(np.sqrt(p * (1 - p) / (len(extreme) + 1)))


def interval_of(
    replicates: Floats, difference: float, level: float, method: str, jackknife: tuple[Floats, Floats] | None = None
) -> tuple[float, float]:
    """The interval of a difference from its defined replicates: `basic`, `percentile` or `bca`."""
    defined = replicates[np.isfinite(replicates)]
    if len(defined) == 0:
        return np.nan, np.nan
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca" and jackknife is not None:
        tails = _bca_tails(defined, difference, tails, jackknife)
    low, high = np.quantile(defined, tails)
    if method == "basic":
        low, high = 2 * difference - high, 2 * difference - low
    return float(low), float(high)


def jackknife_values(units: Units, metrics: Sequence[Metric], *, share: float = 1.0) -> list[tuple[Floats, Floats]]:
    """For each metric, the differences with a share of one unit left out, and the number of units each represents.

    With several strata, the rest of the unit's stratum replaces it.
    """
    several = len(units.starts) > 1
    stratum = np.repeat(np.arange(len(units.starts)), np.diff(units.starts, append=len(units)))
    sums = np.add.reduceat(units.counts[:, None] * units.sums, units.starts, axis=0)
    out: list[list[Floats]] = [[] for _ in metrics]
    for start in range(0, len(units), JACKKNIFE_ROWS):
        rows = slice(start, start + JACKKNIFE_ROWS)
        m, own = units.stratum_sizes[rows, None], sums[stratum[rows]]
        rest = (own - share * units.sums[rows]) * (m / (m - share) if several else 1.0)
        left = sums.sum(axis=0) - own + rest
        for held, metric in zip(out, metrics, strict=True):
            part = units.parts[metric.rows]
            held.append(metric.value(left[:, units.border :][:, part]) - metric.value(left[:, : units.border][:, part]))
    return [(np.concatenate(held), units.counts.astype(np.float64)) for held in out]


def _bca_tails(replicates: Floats, difference: float, tails: Floats, jackknife: tuple[Floats, Floats]) -> Floats:
    """Efron's bias-corrected and accelerated quantiles."""
    from scipy.special import ndtr, ndtri

    left_out, copies = jackknife
    defined = np.isfinite(left_out)
    left_out, copies = left_out[defined], copies[defined]
    below = np.mean(replicates < difference - CLOSE) + np.mean(np.abs(replicates - difference) <= CLOSE) / 2
    if not 0 < below < 1 or len(left_out) == 0:
        return tails
    bias = ndtri(below)
    gap = np.average(left_out, weights=copies) - left_out
    spread = (copies * gap**2).sum()
    acceleration = (copies * gap**3).sum() / (6 * spread**1.5) if spread > 0 else 0.0
    z = bias + ndtri(tails)
    corrected: Floats = ndtr(bias + z / (1 - acceleration * z))
    return corrected


def _drawn_runs(units: Units, replicates: int, rng: np.random.Generator) -> tuple[Floats, Floats] | None:
    """How often each run of either system is drawn, if runs are resampled as well."""
    if units.runs == (1, 1):
        return None
    first, second = (rng.multinomial(n, np.full(n, 1 / n), size=replicates).astype(np.float64) for n in units.runs)
    return first, second


def _values(
    units: Units, metrics: Sequence[Metric], weights: Floats, drawn: tuple[Floats, Floats] | None
) -> list[Values]:
    both = weights @ units.sums
    sums = [both[:, : units.border], both[:, units.border :]]
    if units.runs != (1, 1):
        times = drawn or [np.ones((len(weights), runs)) for runs in units.runs]
        by_run = [one.reshape(len(one), runs, -1) for one, runs in zip(sums, units.runs, strict=True)]
        sums = [np.einsum("brk,br->bk", one, time) for one, time in zip(by_run, times, strict=True)]
    parts = [units.parts[metric.rows] for metric in metrics]
    return [
        (metric.value(sums[0][:, part]), metric.value(sums[1][:, part]))
        for metric, part in zip(metrics, parts, strict=True)
    ]
