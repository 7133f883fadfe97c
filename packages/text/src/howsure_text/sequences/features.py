"""Attributes of words for a CRF, and sparse matrices of words and attributes."""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure_text.sequences.sentences import sentence_lengths

# Feature families of a CRF: each is a small function from a word to strings.
# A family is applied to the words at its offsets: 0 is the word itself, -1 the word before it, 1 the word after it.
# Words beyond the ends of a sentence have no features.

MAX_AFFIX_LENGTH = 4
MAX_WORD_LENGTH = 12
RUNS = re.compile(r"(.)\1+")
WordFunction = Callable[[str], Sequence[str]]
SentenceFunction = Callable[[Sequence[str]], Sequence[Any]]
Features = str | Sequence[str] | SentenceFunction


def word(text: str) -> tuple[str, ...]:
    """Return the word unchanged.

    >>> word("Paris")
    ('Paris',)
    """
    return (text,)


def lowercase(text: str) -> tuple[str, ...]:
    """Return the word in lower case.

    >>> lowercase("Paris")
    ('paris',)
    """
    return (text.lower(),)


def shape(text: str) -> tuple[str, ...]:
    """Return the word with letters as X or x and digits as 0; runs of equal characters are merged.

    >>> shape("McDonald's-1986")
    ("XxXx'x-0",)
    """
    characters = "".join("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in text)
    return (RUNS.sub(r"\1", characters),)


def length(text: str) -> tuple[str, ...]:
    """Return the number of characters; words of 12 or more characters all have the value 12.

    >>> length("to"), length("internationalisation")
    (('2',), ('12',))
    """
    return (str(min(len(text), MAX_WORD_LENGTH)),)


def prefixes(text: str) -> tuple[str, ...]:
    """Return the prefixes of 1 to 4 characters, in lower case.

    >>> prefixes("Unsure")
    ('u', 'un', 'uns', 'unsu')
    """
    start = text[:MAX_AFFIX_LENGTH].lower()
    return tuple(start[:n] for n in range(1, len(start) + 1))


def suffixes(text: str) -> tuple[str, ...]:
    """Return the suffixes of 1 to 4 characters, in lower case.

    >>> suffixes("unsure")
    ('e', 're', 'ure', 'sure')
    """
    end = text[-MAX_AFFIX_LENGTH:].lower()
    return tuple(end[-n:] for n in range(1, len(end) + 1))


@dataclass(frozen=True, slots=True)
class Family:
    """A function of a word, and the offsets at which it is applied."""

    function: WordFunction
    offsets: tuple[int, ...] = (0,)


FAMILIES = {
    "word": Family(word),
    "lowercase": Family(lowercase),
    "neighbours": Family(lowercase, (-1, 1)),
    "shape": Family(shape),
    "length": Family(length),
    "prefixes": Family(prefixes),
    "suffixes": Family(suffixes),
}
SETS = {"basic": ("word",), "advanced": tuple(FAMILIES)}


def feature_families(features: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the families denoted by "basic", "advanced" or a sequence of names.

    >>> feature_families("advanced")
    ('word', 'lowercase', 'neighbours', 'shape', 'length', 'prefixes', 'suffixes')
    >>> feature_families(["word", "sufixes"])
    Traceback (most recent call last):
    howsure.errors.InputError: no feature family 'sufixes' in howsure; it has word, lowercase, neighbours, shape,
    length, prefixes, suffixes. Did you mean suffixes?
    """
    if isinstance(features, str):
        if features not in SETS:
            raise InputError(
                f"features must be 'basic', 'advanced', names of families ({', '.join(FAMILIES)}) or a function of a "
                f"sentence; it is {features!r}. For one family, write ({features!r},)."
            )
        return SETS[features]
    if isinstance(features, bytes) or not isinstance(features, Sequence):
        raise InputError(f"features must be a name, names of families or a function; it is {features!r}.")
    names = tuple(features)
    for name in names:
        if not isinstance(name, str) or name not in FAMILIES:
            raise unknown_name("feature family", str(name), list(FAMILIES), place="howsure")
    if not names or len(set(names)) < len(names):
        raise InputError(f"features must name at least one family, and each once; it is {features!r}.")
    return names


def word_attributes(text: str, families: Sequence[str], offset: int) -> list[str]:
    """Return the features `family=value` of a word that is at `offset` from the token; the offset is added unless 0.

    >>> word_attributes("to", ("word", "length", "neighbours"), 0), word_attributes("to", ("neighbours",), -1)
    (['word=to', 'length=2'], ['neighbours[-1]=to'])
    """
    suffix = f"[{offset:+}]" if offset else ""
    return [
        f"{name}{suffix}={value}"
        for name in families
        if offset in FAMILIES[name].offsets
        for value in FAMILIES[name].function(text)
    ]


def feature_offsets(families: Sequence[str]) -> tuple[int, ...]:
    """Return all offsets that the families use, in ascending order.

    >>> feature_offsets(("word", "neighbours"))
    (-1, 0, 1)
    """
    return tuple(sorted({offset for name in families for offset in FAMILIES[name].offsets}))


# Tokens described by attributes, in the formats of crfsuite.

Weighted = list[tuple[str, float]]  # attributes and their values


def describe_sentences(sentences: Sequence[Sequence[str]], function: SentenceFunction) -> list[Sequence[Any]]:
    """Return, for each sentence, the items that `function` returns for its words."""
    attributes_of_tokens = []
    for i, words in enumerate(sentences):
        items = function(words)
        if isinstance(items, (str, bytes)) or not isinstance(items, Sequence) or len(items) != len(words):
            is_list = isinstance(items, Sequence) and not isinstance(items, (str, bytes))
            returned = f"{len(items)}" if is_list else f"a {type(items).__name__}"
            raise InputError(
                f"features must return a list with one item for each of the {len(words)} words of sentences[{i}]; "
                f"it returned {returned}."
            )
        attributes_of_tokens.append(items)
    return attributes_of_tokens


def weighted_attributes(item: object, *, place: str) -> Weighted:
    """Return the attributes of a token and their values, as python-crfsuite reads them.

    A list contains attributes with value 1. A mapping contains attributes and their values: numbers; booleans (1 or 0);
    strings, which become part of the attribute's name (`name:text`); and lists or mappings of further attributes
    (`name:inner`). place: the location of the token, for messages.

    >>> weighted_attributes({"title": True, "word": "Paris", "length": 0.5, "near": ["in"]}, place="item")
    [('title', 1.0), ('word:Paris', 1.0), ('length', 0.5), ('near:in', 1.0)]
    """
    return list(_attributes(item, "", place))


def _attributes(item: object, prefix: str, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(item, Mapping):
        for key, value in item.items():
            name = prefix + _text(key, place)
            if isinstance(value, str):
                yield f"{name}:{value}", 1.0
            elif isinstance(value, numbers.Real | np.bool_):
                yield name, _finite(float(value), name, place)
            else:
                yield from _attributes(value, f"{name}:", place)
    elif isinstance(item, Iterable) and not isinstance(item, (str, bytes)):
        for name in item:
            yield prefix + _text(name, place), 1.0
    else:
        raise InputError(f"{place} must be a list or a mapping of attributes; it is {item!r}.")


def _text(name: object, place: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"{place} must name attributes by strings; it contains {name!r}.")
    return name


def _finite(value: float, name: str, place: str) -> float:
    if not math.isfinite(value):
        raise InputError(f"{place} must contain finite values; {name} is {value}.")
    return value


# Sentences as sparse matrices of attributes. Tokens with equal attributes are of one kind; each kind is scored once.


@dataclass(frozen=True, slots=True)
class Block:
    """The features at one offset: a matrix (kinds of tokens, attributes), and `rows`, the kind of every token."""

    rows: Integers
    matrix: csr_array


@dataclass(frozen=True, slots=True)
class Design:
    """The tokens of a corpus, sentence after sentence, with their attributes.

    The score of a token for a tag is the sum, over blocks, of its kind's attribute values times the weights for the
    tag.
    """

    lengths: Integers
    blocks: tuple[Block, ...]

    def scores(self, weights: csr_array) -> Scores:
        """Return the scores (T, tags) of each sentence, given the weights (attributes, tags)."""
        tables = [(block.matrix @ weights).toarray() for block in self.blocks]
        return Scores(tables, [block.rows for block in self.blocks], self.lengths)

    def sentence_tokens(self, sentences: Integers) -> Integers:
        """Return the indices of the tokens of some sentences, sentence after sentence."""
        lengths = self.lengths[sentences]
        starts = (np.cumsum(self.lengths) - self.lengths)[sentences]
        return np.asarray(np.arange(lengths.sum()) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths))

    def select(self, sentences: Integers) -> tuple[Design, Integers]:
        """Return the design of some sentences with only the attributes that occur in them, and their old numbers."""
        tokens = self.sentence_tokens(sentences)
        smaller = []
        for block in self.blocks:
            kinds, rows = np.unique(block.rows[tokens], return_inverse=True)
            smaller.append((rows, block.matrix[kinds]))
        attributes = np.unique(np.concatenate([matrix.indices for _, matrix in smaller]))
        blocks = tuple(Block(rows, _select_columns(matrix, attributes)) for rows, matrix in smaller)
        return Design(self.lengths[sentences], blocks), attributes


class Scores(Sequence[Floats]):
    """A sequence of the scores (T, tags) of each sentence, each computed from tables when it is requested."""

    def __init__(self, tables: Sequence[Floats], rows: Sequence[Integers], lengths: Integers) -> None:
        self._tables, self._rows = tables, rows
        self._ends = np.cumsum(lengths).tolist()
        self._lengths = lengths.tolist()

    def __len__(self) -> int:
        return len(self._lengths)

    def __getitem__(self, sentence: Any) -> Any:
        index = operator.index(sentence)
        if not -len(self) <= index < len(self):
            raise IndexError(f"sentence {index} does not exist; there are {len(self)}")
        end = self._ends[index]
        start = end - self._lengths[index]
        return sum_rows(self._tables, [rows[start:end] for rows in self._rows])


def sum_rows(tables: Sequence[Floats], rows: Sequence[Integers]) -> Floats:
    """Return for each token the sum of its rows of the tables, (tokens, tags)."""
    total: Floats = tables[0].take(rows[0], axis=0)
    for table, kinds in zip(tables[1:], rows[1:], strict=True):
        total += table.take(kinds, axis=0)
    return total


class Attributes:
    """The numbers of attributes, from 0. While `growing`, a new attribute gets the next number; later it is ignored."""

    def __init__(self, names: Iterable[str] = (), *, growing: bool) -> None:
        self.number = {name: i for i, name in enumerate(names)}
        self.growing = growing

    def __len__(self) -> int:
        return len(self.number)

    def matrix(self, kinds: Iterable[Weighted]) -> csr_array:
        """Return a matrix (kinds, attributes) of values; the values of an attribute that occurs twice are added."""
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
    """Return the design of feature families, with one block per offset (such as -1, 0 and 1)."""
    lengths = sentence_lengths(sentences)
    number: dict[str, int] = {}
    words = np.array(
        [number.setdefault(word, len(number)) for sentence in sentences for word in sentence], dtype=np.int64
    )
    texts = list(number)
    blocks = []
    for offset in feature_offsets(families):
        kinds, rows = np.unique(_shift_words(words, lengths, offset), return_inverse=True)
        described = (_plain(word_attributes(texts[i], families, offset)) if i >= 0 else [] for i in kinds.tolist())
        blocks.append((rows, attributes.matrix(described)))
    return Design(lengths, tuple(Block(rows, _widen_matrix(matrix, len(attributes))) for rows, matrix in blocks))


def design_of_items(sentences: Sequence[Sequence[Any]], attributes: Attributes) -> Design:
    """Return the design of tokens described by lists or mappings of attributes, as in crfsuite."""
    number: dict[tuple[tuple[str, float], ...], int] = {}
    rows = []
    for i, items in enumerate(sentences):
        for t, item in enumerate(items):
            attribute_values = tuple(weighted_attributes(item, place=f"sentences[{i}][{t}]"))
            rows.append(number.setdefault(attribute_values, len(number)))
    matrix = attributes.matrix(list(values) for values in number)
    return Design(sentence_lengths(sentences), (Block(np.array(rows, dtype=np.int64), matrix),))


def _plain(names: list[str]) -> Weighted:
    return [(name, 1.0) for name in names]


def _shift_words(words: Integers, lengths: Integers, offset: int) -> Integers:
    """Return the number of the word at `offset` from each word; -1 beyond the ends of the sentence."""
    if not offset:
        return words
    position = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    target = position + offset
    inside = (target >= 0) & (target < np.repeat(lengths, lengths))
    moved = np.full(len(words), -1)
    moved[inside] = words[np.flatnonzero(inside) + offset]
    return moved


def _widen_matrix(matrix: csr_array, columns: int) -> csr_array:
    """Return the matrix with more columns, for attributes that were added later."""
    return csr_array((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], columns))


def _select_columns(matrix: csr_array, attributes: Integers) -> csr_array:
    """Return the columns of `attributes`, which are ascending and include all attributes in the matrix."""
    columns = np.searchsorted(attributes, matrix.indices)
    return csr_array((matrix.data, columns, matrix.indptr), (matrix.shape[0], len(attributes)))
