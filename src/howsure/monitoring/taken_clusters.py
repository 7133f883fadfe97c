"""The clusters that a monitor has taken, so that rows of them that come later are known, night after night.

Given the first rows of a cluster, the others need not be as probable as predicted, also where the model is calibrated:
all may be right or wrong together. No bet on them is fair, so that they are left out. Names are held as the lower 64
bits of their MD5 sum, eight bytes each.
"""

from __future__ import annotations

import base64
import hashlib

import numpy as np

from howsure.inputs.arrays import Column
from howsure.inputs.checks import check_clusters
from howsure.inputs.pairs import Integers

BYTES = 8
LITTLE = np.dtype("<i8")


def fingerprints(column: Column, *, n: int) -> Integers:
    """The fingerprint of each row's cluster, whatever rows are given with it.

    >>> two = fingerprints(np.array(["doc 7", "doc 1", "doc 7"]), n=3)
    >>> bool(two[0] == two[2]), bool(two[0] == two[1])
    (True, False)

    Raises InputError if a value is missing.
    """
    codes = check_clusters(column, n=n)
    rows, codes = np.unique(codes, return_index=True, return_inverse=True)[1:]
    found: Integers = np.array([fingerprint(_text(value)) for value in column[rows].tolist()], dtype=np.int64)
    return found[codes]


def fingerprint(name: str) -> int:
    """The fingerprint of a name: `md5_number_lower` of DuckDB as a number with a sign.

    >>> fingerprint("doc 7")
    -6256225945147844607
    """
    digest = hashlib.md5(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return int.from_bytes(digest[BYTES:], "little", signed=True)


def packed(clusters: Integers) -> str:
    """Fingerprints as a text."""
    return base64.b64encode(clusters.astype(LITTLE).tobytes()).decode()


def unpacked(text: str) -> Integers:
    """The fingerprints of a text that `packed` made; ValueError if it is another."""
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=LITTLE).astype(np.int64)
    if (found[1:] <= found[:-1]).any():
        raise ValueError("clusters are sorted, and each is there once")
    return found


def _text(value: object) -> str:
    """A name as a text: 7 and 7.0 are one, as where a column of numbers is read with gaps or without."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
