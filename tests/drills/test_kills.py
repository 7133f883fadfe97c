"""Kills at any moment, in every command that writes: files are old or whole, and the next run works and tidies up."""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.drills.writings import APPENDED, GONE_ON_WITH, TYPED, make_place, run, start

pytestmark = pytest.mark.drill
MOMENTS = (0.3, 0.5, 0.7, 0.9, 0.97, 1.0)  # of the time that the whole takes
OLD = b"of yesterday"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("drill"))


def written(before: bytes, made: Path) -> bytes:
    """What a file holds once a command has ended that makes this of an empty one."""
    return before + made.read_bytes() if made.name == APPENDED else made.read_bytes()


@pytest.mark.parametrize("name", TYPED)
def test_a_kill(name: str, place: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copytree(place, tmp_path / "whole"))
    started = time.monotonic()
    assert run(name, whole).code == 0
    seconds = time.monotonic() - started
    outputs = TYPED[name][1].split()
    for moment in MOMENTS:
        folder = Path(shutil.copytree(place, tmp_path / f"{moment}"))
        replaced = [output for output in outputs if not output.endswith(GONE_ON_WITH)]
        for target in replaced:
            (folder / target).write_bytes(OLD)
        process = start(name, folder, shell='exec "$@"')
        time.sleep(moment * seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        killed = {target: (folder / target).read_bytes() for target in replaced}
        for target in replaced:
            assert killed[target] in (OLD, written(OLD, whole / target))
        again = run(name, folder)
        assert again.code == 0, again.err
        for target in replaced:
            assert (folder / target).read_bytes() == written(killed[target], whole / target)
        assert [path.name for path in folder.iterdir() if re.search(r"\.[0-9a-f]{8}$", path.name)] == []
        assert list((folder / "scratch").glob("howsure-*")) == [] or "predictions.csv" not in TYPED[name][0]


def test_a_state_is_the_old_or_the_new_one(place: Path, tmp_path: Path) -> None:
    """A monitor that is killed while it is updated, at forty moments: nothing is lost, and nothing counted twice."""
    name = "monitor update"
    whole = Path(shutil.copytree(place, tmp_path / "whole"))
    old = (whole / "watched.state").read_bytes()
    started = time.monotonic()
    assert run(name, whole).code == 0
    seconds = time.monotonic() - started
    new = (whole / "watched.state").read_bytes()
    contents = set()
    for k in range(40):
        folder = Path(shutil.copytree(place, tmp_path / f"{k}"))
        process = start(name, folder, shell='exec "$@"')
        time.sleep((0.6 + 0.5 * k / 40) * seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        content = (folder / "watched.state").read_bytes()
        assert content in (old, new)
        contents.add(content)
        assert run(name, folder).code == 0
        assert (folder / "watched.state").read_bytes() == new
    assert contents == {old, new}
