"""Streamed pairs sorted by their group into scratch files, in one pass, so that each group is then read alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from howsure.data.predictions.stream import PairStream
from howsure.data.tables.database import Database
from howsure.inputs.pairs import CHUNK_ROWS, Chunk, Floats, Integers, Labels

PROBABILITIES, LABELS = "probabilities", "labels"  # files in the scratch folder: 8 bytes and 1 byte a pair


@dataclass(frozen=True, slots=True)
class StoredPairs:
    """The pairs of one group: a `PairSource` that reads the rows from `start` to `stop` of the scratch files."""

    database: Database  # held, so that its scratch folder stays
    start: int
    stop: int

    def chunks(self) -> Iterator[Chunk]:
        """The pairs, one chunk at a time, in the order of the files."""
        folder = self.database.folder
        for start in range(self.start, self.stop, CHUNK_ROWS):
            rows = min(CHUNK_ROWS, self.stop - start)
            yield (
                np.fromfile(folder / PROBABILITIES, np.float64, rows, offset=8 * start),
                np.fromfile(folder / LABELS, np.uint8, rows, offset=start),
            )


def stored_by_group(stream: PairStream, sizes: dict[str, int]) -> dict[str, StoredPairs]:
    """The pairs of every group of a stream, by its name; `sizes` are the pairs of all groups."""
    database = stream.selection.table.database
    stops = np.cumsum(list(sizes.values()))
    free = stops - list(sizes.values())  # where the next pair of each group goes
    starts = free.tolist()
    with open(database.folder / PROBABILITIES, "wb") as probabilities, open(database.folder / LABELS, "wb") as labels:
        for codes, some_probabilities, some_labels in stream.coded_chunks(tuple(sizes)):
            order = np.argsort(codes.astype(np.min_scalar_type(len(sizes))), kind="stable")
            counts = np.bincount(codes, minlength=len(sizes))
            _write_runs(probabilities, some_probabilities[order], free, counts)
            _write_runs(labels, some_labels[order], free, counts)
            free += counts
    ranges = zip(sizes, starts, stops.tolist(), strict=True)
    return {name: StoredPairs(database, start, stop) for name, start, stop in ranges}


def _write_runs(file: IO[bytes], values: Floats | Labels, places: Integers, counts: Integers) -> None:
    """Write values that lie group after group, each group's at its place."""
    start = 0
    for place, count in zip(places.tolist(), counts.tolist(), strict=True):
        if count:
            file.seek(place * values.itemsize)
            file.write(values[start : start + count].tobytes())
            start += count
