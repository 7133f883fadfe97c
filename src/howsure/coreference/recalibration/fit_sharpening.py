"""The sharpening under which pairs of mentions, and whether a mention is new, are predicted best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.coreference.recalibration.losses import Losses, Score, losses_of
from howsure.coreference.recalibration.sharpening import Sharpening
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers

POWERS, OFFSETS = (0.25, 4.0), (-3.0, 3.0)  # where it is searched
START = (1.1, 1.0, -0.1)
AT_THE_END = 1e-3
STEPS, SMALL = 60, 1e-5


def fit_sharpening(
    documents: Sequence[tuple[Antecedents, Integers]],
    *,
    score: Score,
    weight_of_new: float,
) -> tuple[Sharpening, tuple[str, ...]]:
    """The sharpening of least loss: that of the pairs, and `weight_of_new` times that of P(new), each divided by what
    it is without one; and notes of what the documents could not tell.

    documents: antecedent distributions and gold labels.

    Raises InputError if no mention of the documents refers back to another, or every one does that can.
    """
    from scipy.optimize import minimize

    before = _summed(documents, Sharpening(), score)
    if not (before.pairs > 0.0 and before.new > 0.0 and _both(documents)):
        raise InputError(
            "the documents must hold pairs of mentions that corefer and pairs that do not, and the posterior must not "
            "be certain of all of them; give more documents."
        )

    def loss(at: Floats) -> tuple[float, Floats]:
        found = _summed(documents, Sharpening(*at.tolist()), score)
        value = found.pairs / before.pairs + weight_of_new * found.new / before.new
        return value, found.of_pairs / before.pairs + weight_of_new * found.of_new / before.new

    bounds = [POWERS, POWERS, OFFSETS]
    found = minimize(
        loss, np.array(START), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": STEPS, "ftol": SMALL**2, "gtol": SMALL},
    ).x  # fmt: skip
    notes = [
        f"{name} is at the end of what is searched, {value:.2f}: these documents cannot tell it"
        for name, value, ends in zip(("links", "new", "offset"), found.tolist(), bounds, strict=True)
        if min(abs(value - end) for end in ends) < AT_THE_END
    ]
    return Sharpening(*(round(value, 6) for value in found.tolist())), tuple(notes)


def _summed(
    documents: Sequence[tuple[Antecedents, Integers]],
    sharpening: Sharpening,
    score: Score,
) -> Losses:
    total = Losses(0.0, 0.0, 0, 0, np.zeros(3), np.zeros(3))
    for antecedents, gold in documents:
        total += losses_of(antecedents, gold, sharpening, score=score)
    return total


def _both(documents: Sequence[tuple[Antecedents, Integers]]) -> bool:
    """Whether there are pairs that corefer, and pairs that do not."""
    entities = [len(np.unique(gold)) for _, gold in documents]
    return any(n < len(gold) for n, (_, gold) in zip(entities, documents, strict=True)) and any(n > 1 for n in entities)
