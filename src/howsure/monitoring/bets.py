"""Bets against calibration: other forecasts, each fixed before the rows are seen, and what each gains on them.

The hypothesis says that a row of probability q has label 1 with a probability between lower(q) and upper(q). A bet on
more is the forecast t > upper(q): its gain, t / upper(q) at label 1 and (1 - t) / (1 - upper(q)) at label 0, has a mean
of at most 1 if the hypothesis holds; a bet on less is the same below. Several of them are made at once; over many rows
gains multiply (Arnold, Henzi & Ziegel 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Labels
from howsure.monitoring.cells import N_CELLS, cells_of

SHIFTS = (0.03, 0.1, 0.25)  # of the probability
ODDS = (1.5, 3.0)  # ratios of odds
TEMPERATURES = (1.5, 3.0)
CELL_SHIFTS = (0.05, 0.2)
MEMORIES = (0.8, 0.98)  # what a period leaves of the sums that the learned forecasts rest on
LEARNED_PRIOR = 20.0  # rows of no gap in each cell
MOST_GAIN = 20.0  # of a row, so that no single wrong certainty decides
MOST_LOSS = 0.95  # of a cluster

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
    """What counts as calibrated: by cell, how far the probability of label 1 may lie below and above q."""

    below: Floats
    above: Floats

    @classmethod
    def everywhere(cls, tolerance: float) -> Tolerated:
        """The same in every cell."""
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
    """The logarithm of what each bet of NAMES gains on some rows, whose labels are independent given all before.

    learned: gaps by memory and cell, (len(MEMORIES), N_CELLS). With clusters, only clusters are independent: a cluster
    gains 1 + b · mean(gain - 1) over its rows, b the number of independent rows that m rows of this `correlation` are
    worth, m / (1 + (m - 1) · correlation), and at most what keeps the gain positive.
    """
    cells = cells_of(probabilities)
    lower, upper = tolerated.bounds(probabilities, cells)
    bets = [*_whole(lower, upper), *_learned(probabilities + learned[:, cells], lower, upper)]
    found = [_summed(labels, one, clusters, correlation) for one in bets]
    for size in CELL_SHIFTS:
        for target, bound in ((upper + size, upper), (lower - size, lower)):
            one = _gains(target, bound)
            found += _by_cell(labels, one, cells, clusters, correlation).tolist()
    return np.array(found)


Gains = tuple[Floats, Floats]  # less 1, at label 0 and at label 1


def _whole(lower: Floats, upper: Floats) -> list[Gains]:
    """The bets that concern all rows alike."""
    found = []
    for size in SHIFTS:
        found += [_gains(upper + size, upper), _gains(lower - size, lower)]
    for ratio in ODDS:
        found += [_gains(_odds_times(upper, ratio), upper), _gains(_odds_times(lower, 1.0 / ratio), lower)]
    for temperature in TEMPERATURES:
        found.append(_tempered(lower, upper, 1.0 / temperature, sharper=False))
        found.append(_tempered(lower, upper, temperature, sharper=True))
    return found


def _odds_times(p: Floats, ratio: float) -> Floats:
    return ratio * p / (ratio * p + (1.0 - p))


def _tempered(lower: Floats, upper: Floats, power: float, *, sharper: bool) -> Gains:
    """The bet that log-odds must be multiplied: towards one half, or away from it."""
    up = upper > 0.5 if sharper else upper < 0.5
    down = lower < 0.5 if sharper else lower > 0.5
    at_zero, at_one = np.zeros(len(lower)), np.zeros(len(lower))
    for chosen, bound in ((up, upper), (down, lower)):
        p = bound[chosen]
        raised, other = p**power, (1.0 - p) ** power
        at_zero[chosen], at_one[chosen] = _gains(raised / (raised + other), p)
    return at_zero, at_one


def _learned(expected: Floats, lower: Floats, upper: Floats) -> list[Gains]:
    """The bets that the gaps of each cell stay as they were, (memories, rows): none where they are tolerated."""
    found = []
    for one in expected:
        target = np.clip(one, lower / 2.0, (1.0 + upper) / 2.0)
        more, less = target > upper, target < lower
        bound = np.where(more, upper, np.where(less, lower, target))
        found.append(_gains(target, bound))
    return found


def _gains(target: Floats, bound: Floats) -> Gains:
    """What a forecast gains against the bound of the hypothesis, less 1; at most half is lost, at most 20 won.

    Where a number can hold no forecast between the bound and 0 or 1, there is no bet.
    """
    target = np.clip(target, bound / 2.0, (1.0 + bound) / 2.0)
    none = (target == bound) | (target == 1.0) | (target == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at_one = np.where(none, 0.0, target / bound - 1.0)
        at_zero = np.where(none, 0.0, (1.0 - target) / (1.0 - bound) - 1.0)
    return np.minimum(at_zero, MOST_GAIN), np.minimum(at_one, MOST_GAIN)


def _summed(labels: Labels, gains: Gains, clusters: Integers | None, correlation: float) -> float:
    """The logarithm of what a bet gains on all rows."""
    gained = np.where(labels == 1, gains[1], gains[0])
    if clusters is None:
        return float(np.log1p(gained).sum())
    return float(_log_of_clusters(gained, gains, clusters, correlation).sum())


def _by_cell(labels: Labels, gains: Gains, cells: Integers, clusters: Integers | None, correlation: float) -> Floats:
    """The same for the rows of each cell, as bets of their own."""
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
        stake = np.where(most_lost > 0.0, np.minimum(worth, MOST_LOSS / most_lost), worth)
    return np.log1p(np.maximum(stake, 1.0) * mean)
