"""The weights of a CRF: one for each (attribute, tag) and (tag, next tag) that occurs in the training sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import first_rows
from howsure.sequences.features.design import Design


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of the weights in matrices; all other entries remain 0, as in crfsuite's default."""

    n_attributes: int
    n_labels: int
    states: Integers  # places in (attributes, tags), row by row, ascending
    transitions: Integers  # places in (tags, tags), row by row, ascending

    @classmethod
    def of(cls, design: Design, codes: Integers, n_attributes: int, n_labels: int) -> Self:
        """Weights for the combinations that occur in a corpus."""
        seen = sum(_present(block.matrix).T @ _one_hot(block.rows, codes, n_labels) for block in design.blocks).tocoo()
        states = np.unique(seen.row.astype(np.int64) * n_labels + seen.col)
        return cls(n_attributes, n_labels, states, np.flatnonzero(followers(codes, design.lengths, n_labels)))

    def __len__(self) -> int:
        return len(self.states) + len(self.transitions)

    def unpack(self, weights: Floats) -> tuple[Floats, Floats]:
        """State weights (attributes, tags) and transition weights (tags, tags)."""
        state, transition = np.zeros(self.n_attributes * self.n_labels), np.zeros(self.n_labels**2)
        state[self.states] = weights[: len(self.states)]
        transition[self.transitions] = weights[len(self.states) :]
        return state.reshape(-1, self.n_labels), transition.reshape(-1, self.n_labels)

    def pack(self, state: Floats, transition: Floats) -> Floats:
        """The entries at the positions of weights, as one vector."""
        return np.concatenate([state.ravel()[self.states], transition.ravel()[self.transitions]])

    def only(self, attributes: Integers) -> tuple[Layout, Integers]:
        """The layout of some attributes (ascending), renumbered 0, 1, …; and the indices of its weights."""
        place = np.full(self.n_attributes, -1)
        place[attributes] = np.arange(len(attributes))
        rows = place[self.states // self.n_labels]
        kept = np.flatnonzero(rows >= 0)
        states = rows[kept] * self.n_labels + self.states[kept] % self.n_labels
        part = Layout(len(attributes), self.n_labels, states, self.transitions)
        return part, np.concatenate([kept, np.arange(len(self.states), len(self))])


def observed(design: Design, codes: Integers, n_labels: int) -> tuple[Floats, Floats]:
    """The sum of attributes' values with each tag, (attributes, tags), and how often tags follow tags, (tags, tags)."""
    states = sum(block.matrix.T @ _one_hot(block.rows, codes, n_labels) for block in design.blocks)
    return states.toarray(), followers(codes, design.lengths, n_labels).reshape(n_labels, -1)


def followers(codes: Integers, lengths: Integers, n_labels: int) -> Floats:
    """How often each tag follows each other within a sentence, (tags · tags,)."""
    inside = np.ones(len(codes), dtype=np.bool_)
    inside[first_rows(lengths)] = False
    later = np.flatnonzero(inside)
    found = np.bincount(codes[later - 1] * n_labels + codes[later], minlength=n_labels**2)
    return found.astype(np.float64)


def _present(matrix: csr_array) -> csr_array:
    return csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), matrix.shape)


def _one_hot(rows: Integers, codes: Integers, n_labels: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, codes)), (rows.max() + 1, n_labels))
