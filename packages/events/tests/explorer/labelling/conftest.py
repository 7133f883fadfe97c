"""One labelling room for all tests that only answer in it, each with coders of its own, and no complaint at the end."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.events.made_up_store import copied
from tests.explorer.chromium import Browser
from tests.explorer.labelling.rooms import ServedRoom, make_census, make_room_store, serving_room


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with 30 documents to read; copy it before you write to it."""
    return make_room_store(tmp_path_factory.mktemp("drawn") / "drawn.duckdb")


@pytest.fixture
def room_store(drawn: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copied(drawn.read_bytes(), tmp_path / "room.duckdb")


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory, drawn: Path) -> Iterator[ServedRoom]:
    """A room to label in."""
    store = shutil.copy(drawn, tmp_path_factory.mktemp("room") / "room.duckdb")
    with serving_room(Path(store), "--overlap", "1") as served:
        yield served


@pytest.fixture(scope="session")
def census(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedRoom]:
    """A room in which all documents are to be read, hostile ones among them, with the model's answer."""
    with serving_room(
        make_census(tmp_path_factory.mktemp("census") / "census.duckdb"), "--assisted", "--overlap", "1"
    ) as served:
        yield served


@pytest.fixture
def quiet(browser: Browser) -> Iterator[None]:
    """Assert that the console has no errors."""
    browser.errors(), browser.asked()
    yield
    assert browser.errors() == []
    assert browser.run("return window.taken") is None
