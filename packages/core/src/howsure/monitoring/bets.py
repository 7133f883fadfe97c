"""Bets against the hypothesis that a model is calibrated, and the e-process that accumulates their evidence.

A bet starts with wealth 1, which each row multiplies by a gain. If the hypothesis is true, the gain of a row is at most
1 on average, so a large wealth is evidence against the hypothesis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from howsure.calibration.squared_error import exact_interval
from howsure.inputs.pairs import Floats, Integers, Labels

# Predicted probabilities are divided into cells (bins with fixed edges). Sums over the rows of a cell can be added over
# time.

EDGES = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
N_CELLS = len(EDGES) - 1


def assign_cells(probabilities: Floats) -> Integers:
    """Return the index of each probability's cell. Cells include their lower edge; the last one also includes 1.

    >>> assign_cells(np.array([0.0, 0.05, 0.949, 1.0]))
    array([ 0,  2, 11, 13])
    """
    return np.minimum(np.searchsorted(EDGES, probabilities, side="right") - 1, N_CELLS - 1)


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums over the rows in each cell, with labels y, probabilities q, and z = y - q.

    n: number of rows. predicted, observed: Σ q and Σ y. squares: Σ z².

    For each cluster, S is the sum of z over its rows in the cell, and m the number of these rows; without clusters,
    every row is a cluster. cluster_squares: Σ S². cluster_rows: Σ m². dominating: Σ |S| Σ' |S'|, where Σ' is the sum
    over all cells of the same cluster. The diagonal matrix of these values bounds the covariance matrix of Σ z from
    above, for any dependence within clusters.

    The sums of two sets of rows can be added if no cluster is in both.
    """

    n: Floats
    predicted: Floats
    observed: Floats
    squares: Floats
    cluster_squares: Floats
    dominating: Floats
    cluster_rows: Floats

    @classmethod
    def zero(cls) -> Self:
        return cls(*np.zeros((len(SUMS), N_CELLS)))

    @classmethod
    def of(cls, labels: Labels, probabilities: Floats, clusters: Integers | None) -> Self:
        """Compute the sums of some rows."""
        cells = assign_cells(probabilities)
        z = labels - probabilities

        def sum_by_cell(weights: Floats | None) -> Floats:
            return np.bincount(cells, weights, N_CELLS).astype(np.float64)

        squares = sum_by_cell(z * z)
        sums_of_rows = sum_by_cell(None), sum_by_cell(probabilities), sum_by_cell(labels.astype(np.float64)), squares
        if clusters is None:
            return cls(*sums_of_rows, squares, squares, sums_of_rows[0])

        def by_cluster(weights: Floats | None) -> Floats:
            shape = int(clusters.max()) + 1, N_CELLS
            sums = np.bincount(clusters * N_CELLS + cells, weights, shape[0] * N_CELLS)
            return sums.reshape(shape).astype(np.float64)

        sums, rows = by_cluster(z), by_cluster(None)
        absolute = np.abs(sums)
        dominating = (absolute * absolute.sum(axis=1)[:, None]).sum(axis=0)
        return cls(*sums_of_rows, (sums**2).sum(axis=0), dominating, (rows**2).sum(axis=0))

    def __add__(self, other: Self) -> Self:
        return type(self)(*(self.values + other.values))

    @property
    def values(self) -> Floats:
        """All sums as an array (len(SUMS), N_CELLS)."""
        return np.array([getattr(self, name) for name in SUMS])


SUMS = tuple(field.name for field in fields(CellSums))


# The hypothesis is that a row with probability q has label 1 with a probability between lower(q) and upper(q). A bet is
# another forecast t, fixed before the rows are seen. The gain of a forecast t > upper(q) is t / upper(q) at label 1 and
# (1 - t) / (1 - upper(q)) at label 0; its mean is at most 1 if the hypothesis is true. The gain of a forecast t <
# lower(q) is defined likewise, with lower(q). The wealth of a bet is the product of its gains over rows. Several bets
# are made at once (Arnold, Henzi & Ziegel 2023).

SHIFTS = (0.03, 0.1, 0.25)  # bets that all probabilities are too low, or too high, by this much
ODDS = (1.5, 3.0)  # bets that all odds are too low, or too high, by this factor
TEMPERATURES = (1.5, 3.0)
CELL_SHIFTS = (0.05, 0.2)
MEMORIES = (0.8, 0.98)  # learned forecasts use gaps of past periods, with weights that decay by this factor per period
LEARNED_PRIOR = 20.0  # learned gaps are shrunk as if each cell had this many more rows, without a gap
MAX_GAIN = 20.0  # largest gain - 1 of a row, so that a single wrong but certain prediction does not raise an alarm
MAX_LOSS = 0.95  # largest proportion of its wealth that a bet can lose on a cluster
WHOLE = tuple(
    [f"{way} by {size:g} everywhere" for size in SHIFTS for way in ("more", "less")]
    + [f"odds {way} {size:g}" for size in ODDS for way in ("times", "divided by")]
    + [f"{what} (temperature {size:g})" for size in TEMPERATURES for what in ("overconfident", "underconfident")]
)
LEARNED = tuple(f"as the last periods showed (memory {memory:g})" for memory in MEMORIES)
LOCAL = tuple(
    f"{way} by {size:g} in cell {cell}" for size in CELL_SHIFTS for way in ("more", "less") for cell in range(N_CELLS)
)
NAMES = WHOLE + LEARNED + LOCAL
WEIGHTS = np.concatenate(
    [
        np.full(len(WHOLE), 0.5 / len(WHOLE)),
        np.full(len(LEARNED), 0.25 / len(LEARNED)),
        np.full(len(LOCAL), 0.25 / len(LOCAL)),
    ]
)


@dataclass(frozen=True, slots=True)
class Tolerated:
    """The tolerated miscalibration: P(label 1) may be between q + below and q + above, which are given by cell."""

    below: Floats
    above: Floats

    @classmethod
    def everywhere(cls, tolerance: float) -> Tolerated:
        """Return the same tolerance for every cell."""
        return cls(np.full(N_CELLS, -tolerance), np.full(N_CELLS, tolerance))

    def bounds(self, probabilities: Floats, cells: Integers) -> tuple[Floats, Floats]:
        """Return the lowest and the highest tolerated probability of label 1 for each row."""
        lower = np.clip(probabilities + self.below[cells], 0.0, 1.0)
        return lower, np.clip(probabilities + self.above[cells], 0.0, 1.0)


def log_gains(
    labels: Labels,
    probabilities: Floats,
    clusters: Integers | None,
    *,
    tolerated: Tolerated,
    learned: Floats,
    correlation: float,
) -> Floats:
    """Return, for each bet of NAMES, the logarithm of the factor by which some rows multiply its wealth.

    learned (len(MEMORIES), N_CELLS): past gaps by memory and cell, from which the learned forecasts are computed.

    Without clusters, the factor is the product of the gains of the rows, because labels are independent given the past.
    With clusters, only clusters are independent, so the factor is a product over clusters. The factor of a cluster of m
    rows is 1 + b · mean(gain - 1), where b = m / (1 + (m - 1) · correlation) is the effective number of its rows. If
    necessary, b is reduced so that the factor remains positive.
    """
    cells = assign_cells(probabilities)
    lower, upper = tolerated.bounds(probabilities, cells)
    forecast_gains = [*_whole(lower, upper), *_learned(probabilities + learned[:, cells], lower, upper)]
    gains = [_summed(labels, bet, clusters, correlation) for bet in forecast_gains]
    for size in CELL_SHIFTS:
        for forecast, bound in ((upper + size, upper), (lower - size, lower)):
            cell_gains = _gains(forecast, bound)
            gains += _cell_bets(labels, cell_gains, cells, clusters, correlation).tolist()
    return np.array(gains)


Gains = tuple[Floats, Floats]  # gain minus 1 at label 0, and at label 1


def _whole(lower: Floats, upper: Floats) -> list[Gains]:
    """Return the gains of bets on a change in all cells: shifts, odds ratios and temperatures."""
    gains = []
    for size in SHIFTS:
        gains += [_gains(upper + size, upper), _gains(lower - size, lower)]
    for ratio in ODDS:
        gains += [_gains(_odds_times(upper, ratio), upper), _gains(_odds_times(lower, 1.0 / ratio), lower)]
    for temperature in TEMPERATURES:
        gains.append(_tempered(lower, upper, 1.0 / temperature, sharper=False))
        gains.append(_tempered(lower, upper, temperature, sharper=True))
    return gains


def _odds_times(p: Floats, ratio: float) -> Floats:
    return ratio * p / (ratio * p + (1.0 - p))


def _tempered(lower: Floats, upper: Floats, power: float, *, sharper: bool) -> Gains:
    """Return the gains of the bet that log-odds are too extreme (or, if `sharper`, not extreme enough).

    The forecast multiplies log-odds by `power`.
    """
    up = upper > 0.5 if sharper else upper < 0.5
    down = lower < 0.5 if sharper else lower > 0.5
    at_zero, at_one = np.zeros(len(lower)), np.zeros(len(lower))
    for chosen, bound in ((up, upper), (down, lower)):
        p = bound[chosen]
        raised, other = p**power, (1.0 - p) ** power
        at_zero[chosen], at_one[chosen] = _gains(raised / (raised + other), p)
    return at_zero, at_one


def _learned(expected: Floats, lower: Floats, upper: Floats) -> list[Gains]:
    """Return the gains of bets that past gaps continue. expected: the forecasts (memories, rows).

    If the hypothesis tolerates a forecast, there is no bet on this row (gain 1).
    """
    gains = []
    for expected_rate in expected:
        target = np.clip(expected_rate, lower / 2.0, (1.0 + upper) / 2.0)
        more, less = target > upper, target < lower
        bound = np.where(more, upper, np.where(less, lower, target))
        gains.append(_gains(target, bound))
    return gains


def _gains(target: Floats, bound: Floats) -> Gains:
    """Return gain - 1 at label 0 and label 1 of a forecast `target`, if the hypothesis allows up to `bound`.

    The values are between -1/2 and 20. They are 0 (no bet) if no floating-point number is between the bound and 0 or 1.
    """
    target = np.clip(target, bound / 2.0, (1.0 + bound) / 2.0)
    none = (target == bound) | (target == 1.0) | (target == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at_one = np.where(none, 0.0, target / bound - 1.0)
        at_zero = np.where(none, 0.0, (1.0 - target) / (1.0 - bound) - 1.0)
    return np.minimum(at_zero, MAX_GAIN), np.minimum(at_one, MAX_GAIN)


def _summed(labels: Labels, gains: Gains, clusters: Integers | None, correlation: float) -> float:
    """Return the logarithm of the factor by which all rows together multiply the wealth of a bet."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return float(np.log1p(gained).sum())
    return float(_log_of_clusters(gained, gains, clusters, correlation).sum())


def _cell_bets(labels: Labels, gains: Gains, cells: Integers, clusters: Integers | None, correlation: float) -> Floats:
    """Return the result of `_summed` for the rows of each cell, as separate bets."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return np.bincount(cells, np.log1p(gained), N_CELLS).astype(np.float64)
    cluster_cells, codes = np.unique(clusters * N_CELLS + cells, return_inverse=True)
    logs = _log_of_clusters(gained, gains, codes, correlation)
    return np.bincount(cluster_cells % N_CELLS, logs, N_CELLS).astype(np.float64)


def _log_of_clusters(gained: Floats, gains: Gains, clusters: Integers, correlation: float) -> Floats:
    size = np.bincount(clusters).astype(np.float64)
    occupied = np.maximum(size, 1.0)
    mean = np.bincount(clusters, gained) / occupied
    max_loss = np.bincount(clusters, np.maximum(0.0, -np.minimum(*gains))) / occupied
    effective_size = occupied / (1.0 + (occupied - 1.0) * correlation)
    with np.errstate(divide="ignore"):
        bet_size = np.where(max_loss > 0.0, np.minimum(effective_size, MAX_LOSS / max_loss), effective_size)
    return np.log1p(np.maximum(bet_size, 1.0) * mean)


# With a reference period, gaps of later periods are compared with intervals of the gaps in the reference period.

MIN_REFERENCE_ROWS = 10.0  # effective rows needed to learn the gap of a cell; cells with fewer are not tested


def tolerated_by(reference: CellSums, *, tolerance: float, alpha: float) -> Tolerated:
    """Return the tolerated gaps: simultaneous 1 - alpha intervals of the gaps in the reference period, plus tolerance.

    The intervals are Clopper and Pearson's. The effective number of rows of a cell is (Σ m)² / Σ m² (Kish), where m is
    the number of rows of each cluster, because all rows of a cluster may be perfectly correlated.
    """
    n = np.maximum(reference.n, 1.0)
    effective_rows = n**2 / np.maximum(reference.cluster_rows, 1.0)
    is_usable = effective_rows * (reference.n > 0) >= MIN_REFERENCE_ROWS
    tail = alpha / (2.0 * max(1, int(is_usable.sum())))
    low, high = exact_interval(reference.observed / n, effective_rows, tail=tail)
    q = reference.predicted / n
    below = np.where(is_usable, np.minimum(low - q, 0.0) - tolerance, -1.0)
    above = np.where(is_usable, np.maximum(high - q, 0.0) + tolerance, 1.0)
    return Tolerated(below, above)


# Each bet is started anew in every period, because calibration may change at any time. The wealth of a bet started in
# period r is the product of its gains since then. The e-value is the weighted mean of the wealths over all bets and all
# r, with weights that sum to 1 and are fixed beforehand; the wealth of bets that start later is 1. Under the
# hypothesis, the expected e-value is at most 1 at any stopping time. By Ville's inequality, the probability that the
# e-value ever exceeds 1 / alpha is at most alpha, however often it is computed.

NEVER = -math.inf


@dataclass(slots=True)
class EProcess:
    """The state of the bets after some periods with rows. Each bet is started again in every period ("start period").

    periods: number of these periods. begun: for each bet, the logarithm of the weighted sum, over all start periods so
    far, of its wealth. stretch: for each bet, the logarithm of its largest current wealth over the start periods.
    since: the first day of the start period with this largest wealth. highest: the largest logarithm of the e-value so
    far.
    """

    periods: int = 0
    begun: Floats = field(default_factory=lambda: np.full(len(NAMES), NEVER))
    stretch: Floats = field(default_factory=lambda: np.zeros(len(NAMES)))
    since: list[str] = field(default_factory=lambda: [""] * len(NAMES))
    highest: float = 0.0

    def take(self, gains: Floats, period: str) -> None:
        """Update the wealths with the logarithms of the bets' gains in one more period."""
        self.periods += 1
        start_weight = math.log(waiting(self.periods) - waiting(self.periods + 1))
        self.begun = np.logaddexp(self.begun, start_weight) + gains
        restarts = self.stretch <= 0.0
        self.stretch = np.where(restarts, 0.0, self.stretch) + gains
        self.since = [period if new else old for new, old in zip(restarts.tolist(), self.since, strict=True)]
        self.highest = max(self.highest, self.log_e)

    @property
    def log_e(self) -> float:
        mixed = float(np.logaddexp.reduce(self.begun + np.log(WEIGHTS)))
        return float(np.logaddexp(mixed, math.log(waiting(self.periods + 1))))

    @property
    def suspected(self) -> tuple[str, str]:
        """The estimated first day of the change, and the bet with the largest wealth; ("", "") if no bet has gained.

        Wealths are multiplied by the weights of the bets, so that a shift of all probabilities needs less evidence than
        a shift in a single cell.
        """
        best = int(np.argmax(self.stretch + np.log(WEIGHTS)))
        return (self.since[best], NAMES[best]) if self.stretch[best] > 0.0 else ("", "")

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return {
            "periods": self.periods,
            "begun": [None if start == NEVER else start for start in self.begun.tolist()],
            "stretch": self.stretch.tolist(),
            "since": self.since,
            "highest": self.highest,
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """Restore from the result of `to_dict`."""
        begun = np.array([NEVER if start is None else start for start in state["begun"]], dtype=np.float64)
        stretch = np.array(state["stretch"], dtype=np.float64)
        if not len(begun) == len(stretch) == len(state["since"]) == len(NAMES):
            raise ValueError(f"an e-process has {len(NAMES)} bets")
        return cls(
            int(state["periods"]), begun, stretch, [str(period) for period in state["since"]], float(state["highest"])
        )


def waiting(period: int) -> float:
    """Return the total weight of bets that start in this period or later, 1 / (1 + ln period)."""
    return 1.0 / (1.0 + math.log(period))
