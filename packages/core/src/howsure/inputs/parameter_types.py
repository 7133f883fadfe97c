"""What public functions take: the types of their parameters, so that a type checker refuses what the checks would.

A parameter that holds a number, label or name per row is `ArrayLike | str | None`: values, or the column of `data` that
has them. `data` is `Source | IntoFrame | None`; a label is `Hashable`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np


class SupportsArray(Protocol):
    """An array, a series, a tensor."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """The values as numpy holds them."""


class IntoFrame(Protocol):
    """A data frame, eager or lazy, of any library that narwhals supports."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


ArrayLike: TypeAlias = Sequence[object] | SupportsArray
"""A value per row; unlike what numpy takes, no single number."""
