"""Logits of a language model saved in files: shards of .npy and .safetensors, read by rows."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.files.archive import MAGIC, array_header, unpacking
from howsure.files.input_files import expand_paths, opened, parsed_json
from howsure.inputs.numbers_and_names import shortened

# Arrays in files: their type, shape, and where their values begin. Rows are read when they are needed. Files are not
# mapped into memory, because a mapped file that is truncated while it is read would end the process without an error
# message.

Array = npt.NDArray[Any]
BFLOAT16 = "bfloat16"  # the upper half of a float32, a type that numpy does not have


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array of `shape` in a file, which begins at byte `start`; its `type` is numpy's, or bfloat16.

    A row is a vector along the last axis.
    """

    path: str
    name: str
    type: str
    shape: tuple[int, ...]
    start: int

    @property
    def is_floating(self) -> bool:
        """Whether the values are floating-point numbers."""
        return self.type == BFLOAT16 or np.dtype(self.type).kind == "f"

    @property
    def is_whole(self) -> bool:
        """Whether the values are integers."""
        return self.type != BFLOAT16 and np.dtype(self.type).kind in "iu"

    @property
    def type_name(self) -> str:
        return self.type if self.type == BFLOAT16 else np.dtype(self.type).name

    @property
    def n_rows(self) -> int:
        return math.prod(self.shape[:-1])

    def values(self, file: BinaryIO) -> Array:
        """Read all values of a one-dimensional array."""
        return self._read(file, 0, math.prod(self.shape))

    def rows(self, file: BinaryIO, first: int, n: int) -> Array:
        """Read n rows from the row `first` on as a matrix; bfloat16 becomes float32."""
        width = self.shape[-1]
        return self._read(file, first * width, n * width).reshape(n, width)

    def _read(self, file: BinaryIO, first: int, n: int) -> Array:
        dtype = np.dtype(np.uint16).newbyteorder("<") if self.type == BFLOAT16 else np.dtype(self.type)
        try:
            file.seek(self.start + first * dtype.itemsize)
            content = file.read(n * dtype.itemsize)
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}.") from error
        if len(content) < n * dtype.itemsize:
            raise InputError(f"{self.path} was truncated while it was read. Read it again when it is complete.")
        values: Array = np.frombuffer(content, dtype)
        if self.type != BFLOAT16:
            return values
        return (values.astype(np.uint32) << np.uint32(16)).view(np.float32)


# The header of a .safetensors file has the type, shape and position of each tensor; it contains no executable code. The
# format (https://github.com/huggingface/safetensors) consists of 8 bytes with the length of the header, the header as
# JSON, by name {"dtype", "shape", "data_offsets": [first, end]}, and the values of one tensor after the other,
# little-endian.

TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": BFLOAT16,
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
}
BYTES = {name: 2 if type_ == BFLOAT16 else int(type_[-1]) for name, type_ in TYPES.items()}
LENGTH = 8  # bytes with the length of the header
LONGEST_HEADER = 1 << 20
ABOUT = "__metadata__"


def read_tensors(file: BinaryIO, size: int, path: str) -> dict[str, StoredArray]:
    """Return the tensors of a file of `size` bytes by name, except those whose type numpy cannot read."""
    length = int.from_bytes(file.read(LENGTH), "little")
    if size < LENGTH or length > min(size - LENGTH, LONGEST_HEADER):
        raise _damaged(
            path, "its header is longer than the file" if length > size - LENGTH else "its header is too long"
        )
    try:
        header = parsed_json(file.read(length))
    except ValueError as error:
        raise _damaged(path, "its header is not JSON") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header names no tensors")
    start, n_bytes = LENGTH + length, size - LENGTH - length
    return {
        name: StoredArray(path, name, TYPES[entry["dtype"]], tuple(entry["shape"]), start + entry["data_offsets"][0])
        for name, entry in header.items()
        if name != ABOUT and _is_readable(entry, name, n_bytes, path)
    }


def _is_readable(entry: Any, name: str, n_bytes: int, path: str) -> bool:
    """Whether a tensor has a known type. Raises InputError if its shape and size differ, or if it exceeds the file."""
    try:
        kind, shape, (first, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        whole, kind = [*shape, first, end], str(kind)
    except (TypeError, KeyError, ValueError) as error:
        raise _damaged(path, f"its header does not say where the tensor {name!r} is") from error
    if not all(type(number) is int and 0 <= number < 1 << 62 for number in whole) or not isinstance(shape, list):
        raise _damaged(path, f"the tensor {name!r} has an invalid shape or offset")
    if kind not in TYPES:
        return False
    needed = math.prod(shape) * BYTES[kind]
    if not first <= end <= n_bytes or needed != end - first:
        shown = " x ".join(f"{number:,}" for number in shape)
        place = f"its bytes are {first:,} to {end:,} of {n_bytes:,}"
        raise _damaged(path, f"the tensor {name!r} of {shown} {kind} needs {needed:,} bytes; {place}")
    return True


def _damaged(path: str, why: str) -> InputError:
    return InputError(f"{path} cannot be read: {why}. Is it damaged or truncated?")


# Shards are files with logits of a language model, (rows, classes), and the true class of each row.

IGNORED = -100
PAIRS_AT_ONCE = 1 << 23
LOGITS, TARGETS = ("logits", "predictions"), ("targets", "label_ids", "labels")  # the first existing name is used
SUFFIXES = (".npy", ".safetensors")


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of logits with their targets; the first of them is the row `first` of the file, counted from 0."""

    logits: Array
    targets: Array
    first: int
    path: str

    def place(self, row: int) -> str:
        """Return the location of a row of the block in words."""
        return f"row {self.first + row + 1:,} of {self.path} (counted from 1)"


@dataclass(frozen=True, slots=True)
class LogitShards:
    """Logits in files, and a target for each row. Rows with the target `ignore` are not evaluated."""

    files: tuple[str, ...]
    logits: tuple[StoredArray, ...]
    targets: tuple[Array, ...]
    ignore: int

    @property
    def n_classes(self) -> int:
        """The number of logits in a row: the size of the vocabulary."""
        return self.logits[0].shape[-1]

    @property
    def rows(self) -> int:
        """The number of rows, including ignored ones."""
        return sum(map(len, self.targets))

    @property
    def ignored(self) -> int:
        """The number of rows with the target `ignore`."""
        return sum(int(np.count_nonzero(target == self.ignore)) for target in self.targets)

    def blocks(self) -> Iterator[Block]:
        n = max(1, PAIRS_AT_ONCE // self.n_classes)
        for logits, targets in zip(self.logits, self.targets, strict=True):
            with opened(logits.path) as file:
                for first in range(0, logits.n_rows, n):
                    part = targets[first : first + n]
                    yield Block(logits.rows(file, first, len(part)), part, first, logits.path)


def open_logits(
    paths: Sequence[str | os.PathLike[str]], *, targets: Sequence[str | os.PathLike[str]] = (), ignore: int = IGNORED
) -> LogitShards:
    """Open logits in .npy or .safetensors files, with the index of the true class of each row.

    The targets are in the same .safetensors file, or in the files `targets`: one for each shard, or one for all shards
    in order. Their shape is that of the logits without the last axis. Rows whose target is `ignore` are not evaluated.
    Only headers and targets are read before rows are requested; nothing is unpickled.
    """
    files = tuple(expand_paths(paths))
    arrays_by_file = [_arrays(path) for path in files]
    logits = tuple(_find_logits(arrays, path) for arrays, path in zip(arrays_by_file, files, strict=True))
    if len({logit.shape[-1] for logit in logits}) > 1:
        sizes = shortened(f"{logit.path} {logit.shape[-1]:,}" for logit in logits)
        raise InputError(
            f"all files must contain logits of the same classes, but their numbers of classes differ: {sizes}."
        )
    if targets:
        numbers = _read_separate_targets(logits, expand_paths(targets))
    else:
        numbers = tuple(_find_targets(arrays, array) for arrays, array in zip(arrays_by_file, logits, strict=True))
    shards = LogitShards(files, logits, numbers, ignore)
    for array, target_array in zip(logits, numbers, strict=True):
        _check_targets(target_array, array, ignore)
    if shards.ignored == shards.rows:
        raise InputError(
            f"no row of {shortened(files)} can be evaluated: every target is {ignore}, or there is no row."
        )
    return shards


def _arrays(path: str) -> dict[str, StoredArray]:
    """Return the arrays of a file by name; the only array of an .npy file has an empty name."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if path.lower().endswith(".safetensors"):
            return read_tensors(file, size, path)
        start = file.read(len(MAGIC))
        file.seek(0)
        if start != MAGIC:
            raise _unknown(path, start)
        return {"": _read_npy_header(file, size, path)}


def _unknown(path: str, start: bytes) -> InputError:
    if start.startswith(b"PK") and path.lower().endswith(".npz"):
        return InputError(
            f"{path} is an archive. Save logits with numpy.save or as .safetensors. The output of Trainer.predict in "
            "an .npz is read by howsure calibration."
        )
    if start.startswith((b"PK", b"\x80")):
        return InputError(
            f"{path} is pickled. It was not opened, because it could run code. Save the logits as .safetensors."
        )
    return InputError(f"{path} is not a file of logits in a known format: {' or '.join(SUFFIXES)}.")


def _read_npy_header(file: BinaryIO, size: int, path: str) -> StoredArray:
    with unpacking(path):
        header = array_header(file, size, name=path)
    if header.fortran and len(header.shape) > 1:
        raise InputError(f"{path} is stored in column order. Save numpy.ascontiguousarray(logits) instead.")
    return StoredArray(path, "", header.dtype.str, header.shape, header.length)


def _find_logits(arrays: dict[str, StoredArray], path: str) -> StoredArray:
    array = _first(arrays, LOGITS)
    if array is None:
        raise InputError(f"{path} has no tensor named {' or '.join(LOGITS)}; it has {shortened(arrays) or 'none'}.")
    if not array.is_floating or len(array.shape) < 2:
        shape = " x ".join(f"{n:,}" for n in array.shape) or "one number"
        raise InputError(
            f"{path} must contain logits, floating-point numbers, (rows, classes); it contains {array.type_name}, "
            f"{shape}."
        )
    if array.shape[-1] < 2:
        raise InputError(
            f"{path} has {array.shape[-1]:,} number per row, but logits of at least two classes are needed."
        )
    return array


def _first(arrays: dict[str, StoredArray], names: Sequence[str]) -> StoredArray | None:
    return next((arrays[name] for name in (*names, "") if name in arrays), None)


def _find_targets(arrays: dict[str, StoredArray], logits: StoredArray) -> Array:
    """Read the targets in the same file as the logits."""
    target_array = next((arrays[name] for name in TARGETS if name in arrays), None)
    if target_array is None:
        where = f"no tensor named {' or '.join(TARGETS)}" if logits.name else "one array"
        raise InputError(f"{logits.path} contains {where}. Name the file of the true classes: `targets=...`")
    if target_array.shape != logits.shape[:-1]:
        raise _other_shape(target_array, [logits])
    return _numbers(target_array)


def _read_separate_targets(logits: Sequence[StoredArray], paths: Sequence[str]) -> tuple[Array, ...]:
    """Read the targets in separate files: one for each shard, or one for all shards."""
    target_arrays = []
    for path in paths:
        target_array = _first(_arrays(path), TARGETS)
        if target_array is None:
            raise InputError(f"{path} has no tensor named {' or '.join(TARGETS)}.")
        target_arrays.append(target_array)
    if len(target_arrays) == len(logits):
        for target_array, array in zip(target_arrays, logits, strict=True):
            if target_array.shape != array.shape[:-1]:
                raise _other_shape(target_array, [array])
        return tuple(map(_numbers, target_arrays))
    if len(target_arrays) > 1:
        raise InputError(
            f"targets must be one file, or one for each of the {len(logits):,} files; it is {len(target_arrays):,}."
        )
    n = [logit.n_rows for logit in logits]
    if len(target_arrays[0].shape) != 1 or target_arrays[0].shape[0] != sum(n):
        raise _other_shape(target_arrays[0], logits)
    return tuple(np.split(_numbers(target_arrays[0]), np.cumsum(n)[:-1]))


def _other_shape(targets: StoredArray, logits: Sequence[StoredArray]) -> InputError:
    shape = logits[0].shape if len(logits) == 1 else (sum(logit.n_rows for logit in logits), logits[0].shape[-1])
    return InputError(
        f"{targets.path} must contain one target for each row of logits; its shape is {targets.shape}, and that of the "
        f"logits{'' if len(logits) == 1 else ' of all files'} is {shape}."
    )


def _numbers(stored_array: StoredArray) -> Array:
    if not stored_array.is_whole:
        raise InputError(
            f"{stored_array.path} must contain the index of each row's true class, as integers; it contains "
            f"{stored_array.type_name}."
        )
    with opened(stored_array.path) as file:
        return stored_array.values(file)


def _check_targets(targets: Array, logits: StoredArray, ignore: int) -> None:
    wrong = ((targets < 0) | (targets >= logits.shape[-1])) & (targets != ignore)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"targets must be indices of the {logits.shape[-1]:,} classes, from 0, or {ignore} for rows to leave "
            f"out; row {row + 1:,} of {logits.path} (counted from 1) is {targets[row]}."
        )


__all__ = ["LogitShards", "open_logits"]
