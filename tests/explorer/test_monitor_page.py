"""The page of a monitor: what it holds, and what a person does with it in Chromium, whatever groups are called."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from howsure import CalibrationMonitor
from howsure.explorer import monitor_report
from howsure.monitoring.bets import N_CELLS
from tests.explorer.chromium import Browser
from tests.explorer.test_pictures import picture

HOSTILE = '</script><img src=x onerror="window.taken=1">\x1b[31m'
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
LEFT, END = "\ue012", "\ue010"


def watched(name: str) -> CalibrationMonitor:
    """Ten weeks of two groups; that of this name is off from the sixth week on."""
    rng = np.random.default_rng(4)
    n = 7000
    days = np.datetime64("2026-01-05") + np.arange(n) // 100
    q, bad = rng.uniform(0.3, 1, n), np.arange(n) % 2 == 1
    y = rng.random(n) < q - 0.2 * (bad & (days >= np.datetime64("2026-02-09")))
    found = CalibrationMonitor(period="week")
    found.update(days, y, q, groups=np.where(bad, name, "fine"), until="2026-03-15")
    return found


@pytest.fixture(scope="module")
def monitor() -> CalibrationMonitor:
    return watched(HOSTILE)


@pytest.fixture(scope="module")
def html(monitor: CalibrationMonitor) -> str:
    return monitor_report(monitor, title='<img src=x onerror="window.taken=1">')


def test_a_page_of_days_names_the_last_day_as_it_names_the_first() -> None:
    days = np.repeat(np.array(["2026-01-05", "2026-01-06"], dtype="datetime64[D]"), 50)
    found = CalibrationMonitor()
    found.update(days, np.arange(100) % 2, np.full(100, 0.5), until="2026-01-06")
    assert "100 rows tested, 2026-01-05 to 2026-01-06." in monitor_report(found)


def test_it_holds_what_the_monitor_says(monitor: CalibrationMonitor, html: str) -> None:
    data = json.loads(DATA.findall(html)[0])
    assert [one["name"] for one in data["groups"]] == list(monitor.groups)
    for one in data["groups"]:
        series = monitor.series(one["name"])
        assert [row["period"] for row in one["periods"]] == list(series.period)
        assert [row["error"] for row in one["periods"]] == pytest.approx(series.error, rel=1e-5)
        assert one["alarm"] == series.alarm
        for row in one["periods"]:
            assert sum(point["n"] for point in row["curve"]) == row["n"]
            assert len(row["curve"]) <= N_CELLS
            assert all(point["low"] <= point["observed"] <= point["high"] for point in row["curve"])
    assert "\x1b" not in html
    assert "<img" not in html


def test_it_needs_nothing_else(html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert "default-src &#39;none&#39;" in policy[1]
    assert "connect-src" not in policy[1]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)


@pytest.mark.long
def test_a_week_is_chosen_by_mouse_and_keys(html: str, browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "monitor.html"
    path.write_text(html, encoding="utf-8")
    browser.open(path.as_uri())
    browser.errors(), browser.asked()
    browser.open(path.as_uri())
    assert "No longer calibrated since about 2026-02-" in browser.text("#verdict")
    assert browser.violations() == []
    assert "2026-03-09: 350 rows" in browser.text("#readout")
    browser.click('.target[data-period="2026-01-19"]')
    assert browser.text("#readout").startswith("2026-01-19: 350 rows, error")
    assert "2026-01-19" in browser.text("#curve h2")
    assert browser.focused() == "chart"
    browser.press(LEFT)
    assert browser.focused("aria-valuetext").startswith("2026-01-12: 350 rows")
    browser.press(END)
    assert "2026-03-09" in browser.text("#curve h2")
    browser.click("#curve summary")
    assert sum(int(row[1]) for row in browser.rows("#curve")) == 350
    names = [row[0] for row in browser.rows("#groups")]
    assert any("onerror" in name for name in names)
    browser.click(f"#groups tr:nth-child({names.index('fine') + 1}) button")
    assert "No alarm after" in browser.text("#verdict")
    for width, scheme in ((360, "dark"), (1000, "light")):
        browser.resize(width, 800)
        browser.prefer(scheme)
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.errors() == []
    assert [url for url in browser.asked() if not url.startswith(("about:", "data:", path.as_uri()))] == []
    assert browser.run("return window.taken") is None


@pytest.mark.long
def test_a_monitor_without_data_says_so(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "empty.html"
    path.write_text(monitor_report(CalibrationMonitor()), encoding="utf-8")
    browser.open(path.as_uri())
    assert browser.text("#groups") == "No period was taken yet."


@pytest.mark.long
def test_its_picture(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "monitor.html"
    path.write_text(monitor_report(watched("German answers")), encoding="utf-8")
    browser.resize(1000, 1180)
    browser.open(path.as_uri())
    picture(browser, tmp_path, "monitoring-page", "#series")
    browser.resize(1000, 800)
