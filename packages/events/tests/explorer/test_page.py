"""The page in a real Chromium, served and as a file: everything a person can do is done with mouse and keys."""

from __future__ import annotations

import csv
import io
from datetime import date
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.events.made_up_store import TITLES
from tests.explorer.chromium import SERVED_DAILY, Browser
from tests.explorer.hostile_store import SAMPLES
from tests.explorer.raw_numbers import expected_comparison, expected_points

from howsure_events.explorer import queries
from howsure_events.series.files import doubtful_documents, period_documents
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import counted_event

pytestmark = pytest.mark.usefixtures("undisturbed")
FIRST_SAMPLES = 5  # of the file


def fragment(browser: Browser) -> dict[str, list[str]]:
    return parse_qs(urlsplit(browser.driver.current_url).fragment, keep_blank_values=True)


EVERY = ["small", *(pytest.param(source, marks=pytest.mark.long) for source in ("served", "report"))]


@pytest.mark.long
@pytest.mark.parametrize("address", EVERY, indirect=True)
def test_the_page_begins_with_the_actors_that_act_most(browser: Browser, address: str, store: EventStore) -> None:
    browser.open(address)
    overview = queries.overview(store)
    days = [date.fromisoformat(overview[end]) for end in ("first", "last")]
    first, last = (f"{day:%B} {day.day}, {day.year}" for day in days)
    assert browser.text("#facts").startswith(f"{overview['documents']} documents · {first} to {last}")
    first = [actor["code"] for actor in overview["actors"][:4]]
    assert browser.run("return [...document.querySelectorAll('[data-panel]')].map(e => e.dataset.panel)") == first
    actor = overview["actors"][0]
    finds = f"the rule finds {actor['expected']:.0f} in {overview['documents']} documents (expected value)."
    assert browser.text("#answer p") == f"{actor['title']}: {finds}", "not in the form of a corrected count"
    assert browser.text("#answer").endswith("This is what the rule finds, and nobody has read documents to check it.")
    assert not any(element.is_displayed() for element in browser.all("#counts"))
    assert "coreference" in browser.text("#bands")
    assert "parse" in browser.text("#bands")


@pytest.mark.long
def test_the_axis_of_counts_has_whole_numbers_and_points_name_their_month(browser: Browser, address: str) -> None:
    labels = (
        "return [...document.querySelectorAll('#series [data-panel] text[text-anchor=end]')].map(e => e.textContent)"
    )
    browser.open(f"{address}#actor=KWT&period=month")
    counts = browser.run(labels)
    assert len(counts) > 1
    assert all(count.isdigit() for count in counts)
    months = dict(browser.places("KWT"))
    assert all(f", {date.fromisoformat(f'{month}-01'):%B %Y}" in point for month, point in months.items()), months
    browser.open(f"{address}#actor=KWT&period=month&unit=share")
    assert all(label.endswith("%") for label in browser.run(labels))


@pytest.mark.long
def test_the_event_that_is_counted_is_named(browser: Browser, address: str, store: EventStore) -> None:
    """By the name of the rule and its words, as they are written; a long list is cut, and shown in full below."""
    browser.open(address)
    event = counted_event(store)
    outcome = browser.run("return document.getElementById('event').textContent")
    assert outcome == f"Counted event: {event[:240]}…"
    assert "attack (attacked, <script>" in outcome
    browser.click("#save-figure")
    assert "Counted event: attack (attacked, " in browser.saved(".svg")


@pytest.mark.long
def test_the_papers_rule_is_shown(browser: Browser, address: str) -> None:
    browser.open(address)
    assert "attack-wide" in browser.text("#rule-note")


# Each unit and each length of period; all pairs of them are compared where no browser is needed (test_page_file.py).
@pytest.mark.long
@pytest.mark.parametrize(("period", "unit"), [("quarter", "entities"), ("month", "documents"), ("year", "share")])
def test_every_point_says_what_the_raw_samples_say(
    browser: Browser, address: str, store: EventStore, period: str, unit: str
) -> None:
    """Mean, interval and 1-best of each point, computed again from the stored bits."""
    browser.open(f"{address}#actor=IRQ&actor=NATO&period={period}&unit={unit}")
    for actor in ("IRQ", "NATO"):
        assert browser.places(actor) == expected_points(store, actor, period, unit)


@pytest.mark.long
def test_the_level_of_the_intervals_is_chosen(browser: Browser, address: str, served: str, store: EventStore) -> None:
    """A served page has three levels; a file holds the one that it was written with."""
    browser.open(f"{address}#actor=IRQ&period=quarter")
    levels = [option.get_attribute("value") for option in browser.all("#level option")]
    assert levels == (["0.8", "0.9", "0.95"] if address == served else ["0.95"])
    for level in levels:
        browser.choose("#level", level)
        expected = expected_points(store, "IRQ", "quarter", "documents", float(level))
        browser.wait(lambda expected=expected: browser.places("IRQ") == expected, f"the level {level}")
    assert fragment(browser).get("level", ["0.95"]) == ["0.95"]
    browser.open(f"{address}#level=0.5")
    browser.says("#problems", f"level must be one of {', '.join(levels)}")


@pytest.mark.long
@SERVED_DAILY
def test_choosing_actors_periods_counts_and_intervals(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&period=quarter")
    exact = browser.places("IRQ")
    browser.click('#actors input[value="USA"]')
    browser.wait(lambda: browser.places("USA"), "the panel of the USA")
    browser.choose("#period", "month")
    browser.wait(lambda: "1999-01" in browser.places("IRQ"), "months")
    browser.choose("#unit", "share")
    browser.says("#series h2", "Share of documents by month")
    browser.choose("#period", "quarter")
    browser.choose("#unit", "documents")
    browser.choose("#interval", "normal")
    browser.wait(lambda: browser.places("IRQ").keys() == exact.keys() and browser.places("IRQ") != exact, "the normal")
    assert fragment(browser) == {
        "actor": ["IRQ", "USA"],
        "period": ["quarter"],
        "unit": ["documents"],
        "interval": ["normal"],
        "level": ["0.95"],
    }
    browser.click('#actors input[value="USA"]')
    browser.wait(lambda: not browser.places("USA"), "the end of the USA")
    browser.click('#actors input[value="IRQ"]')
    browser.says("#series", "Choose at least one actor above.")


@pytest.mark.long
def test_choices_are_unfolded_and_a_scale_of_ones_own(browser: Browser, address: str) -> None:
    """Each panel on its own scale: the highest tick of the panel that has less falls."""
    highest = (
        "return [...document.querySelectorAll('[data-panel]')].map("
        "e => Math.max(...[...e.querySelectorAll('text[text-anchor=end]')].map(t => Number(t.textContent))))"
    )
    browser.open(f"{address}#actor=IRQ&actor=KWT&period=quarter")
    assert not browser.all("#scale")[0].is_displayed()
    browser.click("#choices details.more summary")
    assert browser.all("#scale")[0].is_displayed()
    shared_scale, other_scale = browser.run(highest)
    assert shared_scale == other_scale
    browser.choose("#scale", "own")
    outcome = browser.run(highest)
    assert min(outcome) < max(outcome) == shared_scale
    assert fragment(browser)["scale"] == ["own"]


@pytest.mark.long
def test_periods_that_may_be_incomplete_and_the_documents_of_all(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&period=quarter")
    labels = browser.places("IRQ")
    assert [period for period, text in labels.items() if "may be incomplete" in text] == [min(labels), max(labels)]
    assert len(browser.all("#series-chart circle.open")) == 2
    assert f"{min(labels)} and {max(labels)} may be incomplete" in browser.text("#series")
    assert len(browser.all("#series-chart .documents rect")) == len(labels)


@pytest.mark.long
def test_the_figure_as_a_picture(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&period=quarter")
    width = browser.one(".chart").size["width"]
    browser.click("#save-figure-png")
    path = browser.wait(lambda: next(browser.whole_files(".png"), None), "a picture")
    with Image.open(path) as image:
        assert image.width == 3 * width
        assert len(image.convert("RGB").getcolors(2**20)) > 10
    path.unlink()


@pytest.mark.long
def test_an_actor_is_found_by_typing(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.click("#find")
    browser.press(*"yugo")
    shown = [item.text for item in browser.all("#actors li") if item.is_displayed()]
    assert len(shown) == 1
    assert shown[0].startswith("Yugoslavia (YUG)")


@pytest.mark.long
def test_from_a_point_to_a_document_and_its_samples(browser: Browser, address: str, store: EventStore) -> None:
    browser.open(f"{address}#actor=IRQ&actor=YUG&period=quarter")
    browser.click('.place[data-actor="IRQ"][data-period="1999-Q1"]')
    browser.says("#point h2", "Iraq, 1999-Q1")
    assert browser.run("return document.activeElement.closest('section').id") == "point"
    documents = period_documents(store, "IRQ", at="1999-Q1")
    rows = browser.rows("#point")
    assert [row[0] for row in rows] == [f"{document['title']}{document['date']}" for document in documents]
    assert [float(row[1].removesuffix("uncertain")) for row in rows] == pytest.approx(
        [document["probability"] for document in documents]
    )
    assert [row[1].endswith("uncertain") for row in rows] == [document["doubtful"] for document in documents]
    assert [row[2] == "yes" for row in rows] == [document["best"] for document in documents]
    browser.click('#point [data-document="0"]')
    browser.says("#document h2", "Fears of an attack")
    assert browser.run("return document.activeElement.closest('section').id") == "document"
    browser.says("#clustering", "1-best clustering")
    marks = "return [...document.querySelectorAll('#text .mention')].map(e => e.dataset.entity ?? null)"
    for sample in range(FIRST_SAMPLES):
        browser.click("#another-sample")
        view = queries.document_view(store, 0, sample=sample)
        present = view["actors"][0]["present"]
        browser.says("#clustering", f"Sample {sample + 1} of {SAMPLES}: {'Iraq' if present else 'no actor'}")
        assert browser.focused() == "another-sample"
        shown = [None if mark is None else int(mark) for mark in browser.run(marks)]
        assert [shown[0], shown[2]] == [view["mentions"][0]["entity"], view["mentions"][2]["entity"]]
        evidence = browser.run(LAST_CELL)
        assert evidence == ("yes" if present else "no")
    browser.click("#best-clustering")
    browser.says("#clustering", "1-best clustering")
    assert "“Mr. Hussein” ~ “President Saddam Hussein of Iraq”, p = 0.50" in browser.text("#document .links")
    browser.click("#close-document")
    browser.gone("#document")
    browser.click("#close-point")
    browser.gone("#point")


LAST_CELL = """
const tables = [...document.querySelectorAll('#document table')];
return tables.at(-1).tBodies[0].rows[0].cells[5].textContent;
"""
BARE = """
const text = document.getElementById('text').cloneNode(true);
text.querySelectorAll('sub, .code').forEach((e) => e.remove());
return text.textContent;
"""


@pytest.mark.long
@SERVED_DAILY
def test_the_text_is_the_document(browser: Browser, address: str, store: EventStore) -> None:
    for number in (0, 2, 6, 20):
        view = queries.document_view(store, number)
        browser.open(f"{address}#document={number}")
        browser.one("#text")
        text = browser.run(BARE)
        words = [word for sentence in view["sentences"] for word in sentence["words"]]
        assert "".join(text.split()) == "".join("".join(words).split())
        assert browser.run("return document.querySelectorAll('#text [data-mention]').length") == len(view["mentions"])


@pytest.mark.long
def test_an_entity_is_outlined_everywhere(browser: Browser, address: str) -> None:
    browser.open(f"{address}#document=0&sample=best")
    browser.click('#text [data-mention="0"]')
    chosen = browser.run("return [...document.querySelectorAll('#text .chosen')].map(e => e.dataset.entity)")
    assert set(chosen) == {"0"}
    browser.click('#text [data-mention="0"]')
    assert browser.all("#text .chosen") == []


@pytest.mark.long
@SERVED_DAILY
def test_two_actors_are_compared(browser: Browser, address: str, store: EventStore) -> None:
    browser.open(f"{address}#actor=NATO&period=quarter")
    browser.choose("#first", "NATO")
    browser.choose("#second", "YUG")
    browser.says("#comparison h2", "NATO and Yugoslavia: which has more documents?")
    expected = expected_comparison(store, "NATO", "YUG", "quarter")
    labels = browser.run(
        "return [...document.querySelectorAll('#comparison .place')]"
        ".map(e => [e.dataset.period, e.getAttribute('aria-label')])"
    )
    assert {period for period, _ in labels} == set(expected)
    for period, label in labels:
        more, fewer = expected[period]
        assert label.startswith(f"{period}: P(NATO > Yugoslavia) {more}, ")
        assert f"P(NATO < Yugoslavia) {fewer}" in label
    browser.click('#comparison .place[data-period="1999-Q1"]')
    browser.says("#comparison-readout", "1999-Q1: P(NATO > Yugoslavia)")
    browser.choose("#first", "YUG")
    browser.says("#problems", "Choose two different actors to compare.")
    browser.choose("#second", "NATO")
    browser.wait(lambda: fragment(browser)["first"] == ["NATO"], "the pair as it was")
    browser.choose("#first", "USA")
    browser.says("#comparison h2", "United States and Yugoslavia")
    browser.click("#close-comparison")
    browser.gone("#comparison")


@pytest.mark.long
def test_a_pair_seen_from_the_other_side(browser: Browser, address: str, store: EventStore) -> None:
    for first, second in (("IRQ", "NATO"), ("NATO", "IRQ")):
        browser.open(f"{address}#first={first}&second={second}&period=year")
        expected = expected_comparison(store, first, second, "year")
        for period, (more, fewer) in expected.items():
            label = browser.one(f'#comparison [data-period="{period}"]').get_attribute("aria-label")
            assert f"P({TITLES[first]} > {TITLES[second]}) {more}," in label
            assert f"P({TITLES[first]} < {TITLES[second]}) {fewer}." in label


@pytest.mark.long
@SERVED_DAILY
def test_doubtful_documents_are_listed_with_their_links(browser: Browser, address: str, store: EventStore) -> None:
    browser.open(address)
    browser.click("#show-doubtful")
    browser.says("#doubtful h2", "all actors")
    assert browser.run("return document.activeElement.closest('section').id") == "doubtful"
    browser.choose("#doubtful-actor", "IRQ")
    browser.says("#doubtful h2", "Iraq")
    documents = doubtful_documents(store, actor="IRQ")
    rows = browser.rows("#doubtful")
    assert [row[0] for row in rows] == [f"{document['title']}{document['date']}" for document in documents]
    assert [float(row[1]) for row in rows] == pytest.approx([document["probability"] for document in documents])
    assert any("“Mr. Hussein” ~ “President Saddam Hussein of Iraq”, p = 0.50" in row[3] for row in rows)
    browser.click('#doubtful [data-document="0"]')
    browser.says("#document h2", "Fears of an attack")
    browser.click("#close-doubtful")
    browser.gone("#doubtful")


@pytest.mark.long
def test_the_shown_series_is_saved(browser: Browser, address: str, store: EventStore) -> None:
    browser.open(f"{address}#actor=IRQ&actor=NATO&period=quarter&first=IRQ&second=NATO")
    browser.click("#save-table")
    rows = list(csv.DictReader(io.StringIO(browser.saved(".csv"))))
    series = queries.series(store, ["IRQ", "NATO"], period="quarter")
    assert [(row["actor"], row["period"]) for row in rows] == [(a, r["period"]) for a in series for r in series[a]]
    for row, point in zip(rows, [row for rows_ in series.values() for row in rows_], strict=True):
        assert int(row["n_documents"]) == point["documents"]
        for name in ("mean", "low", "high", "best"):
            if point[name] is None:
                assert row[name] == ""
            else:
                assert float(row[name]) == pytest.approx(point[name], rel=1e-5)
    for button in ("#save-figure", "#save-comparison"):
        browser.click(button)
        figure = ElementTree.fromstring(browser.saved(".svg"))
        assert figure.tag == "{http://www.w3.org/2000/svg}svg"
        tags = {node.tag.partition("}")[2] for node in figure.iter()}
        assert tags <= {"svg", "g", "title", "desc", "text", "line", "rect", "circle", "polyline", "polygon"}
        assert "coreference" in figure.find("{*}desc").text
        assert not {name for node in figure.iter() for name in node.attrib} & {"class", "tabindex", "role"}


@pytest.mark.long
@SERVED_DAILY
def test_back_and_forward_and_the_address(browser: Browser, address: str) -> None:
    browser.open(f"{address}#actor=IRQ&period=quarter")
    browser.click('.place[data-period="1999-Q1"]')
    browser.says("#point h2", "Iraq, 1999-Q1")
    browser.click('#point [data-document="0"]')
    browser.says("#clustering", "1-best")
    browser.click("#another-sample")
    browser.says("#clustering", "Sample 1")
    kept = browser.driver.current_url
    browser.back()
    browser.says("#clustering", "1-best")
    browser.back()
    browser.gone("#document")
    browser.back()
    browser.gone("#point")
    browser.forward()
    browser.says("#point h2", "Iraq, 1999-Q1")
    browser.open(kept)
    browser.says("#clustering", "Sample 1")
    assert browser.one('.place[aria-pressed="true"]').get_attribute("data-period") == "1999-Q1"


STALE = "#actor=XYZ&actor=IRQ&period=day&document=one&sample=-1&unit=words"


@pytest.mark.long
def test_an_address_that_asks_for_what_is_not_there_says_so(browser: Browser, address: str) -> None:
    browser.open(address + STALE)
    problems = browser.says("#problems", "XYZ")
    for words in (
        "period must be one of week, month, quarter, year",
        "unit must be one of",
        "document must be",
        "sample must",
    ):
        assert words in problems
    assert browser.places("IRQ")


@pytest.mark.long
@pytest.mark.parametrize("missing", ["document=99999", "point=IRQ&at=1950-Q1&period=quarter", "document=0&sample=4000"])
def test_missing_contents_are_explained(browser: Browser, address: str, missing: str) -> None:
    browser.open(f"{address}#{missing}")
    problem = browser.says("section .problem", "")
    reasons = ("document 99999", "text of this document", "1950-Q1", "samples", "sample must")
    assert any(reason in problem for reason in reasons)
    browser.errors()  # the browser itself notes the answer 400


TRANSFERRED = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map((e) => [e.name, e.transferSize]);
"""


@pytest.mark.long
def test_the_first_load_is_small(browser: Browser, served: str, address: str) -> None:
    """All that is transferred until the first chart stands, in bytes; a file asks for nothing besides itself."""
    browser.open(address)
    entries = browser.run(TRANSFERRED)
    paths = {urlsplit(unquote(name)).path for name, _ in entries}
    if address == served:
        assert paths == {"/", "/api/overview", "/api/series"}
        assert 0 < sum(size for _, size in entries) < 500_000
    else:
        assert paths == {urlsplit(address).path}
