"""Errors about a part of the rows, in the numbers that the rows have among all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from howsure.errors import InputError
from howsure.inputs.pairs import Integers

ROW = re.compile(r"\brow (\d+)\b")


@contextmanager
def rows_of_all(rows: Integers, *, before: str = "", behind: str = "") -> Iterator[None]:
    """An error in this block numbers its rows as `rows` does, the part's rows among all; with words around it.

    >>> import numpy as np
    >>> with rows_of_all(np.array([4, 7]), before="group 'b': "):
    ...     raise InputError("row 1 is wrong.")
    Traceback (most recent call last):
    howsure.errors.InputError: group 'b': row 7 is wrong. (Rows are counted from 0.)
    """
    try:
        yield
    except InputError as error:
        said = ROW.sub(lambda found: f"row {rows[int(found[1])]}", str(error.args[0]))
        raise InputError(f"{before}{said}{behind}") from error
