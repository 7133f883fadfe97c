"""Strata of a population by score, and how many labels each gets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from howsure.counts.population.cells import combined
from howsure.inputs.checks import Codes
from howsure.inputs.pairs import Floats, Integers

PIECES = 200  # of [0, 1], whose counts decide where bands end
BANDS = 3  # of scores above 0
LEAST_SPREAD = 0.25  # of labels within a stratum: a low band is where the misses are
LEAST = 2  # labels per stratum
BLOCK = 1 << 20  # scores at a time


def bands_of(score: Floats) -> tuple[Codes, tuple[str, ...]]:
    """The band of each score, by the rule of cumulated √frequency (Dalenius & Hodges 1959); scores of 0 are a band.

    >>> codes, names = bands_of(np.array([0.0, 0.0, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]))
    >>> names
    ('score 0', 'score (0, 0.1]', 'score (0.1, 0.5]', 'score (0.5, 1]')
    >>> codes.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    pieces = np.zeros(PIECES + 1, dtype=np.int64)
    least, most = np.inf, 0.0
    for start in range(0, len(score), BLOCK):
        above = score[start : start + BLOCK]
        above = above[above > 0]
        if len(above):
            place = np.minimum(np.ceil(above * PIECES).astype(np.int64), PIECES)
            pieces += np.bincount(place, minlength=PIECES + 1)
            least, most = min(least, float(above.min())), max(most, float(above.max()))
    root = np.cumsum(np.sqrt(pieces))
    cuts = np.searchsorted(root, root[-1] * np.arange(1, BANDS) / BANDS, side="left") / PIECES
    ends = [float(end) for end in np.unique(cuts) if least <= end < most]
    codes = np.empty(len(score), dtype=np.int16)
    for start in range(0, len(score), BLOCK):
        part = score[start : start + BLOCK]
        codes[start : start + BLOCK] = np.where(part > 0, 1 + np.searchsorted(np.array(ends), part, side="left"), 0)
    edges = [0.0, *ends, 1.0]
    names = ["score 0", *(f"score ({low:.3g}, {high:.3g}]" for low, high in pairwise(edges))]
    codes, used = combined([(codes, tuple(names))], len(score))
    return codes, tuple(names[code] for code in used)


def allocation(size: Integers, spread: Floats, n: int) -> Integers:
    """How many of n labels each stratum gets: n_h ∝ N_h s_h (Neyman 1934), at least 2, at most N_h.

    >>> allocation(np.array([1000, 100]), np.array([0.2, 0.5]), 50).tolist()
    [42, 8]
    """
    wanted = size * np.maximum(spread, LEAST_SPREAD)
    least = np.minimum(size, LEAST)
    ideal = n * wanted / wanted.sum()
    given: Integers = np.clip(np.floor(ideal).astype(np.int64), least, size)
    while given.sum() > n:  # small strata have their 2
        given[int(np.argmax(np.where(given > least, given - ideal, -np.inf)))] -= 1
    while given.sum() < n and (given < size).any():
        given[int(np.argmax(np.where(given < size, ideal - given, -np.inf)))] += 1
    return given


def further_allocation(wanted: Integers, had: Integers, size: Integers, n: int) -> Integers:
    """How many more each stratum gets, n in all: each time one to the stratum that lacks most of what is wanted.

    >>> further_allocation(np.array([42, 8]), np.array([20, 10]), np.array([1000, 100]), 20).tolist()
    [20, 0]
    """
    given = np.zeros_like(had)
    for _ in range(n):
        lack = np.where(had + given < size, wanted - had - given, -np.iinfo(np.int64).max)
        given[int(np.argmax(lack))] += 1
    return given


def planned_spread(score: Floats, stratum: Codes, n_strata: int) -> Floats:
    """√(p̄ (1 - p̄)) of each stratum with p̄ its mean score: what the standard deviation of its labels may be."""
    mean = np.bincount(stratum, weights=score, minlength=n_strata) / np.bincount(stratum, minlength=n_strata)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


def spread_so_far(labels: Floats, stratum: Codes, n_strata: int) -> Floats:
    """The same from labels: p̄ = (positives + 1/2) / (labels + 1)."""
    n = np.bincount(stratum, minlength=n_strata)
    mean = (np.bincount(stratum, weights=labels, minlength=n_strata) + 0.5) / (n + 1.0)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))
