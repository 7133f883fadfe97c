"""Scores of all antecedents of a document's mentions: codes are computed once, weights looked up repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.mentions.mention_columns import Codes, MentionColumns
from howsure.coreference.model.features.family import Candidates, Family
from howsure.coreference.model.weights import NEW_CONTEXT, PAIR_CONTEXT, Block, blocks_of, pair_of_forms
from howsure.inputs.pairs import Floats

SmallCodes = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Features:
    """The codes of a document: those of its pairs k < j in the order of the lower triangle, and those of its
    mentions."""

    n_mentions: int
    pairs: tuple[SmallCodes, ...]
    pair_context: SmallCodes
    new: tuple[SmallCodes, ...]
    new_context: Codes


class Scorer:
    """The families in use, and the positions of their weights."""

    def __init__(self, pair_families: Sequence[Family], new_families: Sequence[Family]) -> None:
        self.pair_blocks = blocks_of(pair_families, PAIR_CONTEXT)
        n = sum(block.n_weights for block in self.pair_blocks)
        self.new_blocks = blocks_of(new_families, NEW_CONTEXT, start=n)
        self.n_weights = n + sum(block.n_weights for block in self.new_blocks)

    def features(self, attributes: MentionColumns) -> Features:
        """Evaluate every family once."""
        candidates = Candidates(attributes)
        triangle = np.flatnonzero(candidates.earlier)
        found = (block.family.codes(candidates) for block in self.pair_blocks)
        return Features(
            n_mentions=len(attributes),
            pairs=tuple(codes.ravel()[triangle].astype(np.uint16) for codes in found),
            pair_context=pair_of_forms(attributes.form).ravel()[triangle].astype(np.uint16),
            new=tuple(block.family.codes(candidates).astype(np.uint16) for block in self.new_blocks),
            new_context=attributes.form,
        )

    def tables(self, weights: Floats) -> list[Floats]:
        """The table of every family, pairs first."""
        return [block.table(weights) for block in (*self.pair_blocks, *self.new_blocks)]

    def scores(self, features: Features, tables: Sequence[Floats]) -> Floats:
        """(M, M) scores: row j contains the antecedents k < j, the diagonal "new", and all entries above it are
        -inf."""
        n = features.n_mentions
        scores = np.full((n, n), -np.inf)
        n_pair_tables = len(self.pair_blocks)
        context = features.pair_context.astype(np.int64)
        total = _looked_up(self.pair_blocks, features.pairs, context, tables[:n_pair_tables])
        scores[np.tri(n, k=-1, dtype=np.bool_)] = total
        new = _looked_up(self.new_blocks, features.new, features.new_context, tables[n_pair_tables:])
        np.fill_diagonal(scores, new)
        return scores

    def gradient(self, features: Features, of_scores: Floats) -> Floats:
        """The gradient of the weights from that of the (M, M) scores."""
        gradient = np.zeros(self.n_weights)
        of_pairs = of_scores[np.tri(features.n_mentions, k=-1, dtype=np.bool_)]
        context = features.pair_context.astype(np.int64)
        _passed_back(self.pair_blocks, features.pairs, context, of_pairs, gradient)
        _passed_back(self.new_blocks, features.new, features.new_context, np.diagonal(of_scores), gradient)
        return gradient


def _looked_up(
    blocks: Sequence[Block], codes: Sequence[SmallCodes], context: Codes, tables: Sequence[Floats]
) -> Floats:
    total = np.zeros(len(context))
    for block, code, table in zip(blocks, codes, tables, strict=True):
        total += table.take(block.cells(code, context))
    return total


def _passed_back(
    blocks: Sequence[Block], codes: Sequence[SmallCodes], context: Codes, of_scores: Floats, gradient: Floats
) -> None:
    for block, code in zip(blocks, codes, strict=True):
        cells = np.bincount(block.cells(code, context), weights=of_scores, minlength=block.n_cells)
        block.add_gradient(cells.astype(np.float64, copy=False), gradient)
