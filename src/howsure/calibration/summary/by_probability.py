"""Pairs weighted by their own probabilities: what a text that the model writes would meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from howsure.calibration.summary.cells import LAST, LOG_UNIT
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError
from howsure.inputs.pairs import NOTHING


def by_probability(slots: Slots) -> Slots:
    """The same pairs, each with its probability as its weight, taken to be the same within a slot; pairs of no
    probability are weightless.

    Raises InputError for pairs that have weights.
    """
    if slots.weights is not None:
        raise InputError("the pairs have weights already, and are not weighted by their probabilities too.")
    weighs = slots.means()[0] > NOTHING
    held = replace(slots, slot=slots.slot[weighs], sums=slots.sums[:, weighs])
    q, number = held.means()[0], held.count
    (t, variance), (_, _, _, logs, infinite) = held.root, held.sums
    fraction = t - np.minimum(held.cell, LAST - held.cell)
    w = number * q
    weights = [w, w * q, w * q**2, w * q**3, w * fraction, w * (variance + fraction**2), q * logs / LOG_UNIT]
    none = np.zeros_like(number)
    sums = np.stack([number, none, none, none, infinite])
    return replace(held, sums=sums, weights=np.stack(weights), weightless=len(slots) - len(held))
