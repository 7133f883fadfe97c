"""Docstrings as Markdown."""

from __future__ import annotations

import pytest

from website.docstrings import as_markdown


@pytest.mark.parametrize(
    ("text", "names", "shown"),
    [
        ("One sentence.", [], "One sentence.\n"),
        (
            "Do.\n\ny (n,): labels.\nbin_size: pairs per bin, or\n    more. level: of the interval.",
            ["y", "bin_size", "level"],
            "Do.\n\n- **`y`** (n,): labels.\n- **`bin_size`**: pairs per bin, or more.\n"
            "- **`level`**: of the interval.\n",
        ),
        (
            "What was found. low, high and mid: its interval.",
            ["low", "high", "mid"],
            "What was found.\n\n- **`low`**, **`high`** and **`mid`**: its interval.\n",
        ),
        ("Do.\n\nunit: documents. An x: a label.", ["other"], "Do.\n\n- **`unit`**: documents. An x: a label.\n"),
        ("It is\nthat: a label.", ["other"], "It is\nthat: a label.\n"),
        ("It is y: a label.", ["y"], "It is y: a label.\n"),
        ("Add.\n\n>>> 1 + 1\n2", [], "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n"),
        ("Ways:\n- one\n- two", [], "Ways:\n\n- one\n- two\n"),
        ("Text.\nRaises InputError.\nSource: A (2015).", [], "Text.\n\nRaises InputError.\n\nSource: A (2015).\n"),
        ("See docs/calibration.md.", [], "See [calibration](../calibration.md).\n"),
    ],
)
def test_a_docstring_becomes_markdown(text: str, names: list[str], shown: str) -> None:
    assert as_markdown(text, names) == shown


def test_every_line_of_an_example_is_code() -> None:
    shown = as_markdown("Do.\n\n>>> for n in range(2):\n...     print(n)\n0\n1\n\n>>> 3\n3\n\nSource: A.")
    assert shown.count("```pycon") == 2
    assert ">>> " not in shown.replace("```pycon\n>>> ", "")
