"""Bounds and ranks of models without a finite strength because they won, or lost, every battle with the others.

A part is a set of models that are connected by battles. It is divided into groups in which each model won over, or tied
with, each other model, directly or through others. Only within a group are strengths finite (Ford 1957). The largest
group is the core. A model outside the core has a lower bound if it won all its battles with the core, and an upper
bound if it lost all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.scores.ranks import Flags
from howsure.scores.strengths import FIRST, Strengths, expected_points, log_win_probability, tie_probability
from howsure.stats.proportions import t_quantile


@dataclass(frozen=True, slots=True)
class Connections:
    """Which models are connected by battles.

    part (m,): the part of each model; no battles connect models of different parts. core (m,): whether the model is in
    the core of its part, the largest group in which all strengths are finite.
    """

    part: Integers
    core: Flags


def connections(first: Integers, second: Integers, first_gains: Flags, second_gains: Flags, m: int) -> Connections:
    """Return the parts and cores of m models.

    first, second (n,): both models of each battle. first_gains, second_gains (n,): whether the model won, tied, or got
    a fraction of the battle."""
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

    opponents: the indices of the opponents in the core. was_first: whether this model was shown first. weights: they
    add up to 1 in each cluster.
    """

    sign: int
    opponents: Integers
    was_first: Flags
    weights: Floats

    def bounds(self, strengths: Strengths, references: Floats, *, tail: float, degrees: float) -> Floats:
        """Return lower bounds (k,), each with probability 1 - `tail`, of the lead of the winning side over references.

        The winning side is this model (sign 1) or its opponents (-1). references (k, core): weights of the strengths of
        the core, such as a single model or the mean of all models. If a bound is negative, either side may be stronger.

        At the strength θ, this model's battles have the probability Π P(win at θ - θ_opponent). At the bound, this
        probability is tail / 2. The other half of the tail allows for the errors of the core's parameters, by the delta
        method and Student's t.
        """
        m, tie = len(strengths.theta), strengths.tie
        order = np.where(self.was_first, 1.0, -1.0)
        offsets = self.sign * (order * strengths.first - strengths.theta[self.opponents])
        root = _solve(offsets, tie, self.weights, math.log(tail / 2))
        slopes = self.weights * (1 - expected_points(root + offsets, tie))  # d log P / d strength
        shares = slopes / slopes.sum()
        of_tie = float(self.weights @ tie_probability(root + offsets, tie)) / slopes.sum()
        directions = np.zeros((len(references), m + 2))
        directions[:, :m] = self.sign * (np.bincount(self.opponents, weights=shares, minlength=m) - references)
        directions[:, m:] = of_tie, -self.sign * float(shares @ order)
        variances = np.einsum("ij,jk,ik->i", directions, strengths.covariance, directions)
        errors = np.sqrt(np.maximum(variances, 0.0))
        return np.asarray(root - self.sign * references @ strengths.theta - t_quantile(1 - tail, degrees) * errors)


def _solve(offsets: Floats, tie: float, weights: Floats, log_probability: float) -> float:
    """Return the δ at which Σ weights · log P(win at δ + offsets) equals `log_probability`."""
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
    model: int, first: Integers, second: Integers, outcome: Integers, clusters: Integers | None, core_place: Integers
) -> OneSidedBattles | None:
    """The battles of a model outside the core with the core; None if it has none.

    core_place (m,): the index of each model in the core, -1 outside the core.
    """
    was_first = first == model
    opponents = core_place[np.where(was_first, second, first)]
    rows = np.flatnonzero((was_first | (second == model)) & (opponents >= 0))
    if not len(rows):
        return None
    won = (outcome[rows[0]] == FIRST) == bool(was_first[rows[0]])
    weights = np.ones(len(rows)) if clusters is None else one_per_cluster(clusters[rows])
    return OneSidedBattles(1 if won else -1, opponents[rows], was_first[rows], weights)


def one_per_cluster(clusters: Integers) -> Floats:
    """Weights of rows that add up to 1 in each cluster."""
    _, cluster, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    return np.asarray(1 / sizes[cluster])


def pairwise_better(
    pairs_of_core: tuple[Flags, Flags],
    core: Flags,
    outside: dict[int, OneSidedBattles],
    log_p_if_equal: Floats,
    strengths: Strengths,
    *,
    level: float,
    degrees: float,
) -> tuple[Flags, Flags]:
    """Return whether the model of the row is significantly better than the model of the column (m, m), and whether each
    model (m,) is significantly worse than some other model.

    pairs_of_core: both results for the models of the core, at the core's part of the error probability. outside: the
    battles of each other model with the core. log_p_if_equal (m, m): an upper bound of the log probability that the
    row's model wins all battles with the column's model if both are equally strong. The error probability is divided
    equally among the pairs with a model outside the core. If the other model of such a pair is in the core, each of two
    tests gets half. A verdict that follows from the verdicts on two other pairs uses no error probability.
    """
    m, core_models = len(core), np.flatnonzero(core)
    better, worse_than_some = np.zeros((m, m), dtype=bool), np.zeros(m, dtype=bool)
    better[np.ix_(core_models, core_models)], worse_than_some[core_models] = pairs_of_core
    for_pair, for_best = (1 - level) / (m * (m - 1)), (1 - level) / (m - 1)
    tests = np.where(core[:, None] ^ core, 2, 1)
    by_battles = np.where(core[:, None] & core, 0.0, log_p_if_equal)  # pairs within the core are tested separately
    better |= by_battles < np.log(for_pair / tests)
    worse_than_some |= (by_battles < np.log(for_best / tests)).any(axis=0)
    each = np.eye(len(core_models))
    for model, battles in outside.items():
        surely, surely_for_best = (
            core_models[battles.bounds(strengths, each, tail=share / 2, degrees=degrees) > 0.0]
            for share in (for_pair, for_best)
        )
        if battles.sign > 0:
            better[model, surely] = worse_than_some[surely_for_best] = True
        else:
            better[surely, model] = True
            worse_than_some[model] |= len(surely_for_best) > 0
    while True:
        implied = better | ((better.astype(np.int64) @ better) > 0)
        if (implied == better).all():
            return better, worse_than_some
        better = implied
