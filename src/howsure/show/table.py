"""Rows of text under headings: as an aligned text, HTML, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import html
import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from howsure.show.harmless import in_a_line, in_a_spreadsheet, on_a_terminal

MOST_ROWS = 24  # of a result that prints itself
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
LATEX |= {"^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}"}
# What Markdown would not show as it is: marks of emphasis, code, links and HTML, and backslashes before a mark.
MARKS = re.compile(
    r"[|*`]|\\(?=[!-/:-@\[-`{-~])|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[])"
)
LEFT = ' style="text-align: left"'


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows of cells. Columns whose heading is in `words` are aligned to the left, all others to the right.

    `caption` says what the table shows; Markdown and LaTeX hold it as a comment. `notes` are sentences to stand below.
    Headings and cells steer no terminal, and are no formulas and no HTML; `raw` leaves them as they are.

    >>> print(Table(["model", "error"], [["HMM", "0.1455"], ["CRF", "0.1014"]], words=["model"]))
    model   error
    ─────────────
    HMM    0.1455
    CRF    0.1014
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    caption: str = ""
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        """The caption, the table and the notes."""
        above = [on_a_terminal(self.caption)] if self.caption else []
        return "\n".join([*above, self.text(), *map(in_a_line, self.notes)])

    def text(self, *, raw: bool = False) -> str:
        """The columns side by side, without caption and notes."""
        shown = self._shown(in_a_line, raw)
        widths, left = _widths(shown), self._in_words
        lines = ["  ".join(map(_padded, row, widths, left)).rstrip() for row in shown]
        return "\n".join([lines[0], "─" * max(map(width_of, lines)), *lines[1:]])

    def html(self) -> str:
        """A table element, and a paragraph per note."""
        style = [LEFT if word else "" for word in self._in_words]
        head, *rows = [[html.escape(cell) for cell in row] for row in self._shown(in_a_line, raw=False)]
        cells = "".join(f'<th scope="col"{how}>{cell}</th>' for cell, how in zip(head, style, strict=True))
        body = ("".join(f"<td{how}>{cell}</td>" for cell, how in zip(row, style, strict=True)) for row in rows)
        caption = f"<caption>{html.escape(on_a_terminal(self.caption))}</caption>" if self.caption else ""
        lines = "\n".join(f"<tr>{row}</tr>" for row in body)
        notes = "".join(f"<p>{html.escape(in_a_line(note))}</p>" for note in self.notes)
        return f"<table>{caption}<thead><tr>{cells}</tr></thead><tbody>\n{lines}\n</tbody></table>{notes}"

    def csv(self, *, raw: bool = False) -> str:
        """Comma-separated values, the headings in the first line; no cell is a spreadsheet's formula."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(self._shown(in_a_spreadsheet, raw))
        return out.getvalue().removesuffix("\n")

    def markdown(self, *, raw: bool = False) -> str:
        """A table of GitHub's Markdown below the caption as a comment."""
        shown = self._shown(in_a_line, raw)
        head, *rows = [[markdown_escaped(cell) for cell in row] for row in shown]
        rule = ["-" * max(n, 3) + ("" if word else ":") for n, word in zip(_widths(shown), self._in_words, strict=True)]
        comment = [f"<!-- {self.caption.replace('--', '- -')} -->"] if self.caption else []
        return "\n".join([*comment, *(f"| {' | '.join(row)} |" for row in (head, rule, *rows))])

    def latex(self, *, raw: bool = False) -> str:
        """A tabular for the package booktabs, below the caption as a comment."""
        escapes = [latex_escaped if word else latex_number for word in self._in_words]
        head, *rows = self._shown(in_a_line, raw)
        lines = [[latex_escaped(cell) for cell in head]]
        lines += [[escape(cell) for escape, cell in zip(escapes, row, strict=True)] for row in rows]
        first, *rest = (" & ".join(line) + r" \\" for line in lines)
        columns = "".join("l" if word else "r" for word in self._in_words)
        comment = [f"% {line}" for line in self.caption.splitlines()]
        body = [r"\toprule", first, r"\midrule", *rest, r"\bottomrule"]
        return "\n".join([*comment, rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"])

    def shortened(self, most: int = MOST_ROWS, *, rest: str = "to_frame() holds them all") -> Table:
        """The first and the last of more than `most` rows, and a note of how many are left out and where they are."""
        left = len(self.rows) - most
        if left <= 0:
            return self
        half, gap = most // 2, ["…", *[""] * (len(self.headings) - 1)]
        rows = [*self.rows[: most - half], gap, *self.rows[len(self.rows) - half :]]
        note = f"{left:,} of {len(self.rows):,} rows are not shown: {rest}."
        return replace(self, rows=rows, notes=(note, *self.notes))

    @property
    def _in_words(self) -> list[bool]:
        return [heading in self.words for heading in self.headings]

    def _shown(self, harmless: Callable[[str], str], raw: bool) -> list[list[str]]:
        """The headings and the rows, each cell made harmless unless `raw`."""
        shown = str if raw else harmless
        return [[shown(cell) for cell in row] for row in (self.headings, *self.rows)]


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: a wide character of East Asia two, an accent of its own none.

    >>> width_of("error"), width_of("日本語"), width_of("e\N{COMBINING ACUTE ACCENT}")
    (5, 6, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 1


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width_of, column)) for column in zip(*rows, strict=True)]


def _padded(cell: str, width: int, left: bool) -> str:
    space = " " * (width - width_of(cell))
    return cell + space if left else space + cell


def markdown_escaped(text: str) -> str:
    r"""Text that GitHub's Markdown shows as it is in a cell of a table.

    >>> print(markdown_escaped(r"a|b \| <b> *c* d_e 1 < 2"))
    a\|b \\\| \<b> \*c\* d_e 1 < 2
    """
    return MARKS.sub(lambda found: f"\\{found[0]}", text)


def latex_escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(LATEX.get(character, character) for character in text)


def latex_number(text: str) -> str:
    r"""A cell of numbers, with the minus that LaTeX prints in formulas.

    >>> latex_number("[-0.0046, +0.0012]"), latex_number("< 1e-05")
    ('[$-$0.0046, +0.0012]', '\\textless{} 1e$-$05')
    """
    return re.sub(r"-(?=[\d.])", "$-$", latex_escaped(text))
