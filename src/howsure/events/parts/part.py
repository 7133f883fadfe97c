"""A part of an input: every n-th batch of its documents, so that n machines share the work of one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from howsure.errors import InputError
from howsure.inputs.numbers import check_whole

BATCH = 64  # documents: parsed together, stored together
MOST_PARTS = 512  # of which each is an open file while they are put together
WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """Part `number` of `of`: of the batches of an input, the first of these counts from 1, and every `of`-th after it.

    The batches are those of a run over the whole input, so that parts find, to the last bit, what it finds. As
    neighbours fall in different parts, these take about equally long, also where documents grow over the years.

    >>> [document for document in range(0, 640, 64) if Part(2, 4).holds(document)]
    [64, 320, 576]
    >>> Part.asked("3/64").size(193_403)
    3072

    Raises InputError if there is no such part.
    """

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        check_whole(self.of, name="the number of parts", most=MOST_PARTS)
        check_whole(self.number, name="the number of a part", most=self.of)

    @classmethod
    def asked(cls, part: object) -> Self:
        """A part as it is given: (3, 64), or 3/64 as on the command line; None is all of the input."""
        if part is None:
            return cls()
        found = WRITTEN.fullmatch(part.strip()) if isinstance(part, str) else None
        both = [int(found[1]), int(found[2])] if found else list(part) if isinstance(part, tuple | list) else []
        if len(both) != 2:
            raise InputError(f"part must be its number and how many there are, such as 3/64; it is {part!r}.")
        return cls(*both)

    def __str__(self) -> str:
        return f"part {self.number} of {self.of}"

    @property
    def is_all(self) -> bool:
        """Whether it is the whole input."""
        return self.of == 1

    def holds(self, document: int) -> bool:
        """Whether the document at a position of the input, from 0, is in this part."""
        return document // BATCH % self.of == self.number - 1

    def size(self, documents: int) -> int:
        """How many documents it has of an input of so many."""
        batches, rest = divmod(documents, BATCH)
        own = max(0, -(-(batches - self.number + 1) // self.of))
        return own * BATCH + (rest if batches % self.of == self.number - 1 else 0)

    def recipe(self, documents: int) -> dict[str, Any]:
        """Settings of the store of a part, which says of what it is one; none for the whole input."""
        return {} if self.is_all else {"part": {"number": self.number, "of": self.of, "documents": documents}}


ALL = Part()
