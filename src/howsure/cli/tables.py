"""Rows of text as an aligned table, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

FORMATS = ("table", "json", "csv", "markdown", "latex")
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
LATEX |= {"^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}"}


@dataclass(frozen=True, slots=True)
class Table:
    """Headers and rows of text. Columns named in `words` are aligned to the left, all others to the right.

    `comment` goes above a Markdown or LaTeX table as a comment: the recipe.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    comment: str = ""

    def text(self, form: str) -> str:
        """The table in one of the formats, ending in a newline."""
        return {"table": self._plain, "csv": self._csv, "markdown": self._markdown, "latex": self._latex}[form]()

    def _widths(self) -> list[int]:
        return [max(len(row[i]) for row in (self.headers, *self.rows)) for i in range(len(self.headers))]

    def _padded(self, row: Sequence[str]) -> list[str]:
        left = [header in self.words for header in self.headers]
        return [
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, self._widths(), left, strict=True)
        ]

    def _plain(self) -> str:
        lines = ["  ".join(self._padded(row)).rstrip() for row in (self.headers, *self.rows)]
        return "\n".join([lines[0], "─" * max(len(line) for line in lines), *lines[1:]]) + "\n"

    def _csv(self) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.headers, *self.rows])
        return out.getvalue()

    def _markdown(self) -> str:
        rule = [
            "-" * max(width, 3) + ("" if h in self.words else ":")
            for h, width in zip(self.headers, self._widths(), strict=True)
        ]
        rows = [[cell.replace("|", r"\|") for cell in row] for row in (self.headers, *self.rows)]
        lines = ["| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:])]
        return "\n".join([*([f"<!-- {self.comment.replace('--', '- -')} -->"] if self.comment else []), *lines]) + "\n"

    def _latex(self) -> str:
        columns = "".join("l" if header in self.words else "r" for header in self.headers)
        escapes = [latex_escaped if header in self.words else latex_number for header in self.headers]
        cells = [[latex_escaped(header) for header in self.headers]]
        cells += [[escape(cell) for escape, cell in zip(escapes, row, strict=True)] for row in self.rows]
        rows = [" & ".join(row) + r" \\" for row in cells]
        head = [f"% {line}" for line in self.comment.splitlines()]
        body = [r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule"]
        return "\n".join([*head, rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]) + "\n"


def latex_escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(LATEX.get(character, character) for character in text)


def latex_number(text: str) -> str:
    r"""A cell of numbers, with the minus that LaTeX prints in formulas.

    >>> latex_number("[-0.0046, +0.0012]"), latex_number("< 1e-05")
    ('[$-$0.0046, +0.0012]', '\\textless{} 1e$-$05')
    """
    return re.sub(r"-(?=[\d.])", "$-$", latex_escaped(text))
