"""All pairs of a stream, added up by slot in one reading, by two threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add

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
    try:
        for rows in in_turns(stream.chunks(), [partial(_add, stream, adder) for adder in adders]):
            advance(rows)
    except BadValue:
        raise stream.fault() from None
    return reduce(add, (adder.slots() for adder in adders))


def _add(stream: PairStream, adder: SlotAdder, chunk: Chunk) -> int:
    stream.check(chunk)
    adder.add(*chunk)
    return len(chunk[0])
