"""Where a row is that an error of the numerics names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from howsure.errors import InputError

ROW = re.compile(r"\brow (\d+)\b")  # of a message that does not mark its rows


@contextmanager
def rows_as_in_files(place: Callable[[int], str] | None) -> Iterator[None]:
    """An error that names rows from 0, as arrays do, names them in the words of `place`, if there is one."""
    try:
        yield
    except InputError as error:
        if place is None or type(error) is not InputError:
            raise
        found = error.at(place)
        said = ROW.sub(lambda row: place(int(row[1])), found.message) if found.message == error.message else None
        raise (found if said is None else InputError(said)) from error
