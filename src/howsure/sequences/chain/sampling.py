"""Samples of whole tag sequences: forward filtering, backward sampling.

Given the forward messages, the last tag is drawn from exp(f_T), and going backwards each tag from
P(y_t = j | y_t+1 = k) ∝ exp(f_t(j) + A(j, k)). Many samples share the next tag, so each distribution is computed once.
"""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import Batch
from howsure.sequences.chain.log_messages import Chain
from howsure.stats.randomness import Randomness, generator_from

TOGETHER = 1 << 18  # draws of one step at a time
BELOW_ONE = 1.0 - 2.0**-32  # leaves room for the rounding of row + u


class Streams:
    """Random numbers of each sentence, which depend only on the seed and the sentence's number.

    A counter-based generator (Philox, Salmon et al. 2011) with one range of its counter per sentence.
    """

    def __init__(self, rng: Randomness) -> None:
        key = generator_from(rng).integers(0, 2**64, size=2, dtype=np.uint64)
        self._bits = np.random.Philox(key=key)
        self._fresh = self._bits.state

    def uniform(self, sentence: int, begin: int, shape: tuple[int, ...]) -> Floats:
        """Uniform numbers of a sentence from the `begin`-th one on, a multiple of 4."""
        self._fresh["state"]["counter"][:] = (begin // 4, 0, 0, sentence)
        self._bits.state = self._fresh
        return np.random.Generator(self._bits).random(shape)


def sample(chain: Chain, forward: Floats, n: int, streams: Streams) -> list[Integers]:
    """n draws of each sentence of a batch, (n, T), in the batch's order."""
    batch = chain.batch
    drawn = [np.empty((n, length), dtype=np.int64) for length in batch.lengths.tolist()]
    together = max(TOGETHER // len(batch) // 4 * 4, 4)
    for begin in range(0, n, together):
        draws = slice(begin, min(begin + together, n))
        tags = _sample_packed(chain, forward, _uniform(batch, streams, draws))
        for i, (sentence, length) in enumerate(zip(drawn, batch.lengths.tolist(), strict=True)):
            sentence[draws] = tags[batch.steps[:length] + i].T
    return drawn


def _uniform(batch: Batch, streams: Streams, draws: slice) -> Floats:
    """(N, m) below 1, packed: each sentence's own numbers, draw by draw."""
    count = draws.stop - draws.start
    uniform = np.empty((int(batch.steps[-1]), count))
    for i, (sentence, length) in enumerate(zip(batch.sentences.tolist(), batch.lengths.tolist(), strict=True)):
        own = streams.uniform(sentence, draws.start * length, (count, length))
        uniform[batch.steps[:length] + i] = own.T
    uniform *= BELOW_ONE
    return uniform


def _sample_packed(chain: Chain, forward: Floats, uniform: Floats) -> Integers:
    """(N, m): a tag for each uniform number."""
    bounds = chain.batch.steps.tolist()
    size = forward.shape[1]
    tags = np.empty(uniform.shape, dtype=np.int64)
    following = np.empty((0, uniform.shape[1]), dtype=np.int64)
    for t in range(len(bounds) - 2, -1, -1):
        begin, stop = bounds[t], bounds[t + 1]
        last = np.full((stop - begin - len(following), uniform.shape[1]), size)  # the number of no tag: the end
        context = np.concatenate([following, last]) + (size + 1) * np.arange(stop - begin)[:, None]
        owners, nexts, rows = _distinct(context, size + 1)
        logs = forward[begin:stop][owners] + _into(chain, stop, owners, nexts)
        following = _inverse(logs, rows, uniform[begin:stop])
        tags[begin:stop] = following
    return tags


def _distinct(context: Integers, width: int) -> tuple[Integers, Integers, Integers]:
    """The sentences and next tags that occur, and those of each draw."""
    seen = np.zeros(len(context) * width, dtype=np.bool_)
    seen[context.ravel()] = True
    found = np.flatnonzero(seen)
    number = np.empty(len(seen), dtype=np.int64)
    number[found] = np.arange(len(found))
    owners, nexts = np.divmod(found, width)
    return owners, nexts, number[context]


def _into(chain: Chain, later: int, owners: Integers, nexts: Integers) -> Floats:
    """(R, K): A(j, next tag) for all j; 0 where the sentence ends. `later` is the first row of the next position."""
    size = chain.emissions.shape[1]
    if chain.transitions.ndim == 2:
        return np.vstack([chain.transitions.T, np.zeros(size)])[nexts]
    logs, goes_on = np.zeros((len(owners), size)), nexts < size
    own = chain.transitions[later - len(chain.batch) + owners[goes_on]]
    logs[goes_on] = own[np.arange(len(own)), :, nexts[goes_on]]
    return logs


def _inverse(logs: Floats, rows: Integers, uniform: Floats) -> Integers:
    """For each uniform number, the tag at that point of its row's cumulative distribution; one search for all rows,
    with row r between r and r + 1."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    cumulative = weights.cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    cumulative += np.arange(len(logs))[:, None]
    places = np.searchsorted(cumulative.ravel(), rows + uniform, side="right")
    tags: Integers = places - rows * logs.shape[1]
    return tags
