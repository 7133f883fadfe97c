"""The objective of a CRF, Σ -log P(tags | words) + c₂ ‖w‖², as in crfsuite, and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import Batch, batches, first_rows
from howsure.sequences.chain.marginals import expectations
from howsure.sequences.chain.workspace import Workspace
from howsure.sequences.features.design import Design, looked_up
from howsure.sequences.training.weights import Layout, observed
from howsure.stats.threads import one_thread


@dataclass(frozen=True, slots=True)
class Places:
    """The tokens of a batch in one block: the kind of each, and the tokens of each occurring kind."""

    kinds: Integers  # (tokens,), packed
    occurring: Integers  # ascending
    members: csr_array  # (occurring, tokens): 1 where the token is of the kind

    @classmethod
    def of(cls, kinds: Integers) -> Self:
        """The positions of packed tokens of these kinds."""
        occurring, rows = np.unique(kinds, return_inverse=True)
        n = len(kinds)
        one_hot = csr_array((np.ones(n), rows, np.arange(n + 1)), (n, len(occurring)))
        return cls(kinds, occurring, one_hot.T.tocsr())


class Objective:
    """The penalised negative log-likelihood of a corpus's tags as a function of the weights.

    The gradient is the model's expectation of each feature, minus its count in the corpus, plus 2 c₂ w. Tokens are
    scored by looking up the scores of their kinds; their marginals are added up by kind before they are multiplied by
    the attributes. No array has a row for every token.
    """

    def __init__(
        self, design: Design, codes: Integers, layout: Layout, *, c2: float, workspace: Workspace | None = None
    ) -> None:
        self.layout, self.c2 = layout, c2
        self._blocks = design.blocks
        self._observed = layout.pack(*observed(design, codes, layout.n_labels))
        self._workspace = workspace or Workspace()
        firsts = first_rows(design.lengths)
        self._batches: list[tuple[Batch, list[Places]]] = []
        for batch in batches(design.lengths, width=layout.n_labels):
            tokens = batch.rows_of(firsts)
            self._batches.append((batch, [Places.of(block.rows[tokens]) for block in design.blocks]))

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        """The value and the gradient."""
        state, transition = self.layout.unpack(weights)
        log_z, by_kind, pair_sums = self._infer([block.matrix @ state for block in self._blocks], transition)
        expected = sum(block.matrix.T @ sums for block, sums in zip(self._blocks, by_kind, strict=True))
        value = log_z - float(self._observed @ weights) + self.c2 * float(weights @ weights)
        return value, self.layout.pack(expected, pair_sums) - self._observed + 2 * self.c2 * weights

    def _infer(self, tables: Sequence[Floats], transition: Floats) -> tuple[float, list[Floats], Floats]:
        """Σ log Z, the sums of marginals of each kind, for each block, and the expected transitions."""
        log_z, pair_sums, by_kind = 0.0, np.zeros_like(transition), [np.zeros_like(table) for table in tables]
        with one_thread():
            for batch, places in self._batches:
                emissions = looked_up(tables, [block.kinds for block in places])
                found = expectations(batch, emissions, transition, workspace=self._workspace)
                log_z += float(found.log_z.sum())
                if found.pair_sums is not None:
                    pair_sums += found.pair_sums
                for block, sums in zip(places, by_kind, strict=True):
                    sums[block.occurring] += block.members @ found.marginals
        return log_z, by_kind, pair_sums


@dataclass(frozen=True, slots=True)
class Part:
    """A mini-batch: its objective without penalty, restricted to the relevant `weights`, and its share of the
    sentences."""

    objective: Objective
    weights: Integers
    share: float


def parts_of(design: Design, codes: Integers, layout: Layout, *, size: int, rng: np.random.Generator) -> list[Part]:
    """The sentences in random mini-batches of `size`, the last one of what is left."""
    order = rng.permutation(len(design.lengths))
    workspace = Workspace()  # one will do
    starts = range(0, len(order), size)
    return [_part(design, codes, layout, order[start : start + size], workspace) for start in starts]


def _part(design: Design, codes: Integers, layout: Layout, sentences: Integers, workspace: Workspace) -> Part:
    smaller, attributes = design.only(sentences)
    inner, weights = layout.only(attributes)
    objective = Objective(smaller, codes[design.tokens_of(sentences)], inner, c2=0.0, workspace=workspace)
    return Part(objective, weights, len(sentences) / len(design.lengths))
