"""Packed samples in a store: one bit or byte per sample, two bytes per mention and sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def as_bits(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> npt.NDArray[np.bool_]:
    """Packed samples as booleans (rows, S); the first sample is the lowest bit of the first byte.

    >>> as_bits([bytes([5, 1])], 10).astype(int).tolist()
    [[1, 0, 1, 0, 0, 0, 0, 0, 1, 0]]
    """
    packed = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), -(-n_samples // 8))
    return np.unpackbits(packed, axis=1, count=n_samples, bitorder="little").view(np.bool_)


def as_counts(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> npt.NDArray[np.uint8]:
    """Numbers of entities as integers (rows, S)."""
    return np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), n_samples)


def as_labels(blob: bytes, n_mentions: int) -> npt.NDArray[np.int64]:
    """Clusterings (S, M): the first mention of the entity of each mention."""
    return np.frombuffer(blob, dtype="<u2").reshape(-1, n_mentions).astype(np.int64)
