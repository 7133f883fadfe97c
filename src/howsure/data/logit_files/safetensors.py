"""The header of a .safetensors file: the type, shape and place of each of its tensors; nothing in it can be executed.

The format (https://github.com/huggingface/safetensors): 8 bytes, the length of the header; the header, JSON, by name
{"dtype", "shape", "data_offsets": [first, end]}; the values, little-endian, of one tensor after the other.
"""

from __future__ import annotations

import math
from typing import Any, BinaryIO

from howsure.data.logit_files.stored_array import BFLOAT16, StoredArray
from howsure.errors import InputError
from howsure.files.utf8 import parsed_json

TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": BFLOAT16, "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1",
}  # fmt: skip
BYTES = {name: 2 if type_ == BFLOAT16 else int(type_[-1]) for name, type_ in TYPES.items()}
LENGTH = 8  # bytes that tell how long the header is
LONGEST_HEADER = 1 << 20
ABOUT = "__metadata__"


def tensors_of(file: BinaryIO, size: int, path: str) -> dict[str, StoredArray]:
    """The tensors of a file of `size` bytes by name, those of types that numpy can read.

    Raises InputError if the header is none, or tells of more or other bytes than are there.
    """
    length = int.from_bytes(file.read(LENGTH), "little")
    if size < LENGTH or length > min(size - LENGTH, LONGEST_HEADER):
        raise _damaged(
            path, "its header is longer than the file" if length > size - LENGTH else "its header is too long"
        )
    try:
        told = parsed_json(file.read(length))
    except ValueError as error:
        raise _damaged(path, "its header is not JSON") from error
    if not isinstance(told, dict):
        raise _damaged(path, "its header names no tensors")
    start, held = LENGTH + length, size - LENGTH - length
    return {
        name: StoredArray(path, name, TYPES[one["dtype"]], tuple(one["shape"]), start + one["data_offsets"][0])
        for name, one in told.items()
        if name != ABOUT and _is_readable(one, name, held, path)
    }


def _is_readable(one: Any, name: str, held: int, path: str) -> bool:
    """Whether a tensor has a known type; its shape must agree with its place, and its place lie in the file."""
    try:
        kind, shape, (first, end) = one["dtype"], one["shape"], one["data_offsets"]
        whole, kind = [*shape, first, end], str(kind)
    except (TypeError, KeyError, ValueError) as error:
        raise _damaged(path, f"its header does not say where the tensor {name!r} lies") from error
    if not all(type(number) is int and 0 <= number < 1 << 62 for number in whole) or not isinstance(shape, list):
        raise _damaged(path, f"the tensor {name!r} has a shape or place that is none")
    if kind not in TYPES:
        return False
    needed = math.prod(shape) * BYTES[kind]
    if not first <= end <= held or needed != end - first:
        shown = " x ".join(f"{number:,}" for number in shape)
        place = f"its place is {first:,} to {end:,} of {held:,}"
        raise _damaged(path, f"the tensor {name!r} of {shown} {kind} needs {needed:,} bytes; {place}")
    return True


def _damaged(path: str, why: str) -> InputError:
    return InputError(f"{path} cannot be read: {why}. Is it damaged or truncated?")
