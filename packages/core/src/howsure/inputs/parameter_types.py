"""Types of the parameters of public functions.

A parameter with one number, label or name per row has the type `ArrayLike | str | None`: the values, or the name of a
column of `data`. The parameter `data` is `Source | IntoFrame | None`, and a label is `Hashable`. The methods `plot`
draw on matplotlib's `Axes`, and `figure` returns a matplotlib `Figure`.
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
    """An array, a series or a tensor."""

    def __array__(self) -> np.ndarray[Any, Any]:
        """The values as a numpy array."""


class IntoFrame(Protocol):
    """A data frame, eager or lazy, of any library that narwhals supports."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


ArrayLike: TypeAlias = Sequence[object] | SupportsArray
"""One value per row; unlike numpy's ArrayLike, a single number is not accepted."""
