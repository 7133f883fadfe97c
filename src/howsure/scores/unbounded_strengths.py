"""Models without a finite strength, since they won, or lost, every battle with the others: bounds and ranks.

The models of a part of the battles fall into groups in which each model won over, or tied with, each other one, maybe
through others. Only within a group are strengths finite (Ford 1957). The largest group is the core. A model outside
of it has a lower bound if it won all its battles with the core, and an upper bound if it lost them all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.scores.ranks import Flags
from howsure.scores.strengths import Strengths, log_win_probability


@dataclass(frozen=True, slots=True)
class Connections:
    """part (m,): the part of each model; no battles connect models of different parts. core (m,): whether it is in the
    largest group of its part in which all strengths are finite."""

    part: Integers
    core: Flags


def connections(first: Integers, second: Integers, first_gains: Flags, second_gains: Flags, m: int) -> Connections:
    """The parts and cores of m models, from both models of each battle, and whether each gained anything."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    gains = np.concatenate([first[first_gains], second[second_gains]])
    gives = np.concatenate([second[first_gains], first[second_gains]])
    graph = coo_array((np.ones(len(gains)), (gains, gives)), shape=(m, m)).tocsr()
    part = connected_components(graph, connection="weak")[1].astype(np.int64)
    group = connected_components(graph, connection="strong")[1]
    sizes = np.bincount(group)[group]
    battles = np.bincount(np.concatenate([group[first], group[second]]), minlength=int(group.max()) + 1)[group]
    core = np.zeros(m, dtype=bool)
    for code in range(int(part.max()) + 1):
        models = np.flatnonzero(part == code)
        largest = models[np.lexsort((-models, battles[models], sizes[models]))[-1]]
        core[models] = group[models] == group[largest]
    return Connections(part, core)


@dataclass(frozen=True, slots=True)
class OneSidedBattles:
    """The battles of a model with the core, all of which it won (sign 1) or lost (-1).

    opponents: their places in the core. was_first: whether the model was. weights: they add up to 1 in each cluster.
    """

    sign: int
    opponents: Integers
    was_first: Flags
    weights: Floats

    @property
    def units(self) -> float:
        """The number of clusters of battles."""
        return float(self.weights.sum())

    def bound(self, strengths: Strengths, against: Floats, *, tail: float, degrees: float) -> float:
        """The least |advantage| over a combination `against` (core,) of strengths of the core that these battles leave,
        with probability 1 - `tail`: negative if the other side may be ahead.

        At the advantage δ, the battles have the probability Π P(win at δ + against·θ - θ_opponent); at the bound that
        is tail / 2. The other half allows for the errors of the core's strengths, by the delta method and Student's t.
        """
        from scipy.special import stdtrit

        m = len(strengths.theta)
        lead = np.where(self.was_first, strengths.first, -strengths.first)
        offsets = self.sign * (float(against @ strengths.theta) - strengths.theta[self.opponents] + lead)
        advantage = _solve(offsets, strengths.tie, self.weights, math.log(tail / 2))
        step = 1e-5
        slopes = [log_win_probability(advantage + offsets + by, strengths.tie) for by in (-step, step)]
        pull = self.weights * (slopes[1] - slopes[0])
        direction = np.bincount(self.opponents, weights=pull / pull.sum(), minlength=m) - against
        error = math.sqrt(max(float(direction @ strengths.covariance[:m, :m] @ direction), 0.0))
        return advantage - (float(stdtrit(degrees, 1 - tail / 2)) * error if error else 0.0)


def _solve(offsets: Floats, tie: float, weights: Floats, log_probability: float) -> float:
    """The δ at which Σ weights · log P(win at δ + offsets) has the given value."""
    from scipy.optimize import brentq

    def excess(delta: float) -> float:
        return float(weights @ log_win_probability(delta + offsets, tie)) - log_probability

    low, high = -1.0, 1.0
    while excess(low) > 0.0:
        low *= 2.0
    while excess(high) < 0.0:
        high *= 2.0
    return float(brentq(excess, low, high, xtol=1e-10))


def one_sided_battles(
    model: int,
    first: Integers,
    second: Integers,
    outcome: Integers,
    units: Integers | None,
    core_place: Integers,
) -> OneSidedBattles | None:
    """The battles of a model outside the core with the core; None if it has none.

    core_place (m,): the place of each model in the core, -1 outside of it. outcome: 0 where the first model gained all.
    """
    was_first = first == model
    opponents = core_place[np.where(was_first, second, first)]
    rows = np.flatnonzero((was_first | (second == model)) & (opponents >= 0))
    if not len(rows):
        return None
    won = (outcome[rows[0]] == 0) == bool(was_first[rows[0]])
    weights = np.ones(len(rows))
    if units is not None:
        _, cluster, sizes = np.unique(units[rows], return_inverse=True, return_counts=True)
        weights /= sizes[cluster]
    return OneSidedBattles(1 if won else -1, opponents[rows], was_first[rows], weights)


def better_than(
    pairs_of_core: tuple[Flags, Flags],
    core: Flags,
    outside: dict[int, OneSidedBattles],
    direct: Floats,
    strengths: Strengths,
    *,
    level: float,
    degrees: float,
) -> tuple[Flags, Flags]:
    """Which model (row) is surely better than which (column), and which (m,) are surely worse than some other one.

    pairs_of_core: the same of the core alone, at its share of the error. outside: the battles of each other model with
    the core. direct (m, m): the log probability that row's battles with column had, at most, if they were equal. Each
    pair with a model outside has an equal share of the error; what follows from two pairs needs none.
    """
    m, places = len(core), np.flatnonzero(core)
    better, worse_than_some = np.zeros((m, m), dtype=bool), np.zeros(m, dtype=bool)
    better[np.ix_(places, places)], worse_than_some[places] = pairs_of_core
    for_pair, for_best = (1 - level) / (m * (m - 1)), (1 - level) / (m - 1)
    better |= direct < math.log(for_pair)
    worse_than_some |= (direct < math.log(for_best)).any(axis=0)
    for model, battles in outside.items():
        for place, opponent in enumerate(places):
            against = np.zeros(len(places))
            against[place] = 1.0
            winner, loser = (model, opponent) if battles.sign > 0 else (opponent, model)
            better[winner, loser] |= battles.bound(strengths, against, tail=for_pair, degrees=degrees) > 0.0
            worse_than_some[loser] |= battles.bound(strengths, against, tail=for_best, degrees=degrees) > 0.0
    while True:
        implied = better | ((better.astype(np.int64) @ better) > 0)
        if (implied == better).all():
            return better, worse_than_some | better.any(axis=0)
        better = implied
