"""The bundled news from its parses to the page, and pictures of it: with HOWSURE_DRAW=1 they become docs/images."""

from __future__ import annotations

import io
import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image
from tests.cli.running import howsure
from tests.explorer.chromium import Browser
from tests.explorer.labelling.rooms import enter, serving_room

from howsure_events.labels.answers import reading_order, record_answer
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore
from tests.source import ROOT

IMAGES = ROOT / "docs" / "images"
DEMO = files("howsure_cli").joinpath("demo")
COLOURS = 64
WINDOW = (1000, 800)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled news as a store."""
    path = tmp_path_factory.mktemp("news") / "news.duckdb"
    corpus = ["--date", "date", "--title", "title", "--lexicon", DEMO / "actors.tsv", "--store", path, "--workers", 1]
    assert howsure("events", "extract", DEMO / "news.conllu", *corpus).code == 0
    return path


@pytest.fixture(scope="module")
def news(store: Path) -> str:
    """The address of the bundled news as a report."""
    page = store.with_suffix(".html")
    done = howsure("events", "report", store, page)
    assert (done.code, done.err) == (0, "")
    return page.as_uri()


@pytest.fixture(scope="module")
def read_news(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the bundled news as a report, with the labels of their authors."""
    folder = tmp_path_factory.mktemp("read")
    store, page = folder / "news.duckdb", folder / "news.html"
    corpus = ["--date", "date", "--title", "title", "--lexicon", DEMO / "actors.tsv", "--store", store, "--workers", 1]
    assert howsure("events", "extract", DEMO / "news.conllu", *corpus).code == 0
    assert howsure("events", "label", store, "--labels", 24, "--draw-only").code == 0
    assert howsure("events", "labels", "import", store, DEMO / "labels.csv").code == 0
    done = howsure("events", "report", store, page, "--period", "quarter")
    assert (done.code, done.err) == (0, "")
    return page.as_uri()


def picture(browser: Browser, folder: Path, name: str, selector: str | None = None) -> None:
    """What is seen, from an element down, in few colours; it must show something, and be small."""
    if selector is not None:
        browser.run("document.querySelector(arguments[0]).scrollIntoView({behavior: 'instant'})", selector)
    image = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    target = (IMAGES if os.environ.get("HOWSURE_DRAW") else folder) / f"{name}.png"
    image.quantize(COLOURS).save(target, optimize=True)
    most = max(n for n, _ in image.getcolors(2**24) or [])
    assert most < 0.97 * image.width * image.height, "a picture of nothing"
    assert target.stat().st_size < 60_000


@pytest.mark.long
def test_pictures_of_the_page(browser: Browser, news: str, tmp_path: Path) -> None:
    browser.open(f"{news}#period=month")
    picture(browser, tmp_path, "events-series")
    browser.click('.place[data-actor="SUDORIA"][data-period="2001-09"]')
    browser.says("#point h2", "Sudoria, September 2001")
    picture(browser, tmp_path, "events-documents", "#point")
    browser.open(f"{news}#period=month&document=5&sample=best")
    browser.click("#another-sample")
    browser.says("#clustering", "Sample 1 of 100")
    picture(browser, tmp_path, "events-document", "#document")
    browser.open(f"{news}#period=quarter&first=SUDORIA&second=NORLAND")
    browser.one("#comparison .place")
    picture(browser, tmp_path, "events-comparison", "#comparison")
    browser.open(f"{news}#doubtful=")
    browser.one("#doubtful table")
    picture(browser, tmp_path, "events-doubtful", "#doubtful")
    assert browser.errors() == []


@pytest.mark.long
def test_a_picture_of_corrected_counts(browser: Browser, read_news: str, tmp_path: Path) -> None:
    browser.open(f"{read_news}#period=quarter")
    browser.says("#corrections", "with 20 labelled documents")
    picture(browser, tmp_path, "events-page-corrected", "#series")
    assert browser.errors() == []


@pytest.mark.long
def test_pictures_in_the_dark_and_on_a_phone(browser: Browser, news: str, tmp_path: Path) -> None:
    try:
        browser.prefer("dark")
        browser.open(f"{news}#period=month&document=5&sample=0")
        browser.one("#text")
        picture(browser, tmp_path, "events-dark", "#document")
        browser.prefer("light")
        browser.resize(360, 740)
        browser.wait(lambda: browser.one(".chart").size["width"] <= 360, "the narrow chart")
        picture(browser, tmp_path, "events-phone", "#series")
    finally:
        browser.prefer("light")
        browser.resize(*WINDOW)
    assert browser.errors() == []


@pytest.mark.long
def test_pictures_of_the_labelling_room(browser: Browser, store: Path, tmp_path: Path) -> None:
    """Two coders read the bundled news; a third document is in doubt, and one is settled."""
    path = Path(shutil.copy(store, tmp_path / "news.duckdb"))
    with EventStore.open(path, read_only=False) as opened:
        draw_documents(opened, 36, actors=["SUDORIA", "NORLAND", "VESTMERE"], period="none")
        order = reading_order(opened)
        for at, number in enumerate(order):
            actors = ["SUDORIA"] if at % 4 == 1 else ["NORLAND"] if at % 5 == 2 else []
            if at < 22:
                record_answer(opened, number, "Anna", acting=actors, unclear=at == 10, revision=0)
            record_answer(opened, number, "Ben", acting=[] if at in (1, 7, 13) else actors, revision=0)
    try:
        with serving_room(path, "--coordinator", "Carla") as room:
            enter(browser, room.address, "Anna")
            browser.press("1")
            picture(browser, tmp_path, "events-label")
            browser.open(room.links["coordinator"])
            picture(browser, tmp_path, "events-label-overview")
            browser.click("#begin-labelling")
            browser.says("#who", "Carla")
            browser.open(f"{room.label}#disagreements")
            browser.press("1")
            browser.says("#agreement", "α")
            picture(browser, tmp_path, "events-disagreements")
            browser.resize(390, 844)
            browser.prefer("dark")
            browser.open(f"{room.label}#document")
            browser.press("2")
            browser.says("#intervals", "Total so far")
            picture(browser, tmp_path, "events-label-phone")
            browser.run("history.replaceState(null, '', '/label')")
            browser.press("2")
    finally:
        browser.prefer("light")
        browser.resize(*WINDOW)
    assert browser.errors() == []
