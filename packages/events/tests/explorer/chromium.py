"""A real Chromium without a window, driven by selenium; it reaches this machine and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 300  # until a page is taken for one that will never say what it must; no test takes as long
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SETTLED = """
const done = arguments[0];
const begun = () => Boolean(document.querySelector('#period option, .problem, .room main:not([aria-busy])'));
const atRest = () => begun() && !document.querySelector('[aria-busy]');
setTimeout(() => done(atRest()));  // after the task in which the page receives the change of its address
"""


class Browser:
    """A window, and what a person does in it.

    Whatever a person does is done to a page at rest, and ends when the page is at rest again: drawn, with no answer
    outstanding. So what is read afterwards is the new, whatever the machine is busy with.
    """

    def __init__(self, driver: webdriver.Chrome, downloads: Path) -> None:
        self.driver, self.downloads = driver, downloads

    def open(self, address: str) -> None:
        """Go to an address as if typed."""
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 0, "y": 0})  # over nothing
        self.driver.get(address)
        self.settle()

    def settle(self) -> None:
        """Wait until the page is at rest: choices or a complaint are there, and no section waits for its answer."""
        self.wait(lambda: self.driver.execute_async_script(SETTLED), "the page at rest")

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """What a condition gives once it gives something; what is drawn anew meanwhile is looked for again."""
        waiting = WebDriverWait(self.driver, SECONDS, poll_frequency=0.03, ignored_exceptions=(WebDriverException,))
        try:
            return waiting.until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(f"waited {SECONDS} seconds for {what}; now there is {self.seen()}") from None

    def seen(self) -> str:
        """What stands on the page, for the message of a test that waits in vain."""
        return self.run("return document.body.innerText.slice(0, 2000)")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        """The first visible element; where all are folded away, what holds them is opened."""

        def found() -> WebElement | None:
            visible = next((e for e in self.all(selector) if e.is_displayed()), None)
            return visible or self.run(UNFOLD, selector)

        return self.wait(found, selector)

    def text(self, selector: str) -> str:
        return self.one(selector).text

    def says(self, selector: str, words: str) -> str:
        """The text of an element once it holds some words."""
        return self.wait(
            lambda: words in self.one(selector).text and self.one(selector).text, f"{words!r} in {selector}"
        )

    def gone(self, selector: str) -> None:
        self.wait(lambda: not any(e.is_displayed() for e in self.all(selector)), f"the end of {selector}")

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element, after scrolling to it."""
        self.settle()
        target = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", target)
        ActionChains(self.driver, duration=0).move_to_element(target).click().perform()
        self.settle()

    def choose(self, selector: str, value: str) -> None:
        """An entry of a menu."""
        self.settle()
        self.one(f'{selector} option[value="{value}"]').click()
        self.settle()

    def press(self, *keys: str) -> None:
        """Keys, sent to what has the focus."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()
            self.settle()

    def back(self) -> None:
        self.driver.back()
        self.settle()

    def forward(self) -> None:
        self.driver.forward()
        self.settle()

    def focused(self, attribute: str = "id") -> str:
        return self.run(f"return document.activeElement.getAttribute('{attribute}') || ''")

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def places(self, actor: str) -> dict[str, str]:
        """What each point of an actor's series says, by period."""
        outcome = self.run(
            "return [...document.querySelectorAll('#series .place')]"
            ".map(e => [e.dataset.actor, e.dataset.period, e.getAttribute('aria-label')])"
        )
        return {period: label for code, period, label in outcome if code == actor}

    def rows(self, section: str) -> list[list[str]]:
        """The cells of the first table of a section."""
        return self.run(
            "return [...document.querySelector(arguments[0] + ' table').tBodies[0].rows]"
            ".map(r => [...r.cells].map(c => c.textContent))",
            section,
        )

    def saved(self, suffix: str) -> str:
        """The text of the file that was saved; it is taken away."""
        path: Path = self.wait(lambda: next(self.whole_files(suffix), None), f"a file {suffix}")
        text = path.read_text(encoding="utf-8")
        path.unlink()
        return text

    def whole_files(self, suffix: str) -> Iterator[Path]:
        """Files that were saved to their end: Chromium reserves a name with an empty file while it writes another."""
        if not any(self.downloads.glob("*.crdownload")):
            yield from (path for path in self.downloads.glob(f"*{suffix}") if path.stat().st_size)

    def errors(self) -> list[str]:
        """What the console complains of since it was last asked; a breach of the policy among it."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def violations(self) -> list[str]:
        """What axe-core has against all that is on the page, unfolded: its rules are those of the WCAG, and more."""
        self.run("for (const one of document.querySelectorAll('details')) one.open = true")
        self.settle()
        self.run(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        report = self.driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        assert len(report["passes"]) > 20
        return [
            f"{violation['id']}: {node['html']}" for violation in report["violations"] for node in violation["nodes"]
        ]

    def asked(self) -> list[str]:
        """The addresses that any part of the page requested since the last call."""
        addresses = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses

    def resize(self, width: int, height: int, *, mobile: bool = False) -> None:
        """The size of what is seen of the page."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
        )

    def prefer(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


# A test that passes on the served page does nothing else on the page as a file, which `make check-slow` then opens.
SERVED_DAILY = pytest.mark.parametrize(
    "address", ["served", pytest.param("report", marks=pytest.mark.slow)], indirect=True
)
UNFOLD = """
for (const one of document.querySelectorAll(arguments[0])) {
  for (let held = one.closest("details:not([open])"); held; held = held.parentElement.closest("details:not([open])"))
    if (held.querySelector(":scope > summary") !== one) held.open = true;
}
"""


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A new Chromium with an empty profile; what it saves goes into a folder below."""
    downloads = folder / "downloads"
    downloads.mkdir()
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in (*ARGUMENTS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        where = {"behavior": "allow", "downloadPath": str(downloads)}
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
        browser = Browser(driver, downloads)
        browser.resize(1000, 800)
        yield browser
    finally:
        driver.quit()
