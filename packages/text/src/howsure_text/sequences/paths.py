"""Queries about more than one tag of a linear chain: pairs, spans, entropies, samples and the best sequences."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.pairs import Floats, Integers
from howsure_text.sequences.messages import CHUNK_CELLS, Batch, Chain, Messages, Workspace, below_one, pair_chunks
from howsure_text.sequences.potentials import Potentials, possible_messages
from howsure_text.sequences.sentences import TagSet

# Marginals of two consecutive tags, and the entropy of whole sequences.


def pairs_of_sentences(potentials: Potentials, first: Integers, second: Integers) -> list[Floats]:
    """Return P(y_t−1 = first[p], y_t = second[p]), an array (T − 1, P) per sentence."""

    def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[Floats]:
        marginals = pair_marginals(chain, possible_messages(chain, workspace), first, second)
        return chain.batch.unpack(below_one(marginals), later=True)

    return potentials.each(compute_batch, np.empty((0, len(first))), width=len(first))


def all_pairs_of_sentences(potentials: Potentials) -> list[Floats]:
    """Return P(y_t−1 = j, y_t = k), an array (T − 1, K, K) per sentence."""

    def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[Floats]:
        marginals = all_pair_marginals(chain, possible_messages(chain, workspace))
        return chain.batch.unpack(below_one(marginals), later=True)

    size = potentials.n_tags
    return potentials.each(compute_batch, np.empty((0, size, size)), width=size**2)


def entropies_of_sentences(potentials: Potentials) -> Floats:
    """Return the entropy H(y) of each sentence's tag sequences, in nats."""

    def compute_batch(chain: Chain, workspace: Workspace) -> list[float]:
        return list(entropies(chain, possible_messages(chain, workspace)))

    return np.array(potentials.each(compute_batch, 0.0), dtype=np.float64)


def pair_marginals(chain: Chain, messages: Messages, first: Integers, second: Integers) -> Floats:
    """Return P(y_t−1 = first[p], y_t = second[p]), (N − B, P): packed rows without those of first tokens."""
    rows, begin = chain.batch.previous_rows, len(chain.batch)
    onwards = chain.emissions + messages.backward - messages.shift[:, None]
    pairs = np.empty((len(rows), len(first)))
    shared = chain.transitions[first, second] if chain.transitions.ndim == 2 else None
    step = max(CHUNK_CELLS // max(len(first), 1), 1)
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        logs = messages.forward[rows[part]].take(first, axis=1)
        logs += onwards[begin:][part].take(second, axis=1)
        logs += chain.transitions[part, first, second] if shared is None else shared
        np.exp(logs, out=pairs[part])
    return pairs


def all_pair_marginals(chain: Chain, messages: Messages) -> Floats:
    """Return P(y_t−1 = j, y_t = k), (N − B, K, K)."""
    size = chain.emissions.shape[1]
    pairs, start = np.empty((len(chain.emissions) - len(chain.batch), size, size)), 0
    for logs in pair_chunks(chain, messages):
        np.exp(logs, out=pairs[start : start + len(logs)])
        start += len(logs)
    return pairs


def entropies(chain: Chain, messages: Messages) -> Floats:
    """Return H(y) = H(y_1) + Σ_t H(y_t | y_t−1) of each sentence, in nats; no term of the sum is negative."""
    batch = chain.batch
    logs = messages.forward + messages.backward
    by_row = np.empty(len(logs))
    by_row[: len(batch)] = _expected(logs[: len(batch)], logs[: len(batch)], axes=(1,))
    start = len(batch)
    for joint in pair_chunks(chain, messages):
        part = slice(start, start + len(joint))
        earlier = logs[batch.previous_rows[start - len(batch) : start - len(batch) + len(joint)]]
        by_row[part] = _expected(joint, joint - np.where(earlier > -np.inf, earlier, 0.0)[:, :, None], axes=(1, 2))
        start = part.stop
    return np.asarray(np.bincount(batch.ranks, by_row, len(batch)).astype(np.float64, copy=False))


def _expected(logs: Floats, values: Floats, *, axes: tuple[int, ...]) -> Floats:
    """Return −Σ exp(logs) · values; terms of probability 0 are 0."""
    terms = np.exp(logs)
    terms *= np.where(logs > -np.inf, values, 0.0)
    sums: Floats = -terms.sum(axis=axes)
    return np.maximum(sums, 0.0)


# The probability that consecutive tokens have certain tags: forward × path × backward.


class Span(NamedTuple):
    """The tags of the tokens start, start + 1, … of a sentence."""

    sentence: int
    start: int
    tags: Integers


def checked_span(span: Any, lengths: Integers, tagset: TagSet, *, where: str) -> Span:
    """Check and return a span (sentence, start, tags); raise InputError unless its tokens are in the sentence."""
    try:
        sentence, start, tags = span
        sentence, start = operator.index(sentence), operator.index(start)
    except (TypeError, ValueError):
        rule = "must be the index of a sentence, the index of its first token and a list of tags"
        raise InputError(f"{where} {rule}; it is {span!r}.") from None
    if not 0 <= sentence < len(lengths):
        raise InputError(
            f"{where}: sentence {sentence} does not exist; sentences are numbered from 0 to {len(lengths) - 1}."
        )
    numbers, length = tagset.numbers(tags, where), int(lengths[sentence])
    if not 0 <= start <= start + len(numbers) <= length:
        raise InputError(
            f"{where}: tokens {start} to {start + len(numbers) - 1} are not in sentence {sentence}, which has {length} "
            "tokens (counted from 0)."
        )
    return Span(sentence, start, numbers)


def span_probability(chain: Chain, messages: Messages, rank: int, span: Span) -> float:
    """Return the probability of the span's tags in the sentence with index `rank` in the batch; 1 for no tags."""
    tags = span.tags
    if not len(tags):
        return 1.0
    rows = chain.batch.steps[span.start : span.start + len(tags)] + rank
    log = messages.forward[rows[0], tags[0]] + messages.backward[rows[-1], tags[-1]]
    for row, before, tag in zip(rows[1:].tolist(), tags[:-1].tolist(), tags[1:].tolist(), strict=True):
        shared = chain.transitions.ndim == 2
        transition = chain.transitions[before, tag] if shared else chain.into(row, row + 1)[0, before, tag]
        log += transition + chain.emissions[row, tag] - messages.shift[row]
    return math.exp(min(log, 0.0))


def span_probabilities(potentials: Potentials, spans: Sequence[Span]) -> Floats:
    """Return the probability of each span, from one forward–backward pass over each sentence that has spans."""
    sentence_numbers, sentence_index = np.unique([span.sentence for span in spans], return_inverse=True)
    spans_of_sentence: list[list[int]] = [[] for _ in sentence_numbers]
    for i, index in enumerate(sentence_index.tolist()):
        spans_of_sentence[index].append(i)
    probabilities = np.ones(len(spans))

    def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[None]:
        messages = possible_messages(chain, workspace)
        for rank, sentence in enumerate(chain.batch.sentences.tolist()):
            for i in spans_of_sentence[sentence]:
                probabilities[i] = span_probability(chain, messages, rank, spans[i])
        return [None] * len(chain.batch)

    potentials.part(sentence_numbers.astype(np.int64)).each(compute_batch, None)
    return probabilities


# Samples of whole tag sequences: forward filtering, backward sampling.
# Given the forward messages f, the last tag is drawn from exp(f_T). Going backwards, each earlier tag is drawn from
# P(y_t = j | y_t+1 = k) ∝ exp(f_t(j) + A(j, k)). Many samples share the next tag k, so each distribution is computed
# once.

DRAWS_AT_ONCE = 1 << 18  # maximum number of draws that are computed together in one step
BELOW_ONE = 1.0 - 2.0**-32  # factor that keeps row + u below row + 1 after rounding


class Streams:
    """Random numbers of each sentence, which depend only on the seed and the index of the sentence.

    The generator is counter-based (Philox, Salmon et al. 2011); each sentence has its own range of the counter.
    """

    def __init__(self, rng: Randomness) -> None:
        key = generator_from(rng).integers(0, 2**64, size=2, dtype=np.uint64)
        self._bits = np.random.Philox(key=key)
        self._fresh = self._bits.state

    def uniform(self, sentence: int, begin: int, shape: tuple[int, ...]) -> Floats:
        """Return the uniform random numbers of a sentence from index `begin` on; `begin` must be a multiple of 4."""
        self._fresh["state"]["counter"][:] = (begin // 4, 0, 0, sentence)
        self._bits.state = self._fresh
        return np.random.Generator(self._bits).random(shape)


def sample(chain: Chain, forward: Floats, n: int, streams: Streams) -> list[Integers]:
    """Draw n tag sequences for each sentence of a batch: an array (n, length of the sentence) each, in batch order."""
    batch = chain.batch
    drawn = [np.empty((n, length), dtype=np.int64) for length in batch.lengths.tolist()]
    draws_per_step = max(DRAWS_AT_ONCE // len(batch) // 4 * 4, 4)
    for begin in range(0, n, draws_per_step):
        draws = slice(begin, min(begin + draws_per_step, n))
        tags = _sample_packed(chain, forward, _uniform(batch, streams, draws))
        for i, (sentence, length) in enumerate(zip(drawn, batch.lengths.tolist(), strict=True)):
            sentence[draws] = tags[batch.steps[:length] + i].T
    return drawn


def _uniform(batch: Batch, streams: Streams, draws: slice) -> Floats:
    """Return packed uniform numbers below 1, (N, m), one for each token and draw."""
    count = draws.stop - draws.start
    uniform = np.empty((int(batch.steps[-1]), count))
    for i, (sentence, length) in enumerate(zip(batch.sentences.tolist(), batch.lengths.tolist(), strict=True)):
        draws_of_sentence = streams.uniform(sentence, draws.start * length, (count, length))
        uniform[batch.steps[:length] + i] = draws_of_sentence.T
    uniform *= BELOW_ONE
    return uniform


def _sample_packed(chain: Chain, forward: Floats, uniform: Floats) -> Integers:
    """Return a tag for each uniform number, (N, m)."""
    bounds = chain.batch.steps.tolist()
    size = forward.shape[1]
    tags = np.empty(uniform.shape, dtype=np.int64)
    following = np.empty((0, uniform.shape[1]), dtype=np.int64)
    for t in range(len(bounds) - 2, -1, -1):
        begin, stop = bounds[t], bounds[t + 1]
        last = np.full((stop - begin - len(following), uniform.shape[1]), size)  # code for "the sentence ends here"
        context = np.concatenate([following, last]) + (size + 1) * np.arange(stop - begin)[:, None]
        owners, nexts, rows = _distinct(context, size + 1)
        logs = forward[begin:stop][owners] + _into(chain, stop, owners, nexts)
        following = _inverse(logs, rows, uniform[begin:stop])
        tags[begin:stop] = following
    return tags


def _distinct(context: Integers, width: int) -> tuple[Integers, Integers, Integers]:
    """Return the distinct pairs (sentence, next tag) as two arrays, and the index of each draw's pair."""
    is_present = np.zeros(len(context) * width, dtype=np.bool_)
    is_present[context.ravel()] = True
    distinct = np.flatnonzero(is_present)
    number = np.empty(len(is_present), dtype=np.int64)
    number[distinct] = np.arange(len(distinct))
    owners, nexts = np.divmod(distinct, width)
    return owners, nexts, number[context]


def _into(chain: Chain, later: int, owners: Integers, nexts: Integers) -> Floats:
    """Return A(j, next tag) for all j, (R, K); 0 if the sentence ends. later: the first row of the next position."""
    size = chain.emissions.shape[1]
    if chain.transitions.ndim == 2:
        return np.vstack([chain.transitions.T, np.zeros(size)])[nexts]
    logs, goes_on = np.zeros((len(owners), size)), nexts < size
    steps = chain.transitions[later - len(chain.batch) + owners[goes_on]]
    logs[goes_on] = steps[np.arange(len(steps)), :, nexts[goes_on]]
    return logs


def _inverse(logs: Floats, rows: Integers, uniform: Floats) -> Integers:
    """Return for each uniform number u the tag at u in the cumulative distribution of its row.

    One search serves all rows, because r is added to the cumulative probabilities of row r.
    """
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    cumulative = weights.cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    cumulative += np.arange(len(logs))[:, None]
    places = np.searchsorted(cumulative.ravel(), rows + uniform, side="right")
    return np.asarray(places - rows * logs.shape[1])


# The most probable tag sequences: Viterbi forwards, then the k best sequences backwards.
# Going backwards, k suffixes per step are enough for an exact result. The best score of a sequence with a certain
# suffix is the score of the suffix plus the best score of a prefix, which Viterbi has computed. If k other suffixes
# have higher best scores, none of the k best sequences has this suffix. (Soong & Huang 1991)

MAX_PATHS = 100_000  # maximum number of sequences of a sentence, which fit into memory


class BestPaths(NamedTuple):
    """The m best tag sequences of a sentence, best first: tags (m, T) and log_probs (m,).

    m is k, or the number of possible sequences if that is smaller.
    """

    tags: Integers
    log_probs: Floats


def number_of_paths(n_tags: int, lengths: Integers) -> int:
    """Return the number of tag sequences of the longest sentence, or a number above MAX_PATHS."""
    steps = int(lengths.max(initial=0))
    paths: int = int(n_tags) ** min(steps, MAX_PATHS.bit_length())
    return paths


def best_prefixes(chain: Chain) -> Floats:
    """Return for each token and tag k the highest score of a sequence up to the token that ends in k, (N, K)."""
    best = np.empty_like(chain.emissions)
    bounds = chain.batch.steps.tolist()
    row = best[: bounds[1]]
    row[:] = chain.emissions[: bounds[1]]
    for begin, stop in pairwise(bounds[1:]):
        row = _highest_sums(row[: stop - begin], chain.into(begin, stop), best[begin:stop])
        row += chain.emissions[begin:stop]
    return best


def best_paths(chain: Chain, k: int) -> tuple[Integers, Floats]:
    """Return packed tags (N, k) and scores (B, k), best first; a sequence with score −inf does not exist."""
    batch, best = chain.batch, best_prefixes(chain)
    bounds = batch.steps.tolist()
    size = best.shape[1]
    tags = np.zeros((len(best), k), dtype=np.int64)
    reach = np.empty((0, k))  # the best score of a sequence with each suffix
    suffix = np.empty((0, k))  # the score of each suffix
    chosen = np.empty((0, k), dtype=np.int64)  # the first tag of each suffix
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
        columns = _top(candidates.reshape(new, k * size), k)
        rows = np.arange(new)[:, None]
        reach = candidates.reshape(new, -1)[rows, columns]
        origin, chosen = np.divmod(columns, size)
        suffix = onwards.reshape(new, -1)[rows, columns] + chain.emissions[begin:stop][rows, chosen]
        suffix[reach == -np.inf] = -np.inf  # suffixes of sequences that do not exist
        tags[begin:stop] = chosen
        origins.append(origin)
    _follow(batch, tags, origins[::-1])
    return tags, reach


def best_sentence_paths(chain: Chain, k: int, log_z: Floats) -> list[BestPaths]:
    """Return the k best sequences of each sentence of a batch."""
    tags, scores = best_paths(chain, k)
    possible = np.isfinite(scores).sum(axis=1).tolist()
    log_probs = np.minimum(scores - log_z[:, None], 0.0)  # rounding may end above log 1
    return [
        BestPaths(np.ascontiguousarray(names[:, :m].T), logs[:m])
        for names, logs, m in zip(chain.batch.unpack(tags), log_probs, possible, strict=True)
    ]


def _follow(batch: Batch, tags: Integers, origins: list[Integers]) -> None:
    """Reorder the tags of every step in place, so that column i is the i-th best sequence.

    origins: at each step, for each suffix, the index of the suffix at the next step that it extends.
    """
    bounds = batch.steps.tolist()
    column = np.tile(np.arange(tags.shape[1]), (len(batch), 1))
    for t, origin in enumerate(origins):
        begin, stop = bounds[t], bounds[t + 1]
        column = column[: stop - begin]
        rows = np.arange(stop - begin)[:, None]
        tags[begin:stop] = tags[begin:stop][rows, column]
        column = origin[rows, column]


def _highest_sums(rows: Floats, transitions: Floats, out: Floats) -> Floats:
    """Write max_j x(j) + A(j, k) to `out`, some rows at a time, with the long axis of rows innermost."""
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
    """Return the transitions into the first tag of each suffix, (n, k, K)."""
    if transitions.ndim == 2:
        return transitions.T[tags]
    return np.swapaxes(transitions, 1, 2)[np.arange(len(tags))[:, None], tags]


def _top(values: Floats, k: int) -> Integers:
    """Return the columns of the k highest values of each row, highest first; of equal values, the first ones."""
    if k == 1:
        return np.asarray(values.argmax(axis=1)[:, None])
    lowest = np.partition(values, values.shape[1] - k, axis=1)[:, -k, None]
    above, equal = values > lowest, values == lowest
    n_ties = k - above.sum(axis=1, keepdims=True)
    chosen = above | (equal & (equal.cumsum(axis=1) <= n_ties))
    columns = np.nonzero(chosen)[1].reshape(len(values), k)
    order = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)
