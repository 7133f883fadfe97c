"""Batches of sentences: sorted by length and packed by position, so that there are no gaps and no mask is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.workspace import Workspace

Number = TypeVar("Number", bound=np.generic)

CELLS = 1 << 18  # of one packed array, 2 MB: about what a processor's cache holds
FEWEST_SENTENCES = 64  # a batch has as many, however long they are ...
MOST_CELLS = 1 << 22  # ... unless one packed array would take more than 32 MB
TOGETHER = 16  # sentences of an answer that share one block of memory


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

    def rows_of(self, firsts: Integers) -> Integers:
        """(N,): for each packed row the row of the corpus laid end to end, `firsts` being each sentence's first row.

        >>> next(batches([1, 3, 2], width=2)).rows_of(first_rows([1, 3, 2]))
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
        for first in range(0, len(self), TOGETHER):
            own = bounds[first : first + TOGETHER + 1]
            joined = packed.take(place[own[0] : own[-1]], axis=0)
            arrays += [joined[start - own[0] : stop - own[0]] for start, stop in pairwise(own)]
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
    have fewer than `FEWEST_SENTENCES` sentences, but never more than `MOST_CELLS` unless a single sentence is longer.

    >>> [batch.sentences.tolist() for batch in batches([1, 0, 3, 2], width=2)]
    [[2, 3, 0]]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")[: int(np.count_nonzero(sizes))]
    ends = np.cumsum(sizes[order]) * max(width, 1)
    start = 0
    while start < len(order):
        done = ends[start - 1] if start else 0
        usual, most = np.searchsorted(ends, [done + CELLS, done + MOST_CELLS], side="right").tolist()
        stop = max(min(max(usual, start + FEWEST_SENTENCES), most, len(order)), start + 1)
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
