"""Labelling in a real Chromium: by keys alone, taken back, after a reload, by two coders, on a phone, by ear."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys
from tests.cli.running import howsure
from tests.explorer.chromium import Browser
from tests.explorer.hostile_store import ATTACKS, DOCUMENTS, SAMPLES, make_hostile_store
from tests.explorer.labelling.rooms import ACTORS, READ, ServedRoom, current, enter, pressed, serving_room, typed
from tests.explorer.test_access import UNNAMED, WINDOW
from tests.explorer.test_hostile import FORBIDDEN, HARMFUL

from howsure_events.labels.answers import reading_order, record_answer
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

pytestmark = pytest.mark.usefixtures("quiet")
CYCLE = [("1", Keys.ENTER), "n", "u", ("2", "3", Keys.ENTER), "n", ("1", "1", "n")]  # keys, and what they say
SHOWN = "return [location.hash, document.getElementById('place').textContent, document.activeElement.tagName]"
# The intervals come when the end shows, or half a second later: what changes above the links of the end moves them.
LATE = """
    const asked = window.fetch;
    window.late = {moved: false, shown: 0};
    window.fetch = async (address, ...rest) => {
      if (!String(address).includes("intervals")) return asked(address, ...rest);
      const end = Date.now() + 500;
      while (document.getElementById("done").hidden && Date.now() < end) await new Promise((go) => setTimeout(go, 10));
      return asked(address, ...rest);
    };
    new MutationObserver(() => {
      window.late.shown += 1;
      window.late.moved ||= !document.getElementById("done").hidden;
    }).observe(document.getElementById("intervals"), {childList: true, characterData: true, subtree: true});
"""
SAYS = [["IRQ"], [], "unclear", ["YUG", "KWT"], [], []]


def answered(room: ServedRoom, coder: str) -> list[int]:
    return room.asked("room", coder=coder)["answered"]


def store_answers(path: Path, coder: str, answers: list[Any]) -> dict[int, Any]:
    """Store a coder's answers to the first documents, before their room is served; return them by document."""
    with EventStore.open(path, read_only=False) as store:
        by_document = dict(zip(reading_order(store), answers, strict=False))
        for number, answer in by_document.items():
            unclear = answer == "unclear"
            record_answer(store, number, coder, acting=[] if unclear else answer, unclear=unclear, revision=0)
    return by_document


@pytest.mark.long
def test_thirty_documents_by_keys_alone(browser: Browser, room_store: Path) -> None:
    """The store holds each answer before the next document shows; at the end all are there, and one can go on. The
    first 18 answers are those of a day before."""
    before = 3 * len(CYCLE)
    expected = store_answers(room_store, "by keys", [SAYS[at % len(CYCLE)] for at in range(before)])
    with serving_room(room_store, "--overlap", "1") as room:
        enter(browser, room.links["coordinator"], "by keys")
        order = room.asked("room", coder="by keys")["documents"]
        assert browser.text("#question") == "Which of these attack here?"
        for at, number in enumerate(order[before:], start=before):
            place = f"Document {at + 1} of {READ}"
            assert browser.run(SHOWN) == [f"#document={number}", place, "H2"]
            typed(browser, *CYCLE[at % len(CYCLE)])
            expected[number] = SAYS[at % len(CYCLE)]
            if at % 5 == 0:
                assert set(answered(room, "by keys")) == set(expected)
        assert browser.text("#done h2") == "You have read all documents of the sample"
        assert browser.one("#done a").get_attribute("href") == room.home
        assert room.answers("by keys") == expected
        assert browser.text("#counted") == "30 of 30 labelled · 10 positive · 5 unclear"
        browser.press("z")
        assert current(browser) == order[-1]
        assert room.answers("by keys") == {number: expected[number] for number in order[:-1]}
        browser.run(LATE)
        typed(browser, "n")
        assert browser.text("#done h2") == "You have read all documents of the sample"
        browser.wait(lambda: browser.run("return window.late.shown"), "the intervals")
        assert not browser.run("return window.late.moved"), "the links of the end moved below the mouse"
        browser.click("#done a")
        assert browser.one("#series .chart"), "the page of events, of the store that is being labelled"


@pytest.mark.long
def test_nothing_is_stored_unless_something_is_chosen(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "hasty")
    here = current(browser)
    browser.press(Keys.ENTER)
    assert "first; then save" in browser.text("#problems")
    assert (current(browser), answered(room, "hasty")) == (here, [])
    browser.click("#keys")
    browser.press("1")
    assert pressed(browser) == []
    browser.click("#keys")
    typed(browser, "3")
    assert pressed(browser) == ["actor-2"]
    assert "Chosen: " in browser.run("return document.getElementById('status').textContent")
    typed(browser, "3", "2", "1")
    assert pressed(browser) == ["actor-0", "actor-1"]
    typed(browser, "1", "2")
    assert pressed(browser) == []
    assert not browser.one("#choices").find_elements("css selector", "#kept:not([hidden])")


@pytest.mark.long
def test_answers_are_changed_and_taken_back(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "doubter")
    first, second, third = room.asked("room", coder="doubter")["documents"][:3]
    typed(browser, "1", Keys.ENTER, "n")
    assert current(browser) == third
    browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert (current(browser), pressed(browser)) == (first, ["actor-0"])
    typed(browser, "2", Keys.ENTER)
    assert current(browser) == third, "the next that is not answered"
    assert room.answers("doubter") == {first: ["IRQ", "YUG"], second: []}
    browser.press("z")
    assert (current(browser), pressed(browser)) == (first, ["actor-0"])
    browser.press("z")
    assert (current(browser), pressed(browser)) == (second, [])
    browser.press("z")
    assert (current(browser), pressed(browser)) == (first, [])
    assert room.answers("doubter") == {}
    browser.press("z")
    assert "doubter has no answer left to undo" in browser.text("#problems")
    typed(browser, "3", Keys.ENTER)
    assert room.answers("doubter") == {first: ["KWT"]}
    browser.errors()  # the browser notes the answer 400 itself


@pytest.mark.long
def test_a_reload_keeps_the_place_and_the_name(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "reloader")
    typed(browser, "1", Keys.ENTER, "n", Keys.ARROW_LEFT)
    here = current(browser)
    browser.driver.refresh()
    browser.settle()
    assert (current(browser), pressed(browser)) == (here, ["none"])
    assert browser.text("#who") == "· reloader"
    assert re.fullmatch("2 of 30 labelled · .* left", browser.text("#counted")), "no totals before the end"
    assert "token" not in browser.driver.current_url
    browser.open(room.label)
    assert browser.text("#place") == "Document 3 of 30", "without a document in the address, the next to read"
    browser.open(f"{room.label}#document=123456")
    assert "That document was not drawn for labelling" in browser.text("#problems")


@pytest.mark.long
def test_unsaved_choices_stay_on_the_page(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "wanderer")
    here = current(browser)
    browser.press("1")
    assert browser.text("#kept") == "Not saved yet."
    browser.press(Keys.ARROW_RIGHT)
    assert pressed(browser) == []
    browser.press(Keys.ARROW_LEFT)
    assert (current(browser), pressed(browser)) == (here, ["actor-0"])
    assert answered(room, "wanderer") == []
    browser.click("#rename")
    assert "1 choice of wanderer is not saved yet" in browser.text("#problems")
    browser.press("1")
    browser.gone("#kept")
    browser.click("#rename")
    browser.press(*"er", Keys.ENTER)
    assert browser.text("#who") == "· wandererer"


@pytest.mark.long
def test_the_mouse_does_what_keys_do(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "mouse")
    first, second = room.asked("room", coder="mouse")["documents"][:2]
    browser.click("#actor-2")
    browser.press(Keys.ENTER)  # saves, although a button was pressed last
    browser.click("#none")  # says all, and so saves
    assert room.answers("mouse") == {first: ["KWT"], second: []}
    browser.click("#back")
    assert pressed(browser) == ["none"]
    browser.click("#forward")
    browser.click("#undo")
    assert (current(browser), pressed(browser)) == (second, [])
    browser.run("document.getElementById('actor-1').focus()")
    browser.press(Keys.ENTER)  # on a button, it presses that
    assert pressed(browser) == ["actor-1"]


@pytest.mark.long
def test_blind_means_blind(browser: Browser, room: ServedRoom, census: ServedRoom) -> None:
    enter(browser, room.address, "blind")
    assert browser.all("#document mark, #document table, #document button") == []
    shown = room.asked("document", coder="blind", number=current(browser))
    assert shown["view"] is None
    assert set(shown) == {"document", "id", "date", "title", "sentences", "answer", "revision", "view"}
    enter(browser, f"{census.address}", "assisted")
    browser.open(f"{census.label}#document=0")
    assert browser.all("#text mark")
    assert "Iraq (IRQ): probability" in browser.text(".actors-here")
    browser.click("#another-sample")
    assert f"Sample 1 of {SAMPLES}" in browser.text("#clustering")
    assert browser.focused() == "another-sample"
    browser.click("#best-clustering")
    assert "1-best clustering" in browser.text("#clustering")


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("--assisted",)])
def test_documents_without_a_text_say_so(browser: Browser, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Scores of another model were imported, and no texts; they can be answered all the same."""
    rows = [f"item {n},2001-0{n % 9 + 1}-05,AAA,0.{n % 10}" for n in range(20)]
    scores, path = tmp_path / "scores.csv", tmp_path / "imported.duckdb"
    scores.write_text("\n".join(["id,date,actor,prob", *rows]))
    columns = ["--id", "id", "--date", "date", "--actor", "actor", "--prob", "prob"]
    assert howsure("events", "import", scores, *columns, "--store", path).code == 0
    with EventStore.open(path, read_only=False) as store:
        draw_documents(store, 20, question="Which of these attack here?", period="none")
    with serving_room(path, *options) as room:
        enter(browser, room.address, "textless")
        assert "The store has no text of this document; look it up by its id." in browser.text("#document .problem")
        assert "item " in browser.text("#document")
        typed(browser, "1", Keys.ENTER)
        assert browser.text("#place") == "Document 2 of 20"


@pytest.mark.slow
def test_the_interval_of_the_total_comes_after_enough_labels(browser: Browser, room_store: Path) -> None:
    with serving_room(room_store) as room:
        enter(browser, room.links["coordinator"], "counter")
        order = room.asked("room", coder="counter")["documents"]
        needed = room.asked("intervals")["more"]
        for left, _ in zip(range(needed, 0, -1), order, strict=False):
            browser.says("#intervals", f"after {left} more {'label' if left == 1 else 'labels'}.")
            typed(browser, *(["1", Keys.ENTER] if left % 2 else "n"))
        totals = browser.says("#intervals", f"Total so far, of {DOCUMENTS} documents (95% intervals): Iraq ")
        assert re.search(r"Iraq ([0-9]+) to ([0-9]+); Yugoslavia 0 to [1-9][0-9]*; ", totals)
        assert ATTACKS[1] in totals, "the title of an actor, as text"
        enter(browser, room.address, "another")
        browser.gone("#intervals")  # coders see none
        typed(browser, "2", Keys.ENTER)
        enter(browser, room.links["coordinator"], "counter")
        browser.says("#intervals", "Yugoslavia unknown: too few clear and agreed answers")


@pytest.mark.long
def test_two_coders_differ_and_it_is_settled_by_keys_alone(browser: Browser, room_store: Path) -> None:
    """The second reads a fifth; nobody but the coordinator sees what differs, and settles it by a key each."""
    store_answers(room_store, "Anna", [[]] * (READ - 3))
    with serving_room(room_store, "--coordinator", "Cleo") as room:
        enter(browser, room.address, "Anna")
        for _ in range(3):
            typed(browser, "n")
        assert room.asked("start")["documents"] == READ // 5, "for who joins"
        enter(browser, room.label, "Ben")
        twice = room.asked("room", coder="Ben")["documents"]
        assert len(twice) == READ // 5
        browser.gone("#to-disagreements")
        browser.press("d")  # does nothing
        keys = ("n", "1", "23", "u", "1", "n")
        for number, keys_of_document in zip(twice, keys, strict=True):
            assert current(browser) == number
            assert pressed(browser) == [], "and nothing of the other's answers"
            typed(browser, *keys_of_document, *([] if keys_of_document in "nu" else [Keys.ENTER]))
        assert browser.text("#done h2") == f"You have read your 6 documents, of {READ} drawn"
        assert browser.text("#counted") == "6 of 6 labelled · 3 positive · 1 unclear"
        assert browser.all("#settle, #done a, #list:not([hidden])") == []
        browser.press("d")
        assert browser.text("#done p:last-child").startswith("Totals, disagreements and the series are on the coordin")
        browser.open(room.links["coordinator"])
        assert browser.rows("#overview")[0][:4] == ["Anna", "30 of 30", "0", "0"]
        assert browser.rows("#overview")[1] == ["Ben", "6 of 6", "3", "1", "–"]
        assert browser.text("#begin-settling") == "Settle 4 disagreements"
        assert browser.violations() == []
        browser.press("d")
        browser.says("#who", "Cleo")
        browser.gone("#rename")
        assert re.match(
            r"Krippendorff’s α is -?[0-9.]+ \(95% interval: .*\), of 5 documents", browser.says("#agreement", "α")
        )
        assert browser.rows("#beside") == [["a Anna", "none of them"], ["b Ben", "Iraq"]]
        assert browser.violations() == []
        typed(browser, "b")
        assert browser.text("#list h2") == "3 disagreements to settle"
        assert browser.rows("#beside")[1] == ["b Ben", f"Yugoslavia, {ATTACKS[1]}"]
        typed(browser, "2", Keys.ENTER)
        assert browser.rows("#beside")[1] == ["b Ben", "unclear"]
        typed(browser, "a")
        typed(browser, "n")
        assert browser.text("#list h2") == "All disagreements are settled"
        disagreements = room.asked("disagreements")
        assert [disagreement["answer"]["acting"] for disagreement in disagreements] == [["IRQ"], ["YUG"], [], []]
        browser.click(f'#list [data-document="{twice[1]}"]')
        assert pressed(browser) == ["actor-0"]
        typed(browser, "n")
        assert room.asked("disagreements")[0]["answer"] == {"acting": [], "unclear": False}
        assert room.answers("Ben")[twice[1]] == ["IRQ"], "their answers stay what they were"
        browser.press("d")
        assert browser.text("#place").startswith("Document "), "the coordinator may read, too"


@pytest.mark.long
def test_a_link_of_ones_own_needs_no_name(browser: Browser, room_store: Path) -> None:
    """Nor does it answer under the name that the browser kept from another room."""
    with serving_room(room_store, "--coders", "Anna,Ben", n_links=3) as room:
        assert list(room.links) == ["coordinator", "Anna", "Ben"]
        enter(browser, room.address, "Cleo")
        for name in ("Anna", "Ben"):
            browser.open(room.links[name])
            browser.says("#who", name)
            browser.gone("#rename")
            assert "token" not in browser.driver.current_url
            typed(browser, "n")
            assert browser.text("#counted").startswith("1 of ")
        browser.driver.get(room.home)  # a page without a script, which is never busy
        assert browser.seen().startswith("Only the coordinator may do this.")
        enter(browser, room.address, "anna")
        browser.says("#problems", "anna has another link. Open that link, or choose another name.")
        assert browser.one("#coder").get_attribute("value") == "anna"
        assert len(browser.all("#name:not([hidden])")) == 1
        browser.errors()  # the browser notes the answer 403 itself


@pytest.mark.long
def test_of_one_actor_every_answer_is_one_key(browser: Browser, tmp_path: Path) -> None:
    make_hostile_store(path := tmp_path / "one.duckdb")
    with EventStore.open(path, read_only=False) as store:
        draw_documents(store, 12, actors=["IRQ"], question="Which of these attack here?", period="none")
    with serving_room(path) as room:
        browser.open(room.address)
        browser.run("localStorage.removeItem('howsure-coder')")
        browser.open(room.label)
        assert browser.text("#question") == "Which of these attack here?"
        assert re.fullmatch(
            "12 documents to label, (about [0-9]+ minutes?|less than a minute). The time is estimated from [0-9]+ "
            "words to read, at 238 a minute, and 5 seconds for each answer.",
            browser.text("#about"),
        )
        browser.press(*"eve", Keys.ENTER)
        for key in "y1nu":
            browser.press(key)
        order = room.asked("room", coder="eve")["documents"]
        assert (browser.text("#actor-0"), browser.text("#none")) == ("y Yes: Iraq", "n No")
        assert room.answers("eve") == dict(zip(order, [["IRQ"], ["IRQ"], [], "unclear"], strict=False))


@pytest.mark.long
def test_hostile_texts_titles_and_names_do_nothing(browser: Browser, census: ServedRoom) -> None:
    coder = '"><img src=x onerror="window.taken=1">'
    enter(browser, census.address, coder)
    assert browser.text("#who") == f"· {coder}"
    for number, attack in enumerate(ATTACKS, 1):
        browser.open(f"{census.label}#document={number}")
        assert browser.run("return document.querySelector('#document h2').textContent") == attack
        tags = browser.run("return [...document.querySelectorAll('body *')].map((e) => e.localName)")
        assert not (FORBIDDEN - {"a", "script"}) & set(tags)
        assert browser.run(HARMFUL) == []
    typed(browser, "3", Keys.ENTER)
    assert census.answers(coder) == {len(ATTACKS): ["KWT"]}
    assert browser.run("return document.querySelectorAll('script').length") == 1
    browser.open(f"{census.label}#settle=%3Cimg%20src=x%20onerror=window.taken=2%3E")
    assert browser.text("#place").startswith("Document "), "who reads still is shown no disagreement"


@pytest.mark.long
def test_a_phone_in_the_dark(browser: Browser, census: ServedRoom) -> None:
    """No line is wider than the screen; the buttons are visible without scrolling, and leave room for the text."""
    try:
        browser.resize(390, 844)
        browser.prefer("dark")
        enter(browser, census.address, "phone")
        browser.open(f"{census.label}#document=2")
        assert browser.run("return document.documentElement.scrollWidth") <= 390
        browser.run(
            "const one = document.createElement('span'); one.className = 'total';"
            "one.textContent = 'El Salvador unknown: too few clear and agreed answers';"
            "document.getElementById('intervals').append(one)"
        )
        assert browser.run("return document.documentElement.scrollWidth") <= 390
        assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
        for more in ("", " and so on" * 1000):
            browser.run("document.getElementById('text').append(arguments[0])", more)
            top, bottom = browser.run(
                "const r = document.getElementById('answer').getBoundingClientRect();return [r.top, r.bottom]"
            )
            assert 844 * 0.4 < top < bottom <= 845
        browser.click("#actor-1")
        browser.click("#save")
        assert census.answers("phone") == {2: ["YUG"]}
    finally:
        browser.prefer("light")
        browser.resize(*WINDOW)


@pytest.mark.long
def test_whatever_can_be_used_has_a_name(browser: Browser, room: ServedRoom) -> None:
    enter(browser, room.address, "by ear")
    assert browser.run("return document.getElementById('status').textContent") == f"Document 1 of {READ}."
    assert browser.run(UNNAMED) == []
    assert browser.violations() == []
    states = browser.run("return [...document.querySelectorAll('#choices button')].map(e => e.ariaPressed)")
    assert states == ["false"] * (len(ACTORS) + 2)
    headings = browser.run("return [...document.querySelectorAll('h1, h2, h3')].map(e => Number(e.localName[1]))")
    assert headings[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(headings))
    ids = browser.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(set(ids)) == len(ids)
    typed(browser, "1", Keys.ENTER)
    outcome = browser.run("return document.getElementById('status').textContent")
    assert outcome == f"Saved: Iraq. Document 2 of {READ}."
