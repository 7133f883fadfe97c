"""How a row is counted that an error of the numerics names: on the command line from 1, as in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from howsure.errors import ORIGIN, InputError

ROW = re.compile(r"\brow (\d+)\b")
AMONG = "(Rows are counted from 1 here, among those used.)"


@contextmanager
def rows_as_in_files(place: Callable[[int], str] | None = None) -> Iterator[None]:
    """An error that names rows from 0, as arrays do, names them from 1, with their file where `place` knows it."""
    try:
        yield
    except InputError as error:
        said = str(error).removesuffix(f" {ORIGIN}")
        if ROW.search(said) is None:
            raise
        if place is not None:
            raise InputError(ROW.sub(lambda found: place(int(found[1])), said)) from error
        raise InputError(counted_from_1(said)) from error


def counted_from_1(said: str) -> str:
    """A text that names rows from 0, as arrays do, names them from 1."""
    said = said.removesuffix(f" {ORIGIN}")
    return f"{ROW.sub(lambda found: f'row {int(found[1]) + 1}', said)} {AMONG}" if ROW.search(said) else said
