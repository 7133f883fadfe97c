"""What a source of rows is: files or a log, whose columns are named, and which reads and checks them itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from howsure.inputs.pairs import Pairs

if TYPE_CHECKING:
    from howsure.calibration.summary.slots import Slots


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

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = ...) -> Pairs | Slots:
        """The pairs of a group, or of all; of very many, their sums."""

    def pairs(self) -> Pairs:
        """All pairs in memory."""

    def describe(self) -> dict[str, Any]:
        """Files, rows, those left out, columns."""


class Source(ABC):
    """Rows whose columns are named; `howsure.read` makes one of files."""

    @abstractmethod
    def predictions(
        self, y_true: Any = None, y_prob: Any = None, *, groups: Any = None, clusters: Any = None,
        sample_weight: Any = None, id: Any = None, pos_label: Any = None, **how: Any,
    ) -> AbstractContextManager[Read]:  # fmt: skip
        """The checked pairs of the columns that play the roles."""
