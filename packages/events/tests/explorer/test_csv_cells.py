"""The page that stands by itself writes the cells of its CSV as Python does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from howsure.show.table import csv_line, in_a_spreadsheet
from tests.source import EVENTS

if TYPE_CHECKING:
    from tests.explorer.chromium import Browser

SOURCE = EVENTS / "explorer" / "page" / "embedded.js"
PIECES = [*"'=+-@;,\t\n\r\" .1e＝", "\x1b", "\u202e", "\ufeff", "😀", "-0.5", "inf", "x"]


def page_functions() -> str:
    """The part of the page that writes cells, as a script."""
    text = SOURCE.read_text(encoding="utf-8")
    start, end = text.index("// As Python writes CSV"), text.index("// The data in the page")
    return text[start:end].replace("export function", "function")


@pytest.mark.long
def test_the_page_writes_cells_as_python_does(browser: Browser) -> None:
    draw = random.Random(0)
    texts = ["".join(draw.choices(PIECES, k=draw.randint(0, 8))) for _ in range(3000)]
    texts += ["=1+1;=2", "'=1+1", "-0.5", "+", "1_0", "-1_0", "-1e5", "+.5", "-5.", "+inf", "-NaN", "'\t=1"]
    cells = browser.run(f"{page_functions()}\nreturn arguments[0].map(csvCell);", texts)
    expected = [csv_line([in_a_spreadsheet(text), ""])[:-1] for text in texts]
    assert [pair for pair in zip(texts, cells, expected, strict=True) if pair[1] != pair[2]] == []
