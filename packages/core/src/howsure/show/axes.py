"""The argument `ax` of every method `plot`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from howsure.errors import InputError, quote

P = ParamSpec("P")
Drawn = TypeVar("Drawn")
Self = TypeVar("Self")


def checks_axes(plot: Callable[Concatenate[Self, P], Drawn]) -> Callable[Concatenate[Self, P], Drawn]:
    """Decorate a method `plot`, so that it raises InputError for an `ax` that is not axes, such as a file name."""

    @wraps(plot)
    def checked(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> Drawn:
        ax: Any = args[0] if args else kwargs.get("ax")
        if ax is not None and not hasattr(ax, "add_patch"):
            save = f"plot().figure.savefig({ax if isinstance(ax, str) else 'figure.pdf'!r})"
            raise InputError(f"`ax` must be axes of matplotlib; it is {quote(ax)}. To save a figure: {save}.")
        return plot(self, *args, **kwargs)

    return checked
