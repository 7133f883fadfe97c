"""Streamed pairs sorted by group into scratch files, in one reading, so that each group is then added up alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import IO, Any

import numpy as np

from howsure.calibration.summary.slot_adder import slots_of
from howsure.calibration.summary.slots import Slots
from howsure.data.predictions.groups import enum_sql
from howsure.data.predictions.streamed.in_turns import in_turns
from howsure.data.predictions.streamed.pair_stream import BadValue, Chunk, PairStream
from howsure.data.tables.database import THREADS
from howsure.inputs.pairs import Floats, Integers, Pairs

FILES = ("pairs", "weights")  # in the scratch folder, 8 bytes a pair each; the sign of a probability is its label
CHUNKS_HELD = 16  # sorted chunks that are written together: longer runs of each group


class StoredGroups:
    """The pairs of every group of a stream, one group after the other; `sizes` are the pairs of all groups.

    The scratch folder lives as long as this does.
    """

    def __init__(self, stream: PairStream, sizes: dict[str, int]) -> None:
        self._stream, self._sizes = stream, sizes
        self._starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
        self._folder = stream.selection.table.database.folder
        self._names = FILES[: 1 if stream.weight is None else 2]
        self._stored = False

    def slots(self, group: str, advance: Callable[[int], None]) -> Slots:
        """The slots of a group. The first one costs a reading of the files; `advance` is told how many rows were read.

        Raises InputError at the first row that holds a value that must not be there.
        """
        if not self._stored:
            self._store(advance)
            self._stored = True
        start, rows = self._starts[group], self._sizes[group]
        signed, weights = (self._read(name, start, rows) for name in FILES)
        assert signed is not None
        found = slots_of(Pairs(np.signbit(signed).view(np.uint8), np.abs(signed), weights))
        return self._stream.weighed(found, group)

    def _read(self, name: str, start: int, rows: int) -> Floats | None:
        return np.fromfile(self._folder / name, np.float64, rows, offset=8 * start) if name in self._names else None

    def _store(self, advance: Callable[[int], None]) -> None:
        stream, held = self._stream, list[list[Any]]()
        assert stream.group is not None
        codes = enum_sql(stream.selection.table.connection, stream.group.text, tuple(self._sizes))
        free = np.array(list(self._starts.values()))  # where the next pair of each group goes
        files = [open(self._folder / name, "wb") for name in self._names]  # noqa: SIM115
        try:
            for runs in in_turns(stream.chunks(codes), [partial(_sorted, stream, len(self._sizes))] * THREADS):
                held.append(runs)
                advance(len(runs[1]))
                if len(held) == CHUNKS_HELD:
                    _write(files, held, free)
                    held.clear()
            _write(files, held, free)
        except BadValue:
            raise stream.fault() from None
        finally:
            for file in files:
                file.close()


def _sorted(stream: PairStream, groups: int, chunk: Chunk) -> list[Any]:
    """Where each group begins in a chunk sorted by them, its pairs, and weights if there are any."""
    stream.check(chunk)
    probabilities, labels, *weights, codes = chunk
    order = np.argsort(codes.astype(np.min_scalar_type(groups)), kind="stable")
    bounds = np.cumsum(np.bincount(codes + np.uint32(1), minlength=groups + 1))
    signed = np.copysign(probabilities, 0.5 - labels)
    return [bounds, *(column[order] for column in (signed, *weights))]


def _write(files: Sequence[IO[bytes]], held: list[list[Any]], free: Integers) -> None:
    """Write what sorted chunks hold of each group where the next pair of the group goes."""
    if not held:
        return
    bounds = np.array([runs[0] for runs in held])
    rows = np.diff(bounds).sum(axis=0)
    for group in np.flatnonzero(rows).tolist():
        cuts = [slice(start, stop) for start, stop in bounds[:, group : group + 2].tolist()]
        for column, file in enumerate(files, 1):
            file.seek(8 * int(free[group]))
            file.write(np.concatenate([runs[column][cut] for runs, cut in zip(held, cuts, strict=True)]).data)
    free += rows
