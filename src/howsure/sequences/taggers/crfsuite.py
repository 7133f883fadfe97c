"""The model files of crfsuite (and python-crfsuite and sklearn-crfsuite): the weights in full precision.

A file is a header, a chunk of features and two string tables, of labels and of attributes, little-endian throughout. A
feature is a state (attribute, label) or a transition (label, next label) with its weight. A string table ends with the
positions of its strings in numerical order.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from howsure.errors import InputError
from howsure.files.archive import most_unpacked
from howsure.files.opened import opened
from howsure.files.utf8 import undecodable
from howsure.files.whole import Place
from howsure.inputs.pairs import Floats

HEADER = struct.Struct("<4sI4sIIIIIIIII")
CHUNK = struct.Struct("<4sII")
TABLE = struct.Struct("<4sIIIII")
RECORD = struct.Struct("<II")
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, TRANSITION = 0, 1


def read_crfsuite(path: Place) -> CrfsuiteModel:
    """Read a model file of crfsuite.

    Raises InputError if there is no such file or it contains no such model.
    """
    with opened(path) as file:
        content = file.read()
    try:
        return CrfsuiteModel.parse(content)
    except ValueError as error:
        raise InputError(f"{path} cannot be read as a model of crfsuite: {error}.") from error


@dataclass(frozen=True, slots=True)
class CrfsuiteModel:
    """labels and attributes by number; weights (attributes, labels); transitions (labels, labels)."""

    labels: tuple[str, ...]
    attributes: tuple[str, ...]
    weights: csr_array
    transitions: Floats

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a model.

        Raises ValueError that says what is wrong with the data.
        """
        try:
            return cls._parse(data)
        except struct.error as error:
            raise ValueError("it ends too early") from error
        except UnicodeDecodeError as error:
            raise ValueError(f"a label or an attribute cannot be read: {undecodable(error)}") from error

    @classmethod
    def _parse(cls, data: bytes) -> Self:
        magic, size, family, _, _, n_labels, n_attributes, features, labels, attributes, _, _ = HEADER.unpack_from(data)
        if magic != b"lCRF" or family != b"FOMC":
            raise ValueError("it is no linear-chain model of crfsuite")
        if size != len(data):
            raise ValueError(f"it should have {size:,} bytes, and has {len(data):,}")
        names = _strings(data, labels, n_labels), _strings(data, attributes, n_attributes)
        if n_labels**2 * 8 > most_unpacked(len(data)):
            raise ValueError(f"it names {n_labels:,} labels, far too many for its size")
        found = _features(data, features)
        states, transitions = found[found["kind"] == STATE], found[found["kind"] == TRANSITION]
        if len(states) + len(transitions) < len(found) or not np.isfinite(found["weight"]).all():
            raise ValueError("a feature is neither state nor transition, or its weight is not finite")
        _check_numbers(states["source"], n_attributes)
        _check_numbers(transitions["source"], n_labels)
        _check_numbers(found["target"], n_labels)
        matrix = np.zeros((n_labels, n_labels))
        matrix[transitions["source"], transitions["target"]] = transitions["weight"]
        places = states["source"].astype(np.int64), states["target"].astype(np.int64)
        weights = csr_array((states["weight"].astype(np.float64), places), (n_attributes, n_labels))
        return cls(*names, weights, matrix)


def _features(data: bytes, start: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    magic, _, number = CHUNK.unpack_from(data, start)
    start += CHUNK.size
    if magic != b"FEAT" or start + number * FEATURE.itemsize > len(data):
        raise ValueError("its features are not where they should be")
    return np.frombuffer(data, FEATURE, number, start)


def _strings(data: bytes, start: int, number: int) -> tuple[str, ...]:
    magic, _, _, _, held, places = TABLE.unpack_from(data, start)
    if magic != b"CQDB" or held < number:
        raise ValueError("a table of its labels or attributes is not where it should be")
    offsets = struct.unpack_from(f"<{number}I", data, start + places)
    return tuple(_string(data, start + offset, i) for i, offset in enumerate(offsets))


def _string(data: bytes, start: int, number: int) -> str:
    held, length = RECORD.unpack_from(data, start)
    start += RECORD.size
    text = data[start : start + length]
    if held != number or len(text) < length or not text.endswith(b"\0"):
        raise ValueError("a label or an attribute is not where it should be")
    return text[:-1].decode()


def _check_numbers(numbers: np.ndarray[tuple[int], np.dtype[np.uint32]], limit: int) -> None:
    if len(numbers) and int(numbers.max()) >= limit:
        raise ValueError("a feature has a label or an attribute that the model does not name")
