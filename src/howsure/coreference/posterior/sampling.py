"""Clusterings drawn from the posterior: independent and exact; all samples advance one step at a time."""

from __future__ import annotations

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.inputs.pairs import Floats, Integers

CHUNK = 1 << 22
MOST_COUNTED = 65_535  # in 16 bits


def draw_labels(antecedents: Antecedents, n: int, rng: np.random.Generator) -> Integers:
    """n clusterings as (M, n) labels, where a label is the first mention of its cluster.

    For one mention after the other, the antecedent is drawn in all samples, and its label copied. A mention with
    antecedents needs one uniform number per sample, whatever the machine.
    """
    m = len(antecedents)
    labels = np.empty((m, n), dtype=np.int64)
    flat, samples = labels.reshape(-1), np.arange(n)
    for j in range(m):
        labels[j] = j
        earlier, p = antecedents.row(j)
        if len(earlier):
            place = np.searchsorted(_cumulated(p, antecedents.new[j]), rng.random(n), side="right")
            labels[j] = flat.take(np.append(earlier, j)[place] * n + samples)
    return labels


def pair_frequency(labels: Integers) -> Floats:
    """How often each pair of mentions is together in samples (n, M): (M, M), the paper's estimate of P(i ~ j)."""
    n, m = labels.shape
    by_mention = np.ascontiguousarray(labels.T.astype(np.int16 if m < 1 << 15 else np.int32))
    counts = np.zeros((m, m))
    step = max(1, min(CHUNK // max(m, 1), MOST_COUNTED))
    for start in range(0, n, step):
        part = by_mention[:, start : start + step]
        for j in range(1, m):
            counts[j, :j] += (part[:j] == part[j]).sum(axis=1, dtype=np.uint16)
    frequency: Floats = (counts + counts.T) / n
    np.fill_diagonal(frequency, 1.0)
    return frequency


def _cumulated(p: Floats, new: float) -> Floats:
    """The cumulative distribution of the antecedents; the remainder is "new", or empty if that is impossible."""
    cumulated = np.cumsum(p)
    if new == 0.0:
        cumulated[cumulated == cumulated[-1]] = np.inf
    return cumulated
