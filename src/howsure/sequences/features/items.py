"""Tokens described by attributes, in the formats of crfsuite."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.sequences.features.families import SentenceFunction

Weighted = list[tuple[str, float]]  # attributes and their values


def described(sentences: Sequence[Sequence[str]], function: SentenceFunction) -> list[Sequence[Any]]:
    """The items that a function returns for the words of a sentence.

    Raises InputError unless it returns one item per word.
    """
    found = []
    for i, words in enumerate(sentences):
        items = function(words)
        if isinstance(items, (str, bytes)) or not isinstance(items, Sequence) or len(items) != len(words):
            said = f"{len(items)}" if isinstance(items, Sequence) else f"a {type(items).__name__}"
            raise InputError(
                f"features must return a list with one item for each of the {len(words)} words of sentences[{i}]; "
                f"it returned {said}."
            )
        found.append(items)
    return found


def weighted(item: object, *, place: str) -> Weighted:
    """The attributes of a token and their values, as python-crfsuite reads them.

    A list contains attributes with value 1; a mapping may contain numbers as values, booleans as 1 or 0, text as part
    of the attribute's name (`name:text`), and lists or mappings of further attributes (`name:inner`).

    >>> weighted({"title": True, "word": "Paris", "length": 0.5, "near": ["in"]}, place="item")
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
        raise InputError(f"{place} must name attributes by text; it holds {name!r}.")
    return name


def _finite(value: float, name: str, place: str) -> float:
    if not math.isfinite(value):
        raise InputError(f"{place} must hold finite values; {name} is {value}.")
    return value
