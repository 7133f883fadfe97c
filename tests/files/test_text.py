"""Text files as a whole: packed or not, with or without a byte order mark; what is no text is named."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from howsure.errors import InputError
from howsure.files.opened import read_text


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_same_text_from_every_kind_of_file(tmp_path: Path, mark: bytes, packed: bool, end: bytes) -> None:
    raw = mark + end.join(["Zürich".encode(), b"b\tc", b""])
    path = tmp_path / "words.en.txt.gz"
    path.write_bytes(gzip.compress(raw, mtime=0) if packed else raw)
    text = read_text(path)
    assert (text.content, text.stem) == ("Zürich\nb\tc\n", "words")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a\tb\n")))
    text = read_text("-")
    assert (text.name, text.content) == ("standard input", "a\tb\n")
    assert str(text.fault(1_200, "why.")) == "line 1,200 of standard input: why."


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"one\ncaf\xe9\n", r"line 2 of .*words.txt is not UTF-8 text \(byte 8 is 0xe9\). Convert"),
        ("größer".encode("utf-16"), r"line 1 of .*words.txt is not UTF-8 text"),
        (b"DUCK\xf1\0\0", "words.txt is not a text file.$"),
        (b"PK\x03\x04\0\0\xf1weights.npy", "not a text file; it is an .npz file. If it is a model, name it before"),
        (gzip.compress(b"one\n" * 100, mtime=0)[:-9], "cannot be unpacked: .* Is it damaged or truncated"),
        (gzip.compress(bytes(range(256)) * 20, mtime=0)[:30] + b"\xff" * 9, "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfdx", "cannot be unpacked"),
    ],
)
def test_what_is_no_text(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=message):
        read_text(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("a")
    with pytest.raises(InputError, match=r"no file .*wrds.txt. Did you mean .*words.txt\?"):
        read_text(tmp_path / "wrds.txt")
    with pytest.raises(InputError, match="is a directory; name a file"):
        read_text(tmp_path)
