"""A text file as a whole: plain, gzip or zstd, UTF-8 with or without a byte order mark; lines of it that are wrong."""

from __future__ import annotations

import os
from dataclasses import dataclass

from howsure.errors import InputError
from howsure.files.compression import compression_of, unpacked
from howsure.files.opened import opened
from howsure.files.standard_input import STANDARD_INPUT, standard_input

MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # marks of a text that has zero bytes too
BEGINNING = 8_192  # bytes in which a file that is no text shows a zero byte


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, its lines ended by "\\n", and what the user calls the file."""

    name: str
    content: str

    @property
    def stem(self) -> str:
        """The file's name without folder and suffixes, as a name for the one document in it."""
        return os.path.basename(self.name).partition(".")[0] or self.name

    def fault(self, line: int, what: str) -> InputError:
        """The error for a line (from 1): what is wrong with it and what to do."""
        return InputError(f"line {line:,} of {self.name}: {what}")


def read_text(path: str | os.PathLike[str]) -> Text:
    """The text of a file, or of standard input where `path` is "-".

    Raises InputError if there is no such file, or it is empty, damaged or not in UTF-8.
    """
    given = os.fspath(path)
    name = "standard input" if given == STANDARD_INPUT else given
    raw = _unpacked(_bytes(given), name).removeprefix(MARK)
    try:
        content = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _undecodable(raw, name, error.start) from None
    if not content.strip():
        raise InputError(f"{name} is empty.")
    return Text(name, content.replace("\r\n", "\n") if "\r" in content else content)


def _undecodable(raw: bytes, name: str, at: int) -> InputError:
    """The error for bytes that are not UTF-8 from `at` on: no text at all, or text in another encoding."""
    if b"\0" in raw[:BEGINNING] and not raw.startswith(UTF_16):
        advice = "; it is an .npz file. If it is a model, name it before the text" if b".npy" in raw[:100] else ""
        return InputError(f"{name} is not a text file{advice}.")
    line = raw.count(b"\n", 0, at) + 1
    where = f"byte {at + 1:,} is 0x{raw[at]:02x}"
    return InputError(f"line {line:,} of {name} is not UTF-8 text ({where}). Convert the file to UTF-8.")


def _bytes(path: str) -> bytes:
    if path == STANDARD_INPUT:
        return standard_input().read()
    with opened(path) as file:
        return file.read()


def _unpacked(raw: bytes, name: str) -> bytes:
    compression = compression_of(raw[:4])
    return raw if compression == "none" else unpacked(raw, compression, name)
