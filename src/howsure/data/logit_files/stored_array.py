"""An array as it lies in a file: its type, its shape, and where its values begin. Rows are read when they are needed.

Files are read, not mapped into memory: a file that is cut off while it is read gives an error, where a mapped one would
end the process.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError

Array = npt.NDArray[Any]

BFLOAT16 = "bfloat16"  # numpy has no such type: the upper half of a float32


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array of `shape` whose values, of numpy's `type` or bfloat16, begin at the byte `start` of a file.

    Its rows are those of all its axes but the last.
    """

    path: str
    name: str
    type: str
    shape: tuple[int, ...]
    start: int

    @property
    def is_floating(self) -> bool:
        """Whether its values are floating-point numbers."""
        return self.type == BFLOAT16 or np.dtype(self.type).kind == "f"

    @property
    def is_whole(self) -> bool:
        """Whether its values are integers."""
        return self.type != BFLOAT16 and np.dtype(self.type).kind in "iu"

    @property
    def type_name(self) -> str:
        """The type as users call it."""
        return self.type if self.type == BFLOAT16 else np.dtype(self.type).name

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return math.prod(self.shape[:-1])

    def values(self, file: BinaryIO) -> Array:
        """All values, of an array that is a vector."""
        return self._read(file, 0, math.prod(self.shape))

    def rows(self, file: BinaryIO, first: int, n: int) -> Array:
        """Some rows as a matrix, bfloat16 widened to float32."""
        width = self.shape[-1]
        return self._read(file, first * width, n * width).reshape(n, width)

    def _read(self, file: BinaryIO, first: int, n: int) -> Array:
        held = np.dtype(np.uint16).newbyteorder("<") if self.type == BFLOAT16 else np.dtype(self.type)
        try:
            file.seek(self.start + first * held.itemsize)
            content = file.read(n * held.itemsize)
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}.") from error
        if len(content) < n * held.itemsize:
            raise InputError(f"{self.path} ends too early: it was cut off while it was read.")
        values: Array = np.frombuffer(content, held)
        if self.type != BFLOAT16:
            return values
        return (values.astype(np.uint32) << np.uint32(16)).view(np.float32)
