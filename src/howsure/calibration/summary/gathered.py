"""Pairs that come in chunks: kept while they are few, added up by slot when they are many."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from howsure.calibration.summary.cells import EXACT_UP_TO
from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots
from howsure.inputs.pairs import Chunk, Pairs, PairSource


def gathered(chunks: Iterable[Chunk]) -> Pairs | Slots:
    """The pairs of some chunks, up to `EXACT_UP_TO`, or the sums of more; checked probabilities and labels."""
    kept: list[Chunk] = []
    rows, adder = 0, SlotAdder()
    for q, y in chunks:
        kept.append((q, y))
        rows += len(y)
        if rows > EXACT_UP_TO:
            for chunk in kept:
                adder.add(*chunk)
            kept.clear()
    if rows > EXACT_UP_TO:
        return adder.slots()
    kept.append((np.empty(0), np.empty(0, dtype=np.uint8)))  # of no chunks, too
    return Pairs(np.concatenate([y for _, y in kept]), np.concatenate([q for q, _ in kept]))


def held(pairs: Pairs | PairSource | Slots) -> Pairs | Slots:
    """Pairs or sums, whatever handed them over."""
    return pairs if isinstance(pairs, Pairs | Slots) else gathered(pairs.chunks())
