"""The linear chain: batches without gaps, forward and backward messages, marginals and expectations."""

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

# Arrays used again from batch to batch: fresh memory costs more than the arithmetic on it.

MAX_KEPT_CELLS = 1 << 19  # cells of an array that stays for the next time: 4 MB
_idle = threading.local()


class Workspace:
    """Reusable arrays by name; requesting a name again overwrites its array."""

    def __init__(self) -> None:
        self._held: dict[str, Floats] = {}

    def floats(self, name: str, shape: tuple[int, ...]) -> Floats:
        """An array of this shape, its values undefined."""
        size = int(np.prod(shape))
        buffer = self._held.get(name)
        if buffer is None or len(buffer) < size:
            buffer = self._held[name] = np.empty(size)
        return buffer[:size].reshape(shape)

    def shrink(self) -> None:
        """Let go of large arrays."""
        self._held = {name: buffer for name, buffer in self._held.items() if len(buffer) <= MAX_KEPT_CELLS}


@contextmanager
def borrowed_workspace() -> Iterator[Workspace]:
    """The workspace that this thread keeps; another one if that is in use."""
    workspace: Workspace = _idle.__dict__.pop("workspace", None) or Workspace()
    try:
        yield workspace
    finally:
        workspace.shrink()
        _idle.workspace = workspace


# Batches of sentences: sorted by length and packed by position, so that no gaps remain and no mask is needed.

Number = TypeVar("Number", bound=np.generic)
CELLS = 1 << 18  # of one packed array, 2 MB: about what a processor's cache holds
MIN_BATCH_SENTENCES = 64  # a batch has as many, however long they are ...
MAX_BATCH_CELLS = 1 << 22  # ... unless one packed array would take more than 32 MB
SENTENCES_PER_BLOCK = 16  # sentences of an answer that share one block of memory


@dataclass(frozen=True)
class Batch:
    """Some sentences of a corpus, longest first, and the positions of their tokens in packed arrays.

    A packed array has one row per token: first the first tokens of all sentences, then all second tokens, and so on.
    Row `steps[t] + i` is token t of the batch's i-th sentence. Since longer ones come first, the `active[t]` sentences
    that have a token t are always the first ones.

    sentences (B,): their positions in the corpus. lengths (B,): their numbers of tokens, never 0. steps (T + 1,): the
    first row of each position, and the total number of rows.
    """

    sentences: Integers
    lengths: Integers
    steps: Integers

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def active(self) -> Integers:
        """(T,): the number of sentences that have a token at each position."""
        return np.diff(self.steps)

    @cached_property
    def ranks(self) -> Integers:
        """(N,): the sentence of each row, counted within the batch."""
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
        """(N,): for each packed row the row of the corpus laid end to end, `firsts` being each sentence's first row.

        >>> next(batches([1, 3, 2], width=2)).corpus_rows(first_rows([1, 3, 2]))
        array([1, 4, 0, 2, 5, 3])
        """
        return firsts[self.sentences][self.ranks] + self.positions

    def pack(
        self, arrays: Sequence[npt.ArrayLike], *, later: bool = False, workspace: Workspace | None = None
    ) -> Floats:
        """(N, …): the rows of the batch's sentences in packed order, as float64; `arrays` are the whole corpus's.

        `later`: the arrays have a row for every token except the first ones, (N − B, …). With a workspace, the result
        is valid until the workspace is used again.
        """
        chosen = [arrays[i] for i in self.sentences.tolist()]
        if later:  # one array at least, and no empty one, which may have lost its shape
            chosen = chosen[: max(int(self.active[1:2].sum()), 1)]
        rows = self._later_joined_rows if later else self._joined_rows
        if workspace is None:
            return np.concatenate(chosen, dtype=np.float64).take(rows, axis=0)
        shape = (len(rows), *np.shape(chosen[0])[1:])
        joined = np.concatenate(chosen, out=workspace.floats("local", shape))
        return joined.take(rows, axis=0, out=workspace.floats("packed", shape), mode="clip")

    def unpack(self, packed: npt.NDArray[Number], *, later: bool = False) -> list[npt.NDArray[Number]]:
        """One array a sentence, in the batch's order: views of copies of a few sentences. `later` as in `pack`."""
        rows = self._later_joined_rows if later else self._joined_rows
        place = np.empty_like(rows)
        place[rows] = np.arange(len(rows))
        bounds = [0, *np.cumsum(self.lengths - later).tolist()]
        arrays = []
        for first in range(0, len(self), SENTENCES_PER_BLOCK):
            starts = bounds[first : first + SENTENCES_PER_BLOCK + 1]
            joined = packed.take(place[starts[0] : starts[-1]], axis=0)
            arrays += [joined[start - starts[0] : stop - starts[0]] for start, stop in pairwise(starts)]
        return arrays

    @cached_property
    def _joined_rows(self) -> Integers:
        """(N,): the position of each packed row when the batch's sentences are joined end to end."""
        return first_rows(self.lengths)[self.ranks] + self.positions

    @cached_property
    def _later_joined_rows(self) -> Integers:
        """(N − B,): the same without the rows of first tokens."""
        return self._joined_rows[len(self) :] - self.ranks[len(self) :] - 1


def batches(lengths: Sequence[int] | Integers, *, width: int) -> Iterator[Batch]:
    """The sentences in batches, longest first; those without tokens are omitted.

    `width` is the number of cells a token takes (its tags). A batch has about `CELLS` cells: more if it would otherwise
    have fewer than `MIN_BATCH_SENTENCES` sentences, but at most `MAX_BATCH_CELLS` unless a single sentence is longer.

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
    """Where each sentence begins when all are laid end to end."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), ends])[: len(ends)]


def _batch(sentences: Integers, lengths: Integers) -> Batch:
    longest = int(lengths[0])
    active = np.searchsorted(-lengths, -np.arange(longest), side="left")
    return Batch(sentences, lengths, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(active)]))


# Forward and backward messages in logarithms: accurate whatever the range of the potentials.
#
# Forward rows f_t may be scaled arbitrarily, with `shift` recording what was subtracted (here: so that their maximum is
# 0), and backward rows b_t so that Σ_k exp(f_t(k) + b_t(k)) = 1. Then
#
#     P(y_t = k) = exp(f_t(k) + b_t(k))
#     P(y_t−1 = j, y_t = k) = exp(f_t−1(j) + A(j, k) + e_t(k) + b_t(k) − shift_t)    for t > 1

MIN_SUM = 1e-250  # what a product may lose to underflow is less than 1e-50 of any sum above this
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


def pair_chunks(chain: Chain, messages: Messages) -> Iterator[Floats]:
    """log P(y_t−1 = j, y_t = k) as (n, K, K), for all rows except those of first tokens, some at a time."""
    first, size = len(chain.batch), chain.emissions.shape[1]
    onwards = chain.emissions + messages.backward - messages.shift[:, None]
    previous = chain.batch.previous_rows
    rows = max(CHUNK_CELLS // size**2, 1)
    for begin in range(first, len(onwards), rows):
        stop = min(begin + rows, len(onwards))
        earlier = messages.forward[previous[begin - first : stop - first]]
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
    """−inf as 0."""
    return np.where(values == -np.inf, 0.0, values)


# Forward–backward on exp(potentials), scaled every few steps (Rabiner 1989), with one matrix product per step.

MAX_STEP_RANGE = 150.0  # range of one step in logarithms
MAX_UNSCALED_RANGE = 250.0  # no number leaves exp(±(this + 2 · WIDEST)); float64 ends at exp(±708)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Forward–backward on exp(potentials): `local` (N, K), overwritten, and `weights` (K, K), both at most 1.

    Every `every`-th forward row is divided by its sum c_t, so that with c_t = 1 elsewhere
        α_t(k) = Σ_j α_t−1(j) A(j, k) e_t(k) / c_t,    β_t−1(j) = Σ_k A(j, k) e_t(k) β_t(k) / c_t,
    and β_T = 1 / Σ_k α_T(k), so that Σ_k α_t(k) β_t(k) = 1 for every t. `shift` is what was subtracted from the
    logarithms of `local` and of `weights`.
    """

    chain: Chain
    local: Floats
    weights: Floats
    shift: tuple[float, float]
    every: int
    workspace: Workspace

    @classmethod
    def of(cls, chain: Chain, workspace: Workspace) -> Self | None:
        """None if the range of the potentials is too wide or infinite, or if the transitions are not shared."""
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
        """The forward pass."""
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
        """β (N, K); `local` becomes e_t(k) β_t(k) / c_t except in the first rows."""
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
        """Σ α_t−1(j) A(j, k) e_t(k) β_t(k) / c_t over all rows except those of first tokens, as one matrix product;
        after `backward`."""
        batch = self.chain.batch
        earlier = self.workspace.floats("earlier", self.local[len(batch) :].shape)
        forward.values.take(batch.previous_rows, axis=0, out=earlier, mode="clip")
        return self.weights * (earlier.T @ self.local[len(batch) :])

    def messages(self) -> Messages:
        """Both passes in logarithms, as `howsure_text.sequences.messages` defines them."""
        forward = self.forward()
        backward = self.backward(forward)
        shift = np.full(len(backward), sum(self.shift))
        for t, scale in forward.scales.items():
            begin = self.chain.batch.steps[t]
            shift[begin : begin + len(scale)] += np.log(scale[:, 0])
        return Messages(forward.logs(), shift, forward.log_z, np.log(backward, out=backward))


@dataclass(frozen=True, slots=True)
class Forward:
    """log_z (B,); values: α (N, K); scales: c (n, 1) by position; totals: Σ_k α_T(k) (B, 1)."""

    log_z: Floats
    values: Floats
    scales: dict[int, Floats]
    totals: Floats

    def logs(self) -> Floats:
        """log α, in place of it."""
        return np.log(self.values, out=self.values)


# Expectations under a linear chain: log Z, tag marginals and expected transitions of a batch.
#
# The score of a tag sequence y is Σ_t e_t(y_t) + Σ_t A(y_t−1, y_t), plus start(y_1) and end(y_T) where given, and its
# probability is exp(score − log Z). Forward–backward runs on exp(potentials) if their range rules out overflow and
# underflow, otherwise in logarithms.


class Expectations(NamedTuple):
    """log_z (B,); marginals (N, K), packed as the batch is; pair_sums (K, K), summed over sentences and positions."""

    log_z: Floats
    marginals: Floats
    pair_sums: Floats | None


def add_ends(batch: Batch, emissions: Floats, start: Floats | None, end: Floats | None) -> Floats:
    """The packed emissions with the start and end potentials added in place to each sentence's first and last row."""
    if start is not None:
        emissions[: len(batch)] += start
    if end is not None:
        emissions[batch.last_rows] += end
    return emissions


def compute_expectations(chain: Chain, workspace: Workspace, *, pairs: bool) -> Expectations:
    """log Z, marginals P(y_t = k) and expected numbers of transitions (j, k), of the sentences of one batch.

    The emissions (N, K) of the chain are packed as the batch says (`Batch.pack`, or any table taken by
    `Batch.corpus_rows`); all potentials must be float64, finite or −inf; none is changed. pairs: also the expected
    transitions. The results are valid until the workspace is used again. Call within `one_thread()`. A sentence with no
    possible sequence gets log Z = −inf, and its marginals are meaningless.

    >>> from howsure_text.sequences.messages import batches
    >>> chain = Chain(next(batches([2], width=2)), np.log([[1.0, 3.0], [1.0, 1.0]]), np.log([[1.0, 1.0], [1.0, 2.0]]))
    >>> found = compute_expectations(chain, Workspace(), pairs=True)
    >>> float(np.exp(found.log_z[0]).round(9)), (11 * found.pair_sums).round(9).tolist()
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
    """Forward and backward messages, valid until the workspace is used again."""
    scaled = Scaled.of(chain, workspace)
    return messages_in_logarithms(chain) if scaled is None else scaled.messages()


def forward_messages(chain: Chain, workspace: Workspace) -> tuple[Floats, Floats]:
    """Forward messages (N, K), to a constant for each row, and log Z (B,); they last as those of `compute_messages`."""
    scaled = Scaled.of(chain, workspace)
    if scaled is None:
        forward, _, log_z = forward_in_logarithms(chain)
        return forward, log_z
    messages = scaled.forward()
    return messages.logs(), messages.log_z


def log_partition(chain: Chain, workspace: Workspace) -> Floats:
    """log Z (B,)."""
    scaled = Scaled.of(chain, workspace)
    return forward_in_logarithms(chain)[2] if scaled is None else scaled.forward().log_z


def _sum_of_pairs(chain: Chain, messages: Messages) -> Floats:
    sums = np.zeros_like(chain.transitions)
    for logs in pair_chunks(chain, messages):
        sums += np.exp(logs).sum(axis=0)
    return sums


def below_one(probabilities: Floats) -> Floats:
    """Values that rounding has put above 1 are set to 1."""
    return np.clip(probabilities, 0.0, 1.0, out=probabilities)  # twice as fast as a minimum
