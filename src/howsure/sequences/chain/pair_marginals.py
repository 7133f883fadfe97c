"""Marginals of two consecutive tags, and the entropy of whole sequences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.log_messages import CHUNK_CELLS, Chain, Messages, pair_chunks
from howsure.sequences.chain.marginals import below_one
from howsure.sequences.chain.potentials import Potentials, possible_messages
from howsure.sequences.chain.workspace import Workspace


def pairs_of_sentences(potentials: Potentials, first: Integers, second: Integers) -> list[Floats]:
    """P(y_t−1 = first[p], y_t = second[p]), an array (T − 1, P) per sentence."""

    def of_batch(chain: Chain, workspace: Workspace) -> Sequence[Floats]:
        found = pair_marginals(chain, possible_messages(chain, workspace), first, second)
        return chain.batch.unpack(below_one(found), later=True)

    return potentials.each(of_batch, np.empty((0, len(first))), width=len(first))


def all_pairs_of_sentences(potentials: Potentials) -> list[Floats]:
    """P(y_t−1 = j, y_t = k), an array (T − 1, K, K) per sentence."""

    def of_batch(chain: Chain, workspace: Workspace) -> Sequence[Floats]:
        found = all_pair_marginals(chain, possible_messages(chain, workspace))
        return chain.batch.unpack(below_one(found), later=True)

    size = potentials.n_tags
    return potentials.each(of_batch, np.empty((0, size, size)), width=size**2)


def entropies_of_sentences(potentials: Potentials) -> Floats:
    """H(y) of each sentence, in nats."""

    def of_batch(chain: Chain, workspace: Workspace) -> list[float]:
        return list(entropies(chain, possible_messages(chain, workspace)))

    return np.array(potentials.each(of_batch, 0.0), dtype=np.float64)


def pair_marginals(chain: Chain, found: Messages, first: Integers, second: Integers) -> Floats:
    """P(y_t−1 = first[p], y_t = second[p]) as (N − B, P), packed like the rows without those of first tokens."""
    rows, begin = chain.batch.previous_rows, len(chain.batch)
    onwards = chain.emissions + found.backward - found.shift[:, None]
    pairs = np.empty((len(rows), len(first)))
    shared = chain.transitions[first, second] if chain.transitions.ndim == 2 else None
    step = max(CHUNK_CELLS // max(len(first), 1), 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        logs = found.forward[rows[part]].take(first, axis=1)
        logs += onwards[begin:][part].take(second, axis=1)
        logs += chain.transitions[part, first, second] if shared is None else shared
        np.exp(logs, out=pairs[part])
    return pairs


def all_pair_marginals(chain: Chain, found: Messages) -> Floats:
    """P(y_t−1 = j, y_t = k) as (N − B, K, K)."""
    size = chain.emissions.shape[1]
    pairs, start = np.empty((len(chain.emissions) - len(chain.batch), size, size)), 0
    for logs in pair_chunks(chain, found):
        np.exp(logs, out=pairs[start : start + len(logs)])
        start += len(logs)
    return pairs


def entropies(chain: Chain, found: Messages) -> Floats:
    """H(y) = H(y_1) + Σ_t H(y_t | y_t−1) of each sentence, in nats: a sum of terms none of which is negative."""
    batch = chain.batch
    logs = found.forward + found.backward
    by_row = np.empty(len(logs))
    by_row[: len(batch)] = _expected(logs[: len(batch)], logs[: len(batch)], axes=(1,))
    start = len(batch)
    for joint in pair_chunks(chain, found):
        part = slice(start, start + len(joint))
        earlier = logs[batch.previous_rows[start - len(batch) : start - len(batch) + len(joint)]]
        by_row[part] = _expected(joint, joint - np.where(earlier > -np.inf, earlier, 0.0)[:, :, None], axes=(1, 2))
        start = part.stop
    sums: Floats = np.bincount(batch.ranks, by_row, len(batch)).astype(np.float64, copy=False)
    return sums


def _expected(logs: Floats, values: Floats, *, axes: tuple[int, ...]) -> Floats:
    """−Σ exp(logs) values, where terms of probability 0 count as 0."""
    terms = np.exp(logs)
    terms *= np.where(logs > -np.inf, values, 0.0)
    sums: Floats = -terms.sum(axis=axes)
    return np.maximum(sums, 0.0)
