"""The boundaries of bins: Algorithm 1 of Nguyen & O'Connor (2015), with a rule for ties.

A bin takes groups of equal predictions in ascending order until it contains at least `bin_size` pairs; then the next
one starts. A remainder that is too small is added to the last bin. A boundary is the largest prediction of its bin.
"""

from __future__ import annotations

import numpy as np

from howsure.calibration.bins.streamed import counts_below
from howsure.calibration.bins.streamed.counts_below import CountsBelow
from howsure.calibration.bins.streamed.grid import first_of_cells
from howsure.calibration.bins.streamed.sample import Sample
from howsure.calibration.bins.streamed.second_reading import SecondReading
from howsure.inputs.pairs import Floats, Integers

AHEAD = 1 << 16  # boundaries foreseen at a time


def boundaries_of_sorted(q: Floats, *, bin_size: int) -> Floats:
    """The boundaries between bins of sorted predictions, without the last bin's end."""
    n = len(q)
    last_of_group = np.append(np.flatnonzero(q[1:] != q[:-1]), n - 1)
    ends = last_of_group + 1
    if len(ends) == n:  # no ties: every bin but the last has exactly bin_size pairs
        return q[np.arange(1, n // bin_size) * bin_size - 1]
    boundaries = []
    start, tie_ends = 0, np.repeat(ends, np.diff(ends, prepend=0)).tolist()
    while n - start >= 2 * bin_size:
        end = tie_ends[start + bin_size - 1]
        if n - end < bin_size:
            break
        boundaries.append(end - 1)
        start = end
    return q[np.array(boundaries, dtype=np.int64)]


class Walk:
    """Find the adaptive boundaries from the counts of the cells, reading only the pairs near a boundary."""

    def __init__(self, counts: Integers, sample: Sample, reading: SecondReading, *, bin_size: int) -> None:
        self.n = int(counts.sum())
        self.counts = CountsBelow(first_of_cells(), np.append(0, np.cumsum(counts)))
        self.sample = sample
        self.reading = reading
        self.bin_size = bin_size
        self.start = 0  # where the bin that is open begins
        self.found: list[float] = []

    def boundaries(self) -> Floats:
        """The boundaries between bins, without the last bin's end."""
        if len(self.sample.heavy) and self.n >= 2 * self.bin_size:
            self.counts.count(self.reading, self.sample.heavy)
        while not self._close_bins():
            self.counts.forget_below(self.start)
            intervals = self._foreseen()
            values = self._values_in(intervals)
            if values.sum() > counts_below.VALUES_AT_ONCE and self._refine(intervals):
                continue
            fitting = np.cumsum(values) <= counts_below.VALUES_AT_ONCE
            fitting[0] = True
            self.counts.read(self.reading, intervals[fitting])
        return np.array(self.found)

    def _close_bins(self) -> bool:
        """Close bins as far as the ties at their ends are known; return whether these are all."""
        while self.n - self.start >= 2 * self.bin_size:
            last = self.counts.at(self.start + self.bin_size - 1)
            if not self.counts.is_one_value(last):
                return False
            end = int(self.counts.below[last + 1])
            if self.n - end < self.bin_size:
                break
            self.found.append(float(self.counts.edges[last]))
            self.start = end
        return True

    def _foreseen(self) -> Integers:
        """The intervals in which the next boundaries may fall.

        Two passes bound them: unknown ties lengthen the bins by half, or by twice, of what is usual near them.
        """
        wider = self.counts.wider()
        change = np.zeros(len(wider) + 1, dtype=np.int64)
        low = high = float(self.start)
        for _ in range(AHEAD):
            if self.n - low < 2 * self.bin_size:
                break
            first, low = self._step(low, 0.25)
            last, high = self._step(high, 1.0)
            change[first] += 1
            change[last + 1] -= 1
        return np.flatnonzero((np.cumsum(change[:-1]) > 0) & wider & (np.diff(self.counts.below) > 0))

    def _step(self, start: float, share: float) -> tuple[int, float]:
        """The interval where a bin from `start` ends, and about how many pairs lie up to there.

        A bin that ends in unknown ties is longer by a share of these; on average by one half.
        """
        position = min(int(start) + self.bin_size - 1, self.n - 1)
        interval = self.counts.at(position)
        if self.counts.is_one_value(interval):
            return interval, float(self.counts.below[interval + 1])
        tied_with = self.sample.tied_with(self.counts.edges[interval : interval + 1])
        return interval, start + self.bin_size + share * float(tied_with[0])

    def _values_in(self, intervals: Integers) -> Floats:
        """About how many different predictions lie in some intervals."""
        pairs = self.counts.below[intervals + 1] - self.counts.below[intervals]
        return pairs / (1.0 + self.sample.tied_with(self.counts.edges[intervals]))

    def _refine(self, intervals: Integers) -> bool:
        """Divide intervals at the sampled predictions within them; return whether there were any."""
        low, high = (self.sample.values.searchsorted(self.counts.edges[intervals + side]) for side in (0, 1))
        inside = np.zeros(len(self.sample.values) + 1, dtype=np.int64)
        np.add.at(inside, low, 1)
        np.add.at(inside, high, -1)
        chosen = np.cumsum(inside[:-1]) > 0
        values = self.sample.values[chosen]
        self.sample.values = self.sample.values[~chosen]
        if len(values):
            self.counts.count(self.reading, values)
        return len(values) > 0
