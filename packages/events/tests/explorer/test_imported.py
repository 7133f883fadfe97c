"""The page of imported events: it shows texts and probabilities, and says that no evidence is known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from tests.events.imported.scored_files import scores_of
from tests.explorer.chromium import Browser
from tests.explorer.labelling.rooms import enter, serving_room, typed
from tests.explorer.serving import serving

from howsure_cli.report.pages import write_report
from howsure_events.corpus import Fields
from howsure_events.explorer import events_report
from howsure_events.extraction.import_events import import_events
from howsure_events.extraction.imported_scores import ScoreColumns
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

HEADINGS = ("id", "date", "text", "actor", "p")
HOSTILE = "<script>window.taken = 1</script> They attacked."
ROWS = [
    (f"n{i}", f"2001-{1 + i:02}-03", HOSTILE, actor, p)
    for i in range(6)
    for actor, p in (("IRQ", "0.5"), ("<b>USA", "0.9"))
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    fields = Fields(id="id", date="date", text="text")
    scores = scores_of(folder, ROWS, HEADINGS, fields=fields, columns=ScoreColumns(actor="actor", prob="p"))
    import_events(scores, folder / "scored.duckdb", event="attack")
    return folder / "scored.duckdb"


def read_the_page(browser: Browser, address: str) -> None:
    assert "No evidence" not in browser.text("body")
    assert "come from another model and were imported" in browser.text("#bands")
    assert browser.text("#answer").endswith("This is what the model finds, and nobody has read documents to check it.")
    assert "coreference" not in browser.text("body")
    assert not browser.one("#about").find_elements("css selector", "#rule-note:not([hidden])")
    units = browser.run("return [...document.querySelectorAll('#unit option')].map(e => e.value)")
    assert units == ["documents", "share"]
    browser.click("#show-doubtful")
    assert "Depends on" not in browser.text("#doubtful")
    browser.click("#doubtful [data-document]")
    document = browser.text("#document")
    assert "IRQ: probability 0.50" in document
    assert "<b>USA: probability 0.90" in document
    assert "Most probably: <b>USA" in document
    assert "No evidence is known: the probabilities were imported" in document
    assert HOSTILE in document
    assert browser.all("#another-sample") == []
    assert browser.run("return window.taken") is None
    assert browser.errors() == []


@pytest.mark.long
def test_served(path: Path, browser: Browser) -> None:
    browser.errors()
    with serving(path) as page:
        browser.open(page.address)
        read_the_page(browser, page.home)


@pytest.mark.long
def test_reading_with_what_the_model_says(path: Path, browser: Browser, tmp_path: Path) -> None:
    """A labelling room that shows the model's answer with its probability but without evidence."""
    browser.errors()
    store = Path(shutil.copy(path, tmp_path / "room.duckdb"))
    with EventStore.open(store, read_only=False) as opened:
        draw_documents(opened, 6, question="Which of these attack here?")
    with serving_room(store, "--assisted") as room:
        enter(browser, room.address, "anna")
        assert browser.text("#question") == "Which of these attack here?"
        assert HOSTILE in browser.text("body")
        assert "No evidence is known" in browser.text("body")
        typed(browser, "1", Keys.ENTER)
        assert list(room.answers("anna").values()) == [["<b>USA"]]
    assert browser.run("return window.taken") is None
    assert browser.errors() == []


@pytest.mark.long
def test_as_one_file(path: Path, browser: Browser, tmp_path: Path) -> None:
    browser.errors()
    with EventStore.open(path) as store:
        write_report(events_report(store), tmp_path / "events.html")
    browser.open((tmp_path / "events.html").as_uri())
    read_the_page(browser, (tmp_path / "events.html").as_uri())
