"""Reports on a phone and in the dark: nothing reaches beyond the window, and what is written can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import printed
from tests.explorer.chromium import Browser

import howsure

LUMINANCE = """
const [r, g, b] = getComputedStyle(arguments[0])[arguments[1]].match(/[0-9]+/g).map(Number);
return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
"""


NAME = "a-folder-with-a-rather-long-name-that-cannot-be-broken-anywhere-at-all"


def predictions() -> tuple[np.ndarray, np.ndarray]:
    """Labels and probabilities."""
    rng = np.random.default_rng(0)
    q = rng.random(600)
    return (rng.random(600) < q).astype(int), q


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The page of a command."""
    folder, (y, q) = tmp_path_factory.mktemp(NAME), predictions()
    csv = folder / "dev.csv"
    rows = (f"{a},{b:.4f},group-{i % 2}\n" for i, (a, b) in enumerate(zip(y, q, strict=True)))
    csv.write_text("y,p,g\n" + "".join(rows))
    printed("calibration", csv, "--target", "y", "--prob", "p", "--group", "g", "--report", folder / "curves.html")
    return [folder / "curves.html"]


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The pages of other results."""
    folder, (y, q) = tmp_path_factory.mktemp(NAME), predictions()
    howsure.compare_calibration(y, q**2, against=q).report(folder / "compared.html")
    howsure.resample_models(
        y, y, {"the other": 1 - y}, metrics="accuracy", method="permutation", n_resamples=50, rng=0
    ).report(folder / "models.html")
    howsure.estimate_counts([*y[:200], *[np.nan] * 400], q, rng=0).report(folder / "counts.html")
    return sorted(folder.glob("*.html"))


@pytest.fixture
def phone(browser: Browser) -> Iterator[Browser]:
    browser.resize(390, 844, mobile=True)
    yield browser
    browser.prefer("light")
    browser.resize(1000, 800)


@pytest.mark.long
@pytest.mark.parametrize(("name", "n"), [("curves", 1), ("others", 3)])
def test_nothing_reaches_beyond_a_phone_or_is_unreadable_in_the_dark(
    phone: Browser, name: str, n: int, request: pytest.FixtureRequest
) -> None:
    pages, driver = request.getfixturevalue(name), phone.driver
    assert len(pages) == n
    for page in pages:
        for scheme, dark in (("light", False), ("dark", True)):
            phone.prefer(scheme)
            driver.get(page.as_uri())
            assert driver.execute_script("return document.documentElement.scrollWidth") <= 390, page.name
            body = driver.find_element("tag name", "body")
            paper, ink = (driver.execute_script(LUMINANCE, body, what) for what in ("backgroundColor", "color"))
            assert (paper < 0.2 and ink > 0.8) if dark else (paper > 0.9 and ink < 0.2)
            pictures = [svg for svg in driver.find_elements("css selector", "figure > svg") if svg.is_displayed()]
            assert pictures
            assert all(("invert" in svg.value_of_css_property("filter")) is dark for svg in pictures)
            wide = driver.find_elements("css selector", ".wide.on-a-phone")
            assert len(wide) == (page.name == "counts.html")
            assert all(
                phone.run("return arguments[0].scrollWidth <= arguments[0].clientWidth", table) for table in wide
            )
            copied = "return getComputedStyle(document.querySelector('pre.copy')).userSelect"
            assert driver.execute_script(copied) == "all"


@pytest.mark.long
def test_the_command_and_the_recipe_can_be_copied(curves: list[Path]) -> None:
    page = curves[0].read_text(encoding="utf-8")
    assert '<pre class="copy">howsure calibration ' in page
    assert "--target y --prob p --group g --report" in page
    assert "&#34;binning&#34;: &#34;adaptive&#34;" in page
