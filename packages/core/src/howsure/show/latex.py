"""Text and tables in LaTeX: escaped, with booktabs lines and the legend in the caption."""

from __future__ import annotations

import re
from collections.abc import Sequence

PREAMBLE = r"\usepackage{booktabs}"
ESCAPED = {
    **{mark: rf"\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "|": r"\textbar{}",
    '"': "''",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "−": "$-$",
    "·": r"$\cdot$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "²": "$^2$",
    "³": "$^3$",
    "₂": "$_2$",
    "\u00a0": "~",
}
PDFLATEX = re.compile(r"[^\x00-\u017f“”‘’–—…−·↑↓≤≥±×∞²³₂→\u00a0]")  # characters that need another engine
COLUMN, CHARACTER, GAP = 3.3, 0.073, 0.17  # inches: width of a text column of two, of a digit of 10 pt, and of a gap


def latex_escaped(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> print(latex_escaped("50 % of a_b -- c"))
    50 \% of a\_b -{}- c
    """
    apart = re.sub("-(?=-)", "-\0", text)  # otherwise two hyphens become a dash
    return "".join(ESCAPED.get(character, character) for character in apart).replace("\0", "{}")


def latex_number(text: str) -> str:
    r"""Return a cell with numbers in LaTeX's notation: signs in math mode, and stars as superscripts.

    >>> latex_number("[-0.0046, +0.0012]"), latex_number("< 1e-05**"), latex_number("1–3")
    ('[$-$0.0046, +0.0012]', '$<$ 1e$-$05$^{**}$', '1--3')
    """
    starred = re.fullmatch(r"(.*?)(\*+)", text)
    shown, stars = starred.groups() if starred else (text, "")
    signed = re.sub(r"(?<!-)-(?=[\d.])", "$-$", latex_escaped(shown)).replace(r"\textless{}", "$<$")
    return signed + (f"$^{{{stars}}}$" if stars else "")


def latex_tabular(rows: Sequence[Sequence[str]], *, words: Sequence[bool]) -> list[str]:
    """Return the lines of a tabular, from escaped cells; the first row contains the headings."""
    first, *rest = (" & ".join(_protect_first_cell(row)) + r" \\" for row in rows)
    columns = "".join("l" if word else "r" for word in words)
    body = [r"\toprule", first, r"\midrule", *rest, r"\bottomrule"]
    return [rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]


def latex_float(tabular: Sequence[str], *, caption: str, label: str | None, inches: float) -> list[str]:
    """Return the lines of a floating table with a caption; a wide table spans both columns of a page."""
    kind = "table" if inches <= COLUMN else "table*"
    named = [] if label is None else [rf"\label{{{label}}}"]
    return [rf"\begin{{{kind}}}", r"\centering", *tabular, rf"\caption{{{caption}}}", *named, rf"\end{{{kind}}}"]


def latex_advice(text: str) -> list[str]:
    """Return comments on the packages that the preamble needs, and on the engine if pdfLaTeX is not enough."""
    other = sorted(set(PDFLATEX.findall(text)))
    engine = [f"% LuaLaTeX or XeLaTeX and a font that has {' '.join(other[:8])}"] if other else []
    return [f"% preamble: {PREAMBLE}", *engine]


def table_inches(widths: Sequence[int]) -> float:
    """The approximate width of a table whose columns have these numbers of characters, in 10-point text."""
    return sum(widths) * CHARACTER + len(widths) * GAP


def _protect_first_cell(row: Sequence[str]) -> list[str]:
    r"""The row, with {} before a first cell that LaTeX would otherwise read as an argument of the preceding \\."""
    return [f"{{}}{row[0]}" if row and row[0].startswith(("[", "*")) else row[0], *row[1:]] if row else []
