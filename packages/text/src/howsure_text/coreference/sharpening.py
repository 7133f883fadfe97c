"""Sharpening and flattening of antecedent distributions, so that pairs and new mentions are calibrated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_number
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid
from howsure_text.coreference.antecedents import Antecedents
from howsure_text.coreference.pair_probabilities import pair_matrix

# A sharpening makes antecedent distributions sharper or flatter, and "new" more or less probable.

MAX_PARAMETER = 100  # limit of accepted numbers; fitted numbers are smaller


@dataclass(frozen=True, slots=True)
class Sharpening:
    """Three numbers that change an antecedent distribution; the defaults change nothing.

    First, the log odds that mention j is new are multiplied by `new`, and `offset` is added. Then, the distribution of
    the antecedent, if j is not new, becomes P(a_j = k)^links / Σ_k P(a_j = k)^links. A power is one over a temperature:
    above 1, probabilities move towards 0 and 1.

    Raises InputError for powers that are not above 0, and for numbers beyond ±100.
    """

    links: float = 1.0
    new: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            lowest = -MAX_PARAMETER if name == "offset" else 0
            object.__setattr__(self, name, check_number(value, name=name, low=lowest, high=MAX_PARAMETER, open="low"))

    def apply(self, antecedents: Antecedents) -> Antecedents:
        """Return the sharpened distributions; probabilities of 0 and 1 do not change."""
        if self == Sharpening():
            return antecedents
        odds, logs, sources = log_odds(antecedents)
        x = self.new * odds + (self.offset if self.offset else 0.0)
        new, old = sigmoid(x), sigmoid(-x)
        shares = np.exp(self.links * logs)
        p = shares * (old / np.maximum(np.bincount(sources, shares, len(antecedents)), 1.0))[sources]
        kept = p > 0.0
        counts = np.bincount(sources[kept], minlength=len(antecedents))
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
        return Antecedents(new, starts, antecedents.antecedents[kept], p[kept])

    def to_dict(self) -> dict[str, float]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Restore from the result of `to_dict`. Raises KeyError, TypeError or InputError for other values."""
        return cls(links=state["links"], new=state["new"], offset=state["offset"])


def log_odds(antecedents: Antecedents) -> tuple[Any, Any, Any]:
    """Return logarithms of the odds of "new" and of the probabilities of links.

    They are log P(new) / P(not new) of each mention (M,), and for each link (L,) log P(a_j = k) minus its maximum over
    k; the third result is the mention j of each link (L,).
    """
    m, sources = len(antecedents), antecedents.sources()
    with np.errstate(divide="ignore"):
        logs = np.log(antecedents.probabilities)
        odds = np.log(antecedents.new) - np.log(np.bincount(sources, antecedents.probabilities, m))
    highest = np.full(m, -math.inf)
    np.maximum.at(highest, sources, logs)
    return odds, logs - highest[sources], sources


# The losses of P(i ~ j) and P(new) against gold entities, and their derivatives by the sharpening.
#
# P(i ~ j) of all pairs follows from the antecedent distributions by the recursion F_ji = Σ_k P(a_j = k) F_ki (j > i),
# so its derivatives are computed backwards, from the last mention to the first. Let W_ji be the derivative of the loss
# by F_ji as far as F_ji occurs in the loss itself, and Λ_ji the total derivative, which includes the effect of F_ji on
# pairs with later mentions. Then Λ_ji = W_ji + Σ_{m>j} (P(a_m = j) Λ_mi + P(a_m = i) Λ_mj), and dL/dP(a_j = k) = Σ_i
# Λ_ji
# F_ki.

Score = Literal["squared", "log"]
SCORES = ("squared", "log")
MIN_PROBABILITY = 1e-12  # smallest probability in a logarithm
MAX_LOG_ODDS = 50.0  # largest log odds


@dataclass(frozen=True, slots=True)
class Losses:
    """Sums of losses over pairs and mentions, their numbers, and the derivatives by `links`, `new` and `offset`."""

    pairs: float
    new: float
    n_pairs: int
    n_mentions: int
    of_pairs: Floats
    of_new: Floats

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.pairs + other.pairs,
            self.new + other.new,
            self.n_pairs + other.n_pairs,
            self.n_mentions + other.n_mentions,
            self.of_pairs + other.of_pairs,
            self.of_new + other.of_new,
        )


def document_losses(antecedents: Antecedents, gold: Integers, sharpening: Sharpening, *, score: Score) -> Losses:
    """Compute the losses of a document after sharpening; gold (M,): the labels of its entities.

    score: "squared", Σ (P - y)², or "log", - Σ log of the probability of the truth.
    """
    m = len(antecedents)
    odds, logs, sources = log_odds(antecedents)
    odds = np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)
    free = (antecedents.new > 0.0) & (antecedents.new < 1.0)
    new = np.where(free, sigmoid(sharpening.new * odds + sharpening.offset), antecedents.new)
    shares = np.exp(sharpening.links * logs)
    shares /= np.maximum(np.bincount(sources, shares, m), 1.0)[sources]
    links = np.zeros((m, m))
    links[sources, antecedents.antecedents] = shares * (1.0 - new)[sources]
    sharpened = Antecedents(new, antecedents.starts, antecedents.antecedents, links[sources, antecedents.antecedents])
    together = pair_matrix(sharpened)
    below = np.tri(m, k=-1, dtype=np.bool_)
    of_pairs, slope = _loss_and_slope(together, gold[:, None] == gold, score)
    by_link = _propagate_slopes(links, np.where(below, slope, 0.0)) @ together
    of_link = by_link[sources, antecedents.antecedents]
    mean_log = np.bincount(sources, shares * logs, m)
    by_power = np.bincount(sources, (1.0 - new)[sources] * shares * of_link * (logs - mean_log[sources]), m)
    first = np.zeros(m, dtype=np.bool_)
    first[np.unique(gold, return_index=True)[1]] = True
    of_new, by_new = _loss_and_slope(new, first, score)
    moved = np.where(free, new * (1.0 - new), 0.0)
    by_odds = moved * -np.bincount(sources, shares * of_link, m)
    by_own_odds = moved * by_new
    return Losses(
        float(of_pairs[below].sum()),
        float(of_new.sum()),
        int(below.sum()),
        m,
        np.array([by_power.sum(), by_odds @ odds, by_odds.sum()]),
        np.array([0.0, by_own_odds @ odds, by_own_odds.sum()]),
    )


def _loss_and_slope(p: Floats, true: NDArray[np.bool_], score: Score) -> tuple[Floats, Floats]:
    """Return the loss of each probability, and the derivative of the loss."""
    if score == "squared":
        away = p - true
        return away * away, 2.0 * away
    right = np.maximum(np.where(true, p, 1.0 - p), MIN_PROBABILITY)
    return -np.log(right), np.where(right > MIN_PROBABILITY, np.where(true, -1.0, 1.0) / right, 0.0)


def _propagate_slopes(links: Floats, slope: Floats) -> Floats:
    """Return Λ (M, M), the total derivative of the loss by P(i ~ j), in the strictly lower triangle."""
    for j in range(len(links) - 2, 0, -1):
        slope[j, :j] += links[j + 1 :, j] @ slope[j + 1 :, :j] + slope[j + 1 :, j] @ links[j + 1 :, :j]
    return slope


# Fitting a sharpening to pairs of mentions, and to whether mentions are new.

POWERS, OFFSETS = (0.25, 4.0), (-3.0, 3.0)  # ranges of the search
START = (1.1, 1.0, -0.1)
BOUND_TOLERANCE = 1e-3
STEPS, SMALL = 60, 1e-5


def fit_sharpening(
    documents: Sequence[tuple[Antecedents, Integers]], *, score: Score, weight_of_new: float
) -> tuple[Sharpening, tuple[str, ...]]:
    """Fit a sharpening, and return it with notes on numbers that the documents do not determine.

    It minimises the loss of pairs plus `weight_of_new` times the loss of P(new), where each loss is divided by its
    value without sharpening. documents: antecedent distributions and gold labels.
    """
    from scipy.optimize import minimize

    before = _sum_losses(documents, Sharpening(), score)
    if not (before.pairs > 0.0 and before.new > 0.0 and _has_both_kinds(documents)):
        raise InputError(
            "the documents must contain pairs of mentions that corefer and pairs that do not, and the posterior must "
            "not be certain of all of them; give more documents."
        )

    def loss(at: Floats) -> tuple[float, Floats]:
        gradient_terms = _sum_losses(documents, Sharpening(*at.tolist()), score)
        value = gradient_terms.pairs / before.pairs + weight_of_new * gradient_terms.new / before.new
        return value, gradient_terms.of_pairs / before.pairs + weight_of_new * gradient_terms.of_new / before.new

    bounds = [POWERS, POWERS, OFFSETS]
    solution = minimize(
        loss,
        np.array(START),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": STEPS, "ftol": SMALL**2, "gtol": SMALL},
    ).x
    notes = [
        f"these documents do not determine {name}; its value {value:.2f} is a limit of the search"
        for name, value, ends in zip(("links", "new", "offset"), solution.tolist(), bounds, strict=True)
        if min(abs(value - end) for end in ends) < BOUND_TOLERANCE
    ]
    return Sharpening(*(round(value, 6) for value in solution.tolist())), tuple(notes)


def _sum_losses(documents: Sequence[tuple[Antecedents, Integers]], sharpening: Sharpening, score: Score) -> Losses:
    total = Losses(0.0, 0.0, 0, 0, np.zeros(3), np.zeros(3))
    for antecedents, gold in documents:
        total += document_losses(antecedents, gold, sharpening, score=score)
    return total


def _has_both_kinds(documents: Sequence[tuple[Antecedents, Integers]]) -> bool:
    """Return whether there are pairs that corefer, and pairs that do not."""
    entities = [len(np.unique(gold)) for _, gold in documents]
    return any(n < len(gold) for n, (_, gold) in zip(entities, documents, strict=True)) and any(n > 1 for n in entities)
