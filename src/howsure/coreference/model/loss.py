"""The training loss: the negative log-likelihood of latent antecedents, plain or with a margin."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.inputs.pairs import Floats

Loss = Literal["likelihood", "margin"]
FALSE_LINK, FALSE_NEW, WRONG_LINK = 0.1, 3.0, 1.0  # the margins of Durrett & Klein (2013)


def allowed_antecedents(entities: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(M, M): the correct choices of each mention: all earlier mentions of its entity, or "new" if there are none."""
    right: NDArray[np.bool_] = np.tril(entities[:, None] == entities[None, :], -1)
    np.fill_diagonal(right, ~right.any(axis=1))
    return right


def margins(right: NDArray[np.bool_]) -> Floats:
    """The cost of each wrong choice: a link of a new mention, "new" for an old one, a link to a wrong antecedent."""
    begins = np.diagonal(right)
    cost = np.where(begins[:, None], FALSE_LINK, WRONG_LINK) * ~right
    np.fill_diagonal(cost, np.where(begins, 0.0, FALSE_NEW))
    return cost


def loss_and_gradient(scores: Floats, right: NDArray[np.bool_], *, loss: Loss = "likelihood") -> tuple[float, Floats]:
    """- Σ_j log Σ_{k right for j} P(a_j = k), and its derivatives with respect to the scores.

    P(a_j = k) ∝ exp(score); with a margin exp(score + cost of the choice), so that correct choices must win by the cost
    (softmax-margin, Gimpel & Smith 2010). Scores are (M, M), -inf above the diagonal.
    """
    if loss == "margin":
        scores = scores + margins(right)
    chosen = probabilities(scores)
    among_right = np.where(right, chosen, 0.0)
    mass = among_right.sum(axis=1, keepdims=True)
    return -float(np.log(mass).sum()), chosen - among_right / mass


def probabilities(scores: Floats) -> Floats:
    """The distribution over choices in each row."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    normalised: Floats = weights / weights.sum(axis=1, keepdims=True)
    return normalised
