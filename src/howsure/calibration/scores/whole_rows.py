"""The scores of all classes, from the sums of the pairs of whole rows: every class of each, one of them right."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from howsure.calibration.summary.slots import Slots
from howsure.inputs.classes import CLASS_WISE


def holds_whole_rows(slots: Slots) -> bool:
    """Whether pairs are those of all classes of some rows: in each row, probabilities sum to 1 and one label is 1.

    Of one class alone, predictions and labels have the same sum up to chance, never to the ninth digit.
    """
    if slots.reduction != CLASS_WISE or slots.positive is not None:
        return False
    predicted = float((slots.means()[0] * slots.count).sum())
    return math.isclose(predicted, float(slots.count[slots.label == 1].sum()), rel_tol=1e-9)


def losses_of_whole_rows(slots: Slots) -> tuple[float, float]:
    """The mean over the rows of Σ (probability - label)² over the classes, and of -log P(right class), whether or not
    the pairs are weighted by their probabilities."""
    _, u, variance = slots.means()
    true = slots.label == 1
    right = replace(
        slots,
        slot=slots.slot[true],
        sums=slots.sums[:, true],
        weights=None if slots.weights is None else _each_once(slots)[:, true],
    )
    rows = len(right)
    brier = float((slots.count * (u * u + variance)).sum()) / rows
    return brier, math.inf if right.infinite_rows else right.log_sum() / rows


def _each_once(slots: Slots) -> np.typing.NDArray[np.float64]:
    """The weights of slots, in each of which all pairs weigh alike, if they weighed 1."""
    assert slots.weights is not None
    unit = slots.weights[0] / slots.count
    counts = np.broadcast_to(slots.count, (4, len(slots.slot)))
    return np.concatenate([counts, slots.weights[4:] / unit])
