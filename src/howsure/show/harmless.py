"""Names that others chose, made harmless: they steer no terminal, and no spreadsheet takes them for formulas."""

from __future__ import annotations

import re

# Controls but tab and line feed; marks that turn the direction of writing; separators of lines; what is no character.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
FORMULAS = tuple("=+-@\t\r\n＝＋－＠")


def on_a_terminal(text: str) -> str:
    r"""Text with what would steer a terminal written out, in the way of JSON.

    >>> print(on_a_terminal("Iraq \x1b[31m attacks"))
    Iraq \u001b[31m attacks
    """
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_a_line(text: str) -> str:
    r"""The same for a cell of a table, which is one line.

    >>> print(in_a_line("Iraq\n\tattacks"))
    Iraq\u000a\u0009attacks
    """
    return on_a_terminal(text).replace("\n", r"\u000a").replace("\t", r"\u0009")


def in_a_spreadsheet(text: str) -> str:
    """A cell of CSV that a spreadsheet reads as text: an apostrophe stands before what it would take for a formula.

    Numbers stay, and a sign alone. Source: OWASP, *CSV Injection*.

    >>> [in_a_spreadsheet(text) for text in ("=cmd|' /C calc'!A0", "-LRB-", "-0.5", "+", "Iraq")]
    ["'=cmd|' /C calc'!A0", "'-LRB-", '-0.5', '+', 'Iraq']
    """
    shown = on_a_terminal(text)
    return f"'{shown}" if text.startswith(FORMULAS) and len(text) > 1 and not _is_number(text) else shown


def out_of_a_spreadsheet(text: str) -> str:
    """The text for which such a cell stands: without the apostrophe that was put before it.

    >>> [out_of_a_spreadsheet(text) for text in ("'-LRB-", "'t Hooft", "-0.5")]
    ['-LRB-', "'t Hooft", '-0.5']
    """
    return text[1:] if text.startswith("'") and in_a_spreadsheet(text[1:]) == text else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text and text == text.strip()
