"""All pairs of a stream, added up by slot in one reading, by two threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from operator import add

import numpy as np

from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots
from howsure.data.predictions.streamed.in_turns import in_turns
from howsure.data.predictions.streamed.pair_stream import BadValue, Chunk, PairStream
from howsure.data.tables.database import THREADS


def added_up(stream: PairStream, advance: Callable[[int], None]) -> Slots:
    """The slots of all pairs; `advance` is told how many were read.

    Raises InputError at the first row that holds a value that must not be there.
    """
    adders = [SlotAdder() for _ in range(THREADS)]
    weightless = 0
    try:
        for rows, without in in_turns(stream.chunks(), [partial(_add, stream, adder) for adder in adders]):
            weightless += without
            advance(rows)
    except BadValue:
        raise stream.fault() from None
    return stream.weighed(replace(reduce(add, (adder.slots() for adder in adders)), weightless=weightless))


def _add(stream: PairStream, adder: SlotAdder, chunk: Chunk) -> tuple[int, int]:
    """The pairs of a chunk, and how many of them have weight 0."""
    stream.check(chunk)
    rows = len(chunk[0])
    if stream.weight is not None and not chunk[2].all():
        weigh = np.flatnonzero(chunk[2])
        chunk = [column[weigh] for column in chunk]
    with np.errstate(over="ignore"):  # of fourth powers of weights, which are refused then
        adder.add(*chunk)
    return rows, rows - len(chunk[0])
