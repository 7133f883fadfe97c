"""What the labels differ by from what is expected of them, and how far that varies by chance, in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins.boundaries import boundaries_of_sorted
from howsure.inputs.pairs import Floats, Integers, Pairs

BLOCKS = 256
MOST_STRATA, STRATUM_ROWS = 200, 50
WHOLE, DIAGONAL = "whole", "diagonal"


@dataclass(frozen=True, slots=True)
class Residuals:
    """The rows of a search.

    values (n,): w (y - r(q)), with r(q) = q ("diagonal"), or q plus the mean gap of the whole at such predictions
    ("whole"). strata (n,): the stretch of predictions of each row. shift (strata,): the whole's mean y - q. blocks
    (n,): the block of each row: whole clusters, or single rows at random. powers: 1, w, w², w³ of each row, None where
    all are 1. totals (4, strata): their sums. variance, third (strata,): the mean r (1 - r) and r (1 - r)(1 - 2 r).
    by_block (blocks, strata): the sums of the values.
    """

    values: Floats
    strata: Integers
    shift: Floats
    blocks: Integers
    powers: tuple[Floats | None, ...]
    totals: Floats
    variance: Floats
    third: Floats
    by_block: Floats
    against: str
    clustered: bool

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return len(self.by_block)

    @property
    def n_strata(self) -> int:
        """The number of stretches of predictions."""
        return len(self.variance)


def residuals_of(pairs: Pairs, *, against: str, rng: np.random.Generator) -> Residuals:
    """The residuals of checked pairs, all of which weigh.

    The whole's gap is its mean over stretches of at least 50 rows with similar predictions (at most 200 stretches), and
    is added to each row's own prediction.
    """
    q, y, n = pairs.probabilities, pairs.labels, len(pairs)
    size = max(STRATUM_ROWS, n // MOST_STRATA)
    edges = boundaries_of_sorted(np.sort(q), bin_size=size) if n >= 2 * size else np.empty(0)
    strata = np.searchsorted(edges, q, side="left")
    k = len(edges) + 1
    w = pairs.weights
    powers = (None, None, None, None) if w is None else (None, w, w**2, w**3)
    totals = np.array([np.bincount(strata, weights=one, minlength=k) for one in powers], dtype=np.float64)
    gaps, r, shift = y - q, q, np.zeros(k)
    if against == WHOLE:
        shift = np.bincount(strata, weights=gaps if w is None else w * gaps, minlength=k) / totals[1]
        gaps = gaps - shift[strata]
        r = np.clip(q + shift[strata], 0.0, 1.0)
    spread = r * (1 - r)
    variance = np.bincount(strata, weights=spread, minlength=k) / totals[0]
    third = np.bincount(strata, weights=spread * (1 - 2 * r), minlength=k) / totals[0]
    if against == WHOLE:  # the shift was estimated from the same rows
        variance *= totals[0] / np.maximum(totals[0] - 1, 1)
    values = gaps if w is None else w * gaps
    blocks = _blocks(pairs.clusters, n, rng)
    n_blocks = int(blocks.max()) + 1
    by_block: Floats = np.bincount(blocks * k + strata, weights=values, minlength=n_blocks * k).astype(np.float64)
    return Residuals(
        values, strata, shift, blocks, powers, totals, variance, third, by_block.reshape(n_blocks, k), against,
        pairs.clusters is not None,
    )  # fmt: skip


def _blocks(clusters: Integers | None, n: int, rng: np.random.Generator) -> Integers:
    """The block of each row: every cluster (or row) in one, at random, all blocks of about as many."""
    count = n if clusters is None else int(clusters.max()) + 1
    block = rng.permutation(count) % min(count, BLOCKS)
    return block if clusters is None else block[clusters]
