"""Screenshots of HTML pages for a person to look at: `python -m tests.screens FOLDER PAGE ...`.

A page is a file or an address, and may end in #hash. Each gets four pictures in FOLDER: wide and on a phone, light and
dark. A page that is wider than its window is reported.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from tests.explorer.chromium import Browser, chromium

SIZES = {1360: 900, 390: 844}
PHONE = 500  # a narrower window is a phone's
MAX_HEIGHT = 6000


def take(browser: Browser, address: str, target: Path, *, width: int) -> None:
    """Write the whole page, as far as MAX_HEIGHT, to a PNG file."""
    browser.driver.get("about:blank")
    browser.driver.get(address)
    if browser.run("return Boolean(document.querySelector('#series, main[aria-busy]'))"):
        browser.settle()
    wide, tall = browser.run("const page = document.documentElement; return [page.scrollWidth, page.scrollHeight]")
    if wide > width:
        print(f"{target.name}: {wide} pixels wide, in a window of {width}")
    clip = {"x": 0, "y": 0, "width": max(wide, width), "height": min(tall, MAX_HEIGHT), "scale": 1}
    options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
    target.write_bytes(base64.b64decode(browser.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]))


def main(folder: str, *pages: str) -> None:
    """Take four pictures of each page."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as browser:
        for page in pages:
            file, _, hash_ = page.partition("#")
            address = page if "://" in page else f"{Path(file).resolve().as_uri()}#{hash_}"
            for width, height in SIZES.items():
                browser.resize(width, height, mobile=width < PHONE)
                for scheme in ("light", "dark"):
                    browser.prefer(scheme)
                    take(browser, address, Path(folder, f"{Path(file).stem}-{width}-{scheme}.png"), width=width)


if __name__ == "__main__":
    main(*sys.argv[1:])
