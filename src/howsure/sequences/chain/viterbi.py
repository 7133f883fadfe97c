"""The most probable tag sequences: Viterbi forwards, then the k best sequences backwards.

Exact with k hypotheses per step: going backwards, the best score that a suffix can attain is its own score plus the
best score of a prefix, known from Viterbi. A suffix that is not among the k best in this respect is beaten by k others
in every completion. (Soong & Huang 1991)
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import Batch
from howsure.sequences.chain.log_messages import CHUNK_CELLS, Chain

MOST_PATHS = 100_000  # of a sentence: what memory holds of any


class BestPaths(NamedTuple):
    """The best tag sequences of one sentence: tags (m, T), and their log-probabilities (m,), the best first.

    m is k, or the number of possible sequences if smaller.
    """

    tags: Integers
    log_probs: Floats


def number_of_paths(n_tags: int, lengths: Integers) -> int:
    """How many tag sequences the longest sentence has, or more than anyone may ask for."""
    steps = int(lengths.max(initial=0))
    paths: int = int(n_tags) ** min(steps, MOST_PATHS.bit_length())
    return paths


def best_prefixes(chain: Chain) -> Floats:
    """(N, K): the best score of the tags up to a token that end in tag k."""
    best = np.empty_like(chain.emissions)
    bounds = chain.batch.steps.tolist()
    row = best[: bounds[1]]
    row[:] = chain.emissions[: bounds[1]]
    for begin, stop in pairwise(bounds[1:]):
        row = _highest_sums(row[: stop - begin], chain.into(begin, stop), best[begin:stop])
        row += chain.emissions[begin:stop]
    return best


def best_paths(chain: Chain, k: int) -> tuple[Integers, Floats]:
    """tags (N, k), packed, and scores (B, k), the best first; those with score −inf do not exist."""
    batch, best = chain.batch, best_prefixes(chain)
    bounds = batch.steps.tolist()
    size = best.shape[1]
    tags = np.zeros((len(best), k), dtype=np.int64)
    reach = np.empty((0, k))  # what each hypothesis can reach at best
    suffix = np.empty((0, k))  # the score of what it holds so far
    chosen = np.empty((0, k), dtype=np.int64)  # its earliest tag
    origins: list[Integers] = []
    for t in range(len(bounds) - 2, -1, -1):
        begin, stop = bounds[t], bounds[t + 1]
        old, new = len(chosen), stop - begin
        candidates = np.full((new, k, size), -np.inf)
        candidates[old:, 0] = best[begin + old : stop]
        onwards = np.zeros((new, k, size))
        if old:
            later = bounds[t + 1]
            into = chain.into(later, later + old)
            onwards[:old] = _columns(into, chosen) + suffix[:, :, None]
            candidates[:old] = best[begin : begin + old, None, :] + onwards[:old]
        picked = _top(candidates.reshape(new, k * size), k)
        rows = np.arange(new)[:, None]
        reach = candidates.reshape(new, -1)[rows, picked]
        origin, chosen = np.divmod(picked, size)
        suffix = onwards.reshape(new, -1)[rows, picked] + chain.emissions[begin:stop][rows, chosen]
        suffix[reach == -np.inf] = -np.inf  # what does not exist has no suffix either
        tags[begin:stop] = chosen
        origins.append(origin)
    _follow(batch, tags, origins[::-1])
    return tags, reach


def best_of_each(chain: Chain, k: int, log_z: Floats) -> list[BestPaths]:
    """The k best sequences of each sentence of a batch."""
    tags, scores = best_paths(chain, k)
    possible = np.isfinite(scores).sum(axis=1).tolist()
    log_probs = np.minimum(scores - log_z[:, None], 0.0)  # rounding may end above log 1
    return [
        BestPaths(np.ascontiguousarray(own[:, :m].T), logs[:m])
        for own, logs, m in zip(chain.batch.unpack(tags), log_probs, possible, strict=True)
    ]


def _follow(batch: Batch, tags: Integers, origins: list[Integers]) -> None:
    """Reorder the hypotheses of every step to follow the best whole sequences."""
    bounds = batch.steps.tolist()
    place = np.tile(np.arange(tags.shape[1]), (len(batch), 1))
    for t, origin in enumerate(origins):
        begin, stop = bounds[t], bounds[t + 1]
        place = place[: stop - begin]
        rows = np.arange(stop - begin)[:, None]
        tags[begin:stop] = tags[begin:stop][rows, place]
        place = origin[rows, place]


def _highest_sums(rows: Floats, transitions: Floats, out: Floats) -> Floats:
    """max_j x(j) + A(j, k), some rows at a time; the rows run innermost, where they are many."""
    step = max(CHUNK_CELLS // transitions.shape[-1] ** 2, 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        if transitions.ndim == 2:
            columns = np.ascontiguousarray(rows[part].T)
            out[part] = (columns[:, None, :] + transitions[:, :, None]).max(axis=0).T
        else:
            np.max(rows[part, :, None] + transitions[part], axis=1, out=out[part])
    return out


def _columns(transitions: Floats, tags: Integers) -> Floats:
    """(n, k, K): the transitions into the tag of each hypothesis."""
    if transitions.ndim == 2:
        return transitions.T[tags]
    return np.swapaxes(transitions, 1, 2)[np.arange(len(tags))[:, None], tags]


def _top(values: Floats, k: int) -> Integers:
    """The columns of the k highest values of each row, highest first; of equal ones those further left."""
    if k == 1:
        best: Integers = values.argmax(axis=1)[:, None]
        return best
    lowest = np.partition(values, values.shape[1] - k, axis=1)[:, -k, None]
    above, equal = values > lowest, values == lowest
    room = k - above.sum(axis=1, keepdims=True)
    chosen = above | (equal & (equal.cumsum(axis=1) <= room))
    columns = np.nonzero(chosen)[1].reshape(len(values), k)
    order = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)
