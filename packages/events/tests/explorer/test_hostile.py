"""A hostile corpus and hostile addresses do nothing, and what got in could do nothing either."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.events.made_up_store import MadeUpDocument, hussein_document, store_file, write_store
from tests.explorer.chromium import Browser
from tests.explorer.hostile_store import ATTACKS, IDS
from tests.explorer.serving import serving

from howsure.errors import InputError
from howsure_events.explorer import events_report

FORBIDDEN = {"script", "img", "iframe", "svg", "style", "object", "embed", "a", "textarea"}
TAGS = "return [...document.querySelectorAll('#document *, #doubtful *')].map((e) => e.localName)"
HARMFUL = """
return [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])
  .filter((a) => /^on|^srcdoc$/.test(a.name) || /^ *(javascript|data:text)/.test(a.value))
  .map((a) => a.name + '=' + a.value);
"""


@pytest.mark.long
@pytest.mark.usefixtures("undisturbed")
def test_a_hostile_corpus_does_nothing(browser: Browser, address: str) -> None:
    """Every hostile document is listed and opened; its letters are shown, and nothing of it is an element."""
    title = browser.open(f"{address}#actor=IRQ&actor=KWT&period=quarter&doubtful=") or browser.driver.title
    browser.one("#doubtful table")
    listed = browser.run("return document.getElementById('doubtful').textContent")
    for number, attack in enumerate(ATTACKS, 1):
        browser.open(f"{address}#actor=IRQ&doubtful=&document={number}")
        browser.one("#text")
        assert browser.run("return document.querySelector('#document h2').textContent") == attack
        assert attack in listed
        shown = browser.run("return document.getElementById('document').textContent")
        assert number > len(IDS) or IDS[number - 1] in shown
        assert not FORBIDDEN & set(browser.run(TAGS))
        assert browser.run(HARMFUL) == []
    assert browser.driver.title == title
    assert browser.run("return document.querySelectorAll('script').length") <= 2


@pytest.mark.long
@pytest.mark.usefixtures("undisturbed")
def test_a_hostile_address_does_nothing(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=%3Cimg%20src=x%20onerror=window.taken=8%3E&document=javascript:window.taken=9")
    problems = browser.says("#problems", "<img src=x onerror=window.taken=8>")
    assert "javascript:window.taken=9" in problems
    assert browser.all("#problems img") == []


@pytest.mark.long
@pytest.mark.usefixtures("undisturbed")
def test_the_policy_stops_what_gets_in(browser: Browser, address: str) -> None:
    """Were markup ever to get in, it could neither run nor ask anybody."""
    browser.open(address)
    browser.run(
        "const s = document.createElement('style'); s.textContent = 'body {color: red}'; document.head.append(s)"
    )
    assert browser.run("return getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    request = browser.driver.execute_async_script(
        "const done = arguments[0]; fetch('https://evil.example/').then(() => done('asked'), () => done('stopped'))"
    )
    assert request == "stopped"
    with pytest.raises(Exception, match="TrustedHTML"):
        browser.run("document.body.innerHTML = '<b>in</b>'")
    assert any("Content Security Policy" in message for message in browser.errors())
    browser.asked()


# What the page says where there is nothing to show, or nobody to ask.


NOBODY = "No actor acts in any document of this store. Are the rule and the lexicon the intended ones?"


@pytest.mark.long
def test_a_store_without_events_says_so(browser: Browser, tmp_path: Path) -> None:
    made = hussein_document(0)
    silent = MadeUpDocument(0, made.date, made.title, made.mentions[:2], made.antecedents[:2, :2])
    for name, documents, message in (
        ("silent", [silent], "the store contains no event"),
        ("empty", [], "the store has no document"),
    ):
        path = tmp_path / f"{name}.duckdb"
        with write_store(path, documents) as store, pytest.raises(InputError, match=message):
            events_report(store)
        with serving(path) as page:
            browser.open(page.address)
            assert browser.text("#problems") == NOBODY
            assert browser.text("#facts").startswith("1 document ·" if documents else "0 documents")
            assert browser.errors() == []


@pytest.mark.long
def test_a_stopped_server_is_reported_and_tried_again(browser: Browser, tmp_path: Path) -> None:
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
