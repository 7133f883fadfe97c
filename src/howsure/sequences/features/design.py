"""Sentences as sparse matrices of attributes, in which each distinct word or description of a word is scored once."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.features.families import attributes_of, offsets_of
from howsure.sequences.features.items import Weighted, weighted
from howsure.sequences.features.sentences import lengths_of


@dataclass(frozen=True, slots=True)
class Block:
    """The features at one offset in all sentences: the row of `matrix` (kinds, attributes) for every token."""

    rows: Integers
    matrix: csr_array


@dataclass(frozen=True, slots=True)
class Design:
    """A corpus laid end to end. The score of a token for a tag is the sum, over blocks, of its kind's attributes
    times their weights for the tag."""

    lengths: Integers
    blocks: tuple[Block, ...]

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all sentences."""
        return int(self.lengths.sum())

    def scores(self, weights: csr_array) -> Scores:
        """The scores of each sentence, for sparse weights."""
        tables = [(block.matrix @ weights).toarray() for block in self.blocks]
        return Scores(tables, [block.rows for block in self.blocks], self.lengths)

    def tokens_of(self, sentences: Integers) -> Integers:
        """The tokens of some sentences, one after the other."""
        lengths = self.lengths[sentences]
        starts = (np.cumsum(self.lengths) - self.lengths)[sentences]
        found: Integers = np.arange(lengths.sum()) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        return found

    def only(self, sentences: Integers) -> tuple[Design, Integers]:
        """The design of some sentences, restricted to the attributes that occur in them, and the numbers of these
        attributes."""
        tokens = self.tokens_of(sentences)
        smaller = []
        for block in self.blocks:
            kinds, rows = np.unique(block.rows[tokens], return_inverse=True)
            smaller.append((rows, block.matrix[kinds]))
        attributes = np.unique(np.concatenate([matrix.indices for _, matrix in smaller]))
        blocks = tuple(Block(rows, _renumbered(matrix, attributes)) for rows, matrix in smaller)
        return Design(self.lengths[sentences], blocks), attributes


class Scores(Sequence[Floats]):
    """Scores (T, tags) of each sentence, looked up in tables when requested."""

    def __init__(self, tables: Sequence[Floats], rows: Sequence[Integers], lengths: Integers) -> None:
        self._tables, self._rows = tables, rows
        self._ends = np.cumsum(lengths).tolist()
        self._lengths = lengths.tolist()

    def __len__(self) -> int:
        return len(self._lengths)

    def __getitem__(self, sentence: Any) -> Any:
        place = operator.index(sentence)
        if not -len(self) <= place < len(self):
            raise IndexError(f"no sentence {place} among {len(self)}")
        end = self._ends[place]
        start = end - self._lengths[place]
        return looked_up(self._tables, [rows[start:end] for rows in self._rows])


def looked_up(tables: Sequence[Floats], rows: Sequence[Integers]) -> Floats:
    """The sum of the tables' rows, (tokens, tags)."""
    total: Floats = tables[0].take(rows[0], axis=0)
    for table, kinds in zip(tables[1:], rows[1:], strict=True):
        total += table.take(kinds, axis=0)
    return total


class Attributes:
    """The numbers of attributes: while `growing`, new ones get the next number; otherwise they are left out."""

    def __init__(self, names: Iterable[str] = (), *, growing: bool) -> None:
        self.number = {name: i for i, name in enumerate(names)}
        self.growing = growing

    def __len__(self) -> int:
        return len(self.number)

    def matrix(self, kinds: Iterable[Weighted]) -> csr_array:
        """One row per kind, one column per attribute; an attribute that occurs twice counts twice."""
        pointers, columns, values = [0], [], []
        number = self.number
        for kind in kinds:
            for name, value in kind:
                column = number.setdefault(name, len(number)) if self.growing else number.get(name)
                if column is not None:
                    columns.append(column)
                    values.append(value)
            pointers.append(len(columns))
        size = (len(pointers) - 1, len(number))
        matrix = csr_array((np.array(values, dtype=np.float64), np.array(columns, dtype=np.int64), pointers), size)
        matrix.sum_duplicates()
        return matrix


def design_of_words(sentences: Sequence[Sequence[str]], families: Sequence[str], attributes: Attributes) -> Design:
    """The design of feature families: one block per offset (the word before, the word, the word after)."""
    lengths = lengths_of(sentences)
    number: dict[str, int] = {}
    words = np.array([number.setdefault(word, len(number)) for one in sentences for word in one], dtype=np.int64)
    texts = list(number)
    found = []
    for offset in offsets_of(families):
        kinds, rows = np.unique(_moved(words, lengths, offset), return_inverse=True)
        described = (_plain(attributes_of(texts[i], families, offset)) if i >= 0 else [] for i in kinds.tolist())
        found.append((rows, attributes.matrix(described)))
    return Design(lengths, tuple(Block(rows, _widened(matrix, len(attributes))) for rows, matrix in found))


def design_of_items(sentences: Sequence[Sequence[Any]], attributes: Attributes, *, name: str = "sentences") -> Design:
    """The design of tokens described by lists or mappings of attributes, as crfsuite takes them.

    Raises InputError naming the sentence, the token and the value.
    """
    number: dict[tuple[tuple[str, float], ...], int] = {}
    rows = []
    for i, one in enumerate(sentences):
        for t, item in enumerate(one):
            kind = tuple(weighted(item, place=f"{name}[{i}][{t}]"))
            rows.append(number.setdefault(kind, len(number)))
    matrix = attributes.matrix(list(kind) for kind in number)
    return Design(lengths_of(sentences), (Block(np.array(rows, dtype=np.int64), matrix),))


def _plain(names: list[str]) -> Weighted:
    return [(name, 1.0) for name in names]


def _moved(words: Integers, lengths: Integers, offset: int) -> Integers:
    """The number of the word at `offset` from each word, -1 beyond the ends of its sentence."""
    if not offset:
        return words
    position = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    there = position + offset
    inside = (there >= 0) & (there < np.repeat(lengths, lengths))
    moved = np.full(len(words), -1)
    moved[inside] = words[np.flatnonzero(inside) + offset]
    return moved


def _widened(matrix: csr_array, columns: int) -> csr_array:
    """The same rows, with columns for attributes added later."""
    return csr_array((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], columns))


def _renumbered(matrix: csr_array, attributes: Integers) -> csr_array:
    """The columns of some attributes, restricted to those in the matrix."""
    columns = np.searchsorted(attributes, matrix.indices)
    return csr_array((matrix.data, columns, matrix.indptr), (matrix.shape[0], len(attributes)))
