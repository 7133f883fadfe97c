"""Bets against calibration in cells of the predicted probability, and the evidence that they accumulate over time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from howsure.calibration.error import exact_interval
from howsure.inputs.pairs import Floats, Integers, Labels

# Cells of the predicted probability, and the sums over the rows in each of them, which add up over time.

EDGES = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
N_CELLS = len(EDGES) - 1


def assign_cells(probabilities: Floats) -> Integers:
    """The cell of each probability; cells include their lower edge but not their upper one, and the last cell includes
    1.

    >>> assign_cells(np.array([0.0, 0.05, 0.949, 1.0]))
    array([ 0,  2, 11, 13])
    """
    return np.minimum(np.searchsorted(EDGES, probabilities, side="right") - 1, N_CELLS - 1)


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums over the rows in each cell; the sums of two sets of rows without a common cluster can be added.

    n: rows. predicted, observed: Σ q and Σ y. squares: Σ z² over rows, z = y - q. cluster_squares: Σ S² over clusters,
    S the sum of z over the rows of the cluster in the cell. dominating: Σ |S| Σ' |S'|, the second sum over all cells of
    the cluster: the diagonal matrix of these lies above the covariance of the sums of all cells, whatever the
    dependence within a cluster. cluster_rows: Σ m² over clusters, m their rows in the cell. Without clusters, every row
    is one.
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
        """No rows."""
        return cls(*np.zeros((len(SUMS), N_CELLS)))

    @classmethod
    def of(cls, labels: Labels, probabilities: Floats, clusters: Integers | None) -> Self:
        """The sums of some rows."""
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
        """All of them, (len(SUMS), N_CELLS)."""
        return np.array([getattr(self, name) for name in SUMS])


SUMS = tuple(field.name for field in fields(CellSums))


# Bets against calibration: other forecasts, each fixed before the rows are seen, and what each gains on them.
#
# The hypothesis says that a row of probability q has label 1 with a probability between lower(q) and upper(q). A bet on
# more is the forecast t > upper(q): its gain, t / upper(q) at label 1 and (1 - t) / (1 - upper(q)) at label 0, has a
# mean of at most 1 if the hypothesis holds; a bet on less is the same below. Several of them are made at once; over
# many rows gains multiply (Arnold, Henzi & Ziegel 2023).

SHIFTS = (0.03, 0.1, 0.25)  # of the probability
ODDS = (1.5, 3.0)  # ratios of odds
TEMPERATURES = (1.5, 3.0)
CELL_SHIFTS = (0.05, 0.2)
MEMORIES = (0.8, 0.98)  # decay per period of the sums behind the learned forecasts
LEARNED_PRIOR = 20.0  # rows of no gap in each cell
MAX_GAIN = 20.0  # of a row, so that no single wrong certainty decides
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
    """The tolerance of calibration: for each cell, how far the probability of label 1 may be below and above q."""

    below: Floats
    above: Floats

    @classmethod
    def everywhere(cls, tolerance: float) -> Tolerated:
        """The same tolerance in every cell."""
        return cls(np.full(N_CELLS, -tolerance), np.full(N_CELLS, tolerance))

    def bounds(self, probabilities: Floats, cells: Integers) -> tuple[Floats, Floats]:
        """The lowest and the highest tolerated probability of each row."""
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
    """The logarithm of the factor by which each bet of NAMES multiplies wealth on some rows, whose labels are
    independent given the past.

    learned: gaps by memory and cell, (len(MEMORIES), N_CELLS). With clusters, only clusters are independent: a cluster
    gains 1 + b · mean(gain - 1) over its rows, b the number of independent rows that m rows of this `correlation` are
    worth, m / (1 + (m - 1) · correlation), and at most what keeps the gain positive.
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


Gains = tuple[Floats, Floats]  # less 1, at label 0 and at label 1


def _whole(lower: Floats, upper: Floats) -> list[Gains]:
    """The bets that concern all rows in the same way."""
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
    """The bets that the log-odds are too extreme, or not extreme enough, by a factor."""
    up = upper > 0.5 if sharper else upper < 0.5
    down = lower < 0.5 if sharper else lower > 0.5
    at_zero, at_one = np.zeros(len(lower)), np.zeros(len(lower))
    for chosen, bound in ((up, upper), (down, lower)):
        p = bound[chosen]
        raised, other = p**power, (1.0 - p) ** power
        at_zero[chosen], at_one[chosen] = _gains(raised / (raised + other), p)
    return at_zero, at_one


def _learned(expected: Floats, lower: Floats, upper: Floats) -> list[Gains]:
    """The bets that the gap of each cell continues, (memories, rows): none where the gap is tolerated."""
    gains = []
    for expected_rate in expected:
        target = np.clip(expected_rate, lower / 2.0, (1.0 + upper) / 2.0)
        more, less = target > upper, target < lower
        bound = np.where(more, upper, np.where(less, lower, target))
        gains.append(_gains(target, bound))
    return gains


def _gains(target: Floats, bound: Floats) -> Gains:
    """The gain of a forecast against the bound of the hypothesis, minus 1; a bet loses at most half and wins at most
    20.

    If no floating-point number is between the bound and 0 or 1, no bet is made.
    """
    target = np.clip(target, bound / 2.0, (1.0 + bound) / 2.0)
    none = (target == bound) | (target == 1.0) | (target == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at_one = np.where(none, 0.0, target / bound - 1.0)
        at_zero = np.where(none, 0.0, (1.0 - target) / (1.0 - bound) - 1.0)
    return np.minimum(at_zero, MAX_GAIN), np.minimum(at_one, MAX_GAIN)


def _summed(labels: Labels, gains: Gains, clusters: Integers | None, correlation: float) -> float:
    """The logarithm of the factor by which a bet multiplies wealth on all rows."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return float(np.log1p(gained).sum())
    return float(_log_of_clusters(gained, gains, clusters, correlation).sum())


def _cell_bets(labels: Labels, gains: Gains, cells: Integers, clusters: Integers | None, correlation: float) -> Floats:
    """The same for the rows of each cell, as separate bets."""
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


# A period of reference: what counts as calibrated is what was seen in it, as far as it is known.

MIN_REFERENCE_ROWS = 10.0  # independent rows of a cell from which its gap is learned; cells with fewer are not tested


def tolerated_by(reference: CellSums, *, tolerance: float, alpha: float) -> Tolerated:
    """For each cell, the interval of the gap in the reference period, simultaneous with probability 1 - alpha, widened
    by the tolerance.

    The frequency has Clopper and Pearson's interval, so that rows without a surprise prove no more than they can. Rows
    of a cluster may all be one answer: those of a cell count as (Σ m)² / Σ m² rows, m the rows of a cluster (Kish).
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


# The evidence against calibration over time: a mixture of bets, each begun at every possible date of a change.
#
# A bet begun at the r-th period has the wealth Π over the periods since of what it gained. The e-value is the mean of
# these wealths over all bets and all r, with weights that sum to 1 and are fixed beforehand; what is not begun yet
# counts 1. Under the hypothesis its mean is at most 1 at any time at which one may stop, so that it exceeds 1 / alpha
# ever with probability at most alpha (Ville), however often one looks.

NEVER = -math.inf


@dataclass(slots=True)
class EProcess:
    """The state of the bets after some periods with rows.

    periods: their number. begun: by bet, the logarithm of the weighted sum of the wealths begun so far. stretch, since:
    by bet, the logarithm of the largest wealth that one begun at any period has now, and the first day of that period.
    highest: the largest logarithm of the e-value so far.
    """

    periods: int = 0
    begun: Floats = field(default_factory=lambda: np.full(len(NAMES), NEVER))
    stretch: Floats = field(default_factory=lambda: np.zeros(len(NAMES)))
    since: list[str] = field(default_factory=lambda: [""] * len(NAMES))
    highest: float = 0.0

    def take(self, gains: Floats, period: str) -> None:
        """Update the wealth by the gains of the bets in one more period, given as logarithms."""
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
        """The first day of the stretch up to now in which a bet gained most, and that bet; ("", "") if none gained.

        Stretches of all bets are compared after their weights: a shift of all probabilities needs less evidence than
        one of a single cell.
        """
        best = int(np.argmax(self.stretch + np.log(WEIGHTS)))
        return (self.since[best], NAMES[best]) if self.stretch[best] > 0.0 else ("", "")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
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
    """The weight of all changes at this period or later, 1 / (1 + ln period): it decreases slowly from 1."""
    return 1.0 / (1.0 + math.log(period))
