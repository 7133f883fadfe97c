"""A column of names that is stored as codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Codes = np.ndarray[Any, np.dtype[Any]]  # whole numbers of any width


@dataclass(frozen=True, slots=True)
class Coded:
    """The name of row i is `names[codes[i]]`; each name occurs, and they are in natural order."""

    codes: Codes
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)
