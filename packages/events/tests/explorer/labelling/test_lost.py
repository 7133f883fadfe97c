"""What could lose an answer, or store one that nobody gave: kills, two tabs, a page elsewhere."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from tests.explorer.chromium import Browser
from tests.explorer.labelling.rooms import ServedRoom, current, enter, pressed, serving_room, typed


@pytest.mark.long
def test_a_kill_between_two_answers_loses_none(browser: Browser, room_store: Path) -> None:
    with serving_room(room_store, killed=True) as room:
        enter(browser, room.address, "killed")
        order = room.asked("room", coder="killed")["documents"]
        for keys in ("1", "n", "u", "2", "3", "1", "n"):
            typed(browser, keys, *([] if keys in "nu" else [Keys.ENTER]))
        expected = room.answers("killed")
        answers = [["IRQ"], [], "unclear", ["YUG"], ["KWT"], ["IRQ"], []]
        assert expected == dict(zip(order, answers, strict=False))
        room.process.kill()
        room.process.wait()
        typed(browser, "1", Keys.ENTER)
        assert "Not saved. The server does not answer." in browser.text("#problems")
        assert (current(browser), pressed(browser)) == (order[7], ["actor-0"]), "the choice is still there"
    with serving_room(room_store) as room:
        assert room.answers("killed") == expected
        browser.run("window.onbeforeunload = null; history.replaceState(null, '', '/label')")
        enter(browser, room.address, "killed")
        assert current(browser) == order[7]
    browser.errors()  # the browser notes the lost connection itself


@pytest.fixture
def two_tabs(browser: Browser, room: ServedRoom, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Two tabs on the same document, of the same coder; the first one shows that there is another."""
    first = browser.driver.current_window_handle
    coder = f"tabs {request.node.name[-30:]}"
    enter(browser, room.address, coder)
    browser.driver.switch_to.new_window("tab")
    second = browser.driver.current_window_handle
    browser.open(room.label)
    assert browser.text("#who") == f"· {coder}"
    for tab in (second, first):
        browser.driver.switch_to.window(tab)
        browser.says("#problems", f"This room is open in another tab as {coder} too.")
    yield [first, second, coder]
    browser.driver.switch_to.window(second)
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.errors()  # the browser notes the answer 409 itself


@pytest.mark.long
@pytest.mark.parametrize(("button", "kept"), [("#take-mine", ["YUG"]), ("#take-theirs", ["IRQ"])])
def test_two_tabs_do_not_overwrite_each_other(
    browser: Browser, room: ServedRoom, two_tabs: list[str], button: str, kept: list[str]
) -> None:
    first, second, coder = two_tabs
    here = current(browser)
    browser.driver.switch_to.window(second)
    browser.press("2")
    browser.driver.switch_to.window(first)
    typed(browser, "1", Keys.ENTER)
    browser.driver.switch_to.window(second)
    browser.says("#counted", "1 of 30 labelled")
    assert (current(browser), pressed(browser)) == (here, ["actor-1"]), "the choice waits"
    browser.press(Keys.ENTER)
    problem = browser.text("#problems")
    assert "This document was answered in your name elsewhere meanwhile." in problem
    assert "There: “Iraq”; here: “Yugoslavia”." in problem
    assert room.answers(coder) == {here: ["IRQ"]}, "nothing is overwritten unasked"
    browser.click(button)
    assert room.answers(coder) == {here: kept}


@pytest.mark.long
def test_the_same_answer_in_two_tabs_does_not_conflict(browser: Browser, room: ServedRoom, two_tabs: list[str]) -> None:
    first, second, coder = two_tabs
    here = current(browser)
    browser.driver.switch_to.window(second)
    browser.press("1")
    browser.driver.switch_to.window(first)
    typed(browser, "1", Keys.ENTER)
    browser.driver.switch_to.window(second)
    browser.press(Keys.ENTER)
    assert current(browser) != here
    assert room.answers(coder) == {here: ["IRQ"]}


@pytest.mark.long
def test_a_tab_in_which_nothing_is_chosen_follows_the_other(browser: Browser, two_tabs: list[str]) -> None:
    here = current(browser)
    typed(browser, "2", Keys.ENTER)
    browser.driver.switch_to.window(two_tabs[1])
    browser.one("#actor-1[aria-pressed=true]")
    assert current(browser) == here
    assert browser.text("#counted").startswith("1 of 30 labelled · ")
    browser.click("#forward")
    browser.driver.switch_to.window(two_tabs[0])
    browser.press("z")
    browser.driver.switch_to.window(two_tabs[1])
    browser.says("#counted", "0 of 30 labelled")


ATTACK = """
const [address, number, done] = arguments;
const body = JSON.stringify({ document: number, coder: "forged", acting: [], unclear: false, revision: 0 });
const target = `${address}api/label/answer`;
const ways = [
  { mode: "no-cors", body, headers: { "content-type": "text/plain" } },
  { mode: "no-cors", body: new Blob([body], { type: "text/plain" }) },
  { mode: "cors", body, headers: { "content-type": "application/json" } },
  { mode: "cors", body, headers: { "content-type": "application/json", "x-howsure-writing": "guessed" } },
];
Promise.allSettled(ways.map((way) => fetch(target, { method: "POST", credentials: "include", ...way })))
  .then((found) => done(found.map((one) => one.status === "fulfilled" ? one.value.type : "refused")));
"""
FORM = """
const form = document.createElement("form");
Object.assign(form, { method: "POST", action: `${arguments[0]}api/label/answer`, enctype: "text/plain" });
const input = document.createElement("input");
Object.assign(input, { name: arguments[1], value: "" });
form.append(input);
document.body.append(form);
form.submit();
"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of another origin on the same host, to which the browser sends the cookies of this host."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>elsewhere</title><p class=problem>elsewhere</p>")

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.long
def test_another_site_cannot_write(browser: Browser, room: ServedRoom, elsewhere: str) -> None:
    """Even one on the same host, whose requests carry the cookie; by script and by a form."""
    enter(browser, room.address, "victim")
    number = current(browser)
    browser.open(elsewhere)
    browser.asked()
    outcomes = browser.driver.execute_async_script(ATTACK, room.home, number)
    assert outcomes == ["refused"] * 4
    body = f'{{"document": {number}, "coder": "forged", "acting": [], "unclear": false, "revision": 0, "x": "'
    browser.run(FORM, room.home, body)
    browser.wait(lambda: browser.driver.current_url.endswith("/api/label/answer"), "the answer to the form")
    assert "Only this page itself may read its data and write" in browser.seen()
    assert room.asked("room", coder="forged")["answered"] == []
    assert [address for address in browser.asked() if address.endswith("/api/label/answer")], "it was tried"
    browser.errors()
