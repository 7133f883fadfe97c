"""Rows of text as an aligned table, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from howsure.cli.terminal.output import is_raw
from howsure.show.harmless import in_a_line, in_a_spreadsheet

FORMATS = ("table", "json", "csv", "markdown", "latex")
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
LATEX |= {"^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}"}


@dataclass(frozen=True)
class Table:
    """Headers and rows of text. Columns named in `words` are aligned to the left, all others to the right.

    Names in the cells steer no terminal and are no formulas, unless the user wants them --raw.

    `comment` goes above a Markdown or LaTeX table as a comment: the recipe.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    comment: str = ""

    def text(self, form: str) -> str:
        """The table in one of the formats, ending in a newline."""
        shown = self if is_raw() else self._with(in_a_spreadsheet if form == "csv" else in_a_line)
        return {"table": shown._plain, "csv": shown._csv, "markdown": shown._markdown, "latex": shown._latex}[form]()

    def _with(self, changed: Callable[[str], str]) -> Table:
        return replace(self, rows=[[changed(cell) for cell in row] for row in self.rows])

    @cached_property
    def _widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.headers, *self.rows, strict=True)]

    def _padded(self, row: Sequence[str]) -> list[str]:
        return [
            cell.ljust(width) if header in self.words else cell.rjust(width)
            for cell, width, header in zip(row, self._widths, self.headers, strict=True)
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
            for h, width in zip(self.headers, self._widths, strict=True)
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
