"""The K tags: their numbers, starting at 0, and their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import shortened, unknown_name
from howsure.inputs.pairs import Integers

Tag = str | int | np.integer


class TagSet:
    """Numbers and names of tags. `labels` is None if they have no names."""

    def __init__(self, labels: Sequence[str] | None, size: int) -> None:
        self.labels = None if labels is None else _checked_labels(labels, size)
        self.size = size
        self._numbers = {name: number for number, name in enumerate(self.labels or ())}

    def numbers(self, tags: Sequence[Tag], where: str) -> Integers:
        """Tags given as names or as numbers; `where` is their location, for error messages."""
        if isinstance(tags, np.ndarray) and tags.dtype.kind in "iu" and tags.ndim == 1:
            numbers = tags.astype(np.int64, copy=False)
        elif isinstance(tags, (str, bytes)) or not hasattr(tags, "__len__"):
            raise InputError(f"{where} must be a list of tags; it is {tags!r}.")
        else:
            numbers = np.array([self._number(tag, where) for tag in tags], dtype=np.int64)
        wrong = numbers[(numbers < 0) | (numbers >= self.size)]
        if len(wrong):
            raise InputError(f"{where} holds the tag {wrong[0]}; tags are numbered from 0 to {self.size - 1}.")
        return numbers

    def pairs(self, pairs: Sequence[tuple[Tag, Tag]]) -> tuple[Integers, Integers]:
        """The first and the second tag of each pair."""
        numbers = [self.numbers(pair, f"pairs[{i}]") for i, pair in enumerate(pairs)]
        wrong = [i for i, pair in enumerate(numbers) if len(pair) != 2]
        if wrong:
            raise InputError(f"pairs must hold two tags each; pairs[{wrong[0]}] is {pairs[wrong[0]]!r}.")
        first, second = np.array(numbers, dtype=np.int64).reshape(-1, 2).T
        return first, second

    def names(self, tags: Any) -> Any:
        """The names of numbers: of one, of an array, or of lists of them."""
        if self.labels is None:
            raise InputError('the tags have no names; give TagPosterior labels=["N", "V", ...].')
        numbers = tags.tolist() if isinstance(tags, np.ndarray) else tags
        if isinstance(numbers, (int, np.integer)) and 0 <= numbers < self.size:
            return self.labels[numbers]
        if isinstance(numbers, (str, bytes)) or not isinstance(numbers, Iterable):
            raise InputError(f"tags to name must be numbers from 0 to {self.size - 1}, or lists of them, not {tags!r}.")
        return [self.names(number) for number in numbers]

    def _number(self, tag: Tag, where: str) -> int:
        if isinstance(tag, (int, np.integer)) and not isinstance(tag, bool):
            return int(tag)
        if not isinstance(tag, str):
            raise InputError(f"{where} must hold tags as names or integers; it holds {tag!r}.")
        if self.labels is None:
            raise InputError(f"{where} names the tag {tag!r}, but the tags have no names; give TagPosterior labels.")
        if tag not in self._numbers:
            raise unknown_name("tag", tag, self.labels, place=f"the tag set (asked for in {where})")
        return self._numbers[tag]


def _checked_labels(labels: Sequence[str], size: int) -> tuple[str, ...]:
    names = (labels,) if isinstance(labels, str) else tuple(labels)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InputError(f"labels must be the tags as text; they hold {wrong[0]!r}.")
    if len(set(names)) < len(names) or len(names) != size:
        raise InputError(f"labels must name each of the {size} tags once; they are {shortened(names)}.")
    return tuple(map(str, names))
