"""Calibration of continuous predictions, from the ranks of true values among posterior draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.calibration.clustered_tests import sign_test
from howsure.errors import InputError, parameter
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import check_clusters
from howsure.inputs.frames import Kind, Rows, Source, not_a_column_name, read_columns
from howsure.inputs.numbers_and_names import (
    MAX_SIMULATIONS,
    check_integer,
    check_level,
    counted,
    is_number,
    parse_number_column,
    shortened,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, Axes, Figure, IntoFrame
from howsure.result import Result
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, digits, p_in_words
from howsure.stats.proportions import t_quantile

# The exact distribution of the largest difference between uniform ranks' cumulative counts and their expectations.

MAX_WORK = 10**8  # multiplications; if more are needed, Massart's bound is used
NEGLIGIBLE = 1e-8  # if P is smaller, 1 - P loses all digits
TAIL = 12.0  # standard deviations beyond which a Poisson probability is negligible


def largest_distance(ranks: Integers, possible: int) -> int:
    """Return max_k |K N_k - n k|, where N_k of the n ranks are below k and K (`possible`) ranks are possible."""
    below = np.cumsum(np.bincount(ranks, minlength=possible))
    return int(np.abs(possible * below - len(ranks) * np.arange(1, possible + 1)).max())


@lru_cache(maxsize=1024)
def distance_tail(distance: int, n: int, possible: int) -> float:
    """Return the exact probability that `largest_distance` of n independent uniform ranks is at least `distance`.

    The counts of ranks are distributed like independent Poisson variables conditional on their sum n. The probability
    of all paths that stay within the distance is computed rank by rank. If this takes more than 10⁸ multiplications, or
    the bound is below 10⁻⁸, the result is the upper bound 2 exp(-2 n d²) with d = distance / (K n) (Massart 1990).

    >>> round(distance_tail(3, 3, 3), 4)  # of the 27 ways, 6 have each rank once
    0.7778
    """
    if distance <= 0:
        return 1.0
    bound = min(1.0, 2 * math.exp(-2 * (distance / possible) ** 2 / n))
    if bound < NEGLIGIBLE or _work(distance, n, possible) > MAX_WORK:
        return bound
    return min(max(1.0 - _distance_probability(distance - 1, n, possible), 0.0), bound)


@lru_cache(maxsize=1024)
def critical_distance(level: float, n: int, possible: int) -> int:
    """Return the smallest distance that is exceeded with probability at most 1 - level."""
    low, high = -1, math.ceil(possible * math.sqrt(n * math.log(2 / (1 - level)) / 2))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if distance_tail(middle + 1, n, possible) <= 1 - level else (middle, high)
    return high


def _distance_probability(reach: int, n: int, possible: int) -> float:
    """Return the probability that no distance is greater than `reach`."""
    first, step = _poisson(n / possible)
    low, state = 0, np.ones(1)
    for k in range(1, possible + 1):
        state, low = np.convolve(state, step), low + first
        bottom, top = -((reach - n * k) // possible), (n * k + reach) // possible
        bottom, top = (n, n) if k == possible else (max(bottom, low), min(top, n))
        state, low = state[max(bottom - low, 0) : max(top - low + 1, 0)], max(bottom, low)
        if not len(state):
            return 0.0
    return float(state[0]) / math.exp(n * math.log(n) - n - math.lgamma(n + 1))


def _poisson(rate: float) -> tuple[int, Floats]:
    """Return the first value of non-negligible Poisson probability, and the probabilities from there on."""
    from scipy.special import gammaln

    reach = TAIL * math.sqrt(rate) + 30
    first = max(int(rate - reach), 0)
    values = np.arange(first, int(rate + reach) + 1)
    return first, np.exp(values * math.log(rate) - rate - gammaln(values + 1))


def _work(distance: int, n: int, possible: int) -> float:
    rate = n / possible
    return 2 * distance * 2 * (TAIL * math.sqrt(rate) + 30)


# Tests of uniform ranks: chi-square of a histogram, and band of the cumulative curve, for independent or clustered
# ranks.

ROUNDING = 1e-8


@dataclass(frozen=True, slots=True)
class RankTests:
    """Statistics, p-values and Monte Carlo errors by test name ("chi-square", "band").

    reach: half the width of the band of the cumulative curve. low, high (bars,): the interval of each bar's count.
    """

    statistics: dict[str, float]
    p_values: dict[str, float]
    p_errors: dict[str, float]
    reach: float
    low: Floats
    high: Floats


def independent_tests(ranks: Integers, edges: Integers, level: float) -> RankTests:
    """Compute both tests for independent ranks 0 … K - 1; edges (B + 1,): the first rank of each bar, and K."""
    from scipy.special import gammaincc
    from scipy.stats import binom

    n, possible = len(ranks), int(edges[-1])
    share = np.diff(edges) / possible
    chi_square = float(((np.histogram(ranks, bins=edges)[0] - n * share) ** 2 / (n * share)).sum())
    distance, unit = largest_distance(ranks, possible), n * possible
    low, high = binom.interval(level, n, share)
    return RankTests(
        {"chi-square": chi_square, "band": distance / unit},
        {
            "chi-square": float(gammaincc((len(share) - 1) / 2, chi_square / 2)),
            "band": distance_tail(distance, n, possible),
        },
        {"chi-square": 0.0, "band": 0.0},
        (critical_distance(level, n, possible) + 0.5) / unit,  # distances are integers
        np.asarray(low, dtype=np.float64),
        np.asarray(high, dtype=np.float64),
    )


def clustered_tests(
    ranks: Integers, edges: Integers, clusters: Integers, *, level: float, times: int, rng: np.random.Generator
) -> RankTests:
    """Compute both tests for ranks in C clusters, with random signs of each cluster's counts minus expectations.

    The interval of a bar uses Student's t with C - 1 degrees of freedom and the variance Σ_c S_c² of the contributions.
    """
    n, possible, number = len(ranks), int(edges[-1]), int(clusters.max()) + 1
    counts = np.bincount(clusters * possible + ranks, minlength=number * possible).reshape(number, possible)
    surprise = counts - np.bincount(clusters)[:, None] / possible
    bars = np.add.reduceat(surprise, edges[:-1], axis=1)
    expected = n * np.diff(edges) / possible
    results = {
        "chi-square": sign_test(bars, lambda rows: rows**2 @ (1 / expected), times=times, rng=rng),
        "band": sign_test(surprise, lambda rows: np.abs(np.cumsum(rows, axis=1)).max(axis=1) / n, times=times, rng=rng),
    }
    reach = t_quantile(level, number - 1) * np.sqrt((bars**2).sum(axis=0))
    return RankTests(
        {name: test.value for name, test in results.items()},
        {name: test.p_value for name, test in results.items()},
        {name: test.p_error for name, test in results.items()},
        min(results["band"].critical(level) * (1 + ROUNDING), 1.0),
        np.maximum(expected - reach, 0.0),
        np.minimum(expected + reach, n),
    )


METHODS = ("chi-square", "band")
MIN_EXPECTED = 5  # true values per bar, for the chi-square test


@dataclass(frozen=True, slots=True, repr=False)
class QuantileCalibration(Result):
    """The result of `quantile_calibration`.

    ranks (n,): the number of draws below each true value, 0 … draws. Histogram: bin_edges (B + 1,) over [0, 1], counts
    (B,), expected (B,) under calibration, and low, high (B,), the interval for each count. Cumulative curve: points
    (P,), cumulative (P,), the proportion of true values with at most that quantile, and the simultaneous band band_low,
    band_high (P,). statistics, p_values, p_errors: the figures of both tests of uniformity by name, "chi-square" of the
    histogram and "band", the largest distance of the cumulative curve from the diagonal. statistic, p_value: the
    figures of the requested `method`. p_errors are Monte Carlo standard errors, 0 without clusters. clusters: the
    number of clusters, or None. tied: the number of true values equal to some draws. recipe: everything needed to
    repeat the analysis.
    """

    ranks: Integers
    bin_edges: Floats
    counts: Integers
    expected: Floats
    low: Floats
    high: Floats
    points: Floats
    cumulative: Floats
    band_low: Floats
    band_high: Floats
    method: str
    statistics: dict[str, float]
    p_values: dict[str, float]
    p_errors: dict[str, float]
    level: float
    n: int
    draws: int
    tied: int
    clusters: int | None
    recipe: dict[str, Any]

    description = ""
    suggested: ClassVar = {"figure": "quantiles.svg"}

    @property
    def statistic(self) -> float:
        """The statistic of the requested method."""
        return self.statistics[self.method]

    @property
    def p_value(self) -> float:
        """The p-value of the requested method."""
        return self.p_values[self.method]

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON: the tests and the histogram."""
        bars = zip(*(getattr(self, c).tolist() for c in ("counts", "expected", "low", "high")), strict=True)
        named = {"statistic": self.statistics, "p_value": self.p_values, "p_error": self.p_errors}
        return {
            "recipe": self.recipe,
            "n": self.n,
            "draws": self.draws,
            "tied": self.tied,
            "clusters": self.clusters,
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "tests": {
                method: {what: results_by_method[method] for what, results_by_method in named.items()}
                for method in METHODS
            },
            "level": self.level,
            "bin_edges": self.bin_edges.tolist(),
            "bins": [dict(zip(("n", "expected", "low", "high"), bar, strict=True)) for bar in bars],
        }

    def columns(self) -> Sequence[Column]:
        """The columns of a table with one row per bar of the histogram."""
        edges = self.bin_edges.tolist()
        spans = [f"{start:.3f}–{end:.3f}" for start, end in pairwise(edges)]
        return [
            Column("quantile", WORDS, values=spans, only=TABLE),
            Column("start", NUMBER, values=self.bin_edges[:-1], only=FRAME),
            Column("end", NUMBER, values=self.bin_edges[1:], only=FRAME),
            Column("counts", COUNT, "truths", values=self.counts),
            Column("expected", digits(1), values=self.expected),
            Column("low", digits(0), values=self.low),
            Column("high", digits(0), values=self.high),
        ]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the histogram of the quantiles on matplotlib axes (new ones if None)."""
        from howsure.figures.distributions import draw_quantiles

        return draw_quantiles(self, ax=ax)

    def figure(self, *, title: str | None = None) -> Figure:
        """The histogram and the cumulative curve side by side, as a matplotlib figure."""
        from howsure.figures.distributions import quantile_figure

        return quantile_figure(self, title=title)

    @property
    def answer(self) -> str:
        """Whether the posteriors are miscalibrated, by the requested test."""
        verdict = (
            "The posteriors are not calibrated: true values are not uniformly distributed among the draws"
            if self.p_value < 1.0 - self.level
            else "No miscalibration of the posteriors is detected"
        )
        return f"{verdict} ({self._in_words(self.method)})."

    def footnotes(self) -> Sequence[str]:
        """The answer, the number of bars outside their intervals, the other test, and the sample size."""
        outside = int(np.count_nonzero((self.counts < self.low) | (self.counts > self.high)))
        together = "" if self.clusters is None else f" in {self.clusters:,} clusters"
        (other,) = set(METHODS) - {self.method}
        return [
            self.answer,
            f"{outside} of {len(self.counts)} bars are outside their {self.level:.0%} interval (low to high).",
            f"By the other test: {self._in_words(other)}.",
            f"{self.n:,} true values{together}, {counted(self.draws, 'draw')} each.",
        ]

    def _in_words(self, method: str) -> str:
        p, statistic = p_in_words(self.p_values[method]), self.statistics[method]
        if method == "band":
            return f"band, largest distance {statistic:.4f}: {p}"
        degrees = "" if self.clusters else f" with {counted(len(self.counts) - 1, 'degree')} of freedom"
        return f"chi-square {statistic:.1f}{degrees}: {p}"


def quantile_calibration(
    y_true: ArrayLike | str,
    draws: ArrayLike | str | Sequence[str],
    *,
    n_bins: int | None = None,
    method: str = "chi-square",
    clusters: ArrayLike | str | None = None,
    n_simulations: int = 999,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> QuantileCalibration:
    """Test posterior draws: if the posterior is calibrated, the rank of the true value among them is uniform.

    y_true (n,): the true values of n quantities.
    draws (n, S): S posterior draws of each quantity; with `data`, one column of lists, or a sequence of columns.
    n_bins: bars of the histogram (default: as many as leave 5 true values per bar, at most 20).
    method: test that gives the p-value: of the histogram (chi-square), or of the cumulative curve (band). clusters
    (n,): the cluster of each quantity, such as its document; errors of a cluster are correlated.
    n_simulations: number of random sign assignments to clusters.
    level: level of the band and the intervals.
    rng: seed of the ranks of ties and the signs of clusters.

    If the true values come from the posteriors, the rank of each among its draws is uniform on {0 … S}; a true value
    equal to some draws gets one of its possible ranks at random. The result contains two tests; `p_value` is that of
    `method`. "chi-square" compares the bars of the histogram and detects posteriors that are too wide or too narrow.
    "band" uses the largest distance of the cumulative curve from the diagonal and detects shifted posteriors. The
    distribution of this distance, and the simultaneous band derived from it, are exact (Massart's bound if n is very
    large); bars have binomial intervals. With clusters, each cluster's counts minus expectations get a random sign,
    `n_simulations` times (or all sign assignments, if these are fewer). This gives p, the band, and the variance of the
    bars.

    >>> rng = np.random.default_rng(0)
    >>> result = quantile_calibration(rng.normal(size=500), rng.normal(size=(500, 99)), rng=0)
    >>> result.p_value > 0.05
    True
    >>> quantile_calibration(2 * rng.normal(size=500), rng.normal(size=(500, 99)), rng=0).p_value < 0.001
    True

    Raises InputError for incompatible shapes, NaN or infinite values, an unknown method, or a single cluster.
    Source: Cook, Gelman & Rubin (2006); ranks instead of quantiles after Talts et al. (2018), since a
    Kolmogorov–Smirnov test of r / S rejects a correct sampler.
    """
    arguments = check_arguments(quantile_calibration, locals())
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    rng = with_seed(rng)
    if data is not None:
        rows = _read_columns(data, y_true, draws, clusters)
        with rows.locating_errors():
            columns = {"y_true": rows["y_true"], "draws": rows["draws"], "clusters": rows.columns.get("clusters")}
            result = quantile_calibration(**arguments | columns | {"data": None})
        return replace(result, recipe={**result.recipe, **rows.provenance})
    samples, values = _check_arrays(y_true, draws)
    level, times = check_level(level), check_integer(n_simulations, name="n_simulations", most=MAX_SIMULATIONS)
    n, s = samples.shape
    codes = _checked_clusters(clusters, n)
    below, equal = (samples < values[:, None]).sum(axis=1), (samples == values[:, None]).sum(axis=1)
    generator = generator_from(rng)
    ranks = below + np.floor(generator.random(n) * (equal + 1)).astype(np.int64)
    edges = np.round(np.linspace(0, s + 1, _number_of_bars(n, s, n_bins) + 1)).astype(np.int64)
    if codes is None:
        test = independent_tests(ranks, edges, level)
    else:
        test = clustered_tests(ranks, edges, codes, level=level, times=times, rng=generator)
    points = np.arange(s + 2) / (s + 1)
    cumulative = np.cumsum(np.bincount(ranks + 1, minlength=s + 2)) / n
    recipe = {"howsure": __version__, "method": method, "bars": len(edges) - 1, "level": level}
    recipe |= {"clustered": codes is not None, "seed": seed_in_recipe(rng)}
    return QuantileCalibration(
        ranks=ranks,
        bin_edges=edges / (s + 1),
        counts=np.histogram(ranks, bins=edges)[0],
        expected=n * np.diff(edges) / (s + 1),
        low=test.low,
        high=test.high,
        points=points,
        cumulative=cumulative,
        band_low=np.maximum(points - test.reach, 0.0),
        band_high=np.minimum(points + test.reach, 1.0),
        method=method,
        statistics=test.statistics,
        p_values=test.p_values,
        p_errors=test.p_errors,
        level=level,
        n=n,
        draws=s,
        tied=int(np.count_nonzero(equal)),
        clusters=None if codes is None else int(codes.max()) + 1,
        recipe=recipe | ({} if codes is None else {"n_simulations": times}),
    )


def _read_columns(data: Any, y_true: Any, draws: Any, clusters: Any) -> Rows:
    """Read the columns of a data frame or of files, by their roles."""
    listed = isinstance(draws, str)
    each = [draws] if listed else list(draws)
    named = {"y_true": [y_true], "draws": each, "clusters": [] if clusters is None else [clusters]}
    for role, columns in named.items():
        for column in columns:
            if not isinstance(column, str):
                raise not_a_column_name(role, column)
    names = [column for columns in named.values() for column in columns]
    if len(set(names)) < len(names):
        *others, last = (parameter(role) for role, columns in named.items() if columns)
        raise InputError(f"{', '.join(others)} and {last} must name each column once; they name {shortened(names)}.")
    kinds = dict.fromkeys(named["clusters"], Kind.VALUES) | {y_true: Kind.NUMBER}
    kinds |= dict.fromkeys(each, Kind.NUMBERS if listed else Kind.NUMBER)
    rows = read_columns(data, kinds, clusters=clusters)
    samples = np.column_stack([rows[column] for column in each]) if not listed else rows[draws]
    if samples.dtype == object:  # lists in a frame
        samples = np.array([list(sample) for sample in samples], dtype=object)
    renamed = {"y_true": rows[y_true], "draws": samples}
    renamed |= {} if clusters is None else {"clusters": parse_number_column(rows[clusters])}
    return replace(rows, columns=renamed)


def _check_arrays(y_true: Any, draws: Any) -> tuple[Floats, Floats]:
    samples, values = (_numbers(values, name) for values, name in ((draws, "draws"), (y_true, "y_true")))
    if samples.ndim != 2 or samples.shape[1] < 1 or samples.shape[0] < 2:
        raise InputError(f"draws must have shape (n, S) with n ≥ 2 quantities and S ≥ 1 draws; it has {samples.shape}")
    if values.shape != samples.shape[:1]:
        raise InputError(
            "{parameter} must have shape ({rows},) like the rows of draws; it has {shape!r}",
            "y_true",
            rows=samples.shape[0],
            shape=values.shape,
        )
    for name, array in (("draws", samples), ("y_true", values)):
        bad = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))
        if len(bad):
            raise InputError("{name} must be finite; {row} is not. Leave such rows out first.", name=name, row=bad[0])
    return samples, values


def _numbers(values: Any, name: str) -> Floats:
    try:
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers, equally many in every row: {error}") from error


def _number_of_bars(n: int, draws: int, requested: int | None) -> int:
    if requested is None:
        return max(2, min(20, n // MIN_EXPECTED, draws + 1))
    if not is_number(requested) or not 2 <= requested <= draws + 1 or int(requested) != requested:
        raise InputError(
            "{parameter} must be a whole number from 2 to the number of ranks, {draws}; it is {requested!r}.",
            "n_bins",
            draws=draws + 1,
            requested=requested,
        )
    return int(requested)


def _checked_clusters(clusters: Any, n: int) -> Integers | None:
    """Return cluster codes from 0; None without clusters, or if each quantity is its own cluster."""
    if clusters is None:
        return None
    codes = check_clusters(clusters, n=n)
    number = len(np.unique(codes))
    if number == 1:
        raise InputError(
            "at least 2 clusters are needed, but all quantities are in one cluster. Give other clusters, or none."
        )
    return codes if number < n else None
