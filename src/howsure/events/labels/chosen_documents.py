"""Which further documents are read: how many of each stratum, at random, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howsure.counts.strata import LEAST, allocation, further_allocation, planned_spread
from howsure.errors import InputError
from howsure.events.labels.bands import Strata
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers


def further_documents(strata: Strata, before: Integers, n: int, rng: np.random.Generator) -> Integers:
    """Places of n further documents, in the order of reading.

    Raises InputError if fewer are left, or n leaves a stratum with fewer than 2.
    """
    size = strata.sizes
    had = np.bincount(strata.codes[before], minlength=len(size))
    if n > (left := int((size - had).sum())):
        of = "the store has" if not had.sum() else "are left"
        raise InputError(f"n must be at most the number of documents that {of}, {left:,}; it is {n:,}.")
    least = int(np.minimum(size, LEAST).sum())
    if n + had.sum() < least:
        raise InputError(
            f"a draw of {counted(n, 'document')} is too small: {counted(len(size), 'stratum', 'strata')} need 2 each, "
            f"{least} in all; set n=... to at least that."
        )
    wanted = allocation(size, planned_spread(strata.score, strata.codes, len(size)), n + int(had.sum()))
    given = further_allocation(wanted, had, size, n)
    taken = np.zeros(len(strata.codes), dtype=np.bool_)
    taken[before] = True
    drawn = [
        rng.permutation(np.flatnonzero((strata.codes == code) & ~taken))[:number]
        for code, number in enumerate(given.tolist())
    ]
    return _in_order(drawn, had, rng)


def _in_order(drawn: Sequence[Integers], had: Integers, rng: np.random.Generator) -> Integers:
    """First what each stratum needs to have 2, then all strata evenly: place k of n_h at (k + u) / n_h."""
    places: list[int] = []
    keys: list[Floats] = []
    for of_stratum, n_before in zip(drawn, had.tolist(), strict=True):
        n = len(of_stratum)
        even = (np.arange(n) + rng.random(n)) / max(n, 1)
        needed = np.arange(n) < LEAST - n_before
        keys.append(np.where(needed, rng.random(n) - 1.0, even))
        places.extend(of_stratum.tolist())
    return np.array(places, dtype=np.int64)[np.argsort(np.concatenate(keys), kind="stable")]
