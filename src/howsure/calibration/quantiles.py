"""Calibration of continuous predictions: where does the truth fall among draws of the posterior?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.stats.checks import check_level
from howsure.stats.numbers import is_number
from howsure.stats.pairs import Floats, Integers
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST_P = 0.0001
FEWEST_EXPECTED = 5  # truths a bar, for the chi-square test


@dataclass(frozen=True, slots=True)
class QuantileCalibration:
    """What `posterior_quantiles` found.

    ranks (n,): how many of the draws lie below each truth, 0 … draws. Histogram: bin_edges (B + 1,) over [0, 1],
    counts (B,), expected (B,) under calibration, and low, high (B,), the interval each count should lie in. Cumulative
    curve: points (P,), cumulative (P,), the share of truths with a quantile of at most that, and the simultaneous band
    band_low, band_high (P,). p_value: chi-square test of uniformity of the ranks.
    tied: truths equal to some draws. recipe: to do it again.
    """

    ranks: Integers = field(repr=False)
    bin_edges: Floats
    counts: Integers
    expected: Floats
    low: Floats
    high: Floats
    points: Floats = field(repr=False)
    cumulative: Floats = field(repr=False)
    band_low: Floats = field(repr=False)
    band_high: Floats = field(repr=False)
    statistic: float
    p_value: float
    level: float
    n: int
    draws: int
    tied: int
    recipe: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: the test and the histogram."""
        bars = zip(*(getattr(self, c).tolist() for c in ("counts", "expected", "low", "high")), strict=True)
        return {
            "n": self.n, "draws": self.draws, "tied": self.tied, "statistic": self.statistic, "p_value": self.p_value,
            "level": self.level, "bin_edges": self.bin_edges.tolist(),
            "bins": [dict(zip(("n", "expected", "low", "high"), bar, strict=True)) for bar in bars],
        }  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw histogram and cumulative curve on matplotlib axes (new ones if None)."""
        from howsure.figures.quantiles import draw_quantiles

        return draw_quantiles(self, ax=ax)

    def __repr__(self) -> str:
        p_text = f"= {self.p_value:.4f}" if self.p_value >= SMALLEST_P else f"< {SMALLEST_P}"
        outside = int(np.count_nonzero((self.counts < self.low) | (self.counts > self.high)))
        return (
            f"posterior quantiles of {self.n:,} truths among {self.draws:,} draws each\n"
            f"uniform? chi-square {self.statistic:.1f} with {len(self.counts) - 1} degrees of freedom: "
            f"p {p_text}\n"
            f"{outside} of {len(self.counts)} bars outside their {self.level:.0%} interval"
        )


def posterior_quantiles(
    draws: Any, truth: Any, *, n_bins: int | None = None, level: float = 0.95, rng: Randomness = 0
) -> QuantileCalibration:
    """Test whether posterior draws of continuous quantities are calibrated.

    draws (n, S): S draws of each of n quantities from its posterior; truth (n,): what they were. If the truths come
    from the posteriors, the rank of a truth among its draws is uniform on {0 … S}. Ranks are put into `n_bins` bars of
    whole ranks (default: as many as leave 5 truths a bar, at most 20); the test is a chi-square. A truth equal to some
    draws gets one of the ranks it could have, at random (`rng`). Intervals: binomial a bar; for the cumulative curve
    the Dvoretzky–Kiefer–Wolfowitz band sqrt(log(2 / (1 - level)) / 2n).

    >>> rng = np.random.default_rng(0)
    >>> result = posterior_quantiles(rng.normal(size=(500, 99)), rng.normal(size=500))
    >>> result.p_value > 0.05
    True
    >>> posterior_quantiles(rng.normal(size=(500, 99)), 2 * rng.normal(size=500)).p_value < 0.001
    True

    Raises InputError for shapes that do not fit, NaN or infinite values.
    Source: Cook, Gelman & Rubin (2006); ranks instead of quantiles after Talts et al. (2018), since a
    Kolmogorov–Smirnov test of r / S rejects a correct sampler.
    """
    from scipy.special import gammaincc

    samples, values = _checked(draws, truth)
    level = check_level(level)
    n, s = samples.shape
    below, equal = (samples < values[:, None]).sum(axis=1), (samples == values[:, None]).sum(axis=1)
    ranks = below + np.floor(generator_from(rng).random(n) * (equal + 1)).astype(np.int64)
    bars = _number_of_bars(n, s, n_bins)
    edges = np.round(np.linspace(0, s + 1, bars + 1)).astype(np.int64)
    counts = np.histogram(ranks, bins=edges)[0]
    share = np.diff(edges) / (s + 1)
    expected = n * share
    statistic = float(((counts - expected) ** 2 / expected).sum())
    low, high = _binomial_interval(n, share, level)
    points = np.arange(s + 2) / (s + 1)
    cumulative = np.cumsum(np.bincount(ranks + 1, minlength=s + 2)) / n
    band = math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    return QuantileCalibration(
        ranks, edges / (s + 1), counts, expected, low, high, points, cumulative,
        np.maximum(points - band, 0.0), np.minimum(points + band, 1.0),
        statistic, float(gammaincc((bars - 1) / 2, statistic / 2)), level, n, s, int(np.count_nonzero(equal)),
        {"howsure": __version__, "bars": bars, "level": level, "seed": seed_in_recipe(rng)},
    )  # fmt: skip


def _checked(draws: Any, truth: Any) -> tuple[Floats, Floats]:
    samples, values = (_numbers(held, name) for held, name in ((draws, "draws"), (truth, "truth")))
    if samples.ndim != 2 or samples.shape[1] < 1 or samples.shape[0] < 2:
        raise InputError(f"draws must have shape (n, S) with n ≥ 2 quantities and S ≥ 1 draws; it has {samples.shape}")
    if values.shape != samples.shape[:1]:
        raise InputError(f"truth must have shape ({samples.shape[0]},) like the rows of draws; it has {values.shape}")
    for name, array in (("draws", samples), ("truth", values)):
        bad = np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))
        if len(bad):
            raise InputError(f"{name} must be finite; row {bad[0]} is not. Leave such rows out first.")
    return samples, values


def _numbers(held: Any, name: str) -> Floats:
    try:
        return np.asarray(held, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers, as many a row: {error}") from error


def _number_of_bars(n: int, draws: int, asked: int | None) -> int:
    if asked is None:
        return max(2, min(20, n // FEWEST_EXPECTED, draws + 1))
    if not is_number(asked) or not 2 <= asked <= draws + 1 or int(asked) != asked:
        raise InputError(f"n_bins must be a whole number from 2 to the number of ranks, {draws + 1}; it is {asked!r}")
    return int(asked)


def _binomial_interval(n: int, share: Floats, level: float) -> tuple[Floats, Floats]:
    from scipy.stats import binom

    low, high = binom.interval(level, n, share)
    return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
