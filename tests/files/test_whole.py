"""Files that are replaced keep their permissions, and what is left half done is removed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from howsure.files.whole import write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_bytes(b"old")
    path.chmod(kept)
    write_whole(b"new", path)
    assert (path.read_bytes(), mode(path)) == (b"new", kept)
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    before = os.umask(0o027)
    try:
        write_whole(b"new", tmp_path / "masked")
    finally:
        os.umask(before)
    write_whole(b"new", tmp_path / "new")
    assert mode(tmp_path / "masked") == 0o640
    assert mode(tmp_path / "new") == mode(tmp_path / "plain")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_whole("no bytes", path)  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_file_and_folder_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First what the file holds, under its temporary name, then the names in the folder."""
    path, synced, sync = tmp_path / "x.html", [], os.fsync

    def watched(descriptor: int) -> None:
        synced.append((os.fstat(descriptor).st_ino, path.exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    write_whole(b"new", path)
    assert synced == [(path.stat().st_ino, False), (tmp_path.stat().st_ino, True)]
