"""Reading archives of arrays (.npz), whose declared sizes and types are checked before anything is unpacked."""

from __future__ import annotations

import io
import math
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.lazy_imports import require


def zstd() -> Any:
    """Return the module zstd, which is imported on first use."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        require("A file packed by zstd", "cli", "backports.zstd")
        from backports import zstd
    return zstd


# A few kilobytes can declare an array of 10¹² rows, or unpack to gigabytes. Sizes, types and shapes are therefore read
# first and must agree with each other, and the unpacked size is limited by the size of the archive. Nothing is
# unpickled or evaluated, and only the requested members are read.

Array = npt.NDArray[Any]
RATIO, MAX_UNPACKED = 100, 1 << 28  # a file may unpack to 100 times its size, and always to 256 MiB
MIN_TEXT = 1 << 24  # 16 MiB, to which a compressed text of any size may unpack
MAGIC = np.lib.format.MAGIC_PREFIX
HEADER_READERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
ZIP = b"PK"
PACKED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED  # the compression methods of numpy
ZSTD = 93  # a compression method that zipfile supports since Python 3.14
LOCAL_HEADER = struct.Struct("<4s22xHH")  # before each member: signature, lengths of its name and extra field
NUMBERS, TEXTS = "biuf", "US"
LAST_CODE_POINT, SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)
FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)


class ArchiveError(ValueError):
    """Error in an archive or an array; callers add the name of the file to the message."""


@contextmanager
def unpacking(name: str) -> Iterator[None]:
    """A context that converts an ArchiveError to an InputError with the name of the file."""
    try:
        yield
    except ArchiveError as error:
        raise InputError(f"{name} cannot be read: {error}.") from error


def max_unpacked_size(packed: int, *, text: bool = False) -> int:
    """Return the maximum unpacked size of a file of `packed` bytes; text: whether it is text, with a lower limit."""
    return max(RATIO * packed, MIN_TEXT if text else MAX_UNPACKED)


class Archive:
    """The members of a zip, unpacked on demand.

    >>> content = io.BytesIO()
    >>> np.savez(content, weights=np.array([0.5, 1.5]))
    >>> archive = Archive(content)
    >>> archive.arrays, archive.array("weights").tolist()
    (('weights',), [0.5, 1.5])

    repetitive: also allow zstd compression and members that unpack to a thousand times their size; if several members
    have the same name, the last one is used.

    Raises ArchiveError if the file is not a zip, contains two members with the same name, or uses bzip2 or LZMA, which
    Python unpacks without a limit.
    """

    def __init__(self, file: IO[bytes], *, repetitive: bool = False) -> None:
        size = file.seek(0, io.SEEK_END)
        self._file, self._left = file, max_unpacked_size(size) * (10 if repetitive else 1)
        try:
            self._zip = zipfile.ZipFile(file)
            self.members = tuple(dict.fromkeys(self._zip.namelist()) if repetitive else self._zip.namelist())
        except (*FAULTS, ValueError) as error:
            raise ArchiveError(f"it is not a complete archive ({error or 'it ends too early'})") from error
        self._known = frozenset(self.members)
        packed = (*PACKED, ZSTD) if repetitive else PACKED
        if any(member.compress_type not in packed for member in self._zip.infolist()):
            raise ArchiveError("its members are not compressed by deflate; save it again with numpy")
        if len(self._known) < len(self.members):
            raise ArchiveError("two of its members have the same name")

    @property
    def arrays(self) -> tuple[str, ...]:
        return tuple(name.removesuffix(".npy") for name in self.members if name.endswith(".npy"))

    def content(self, member: str) -> bytes:
        """Return the bytes of a member.

        Raises ArchiveError if the member is missing, damaged or too large.
        """
        size = self._take(member)
        try:
            if self._zip.getinfo(member).compress_type == ZSTD:
                return self._unpack_zstd(self._zip.getinfo(member))
            with self._zip.open(member) as stream:
                content = stream.read(size)  # never more than the declared size
                stream.read(1)  # reading beyond the end makes zipfile verify the checksum
                return content
        except (*FAULTS, ValueError) as error:
            raise _damaged(member, error) from error

    def array(self, name: str, *, kinds: str = NUMBERS) -> Array:
        """Read an array whose type is one of the `kinds`, in numpy's notation.

        Raises ArchiveError if the array is missing, and the errors of `read_array`.
        """
        member = f"{name}.npy"
        size = self._take(member)
        try:
            with self._zip.open(member) as stream:
                return read_array(stream, size, name=name, kinds=kinds)
        except ArchiveError:
            raise
        except (*FAULTS, ValueError) as error:
            raise _damaged(member, error) from error

    def _unpack_zstd(self, member: zipfile.ZipInfo) -> bytes:
        """Unpack a member compressed with zstd, at most to its declared size."""
        self._file.seek(member.header_offset)
        mark, name, extra = LOCAL_HEADER.unpack(self._file.read(LOCAL_HEADER.size))
        if mark != b"PK\x03\x04":
            raise zipfile.BadZipFile("a declared member is missing")
        self._file.seek(name + extra, io.SEEK_CUR)
        try:
            with zstd().open(io.BytesIO(self._file.read(member.compress_size))) as stream:
                content: bytes = stream.read(member.file_size + 1)
        except zstd().ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from error
        if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
            raise zipfile.BadZipFile("it does not match its checksum")
        return content

    def _take(self, member: str) -> int:
        """Return the unpacked size of a member, and subtract it from the number of bytes that may still be unpacked."""
        if member not in self._known:
            raise ArchiveError(f"it has no {member}")
        size = self._zip.getinfo(member).file_size
        self._left -= size
        if self._left < 0:
            raise ArchiveError(f"{member} unpacks to {size:,} bytes, far too many for the size of the file")
        return size


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """The header of an array: type, shape, order of the values (fortran), and the header's length in bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    length: int

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def read_array(stream: IO[bytes], size: int, *, name: str, kinds: str = NUMBERS) -> Array:
    """Read an array in numpy's format from a file of `size` bytes.

    Raises ArchiveError if the file is not such an array, its type is none of the `kinds`, its declared size differs
    from the size of the file, or strings contain invalid characters.
    """
    start = stream.tell()
    header = array_header(stream, size, name=name, kinds=kinds)
    stream.seek(start)
    try:
        array: Array = np.lib.format.read_array(stream)
    except ValueError as error:
        raise ArchiveError(f"{name} ends too early") from error
    stream.read(1)  # reading beyond the end of a zip member makes zipfile verify the checksum
    if header.dtype.kind == "U" and header.n_bytes:
        _check_characters(array, name)
    return array


def array_header(stream: IO[bytes], size: int, *, name: str, kinds: Collection[str] = NUMBERS) -> ArrayHeader:
    """Read the header of an array in numpy's format from a file of `size` bytes, up to the values.

    Raises the errors of `read_array` that do not depend on the values.
    """
    start = stream.tell()
    try:
        version = np.lib.format.read_magic(stream)
        shape, fortran, dtype = HEADER_READERS[version](stream)  # numpy limits the length of a header
    except (zipfile.BadZipFile, zlib.error):
        raise
    except Exception as error:  # a header is parsed as a Python literal, which fails in many ways
        raise ArchiveError(f"{name} is not an array of numpy, or is damaged") from error
    if dtype.hasobject:
        raise ArchiveError(
            f"{name} contains Python objects, which are never unpickled; save numbers or text (dtype str)"
        )
    if dtype.kind not in kinds:
        what = "columns of several types" if dtype.names else f"values of the type {dtype}"
        raise ArchiveError(f"{name} must contain {_kind_names(kinds)}; it contains {what}")
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ArchiveError(f"{name} is not an array of numpy: its shape is {shape}")
    header = ArrayHeader(dtype, shape, fortran, stream.tell() - start)
    if header.length + header.n_bytes != size or (header.dtype.itemsize == 0 and math.prod(header.shape) > 0):
        sizes = " x ".join(f"{n:,}" for n in header.shape)
        raise ArchiveError(
            f"{name} declares {sizes} values of {header.dtype.itemsize} bytes, and {size - header.length:,} bytes "
            "are stored"
        )
    return header


def _check_characters(array: Array, name: str) -> None:
    """Raise an error for invalid code points, which Python cannot print, save or compare."""
    codes = array.ravel(order="K").view(np.dtype("u4").newbyteorder(array.dtype.byteorder))
    low, high = SURROGATES
    if bool((codes > LAST_CODE_POINT).any()) or bool(((codes >= low) & (codes <= high)).any()):
        raise ArchiveError(f"{name} contains texts with invalid characters")


def _kind_names(kinds: Collection[str]) -> str:
    texts = any(kind in kinds for kind in TEXTS)
    return f"{'text' if texts and not set(kinds) & set(NUMBERS) else 'numbers or text' if texts else 'numbers'}"


def _damaged(member: str, error: Exception) -> ArchiveError:
    return ArchiveError(f"{member} is damaged ({str(error) or 'it ends too early'})")
