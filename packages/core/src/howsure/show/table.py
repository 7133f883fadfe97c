"""Tables as text, HTML, CSV, Markdown or LaTeX; and columns, which format one value of every row of a result."""

from __future__ import annotations

import html
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from howsure.show.latex import latex_advice, latex_escaped, latex_float, latex_number, latex_tabular, table_inches

PRINTED_ROWS = 24  # of a result that prints itself
MAX_ROWS = 12  # of a result that is displayed below its answer
# Characters with a meaning in Markdown: marks of emphasis, code, links and HTML, and backslashes before a mark.
MARKS = re.compile(
    r"[|*`]|\\(?=[!-/:-@\[-`{-~])|(?<!\w)_|_(?!\w)|~(?=~)|(?<=~)~|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[])"
)
LEFT = ' style="text-align: left"'
WHOLE = ' style="text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 14em; max-width: 34em"'
NARROW = 24  # characters of a cell that no page breaks
LOWER, HIGHER = "lower", "higher"
ARROWS = {LOWER: "↓", HIGHER: "↑"}
NUMERAL = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


class Cell(str):
    """The text of a cell. rank: the number by which the best cell of a column is found; None without a number."""

    rank: float | None

    def __new__(cls, text: str, rank: float | None = None) -> Cell:
        """Create a cell from its text and its number."""
        cell = super().__new__(cls, text)
        cell.rank = rank
        return cell


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows of cells. Columns whose heading is in `words` are left-aligned, all others right-aligned.

    caption: the content of the table, which Markdown and LaTeX contain as a comment. notes: sentences below the table.
    Control characters, formulas and HTML in headings and cells are escaped, unless a method is called with `raw`.

    better: by heading, whether "lower" or "higher" values are better. In Markdown and LaTeX, the heading gets an arrow,
    and with `bold`, the best cell of the column is bold. contests: a key for each row; the best cell is then bold among
    the rows with equal keys, such as the models of a group. ways: by heading, "lower" or "higher" for each row.
    longest: text, Markdown and LaTeX cut cells of `words` to this many characters; HTML shows them completely. legend:
    explanations of headings, and under "" of the whole table. title: the beginning of the caption in LaTeX; without a
    title, the tabular is not inside a float. details: headings of the columns that a narrow terminal hides first.
    answers: headings of the columns that it hides last, which are estimates and their intervals.

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
    title: str = ""
    better: Mapping[str, str] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)
    bold: bool = True
    contests: Sequence[Hashable] = ()
    ways: Mapping[str, Sequence[str]] = field(default_factory=dict)
    longest: int | None = None
    details: Sequence[str] = ()
    answers: Sequence[str] = ()

    def __str__(self) -> str:
        """The caption, the table and the notes."""
        above = [on_a_terminal(self.caption)] if self.caption else []
        return "\n".join([*above, self.text(), *map(in_a_line, self.notes)])

    def text(self, *, raw: bool = False) -> str:
        """Return the table as aligned text, without caption and notes."""
        shown = self._with_short_cells()._shown(in_a_line, raw)
        widths, left = _widths(shown), self._in_words
        lines = ["  ".join(map(_padded, row, widths, left)).rstrip() for row in shown]
        return "\n".join([lines[0], "─" * max(map(terminal_width, lines)), *lines[1:]])

    def html(self) -> str:
        """Return an HTML table, and a paragraph for each note."""
        wide = [
            self.longest is not None and max(map(len, cells)) > NARROW
            for cells in zip(self.headings, *self.rows, strict=True)
        ]
        style = [(WHOLE if long else LEFT) if word else "" for word, long in zip(self._in_words, wide, strict=True)]
        harmless = in_a_line if self.longest is None else on_a_terminal
        head, *rows = [[html.escape(cell) for cell in row] for row in self._shown(harmless, raw=False)]
        cells = "".join(f'<th scope="col"{how}>{cell}</th>' for cell, how in zip(head, style, strict=True))
        body = ("".join(f"<td{how}>{cell}</td>" for cell, how in zip(row, style, strict=True)) for row in rows)
        caption = f"<caption>{html.escape(on_a_terminal(self.caption))}</caption>" if self.caption else ""
        lines = "\n".join(f"<tr>{row}</tr>" for row in body)
        notes = "".join(f"<p>{html.escape(in_a_line(note))}</p>" for note in self.notes)
        return f"<table>{caption}<thead><tr>{cells}</tr></thead><tbody>\n{lines}\n</tbody></table>{notes}"

    def csv(self, *, raw: bool = False, separator: str = ",") -> str:
        """Return CSV with the headings in the first line; unless `raw`, no cell can be a formula in a spreadsheet."""
        return "\n".join(csv_line(cells, separator=separator) for cells in self._shown(in_a_spreadsheet, raw))

    def markdown(self, *, raw: bool = False) -> str:
        """Return a GitHub Markdown table, with the caption as a comment above it, and the legend below it."""
        shown = self._for_print(raw, markdown_escaped, markdown_escaped, "**{}**".format)
        widths = _widths(self._with_short_cells()._shown(in_a_line, raw))
        rule = ["-" * max(n, 3) + ("" if word else ":") for n, word in zip(widths, self._in_words, strict=True)]
        comment = [f"<!-- {self.caption.replace('--', '- -')} -->"] if self.caption else []
        below = ["", markdown_escaped(" ".join(self._legend()))] if self._legend() else []
        return "\n".join([*comment, *(f"| {' | '.join(row)} |" for row in (shown[0], rule, *shown[1:])), *below])

    def latex(self, *, raw: bool = False, label: str | None = None) -> str:
        """Return a LaTeX tabular (booktabs), with the caption as a comment above it.

        If the table has a title, the tabular is in a float, with the legend in its caption and the `label` for
        references.
        """
        shown = self._for_print(raw, latex_escaped, latex_number, r"\textbf{{{}}}".format)
        lines = latex_tabular(shown, words=self._in_words)
        if self.title:
            title = latex_escaped(in_a_line(" ".join([_sentence(self.title), *self._legend()])))
            inches = table_inches(_widths(self._with_short_cells()._shown(in_a_line, raw)))
            lines = latex_float(lines, caption=title, label=label, inches=inches)
        comment = [f"% {line}" for line in self.caption.splitlines()]
        return "\n".join([*comment, *latex_advice("\n".join(lines)), *lines])

    def shortened(self, most: int = PRINTED_ROWS, *, rest: str = "to_frame() has them all") -> Table:
        """Return the table with only the first and last of more than `most` rows, and a note on the rows left out.

        rest: where all rows can be found.
        """
        left = len(self.rows) - most
        if left <= 0:
            return self
        half, gap = most // 2, ["…", *[""] * (len(self.headings) - 1)]
        rows = [*self.rows[: most - half], gap, *self.rows[len(self.rows) - half :]]
        contests = self.contests and [*self.contests[: most - half], None, *self.contests[len(self.rows) - half :]]
        note = f"{left:,} of {len(self.rows):,} rows are not shown: {rest}."
        return replace(self, rows=rows, contests=contests, notes=(note, *self.notes))

    def displayed(self, n_totals: int, sentences: Sequence[str] = ()) -> tuple[Table, int]:
        """Return the table with 12 rows, and the number of hidden rows.

        These are the last `n_totals` rows, the first rows, and rows that `sentences` name, up to half of the 12.

        >>> table = Table(["group", "n"], [[f"g{i}", "1"] for i in range(20)] + [["all", "20"]], words=["group"])
        >>> table, hidden = table.displayed(1, ["g16 is the smallest."])
        >>> [group for group, _ in table.rows[-5:]], hidden
        (['g9', '…', 'g16', '…', 'all'], 9)
        """
        hidden = len(self.rows) - MAX_ROWS
        if hidden <= 0:
            return self, 0
        end = len(self.rows) - n_totals
        totals = list(range(end, len(self.rows)))
        totals = totals if n_totals <= MAX_ROWS else [*totals[: MAX_ROWS - 1], totals[-1]]
        named = itertools.islice(self._named_rows(sentences, end), MAX_ROWS // 2)
        places = [*totals, *named, *range(end)]
        rows, previous = list[Sequence[str]](), -1
        for place in sorted(list(dict.fromkeys(places))[:MAX_ROWS]):
            rows += [["…", *[""] * (len(self.headings) - 1)]] if place > previous + 1 else []
            rows.append(self.rows[place])
            previous = place
        return replace(self, rows=rows), hidden

    def _named_rows(self, sentences: Sequence[str], end: int) -> Iterator[int]:
        """Yield the positions of the rows before `end` whose names, the leading cells of text, are in a sentence.

        Rows that share their names, such as those of a method with several settings, are left out.
        """
        leading = itertools.takewhile(self._in_words.__getitem__, range(len(self.headings)))
        distinguishing = [x for x in leading if len({row[x] for row in self.rows}) > 1]
        names_of_rows = [
            tuple(row[x] for x in distinguishing if len(row[x]) > 1 and any(map(str.isalpha, row[x])))  # not "a" or 1
            for row in self.rows
        ]
        times = Counter(names_of_rows)
        for place, names in enumerate(names_of_rows[:end]):
            if (
                names
                and times[names] == 1
                and any(all(_contains_word(text, name) for name in names) for text in sentences)
            ):
                yield place

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """Return the table without columns that do not fit in a terminal, and the headings of the hidden columns.

        The first column is always shown. From right to left, details are hidden first, then other numbers, then the
        last column and columns of words that name the rows, then the answers.

        >>> table = Table(["group", "log loss", "error"], [["all", "0.25", "0.01"]], details=["log loss"])
        >>> table, hidden = table.fitted(16)
        >>> print(table.text(), hidden)
        group  error
        ────────────
          all   0.01 ['log loss']
        """
        widths = dict(enumerate(_widths(self._with_short_cells()._shown(in_a_line, raw=False))))
        for x in sorted(range(len(widths) - 1, 0, -1), key=self._importance):
            if sum(widths.values()) + 2 * (len(widths) - 1) <= width:
                break
            del widths[x]
        hidden = [heading for x, heading in enumerate(self.headings) if x not in widths]
        rows = [[row[x] for x in widths] for row in self.rows]
        return replace(self, headings=[self.headings[x] for x in widths], rows=rows), hidden

    def _importance(self, x: int) -> int:
        """Return the order in which a narrow terminal hides a column, from 0 (first) to 3 (last)."""
        heading = self.headings[x]
        if heading in self.details:
            return 0
        if heading in self.answers:
            return 3
        names_rows = bool(self.answers) and all(self._in_words[: x + 1])
        return 2 if names_rows or x == len(self.headings) - 1 else 1

    def _with_short_cells(self) -> Table:
        """The table with text cells cut to at most `longest` characters."""
        if self.longest is None:
            return self
        cells = [
            [shortened_text(c, self.longest) if word else c for c, word in zip(row, self._in_words, strict=True)]
            for row in self.rows
        ]
        return replace(self, rows=cells, longest=None)

    def _for_print(
        self, raw: bool, word: Callable[[str], str], number: Callable[[str], str], bold: Callable[[str], str]
    ) -> list[list[str]]:
        """Return the escaped headings with arrows, and the escaped rows with the best cells in bold."""
        head, *rows = self._with_short_cells()._shown(in_a_line, raw)
        arrows = {heading: f" {ARROWS[way]}" for heading, way in self.better.items()}
        headings = [word(f"{cell}{arrows.get(heading, '')}") for cell, heading in zip(head, self.headings, strict=True)]
        escapes, best = [word if in_word else number for in_word in self._in_words], self._best()
        for x, heading in enumerate(self.headings):
            for y, way in enumerate(self.ways.get(heading, ())):
                rows[y][x] += f" {ARROWS[way]}"
        cells = [[escapes[x](cell) for x, cell in enumerate(row)] for row in rows]
        return [
            headings,
            *([bold(c) if (y, x) in best else c for x, c in enumerate(row)] for y, row in enumerate(cells)),
        ]

    def _best(self) -> set[tuple[int, int]]:
        """Return the positions of the best cells of each column, within each group of `contests` whose cells differ."""
        best_cells: set[tuple[int, int]] = set()
        rivals: dict[Hashable, list[int]] = {}
        for y, contest in enumerate(self.contests or [None] * len(self.rows)):
            rivals.setdefault(contest, []).append(y)
        for x, heading in enumerate(self.headings):
            for rows in rivals.values() if heading in self.better and self.bold else ():
                values = {y: value for y in rows if (value := _leading_number(self.rows[y][x])) is not None}
                if len(set(values.values())) > 1:
                    best = (min if self.better[heading] == LOWER else max)(values.values())
                    best_cells |= {(y, x) for y, value in values.items() if value == best}
        return best_cells

    def _legend(self) -> list[str]:
        """Return sentences on the meaning of arrows, bold cells and headings."""
        directions = {
            way for heading in self.headings for way in (self.better.get(heading), *self.ways.get(heading, ()))
        }
        ways = {way: ARROWS[way] for way in (LOWER, HIGHER) if way in directions}
        arrows = ["; ".join(f"{arrow} {way} is better" for way, arrow in ways.items()) + "."] if ways else []
        among = " within each group" if len({*self.contests} - {None}) > 1 else ""
        bold = [f"The best of a column is bold{among}."] if self._best() else []
        legends = [f"{heading}: {self.legend[heading]}." for heading in self.headings if heading in self.legend]
        return [*arrows, *bold, *legends, *([self.legend[""]] if "" in self.legend else [])]

    @property
    def _in_words(self) -> list[bool]:
        return [heading in self.words for heading in self.headings]

    def _shown(self, harmless: Callable[[str], str], raw: bool) -> list[list[str]]:
        """Return the headings and the rows, with each cell escaped by the function `harmless` unless `raw`."""
        shown = str if raw else harmless
        return [[shown(cell) for cell in row] for row in (self.headings, *self.rows)]


def shortened_text(text: str, longest: int) -> str:
    """The beginning of a text on one line, with an ellipsis if it is cut.

    >>> shortened_text("What is   the capital?", 12)
    'What is the…'
    """
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def figures_text(rows: Sequence[tuple[str, str]]) -> str:
    """Format pairs of a name and a value as text in two columns.

    >>> print(figures_text([("ECE", "0.02"), ("pairs", "9")]))
    ECE    0.02
    pairs  9
    """
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def terminal_width(text: str) -> int:
    """Return the width of a text in a terminal: two for wide East Asian characters, none for combining accents.

    >>> terminal_width("error"), terminal_width("日本語"), terminal_width("e\N{COMBINING ACUTE ACCENT}")
    (5, 6, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 1


def _contains_word(text: str, word: str) -> bool:
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(terminal_width, column)) for column in zip(*rows, strict=True)]


def _padded(cell: str, width: int, left: bool) -> str:
    space = " " * (width - terminal_width(cell))
    return cell + space if left else space + cell


def markdown_escaped(text: str) -> str:
    r"""Escape text for a cell of a GitHub Markdown table.

    >>> print(markdown_escaped(r"a|b \| <b> *c* d_e 1 < 2"))
    a\|b \\\| \<b> \*c\* d_e 1 < 2
    """
    return MARKS.sub(lambda match: f"\\{match[0]}", text)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _leading_number(cell: str) -> float | None:
    """Return the number of a cell; for plain text, the number at its beginning."""
    if isinstance(cell, Cell):
        return cell.rank
    match = NUMERAL.match(cell)
    return None if match is None else float(match[0].replace(",", ""))


# Escape names from the input, so that they cannot control a terminal or be formulas in a spreadsheet.

# Control characters except tab and line feed, marks that change the direction of writing, line separators, and invalid
# characters.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
QUOTE, QUOTED = "'", re.compile(r'[",;\t\r\n]')


def on_a_terminal(text: str) -> str:
    r"""Escape control characters as in JSON.

    >>> print(on_a_terminal("Iraq \x1b[31m attacks"))
    Iraq \u001b[31m attacks
    """
    return STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def in_a_line(text: str) -> str:
    r"""Escape control characters, tabs and line breaks, for a table cell in one line.

    >>> print(in_a_line("Iraq\n\tattacks"))
    Iraq\u000a\u0009attacks
    """
    return on_a_terminal(text).replace("\n", r"\u000a").replace("\t", r"\u0009")


# The start of a cell with a sign, perhaps after apostrophes. If a spreadsheet uses another separator, a cell may also
# start after that separator.
SIGNED = re.compile(r"(?<![^;\t\n])('*)(?=[=+\-@＝＋－＠])")
BLANK_START = re.compile(r"'*[\t\r\n]")
PART = re.compile(r"[^;\t\n]*")


def in_a_spreadsheet(text: str) -> str:
    """Return a CSV cell with an apostrophe before everything that a spreadsheet would treat as a formula.

    An apostrophe is also added after a semicolon, a tab or a line break, where a spreadsheet may begin another cell. A
    text that already has apostrophes there gets one more, so that `out_of_a_spreadsheet` is the inverse. Numbers and
    single signs are unchanged. Source: OWASP, *CSV Injection*.

    >>> [in_a_spreadsheet(text) for text in ("=cmd|' /C calc'!A0", "-LRB-", "-0.5", "+", "Iraq")]
    ["'=cmd|' /C calc'!A0", "'-LRB-", '-0.5', '+', 'Iraq']
    >>> [in_a_spreadsheet(text) for text in ("=1+1;=2", "'=1+1")]
    ["'=1+1;'=2", "''=1+1"]
    """
    escaped = on_a_terminal(text)

    def with_apostrophe(match: re.Match[str]) -> str:
        part = PART.match(escaped, match.end())
        needs_none = not match[1] and part is not None and (len(part[0]) == 1 or _is_number(part[0]))
        return match[1] if needs_none else f"'{match[1]}"

    is_blank = BLANK_START.match(text) is not None and len(text) > 1
    return f"{QUOTE * is_blank}{SIGNED.sub(with_apostrophe, escaped)}"


def out_of_a_spreadsheet(text: str) -> str:
    """Return a cell without the apostrophes that `in_a_spreadsheet` added.

    >>> [out_of_a_spreadsheet(text) for text in ("'-LRB-", "'t Hooft", "-0.5", "'=1+1;'=2", "''=1+1")]
    ['-LRB-', "'t Hooft", '-0.5', '=1+1;=2', "'=1+1"]
    """
    is_blank = BLANK_START.match(text) is not None and text.startswith(QUOTE)
    plain = SIGNED.sub(lambda place: place[1][1:], text[1:] if is_blank else text)
    return plain if in_a_spreadsheet(plain) == text else text


def csv_line(cells: Iterable[str], *, separator: str = ",") -> str:
    """Join cells to a line of CSV; cells with any separator that a spreadsheet may use are quoted.

    >>> print(csv_line(["a;b", "c"]))
    "a;b",c
    """
    quoted = ['"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell for cell in cells]
    return separator.join(quoted) if quoted != [""] else '""'


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii() and "_" not in text and text == text.strip()


# Format numbers, intervals and p-values for people, each by a single rule; undefined values are a dash.

UNDEFINED = "–"
SMALLEST_P = 0.0001


def number(value: float | None, decimals: int = 4, *, sign: bool = False) -> str:
    """Format a number with this many decimals; a dash if it is undefined.

    >>> number(0.25), number(0.25, sign=True), number(1234.56, 1), number(-0.4, 0), number(None)
    ('0.2500', '+0.2500', '1,234.6', '0', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{value:{'+' if sign else 'z'},.{decimals}f}"


def short_number(value: float) -> str:
    """Format a number with four decimals, or with three digits and a power of ten if it is very small or large.

    >>> short_number(0.12345), short_number(0.0), short_number(1.2345e-7), short_number(2.5e299)
    ('0.1235', '0.0000', '1.23e-07', '2.5e+299')
    """
    return f"{value:.3g}" if is_extreme(value) else f"{value:.4f}"


def is_extreme(value: float) -> bool:
    """Whether a number is so small or so large that it is shown with a power of ten.

    >>> [is_extreme(value) for value in (0.0, 0.00009, 0.0001, 9_999_999.0, -1e7, float("inf"))]
    [False, True, False, False, True, False]
    """
    return math.isfinite(value) and value != 0.0 and not 1e-4 <= abs(value) < 1e7


def interval(low: float | None, high: float | None, decimals: int = 4, *, sign: bool = False) -> str:
    """Format both ends of an interval; a dash if the interval is undefined.

    >>> interval(-0.0046, 0.0012, sign=True), interval(0, 1200, 0), interval(float("nan"), 1.0)
    ('[-0.0046, +0.0012]', '[0, 1200]', '–')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return "[{}, {}]".format(*(number(end, decimals, sign=sign).replace(",", "") for end in (low, high)))


def all_digits(value: float | None) -> str:
    """Format a number with all digits, for programs; empty if it is undefined.

    >>> all_digits(0.1), all_digits(float("nan"))
    ('0.1', '')
    """
    return "" if value is None or math.isnan(value) else repr(value)


def probability_is(p: float) -> str:
    """Format a probability in a sentence, after its name; it is never rounded to 0 or 1.

    >>> probability_is(0.25), probability_is(0.99999), probability_is(1e-9), probability_is(1.0)
    ('= 0.250', '> 0.999', '< 0.001', '= 1.000')
    """
    if 0.0 < p < 0.0005:
        return "< 0.001"
    if 0.9995 < p < 1.0:
        return "> 0.999"
    return f"= {number(p, 3)}"


def p_text(p: float) -> str:
    """Format a p-value with four decimals, or as "< 0.0001"; a dash if it is undefined.

    >>> p_text(0.00027), p_text(1e-9), p_text(float("nan"))
    ('0.0003', '< 0.0001', '–')
    """
    return f"< {SMALLEST_P:.4f}" if p < SMALLEST_P else number(p)


def p_in_words(p: float) -> str:
    """Format a p-value in a sentence.

    >>> p_in_words(0.00027), p_in_words(1e-9), p_in_words(float("nan"))
    ('p = 0.0003', 'p < 0.0001', 'p undefined')
    """
    if math.isnan(p):
        return "p undefined"
    return f"p {p_text(p)}" if p < SMALLEST_P else f"p = {p_text(p)}"


# Columns of the rows of a result, and the formats of their values.

FRAME, TABLE = "frame", "table"  # a column is shown only in frames and CSV, or only in tables for people
ENDS = ("", "_low", "_high")


@dataclass(frozen=True, slots=True)
class Kind:
    """The format of a kind of values, such as counts, p-values or estimates.

    text: a function that formats a value as text. left: whether values are left-aligned, like words. missing: the value
    in a frame for None. ends: the suffixes of the columns in a frame and in CSV; an estimate has three columns, for its
    value and the ends of its interval. decimals: values that agree to this many decimals count as equal when the best
    value is marked. answers: whether values are estimates or intervals.
    """

    text: Callable[[Any], str]
    left: bool = False
    missing: Any = math.nan
    ends: tuple[str, ...] = ("",)
    decimals: int = 4
    answers: bool = False

    def parts(self, value: Any) -> tuple[object, ...]:
        """Return the plain values: for an estimate, its value and both ends of its interval."""
        if len(self.ends) == 1 or value is None:
            return (value,) * len(self.ends)
        return value.value, value.low, value.high

    def cell(self, value: Any) -> Cell:
        """Return the formatted value, with the number by which it is compared with other values."""
        plain = self.parts(value)[0]
        rank = round(plain, self.decimals) if isinstance(plain, int | float) and not math.isnan(plain) else None
        return Cell(UNDEFINED if value is None else self.text(value) or UNDEFINED, rank)


def digits(decimals: int, *, sign: bool = False) -> Kind:
    """Return the kind of numbers that are shown with this many decimals."""
    return Kind(partial(number, decimals=decimals, sign=sign), decimals=decimals)


def span(decimals: int = 4) -> Kind:
    """Return the kind of intervals (low, high) in a column of their own."""
    return Kind(lambda ends: interval(ends[0], ends[1], decimals), answers=True)


WORDS = Kind(str, left=True, missing="")
TEXT = Kind(str)  # values that are strings, such as formatted numbers
COUNT = Kind("{:,}".format)
NUMBER = digits(4)
EXACT = Kind(all_digits, decimals=17)  # with all digits, so that a threshold can be copied
P_VALUE = Kind(p_text)
FLAG = Kind(lambda value: "yes" if value else "no", missing=None)
ESTIMATE = Kind(str, ends=ENDS, answers=True)
POINT = Kind(lambda value: number(value.value), ends=ENDS, answers=True)  # an estimate, in tables without its interval


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result's table and data frame, with one value per row.

    name: the name in frames. kind: the format of the values. heading: the heading in tables, by default the name.
    better: LOWER or HIGHER, if such values are better; the best value is then bold in Markdown and LaTeX. legend: an
    explanation below the table. get: a function that returns the value of a row, by default its attribute `name`.
    values: the values of all rows, instead of `get`. detail: whether a narrow terminal hides the column first. answer:
    whether it hides the column last, like columns of estimates and intervals. only: FRAME, if the column is only in
    frames and CSV, or TABLE, if it is only in text, Markdown, LaTeX and HTML.

    >>> Column("p_value", P_VALUE).shown, Column("p_value", P_VALUE).framed([0.5, None])
    ('p value', {'p_value': [0.5, nan]})
    """

    name: str
    kind: Kind
    heading: str = ""
    better: str = ""
    legend: str = ""
    get: Callable[[Any], object] | None = None
    values: Sequence[Any] | np.ndarray[Any, Any] | None = None
    only: str = ""
    detail: bool = False
    answer: bool = False

    @property
    def answers(self) -> bool:
        """Whether a narrow terminal hides the column last."""
        return not self.detail and (self.answer or self.kind.answers)

    @property
    def shown(self) -> str:
        """The heading in tables and CSV; the name, for a column that is only in frames and CSV."""
        return self.heading or (self.name if self.only == FRAME else self.name.replace("_", " "))

    def of(self, rows: Iterable[object]) -> Sequence[Any] | np.ndarray[Any, Any]:
        """Return the values of the rows."""
        if self.values is not None:
            return self.values
        return [getattr(row, self.name) if self.get is None else self.get(row) for row in rows]

    def cells(self, rows: Iterable[object]) -> list[Cell]:
        """Return the formatted values of the rows."""
        return [self.kind.cell(value) for value in plain_list(self.of(rows))]

    def exact(self, rows: Iterable[object]) -> dict[str, list[str]]:
        """Return the values as strings with all digits, empty if missing, by their heading in CSV."""
        parts = [self.kind.parts(value) for value in plain_list(self.of(rows))]
        ends = enumerate(self.kind.ends)
        return {self.shown + end.replace("_", " "): [plain_value(part[i]) for part in parts] for i, end in ends}

    def framed(self, values: Sequence[Any] | np.ndarray[Any, Any]) -> dict[str, Any]:
        """Return the columns of a frame by name: one, or three for estimates."""
        if isinstance(values, np.ndarray) and values.dtype != object:
            return {self.name: values}
        parts = [self.kind.parts(value) for value in values]
        ends = enumerate(self.kind.ends)
        return {self.name + end: _uniform_column([part[i] for part in parts], self.kind.missing) for i, end in ends}


def with_ends(column: Column, *, of_ends: str = "") -> list[Column]:
    """Return three columns for estimates: `column` with the value, and low and high with the legend `of_ends`."""
    getter = column.get or attrgetter(column.name)

    def end(name: str, legend: str = "") -> Column:
        return Column(
            name, column.kind, legend=legend, get=lambda row: getattr(getter(row), name), only=column.only, answer=True
        )

    return [replace(column, get=end("value").get, answer=True), end("low", of_ends), end("high")]


def plain_value(value: object) -> str:
    """Format a plain value for programs; empty if it is undefined.

    >>> plain_value(0.1), plain_value(None), plain_value(True), plain_value("HMM"), plain_value(float("nan"))
    ('0.1', '', 'yes', 'HMM', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return all_digits(value) if isinstance(value, float) else str(value)


def plain_list(values: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    """Convert values to a list of Python values."""
    if isinstance(values, np.ndarray):
        return list(values.tolist())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _uniform_column(values: list[Any], missing: Any) -> list[Any]:
    """Return a frame column of one type: integers stay integers unless one is missing; mixed names become strings."""
    cells: list[Any] = [missing if value is None else value for value in values]
    kinds = {type(value) for value in cells}
    if str in kinds and len(kinds) > 1:
        return [str(value) for value in cells]
    return list(map(float, cells)) if kinds == {int, float} else cells
