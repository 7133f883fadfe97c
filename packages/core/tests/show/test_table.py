"""One table in all its forms: what a form writes can be read back, whatever the cells hold."""

from __future__ import annotations

import cProfile
import csv
import io
import json
import math
import pstats
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from howsure.show.table import (
    COUNT,
    ESTIMATE,
    NUMBER,
    P_VALUE,
    PRINTED_ROWS,
    STEERING,
    WORDS,
    Column,
    Table,
    all_digits,
    csv_line,
    in_a_line,
    in_a_spreadsheet,
    interval,
    number,
    on_a_terminal,
    out_of_a_spreadsheet,
    p_in_words,
    p_text,
    span,
    terminal_width,
)

FORMS = ("text", "html", "csv", "markdown", "latex")
HEADINGS = ("name", "n")
NAMES = {
    "plain": "Iraq",
    "empty": "",
    "wide": "日本語",
    "an accent of its own": "e\N{COMBINING ACUTE ACCENT}",
    "a colour": "\x1b[31mred",
    "a title": "\x1b]0;owned\x07",
    "turned round": "a\u202eb",
    "two lines": "a\n\tb",
    "a formula": "=cmd|' /C calc'!A0",
    "a minus": "-LRB-",
    "HTML": "<script>alert('&')</script>",
    "a bar": "a|b",
    "a bar after a backslash": r"a\|b",
    "two backslashes": r"\\|\\",
    "Markdown": r"*a* _b_ `c` [d](e) ![f](g) ~~h~~ &lt; \* <b>i</b> <http://j.k> __l__m_n_o",
    "LaTeX": r"\input{x} 50 % & $1_2^3 ~ #",
}


class Cells(HTMLParser):
    """The cells of a table element, row by row."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "p")  # and no mark-up in a cell
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if data.strip() and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def cells_of(written: str, form: str) -> list[list[str]]:
    """The rows that a form holds; of LaTeX and text, those of columns that hold one word each."""
    match form:
        case "csv":
            return list(csv.reader(io.StringIO(written)))
        case "html":
            return Cells(written).rows
        case "markdown":
            return Cells(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(written)).rows
        case "latex":
            lines = [line for line in written.splitlines() if line.endswith(r" \\")]
            return [line.removesuffix(r" \\").split(" & ") for line in lines]
    lines = written.splitlines()
    return [line.split() for line in (lines[0], *lines[2:])]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_cell_is_one_cell_and_steers_nothing(form: str, name: str) -> None:
    written = getattr(Table((name, "n"), [[name, "-0.5"], ["plain", "1"]], words=[name]), form)()
    assert not STEERING.search(written)
    if form == "text" and (" " in name or not name):
        return  # no word
    rows = cells_of(written, form)
    assert [len(row) for row in rows] == [2, 2, 2]
    assert rows[0][0] == rows[1][0]
    if form in ("text", "html", "markdown"):
        assert rows[1] == [in_a_line(name), "-0.5"]
    if form == "csv":
        assert rows[1] == [in_a_spreadsheet(name), "-0.5"]
    if form == "latex":
        assert rows[1][1] == "$-$0.5"


@given(st.text(alphabet=r"ab1 |\\*_`~<>[]()!&#;:/.-"))
def test_markdown_shows_every_cell_as_it_is(name: str) -> None:
    rows = cells_of(Table(HEADINGS, [[name, "1"]], words=["name"]).markdown(), "markdown")
    assert rows == [["name", "n"], [name.strip(), "1"]]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_has_its_headings(form: str) -> None:
    written = getattr(Table(HEADINGS, [], caption="nothing"), form)()
    assert cells_of(written.removeprefix("<!-- nothing -->\n"), form) == [["name", "n"]]


@pytest.mark.parametrize("form", ["text", "csv", "markdown", "latex"])
def test_raw_names_stay_as_they_are(form: str) -> None:
    assert "\x1b[31m=" in getattr(Table(("\x1b[31m=",), []), form)(raw=True)
    assert "\n=1\n" in f"\n{Table(('=1',), []).csv(raw=True)}\n"


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    table = Table(HEADINGS, [["日本語", "1"], ["e\N{COMBINING ACUTE ACCENT}", "1,000"], ["Iraq", "20"]], words=["name"])
    assert table.text().splitlines() == [
        "name        n",
        "─────────────",
        "日本語      1",
        "e\N{COMBINING ACUTE ACCENT}       1,000",
        "Iraq       20",
    ]
    assert [terminal_width(line) for line in table.text().splitlines()] == [13] * 5


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_every_line_of_a_text_ends_in_its_last_column(rows: list[tuple[str, str]]) -> None:
    """The last column is aligned to the right, so that all lines are as wide as the rule but for trailing spaces."""
    lines = Table(HEADINGS, [[name, f"{n}."] for name, n in rows]).text().split("\n")
    assert {terminal_width(line) for line in lines} == {terminal_width(lines[1])}
    assert len(lines) == 2 + len(rows)


def test_caption_and_notes_surround_the_table() -> None:
    table = Table(HEADINGS, [["a", "1"]], caption="a -- <b>\n2 %", notes=["said \x1b[31m&"])
    assert str(table).splitlines() == ["a -- <b>", "2 %", "name  n", "───────", "   a  1", r"said \u001b[31m&"]
    assert "<caption>a -- &lt;b&gt;\n2 %</caption>" in table.html()
    assert table.html().endswith(r"</table><p>said \u001b[31m&amp;</p>")
    assert table.markdown().startswith("<!-- a - - <b>\n2 % -->\n| name | n |\n")
    assert table.latex().startswith(
        "% a -- <b>\n% 2 %\n% preamble: \\usepackage{booktabs}\n\\begin{tabular}{rr}\n\\toprule\n"
    )
    assert table.csv() == "name,n\na,1"


def test_of_many_rows_the_first_and_the_last_are_shown() -> None:
    rows = [[f"r{n}", str(n)] for n in range(PRINTED_ROWS + 3)]
    shown = Table(HEADINGS, rows, notes=["later"]).shortened()
    assert shown.rows == [*rows[:12], ["…", ""], *rows[-12:]]
    assert shown.notes == ("3 of 27 rows are not shown: to_frame() has them all.", "later")
    whole = Table(HEADINGS, rows[:PRINTED_ROWS])
    assert whole.shortened() is whole
    assert [row[0] for row in Table(HEADINGS, rows).shortened(3, rest="").rows] == ["r0", "r1", "…", "r26"]


@pytest.mark.parametrize("form", FORMS)
def test_the_work_is_linear_in_the_rows(form: str) -> None:
    assert calls(form, 2_000) <= 1.01 * 8 * calls(form, 250)


def calls(form: str, rows: int) -> int:
    """How many functions are called to write a table."""
    table = Table(HEADINGS, [["x", "1"]] * rows, words=["name"])
    profile = cProfile.Profile()
    profile.runcall(getattr(table, form))
    return int(pstats.Stats(profile, stream=io.StringIO()).total_calls)  # type: ignore[attr-defined]


# One rule for every kind of number that a reader sees.


NAN = math.nan


@pytest.mark.parametrize("shown", [number(NAN), number(None, 0), interval(NAN, NAN), interval(None, 1.0), p_text(NAN)])
def test_what_is_undefined_is_one_dash(shown: str) -> None:
    assert shown == "–"


def test_numbers() -> None:
    assert (number(1234.56, 1), number(-0.5, 2, sign=True), number(math.inf)) == ("1,234.6", "-0.50", "inf")
    assert (interval(0.0, 12.0, 0), interval(1234.0, 2345.0, 0)) == ("[0, 12]", "[1234, 2345]")
    assert (all_digits(None), all_digits(NAN), all_digits(0.1)) == ("", "", "0.1")


@given(st.floats(0.0, 1.0))
def test_a_p_value_is_never_shown_as_0(p: float) -> None:
    shown = p_text(p)
    assert float(shown.removeprefix("< ")) > 0.0
    assert shown.startswith("<") == (p < 0.0001)
    assert p_in_words(p) == (f"p {shown}" if p < 0.0001 else f"p = {shown}")


# Names that others chose: no terminal obeys them, no spreadsheet computes them, and what is harmless stays.


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
    shown = on_a_terminal(text)
    assert in_a_spreadsheet(text) == (f"'{shown[0]}'{shown[1:]}" if shown[0] in "\t\n" else f"'{shown}")


HOSTILE = st.text(alphabet="'=+-1;\t\nx .,\"\\", max_size=12)


@given(HOSTILE, HOSTILE)
def test_different_texts_are_different_cells_that_can_be_read_back(text: str, other: str) -> None:
    assert out_of_a_spreadsheet(in_a_spreadsheet(text)) == text
    assert (in_a_spreadsheet(text) == in_a_spreadsheet(other)) == (text == other)


@given(HOSTILE)
def test_no_cell_is_a_formula_whatever_the_separator(text: str) -> None:
    for part in re.split(r"[;\t\n]", in_a_spreadsheet(text)):
        assert len(part) < 2 or part[0] not in "=+-@" or re.fullmatch(r"[+-][\d.]+", part)


@given(st.lists(HOSTILE, min_size=1, max_size=4))
def test_a_line_of_csv_is_read_with_its_own_separator(cells: list[str]) -> None:
    for separator in ",;":
        line = csv_line(cells, separator=separator)
        assert list(csv.reader(io.StringIO(line, newline=""), delimiter=separator)) == [cells]


def test_a_cell_with_a_semicolon_is_quoted() -> None:
    assert csv_line([in_a_spreadsheet("=1+1;=2"), "a"]) == "\"'=1+1;'=2\",a"


@pytest.mark.parametrize("text", CELLS)
def test_other_cells_stay(text: str) -> None:
    assert in_a_spreadsheet(text) == text


@given(st.text())
def test_nothing_that_is_printed_steers_a_terminal(text: str) -> None:
    shown = on_a_terminal(text)
    assert all(character in "\n\t" or unicodedata.category(character) != "Cc" for character in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")
    assert "\n" not in in_a_line(text)
    shown.encode("utf-8")


@given(st.text())
def test_json_says_the_same(text: str) -> None:
    """What is written out is written as JSON does it, so that a document means what it meant."""
    document = json.dumps({"name": text}, ensure_ascii=False)
    assert json.loads(on_a_terminal(document)) == {"name": text}


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, ["model", "n", "ECE", "error", "verdict"]),
        (39, ["model", "n", "error", "verdict"]),
        (28, ["model", "n", "verdict"]),
        (20, ["model", "verdict"]),
        (13, ["model"]),
        (1, ["model"]),
    ],
)
def test_a_terminal_shows_the_most_important_columns(width: int, shown: list[str]) -> None:
    rows = [["model-a", "10,000", "0.0100", "0.0200", "fail"], ["b", "9", "–", "0.0300", "pass"]]
    table = Table(["model", "n", "ECE", "error", "verdict"], rows, words=["model", "verdict"], details=["ECE"])
    fitted, hidden = table.fitted(width)
    assert list(fitted.headings) == shown
    assert sorted([*shown, *hidden]) == sorted(table.headings)
    assert fitted.rows == [[row[table.headings.index(heading)] for heading in shown] for row in rows]
    assert len(shown) == 1 or max(map(len, fitted.text().splitlines())) <= width


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, ["model", "metric", "value", "difference", "p"]),
        (37, ["model", "metric", "difference", "p"]),
        (27, ["model", "metric", "difference"]),
        (19, ["model", "difference"]),
    ],
)
def test_a_terminal_hides_estimates_last(width: int, shown: list[str]) -> None:
    headings, row = ["model", "metric", "value", "difference", "p"], ["a", "F1", "0.9", "[0.1, 0.3]", "0.0100"]
    table = Table(headings, [row], words=["model", "metric"], answers=["difference"])
    assert list(table.fitted(width)[0].headings) == shown


def test_columns_of_estimates_and_intervals_are_answers() -> None:
    columns = [Column("rate", ESTIMATE), Column("ends", span()), Column("low", NUMBER, answer=True)]
    assert all(column.answers for column in columns)
    others = [Column("aurc", ESTIMATE, detail=True), Column("n", COUNT), Column("p", P_VALUE), Column("name", WORDS)]
    assert not any(column.answers for column in others)
