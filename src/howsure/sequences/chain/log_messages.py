"""Forward and backward messages in logarithms: accurate whatever the range of the potentials.

Forward rows f_t may be scaled arbitrarily, with `shift` recording what was subtracted (here: so that their maximum is
0), and backward rows b_t so that Σ_k exp(f_t(k) + b_t(k)) = 1. Then

    P(y_t = k) = exp(f_t(k) + b_t(k))
    P(y_t−1 = j, y_t = k) = exp(f_t−1(j) + A(j, k) + e_t(k) + b_t(k) − shift_t)    for t > 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.sequences.chain.batches import Batch

FAINT = 1e-250  # what a product may lose to underflow is less than 1e-50 of any sum above this
CHUNK_CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Chain:
    """The log-potentials of one batch, all finite or −inf.

    emissions (N, K), packed, with what starting and ending add. transitions: (K, K), or (N − B, K, K) with one matrix
    for each row except those of first tokens.
    """

    batch: Batch
    emissions: Floats
    transitions: Floats

    def into(self, begin: int, stop: int) -> Floats:
        """The transitions into the tokens of some rows: (K, K), or (n, K, K)."""
        first = len(self.batch)
        return self.transitions if self.transitions.ndim == 2 else self.transitions[begin - first : stop - first]


@dataclass(frozen=True, slots=True)
class Messages:
    """forward, backward (N, K) and shift (N,) as above; log_z (B,), −inf where no sequence is possible."""

    forward: Floats
    shift: Floats
    log_z: Floats
    backward: Floats

    def tags(self) -> Floats:
        """P(y_t = k), (N, K)."""
        return np.exp(self.forward + self.backward)


def forward_in_logarithms(chain: Chain) -> tuple[Floats, Floats, Floats]:
    """forward (N, K), shift (N,) and log_z (B,)."""
    batch, emissions = chain.batch, chain.emissions
    product = LogProduct(chain.transitions)
    forward, shift = np.empty_like(emissions), np.empty((len(emissions), 1))
    bounds = batch.steps.tolist()
    row = emissions[: bounds[1]]
    for begin, stop in pairwise(bounds):
        if begin:
            row = product(row[: stop - begin], chain.into(begin, stop))
            row += emissions[begin:stop]
        shift[begin:stop] = _highest(row)
        row = np.subtract(row, shift[begin:stop], out=forward[begin:stop])
    log_z = np.bincount(batch.ranks, shift[:, 0], len(batch)) + log_sum_exp(forward[batch.last_rows])
    return forward, shift[:, 0], log_z


def messages_in_logarithms(chain: Chain) -> Messages:
    """Both directions."""
    batch, emissions = chain.batch, chain.emissions
    forward, shift, log_z = forward_in_logarithms(chain)
    product = LogProduct(np.swapaxes(chain.transitions, -1, -2))
    backward = np.zeros_like(emissions)
    bounds = batch.steps.tolist()
    for t in range(len(bounds) - 2, -1, -1):
        begin, stop = bounds[t], bounds[t + 1]
        row = backward[begin:stop]
        if t < len(bounds) - 2:
            later, end = bounds[t + 1], bounds[t + 2]
            onwards = emissions[later:end] + backward[later:end]
            row[: end - later] = product(onwards, np.swapaxes(chain.into(later, end), -1, -2))
        total = log_sum_exp(forward[begin:stop] + row)[:, None]
        row -= np.where(np.isfinite(total), total, 0.0)
    return Messages(forward, shift, log_z, backward)


def pair_chunks(chain: Chain, found: Messages) -> Iterator[Floats]:
    """log P(y_t−1 = j, y_t = k) as (n, K, K), for all rows except those of first tokens, some at a time."""
    first, size = len(chain.batch), chain.emissions.shape[1]
    onwards = chain.emissions + found.backward - found.shift[:, None]
    previous = chain.batch.previous_rows
    rows = max(CHUNK_CELLS // size**2, 1)
    for begin in range(first, len(onwards), rows):
        stop = min(begin + rows, len(onwards))
        earlier = found.forward[previous[begin - first : stop - first]]
        yield earlier[:, :, None] + chain.into(begin, stop) + onwards[begin:stop, None, :]


class LogProduct:
    """log Σ_j exp(x(j) + A(j, k)) for rows x, by one matrix product where A is shared.

    Entries that underflow in the product are summed again in logarithms, so that every entry is accurate to rounding.
    """

    def __init__(self, transitions: Floats) -> None:
        if transitions.ndim == 2:
            self._highest = _finite(transitions.max(axis=0))
            self._weights = np.exp(transitions - self._highest)

    def __call__(self, rows: Floats, transitions: Floats) -> Floats:
        """(n, K) from (n, K) and (K, K) or (n, K, K)."""
        if transitions.ndim == 3:
            return log_sum_exp(rows[:, :, None] + transitions, axis=1)
        highest = _highest(rows)
        sums = np.exp(rows - highest) @ self._weights
        faint = np.nonzero(sums < FAINT)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(sums, out=sums)
        logs += highest
        logs += self._highest
        if len(faint[0]):
            logs[faint] = log_sum_exp(rows[faint[0]] + transitions.T[faint[1]])
        return logs


def log_sum_exp(values: Floats, axis: int = -1) -> Floats:
    """log Σ exp(values) along an axis; −inf if all are."""
    highest = _finite(values.max(axis=axis, keepdims=True))
    with np.errstate(divide="ignore"):
        sums: Floats = np.log(np.exp(values - highest).sum(axis=axis))
    return sums + highest.squeeze(axis)


def _highest(rows: Floats) -> Floats:
    return _finite(rows.max(axis=1, keepdims=True))


def _finite(values: Floats) -> Floats:
    """−inf as 0."""
    return np.where(values == -np.inf, 0.0, values)
