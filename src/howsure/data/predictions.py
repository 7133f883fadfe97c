"""Predictions read from files: how many, in which groups, and their pairs in memory or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from howsure.data.selection import Selection
from howsure.data.streams import CodedChunk, PairStream
from howsure.stats.naming import unknown_name
from howsure.stats.pairs import CHUNK_ROWS, Integers, Pairs, PairSource


@dataclass(frozen=True)
class Predictions:
    """The checked prediction–label pairs of files: `n` of them, from memory if they are few, streamed if many.

    Made by `open_predictions`. `columns` are the names of the columns by their role; `group_sizes` the pairs of every
    group, in natural order. A context manager: the scratch files go at its end, or when nobody holds it any more.
    """

    n: int
    columns: dict[str, Any]
    group_sizes: dict[str, int]
    selection: Selection = field(repr=False)
    load: Callable[[], Pairs] = field(repr=False)
    stream: PairStream | None = field(repr=False)  # None: from memory
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows were left out, by the first column that is missing in them."""
        return self.selection.skipped

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () if there are none."""
        return tuple(self.group_sizes)

    def describe(self) -> dict[str, Any]:
        """What was read, for the recipe of a result: files, rows used and left out, columns by their role, notes."""
        files = [file.name for file in self.selection.table.files]
        rows = {"files": files, "rows": self.selection.n, "skipped": self.skipped}
        return {**rows, **self.columns, **self.notes}

    def source(self, group: str | None = None) -> PairSource:
        """The pairs, or those of one group, as often as asked: in memory, or streamed from the files."""
        if group is not None:
            self._require([group])
        if self.stream is not None:
            return self.stream if group is None else self.stream.of_group(group)
        return self.pairs() if group is None else self.pairs().only(self._rows_by_group[group])

    def pairs(self) -> Pairs:
        """All pairs in memory, in the order of the files, with weights, groups and clusters."""
        return self._pairs

    def grouped_chunks(self, names: Sequence[str]) -> Iterator[CodedChunk]:
        """The pairs of some groups in one pass: chunks of (position of the group in `names`, probability, label)."""
        self._require(names)
        return self._coded_in_memory(names) if self.stream is None else self.stream.coded_chunks(names)

    def close(self) -> None:
        """Remove the scratch files; what is in memory stays."""
        self.selection.table.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _pairs(self) -> Pairs:
        return self.load()

    @cached_property
    def _rows_by_group(self) -> dict[str, Integers]:
        codes = self._codes(self.pairs())
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, len(self.group_names)))
        return dict(zip(self.group_names, np.split(order, starts), strict=True))

    def _coded_in_memory(self, names: Sequence[str]) -> Iterator[CodedChunk]:
        pairs = self.pairs()
        positions = np.array([names.index(name) if name in names else -1 for name in self.group_names])
        for start in range(0, len(pairs), CHUNK_ROWS):
            part = slice(start, start + CHUNK_ROWS)
            coded = positions[self._codes(pairs)[part]]
            wanted = coded >= 0
            yield coded[wanted], pairs.probabilities[part][wanted], pairs.labels[part][wanted]

    def _codes(self, pairs: Pairs) -> Integers:
        return np.zeros(0, np.int64) if pairs.groups is None else pairs.groups

    def _require(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.group_sizes:
                raise unknown_name("group", name, self.group_names, place=self.selection.table.name)
