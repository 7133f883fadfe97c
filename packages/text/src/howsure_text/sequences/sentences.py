"""Checks of sentences and tags that the user passes, and conversion of tags to integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import is_listlike
from howsure.inputs.numbers_and_names import check_choice, counted, shortened, unknown_name
from howsure.inputs.pairs import Integers

Tag = str | int | np.integer


class TagSet:
    """The K tags, numbered from 0, and their names `labels` (None if they have no names)."""

    def __init__(self, labels: Sequence[str] | None, size: int) -> None:
        self.labels = None if labels is None else _checked_labels(labels, size)
        self.size = size
        self._numbers = {name: number for number, name in enumerate(self.labels or ())}

    def numbers(self, tags: Sequence[Tag], where: str) -> Integers:
        """Convert tags, given as names or integers, to integers. where: their location, for messages."""
        if isinstance(tags, np.ndarray) and tags.dtype.kind in "iu" and tags.ndim == 1:
            numbers = tags.astype(np.int64, copy=False)
        elif isinstance(tags, (str, bytes)) or not hasattr(tags, "__len__"):
            raise InputError(f"{where} must be a list of tags; it is {tags!r}.")
        else:
            numbers = np.array([self._number(tag, where) for tag in tags], dtype=np.int64)
        wrong = numbers[(numbers < 0) | (numbers >= self.size)]
        if len(wrong):
            raise InputError(f"{where} has the tag {wrong[0]}; tags are numbered from 0 to {self.size - 1}.")
        return numbers

    def pairs(self, pairs: Sequence[tuple[Tag, Tag]]) -> tuple[Integers, Integers]:
        """Convert pairs of tags to integers, and return the first tags and the second tags."""
        numbers = [self.numbers(pair, f"pairs[{i}]") for i, pair in enumerate(pairs)]
        wrong = [i for i, pair in enumerate(numbers) if len(pair) != 2]
        if wrong:
            raise InputError(f"pairs must contain two tags each; pairs[{wrong[0]}] is {pairs[wrong[0]]!r}.")
        first, second = np.array(numbers, dtype=np.int64).reshape(-1, 2).T
        return first, second

    def names(self, tags: Any) -> Any:
        """Convert an integer tag, an array, or nested lists of them to names."""
        if self.labels is None:
            raise InputError('the tags have no names; pass them to TagPosterior: labels=["N", "V", ...].')
        numbers = tags.tolist() if isinstance(tags, np.ndarray) else tags
        if isinstance(numbers, (int, np.integer)) and 0 <= numbers < self.size:
            return self.labels[numbers]
        if isinstance(numbers, (str, bytes)) or not isinstance(numbers, Iterable):
            raise InputError(
                f"tags must be numbers from 0 to {self.size - 1}, or lists of such numbers; it is {tags!r}."
            )
        return [self.names(number) for number in numbers]

    def _number(self, tag: Tag, where: str) -> int:
        if isinstance(tag, (int, np.integer)) and not isinstance(tag, bool):
            return int(tag)
        if not isinstance(tag, str):
            raise InputError(f"{where} must contain tags as names or integers; it contains {tag!r}.")
        if self.labels is None:
            raise InputError(
                f"{where} names the tag {tag!r}, but the tags have no names; pass them to TagPosterior: labels=[...]."
            )
        if tag not in self._numbers:
            raise unknown_name("tag", tag, self.labels, place=f"the tag set (requested in {where})")
        return self._numbers[tag]


def _checked_labels(labels: Sequence[str], size: int) -> tuple[str, ...]:
    names = (labels,) if isinstance(labels, str) else tuple(labels)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InputError(f"labels must be strings; they contain {wrong[0]!r}.")
    if len(set(names)) < len(names) or len(names) != size:
        raise InputError(f"labels must name each of the {size} tags once; they are {shortened(names)}.")
    return tuple(map(str, names))


MAX_QUOTE_LENGTH = 40
Texts = list[list[str]]


def check_lists(lists: object, *, name: str = "sentences", of: str = "words") -> list[Any]:
    """Check a list of lists, none of which may be a string, and return it as a list."""
    if not is_listlike(lists):
        raise InputError(f"{name} must be a list of sentences, each a list of {of}; it is {_quoted(lists)}.")
    outer = list(lists)
    for i, item in enumerate(outer):
        if not is_listlike(item):
            advice = " Split it first." if isinstance(item, (str, bytes)) else ""
            raise InputError(f"{name}[{i}] must be a list of {of}; it is {_quoted(item)}.{advice}")
    return outer


def check_sentences(sentences: object, *, name: str = "sentences", of: str = "words") -> Texts:
    """Check sentences, and return them as lists of words.

    >>> check_sentences([("How", "sure", "?")])
    [['How', 'sure', '?']]
    >>> check_sentences(["How sure?"])
    Traceback (most recent call last):
    howsure.errors.InputError: sentences[0] must be a list of words; it is the text 'How sure?'. Split it first.
    """
    checked = [_plain(row) for row in check_lists(sentences, name=name, of=of)]
    for i, texts in enumerate(checked):
        for t, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"{name}[{i}][{t}] must be text; it is {_quoted(text)}.")
    return checked


def check_tags(tags: object, sentences: Sequence[Sequence[Any]], *, name: str = "tags") -> Texts:
    """Check tags, one for each word, and return them as lists.

    >>> check_tags([["N"]], [["How", "sure"]])
    Traceback (most recent call last):
    howsure.errors.InputError: tags[0] must contain one tag for each word of its sentence; 1 tag, 2 words.
    """
    checked = check_sentences(tags, name=name, of="tags")
    if len(checked) != len(sentences):
        raise InputError(
            f"{name} must have as many lists as there are sentences; it has {len(checked):,}, not {len(sentences):,}."
        )
    for i, (row, words) in enumerate(zip(checked, sentences, strict=True)):
        if len(row) != len(words):
            counts = f"{counted(len(row), 'tag')}, {counted(len(words), 'word')}"
            raise InputError(f"{name}[{i}] must contain one tag for each word of its sentence; {counts}.")
    return checked


def check_training(sentences: Sequence[Sequence[Any]]) -> None:
    """Raise InputError if there is no sentence, or a sentence has no words."""
    if not sentences:
        raise InputError("sentences is empty: there is nothing to learn from.")
    for i, sentence in enumerate(sentences):
        if not len(sentence):
            raise InputError(f"sentences[{i}] has no words; leave it out first.")


def encode_tags(tags: Texts) -> tuple[tuple[str, ...], Integers]:
    """Return the distinct tags in alphabetical order, and the index of every word's tag, sentence after sentence.

    >>> encode_tags([["V", "N"], ["N"]])
    (('N', 'V'), array([1, 0, 0]))
    """
    flat = [tag for row in tags for tag in row]
    labels = tuple(sorted(set(flat)))
    number = {label: code for code, label in enumerate(labels)}
    return labels, np.fromiter((number[tag] for tag in flat), dtype=np.int64, count=len(flat))


ERROR, KEEP = "error", "keep"
NO_TAG = -1  # in codes: a gold tag that the model does not know


def check_unknown_tags(unknown_tags: str) -> None:
    """Raise InputError unless `unknown_tags` is "error" or "keep"."""
    check_choice(unknown_tags, (ERROR, KEEP), name="unknown_tags")


def count_unknown(tags: Sequence[Sequence[str]], labels: Sequence[str]) -> Counter[str]:
    """Count the tokens of each gold tag that is not in `labels`.

    >>> count_unknown([["N", "X"], ["X", "Y"]], ["N", "V"])
    Counter({'X': 2, 'Y': 1})
    """
    known_tags = set(labels)
    return Counter(tag for row in check_sentences(tags, name="tags", of="tags") for tag in row if tag not in known_tags)


def gold_numbers(tags: Texts, labels: Sequence[str], *, unknown_tags: str) -> Integers:
    """Return the index of each token's gold tag in `labels`, sentence after sentence; -1 for unknown tags."""
    check_unknown_tags(unknown_tags)
    unknown = count_unknown(tags, labels)
    if unknown and unknown_tags == ERROR:
        unknown_text = shortened(f"{tag} ({n:,})" for tag, n in unknown.most_common())
        raise InputError(
            f"the model does not have the gold tags of {counted(unknown.total(), 'token')}: {unknown_text}. Do they "
            f"belong to another tag set? To count such tokens as wrong, use `unknown_tags={KEEP!r}`."
        )
    code_of = {name: i for i, name in enumerate(labels)}
    return np.array([code_of.get(tag, NO_TAG) for row in tags for tag in row], dtype=np.int64)


def sentence_lengths(sentences: Sequence[Sequence[Any]]) -> Integers:
    return np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))


def _plain(values: Iterable[Any]) -> list[Any]:
    """Convert values to a list, and numpy strings to Python strings."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _quoted(value: object) -> str:
    if not isinstance(value, str):
        return "None" if value is None else f"a {type(value).__name__}"
    return f"the text {value if len(value) <= MAX_QUOTE_LENGTH else value[:MAX_QUOTE_LENGTH] + '…'!r}"
