"""A feature family: a question about a mention, or about a mention and a candidate antecedent, with a few answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.mentions.mention_columns import Codes, MentionColumns
from howsure.coreference.mentions.mention_facts import PRONOMINAL

Matrix = NDArray[np.int64]
Truth = NDArray[np.bool_]


class Candidates:
    """All pairs of a document's mentions, row j for the mention, column k for its antecedent (k < j counts)."""

    def __init__(self, attributes: MentionColumns) -> None:
        self.mentions = attributes
        self._shared: dict[str, Matrix] = {}

    def __len__(self) -> int:
        return len(self.mentions)

    def same(self, name: str) -> Truth:
        """Where a column is equal."""
        column: Codes = getattr(self.mentions, name)
        equal: Truth = column[:, None] == column[None, :]
        return equal

    def both(self, name: str, size: int) -> Matrix:
        """The values of a column (0 … size - 1) of mention and antecedent, as one code."""
        column: Codes = getattr(self.mentions, name)
        pair: Matrix = column[:, None] * size + column[None, :]
        return pair

    @cached_property
    def earlier(self) -> Truth:
        """Where the column is an antecedent of the row."""
        return np.tri(len(self), k=-1, dtype=np.bool_)

    @cached_property
    def sentences_between(self) -> Matrix:
        """Number of sentence ends between the two."""
        sentence = self.mentions.sentence
        return sentence[:, None] - sentence[None, :]

    @cached_property
    def same_head(self) -> Truth:
        """Heads are one word, and none is a pronoun."""
        nominal = self.mentions.type != PRONOMINAL
        same: Truth = self.same("head_word") & nominal[:, None] & nominal[None, :]
        return same

    @cached_property
    def same_text(self) -> Truth:
        """All words are the same except articles and possessives, and none is a pronoun."""
        nominal = self.mentions.type != PRONOMINAL
        same: Truth = self.same("text") & nominal[:, None] & nominal[None, :]
        return same

    def shared(self, name: str) -> Matrix:
        """The number of words two sets have in common; the diagonal contains their sizes."""
        if name not in self._shared:
            self._shared[name] = in_common(self.mentions.sets(name))
        return self._shared[name]


def in_common(sets: list[frozenset[int]]) -> Matrix:
    """Sizes of all intersections: a product over the words of several sets, as whole numbers below 2^24 are exact."""
    counts = Counter(word for one in sets for word in one)
    columns = {word: column for column, word in enumerate(word for word, count in counts.items() if count > 1)}
    cells = [(row, columns[word]) for row, one in enumerate(sets) for word in one if word in columns]
    members = np.zeros((len(sets), len(columns)), dtype=np.float32)
    if cells:
        members[tuple(np.array(cells).T)] = 1
    common = (members @ members.T).astype(np.int64)
    np.fill_diagonal(common, [len(one) for one in sets])
    common.flags.writeable = False
    return common


Conjunction = Literal["forms", "types", "none"]


@dataclass(frozen=True, slots=True)
class Family:
    """A family of features: codes 0 … size - 1 from `codes`, and the contexts with which each code is conjoined.

    A family for pairs returns an (M, M) matrix, with mentions as rows and antecedents as columns; a family for new
    entities returns one code per mention. Every code is a feature by itself; "types" adds its conjunctions with the
    types of the mentions (pronominal, nominal, proper), "forms" also those with their forms (canonical pronoun, or type
    and definiteness).
    """

    name: str
    size: int
    codes: Callable[[Candidates], Matrix]
    conjunction: Conjunction = "forms"


def bucket(values: Matrix, *, ends: tuple[int, ...]) -> Matrix:
    """Index of the first end that a non-negative integer does not exceed; one more beyond all ends.

    >>> bucket(np.array([0, 1, 4, 9]), ends=(0, 2, 5)).tolist()
    [0, 1, 2, 3]
    """
    table = np.searchsorted(np.asarray(ends), np.arange(ends[-1] + 2), side="left")
    return table[np.clip(values, 0, ends[-1] + 1)]


def nearer(chosen: Truth) -> Matrix:
    """The number of chosen columns to the right of each column.

    >>> nearer(np.array([[True, False, True, True]])).tolist()
    [[2, 2, 1, 0]]
    """
    up_to: Matrix = np.cumsum(chosen, axis=1)
    return up_to[:, -1:] - up_to


def hashed(*codes: Matrix, size: int) -> Matrix:
    """One code 0 … size - 1 for several codes of any size: combinations too many for a table share its cells."""
    mixed = np.zeros(1, dtype=np.uint64)
    for code in codes:
        mixed = (mixed ^ code.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = mixed ^ (mixed >> np.uint64(29))
    return (mixed % np.uint64(size)).astype(np.int64)
