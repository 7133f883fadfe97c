"""Results of a store as small tables of text or HTML: what `print` and a notebook show, and the command line."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

UNDEFINED = "–"
MOST_ROWS = 24
Rows = Sequence[Sequence[str]]


def text_table(headings: Sequence[str], rows: Rows) -> str:
    """Aligned columns, the first one to the left; of many rows the first.

    >>> print(text_table(["period", "mean"], [["2001", "6.3"], ["2002", "2.5"]]))
    period  mean
      2001   6.3
      2002   2.5
    """
    shown = [headings, *([printable(cell) for cell in row] for row in rows[:MOST_ROWS])]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in shown]
    return "\n".join([*lines, *_more(rows)])


def html_table(headings: Sequence[str], rows: Rows, *, caption: str) -> str:
    """The same as HTML, for notebooks."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in headings)
    cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows[:MOST_ROWS])
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    more = "".join(f"<p>{line}</p>" for line in _more(rows))
    said = html.escape(caption)
    return (
        f"<div><table><caption>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
    )


def number(value: float | None, decimals: int) -> str:
    """A number with some decimals, or a dash where it is undefined."""
    return UNDEFINED if value is None or math.isnan(value) else f"{value:,.{decimals}f}"


def interval(low: float, high: float, decimals: int) -> str:
    """Both ends of an interval with some decimals, or a dash where it is undefined."""
    return UNDEFINED if math.isnan(low) else f"[{low:.{decimals}f}, {high:.{decimals}f}]"


def printable(text: str) -> str:
    """Text in one line, without what would steer a terminal.

    >>> printable("Iraq \\x1b[31m attacks\\n")
    'Iraq �[31m attacks'
    """
    return "".join(letter if letter.isprintable() else "�" for letter in " ".join(text.split()))


def _more(rows: Rows) -> list[str]:
    left = len(rows) - MOST_ROWS
    return [f"… {left:,} more rows: to_frame() has them all"] if left > 0 else []
