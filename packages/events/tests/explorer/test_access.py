"""The page for everybody: by keys alone, by ear, in the dark, on a phone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from selenium.webdriver.common.keys import Keys
from tests.explorer.chromium import SERVED_DAILY, Browser
from tests.explorer.hostile_store import SAMPLES

WINDOW = (1000, 800)
pytestmark = pytest.mark.usefixtures("undisturbed")


@pytest.mark.long
@SERVED_DAILY
def test_everything_is_done_with_keys(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&actor=YUG&period=quarter")
    browser.press(Keys.TAB)
    assert browser.focused() == "skip"
    browser.press(Keys.ENTER)
    assert (browser.focused("data-actor"), browser.focused("data-period")) == ("IRQ", "2000-Q1")
    browser.press(Keys.HOME)
    assert browser.focused("data-period") == "1998-Q4"
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert (browser.focused("data-actor"), browser.focused("data-period")) == ("YUG", "1999-Q1")
    assert browser.text("#readout") == browser.focused("aria-label")
    browser.press(Keys.ARROW_UP, Keys.ENTER)
    browser.says("#point h2", "Iraq, 1999-Q1")
    browser.press(Keys.TAB, Keys.TAB)
    assert browser.focused("data-document") != ""
    browser.press(Keys.ENTER)
    browser.one("#text")
    browser.press(Keys.TAB, Keys.SPACE)
    browser.says("#clustering", f"Sample 1 of {SAMPLES}")
    assert browser.focused() == "another-sample"
    assert browser.run(UNNAMED) == []
    browser.press(Keys.TAB, Keys.ENTER)
    browser.says("#clustering", "1-best")


@pytest.mark.long
def test_dark_and_narrow(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&actor=YUG&period=quarter&document=0&sample=best")
    browser.one("#text")
    try:
        browser.prefer("dark")
        colour = "return getComputedStyle(document.body).backgroundColor"
        browser.wait(lambda: browser.run(colour) == "rgb(20, 23, 26)", "the dark")
        browser.resize(360, 740)
        browser.wait(lambda: browser.one(".chart").size["width"] <= 360, "the narrow chart")
        assert browser.run("return document.documentElement.scrollWidth") <= 360
    finally:
        browser.prefer("light")
        browser.resize(*WINDOW)


UNNAMED = """
const named = (e) => (e.getAttribute('aria-label') || e.textContent || '').trim() || (e.labels && e.labels.length);
return [...document.querySelectorAll('button, select, input, a, [role=button], [tabindex="0"]')]
  .filter((e) => e.checkVisibility() && !named(e)).map((e) => e.outerHTML);
"""


@pytest.mark.long
@SERVED_DAILY
def test_whatever_can_be_used_has_a_name(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&document=0&doubtful=&first=IRQ&second=YUG&period=quarter&point=IRQ&at=1999-Q1")
    for section in ("#text", "#doubtful table", "#comparison .chart", "#point table"):
        browser.one(section)
    assert browser.run(UNNAMED) == []
    headings = browser.run("return [...document.querySelectorAll('h1, h2, h3')].map(e => Number(e.localName[1]))")
    assert headings[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(headings))
    twice = browser.run(
        "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
        "return ids.filter((id, at) => ids.indexOf(id) !== at)"
    )
    assert twice == []
    assert browser.run("return document.documentElement.lang") == "en"
    try:
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            assert browser.violations() == []
    finally:
        browser.prefer("light")


@pytest.mark.long
def test_the_chart_is_also_a_table(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&period=quarter")
    browser.click("#series-table summary")
    browser.one("#series table")
    rows = {row[0]: row for row in browser.rows("#series")}
    for period, label in browser.places("IRQ").items():
        _, documents, mean, reach, best = rows[period]
        expected = f"{mean} documents expected, 95% interval {reach}, 1-best {best}, of {documents} document"
        assert label.removesuffix("s").replace(" (may be incomplete)", "") == f"Iraq, {period}: {expected}"
    browser.click("#series td button.link")
    browser.says("#point h2", "Iraq, ")
