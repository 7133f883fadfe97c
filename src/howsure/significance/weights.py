"""Bootstrap weights: how often each unit is drawn, replicate by replicate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.significance.metrics import Floats
from howsure.significance.units import Units
from howsure.stats.pairs import Integers

CHUNK_CELLS = 1 << 20  # weights in memory at once: 8 MB
ROWS_A_UNIT = 8  # from so many rows a unit on, one multinomial draw is faster than drawing and counting the rows


def bootstrap_weights(
    units: Units, n_resamples: int, rng: np.random.Generator, *, size: int | None = None
) -> Iterator[Floats]:
    """Draw rows with replacement, in every stratum as many as it has (or `size` in all): (replicates, units) at a time.

    The counts of the units in a draw are multinomial; where there are few rows a unit, drawing the rows and counting
    them gives the same law sooner.
    """
    chunk = max(1, min(n_resamples, CHUNK_CELLS // len(units)))
    ends = [*units.starts[1:].tolist(), len(units)]
    strata = [(units.counts[a:b], slice(a, b)) for a, b in zip(units.starts.tolist(), ends, strict=True)]
    for start in range(0, n_resamples, chunk):
        weights = np.empty((min(chunk, n_resamples - start), len(units)))
        for counts, columns in strata:
            _draw(counts, weights[:, columns], rng, int(counts.sum()) if size is None else size)
        yield weights


def _draw(counts: Integers, out: Floats, rng: np.random.Generator, size: int) -> None:
    n = int(counts.sum())
    if size >= ROWS_A_UNIT * len(counts):
        out[:] = rng.multinomial(size, counts / n, size=len(out))
        return
    small = np.uint16 if n <= 1 << 16 else np.uint32
    unit_of_row = None if n == len(counts) else np.repeat(np.arange(len(counts)), counts)
    rows = rng.integers(0, n, size=(len(out), size), dtype=small)
    for row, replicate in zip(rows, out, strict=True):
        drawn = row if unit_of_row is None else unit_of_row[row]
        replicate[:] = np.bincount(drawn, minlength=len(counts))
