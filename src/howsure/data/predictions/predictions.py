"""Predictions read from files: how many, in which groups, and their pairs in memory or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from howsure.data.predictions.selection import Selection
from howsure.data.predictions.stream import PairStream
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats, Integers, Pairs

if TYPE_CHECKING:
    from howsure.calibration.slots import Slots
    from howsure.data.predictions.stream import StoredGroups


def _nobody(rows: int) -> None:
    """What is told of progress where nobody listens."""


@dataclass(frozen=True, slots=True)
class ClassRows:
    """The classes of each row, before they are reduced to pairs: `matrix` (n, K) of probabilities, or, as `scale` says,
    of logits or log-probabilities; `codes` (n,), the column of the label; the `names` of the columns."""

    matrix: Floats
    scale: str | None
    codes: Integers
    names: tuple[str, ...]


@dataclass(frozen=True)
class Predictions:
    """The checked prediction–label pairs of files: `n` of them, held in memory if they are few, added up if many.

    Made by `open_predictions`. `columns` are the names of the columns by their role; `group_sizes` the pairs of every
    group, in natural order. A context manager: the scratch files are removed at its end, or when it is no longer
    referenced.
    """

    n: int
    columns: dict[str, Any]
    group_sizes: dict[str, int]
    selection: Selection = field(repr=False)
    load: Callable[[], Pairs] = field(repr=False)
    stream: PairStream | None = field(repr=False)  # None: from memory
    notes: dict[str, Any] = field(default_factory=dict)
    said: str = field(default="", repr=False)  # what a log was taken for
    class_rows: ClassRows | None = field(default=None, repr=False)  # where they are kept

    @property
    def skipped(self) -> dict[str, int]:
        """The number of rows left out, by the first column with a missing value."""
        return self.selection.skipped

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () if there are none."""
        return tuple(self.group_sizes)

    def describe(self) -> dict[str, Any]:
        """What was read, for the recipe of a result: files, rows used and left out, columns by their role, notes."""
        files = [file.name for file in self.selection.table.files]
        rows = {"files": files, "rows": self.selection.n, "skipped": self.skipped}
        columns = {"target" if role == "label" else role: name for role, name in self.columns.items()}
        return {**rows, **columns, **self.notes}

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = _nobody) -> Pairs | Slots:
        """The pairs, or those of one group: themselves if all together are few, else their sums, in one reading.

        `advance` is told how many rows were read. Of a stream, the first group costs a reading of the files, the others
        none.
        """
        if group is not None and group not in self.group_sizes:
            raise unknown_name("group", group, self.group_names, place=self.selection.table.name)
        if self.stream is None:
            pairs = self.pairs() if group is None else self.pairs().only(self._rows_by_group[group])
            advance(len(pairs))
            return pairs
        if group is not None:
            return self._stored_groups.slots(group, advance)
        from howsure.data.predictions.stream import added_up

        return added_up(self.stream, advance)

    def pairs(self) -> Pairs:
        """All pairs in memory, in the order of the files, with weights, groups and clusters."""
        return self._pairs

    def features(self, names: Sequence[str]) -> dict[str, Any]:
        """Further columns of the same rows, as `feature_columns` makes them."""
        from howsure.data.predictions.rows import feature_columns

        return feature_columns(self.selection, names)

    def close(self) -> None:
        """Remove the scratch files; data in memory remain."""
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
        groups = self.pairs().groups
        codes = np.zeros(0, np.int64) if groups is None else groups
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, len(self.group_names)))
        return dict(zip(self.group_names, np.split(order, starts), strict=True))

    @cached_property
    def _stored_groups(self) -> StoredGroups:
        from howsure.data.predictions.stream import StoredGroups

        assert self.stream is not None
        return StoredGroups(self.stream, self.group_sizes)
