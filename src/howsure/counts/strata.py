"""Strata of a population by score, and how many labels each gets."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from howsure.inputs.pairs import Floats, Integers

PIECES = 200  # of [0, 1], whose counts decide where bands end
BANDS = 3  # of scores above 0
LEAST_SPREAD = 0.25  # of labels within a stratum: a low band is where the misses are
LEAST = 2  # labels per stratum
BAND = re.compile(r"score (?:0|\((\d[^ ,]*), (\d[^ ,]*)\])(?:, .*)?", re.DOTALL)  # a band's name, and a period's


def bands_of(score: Floats) -> tuple[Integers, tuple[str, ...]]:
    """The band of each score, by the rule of cumulated √frequency (Dalenius & Hodges 1959); scores of 0 are a band.

    >>> codes, names = bands_of(np.array([0.0, 0.0, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]))
    >>> names
    ('score 0', 'score (0, 0.1]', 'score (0.1, 0.5]', 'score (0.5, 1]')
    >>> codes.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    above = score > 0
    ends: list[float] = []
    if above.any():
        place = np.minimum(np.ceil(score[above] * PIECES).astype(np.int64), PIECES)
        root = np.cumsum(np.sqrt(np.bincount(place, minlength=PIECES + 1)))
        cuts = np.searchsorted(root, root[-1] * np.arange(1, BANDS) / BANDS, side="left") / PIECES
        ends = [float(end) for end in np.unique(cuts) if (score[above] <= end).any() and (score[above] > end).any()]
    edges = [0.0, *ends, 1.0]
    codes = np.where(above, 1 + np.searchsorted(np.array(ends), score, side="left"), 0)
    names = ["score 0", *(f"score ({low:.3g}, {high:.3g}]" for low, high in pairwise(edges))]
    used, codes = np.unique(codes, return_inverse=True)
    return codes.astype(np.int64), tuple(names[code] for code in used)


def outside_band(name: str, score: float) -> bool:
    """Whether a stratum's name says a band of the score, and this score lies outside it.

    >>> outside_band("score (0.1, 0.5], 2001", 0.5), outside_band("score 0", 0.5), outside_band("all", 0.5)
    (False, True, False)
    """
    found = BAND.fullmatch(name)
    if found is None:
        return False
    low, high = found.groups()
    return score > 0 if low is None else not float(low) < score <= float(high)


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


def planned_spread(score: Floats, stratum: Integers, n_strata: int) -> Floats:
    """√(p̄ (1 - p̄)) of each stratum with p̄ its mean score: what the standard deviation of its labels may be."""
    mean = np.bincount(stratum, weights=score, minlength=n_strata) / np.bincount(stratum, minlength=n_strata)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


def spread_so_far(labels: Floats, stratum: Integers, n_strata: int) -> Floats:
    """The same from labels: p̄ = (positives + 1/2) / (labels + 1)."""
    n = np.bincount(stratum, minlength=n_strata)
    mean = (np.bincount(stratum, weights=labels, minlength=n_strata) + 0.5) / (n + 1.0)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))
