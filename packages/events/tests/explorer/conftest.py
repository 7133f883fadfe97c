"""A hostile store, its page served by the command itself, and the same page as one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.explorer.chromium import Browser
from tests.explorer.hostile_store import make_hostile_store
from tests.explorer.serving import ServedPage, serving

from howsure_cli.report.pages import write_report
from howsure_events.explorer import events_report
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="session")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_hostile_store(tmp_path_factory.mktemp("events") / "hostile.duckdb")


@pytest.fixture(scope="session")
def store(store_path: Path) -> Iterator[EventStore]:
    with EventStore.open(store_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def page(store_path: Path) -> Iterator[ServedPage]:
    """The hostile store's page, served."""
    with serving(store_path) as served_page:
        yield served_page


@pytest.fixture(scope="session")
def served(page: ServedPage, browser: Browser) -> str:
    """The address of that page without its token, in a browser that was let in."""
    browser.open(page.address)
    return page.home


@pytest.fixture(scope="session")
def report(store: EventStore, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page as a file."""
    path = tmp_path_factory.mktemp("report") / "events.html"
    write_report(events_report(store, samples=5), path)
    return path.as_uri()


@pytest.fixture(scope="session")
def small(store: EventStore, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same with little in it, which is soon made."""
    path = tmp_path_factory.mktemp("small") / "events.html"
    write_report(events_report(store, period=["year"], documents=3, samples=1), path)
    return path.as_uri()


@pytest.fixture(params=[pytest.param("served", marks=pytest.mark.long), "report"])
def address(request: pytest.FixtureRequest) -> str:
    """The page served, and the page as a file: both must do everything."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def undisturbed(browser: Browser, address: str) -> Iterator[None]:
    """Whatever a test does, nothing is complained of in the console, and nobody but the page's own server is asked."""
    browser.errors(), browser.asked()
    yield
    assert browser.errors() == []
    allowed = ("about:blank", "data:", "blob:", address)
    assert [url for url in browser.asked() if not url.startswith(allowed)] == []
    assert browser.run("return window.taken") is None
