"""What a source of rows is: files or a log, whose columns are named, and which reads and checks them itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from howsure.inputs.pairs import Pairs


class Read(Protocol):
    """Predictions that were read: `n` pairs in groups, in memory or as sums, and what was read of which files."""

    @property
    def n(self) -> int:
        """The number of pairs."""

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () if there are none."""

    @property
    def notes(self) -> dict[str, Any]:
        """How it was read."""

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = ...) -> object:
        """The pairs of a group, or of all; of very many, their sums."""

    def pairs(self) -> Pairs:
        """All pairs in memory."""

    def describe(self) -> dict[str, Any]:
        """Files, rows, those left out, columns."""


class Matched(Protocol):
    """The pairs of two models on the same rows, how many only one has, and whether each has its own labels."""

    @property
    def a(self) -> Pairs:
        """The pairs of the one."""

    @property
    def b(self) -> Pairs:
        """The pairs of the other."""

    @property
    def only_a(self) -> int:
        """Rows that only the one has."""

    @property
    def only_b(self) -> int:
        """Rows that only the other has."""

    @property
    def own_labels(self) -> bool:
        """Whether each has its own labels."""

    @property
    def said(self) -> Sequence[str]:
        """Which rows were left out because one model has none."""


class Source(ABC):
    """Rows whose columns are named; `howsure.read` makes one of files."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What to call it."""

    @abstractmethod
    def predictions(
        self, y_true: Any = None, y_prob: Any = None, *, groups: Any = None, clusters: Any = None,
        sample_weight: Any = None, id: Any = None, pos_label: Any = None, **how: Any,
    ) -> AbstractContextManager[Read]:  # fmt: skip
        """The checked pairs of the columns that play the roles."""

    def progress(self, pairs: int) -> AbstractContextManager[Callable[[int], None]]:
        """What is to be told how many of the pairs were read."""
        return nullcontext(lambda rows: None)

    @abstractmethod
    def matched(
        self, read: Any, other: Any, *, y_true: Any = None, y_true_other: Any = None, y_prob: Any = None, **roles: Any
    ) -> Matched:
        """The rows that were read and are another model's too: `other` is a source, or its columns in this one."""
