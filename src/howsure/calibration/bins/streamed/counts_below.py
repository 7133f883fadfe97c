"""The number of predictions below given values: known at the edges of the grid's cells, refined by reading again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins.streamed.second_reading import SecondReading
from howsure.inputs.pairs import Floats, Integers

VALUES_AT_ONCE = 1 << 19  # how many distinct predictions are held in memory at a time, about


class CountsBelow:
    """Intervals [edges[i], edges[i + 1]) of predictions, with the number of predictions below every edge.

    An interval that contains only one number is a group of ties, about which everything is known.
    """

    def __init__(self, edges: Floats, below: Integers) -> None:
        self.edges, self.below = edges, below

    def at(self, position: int) -> int:
        """The interval that contains a position of the sorted predictions, counted from 0."""
        return int(self.below.searchsorted(position, side="right")) - 1

    def is_one_value(self, interval: int) -> bool:
        """Whether all predictions of an interval are equal."""
        return bool(self.edges[interval + 1] == np.nextafter(self.edges[interval], 2.0))

    def wider(self) -> npt.NDArray[np.bool_]:
        """Which of the intervals have room for different predictions."""
        return np.diff(self.edges.view(np.int64)) > 1  # floats above zero follow each other as their bits do

    def forget_below(self, position: int) -> None:
        """Drop the intervals before the one that contains a position."""
        first = self.at(position)
        self.edges, self.below = self.edges[first:], self.below[first:]

    def count(self, reading: SecondReading, values: Floats) -> None:
        """Read the pairs again and count those equal to and below each of some ascending values."""
        of_value = self.edges.searchsorted(values, side="right") - 1
        inside = (of_value >= 0) & self.wider()[of_value]
        new = _with_next(values[inside])
        intervals = np.unique(of_value[inside])
        before = np.zeros(len(new), dtype=np.int64)
        for q in self._sorted_rows(reading, intervals):
            before += q.searchsorted(new)
        self._insert(new, before, intervals)

    def read(self, reading: SecondReading, intervals: Integers) -> None:
        """Read the pairs again, and determine the contents of the first intervals, as many as memory allows."""
        parts: list[tuple[Floats, Integers]] = []
        pending = 0
        for rows in self._sorted_rows(reading, intervals):
            q = rows[: rows.searchsorted(self.edges[intervals[-1] + 1])]
            parts.append(_distinct(q, np.ones(len(q), dtype=np.int64)))
            pending += len(parts[-1][0])
            if pending > VALUES_AT_ONCE:
                parts, intervals = self._within_memory(parts, intervals)
                pending = 0
        [(values, counts)], intervals = self._within_memory(parts, intervals)
        ends = np.cumsum(counts)
        self._insert(_with_next(values), np.stack([ends - counts, ends], axis=1).ravel(), intervals)

    def _within_memory(
        self, parts: list[tuple[Floats, Integers]], intervals: Integers
    ) -> tuple[list[tuple[Floats, Integers]], Integers]:
        """The parts as one, without the last intervals if it holds too many values."""
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        values, counts = _distinct(columns[0][order], columns[1][order])
        ends = values.searchsorted(self.edges[intervals + 1])
        fitting = max(int(ends.searchsorted(VALUES_AT_ONCE, side="right")), 1)
        held = int(ends[:fitting][-1])
        return [(values[:held], counts[:held])], intervals[:fitting]

    def _insert(self, new: Floats, before: Integers, intervals: Integers) -> None:
        """Add edges inside some intervals, `before` counting the predictions of these intervals that lie below."""
        counts = np.zeros(len(self.edges), dtype=np.int64)
        counts[intervals] = self.below[intervals + 1] - self.below[intervals]
        others_below = self.below - (np.cumsum(counts) - counts)
        below = before + others_below[self.edges.searchsorted(new, side="right") - 1]
        self.edges, first = np.unique(np.concatenate([self.edges, new]), return_index=True)
        self.below = np.concatenate([self.below, below])[first]

    def _sorted_rows(self, reading: SecondReading, intervals: Integers) -> Iterator[Floats]:
        """The predictions within some intervals, a chunk at a time, each chunk ascending."""
        bounds = np.stack([self.edges[intervals], self.edges[intervals + 1]], axis=1).ravel()
        for probabilities, _ in reading.near(bounds[::2], bounds[1::2]):
            q = np.sort(probabilities)
            yield q[bounds.searchsorted(q, side="right") % 2 == 1]


def _with_next(values: Floats) -> Floats:
    """Values that ascend, each before the number that follows it."""
    return np.stack([values, np.nextafter(values, 2.0)], axis=1).ravel()


def _distinct(ascending: Floats, counts: Integers) -> tuple[Floats, Integers]:
    """The distinct values of an ascending array, and their counts added up."""
    starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)])
    return ascending[starts], np.add.reduceat(counts, starts) if len(starts) else counts
