"""Sentences and tags given by the user: checked once, and numbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Integers

LONGEST_QUOTE = 40

Texts = list[list[str]]


def check_lists(lists: object, *, name: str = "sentences", of: str = "words") -> list[Any]:
    """A list of lists, none of which is a string.

    Raises InputError naming the element that is not a list.
    """
    if isinstance(lists, (str, bytes, dict)) or not isinstance(lists, Iterable):
        raise InputError(f"{name} must be a list of sentences, each a list of {of}; it is {_quoted(lists)}.")
    outer = list(lists)
    for i, one in enumerate(outer):
        if isinstance(one, (str, bytes, dict)) or not isinstance(one, Iterable):
            advice = " Split it first." if isinstance(one, (str, bytes)) else ""
            raise InputError(f"{name}[{i}] must be a list of {of}; it is {_quoted(one)}.{advice}")
    return outer


def check_sentences(sentences: object, *, name: str = "sentences", of: str = "words") -> Texts:
    """Sentences as lists of words.

    >>> check_sentences([("How", "sure", "?")])
    [['How', 'sure', '?']]
    >>> check_sentences(["How sure?"])
    Traceback (most recent call last):
    howsure.errors.InputError: sentences[0] must be a list of words; it is the text 'How sure?'. Split it first.

    Raises InputError naming the sentence and the word.
    """
    checked = [_plain(one) for one in check_lists(sentences, name=name, of=of)]
    for i, texts in enumerate(checked):
        for t, text in enumerate(texts):
            if not isinstance(text, str):
                raise InputError(f"{name}[{i}][{t}] must be text; it is {_quoted(text)}.")
    return checked


def check_tags(tags: object, sentences: Sequence[Sequence[Any]], *, name: str = "tags") -> Texts:
    """Tags as lists, one tag for each word.

    >>> check_tags([["N"]], [["How", "sure"]])
    Traceback (most recent call last):
    howsure.errors.InputError: tags[0] must hold one tag for each word of its sentence; 1 tag, 2 words.

    Raises InputError naming the sentence whose length differs, or the tag that is not a string.
    """
    checked = check_sentences(tags, name=name, of="tags")
    if len(checked) != len(sentences):
        raise InputError(f"{name} must be as many lists as sentences; {len(checked):,}, not {len(sentences):,}.")
    for i, (row, words) in enumerate(zip(checked, sentences, strict=True)):
        if len(row) != len(words):
            counts = f"{counted(len(row), 'tag')}, {counted(len(words), 'word')}"
            raise InputError(f"{name}[{i}] must hold one tag for each word of its sentence; {counts}.")
    return checked


def check_training(sentences: Sequence[Sequence[Any]]) -> None:
    """At least one sentence, each with at least one word.

    Raises InputError otherwise.
    """
    if not sentences:
        raise InputError("sentences is empty: there is nothing to learn from.")
    for i, one in enumerate(sentences):
        if not len(one):
            raise InputError(f"sentences[{i}] has no words; leave it out first.")


def coded(tags: Texts) -> tuple[tuple[str, ...], Integers]:
    """The distinct tags in alphabetical order, and the number of the tag of every word, sentence after sentence.

    >>> coded([["V", "N"], ["N"]])
    (('N', 'V'), array([1, 0, 0]))
    """
    flat = [tag for row in tags for tag in row]
    labels = tuple(sorted(set(flat)))
    number = {label: code for code, label in enumerate(labels)}
    return labels, np.fromiter((number[tag] for tag in flat), dtype=np.int64, count=len(flat))


def lengths_of(sentences: Sequence[Sequence[Any]]) -> Integers:
    """The number of words of each sentence."""
    return np.fromiter(map(len, sentences), dtype=np.int64, count=len(sentences))


def _plain(one: Iterable[Any]) -> list[Any]:
    """A list, with numpy strings converted to Python strings."""
    return one.tolist() if isinstance(one, np.ndarray) else list(one)


def _quoted(value: object) -> str:
    if not isinstance(value, str):
        return "None" if value is None else f"a {type(value).__name__}"
    return f"the text {value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + '…'!r}"
