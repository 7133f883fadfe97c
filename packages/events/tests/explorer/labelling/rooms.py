"""Stores with documents drawn for labelling, and their room: `howsure events label` in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from tests.explorer.chromium import Browser
from tests.explorer.hostile_store import DOCUMENTS, make_hostile_store
from tests.explorer.serving import ServedPage

from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

ACTORS = ("IRQ", "YUG", "KWT")  # keys 1, 2, 3; the title of the last is hostile
READ = 30
LINK = re.compile(r"http://127\.0\.0\.1:[0-9]+/label\?token=[\w-]{32}(?=\s)")
COMMAND = [sys.executable, "-m", "howsure_cli", "events", "label", "--port", "0", "--no-open"]


def make_room_store(path: Path, documents: int = READ) -> Path:
    """The hostile store with documents drawn for labelling."""
    make_hostile_store(path)
    with EventStore.open(path, read_only=False) as store:
        draw_documents(store, documents, actors=ACTORS, question="Which of these attack here?", period="none")
    return path


def make_census(path: Path) -> Path:
    """All documents of the hostile store are to be read."""
    return make_room_store(path, DOCUMENTS)


@dataclass(frozen=True)
class ServedRoom(ServedPage):
    """A room that is served: the links of its visitors (the first one's is `address`), and its process."""

    process: subprocess.Popen[str]
    links: Mapping[str, str]

    @property
    def home(self) -> str:
        return self.address.partition("label?")[0]

    @property
    def label(self) -> str:
        return f"{self.home}label"

    def link_of(self, coder: str | None) -> str:
        """The link by which a coder answers; that of the coordinator without a coder."""
        return self.links["coordinator"] if coder is None else self.links.get(coder) or self.links["coders"]

    def asked(self, question: str, **parameters: Any) -> Any:
        """What the server answers to a coder, or to the coordinator if no coder asks."""
        with self.client(self.link_of(parameters.get("coder"))) as client:
            answer = client.get(f"/api/label/{question}", params=parameters)
            assert answer.status_code == 200, answer.text
            return answer.json()

    def answers(self, coder: str) -> dict[int, Any]:
        """A coder's answers in the store: who acts, or "unclear"."""
        with self.client(self.link_of(coder)) as client:
            answers = {}
            for number in client.get("/api/label/room", params={"coder": coder}).json()["answered"]:
                answer = client.get("/api/label/document", params={"coder": coder, "number": number}).json()["answer"]
                answers[number] = "unclear" if answer["unclear"] else answer["acting"]
            return answers


@contextmanager
def serving_room(
    store: Path, *options: str, killed: bool = False, n_links: int = 2, question: str = "Which of these attack here?"
) -> Iterator[ServedRoom]:
    """A labelling room while it is served; Ctrl-C must end it in silence, unless the test kills it."""
    command = [*COMMAND, str(store), *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            drawn, line = server.stdout.readline(), ""
            assert f"drawn before: {question}" in drawn, drawn + _ended(server)
            while " is labelled " not in line:
                line = server.stdout.readline()
                assert line, _ended(server)
            links = {}
            if shared := LINK.search(line):
                links["coders"] = shared[0]
            while "coordinator" not in links or len(links) < n_links:
                line = server.stdout.readline()
                parts = re.match(r"  (\w+).*: (?=http)", line), LINK.search(line)
                assert all(parts), line + _ended(server)
                links[parts[0][1]] = parts[1][0]
            yield ServedRoom(next(iter(links.values())), server, links)
        finally:
            server.send_signal(signal.SIGINT)
            code, complaint = server.wait(30), server.stderr.read()
        assert (code, complaint) == ((-signal.SIGKILL, "") if killed else (0, ""))


def _ended(server: subprocess.Popen[str]) -> str:
    """What a server says to the end, which reading alone would wait for without end."""
    server.terminate()
    return server.communicate()[1]


def enter(browser: Browser, address: str, coder: str) -> None:
    """Open the room as somebody who has not been there: the name is asked, and typed."""
    browser.open(address)
    browser.run("localStorage.removeItem('howsure-coder')")
    browser.open(address.partition("#")[0].partition("?")[0] + "#")
    if browser.run("return document.querySelector('#overview')?.hidden === false"):
        browser.click("#begin-labelling")
    browser.one("#coder").send_keys(coder)
    browser.press(Keys.ENTER)


def typed(browser: Browser, *keys: str) -> None:
    """Keys, one after another without a pause, but for what saves: keys that come meanwhile are not taken."""
    for saved in re.split(f"(?<=[nu{Keys.ENTER}]) ", " ".join(keys)):
        ActionChains(browser.driver, duration=0).send_keys(*saved.split()).perform()
        browser.settle()


def current(browser: Browser) -> int:
    """The number of the document on the desk."""
    return int(browser.run("return new URLSearchParams(location.hash.slice(1)).get('document')"))


def pressed(browser: Browser) -> list[str]:
    """The buttons that are pressed, by their ids."""
    return browser.run("return [...document.querySelectorAll('#choices [aria-pressed=true]')].map(e => e.id)")
