"""Words and their attributes as sparse matrices for scoring."""

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
#
# A family uses the words at its offsets: 0 is the word itself, -1 the one before, 1 the one after. Beyond the ends of a
# sentence, there are no features.

MAX_AFFIX_LENGTH = 4
MAX_WORD_LENGTH = 12
RUNS = re.compile(r"(.)\1+")
WordFunction = Callable[[str], Sequence[str]]
SentenceFunction = Callable[[Sequence[str]], Sequence[Any]]
Features = str | Sequence[str] | SentenceFunction


def word(text: str) -> tuple[str, ...]:
    """The word as it is written.

    >>> word("Paris")
    ('Paris',)
    """
    return (text,)


def lowercase(text: str) -> tuple[str, ...]:
    """The word in lower case.

    >>> lowercase("Paris")
    ('paris',)
    """
    return (text.lower(),)


def shape(text: str) -> tuple[str, ...]:
    """Letters as X and x, digits as 0, the rest unchanged; runs of one kind are merged.

    >>> shape("McDonald's-1986")
    ("XxXx'x-0",)
    """
    kinds = "".join("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in text)
    return (RUNS.sub(r"\1", kinds),)


def length(text: str) -> tuple[str, ...]:
    """The number of characters; all long words share one value.

    >>> length("to"), length("internationalisation")
    (('2',), ('12',))
    """
    return (str(min(len(text), MAX_WORD_LENGTH)),)


def prefixes(text: str) -> tuple[str, ...]:
    """The first 1 to 4 characters, in lower case.

    >>> prefixes("Unsure")
    ('u', 'un', 'uns', 'unsu')
    """
    start = text[:MAX_AFFIX_LENGTH].lower()
    return tuple(start[:n] for n in range(1, len(start) + 1))


def suffixes(text: str) -> tuple[str, ...]:
    """The last 1 to 4 characters, in lower case.

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
    """The names of the families denoted by "basic", "advanced" or a sequence of names.

    >>> feature_families("advanced")
    ('word', 'lowercase', 'neighbours', 'shape', 'length', 'prefixes', 'suffixes')
    >>> feature_families(["word", "sufixes"])
    Traceback (most recent call last):
    howsure.errors.InputError: no feature family 'sufixes' in howsure; it has word, lowercase, neighbours, shape,
    length, prefixes, suffixes. Did you mean suffixes?

    Raises InputError for an unknown name, an empty list, or a repeated name.
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
    """The features of the word at `offset`: `family=value`, with the offset unless it is 0.

    >>> word_attributes("to", ("word", "length", "neighbours"), 0), word_attributes("to", ("neighbours",), -1)
    (['word=to', 'length=2'], ['neighbours[-1]=to'])
    """
    place = f"[{offset:+}]" if offset else ""
    return [
        f"{name}{place}={value}"
        for name in families
        if offset in FAMILIES[name].offsets
        for value in FAMILIES[name].function(text)
    ]


def feature_offsets(families: Sequence[str]) -> tuple[int, ...]:
    """All offsets that the families use.

    >>> feature_offsets(("word", "neighbours"))
    (-1, 0, 1)
    """
    return tuple(sorted({offset for name in families for offset in FAMILIES[name].offsets}))


# Tokens described by attributes, in the formats of crfsuite.

Weighted = list[tuple[str, float]]  # attributes and their values


def describe_sentences(sentences: Sequence[Sequence[str]], function: SentenceFunction) -> list[Sequence[Any]]:
    """The items that a function returns for the words of a sentence.

    Raises InputError unless it returns one item per word.
    """
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
    """The attributes of a token and their values, as python-crfsuite reads them.

    A list contains attributes with value 1; a mapping may contain numbers as values, booleans as 1 or 0, text as part
    of the attribute's name (`name:text`), and lists or mappings of further attributes (`name:inner`).

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
        raise InputError(f"{place} must name attributes by text; it contains {name!r}.")
    return name


def _finite(value: float, name: str, place: str) -> float:
    if not math.isfinite(value):
        raise InputError(f"{place} must contain finite values; {name} is {value}.")
    return value


# Sentences as sparse matrices of attributes, in which each distinct word or description of a word is scored once.


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

    def scores(self, weights: csr_array) -> Scores:
        """The scores of each sentence, for sparse weights."""
        tables = [(block.matrix @ weights).toarray() for block in self.blocks]
        return Scores(tables, [block.rows for block in self.blocks], self.lengths)

    def sentence_tokens(self, sentences: Integers) -> Integers:
        """The tokens of some sentences, one after the other."""
        lengths = self.lengths[sentences]
        starts = (np.cumsum(self.lengths) - self.lengths)[sentences]
        return np.asarray(np.arange(lengths.sum()) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths))

    def select(self, sentences: Integers) -> tuple[Design, Integers]:
        """The design of some sentences, restricted to the attributes that occur in them, and the numbers of these
        attributes."""
        tokens = self.sentence_tokens(sentences)
        smaller = []
        for block in self.blocks:
            kinds, rows = np.unique(block.rows[tokens], return_inverse=True)
            smaller.append((rows, block.matrix[kinds]))
        attributes = np.unique(np.concatenate([matrix.indices for _, matrix in smaller]))
        blocks = tuple(Block(rows, _select_columns(matrix, attributes)) for rows, matrix in smaller)
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
        return sum_rows(self._tables, [rows[start:end] for rows in self._rows])


def sum_rows(tables: Sequence[Floats], rows: Sequence[Integers]) -> Floats:
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
    """The design of tokens described by lists or mappings of attributes, as crfsuite takes them.

    Raises InputError naming the sentence, the token and the value.
    """
    number: dict[tuple[tuple[str, float], ...], int] = {}
    rows = []
    for i, items in enumerate(sentences):
        for t, item in enumerate(items):
            kind = tuple(weighted_attributes(item, place=f"sentences[{i}][{t}]"))
            rows.append(number.setdefault(kind, len(number)))
    matrix = attributes.matrix(list(kind) for kind in number)
    return Design(sentence_lengths(sentences), (Block(np.array(rows, dtype=np.int64), matrix),))


def _plain(names: list[str]) -> Weighted:
    return [(name, 1.0) for name in names]


def _shift_words(words: Integers, lengths: Integers, offset: int) -> Integers:
    """The number of the word at `offset` from each word, -1 beyond the ends of its sentence."""
    if not offset:
        return words
    position = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    there = position + offset
    inside = (there >= 0) & (there < np.repeat(lengths, lengths))
    moved = np.full(len(words), -1)
    moved[inside] = words[np.flatnonzero(inside) + offset]
    return moved


def _widen_matrix(matrix: csr_array, columns: int) -> csr_array:
    """The same rows, with columns for attributes added later."""
    return csr_array((matrix.data, matrix.indices, matrix.indptr), (matrix.shape[0], columns))


def _select_columns(matrix: csr_array, attributes: Integers) -> csr_array:
    """The columns of some attributes, restricted to those in the matrix."""
    columns = np.searchsorted(attributes, matrix.indices)
    return csr_array((matrix.data, columns, matrix.indptr), (matrix.shape[0], len(attributes)))
