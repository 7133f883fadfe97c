"""Sharpen or flatten antecedent distributions so that pairs and new mentions are calibrated."""

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

# Make antecedent distributions sharper or flatter, and "new" more or less probable.

MAX_PARAMETER = 100  # limit of accepted numbers; fitted ones are smaller


@dataclass(frozen=True, slots=True)
class Sharpening:
    """Three numbers that change an antecedent distribution; 1, 1 and 0 change nothing.

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
        """The changed distributions; probabilities of 0 and 1 stay unchanged."""
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
        """Build from the result of `to_dict`. Raises KeyError, TypeError or InputError for anything else."""
        return cls(links=state["links"], new=state["new"], offset=state["offset"])


def log_odds(antecedents: Antecedents) -> tuple[Any, Any, Any]:
    """log P(new) / P(not new) of each mention (M,); log P(a_j = k) less the highest of row j, of each link (L,); and
    the mention that each link starts from (L,)."""
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
# so its derivatives follow backwards, from the last mention to the first: with Λ_ji = dL/dF_ji of what comes directly
# and through later mentions, Λ_ji = W_ji + Σ_{m>j} (P(a_m = j) Λ_mi + P(a_m = i) Λ_mj), and dL/dP(a_j = k) = Σ_i Λ_ji
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
    """The losses of one document under a sharpening; gold (M,): the labels of its entities.

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
    """The loss of each probability, and its derivative."""
    if score == "squared":
        away = p - true
        return away * away, 2.0 * away
    right = np.maximum(np.where(true, p, 1.0 - p), MIN_PROBABILITY)
    return -np.log(right), np.where(right > MIN_PROBABILITY, np.where(true, -1.0, 1.0) / right, 0.0)


def _propagate_slopes(links: Floats, slope: Floats) -> Floats:
    """Λ (M, M), strictly lower: the total effect of a change of P(i ~ j), including that through later mentions."""
    for j in range(len(links) - 2, 0, -1):
        slope[j, :j] += links[j + 1 :, j] @ slope[j + 1 :, :j] + slope[j + 1 :, j] @ links[j + 1 :, :j]
    return slope


# The sharpening that best predicts pairs of mentions and whether mentions are new.

POWERS, OFFSETS = (0.25, 4.0), (-3.0, 3.0)  # range of the search
START = (1.1, 1.0, -0.1)
BOUND_TOLERANCE = 1e-3
STEPS, SMALL = 60, 1e-5


def fit_sharpening(
    documents: Sequence[tuple[Antecedents, Integers]], *, score: Score, weight_of_new: float
) -> tuple[Sharpening, tuple[str, ...]]:
    """The sharpening that minimises the loss of pairs plus `weight_of_new` times the loss of P(new), each divided by
    its value without sharpening; and notes on numbers that the documents do not determine.

    documents: antecedent distributions and gold labels.

    Raises InputError if no mention of the documents refers back to another, or if every mention that can does so.
    """
    from scipy.optimize import minimize

    before = _sum_losses(documents, Sharpening(), score)
    if not (before.pairs > 0.0 and before.new > 0.0 and _has_both_kinds(documents)):
        raise InputError(
            "the documents must contain pairs of mentions that corefer and pairs that do not, and the posterior must "
            "not "
            "be certain of all of them; give more documents."
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
        f"{name} is at the end of what is searched, {value:.2f}: these documents do not determine it"
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
    """Whether there are pairs that corefer, and pairs that do not."""
    entities = [len(np.unique(gold)) for _, gold in documents]
    return any(n < len(gold) for n, (_, gold) in zip(entities, documents, strict=True)) and any(n > 1 for n in entities)
