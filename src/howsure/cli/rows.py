"""How a row is counted that an error of the numerics names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from howsure.errors import InputError


@contextmanager
def rows_from_zero() -> Iterator[None]:
    """An error that names a row says how it is counted: readers of files count from 1, arrays from 0."""
    try:
        yield
    except InputError as error:
        if re.search(r"\brow \d", str(error)) is None:
            raise
        raise InputError(f"{error} (Rows are counted from 0 here, among those used.)") from error
