"""The exact probability of entities: that one begins at a token, goes on, and ends, summed over all other labels.

The posterior over the labels of a sentence is a Markov chain. An entity of type X from token s to token e is there if
its labels begin it at s, continue it up to e, and do not continue it at e + 1: a product of matrices, each restricted
to the pairs of labels that say so. All starts are followed at once, and a start no further than the probability that an
entity begins there and has not ended yet, which bounds that of every longer one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import first_rows
from howsure.sequences.entities.entity_labels import EntityLabels
from howsure.sequences.tag_posterior import TagPosterior

CELLS = 1 << 22  # of the pair marginals held at once: 32 MB


class Spans(NamedTuple):
    """Entities (n,): the row of the first token, the number of tokens, the number of the type, the probability."""

    row: Integers
    length: Integers
    type: Integers
    probability: Floats


@dataclass(frozen=True, slots=True)
class SpanChain:
    """Some sentences laid end to end.

    firsts: the number of the first sentence, and rows: the first row of each. begins (N, K): P(label k begins an entity
    at the token). ends (N, K): P(the entity ends there | label k). onwards (N, K, K): P(the next label is k', which
    continues the entity | label k).
    """

    first_sentence: int
    rows: Integers
    begins: Floats
    ends: Floats
    onwards: Floats
    of_type: Floats

    def likely(self, least: float) -> Spans:
        """All entities with a probability of at least `least`, and above 0."""
        at = np.arange(len(self.begins))
        nothing = np.empty(0, dtype=np.int64)
        alive, found = self.begins, [Spans(nothing, nothing, nothing, np.empty(0))]
        for length in range(1, len(self.begins) + 1):
            probability = (alive * self.ends[at]) @ self.of_type
            place, type_ = np.nonzero((probability >= least) & (probability > 0.0))
            start = at[place] - length + 1
            known = np.minimum(probability[place, type_], 1.0)  # rounding may end above 1
            found.append(Spans(start, np.full(len(place), length), type_, known))
            alive = np.einsum("nj,njk->nk", alive, self.onwards[at])
            still = (alive @ self.of_type).max(axis=1, initial=0.0)
            going = np.flatnonzero((still >= least) & (still > 0.0))
            if not len(going):
                break
            alive, at = alive[going], at[going] + 1
        rows, lengths, types = (np.concatenate(column) for column in zip(*(one[:3] for one in found), strict=True))
        return Spans(rows, lengths, types, np.concatenate([one.probability for one in found]))

    def probabilities(self, row: Integers, length: Integers, type_: Integers) -> Floats:
        """The probability of each entity: the row of its first token, its number of tokens and that of its type."""
        probabilities = np.zeros(len(row))
        alive = self.begins[row] * self.of_type.T[type_]
        left, which = length.copy(), np.arange(len(row))
        at = row.copy()
        while len(which):
            over = left == 1
            probabilities[which[over]] = (alive[over] * self.ends[at[over]]).sum(axis=1)
            which, at, left, alive = which[~over], at[~over], left[~over], alive[~over]
            alive = np.einsum("nj,njk->nk", alive, self.onwards[at])
            at, left = at + 1, left - 1
        return np.minimum(probabilities, 1.0)  # rounding may end above 1


def span_chains(posterior: TagPosterior, labels: EntityLabels) -> Iterator[SpanChain]:
    """The chains of all sentences, as many at a time as memory may hold."""
    ends = np.cumsum(posterior.lengths) * max(posterior.n_tags, 1) ** 2
    start = 0
    while start < len(posterior):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + CELLS, side="right")), start + 1)
        yield _chain(posterior[start:stop], labels, start)
        start = stop


def _chain(posterior: TagPosterior, labels: EntityLabels, first_sentence: int) -> SpanChain:
    lengths, size = posterior.lengths, posterior.n_tags
    rows = first_rows(lengths)
    marginals = np.concatenate([*posterior.marginals(), np.empty((0, size))])
    pairs = np.zeros((len(marginals), size, size))  # from each token to the next; none from a last one
    later = np.ones(len(marginals), dtype=bool)
    later[rows[lengths > 0]] = False
    pairs[np.flatnonzero(later) - 1] = np.concatenate([*posterior.pair_marginals(), np.empty((0, size, size))])
    begins = marginals * labels.inside
    begins[later] = np.where(labels.continues, 0.0, pairs[np.flatnonzero(later) - 1]).sum(axis=1) * labels.inside
    total = pairs.sum(axis=2)
    each = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    ends = np.where(labels.continues, 0.0, pairs).sum(axis=2) * each
    ends[(rows + lengths - 1)[lengths > 0]] = 1.0
    pairs *= np.where(labels.continues, each[:, :, None], 0.0)
    return SpanChain(first_sentence, rows, begins, ends * labels.inside, pairs, labels.of_type)
