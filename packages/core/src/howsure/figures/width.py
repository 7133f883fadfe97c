"""The width of a figure in print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from howsure.errors import InputError

NARROWEST, WIDEST = 2.0, 20.0  # inches
NARROW = 4.6  # below this width, panels are stacked instead of side by side
_WIDTH: ContextVar[float | None] = ContextVar("width", default=None)


@contextmanager
def figure_width(inches: float | None) -> Iterator[None]:
    """Context in which figures have this width (None: their default width); the text keeps its size."""
    if inches is not None and not NARROWEST <= inches <= WIDEST:
        raise InputError(f"width must be {NARROWEST:g} to {WIDEST:g} inches, not {inches:g}; one column has about 3.3.")
    before = _WIDTH.set(inches)
    try:
        yield
    finally:
        _WIDTH.reset(before)


def wanted_width() -> float | None:
    """The requested width, in inches; None for the default width."""
    return _WIDTH.get()


def is_narrow() -> bool:
    """Return whether the figure must fit one column."""
    inches = wanted_width()
    return inches is not None and inches < NARROW
