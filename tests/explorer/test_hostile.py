"""A hostile corpus and hostile addresses do nothing, and what got in could do nothing either."""

from __future__ import annotations

import pytest

from tests.explorer.chromium import Browser
from tests.explorer.hostile_store import ATTACKS, IDS

pytestmark = pytest.mark.usefixtures("undisturbed")


FORBIDDEN = {"script", "img", "iframe", "svg", "style", "object", "embed", "a", "textarea"}
TAGS = "return [...document.querySelectorAll('#document *, #doubtful *')].map((e) => e.localName)"
HARMFUL = """
return [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])
  .filter((a) => /^on|^srcdoc$/.test(a.name) || /^ *(javascript|data:text)/.test(a.value))
  .map((a) => a.name + '=' + a.value);
"""


@pytest.mark.long
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
def test_a_hostile_address_does_nothing(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=%3Cimg%20src=x%20onerror=window.taken=8%3E&document=javascript:window.taken=9")
    said = browser.says("#problems", "<img src=x onerror=window.taken=8>")
    assert "javascript:window.taken=9" in said
    assert browser.all("#problems img") == []


@pytest.mark.long
def test_the_policy_stops_what_gets_in(browser: Browser, address: str) -> None:
    """Were markup ever to get in, it could neither run nor ask anybody."""
    browser.open(address)
    browser.run(
        "const s = document.createElement('style'); s.textContent = 'body {color: red}'; document.head.append(s)"
    )
    assert browser.run("return getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    asked = browser.driver.execute_async_script(
        "const done = arguments[0]; fetch('https://evil.example/').then(() => done('asked'), () => done('stopped'))"
    )
    assert asked == "stopped"
    with pytest.raises(Exception, match="TrustedHTML"):
        browser.run("document.body.innerHTML = '<b>in</b>'")
    assert any("Content Security Policy" in message for message in browser.errors())
    browser.asked()
