"""Bets against the hypothesis that a model is calibrated, and the e-process that accumulates their evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from howsure.calibration.error import exact_interval
from howsure.inputs.pairs import Floats, Integers, Labels

# Predicted probabilities are divided into cells. Sums over the rows in each cell can be added over time.

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

    n: number of rows. predicted, observed: Σ q and Σ y. squares: Σ z². For clusters (without clusters, every row is its
    own cluster), S is the sum of z over a cluster's rows in the cell, and m the number of these rows. cluster_squares:
    Σ S². dominating: Σ |S| Σ' |S'|, where Σ' runs over all cells of the cluster; the diagonal matrix of these values
    bounds the covariance matrix of the sums from above, for any dependence within clusters. cluster_rows: Σ m².

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
        """Return the sums of no rows."""
        return cls(*np.zeros((len(SUMS), N_CELLS)))

    @classmethod
    def of(cls, labels: Labels, probabilities: Floats, clusters: Integers | None) -> Self:
        """Compute the sums of some rows."""
        cells = assign_cells(probabilities)
        z = labels - probabilities

        def summed(weights: Floats | None) -> Floats:
            return np.bincount(cells, weights, N_CELLS).astype(np.float64)

        squares = summed(z * z)
        first = summed(None), summed(probabilities), summed(labels.astype(np.float64)), squares
        if clusters is None:
            return cls(*first, squares, squares, first[0])

        def by_cluster(weights: Floats | None) -> Floats:
            shape = int(clusters.max()) + 1, N_CELLS
            sums = np.bincount(clusters * N_CELLS + cells, weights, shape[0] * N_CELLS)
            return sums.reshape(shape).astype(np.float64)

        sums, rows = by_cluster(z), by_cluster(None)
        absolute = np.abs(sums)
        dominating = (absolute * absolute.sum(axis=1)[:, None]).sum(axis=0)
        return cls(*first, (sums**2).sum(axis=0), dominating, (rows**2).sum(axis=0))

    def __add__(self, other: Self) -> Self:
        return type(self)(*(self.values + other.values))

    @property
    def values(self) -> Floats:
        """All sums as an array (len(SUMS), N_CELLS)."""
        return np.array([getattr(self, name) for name in SUMS])


SUMS = tuple(field.name for field in fields(CellSums))


# The hypothesis is that a row with probability q has label 1 with a probability between lower(q) and upper(q). A bet is
# another forecast t, fixed before the rows are seen. The gain of a forecast t > upper(q) is t / upper(q) at label 1 and
# (1 - t) / (1 - upper(q)) at label 0; its mean is at most 1 if the hypothesis is true. The gain of a forecast below
# lower(q) is defined likewise. Gains multiply over rows, and several bets are made at once (Arnold, Henzi & Ziegel
# 2023).

SHIFTS = (0.03, 0.1, 0.25)  # bets that all probabilities are too low, or too high, by this much
ODDS = (1.5, 3.0)  # ratios of odds
TEMPERATURES = (1.5, 3.0)
CELL_SHIFTS = (0.05, 0.2)
MEMORIES = (0.8, 0.98)  # decay per period of the sums behind the learned forecasts
LEARNED_PRIOR = 20.0  # imagined rows without a gap in each cell, which shrink the learned gaps
MAX_GAIN = 20.0  # of a row, so that a single wrong but certain prediction does not raise an alarm
MAX_LOSS = 0.95  # of a cluster
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
    """The tolerated miscalibration: for each cell, how far the probability of label 1 may be below and above q."""

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
    """Return, for each bet of NAMES, the logarithm of the factor by which it multiplies its wealth on some rows.

    Labels are independent given the past. learned (len(MEMORIES), N_CELLS): gaps by memory and cell, on which the
    learned bets are based. With clusters, only clusters are independent; a cluster gains 1 + b · mean(gain - 1) over
    its m rows, where b = m / (1 + (m - 1) · correlation) is their effective number, reduced if necessary to keep the
    gain positive.
    """
    cells = assign_cells(probabilities)
    lower, upper = tolerated.bounds(probabilities, cells)
    bets = [*_whole(lower, upper), *_learned(probabilities + learned[:, cells], lower, upper)]
    gains = [_summed(labels, bet, clusters, correlation) for bet in bets]
    for size in CELL_SHIFTS:
        for target, bound in ((upper + size, upper), (lower - size, lower)):
            cell_gains = _gains(target, bound)
            gains += _cell_bets(labels, cell_gains, cells, clusters, correlation).tolist()
    return np.array(gains)


Gains = tuple[Floats, Floats]  # gain minus 1 at label 0, and at label 1


def _whole(lower: Floats, upper: Floats) -> list[Gains]:
    """Return the bets that concern all rows in the same way: shifts, odds ratios and temperatures."""
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
    """Return the bet that log-odds are too extreme or, if `sharper`, not extreme enough; power: the factor."""
    up = upper > 0.5 if sharper else upper < 0.5
    down = lower < 0.5 if sharper else lower > 0.5
    at_zero, at_one = np.zeros(len(lower)), np.zeros(len(lower))
    for chosen, bound in ((up, upper), (down, lower)):
        p = bound[chosen]
        raised, other = p**power, (1.0 - p) ** power
        at_zero[chosen], at_one[chosen] = _gains(raised / (raised + other), p)
    return at_zero, at_one


def _learned(expected: Floats, lower: Floats, upper: Floats) -> list[Gains]:
    """Return the bets that the gap of each cell continues, (memories, rows); a tolerated gap gives no bet."""
    gains = []
    for expected_rate in expected:
        target = np.clip(expected_rate, lower / 2.0, (1.0 + upper) / 2.0)
        more, less = target > upper, target < lower
        bound = np.where(more, upper, np.where(less, lower, target))
        gains.append(_gains(target, bound))
    return gains


def _gains(target: Floats, bound: Floats) -> Gains:
    """Return the gain of a forecast against the bound of the hypothesis, minus 1, between -1/2 and 20.

    There is no bet (0) if no floating-point number lies between the bound and 0 or 1.
    """
    target = np.clip(target, bound / 2.0, (1.0 + bound) / 2.0)
    none = (target == bound) | (target == 1.0) | (target == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at_one = np.where(none, 0.0, target / bound - 1.0)
        at_zero = np.where(none, 0.0, (1.0 - target) / (1.0 - bound) - 1.0)
    return np.minimum(at_zero, MAX_GAIN), np.minimum(at_one, MAX_GAIN)


def _summed(labels: Labels, gains: Gains, clusters: Integers | None, correlation: float) -> float:
    """Return the logarithm of the factor by which a bet multiplies its wealth on all rows."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return float(np.log1p(gained).sum())
    return float(_log_of_clusters(gained, gains, clusters, correlation).sum())


def _cell_bets(labels: Labels, gains: Gains, cells: Integers, clusters: Integers | None, correlation: float) -> Floats:
    """Return the result of `_summed` for the rows of each cell, as separate bets."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return np.bincount(cells, np.log1p(gained), N_CELLS).astype(np.float64)
    parts, codes = np.unique(clusters * N_CELLS + cells, return_inverse=True)
    logs = _log_of_clusters(gained, gains, codes, correlation)
    return np.bincount(parts % N_CELLS, logs, N_CELLS).astype(np.float64)


def _log_of_clusters(gained: Floats, gains: Gains, clusters: Integers, correlation: float) -> Floats:
    size = np.bincount(clusters).astype(np.float64)
    occupied = np.maximum(size, 1.0)
    mean = np.bincount(clusters, gained) / occupied
    most_lost = np.bincount(clusters, np.maximum(0.0, -np.minimum(*gains))) / occupied
    worth = occupied / (1.0 + (occupied - 1.0) * correlation)
    with np.errstate(divide="ignore"):
        stake = np.where(most_lost > 0.0, np.minimum(worth, MAX_LOSS / most_lost), worth)
    return np.log1p(np.maximum(stake, 1.0) * mean)


# With a reference period, calibration later is compared with that in the reference period, as far as it is known.

MIN_REFERENCE_ROWS = 10.0  # effective rows needed to learn the gap of a cell; cells with fewer are not tested


def tolerated_by(reference: CellSums, *, tolerance: float, alpha: float) -> Tolerated:
    """Return the tolerated gaps: simultaneous 1 - alpha intervals of the gaps in the reference period, plus tolerance.

    The intervals are Clopper and Pearson's. Rows of a cluster may all be correlated, so the rows of a cell count as
    (Σ m)² / Σ m² rows (Kish), with m the number of rows of each cluster.
    """
    n = np.maximum(reference.n, 1.0)
    worth = n**2 / np.maximum(reference.cluster_rows, 1.0)
    is_usable = worth * (reference.n > 0) >= MIN_REFERENCE_ROWS
    tail = alpha / (2.0 * max(1, int(is_usable.sum())))
    low, high = exact_interval(reference.observed / n, worth, tail=tail)
    q = reference.predicted / n
    below = np.where(is_usable, np.minimum(low - q, 0.0) - tolerance, -1.0)
    above = np.where(is_usable, np.maximum(high - q, 0.0) + tolerance, 1.0)
    return Tolerated(below, above)


# Each bet is started at every period, because calibration may change at any time. The wealth of a bet started at period
# r is the product of its gains since then. The e-value is the weighted mean of the wealths over all bets and all r,
# with weights that sum to 1 and are fixed beforehand; bets that have not started count as 1. Under the hypothesis, its
# expectation is at most 1 at any stopping time. By Ville's inequality, the e-value ever exceeds 1 / alpha with
# probability at most alpha, however often it is looked at.

NEVER = -math.inf


@dataclass(slots=True)
class EProcess:
    """The state of the bets after some periods with rows.

    periods: number of these periods. begun: for each bet, the logarithm of the weighted sum of its wealths over all
    start periods so far. stretch, since: for each bet, the logarithm of its largest current wealth over all start
    periods, and the first day of that start period. highest: the largest logarithm of the e-value so far.
    """

    periods: int = 0
    begun: Floats = field(default_factory=lambda: np.full(len(NAMES), NEVER))
    stretch: Floats = field(default_factory=lambda: np.zeros(len(NAMES)))
    since: list[str] = field(default_factory=lambda: [""] * len(NAMES))
    highest: float = 0.0

    def take(self, gains: Floats, period: str) -> None:
        """Update the wealths with the gains of the bets, given as logarithms, in one more period."""
        self.periods += 1
        entering = math.log(waiting(self.periods) - waiting(self.periods + 1))
        self.begun = np.logaddexp(self.begun, entering) + gains
        anew = self.stretch <= 0.0
        self.stretch = np.where(anew, 0.0, self.stretch) + gains
        self.since = [period if new else old for new, old in zip(anew.tolist(), self.since, strict=True)]
        self.highest = max(self.highest, self.log_e)

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value."""
        mixed = float(np.logaddexp.reduce(self.begun + np.log(WEIGHTS)))
        return float(np.logaddexp(mixed, math.log(waiting(self.periods + 1))))

    @property
    def suspected(self) -> tuple[str, str]:
        """Return the estimated first day of the change, and the bet with most evidence for it; ("", "") if none gained.

        The current wealths of bets are compared after multiplication by their weights, so that a shift of all
        probabilities needs less evidence than a shift in a single cell.
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
    """Return the total weight of changes at this period or later: 1 / (1 + ln period), which decreases slowly."""
    return 1.0 / (1.0 + math.log(period))
