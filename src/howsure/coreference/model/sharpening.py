"""From scores to antecedent distributions, sharpened so that pairs of mentions are calibrated."""

from __future__ import annotations

import numpy as np

from howsure.coreference.model.loss import probabilities
from howsure.inputs.pairs import Floats


def sharpened(scores: Floats, sharpness: float, *, two_steps: bool) -> Floats:
    """P(a_j = k) from scores (M, M), antecedents below the diagonal and "new" on it, with probabilities to the power s.

    In two steps, first whether j is new, P(new)^s / (P(new)^s + P(not new)^s), then which antecedent it has, P(a_j =
    k)^s / Σ_k P(a_j = k)^s; otherwise all choices at once, which favours "new", a single choice, over the antecedents,
    which are many.
    """
    sharp = probabilities(sharpness * scores)
    if not two_steps:
        return sharp
    learned = probabilities(scores)
    new, old = np.diagonal(learned) ** sharpness, np.tril(learned, -1).sum(axis=1) ** sharpness
    links = np.tril(sharp, -1)
    total = links.sum(axis=1)
    links *= (np.divide(old, total, out=np.zeros_like(old), where=total > 0) / (new + old))[:, None]
    np.fill_diagonal(links, new / (new + old))
    return links
