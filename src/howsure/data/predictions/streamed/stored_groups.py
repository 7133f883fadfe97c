"""Streamed pairs sorted by their group into scratch files, in one reading, so that each group is then added up alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

import numpy as np

from howsure.calibration.summary.slots import Slots
from howsure.data.predictions.groups import enum_sql
from howsure.data.predictions.streamed.in_turns import in_turns
from howsure.data.predictions.streamed.pair_stream import BadValue, Chunk, PairStream
from howsure.data.tables.database import THREADS, Database
from howsure.inputs.pairs import Floats, Integers

PAIRS, WEIGHTS = "pairs", "weights"  # files in the scratch folder: 8 bytes a pair each
CHUNKS_HELD = 16  # sorted chunks that are written together: longer runs of each group


@dataclass(frozen=True, slots=True)
class StoredGroups:
    """The pairs of every group, one group after the other: a probability whose sign is the label, and weights."""

    database: Database  # held, so that its scratch folder stays
    places: dict[str, tuple[int, int]]  # the first pair of each group, and how many there are
    weighted: bool

    def slots(self, group: str) -> Slots:
        """The slots of a group."""
        start, rows = self.places[group]
        signed, weights = self._read(PAIRS, start, rows), None
        if self.weighted:
            weights = self._read(WEIGHTS, start, rows)
        return slots_of(np.abs(signed), np.signbit(signed).view(np.uint8), weights)

    def _read(self, name: str, start: int, rows: int) -> Floats:
        return np.fromfile(self.database.folder / name, np.float64, rows, offset=8 * start)


def stored_by_group(stream: PairStream, sizes: dict[str, int], advance: Callable[[int], None]) -> StoredGroups:
    """The pairs of every group of a stream; `sizes` are the pairs of all groups, `advance` is told what was read.

    Raises InputError at the first row that holds a value that must not be there.
    """
    assert stream.group is not None
    database, weighted = stream.selection.table.database, stream.weight is not None
    starts = np.cumsum([0, *sizes.values()])
    names = [PAIRS, WEIGHTS][: 1 + weighted]
    codes = enum_sql(stream.selection.table.connection, stream.group.text, tuple(sizes))
    files = [open(database.folder / name, "wb") for name in names]  # noqa: SIM115
    try:
        work = partial(_sorted, stream, len(sizes))
        free, held = starts[:-1].copy(), []
        for runs in in_turns(stream.chunks(codes), [work] * THREADS):
            held.append(runs)
            advance(int(runs[0][-1]))
            if len(held) == CHUNKS_HELD:
                _write(files, held, free)
                held = []
        _write(files, held, free)
    except BadValue:
        raise stream.fault() from None
    finally:
        for file in files:
            file.close()
    places = zip(starts.tolist(), sizes.values(), strict=False)
    return StoredGroups(database, dict(zip(sizes, places, strict=True)), weighted)


def _sorted(stream: PairStream, groups: int, chunk: Chunk) -> list[Any]:
    """Where the groups begin in a chunk that is sorted by them, its pairs, and weights if there are any."""
    stream.check(chunk)
    probabilities, labels, *weights, codes = chunk
    order = np.argsort(codes.astype(np.min_scalar_type(groups)), kind="stable")
    bounds = np.cumsum(np.bincount(codes + 1, minlength=groups + 1))
    signed = np.copysign(probabilities, 0.5 - labels)
    return [bounds, *(column[order] for column in (signed, *weights))]


def _write(files: list[IO[bytes]], held: list[list[Any]], free: Integers) -> None:
    """Write what sorted chunks hold of each group where the next pair of the group goes."""
    bounds = np.array([runs[0] for runs in held]).reshape(len(held), -1)
    for group in np.flatnonzero((bounds[:, -1:] if not len(held) else bounds[:, 1:] > bounds[:, :-1]).any(axis=0)):
        for column, file in enumerate(files, 1):
            ...
