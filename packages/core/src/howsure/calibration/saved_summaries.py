"""Serialization of summaries: a line with format and version, a JSON header, columns of integers, and a checksum.

The same sums give the same bytes on every machine: columns are little-endian, with as few bytes per number as the
column's largest number needs. No compression library is used, since its versions may differ. The format contains no
executable code.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from howsure.calibration.slots import CELLS, COLUMNS, FRACTION, LAST, MAX_SLOT_PAIRS, SLOTS, STEEP, WEIGHTS, Slots
from howsure.errors import InputError
from howsure.files.atomic_write import Place
from howsure.files.input_files import opened, parsed_json
from howsure.files.serialization import checked_path, save
from howsure.inputs.pairs import Integers

WORDS = b"howsure calibration summary "
LIKE = "monday.summary"
VERSION = 1
GRID = f"{CELLS} cells of the fourth root"
CHECKSUM = 32  # bytes of SHA-256, at the end


@dataclass(frozen=True, slots=True)
class Saved:
    """The content of a file: the sums of each group and the groups' names, or one set of sums without names (None)."""

    parts: Sequence[Slots]
    names: Sequence[str] | None = None


def to_bytes(saved: Saved) -> bytes:
    """Serialize summaries. Raises InputError if only some of them have weights."""
    check_weights(dict(zip([""] if saved.names is None else saved.names, saved.parts, strict=True)))
    weighted = any(part.weights is not None for part in saved.parts if len(part.slot))
    distances = [np.diff(part.slot, prepend=0) for part in saved.parts]
    sums = (
        [np.concatenate([part.sums[row] for part in saved.parts]) for row in range(len(COLUMNS))] if distances else []
    )
    columns = [_narrow(column) for column in ([np.concatenate(distances), *sums] if distances else [])]
    head = {
        "grid": GRID,
        "names": None if saved.names is None else list(saved.names),
        "slots": [len(part.slot) for part in saved.parts],
        "weightless": [part.weightless for part in saved.parts],
        "positive": [part.positive for part in saved.parts],
        "reduction": [part.reduction for part in saved.parts],
        "bytes": [width for width, _ in columns],
        "weighted": weighted,
    }
    content = [WORDS, f"{VERSION}\n".encode(), json.dumps(head, sort_keys=True).encode(), b"\n"]
    content += [column for _, column in columns]
    if weighted:
        floats = [np.zeros((len(WEIGHTS), 0)) if part.weights is None else part.weights for part in saved.parts]
        content.append(np.concatenate(floats, axis=1).astype("<f8").tobytes())
    whole = b"".join(content)
    return whole + hashlib.sha256(whole).digest()


def check_weights(groups: Mapping[str, Slots]) -> None:
    """Raise InputError if the pairs of only some groups have weights."""
    names = {slots.weights is not None: name for name, slots in groups.items() if len(slots.slot)}
    if len(names) > 1:
        raise InputError(
            f"the pairs of the group {names[True]!r} have weights, but the pairs of {names[False]!r} have none. Give "
            "each of these the weight 1."
        )


def from_bytes(content: bytes, *, name: str = "content") -> Saved:
    """Deserialize summaries; `name` is used in messages."""
    if not isinstance(content, bytes | bytearray | memoryview):
        raise InputError(
            f"content must be bytes, not a {type(content).__name__}; CalibrationSummary.load reads a file."
        )
    content = bytes(content)
    first, _, rest = content[:-CHECKSUM].partition(b"\n")
    if not first.startswith(WORDS):
        raise InputError(f"{name} is not a calibration summary. CalibrationSummary.save writes such a file.")
    version = first[len(WORDS) :].decode("ascii", "replace")
    if version != str(VERSION):
        shown = version[:20] if version.isalnum() else ascii(version[:20])
        raise InputError(
            f"{name} has version {shown}, but this howsure reads version {VERSION}. Install a newer howsure."
        )
    if hashlib.sha256(content[:-CHECKSUM]).digest() != content[-CHECKSUM:]:
        raise _damaged(name, "it does not match its checksum")
    text, _, columns = rest.partition(b"\n")
    try:
        return _parsed(parsed_json(text), columns)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise _damaged(name, error) from error


def read(path: Place) -> Saved:
    """Read the summaries from a file."""
    with opened(checked_path(path, like=LIKE)) as file:
        return from_bytes(file.read(), name=str(path))


class SavedSums(ABC):
    """Base class of sums that can be added, compared, converted to bytes and saved in files."""

    _slots: Any
    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    def __radd__(self, other: int) -> Self:
        """Support the built-in `sum`, which starts at 0."""
        return type(self)() + self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._slots == other._slots

    @abstractmethod
    def _saved(self) -> Saved: ...

    @classmethod
    @abstractmethod
    def _of(cls, saved: Saved, name: str) -> Self: ...

    def to_bytes(self) -> bytes:
        """Serialize the sums; the bytes do not depend on the order or the batches in which pairs were added.

        Sums of weights are an exception: they are rounded, so their last bits depend on the order.
        """
        return to_bytes(self._saved())

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Deserialize the result of `to_bytes`. Raises InputError for other, truncated or changed content."""
        return cls._of(from_bytes(content), "content")

    def save(self, path: Place) -> None:
        """Write the sums to a file atomically, replacing an existing file."""
        save(self.to_bytes(), path, like=LIKE)

    @classmethod
    def load(cls, path: Place) -> Self:
        """Read a file. Raises InputError if it does not exist, is not a summary, or was truncated or changed."""
        return cls._of(read(path), str(path))


def _damaged(name: str, why: object) -> InputError:
    what = f"{name} was truncated or changed: {str(why).rstrip('.')}"
    return InputError(f"{what}. Restore a copy, or add the pairs again.")


def _narrow(column: Integers) -> tuple[int, bytes]:
    """Return the number of bytes that each number of a column needs, and the column in this width."""
    width = (int(column.max(initial=0)).bit_length() + 7) // 8
    return width, column.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :width].tobytes()


def _wide(content: bytes, width: int, n: int) -> Integers:
    if not 0 <= width <= 8 or len(content) != width * n:
        raise ValueError("the length of a column differs from the header")
    whole = np.zeros((n, 8), dtype=np.uint8)
    whole[:, :width] = np.frombuffer(content, dtype=np.uint8).reshape(n, width)
    return whole.reshape(-1).view("<i8").astype(np.int64)


def _parsed(head: dict[str, Any], content: bytes) -> Saved:
    if head["grid"] != GRID:
        raise ValueError(f"its grid has {head['grid']!s:.80}, this howsure's has {GRID}")
    sizes, names = head["slots"], head["names"]
    lists = [names or sizes, *(head[key] for key in ("slots", "weightless", "positive", "reduction"))]
    expected = 1 if names is None else len(names)
    if not all(isinstance(values, list) and len(values) == expected for values in lists):
        raise ValueError("its header is inconsistent")
    if not all(type(number_) is int and number_ >= 0 for number_ in (*sizes, *head["weightless"], *head["bytes"])):
        raise ValueError("its header contains an invalid number of rows")
    if not all(value is None or isinstance(value, str) for value in (*head["positive"], *head["reduction"])):
        raise ValueError("its header contains an invalid name")
    if names is not None and (not all(isinstance(name, str) for name in names) or len(set(names)) < len(names)):
        raise ValueError("its groups do not have different names")
    n, columns = sum(sizes), []
    if n > len(content):  # each slot takes at least one byte
        raise ValueError("it has fewer bytes than its header says")
    for width in head["bytes"]:
        columns.append(_wide(content[: width * n], width, n))
        content = content[width * n :]
    if len(columns) != (1 + len(COLUMNS) if sizes else 0):
        raise ValueError("it has too few or too many columns")
    weights = None
    if head["weighted"]:
        weights = np.frombuffer(content, dtype="<f8").reshape(len(WEIGHTS), n).astype(np.float64)
    elif content:
        raise ValueError("it continues after its end")
    ends = np.cumsum([0, *sizes]).tolist()
    parts = []
    for i, (start, end) in enumerate(pairwise(ends)):
        rows = slice(start, end)
        weights_of_part = None if weights is None or start == end else weights[:, rows]
        slot, sums = np.cumsum(columns[0][rows]), np.stack(columns[1:])[:, rows]
        how = (head[key][i] for key in ("weightless", "positive", "reduction"))
        parts.append(Slots(slot, sums, weights_of_part, *how))
        _check(parts[-1])
    return Saved(parts, names)


def _check(slots: Slots) -> None:
    """Raise ValueError for inconsistent sums, which cannot come from pairs."""
    n, offsets, squares, logs, infinite = slots.sums
    near = np.minimum(slots.cell, LAST - slots.cell)
    steep = slots.wrong() & (near < STEEP)
    most = n * int(FRACTION)
    possible = [
        (np.diff(slots.slot) > 0).all() and slots.slot.min(initial=0) >= 0 and slots.slot.max(initial=0) < SLOTS,
        (n > 0).all() and (slots.sums >= 0).all() and n.max(initial=0) < MAX_SLOT_PAIRS,
        (offsets <= most).all() and (squares <= offsets).all(),
        (infinite <= np.where(steep & (near == 0), n, 0)).all() and not logs[~steep].any(),
        slots.weights is None or (np.isfinite(slots.weights).all() and (slots.weights[:4] > 0).all()),
        slots.weights is None or (slots.weights[4:] >= 0).all(),
    ]
    if not all(map(bool, possible)):
        raise ValueError("its sums cannot come from pairs")
