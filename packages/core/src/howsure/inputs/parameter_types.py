"""Types of the parameters of public functions.

A parameter with one number, label or name per row is `ArrayLike | str | None`: the values, or a column name of `data`.
`data` is `Source | IntoFrame | None`; a label is `Hashable`. `plot` draws on `Axes` and `figure` returns a `Figure` of
matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
else:  # matplotlib is loaded only to draw
    Axes = Figure = Any


class SupportsArray(Protocol):
    """An array, a series, a tensor."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """The values as a numpy array."""


class IntoFrame(Protocol):
    """A data frame, eager or lazy, of any library that narwhals supports."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


ArrayLike: TypeAlias = Sequence[object] | SupportsArray
"""One value per row; unlike numpy's ArrayLike, a single number is not accepted."""
