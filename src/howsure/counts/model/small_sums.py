"""Exact laws of sums of units whose variance is small, mixed."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import sigmoid

REACH = 12.0  # standard deviations beyond which a small sum has no mass
MOST_TERMS = 4_096  # units that are added one by one; of more, by Fourier's transform
AT_A_TIME = 1 << 21  # probabilities
Alike = list[tuple[Floats, Floats]]


def mixed_small_sums(
    alike: Alike, draw: Integers, level: Floats, weight: Floats, mean: Floats, variance: Floats
) -> Floats:
    """Σ weight · P(U = u), u = 0 … units, of components: a draw of the units and a level added to their logits.

    alike: of each draw, logits and how many units have each. Where most units are positive, the others are counted, and
    components are taken together by how far their laws reach: the work is that of the counts that can occur.
    """
    units = int(alike[0][1].sum())
    law = np.zeros(units + 1)
    flipped = mean > units / 2
    reach = np.ceil(np.where(flipped, units - mean, mean) + REACH * np.maximum(np.sqrt(variance), 1.0))
    width = np.minimum(reach.astype(np.int64), units) + 1
    doubling = np.ceil(np.log2(width)).astype(np.int64)
    for flip in (False, True):
        for size in np.unique(doubling[flipped == flip]).tolist():
            together = np.flatnonzero((flipped == flip) & (doubling == size))
            widest = int(width[together].max())
            found = _mixed(alike, draw[together], level[together], weight[together], widest, flip)
            if flip:
                law[units + 1 - widest :] += found[::-1]
            else:
                law[:widest] += found
    return law


def _mixed(alike: Alike, draw: Integers, level: Floats, weight: Floats, width: int, flip: bool) -> Floats:
    """The mixed law of the positives, or of the negatives, at counts 0 … width - 1."""
    units = int(alike[0][1].sum())
    by_terms = units <= MOST_TERMS
    found = np.zeros(width)
    at_a_time = max(1, AT_A_TIME // units) if by_terms and units else len(level)
    for start in range(0, len(level), at_a_time):
        part = slice(start, start + at_a_time)
        laws = (_by_terms if by_terms else _by_transform)(alike, draw[part], level[part], width, -1.0 if flip else 1.0)
        found += laws @ weight[part]
    return found


def _by_terms(alike: Alike, draw: Integers, level: Floats, width: int, sign: float) -> Floats:
    """The laws (width, components), unit by unit."""
    units = [np.repeat(value, count.astype(np.int64)) for value, count in alike]
    p = np.ascontiguousarray(sigmoid(sign * (np.stack(units, axis=1)[:, draw] + level)))  # a row is read at once
    q = 1.0 - p
    law = np.zeros((width, len(level)))
    law[0] = 1.0
    held = np.empty_like(law)
    for k in range(len(p)):
        end = min(k + 2, width)
        moved = np.multiply(law[: end - 1], p[k], out=held[: end - 1])
        law[:end] *= q[k]
        law[1:end] += moved
    return law


def _by_transform(alike: Alike, draw: Integers, level: Floats, width: int, sign: float) -> Floats:
    """The same for many units: Fourier's transform of a sum is the product of those of its terms."""
    size = 1 << int(np.ceil(np.log2(width + 1)))
    turn = np.exp(2j * np.pi * np.arange(size // 2 + 1) / size) - 1.0
    held = np.empty((width, len(level)))
    for position in range(len(level)):
        value, count = alike[draw[position]]
        p = sigmoid(sign * (value + level[position]))
        logs = np.zeros(len(turn), dtype=np.complex128)
        for start in range(0, len(p), 256):
            logs += np.log1p(p[start : start + 256, None] * turn).T @ count[start : start + 256]
        held[:, position] = np.maximum(np.fft.irfft(np.exp(logs).conj(), size)[:width], 0.0)
    return held
