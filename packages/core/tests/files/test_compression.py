"""Packed files are whole or refused: every damaged byte, every cut, and what unpacks to far too much."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.data.files import write_bytes

import howsure
from howsure.data.documents.read_documents import read_documents
from howsure.errors import InputError
from howsure.files import archive
from howsure.files.archive import zstd as module_of_zstd
from howsure.files.input_files import check_packed, is_version, parsed_json, read_text, unpacked

RNG = np.random.default_rng(0)
TABLE = "y,q\n" + "".join(f"{y},{q:.4f}\n" for y, q in zip(RNG.integers(0, 2, 3000), RNG.random(3000), strict=True))
SUFFIXES = {"gzip": ".csv.gz", "zstd": ".csv.zst"}


def packed(kind: str, folder: Path) -> bytes:
    path = write_bytes(folder / f"whole{SUFFIXES[kind]}", TABLE.encode())
    return path.read_bytes()


def mean_of(path: Path) -> float:
    with howsure.read(path).predictions("y", "q") as predictions:
        return float(predictions.pairs().probabilities.mean())


@pytest.mark.parametrize("place", [-8, -6, -4, -1])
def test_a_gz_whose_checksum_or_length_is_wrong_is_refused(place: int, tmp_path: Path) -> None:
    content = bytearray(packed("gzip", tmp_path))
    content[place] ^= 1
    path = tmp_path / "damaged.csv.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged\.csv\.gz cannot be unpacked: .*Is it damaged or truncated\?"):
        mean_of(path)


@pytest.mark.parametrize("kind", list(SUFFIXES))
def test_any_damaged_byte_of_a_gz_or_of_a_zst_with_checksum(kind: str, tmp_path: Path) -> None:
    """Wherever a bit flips: refused, or, in bytes that mean nothing (a date, a name), read as before."""
    text = TABLE[:2000].encode()
    if kind == "zstd":
        zstd = module_of_zstd()
        content = zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1})
    else:
        content = gzip.compress(text)
    path = tmp_path / "x"
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with contextlib.suppress(InputError):
            check_packed(str(path), kind, "x")
            assert unpacked(bytes(damaged), kind, "x") == text


@pytest.mark.parametrize("kind", list(SUFFIXES))
def test_members_one_after_another_are_one_file(kind: str, tmp_path: Path) -> None:
    first_member = packed(kind, tmp_path)
    rows = TABLE.split("\n", 1)[1]
    more = write_bytes(tmp_path / f"more{SUFFIXES[kind]}", rows.encode()).read_bytes()
    path = tmp_path / f"both{SUFFIXES[kind]}"
    path.write_bytes(first_member + more)
    with howsure.read(path).predictions("y", "q") as predictions:
        assert predictions.n == 6000


def test_a_little_file_that_unpacks_to_far_too_much_is_refused(tmp_path: Path) -> None:
    assert (archive.max_unpacked_size(1 << 18), archive.max_unpacked_size(1 << 15, text=True)) == (1 << 28, 1 << 24)
    piece = gzip.compress(b"\0" * (1 << 20))
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(piece * 17)
    for reader in (mean_of, read_text, read_documents):
        with pytest.raises(InputError, match=r"unpacks to more than 16,777,216\. Is it"):
            reader(bomb)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_texts_are_read_from_either_compression(suffix: str, tmp_path: Path) -> None:
    path = write_bytes(tmp_path / f"x.tsv{suffix}", b"Birds\tN\nsing\tV\n")
    assert read_documents(path)[0].sentences[0].words == ("Birds", "sing")


# Text files as a whole: packed or not, with or without a byte order mark; other content is refused by name.


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_same_text_from_every_kind_of_file(tmp_path: Path, mark: bytes, packed: bool, end: bytes) -> None:
    raw = mark + end.join(["Zürich".encode(), b"b\tc", b""])
    path = tmp_path / "words.en.txt.gz"
    path.write_bytes(gzip.compress(raw, mtime=0) if packed else raw)
    text = read_text(path)
    assert (text.content, text.stem) == ("Zürich\nb\tc\n", "words.en")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a\tb\n")))
    text = read_text("-")
    assert (text.name, text.content) == ("standard input", "a\tb\n")
    assert str(text.fault(1_200, "why.")) == "line 1,200 of standard input: why."


# JSON that is read strictly: UTF-8, whole characters, and where asked for a name once and finite numbers.


def test_what_is_json() -> None:
    assert parsed_json('{"Łódź": "\\ud83d\\ude00"}'.encode()) == {"Łódź": "😀"}
    assert parsed_json('{"a": 1, "a": 2}') == {"a": 2}


def test_true_is_not_a_version() -> None:
    assert is_version(1, 1, 2)
    assert not any(is_version(value, 1, 2) for value in (True, 1.0, "1", None, 3))
