"""What the page says where there is nothing to show, or nobody to ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.explorer import events_report
from tests.events.made_up_store import MadeUpDocument, hussein_document, store_file, write_store
from tests.explorer.chromium import Browser
from tests.explorer.serving import serving

NOBODY = "No actor acts in any document of this store. Are the rule and the lexicon the intended ones?"


@pytest.mark.long
def test_a_store_without_events_says_so(browser: Browser, tmp_path: Path) -> None:
    made = hussein_document(0)
    silent = MadeUpDocument(0, made.date, made.title, made.mentions[:2], made.antecedents[:2, :2])
    for name, documents, told in (
        ("silent", [silent], "the store contains no event"),
        ("empty", [], "the store holds no document"),
    ):
        path = tmp_path / f"{name}.duckdb"
        with write_store(path, documents) as store, pytest.raises(InputError, match=told):
            events_report(store)
        with serving(path) as page:
            browser.open(page.address)
            assert browser.text("#problems") == NOBODY
            assert browser.text("#facts").startswith("1 document ·" if documents else "0 documents ·")
            assert browser.errors() == []


@pytest.mark.long
def test_a_server_that_was_stopped_is_told_and_tried_again(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    store_file(path, documents=30, samples=20)
    with serving(path) as page:
        browser.open(f"{page.address}#actor=IRQ&period=year")
        assert browser.places("IRQ")
    browser.choose("#period", "quarter")
    browser.says("#series .problem", "The server does not answer. Was the howsure command stopped? Start it again.")
    browser.choose("#period", "year")
    browser.says("#series .problem", "The server does not answer.")
    assert browser.errors()  # the browser notes the failed connections itself
    browser.driver.get("about:blank")
