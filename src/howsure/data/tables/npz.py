"""Archives of numpy arrays (.npz): every array is a column, every two-dimensional one a column of lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.database import Connection, identifier, reading
from howsure.data.tables.named_files import File
from howsure.data.tables.paths import FILE
from howsure.errors import InputError
from howsure.files.archive import NUMBERS, TEXTS, Archive, ArchiveError

Array = npt.NDArray[Any]
KINDS = f"{NUMBERS}{TEXTS}M"
CLOCK_UNITS = ("s", "ms", "us", "ns")  # the units of datetime64 that DuckDB reads


def archive_columns(file: File) -> dict[str, str]:
    """The names of the arrays in an archive."""
    with _opened(file) as archive:
        return dict.fromkeys(archive.arrays, "array")


def copy_archives(
    connection: Connection,
    files: Sequence[File],
    names: Sequence[str],
    *,
    into: str,
    shown: Sequence[str] | None = None,
) -> tuple[int, ...]:
    """Copy arrays of archives into a table, file after file; returns the row at which each file starts.

    If files are `shown` by names, these are one more column.
    """
    parts = [_arrays(file, names) for file in files]
    lengths = [len(part[names[0]]) for part in parts]
    if shown is not None:
        names = [*names, FILE]
        for part, name, length in zip(parts, shown, lengths, strict=True):
            part[FILE] = np.full(length, name)
    flat: dict[str, Array] = {}
    selected = []
    for name in names:
        column = _joined([part[name] for part in parts], name, files)
        fields = [column] if column.ndim == 1 else list(column.T)
        keys = [f"{len(flat) + position}" for position in range(len(fields))]
        flat.update(zip(keys, map(np.ascontiguousarray, fields), strict=True))
        as_text = column.dtype.kind == "U"  # of which DuckDB would make an ENUM
        listed = ", ".join(f"CAST({identifier(key)} AS VARCHAR)" if as_text else identifier(key) for key in keys)
        selected.append(f"{listed if column.ndim == 1 else f'[{listed}]'} AS {identifier(name)}")
    with reading(files[0].name):
        connection.register("arrays", flat)
        connection.execute(f"CREATE TABLE {into} AS SELECT {', '.join(selected)} FROM arrays")
        connection.unregister("arrays")
    return tuple(int(start) for start in np.cumsum([0, *lengths[:-1]]))


def _arrays(file: File, names: Sequence[str]) -> dict[str, Array]:
    with _opened(file) as archive:
        arrays = {name: archive.array(name, kinds=KINDS) for name in names}
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            held = f"shape {array.shape} and type {array.dtype}"
            raise InputError(f"{name} in {file.name} must be one row per case, of numbers or text; it has {held}.")
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise InputError(f"the arrays of {file.name} must have the same length; they have {sizes}.")
    return {name: _readable(array) for name, array in arrays.items()}


def _joined(parts: list[Array], name: str, files: Sequence[File]) -> Array:
    if len({part.shape[1:] for part in parts}) > 1 or len({part.dtype.kind in "US" for part in parts}) > 1:
        shapes = ", ".join(f"{file.name} {part.shape}" for file, part in zip(files, parts, strict=True))
        raise InputError(f"{name} must be alike in all files; it is {shapes}.")
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _readable(array: Array) -> Array:
    """The array in a type that DuckDB knows: native byte order, no half precision, no bytes; a date is a text."""
    if array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] not in CLOCK_UNITS:
        return np.where(np.isnat(array), "", np.datetime_as_string(array))
    if array.dtype.kind == "S":
        return array.astype(np.str_)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@contextmanager
def _opened(file: File) -> Iterator[Archive]:
    """The archive; what is wrong with it, or with an array read from it, is an InputError that names the file."""
    try:
        with open(file.path, "rb") as stream:
            yield Archive(stream)
    except ArchiveError as error:
        raise InputError(f"{file.name} cannot be read: {error}.") from error
    except OSError as error:
        raise InputError(f"{file.name} cannot be read: {error.strerror}.") from error
