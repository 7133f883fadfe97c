"""Pairs for tests: strategies for small ones, generators for large ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from howsure.inputs.pairs import Floats, Labels, Pairs

TIED = [0.0, 5e-324, 1e-300, 2.0**-30, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.75, 1 - 2.0**-53, 1.0]


@dataclass(frozen=True)
class Small:
    """A few pairs as lists, with a bin size."""

    y: list[int]
    q: list[float]
    w: list[float] | None
    clusters: list[int]
    bin_size: int

    def __len__(self) -> int:
        return len(self.y)


@st.composite
def small_pairs(draw: st.DrawFn, *, max_size: int = 24, ties: bool = True, weighted: bool | None = None) -> Small:
    """Pairs with many ties, weights or none, and clusters. Without `ties` every prediction is different."""
    n = draw(st.integers(1, max_size))
    free = st.floats(0.0, 1.0, allow_subnormal=True)
    if ties:
        q = draw(st.lists(st.one_of(st.sampled_from(TIED), free), min_size=n, max_size=n))
    else:
        q = draw(st.lists(free, min_size=n, max_size=n, unique=True))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    has_weights = draw(st.booleans()) if weighted is None else weighted
    w = draw(st.lists(st.floats(0.125, 8.0), min_size=n, max_size=n)) if has_weights else None
    clusters = draw(st.lists(st.integers(0, max(1, n // 3)), min_size=n, max_size=n))
    return Small(y, [abs(value) for value in q], w, clusters, draw(st.integers(1, n + 2)))


def language_pairs(n: int, rng: np.random.Generator, *, dtype: type = np.float64) -> tuple[Labels, Floats]:
    """40 % of the predictions exactly 0, 20 % exactly 1, the rest Beta(0.3, 0.7); 5 % of the certain ones wrong."""
    q = rng.beta(0.3, 0.7, n).astype(dtype)
    place = rng.permutation(n)
    q[place < 2 * n // 5], q[place >= 4 * n // 5] = 0.0, 1.0
    p = np.where(q == 0.0, 0.05, np.where(q == 1.0, 0.95, q))
    return (rng.random(n) < p).astype(np.uint8), q


def pairs_of(small: Small, *, clusters: bool = False) -> Pairs:
    """Checked pairs from lists."""
    return Pairs(
        np.array(small.y, dtype=np.uint8),
        np.array(small.q),
        None if small.w is None else np.array(small.w),
        clusters=np.array(small.clusters) if clusters else None,
    )
