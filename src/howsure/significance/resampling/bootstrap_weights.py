"""Bootstrap weights: how often each unit is drawn, replicate by replicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from howsure.inputs.pairs import Integers
from howsure.significance.metrics.metric import Floats
from howsure.significance.resampling.units import Units

CHUNK_CELLS = 1 << 20  # weights in memory at once: 8 MB
ROWS_A_UNIT = 8  # with fewer rows per unit, drawing the rows and counting them is fastest
FEW_UNITS = 20  # up to so many and half the root of the rows, numpy's multinomial is
SPARE = 5.0  # standard deviations by which the total of Poisson draws is kept below the rows wanted


def bootstrap_weights(
    units: Units, n_resamples: int, rng: np.random.Generator, *, size: int | None = None
) -> Iterator[Floats]:
    """Draw rows with replacement, from every stratum as many as it has (or `size` in total), as arrays (replicates,
    units).

    The counts of the units in a draw are multinomial, generated in whichever of three exact ways is fastest: rows drawn
    and counted, numpy's multinomial, or Poisson counts of nearly as many rows (which are multinomial given their total)
    and the rest drawn as rows.
    """
    chunk = max(1, min(n_resamples, CHUNK_CELLS // len(units)))
    ends = [*units.starts[1:].tolist(), len(units)]
    strata = [slice(a, b) for a, b in zip(units.starts.tolist(), ends, strict=True)]
    small = [one for one in strata if units.counts[one].sum() < ROWS_A_UNIT * (one.stop - one.start)]
    together = _Together(units.counts, small) if len(strata) > 1 and small else None
    for start in range(0, n_resamples, chunk):
        weights = np.zeros((min(chunk, n_resamples - start), len(units)))
        if together is not None:
            together.draw(weights, rng)
        for columns in strata if together is None else (one for one in strata if one not in small):
            counts = units.counts[columns]
            _draw(counts, weights[:, columns], rng, int(counts.sum()) if size is None else size)
        yield weights


class _Together:
    """Small strata, drawn together: from each, as many rows as it has."""

    def __init__(self, counts: Integers, strata: Sequence[slice]) -> None:
        sizes = np.array([counts[one].sum() for one in strata])
        places = np.concatenate([np.arange(one.start, one.stop) for one in strata])
        self._unit_of_row = np.repeat(places, counts[places])
        self._size, self._first = np.repeat(sizes, sizes), np.repeat(np.cumsum(sizes) - sizes, sizes)

    def draw(self, out: Floats, rng: np.random.Generator) -> None:
        at_once = max(1, CHUNK_CELLS // len(self._size))
        for start in range(0, len(out), at_once):
            part = out[start : start + at_once]
            rows = self._first + rng.integers(0, self._size, size=(len(part), len(self._size)))
            cells = self._unit_of_row[rows] + np.arange(len(part))[:, None] * part.shape[1]
            part += np.bincount(cells.ravel(), minlength=part.size).reshape(part.shape)


def _draw(counts: Integers, out: Floats, rng: np.random.Generator, size: int) -> None:
    n, units = int(counts.sum()), len(counts)
    if size < ROWS_A_UNIT * units:
        out[:] = 0.0
        _add_rows(counts, out, rng, np.full(len(out), size))
    elif units < FEW_UNITS + np.sqrt(size) / 2:
        out[:] = rng.multinomial(size, counts / n, size=len(out))
    else:
        rates = counts * ((size - SPARE * np.sqrt(size)) / n)
        out[:] = rng.poisson(rates, size=out.shape)
        while (over := np.flatnonzero(out.sum(axis=1) > size)).size:
            out[over] = rng.poisson(rates, size=(len(over), units))
        _add_rows(counts, out, rng, size - out.sum(axis=1).astype(np.int64))


def _add_rows(counts: Integers, out: Floats, rng: np.random.Generator, numbers: Integers) -> None:
    """Draw the given number of rows for each replicate, and add them to the counts of their units."""
    n = int(counts.sum())
    unit_of_row = None if n == len(counts) else np.repeat(np.arange(len(counts)), counts)
    rows = rng.integers(0, n, size=int(numbers.sum()), dtype=np.uint32)
    ends = np.cumsum(numbers).tolist()
    for start, stop, replicate in zip([0, *ends], ends, out, strict=False):
        drawn = rows[start:stop] if unit_of_row is None else unit_of_row[rows[start:stop]]
        replicate += np.bincount(drawn, minlength=len(counts))
