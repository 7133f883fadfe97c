"""Names that others chose: no terminal obeys them, no spreadsheet computes them, and what is harmless stays."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.show.harmless import in_a_line, in_a_spreadsheet, on_a_terminal

FORMULAS = [
    "=1+1",
    "+lex",
    "-LRB-",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "=cmd|' /C calc'!A0",
    "--",
    "＝1",
    "+1 +2",
    "-1_0",
]
CELLS = ["Iraq", "0.5", "-0.5", "+0.0820", "-1e-05", "-inf", "+", "-", "=", "", "a=b", " =1", "1-2", "(-1)"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_text(text: str) -> None:
    assert in_a_spreadsheet(text) == f"'{on_a_terminal(text)}"


@pytest.mark.parametrize("text", CELLS)
def test_other_cells_stay(text: str) -> None:
    assert in_a_spreadsheet(text) == text


@given(st.text())
def test_nothing_that_is_printed_steers_a_terminal(text: str) -> None:
    shown = on_a_terminal(text)
    assert all(one in "\n\t" or unicodedata.category(one) != "Cc" for one in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
    assert "\n" not in in_a_line(text)
    shown.encode("utf-8")


@given(st.text())
def test_json_says_the_same(text: str) -> None:
    """What is written out is written as JSON does it, so that a document means what it meant."""
    document = json.dumps({"name": text}, ensure_ascii=False)
    assert json.loads(on_a_terminal(document)) == {"name": text}
