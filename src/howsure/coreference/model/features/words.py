"""Lexical features, hashed: pairs of heads, and nouns with pronouns."""

from __future__ import annotations

import numpy as np

from howsure.coreference.mentions.mention_facts import PRONOMINAL
from howsure.coreference.model.features.family import Candidates, Family, Matrix, hashed

CELLS = 1 << 14


def heads(pairs: Candidates) -> Matrix:
    """The heads of two mentions that are not pronouns; cell 0 for all others."""
    a = pairs.mentions
    nominal = a.type != PRONOMINAL
    cells = 1 + hashed(a.head_word[:, None], a.head_word[None, :], size=CELLS - 1)
    return np.where(nominal[:, None] & nominal[None, :], cells, 0)


def head_and_pronoun(pairs: Candidates) -> Matrix:
    """The antecedent's head with the pronoun: whether a word can be a he is learned."""
    return _with_pronoun(pairs, pairs.mentions.head_word)


def ending_and_pronoun(pairs: Candidates) -> Matrix:
    """The last letters of the antecedent's head with the pronoun."""
    return _with_pronoun(pairs, pairs.mentions.ending)


def _with_pronoun(pairs: Candidates, word: Matrix) -> Matrix:
    a = pairs.mentions
    cells = 1 + hashed(word[None, :], a.form[:, None], size=CELLS - 1)
    return np.where((a.type[:, None] == PRONOMINAL) & (a.type[None, :] != PRONOMINAL), cells, 0)


FAMILIES = (
    Family("heads", CELLS, heads, conjunction="none"),
    Family("head and pronoun", CELLS, head_and_pronoun, conjunction="none"),
    Family("ending and pronoun", CELLS, ending_and_pronoun, conjunction="none"),
)
