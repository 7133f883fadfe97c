"""How far P(i ~ j) and P(new) are from gold entities, and how that changes with the sharpening.

P(i ~ j) of all pairs follows from the antecedent distributions by the recursion F_ji = Σ_k P(a_j = k) F_ki (j > i), so
its derivatives follow backwards, from the last mention to the first: with Λ_ji = dL/dF_ji of what comes directly and
through later mentions, Λ_ji = W_ji + Σ_{m>j} (P(a_m = j) Λ_mi + P(a_m = i) Λ_mj), and dL/dP(a_j = k) = Σ_i Λ_ji F_ki.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.coreference.posterior.exact import pair_matrix
from howsure.coreference.recalibration.sharpening import Sharpening, log_odds
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid

Score = Literal["squared", "log"]
SCORES = ("squared", "log")
LEAST = 1e-12  # a probability in a logarithm
CERTAIN = 50.0  # log odds: at most


@dataclass(frozen=True, slots=True)
class Losses:
    """Sums over pairs and over mentions, how many there are, and the derivatives by `links`, `new` and `offset`."""

    pairs: float
    new: float
    n_pairs: int
    n_mentions: int
    of_pairs: Floats
    of_new: Floats

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.pairs + other.pairs, self.new + other.new, self.n_pairs + other.n_pairs,
            self.n_mentions + other.n_mentions, self.of_pairs + other.of_pairs, self.of_new + other.of_new,
        )  # fmt: skip


def losses_of(antecedents: Antecedents, gold: Integers, sharpening: Sharpening, *, score: Score) -> Losses:
    """The losses of one document under a sharpening; gold (M,): the labels of its entities.

    "squared": Σ (P - y)², or "log": - Σ log of the probability of what is true.
    """
    m = len(antecedents)
    odds, logs, sources = log_odds(antecedents)
    odds = np.clip(odds, -CERTAIN, CERTAIN)
    free = (antecedents.new > 0.0) & (antecedents.new < 1.0)
    new = np.where(free, sigmoid(sharpening.new * odds + sharpening.offset), antecedents.new)
    shares = np.exp(sharpening.links * logs)
    shares /= np.maximum(np.bincount(sources, shares, m), 1.0)[sources]
    links = np.zeros((m, m))
    links[sources, antecedents.antecedents] = shares * (1.0 - new)[sources]
    sharpened = Antecedents(new, antecedents.starts, antecedents.antecedents, links[sources, antecedents.antecedents])
    together = pair_matrix(sharpened)
    below = np.tri(m, k=-1, dtype=np.bool_)
    of_pairs, slope = _scored(together, gold[:, None] == gold, score)
    by_link = _backwards(links, np.where(below, slope, 0.0)) @ together
    of_link = by_link[sources, antecedents.antecedents]
    mean_log = np.bincount(sources, shares * logs, m)
    by_power = np.bincount(sources, (1.0 - new)[sources] * shares * of_link * (logs - mean_log[sources]), m)
    first = np.zeros(m, dtype=np.bool_)
    first[np.unique(gold, return_index=True)[1]] = True
    of_new, by_new = _scored(new, first, score)
    moved = np.where(free, new * (1.0 - new), 0.0)
    by_odds = moved * -np.bincount(sources, shares * of_link, m)
    by_own_odds = moved * by_new
    return Losses(
        float(of_pairs[below].sum()), float(of_new.sum()), int(below.sum()), m,
        np.array([by_power.sum(), by_odds @ odds, by_odds.sum()]),
        np.array([0.0, by_own_odds @ odds, by_own_odds.sum()]),
    )  # fmt: skip


def _scored(p: Floats, true: NDArray[np.bool_], score: Score) -> tuple[Floats, Floats]:
    """The loss of each probability, and its derivative."""
    if score == "squared":
        away = p - true
        return away * away, 2.0 * away
    right = np.maximum(np.where(true, p, 1.0 - p), LEAST)
    return -np.log(right), np.where(right > LEAST, np.where(true, -1.0, 1.0) / right, 0.0)


def _backwards(links: Floats, slope: Floats) -> Floats:
    """Λ (M, M), strictly lower: what a change of P(i ~ j) changes in all, through later mentions too."""
    for j in range(len(links) - 2, 0, -1):
        slope[j, :j] += links[j + 1 :, j] @ slope[j + 1 :, :j] + slope[j + 1 :, j] @ links[j + 1 :, :j]
    return slope
