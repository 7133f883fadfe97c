"""A full disk, in every command that writes: one sentence, the old files as they were, nothing half-written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.drills.writings import GONE_ON_WITH, TYPED, make_place, run
from tests.lacking import require

pytestmark = pytest.mark.drill
OLD = b"of yesterday"
# On a file system of its own with so little room; the input is linked to.
TINY = """unshare --user --map-root-user --mount bash -c '
mount -t tmpfs -o size={size} tmpfs tiny && cd tiny && ln -s ../*.* . || exit 99
exec "$@"' bash "$@" """


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("drill"))


@pytest.mark.parametrize("kilobytes", [0, 4, 64, 512])
@pytest.mark.parametrize("name", TYPED)
def test_files_that_cannot_grow(name: str, kilobytes: int, place: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(place, tmp_path / "held"))
    outputs = [folder / output for output in TYPED[name][1].split()]
    replaced = [output for output in outputs if output.suffix not in GONE_ON_WITH]
    for output in replaced:
        output.write_bytes(OLD)
    expected_names = {output.name for output in [*folder.iterdir(), *outputs]} | {"scratch", "o", "o.duckdb.wal"}
    done = run(name, folder, shell=f'ulimit -f {kilobytes}; exec "$@"')
    assert "Traceback" not in done.err
    assert done.code in (0, 2), done.err
    assert {path.name for path in folder.iterdir()} <= expected_names
    assert list((folder / "scratch").iterdir()) == []
    assert [output.name for output in outputs if output.exists() and output.stat().st_size == 0] == []
    if done.code == 2:
        assert any(output.read_bytes() == OLD for output in replaced) or not replaced
        assert (
            any(output.name in done.err for output in outputs)
            or any(place in done.err for place in ("scratch", "o/"))
            or not outputs
        )
    again = run(name, folder)
    assert again.code == 0, again.err  # with room there


@pytest.mark.parametrize("size", ["32k", "200k", "1m"])
@pytest.mark.parametrize("name", TYPED)
def test_a_tiny_file_system(name: str, size: str, place: Path, tmp_path: Path) -> None:
    require("mount")
    folder = Path(shutil.copytree(place, tmp_path / "held"))
    (folder / "tiny").mkdir()
    done = run(name, folder, shell=TINY.format(size=size))
    assert "Traceback" not in done.err
    assert done.code in (0, 2), done.err
    assert done.code == 0 or "cannot be written" in done.err or "No space left" in done.err
