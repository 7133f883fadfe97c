"""Files that are replaced keep their permissions, and what is left half done is removed."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import InputError
from howsure.files.atomic_write import (
    append,
    appending,
    check_place,
    checksummed_line,
    line_number,
    read_records,
    write_atomically,
)
from howsure.files.input_files import OWNER, PREFIX, Scratch, check_each_once, identity, remove_abandoned


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_bytes(b"old")
    path.chmod(kept)
    write_atomically(b"new", path)
    assert (path.read_bytes(), mode(path)) == (b"new", kept)
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    before = os.umask(0o027)
    try:
        write_atomically(b"new", tmp_path / "masked")
    finally:
        os.umask(before)
    write_atomically(b"new", tmp_path / "new")
    assert mode(tmp_path / "masked") == 0o640
    assert mode(tmp_path / "new") == mode(tmp_path / "plain")


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.html"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_atomically("no bytes", path)  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_file_and_folder_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First what the file holds, under its temporary name, then the names in the folder."""
    path, synced, sync = tmp_path / "x.html", [], os.fsync

    def watched(descriptor: int) -> None:
        synced.append((os.fstat(descriptor).st_ino, path.exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    write_atomically(b"new", path)
    assert synced == [(path.stat().st_ino, False), (tmp_path.stat().st_ino, True)]


# A journal: what was written comes back, an incomplete end is left out, damage is refused.


RECORDS = st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)), max_size=5)


@given(RECORDS, st.integers(0, 30))
def test_what_was_written_comes_back_up_to_where_it_was_cut(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    lines = [checksummed_line(record) for record in records]
    whole = b"".join(lines)
    path.write_bytes(whole[: max(len(whole) - cut, 0)])
    recovered = [record for record, _ in read_records(path, 0, what="a journal")]
    ends = [sum(map(len, lines[: k + 1])) for k in range(len(lines))]
    assert recovered == records[: sum(end <= len(whole) - cut for end in ends)]


def test_damage_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    lines = [checksummed_line({"a": k}) for k in range(3)]
    path.write_bytes(lines[0] + lines[1].replace(b"1}", b"7}") + lines[2])
    with pytest.raises(InputError, match="line 2 is damaged"):
        list(read_records(path, 0, what="a journal"))
    assert line_number(path, len(lines[0])) == 2
    path.write_bytes(b"something else\n")
    with pytest.raises(InputError, match="is not a journal: it begins with"):
        list(read_records(path, 0, what="a journal"))
    assert list(read_records(tmp_path / "none", 0, what="a journal")) == []


# Scratch folders: no process leaves one for good, and none loses one that it still needs.


LIVING = """
import sys
from howsure.files.input_files import Scratch
held = Scratch(sys.argv[1])
print(held.folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def living(tmp_path: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Two other processes that hold a folder each."""
    command = [sys.executable, "-c", LIVING, str(tmp_path)]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def folder_of(process: subprocess.Popen[str]) -> Path:
    return Path(process.stdout.readline().strip())


def test_a_folder_goes_with_its_holder(tmp_path: Path) -> None:
    with Scratch(tmp_path) as scratch:
        (scratch.folder / "input").write_text("x")
        assert scratch.folder.stat().st_mode & 0o777 == 0o700
    assert not scratch.folder.exists()
    folder = Scratch(tmp_path).folder  # which nobody holds
    assert not folder.exists()


def test_what_a_killed_process_leaves_goes_with_the_next(tmp_path: Path, living: list[subprocess.Popen[str]]) -> None:
    killed, lives = map(folder_of, living)
    living[0].send_signal(signal.SIGKILL)
    living[0].wait()
    assert killed.exists()
    with Scratch(tmp_path) as scratch:
        assert not killed.exists()
        assert lives.exists()
        remove_abandoned(tmp_path)
        assert scratch.folder.exists()  # of this process
        assert lives.exists()


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    elsewhere = Path(tempfile.mkdtemp(dir=tmp_path))
    (elsewhere / OWNER).touch()
    strange = tmp_path / f"{PREFIX}strange"
    strange.mkdir()
    (strange / "owner").touch()  # a folder of results, say
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    linked = tmp_path / f"{PREFIX}linked"
    linked.mkdir()
    (linked / OWNER).symlink_to(elsewhere / OWNER)
    before = sorted(tmp_path.rglob("*"))
    Scratch(tmp_path).close()
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / f"{PREFIX}theirs"
    theirs.mkdir()
    (theirs / OWNER).touch()
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
        remove_abandoned(tmp_path)
    assert theirs.exists()
    remove_abandoned(tmp_path)
    assert not theirs.exists()


# A file is one file under all its names, links and as standard input.


@pytest.fixture
def names(tmp_path: Path) -> list[Path]:
    """A file, a symbolic and a hard link to it, and another path to it."""
    path = tmp_path / "one.csv"
    path.write_text("a\n1\n")
    (tmp_path / "soft.csv").symlink_to(path)
    (tmp_path / "hard.csv").hardlink_to(path)
    (tmp_path / "folder").mkdir()
    return [path, tmp_path / "soft.csv", tmp_path / "hard.csv", tmp_path / "folder" / ".." / "one.csv"]


def test_every_name_of_a_file_is_the_same_file(names: list[Path]) -> None:
    assert len({identity(name) for name in names}) == 1
    for name in names[1:]:
        with pytest.raises(InputError, match=r"is named twice, also as .*one\.csv; its rows would be counted twice"):
            check_each_once([names[0], name])


def test_files_of_equal_content_are_two(names: list[Path], tmp_path: Path) -> None:
    (tmp_path / "copy.csv").write_text("a\n1\n")
    check_each_once([names[0], tmp_path / "copy.csv", tmp_path / "none.csv"])


def test_a_file_and_standard_input_that_is_this_file(names: list[Path]) -> None:
    before = os.dup(0)
    with open(names[0], "rb") as file:
        try:
            os.dup2(file.fileno(), 0)
            with pytest.raises(InputError, match="is named twice, also as -"):
                check_each_once(["-", names[0]])
            with pytest.raises(InputError, match="/dev/stdin is named twice, also as -"):
                check_each_once(["-", "/dev/stdin"])
        finally:
            os.dup2(before, 0)
            os.close(before)


# Temporary files: those of a killed process are removed by the next writer, those of a living one stay.


WRITER = """
import sys
from pathlib import Path
from howsure.files.atomic_write import write_by

def write(file):
    file.write(b"of another process")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()

write_by(Path(sys.argv[1]), write)
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, in the middle of writing a file."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "s.json")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    yield process
    process.kill()
    process.communicate()


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    (left,) = tmp_path.iterdir()
    assert left.read_bytes() == b"of another process"
    others = [tmp_path / name for name in (".t.json.0123abcd", ".s.json.0123abcd.txt", "s.json.0123abcd")]
    for path in others:
        path.touch()
    write_atomically(b"new", tmp_path / "s.json")
    assert set(tmp_path.iterdir()) == {tmp_path / "s.json", *others}


def test_a_writer_leaves_the_file_of_another_alone(tmp_path: Path, writer: subprocess.Popen[str]) -> None:
    write_atomically(b"new", tmp_path / "s.json")
    assert len(list(tmp_path.iterdir())) == 2
    writer.communicate()
    assert writer.returncode == 0
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"of another process"]


def test_many_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    contents = [bytes([65 + k]) * 1000 for k in range(8)]

    def write(content: bytes) -> None:
        for _ in range(20):
            write_atomically(content, tmp_path / "s.json")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, contents))
    (path,) = tmp_path.iterdir()
    assert path.read_bytes() in contents


# Files to which lines are added.


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """This process may write files of at most this many bytes, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("before", [None, b"line 1\n"])
def test_a_file_to_which_a_line_could_not_be_added_is_as_it_was(before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    if before is not None:
        path.write_bytes(before)
    start = len(before or b"")
    with largest_file(start + 3), pytest.raises(OSError, match="File too large") as error, appending(path) as file:
        append(file, b"line 2\n", start=start)
    assert error.value.filename == str(path)
    assert (path.read_bytes() if path.exists() else None) == before
    with appending(path) as file:
        append(file, b"line 2\n", start=start)
    assert path.read_bytes() == (before or b"") + b"line 2\n"


def test_a_new_file_that_stays_empty_is_removed(tmp_path: Path) -> None:
    with pytest.raises(InputError), appending(tmp_path / "new"):
        raise InputError("no line to add")
    (tmp_path / "empty").touch()
    with pytest.raises(InputError), appending(tmp_path / "empty"):
        raise InputError("no line to add")
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_a_name_that_ends_like_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"new/: it is a folder\. Name a file\."):
        check_place(f"{tmp_path}/new/")
