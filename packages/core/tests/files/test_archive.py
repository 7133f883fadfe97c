"""Archives of arrays: what numpy writes is read; what lies about sizes, shapes or types is refused, not unpacked."""

from __future__ import annotations

import contextlib
import io
import struct
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from howsure.files import archive
from howsure.files.archive import MAX_UNPACKED, NUMBERS, TEXTS, Archive, ArchiveError, read_array

ANY = NUMBERS + TEXTS + "M"


def saved(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def array_in(content: bytes, kinds: str = ANY) -> Any:
    return read_array(io.BytesIO(content), len(content), name="x", kinds=kinds)


def with_header(header: str, data: bytes = b"", *, version: int = 1) -> bytes:
    text = header.encode("latin-1")
    width = "<H" if version == 1 else "<I"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(text)) + text + data


def declared(dtype: str, n: int, data: bytes = b"") -> bytes:
    return with_header(f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': ({n},)}}", data)


def zipped(compression: int = zipfile.ZIP_DEFLATED, **members: bytes) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as written:
        for name, data in members.items():
            written.writestr(name.replace("__", "."), data)
    return out


@given(
    st.sampled_from(["?", "<i4", ">i8", "<u2", "<f4", ">f8", "<U3", "|S2", "<M8[D]"]).flatmap(
        lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    ),
    st.booleans(),
)
def test_what_numpy_saves_is_read_back(array: Any, fortran: bool) -> None:
    if array.dtype.kind == "U" and any("\ud800" <= c <= "\udfff" for text in array.ravel() for c in text):
        return
    array = np.asfortranarray(array) if fortran else array
    reread = array_in(saved(array))
    assert (reread.dtype, reread.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(reread, array)


def test_members_are_unpacked_only_on_request_and_never_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_UNPACKED == 1 << 28
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1 << 24)
    bomb = zipped(x__npy=saved(np.zeros((1 << 22) + 1)), y__npy=saved(np.arange(3)))
    assert len(bomb.getvalue()) < 1 << 17
    tracemalloc.start()
    packed = Archive(bomb)
    assert packed.arrays == ("x", "y")
    assert packed.array("y").tolist() == [0, 1, 2]
    with pytest.raises(ArchiveError, match=r"x\.npy unpacks to 33,\d{3},\d{3} bytes, far too many"):
        packed.array("x")
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()


def lying(compression: int, content: bytes, name: str, *, more: int) -> io.BytesIO:
    """An archive whose directory declares only the first part of a member, and which unpacks to many MiB `more`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as written:
        with written.open(name, "w") as member:
            member.write(content)
            for _ in range(more):
                member.write(bytes(1 << 20))
        written.filelist[0].file_size = len(content)
    return out


@pytest.mark.long
def test_a_member_that_is_larger_than_it_declares_is_not_unpacked() -> None:
    for name, content in (("model.json", b"{}"), ("empty.json", b""), ("x.npy", saved(np.zeros(1 << 17)))):
        bomb = lying(zipfile.ZIP_DEFLATED, content, name, more=32)
        tracemalloc.start()
        with pytest.raises(ArchiveError, match=rf"{name} is damaged \(Bad CRC-32"):
            Archive(bomb).array("x") if name == "x.npy" else Archive(bomb).content(name)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
        tracemalloc.stop()


def test_members_that_are_large_together_are_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1 << 22)
    half = saved(np.zeros((1 << 18) + 1))
    both = Archive(zipped(x__npy=half, y__npy=half))
    both.content("x.npy")
    with pytest.raises(ArchiveError, match="far too many"):
        both.content("y.npy")


@pytest.mark.parametrize("place", range(0, 200, 3))
def test_a_damaged_archive_is_refused_or_gives_the_array(place: int) -> None:
    whole = zipped(x__npy=saved(np.arange(5)))
    content = bytearray(whole.getvalue())
    content[place % len(content)] ^= 0x41
    for damaged in (bytes(content), whole.getvalue()[: -1 - place]):
        with contextlib.suppress(ArchiveError):
            assert Archive(io.BytesIO(damaged)).array("x").tolist() == [0, 1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_and_one_that_lacks() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:
        written.writestr("x.npy", saved(np.arange(3)))
        written.writestr("x.npy", saved(np.arange(4)))
    with pytest.raises(ArchiveError, match="two of its members have the same name"):
        Archive(out)
    with pytest.raises(ArchiveError, match=r"it has no y\.npy"):
        Archive(zipped(x__npy=saved(np.arange(3)))).array("y")


class Counted(str):
    """A name that counts how often it is compared with another."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_a_member_is_found_without_a_look_at_all_others() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for number in range(2_000):
            packed.writestr(f"{number}.json", b"{}")
    archive = Archive(content)
    Counted.compared = 0
    assert archive.content(Counted("1999.json")) == b"{}"
    assert 0 < Counted.compared < 10
