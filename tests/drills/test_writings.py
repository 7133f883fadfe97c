"""Each command of the drills works where nothing goes wrong, and writes all its files. The goldens run every command
daily."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.cli.running import howsure

from tests.drills.writings import TYPED, make_place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_place(tmp_path_factory.mktemp("drill"))


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPED)
def test_a_drilled_command_works(name: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(shutil.copytree(place, tmp_path / "place"))
    monkeypatch.chdir(folder)
    done = howsure(*name.split(), *TYPED[name][0].split())
    assert done.code == 0, done.err
    assert [path for path in TYPED[name][1].split() if not os.path.getsize(path)] == []
