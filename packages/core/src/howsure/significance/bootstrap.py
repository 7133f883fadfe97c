"""The paired bootstrap: replicates of both systems on the same draws, their p-value and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Integers
from howsure.significance.metrics.metric import Floats, Metric
from howsure.significance.units import Units, merge_equal
from howsure.stats import clusters

# Bootstrap weights: how often each unit is drawn, replicate by replicate.

CHUNK_CELLS = 1 << 20  # weights in memory at once: 8 MB
ROWS_A_UNIT = 8  # with fewer rows per unit, drawing the rows and counting them is fastest
FEW_UNITS = 20  # up to so many and half the root of the rows, numpy's multinomial is
SPARE = 5.0  # standard deviations by which the total of Poisson draws is kept below the rows wanted


def bootstrap_weights(
    units: Units, n_resamples: int, rng: np.random.Generator, *, size: int | None = None
) -> Iterator[Floats]:
    """Draw rows with replacement, from every stratum as many as it has (or `size` in total), as arrays (replicates,
    units).

    The counts of the units in a draw are multinomial, generated in whichever of three exact ways is fastest: rows drawn
    and counted, numpy's multinomial, or Poisson counts of nearly as many rows (which are multinomial given their total)
    and the rest drawn as rows.
    """
    chunk = max(1, min(n_resamples, CHUNK_CELLS // len(units)))
    ends = [*units.starts[1:].tolist(), len(units)]
    strata = [slice(a, b) for a, b in zip(units.starts.tolist(), ends, strict=True)]
    small = [
        stratum for stratum in strata if units.counts[stratum].sum() < ROWS_A_UNIT * (stratum.stop - stratum.start)
    ]
    together = _Together(units.counts, small) if len(strata) > 1 and small else None
    for start in range(0, n_resamples, chunk):
        weights = np.zeros((min(chunk, n_resamples - start), len(units)))
        if together is not None:
            together.draw(weights, rng)
        for columns in strata if together is None else (stratum for stratum in strata if stratum not in small):
            counts = units.counts[columns]
            _draw(counts, weights[:, columns], rng, int(counts.sum()) if size is None else size)
        yield weights


class _Together:
    """Small strata, drawn together: from each, as many rows as it has."""

    def __init__(self, counts: Integers, strata: Sequence[slice]) -> None:
        sizes = np.array([counts[stratum].sum() for stratum in strata])
        places = np.concatenate([np.arange(stratum.start, stratum.stop) for stratum in strata])
        self._unit_of_row = np.repeat(places, counts[places])
        self._size, self._first = np.repeat(sizes, sizes), np.repeat(np.cumsum(sizes) - sizes, sizes)

    def draw(self, out: Floats, rng: np.random.Generator) -> None:
        at_once = max(1, CHUNK_CELLS // len(self._size))
        for start in range(0, len(out), at_once):
            part = out[start : start + at_once]
            rows = self._first + rng.integers(0, self._size, size=(len(part), len(self._size)))
            cells = self._unit_of_row[rows] + np.arange(len(part))[:, None] * part.shape[1]
            part += np.bincount(cells.ravel(), minlength=part.size).reshape(part.shape)


def _draw(counts: Integers, out: Floats, rng: np.random.Generator, size: int) -> None:
    n, units = int(counts.sum()), len(counts)
    if size < ROWS_A_UNIT * units:
        out[:] = 0.0
        _add_rows(counts, out, rng, np.full(len(out), size))
    elif units < FEW_UNITS + np.sqrt(size) / 2:
        out[:] = rng.multinomial(size, counts / n, size=len(out))
    else:
        rates = counts * ((size - SPARE * np.sqrt(size)) / n)
        out[:] = rng.poisson(rates, size=out.shape)
        while (over := np.flatnonzero(out.sum(axis=1) > size)).size:
            out[over] = rng.poisson(rates, size=(len(over), units))
        _add_rows(counts, out, rng, size - out.sum(axis=1).astype(np.int64))


def _add_rows(counts: Integers, out: Floats, rng: np.random.Generator, numbers: Integers) -> None:
    """Draw the given number of rows for each replicate, and add them to the counts of their units."""
    n = int(counts.sum())
    unit_of_row = None if n == len(counts) else np.repeat(np.arange(len(counts)), counts)
    rows = rng.integers(0, n, size=int(numbers.sum()), dtype=np.uint32)
    ends = np.cumsum(numbers).tolist()
    for start, stop, replicate in zip([0, *ends], ends, out, strict=False):
        drawn = rows[start:stop] if unit_of_row is None else unit_of_row[rows[start:stop]]
        replicate += np.bincount(drawn, minlength=len(counts))


Values = tuple[Floats, Floats]
Booleans = npt.NDArray[np.bool_]
JACKKNIFE_ROWS = 1 << 14
COPIES = 1e6
CLOSE = 1e-12  # differences that only rounding tells apart are equal


def observed_values(units: Units, metrics: Sequence[Metric], *, copies: float = 1) -> list[tuple[float, float]]:
    """For each metric, the values of the first and of the second system, as if every row occurred `copies` times."""
    counts = copies * units.counts[None].astype(np.float64)
    values_by_metric = _values(units, metrics, counts, None)
    return [(float(first[0]), float(second[0])) for first, second in values_by_metric]


def bootstrap_values(
    units: Units, metrics: Sequence[Metric], n_resamples: int, rng: np.random.Generator, *, size: int | None = None
) -> list[Values]:
    """For each metric, the values of the first and of the second system in every replicate."""
    units = merge_equal(units)
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
        m, stratum_sums = units.stratum_sizes[rows, None], sums[stratum[rows]]
        rest = (stratum_sums - share * units.sums[rows]) * (m / (m - share) if several else 1.0)
        left = sums.sum(axis=0) - stratum_sums + rest
        for differences, metric in zip(out, metrics, strict=True):
            part = units.parts[metric.rows]
            differences.append(
                metric.value(left[:, units.border :][:, part]) - metric.value(left[:, : units.border][:, part])
            )
    return [(np.concatenate(differences), units.counts.astype(np.float64)) for differences in out]


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
        by_run = [
            system_sums.reshape(len(system_sums), runs, -1) for system_sums, runs in zip(sums, units.runs, strict=True)
        ]
        sums = [np.einsum("brk,br->bk", run_sums, time) for run_sums, time in zip(by_run, times, strict=True)]
    parts = [units.parts[metric.rows] for metric in metrics]
    return [
        (metric.value(sums[0][:, part]), metric.value(sums[1][:, part]))
        for metric, part in zip(metrics, parts, strict=True)
    ]


# How much wider than its replicates an interval must be, so that it is not too narrow with few or unequal units.
#
# Replicates of m units have (m - 1)/m of the required variance; those of clusters of unequal size have less, since a
# large cluster pulls the difference towards itself. The jackknife, which leaves out each unit in turn, errs on the safe
# side, and its ratio to the linear approximation that a bootstrap follows corrects for this. With few units, the normal
# quantile is too small as well; Student's t replaces it, also for p, with the degrees of freedom of the equivalent
# number of equal-sized clusters (MacKinnon, Nielsen & Webb 2023; Kish 1965). Strata are treated separately.

SMALL = 1e-3  # the share of a unit whose leaving out shows the linear approximation


def quantile_ratio(units: Units, level: float) -> float:
    """The quantile of Student's t over the normal one, for an interval of that level; NaN if there is a single unit."""
    from scipy.special import ndtri, stdtrit

    degrees = degrees_of_freedom(units)
    if degrees == 0:
        return np.nan
    tail = (1 + level) / 2
    return float(stdtrit(degrees, tail) / ndtri(tail))


def student_p_value(p: float, error: float, alternative: str, degrees: float) -> tuple[float, float]:
    """The p-value of Student's t that corresponds to a normal p-value counted on replicates, and its Monte Carlo error.

    2 T(Φ⁻¹(p / 2)), or on one side T(Φ⁻¹(p)), T the CDF of t: in every tail, p increases as the interval that just
    excludes 0 widens. Returned unchanged if there are no degrees of freedom.

    >>> [round(student_p_value(p, 0.0, "two-sided", 5.0)[0], 4) for p in (1.0, 0.05, 0.0001)]
    [1.0, 0.1073, 0.0115]
    """
    if degrees == 0:
        return p, error
    from scipy.special import ndtri, stdtr

    sides = 2 if alternative == "two-sided" else 1
    low, student_p, high = sides * stdtr(degrees, ndtri(np.clip([p - error, p, p + error], 0.0, 1.0) / sides))
    return float(student_p), float(high - low) / 2


def degrees_of_freedom(units: Units) -> float:
    """The degrees of freedom of the equivalent number of equal clusters, stratum by stratum; 0 if there is a single
    unit."""
    if units.counts.sum() == 1:
        return 0.0
    rows, squares = (np.add.reduceat(units.counts * units.rows**power, units.starts) for power in (1, 2))
    return clusters.degrees_of_freedom(rows, squares)


def spread_ratio(units: Units, metric: Metric) -> float:
    """The jackknife's standard error over that of the linear approximation, the bootstrap's; NaN for a single unit."""
    number = units.counts.sum()
    if number == 1:
        return np.nan
    plain = float(np.sqrt(number / (number - 1)))
    if units.runs != (1, 1) or (len(units.starts) == 1 and (units.rows == 1).all()):
        return plain
    first, second = observed_values(units, [metric])[0]
    whole, some = (_spread(units, metric, second - first, share) for share in (1.0, SMALL))
    return float(np.sqrt(whole / some)) if np.isfinite(whole) and some > 0 else plain


def _spread(units: Units, metric: Metric, difference: float, share: float) -> Floats:
    """Σ (m - 1)/m ((difference with a share of one unit left out) - difference)² / share²."""
    values, counts = jackknife_values(units, [metric], share=share)[0]
    m = units.stratum_sizes
    return np.asarray((counts * (m - share) / m * ((values - difference) / share) ** 2).sum())
