"""Forward–backward on linear chains: batches of sentences, messages, marginals and expected transitions."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import log_sum_exp

# Arrays are reused from batch to batch, because allocating memory takes longer than the arithmetic on it.

MAX_KEPT_CELLS = 1 << 19  # larger arrays are freed after use: 4 MB
_idle = threading.local()


class Workspace:
    """Reusable arrays by name; requesting a name again overwrites its array."""

    def __init__(self) -> None:
        self._held: dict[str, Floats] = {}

    def floats(self, name: str, shape: tuple[int, ...]) -> Floats:
        """Return an array of this shape with arbitrary values."""
        size = int(np.prod(shape))
        buffer = self._held.get(name)
        if buffer is None or len(buffer) < size:
            buffer = self._held[name] = np.empty(size)
        return buffer[:size].reshape(shape)

    def shrink(self) -> None:
        """Free large arrays."""
        self._held = {name: buffer for name, buffer in self._held.items() if len(buffer) <= MAX_KEPT_CELLS}


@contextmanager
def borrowed_workspace() -> Iterator[Workspace]:
    """Context that lends this thread's workspace or, if it is already in use, a new one."""
    workspace: Workspace = _idle.__dict__.pop("workspace", None) or Workspace()
    try:
        yield workspace
    finally:
        workspace.shrink()
        _idle.workspace = workspace


# Batches of sentences are sorted by length and packed by position, so that they need no padding and no mask.

Number = TypeVar("Number", bound=np.generic)
CELLS = 1 << 18  # size of a packed array: 2 MB, about the size of a processor's cache
MIN_BATCH_SENTENCES = 64  # a batch has at least this many sentences, however long they are, ...
MAX_BATCH_CELLS = 1 << 22  # ... unless a packed array would take more than 32 MB
SENTENCES_PER_BLOCK = 16  # number of sentences in a result that share one block of memory


@dataclass(frozen=True)
class Batch:
    """Some sentences of a corpus, longest first, and the rows of their tokens in packed arrays.

    A packed array has one row per token: first the first tokens of all sentences, then all second tokens, and so on.
    Row `steps[t] + i` is token t of the batch's i-th sentence. Since longer sentences come first, the sentences that
    have a token t are the first `active[t]` sentences.

    sentences (B,): the index of each sentence in the corpus. lengths (B,): its number of tokens, never 0. steps (T +
    1,): for each position t, the first row of the tokens at t; the last element is the number of rows N.
    """

    sentences: Integers
    lengths: Integers
    steps: Integers

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def active(self) -> Integers:
        """(T,): for each position, the number of sentences that have a token there."""
        return np.diff(self.steps)

    @cached_property
    def ranks(self) -> Integers:
        """(N,): the sentence of each row, as an index within the batch."""
        return np.arange(self.steps[-1]) - np.repeat(self.steps[:-1], self.active)

    @cached_property
    def positions(self) -> Integers:
        """(N,): the position t of each row in its sentence."""
        return np.repeat(np.arange(len(self.active)), self.active)

    @cached_property
    def last_rows(self) -> Integers:
        """(B,): the row of each sentence's last token."""
        return self.steps[self.lengths - 1] + np.arange(len(self))

    @cached_property
    def previous_rows(self) -> Integers:
        """(N − B,): the row of the preceding token, for every row except those of first tokens."""
        first = len(self)
        return self.steps[self.positions[first:] - 1] + self.ranks[first:]

    def corpus_rows(self, firsts: Integers) -> Integers:
        """(N,): for each packed row, its row in the corpus, in which sentence i begins at row `firsts[i]`.

        >>> next(batches([1, 3, 2], width=2)).corpus_rows(first_rows([1, 3, 2]))
        array([1, 4, 0, 2, 5, 3])
        """
        return firsts[self.sentences][self.ranks] + self.positions

    def pack(
        self, arrays: Sequence[npt.ArrayLike], *, later: bool = False, workspace: Workspace | None = None
    ) -> Floats:
        """Return the rows of the batch's sentences in packed order, (N, …), as float64.

        arrays: an array per sentence of the corpus. later: the arrays have no row for the first token of a sentence, so
        the result has N − B rows. With a workspace, the result is valid until the workspace is used again.
        """
        chosen = [arrays[i] for i in self.sentences.tolist()]
        if (
            later
        ):  # without the sentences of one token, whose empty arrays may have another shape; but at least one array
            chosen = chosen[: max(int(self.active[1:2].sum()), 1)]
        rows = self._later_joined_rows if later else self._joined_rows
        if workspace is None:
            return np.concatenate(chosen, dtype=np.float64).take(rows, axis=0)
        shape = (len(rows), *np.shape(chosen[0])[1:])
        joined = np.concatenate(chosen, out=workspace.floats("local", shape))
        return joined.take(rows, axis=0, out=workspace.floats("packed", shape), mode="clip")

    def unpack(self, packed: npt.NDArray[Number], *, later: bool = False) -> list[npt.NDArray[Number]]:
        """Return an array per sentence, in the order of the batch (`later`: as in `pack`).

        The arrays are views; those of up to 16 sentences share a copy.
        """
        rows = self._later_joined_rows if later else self._joined_rows
        packed_row = np.empty_like(rows)
        packed_row[rows] = np.arange(len(rows))
        bounds = [0, *np.cumsum(self.lengths - later).tolist()]
        arrays = []
        for first in range(0, len(self), SENTENCES_PER_BLOCK):
            starts = bounds[first : first + SENTENCES_PER_BLOCK + 1]
            joined = packed.take(packed_row[starts[0] : starts[-1]], axis=0)
            arrays += [joined[start - starts[0] : stop - starts[0]] for start, stop in pairwise(starts)]
        return arrays

    @cached_property
    def _joined_rows(self) -> Integers:
        """(N,): the position of each packed row if the batch's sentences are concatenated."""
        return first_rows(self.lengths)[self.ranks] + self.positions

    @cached_property
    def _later_joined_rows(self) -> Integers:
        """(N − B,): the same positions if first tokens have no rows."""
        return self._joined_rows[len(self) :] - self.ranks[len(self) :] - 1


def batches(lengths: Sequence[int] | Integers, *, width: int) -> Iterator[Batch]:
    """Yield the sentences in batches, longest first; sentences without tokens are omitted.

    width: the number of cells of a token, which is usually the number of tags. A batch has about `CELLS` cells. It has
    more if it would otherwise have fewer than `MIN_BATCH_SENTENCES` sentences, but at most `MAX_BATCH_CELLS`, unless a
    single sentence has more.

    >>> [batch.sentences.tolist() for batch in batches([1, 0, 3, 2], width=2)]
    [[2, 3, 0]]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")[: int(np.count_nonzero(sizes))]
    ends = np.cumsum(sizes[order]) * max(width, 1)
    start = 0
    while start < len(order):
        done = ends[start - 1] if start else 0
        usual, most = np.searchsorted(ends, [done + CELLS, done + MAX_BATCH_CELLS], side="right").tolist()
        stop = max(min(max(usual, start + MIN_BATCH_SENTENCES), most, len(order)), start + 1)
        yield _batch(order[start:stop], sizes[order[start:stop]])
        start = stop


def first_rows(lengths: Sequence[int] | Integers) -> Integers:
    """Return the index of each sentence's first token if all sentences are concatenated."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), ends])[: len(ends)]


def _batch(sentences: Integers, lengths: Integers) -> Batch:
    longest = int(lengths[0])
    active = np.searchsorted(-lengths, -np.arange(longest), side="left")
    return Batch(sentences, lengths, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(active)]))


# Forward and backward messages in logarithms, which are accurate for every range of the potentials.
# A forward row f_t may be shifted by any constant, which is recorded in `shift`; here, the maximum is subtracted.
# Backward rows b_t are shifted so that Σ_k exp(f_t(k) + b_t(k)) = 1. Then
#
#     P(y_t = k) = exp(f_t(k) + b_t(k))
#     P(y_t−1 = j, y_t = k) = exp(f_t−1(j) + A(j, k) + e_t(k) + b_t(k) − shift_t)    for t > 1

MIN_SUM = 1e-250  # of a larger sum of products, underflow loses less than the fraction 1e-50
CHUNK_CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Chain:
    """The log-potentials of one batch, all finite or −inf.

    emissions (N, K): packed; the rows of first and last tokens include the start and end potentials. transitions: (K,
    K), or (N − B, K, K) with one matrix for each row except those of first tokens.
    """

    batch: Batch
    emissions: Floats
    transitions: Floats

    def into(self, begin: int, stop: int) -> Floats:
        """Return the transitions into the tokens of rows `begin` to `stop` - 1: (K, K), or (n, K, K)."""
        first = len(self.batch)
        return self.transitions if self.transitions.ndim == 2 else self.transitions[begin - first : stop - first]


@dataclass(frozen=True, slots=True)
class Messages:
    """Forward and backward rows (N, K) in logarithms, `shift` (N,), and log_z (B,), −inf if no sequence is possible."""

    forward: Floats
    shift: Floats
    log_z: Floats
    backward: Floats

    def tags(self) -> Floats:
        """P(y_t = k), (N, K)."""
        return np.exp(self.forward + self.backward)


def forward_in_logarithms(chain: Chain) -> tuple[Floats, Floats, Floats]:
    """Return the forward rows (N, K), `shift` (N,) and log_z (B,)."""
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
    """Return forward and backward messages, computed in logarithms."""
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


def pair_chunks(chain: Chain, messages: Messages) -> Iterator[Floats]:
    """Yield log P(y_t−1 = j, y_t = k), (n, K, K), in chunks of n rows; rows of first tokens are left out."""
    first, size = len(chain.batch), chain.emissions.shape[1]
    onwards = chain.emissions + messages.backward - messages.shift[:, None]
    previous = chain.batch.previous_rows
    rows = max(CHUNK_CELLS // size**2, 1)
    for begin in range(first, len(onwards), rows):
        stop = min(begin + rows, len(onwards))
        earlier = messages.forward[previous[begin - first : stop - first]]
        yield earlier[:, :, None] + chain.into(begin, stop) + onwards[begin:stop, None, :]


class LogProduct:
    """Computes log Σ_j exp(x(j) + A(j, k)) for rows x, by a matrix product if all rows share A.

    Entries that underflow in the product are computed again in logarithms, so every entry is accurate up to rounding.
    """

    def __init__(self, transitions: Floats) -> None:
        if transitions.ndim == 2:
            self._highest = _finite(transitions.max(axis=0))
            self._weights = np.exp(transitions - self._highest)

    def __call__(self, rows: Floats, transitions: Floats) -> Floats:
        """Return log Σ_j exp(x(j) + A(j, k)) for rows x, (n, K). transitions: A, either (n, K, K), one matrix for each
        row, or the (K, K) matrix that this object was made from."""
        if transitions.ndim == 3:
            return log_sum_exp(rows[:, :, None] + transitions, axis=1)
        highest = _highest(rows)
        sums = np.exp(rows - highest) @ self._weights
        faint = np.nonzero(sums < MIN_SUM)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(sums, out=sums)
        logs += highest
        logs += self._highest
        if len(faint[0]):
            logs[faint] = log_sum_exp(rows[faint[0]] + transitions.T[faint[1]])
        return logs


def _highest(rows: Floats) -> Floats:
    return _finite(rows.max(axis=1, keepdims=True))


def _finite(values: Floats) -> Floats:
    """Replace −inf by 0."""
    return np.where(values == -np.inf, 0.0, values)


# Forward–backward on exp(potentials) with one matrix product per step; rows are rescaled every few steps (Rabiner
# 1989).

MAX_STEP_RANGE = 150.0  # range of one step in logarithms
MAX_UNSCALED_RANGE = 250.0  # no number leaves exp(±(this + 2 · WIDEST)); float64 ends at exp(±708)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Forward–backward on exp(potentials) of a chain with shared transitions.

    local (N, K): e = exp(emissions), which `backward` overwrites. weights (K, K): A = exp(transitions). Both are
    divided by their maximum; shift: the logarithms of these maxima. Every `every`-th forward row is divided by its sum
    c_t. With c_t = 1 for all other rows,
        α_t(k) = Σ_j α_t−1(j) A(j, k) e_t(k) / c_t,    β_t−1(j) = Σ_k A(j, k) e_t(k) β_t(k) / c_t,
    and β_T = 1 / Σ_k α_T(k), so that Σ_k α_t(k) β_t(k) = 1 for every t.
    """

    chain: Chain
    local: Floats
    weights: Floats
    shift: tuple[float, float]
    every: int
    workspace: Workspace

    @classmethod
    def of(cls, chain: Chain, workspace: Workspace) -> Self | None:
        """Prepare a chain. Return None if transitions are not shared, or the range of the potentials is too wide."""
        potentials = chain.emissions, chain.transitions
        if chain.transitions.ndim == 3:
            return None
        emission, transition = (float(values.max()) for values in potentials)
        span = emission + transition - sum(float(values.min()) for values in potentials)
        span += math.log(len(chain.transitions))
        if not span <= MAX_STEP_RANGE:  # also if it is NaN
            return None
        local = np.subtract(chain.emissions, emission, out=workspace.floats("local", chain.emissions.shape))
        weights = np.exp(chain.transitions - transition)
        every = int(MAX_UNSCALED_RANGE / max(span, 1.0))
        return cls(chain, np.exp(local, out=local), weights, (emission, transition), every, workspace)

    def forward(self) -> Forward:
        """Compute α and log Z."""
        batch, local = self.chain.batch, self.local
        values = self.workspace.floats("forward", local.shape)
        scales: dict[int, Floats] = {}
        ones = np.ones((local.shape[1], 1))
        row = values[: len(batch)]
        row[:] = local[: len(batch)]
        for t, (begin, stop) in enumerate(pairwise(batch.steps.tolist()[1:]), 1):
            row = np.matmul(row[: stop - begin], self.weights, out=values[begin:stop])
            row *= local[begin:stop]
            if t % self.every == 0:
                scales[t] = row @ ones
                row /= scales[t]
        totals = values[batch.last_rows] @ ones
        with np.errstate(over="ignore", invalid="ignore"):  # callers check for NaN
            log_z = np.log(totals[:, 0]) + self.shift[0] * batch.lengths + self.shift[1] * (batch.lengths - 1)
        for scale in scales.values():
            log_z[: len(scale)] += np.log(scale[:, 0])
        return Forward(log_z, values, scales, totals)

    def backward(self, forward: Forward) -> Floats:
        """Return β (N, K), and replace the rows of `local`, except those of first tokens, by e_t(k) β_t(k) / c_t.

        e_t(k): the row of `local` before. c_t: the scale of the forward pass, 1 where `forward` has none.
        """
        batch = self.chain.batch
        backward: Floats = self.workspace.floats("backward", self.local.shape)
        backward[batch.last_rows] = 1.0 / forward.totals
        turned = np.ascontiguousarray(self.weights.T)
        bounds = batch.steps.tolist()
        for t in range(len(bounds) - 2, 0, -1):
            begin, stop, before = bounds[t], bounds[t + 1], bounds[t - 1]
            row = self.local[begin:stop]
            row *= backward[begin:stop]
            if t in forward.scales:
                row /= forward.scales[t]
            np.matmul(row, turned, out=backward[before : before + stop - begin])
        return backward

    def pair_sums(self, forward: Forward) -> Floats:
        """Return Σ α_t−1(j) A(j, k) e_t(k) β_t(k) / c_t over all rows but first tokens; call `backward` before."""
        batch = self.chain.batch
        earlier = self.workspace.floats("earlier", self.local[len(batch) :].shape)
        forward.values.take(batch.previous_rows, axis=0, out=earlier, mode="clip")
        return self.weights * (earlier.T @ self.local[len(batch) :])

    def messages(self) -> Messages:
        """Compute both passes, and return them as messages in logarithms."""
        forward = self.forward()
        backward = self.backward(forward)
        shift = np.full(len(backward), sum(self.shift))
        for t, scale in forward.scales.items():
            begin = self.chain.batch.steps[t]
            shift[begin : begin + len(scale)] += np.log(scale[:, 0])
        return Messages(forward.logs(), shift, forward.log_z, np.log(backward, out=backward))


@dataclass(frozen=True, slots=True)
class Forward:
    """The result of `Scaled.forward`: log_z (B,), α (N, K), c (n, 1) of scaled positions, and Σ_k α_T(k) (B, 1)."""

    log_z: Floats
    values: Floats
    scales: dict[int, Floats]
    totals: Floats

    def logs(self) -> Floats:
        """Return log α, and overwrite α with it."""
        return np.log(self.values, out=self.values)


# Expectations under a linear chain: log Z, tag marginals and expected transitions of a batch.
# The score of a tag sequence y is Σ_t e_t(y_t) + Σ_t A(y_t−1, y_t), plus start(y_1) and end(y_T) if they are given. Its
# probability is exp(score − log Z). Forward–backward runs on exp(potentials) if their range excludes overflow and
# underflow, otherwise in logarithms.


class Expectations(NamedTuple):
    """log_z (B,), packed marginals (N, K), and pair_sums (K, K), the expected numbers of transitions in the batch."""

    log_z: Floats
    marginals: Floats
    pair_sums: Floats | None


def add_ends(batch: Batch, emissions: Floats, start: Floats | None, end: Floats | None) -> Floats:
    """Add start and end potentials in place to the first and last rows of sentences in packed emissions (N, K)."""
    if start is not None:
        emissions[: len(batch)] += start
    if end is not None:
        emissions[batch.last_rows] += end
    return emissions


def compute_expectations(chain: Chain, workspace: Workspace, *, pairs: bool) -> Expectations:
    """Return log Z, marginals P(y_t = k) and expected numbers of transitions (j, k) of the sentences of a batch.

    The emissions (N, K) of the chain are packed by `Batch.pack` or `Batch.corpus_rows`. All potentials must be float64,
    finite or −inf; they are not changed. pairs: also compute the expected transitions. The results are valid until the
    workspace is used again. Call this function within `one_thread()`. A sentence without a possible sequence has log Z
    = −inf and meaningless marginals.

    >>> from howsure_text.sequences.messages import batches
    >>> chain = Chain(next(batches([2], width=2)), np.log([[1.0, 3.0], [1.0, 1.0]]), np.log([[1.0, 1.0], [1.0, 2.0]]))
    >>> result = compute_expectations(chain, Workspace(), pairs=True)
    >>> float(np.exp(result.log_z[0]).round(9)), (11 * result.pair_sums).round(9).tolist()
    (11.0, [[1.0, 1.0], [3.0, 6.0]])
    """
    scaled = Scaled.of(chain, workspace)
    if scaled is None:
        expectations = messages_in_logarithms(chain)
        return Expectations(
            expectations.log_z, expectations.tags(), _sum_of_pairs(chain, expectations) if pairs else None
        )
    forward = scaled.forward()
    marginals = scaled.backward(forward)
    pair_sums = scaled.pair_sums(forward) if pairs else None
    marginals *= forward.values
    return Expectations(forward.log_z, marginals, pair_sums)


def compute_messages(chain: Chain, workspace: Workspace) -> Messages:
    """Return forward and backward messages; they are valid until the workspace is used again."""
    scaled = Scaled.of(chain, workspace)
    return messages_in_logarithms(chain) if scaled is None else scaled.messages()


def forward_messages(chain: Chain, workspace: Workspace) -> tuple[Floats, Floats]:
    """Return log Z (B,) and forward messages (N, K), which are shifted by a constant per row.

    Both are valid until the workspace is used again.
    """
    scaled = Scaled.of(chain, workspace)
    if scaled is None:
        forward, _, log_z = forward_in_logarithms(chain)
        return forward, log_z
    messages = scaled.forward()
    return messages.logs(), messages.log_z


def log_partition(chain: Chain, workspace: Workspace) -> Floats:
    """Return log Z (B,)."""
    scaled = Scaled.of(chain, workspace)
    return forward_in_logarithms(chain)[2] if scaled is None else scaled.forward().log_z


def _sum_of_pairs(chain: Chain, messages: Messages) -> Floats:
    sums = np.zeros_like(chain.transitions)
    for logs in pair_chunks(chain, messages):
        sums += np.exp(logs).sum(axis=0)
    return sums


def below_one(probabilities: Floats) -> Floats:
    """Set values that are above 1 because of rounding to 1, in place."""
    return np.clip(probabilities, 0.0, 1.0, out=probabilities)  # twice as fast as a minimum
