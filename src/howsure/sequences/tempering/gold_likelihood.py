"""-log P of gold tags at any temperatures, sentence by sentence: of single tags, and of whole sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.batches import first_rows
from howsure.sequences.chain.log_messages import Chain
from howsure.sequences.chain.marginals import add_ends
from howsure.sequences.chain.potentials import Potentials, possible_messages
from howsure.sequences.chain.workspace import Workspace

MARGINAL, JOINT = "marginal", "joint"
NO_TAG = -1  # in codes: a token that does not count


@dataclass(frozen=True, slots=True, eq=False)
class GoldLikelihood:
    """The losses of gold tags under `potentials`: `codes`, one token after the other (-1: does not count), and `words`,
    which of them are unseen."""

    potentials: Potentials
    codes: Integers
    words: npt.NDArray[np.bool_] | None

    @classmethod
    def of(cls, potentials: Potentials, codes: Integers, unseen: Sequence[Any] | None) -> Self:
        """The potentials are computed once, and kept in memory."""
        emissions = [np.asarray(one, dtype=np.float64) for one in potentials.emissions]
        words = None if unseen is None else np.concatenate([np.empty(0, bool), *unseen])
        return cls(replace(potentials, emissions=emissions), codes, words)

    def at(self, emissions: float, transitions: float, unseen: float) -> GoldLosses:
        """The losses at three temperatures."""
        held, firsts = self.potentials, first_rows(self.potentials.lengths)
        start, end = (None if one is None else one / transitions for one in (held.start, held.end))

        def of_batch(chain: Chain, workspace: Workspace) -> Sequence[tuple[Floats, float]]:
            places = chain.batch.rows_of(firsts)
            gold, rows = self.codes[places], np.arange(len(places))
            local = chain.emissions
            local /= emissions if self.words is None else np.where(self.words[places], unseen, emissions)[:, None]
            local = add_ends(chain.batch, local, start, end)
            chain = Chain(chain.batch, local, chain.transitions / transitions)
            found = possible_messages(chain, workspace)
            logs = np.where(gold < 0, -np.inf, found.forward[rows, gold] + found.backward[rows, gold])
            scores = _scores(chain, gold) - found.log_z
            return list(zip(chain.batch.unpack(np.minimum(logs, 0.0)), scores.tolist(), strict=True))

        empty = np.empty(0), 0.0
        without_ends = replace(held, start=None, end=None)  # which have the temperature of transitions
        answers = without_ends.each(of_batch, empty)
        by_token = np.concatenate([np.empty(0), *(one for one, _ in answers)])
        return GoldLosses(-by_token, -np.array([score for _, score in answers], dtype=np.float64))

    def only(self, sentences: Integers) -> GoldLikelihood:
        """The same of some sentences."""
        firsts, lengths = first_rows(self.potentials.lengths).tolist(), self.potentials.lengths.tolist()
        chosen = [np.arange(firsts[i], firsts[i] + lengths[i]) for i in sentences.tolist()]
        tokens = np.concatenate([np.empty(0, np.int64), *chosen])
        words = None if self.words is None else self.words[tokens]
        return GoldLikelihood(self.potentials.part(sentences), self.codes[tokens], words)


@dataclass(frozen=True, slots=True, eq=False)
class GoldLosses:
    """-log P of each token's gold tag, and of each sentence's gold sequence; infinite where it is impossible, or where
    a token does not count."""

    of_tokens: Floats
    of_sequences: Floats


def _scores(chain: Chain, gold: Integers) -> Floats:
    """The score of each sentence's gold sequence; −inf where a token does not count."""
    batch, rows = chain.batch, np.arange(len(gold))
    terms = np.where(gold < 0, -np.inf, chain.emissions[rows, gold])
    first = len(batch)
    if first < len(gold):
        before, after = gold[batch.previous_rows], gold[first:]
        shared = chain.transitions.ndim == 2
        terms[first:] += (
            chain.transitions[before, after] if shared else chain.transitions[rows[: len(after)], before, after]
        )
    with np.errstate(invalid="ignore"):
        return np.bincount(batch.ranks, terms, first).astype(np.float64, copy=False)
