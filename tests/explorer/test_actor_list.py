"""The list of actors, where there are many: it scrolls down, never to the side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howsure.explorer import Included, events_report
from howsure.report.files import write_report
from tests.events.made_up_store import hussein_document, write_store
from tests.explorer.chromium import Browser

SIZES = (
    "const e = document.querySelector(arguments[0]);"
    "return [e.scrollWidth, e.clientWidth, e.scrollHeight, e.clientHeight]"
)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with 14 actors, some of long names."""
    folder = tmp_path_factory.mktemp("crowded")
    titles = {f"C{n:02}": f"Confederation of the {'very ' * (n % 9)}United Provinces {n}" for n in range(14)}
    titles["C03"] = "Provinces" * 9
    example = hussein_document(0)
    made = [
        replace(
            example,
            number=n,
            mentions=tuple(replace(one, actors=(code,) * len(one.actors)) for one in example.mentions),
        )
        for n, code in enumerate(titles)
    ]
    with write_store(folder / "crowded.duckdb", made, actors=titles) as store:
        write_report(events_report(store, included=Included(list(titles), ["year"], 1, 1)), folder / "crowded.html")
    return (folder / "crowded.html").as_uri()


@pytest.mark.long
@pytest.mark.parametrize("width", [1200, 1000, 400])
def test_the_list_of_actors_scrolls_down_only(browser: Browser, crowded: str, width: int) -> None:
    try:
        browser.resize(width, 800)
        browser.open(crowded)
        assert len(browser.all("#actors li")) == 14
        wide, seen, high, shown = browser.run(SIZES, "#actors")
        assert wide <= seen
        assert high > shown
        wide, seen, *_ = browser.run(SIZES, "html")
        assert wide <= seen
        tops = browser.run(
            "return [...document.querySelectorAll('#actors li')].map(e => e.getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
    finally:
        browser.resize(1000, 800)
