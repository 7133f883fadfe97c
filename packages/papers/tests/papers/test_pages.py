"""Each page of docs/reproductions says what its command prints now; `make reproductions` writes a stale one anew."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.running import howsure

from howsure.show.table import Column
from howsure_papers.reproduction import NAME, Reproduction, numbers
from tests.lacking import require
from tests.printed import is_printed
from tests.source import ROOT

PAGES = ROOT / "docs" / "reproductions"
LONG = ("binning", "subtrees")  # the others take minutes each
SLOW = (
    "quantiles",
    "synthetic",
    "boostsa",
    "small-samples",
    "sentiment",
    "all-others",
    "tweets",
    "tag-pairs",
    "tagging",
    "tag-variants",
)
SLOW += ("coreference", "sizes", "events", "parses", "counts")
WITHOUT_DATA = ("binning", "synthetic", "small-samples")
# Of printed numbers, in addition to the rounding of the last digit: trainings differ slightly between processors.
TOLERANCE = 2e-5


WIDTHS = re.compile(r"-{3,}")  # of columns
TEXTS = re.compile(r"<text[^>]*>([^<]*)</text>")


def compare(page: Path, made: Path) -> None:
    """Raise AssertionError with the first line in which a page, or a table or text of a figure on it, is not what was
    made, but for rounding."""
    names = [sorted(file.name for file in path.with_suffix("").iterdir()) for path in (page, made)]
    assert names[0] == names[1]
    for recorded, new in [
        (page, made),
        *((page.with_suffix("") / name, made.with_suffix("") / name) for name in names[0]),
    ]:
        old_lines, new_lines = (lines_of(path) for path in (recorded, new))
        for number, (old, printed) in enumerate(zip(old_lines, new_lines, strict=False), 1):
            if not is_printed(old, printed, tolerance=TOLERANCE):
                raise AssertionError(
                    f"{recorded.name}, line {number}:\n{old}\nis stale; its command now says\n{printed}"
                )
        lengths = len(old_lines), len(new_lines)
        assert lengths[0] == lengths[1], f"{recorded.name} has {lengths[0]} lines; its command now makes {lengths[1]}"


def lines_of(path: Path) -> list[str]:
    """The lines of a page or of a table, or the texts of a figure."""
    content = path.read_text(encoding="utf-8")
    return TEXTS.findall(content) if path.suffix == ".svg" else WIDTHS.sub("---", content).splitlines()


EACH = [pytest.param(experiment, marks=pytest.mark.long) for experiment in LONG]
EACH += [pytest.param(experiment, marks=pytest.mark.slow) for experiment in SLOW]


@pytest.mark.parametrize("name", EACH)
def test_a_page_says_what_its_command_prints(name: str, tmp_path: Path) -> None:
    if name not in WITHOUT_DATA:
        require("data")
    done = howsure("reproduce", name, "--page", tmp_path / f"{name}.md")
    assert done.code == 0, done.err
    compare(PAGES / f"{name}.md", tmp_path / f"{name}.md")


def test_every_page_is_compared() -> None:
    made = re.findall(r"^REPRODUCTIONS [:+]= (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*LONG, *SLOW} == set(" ".join(made).split()) == {page.stem for page in PAGES.glob("*.md")}


def test_reproductions_go_on_where_they_were_interrupted(tmp_path: Path) -> None:
    """With a command that notes what it reproduces, and fails at `second` until there is a file `fixed`."""
    command = tmp_path / "howsure"
    command.write_text("#!/bin/sh\necho $2 >> calls\ntest $2 != second || test -e fixed\n", encoding="utf-8")
    command.chmod(0o755)

    def reproduce(*settings: str) -> list[str]:
        (tmp_path / "calls").write_text("", encoding="utf-8")
        names = ["BIN=.", "READY=", "REPRODUCTIONS=first second third"]
        subprocess.run(
            ["make", "-f", str(ROOT / "Makefile"), "reproductions", *names, *settings],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
        return (tmp_path / "calls").read_text(encoding="utf-8").split()

    assert reproduce() == ["first", "second"]
    assert reproduce() == ["second"]
    assert reproduce("FORCE=1") == ["first", "second"]
    (tmp_path / "fixed").touch()
    assert reproduce() == ["second", "third"]
    assert reproduce() == ["first", "second", "third"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| 3,064 | macro-F1 | 0.5935 | 0.153 |", "| 3,064 | macro-F1 | 0.5935 | 0.344 |"),
        ("a gain of 6.38 points", "a gain of 3.90 points"),
        ("| holds |", "| does NOT hold |"),
        ("of 100 test sets", "of 50 test sets"),
    ],
)
def test_a_stale_line_is_found(old: str, new: str, tmp_path: Path) -> None:
    page, made = tmp_path / "said" / "page.md", tmp_path / "made" / "page.md"
    for path, text in ((page, old), (made, new)):
        (path.parent / "page").mkdir(parents=True)
        (path.parent / "page" / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        path.write_text(f"# Title\n\n{text}\n\n| --- | ---: |\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape(f"page.md, line 3:\n{old}\nis stale")):
        compare(page, made)
    made.write_text(page.read_text(encoding="utf-8").replace("| --- |", "| ------ |"), encoding="utf-8")
    compare(page, made)
    (made.parent / "page" / "table.csv").write_text("a,b\n1,3\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"table\.csv, line 2:\n1,2\nis stale"):
        compare(page, made)
    (made.parent / "page" / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    for path, text in ((page, "95 %"), (made, "95%")):
        svg = f'<svg><path d="{path.parent.name}"/><text x="1">{text} interval</text></svg>'
        (path.parent / "page" / "figure.svg").write_text(svg, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"figure\.svg, line 1:\n95 % interval\nis stale"):
        compare(page, made)


def test_a_page_shows_the_first_rows_of_a_long_table_and_links_to_all() -> None:
    column = Column("k", NAME)
    tables = [numbers(f"The {n} rows", [SimpleNamespace(k=f"row {i}") for i in range(n)], column) for n in (16, 17)]
    result = Reproduction(name="rows", title="Rows", tables=tables)
    page = result.page("howsure", "rows")
    assert page.count("| row ") == 16 + 10
    assert "The first 10 of [17 rows](rows/the-17-rows.csv)." in page
    (name, table), *others = result.long_tables().items()
    assert (name, table.splitlines(), others) == ("the-17-rows.csv", ["k", *(f"row {i}" for i in range(17))], [])


# docs/papers.md: a line for each item of the papers, with a verdict, and figures that stand on our pages.


PAGE = ROOT / "docs" / "papers.md"
TEXT = PAGE.read_text(encoding="utf-8")
COLUMNS = ["where", "what it says", "theirs", "ours", "page", "command", "minutes", "verdict"]
VERDICTS = ["reproduced", "with other data", "contradicts", "impossible"]
ROWS = [dict(zip(COLUMNS, row[2:-2].split(" | "), strict=True)) for row in TEXT.splitlines() if row.startswith("| ")]
LINES = [row for row in ROWS if list(row.values()) != COLUMNS]
ITEMS = {
    "2015 section": "1 2 3 3.1 3.2 3.3 4 4.1 4.1.1 4.1.2 4.2 4.2.1 4.2.2 4.2.3 5 5.1 5.2 5.3 6 6.1 6.2 7",
    "2015 Figure": "1_(a) 1_(b) 1_(c) 1_(d) 2_(a) 2_(b) 3_(a) 3_(b) 4_(a) 4_(b) 5 6",
    "2015 Definition": "1 2",
    "2015 Algorithm": "1 2",
    "2015 Equation": "1 2 3 4 5 6 7 8 9",
    "2015 Appendix": "1 2 3 4",
    "thesis chapter": "1 2 3 4",
    "thesis section": "3.1 3.1.1 3.1.2 3.1.3 3.2 3.2.1 3.2.2 3.3 3.4 3.4.1 3.4.2 "
    "4.1 4.1.1 4.1.2 4.2 4.2.1 4.3 4.3.1 4.3.2 4.3.3",
    "thesis Definition": "3.1 3.2 3.3",
    "thesis Theorem": "3.4",
    "thesis Equation": "3.1 3.2 3.3",
    "thesis Figure": "4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11",
    "BooStSa section": "1 2 2.1 2.2 2.3 3 4 4.1 4.2 4.2.1 4.2.2 4.3 4.4 5 6 7",
    "BooStSa Figure": "1 2 3 4 5",
}


def verdict_of(line: dict[str, str]) -> str:
    return re.match(r"\*\*(.+?)\*\*: \S", line["verdict"])[1]


def test_every_line_has_a_verdict_and_the_first_paragraph_counts_them() -> None:
    counts = [sum(verdict_of(line) == verdict for line in LINES) for verdict in VERDICTS]
    assert sum(counts) == len(LINES)
    first = TEXT.split("\n\n")[1]
    assert [int(number) for number in re.findall(r"\d+", first)] == [len(LINES), *counts]


def test_every_item_of_the_papers_has_a_line() -> None:
    named = {part.partition(",")[0] for line in LINES for part in line["where"].split("; ")}
    items = {f"{kind} {number.replace('_', ' ')}" for kind, numbers in ITEMS.items() for number in numbers.split()}
    assert items - named == set()


def test_what_is_done_has_a_page_and_a_command() -> None:
    done = [line for line in LINES if verdict_of(line) != "impossible"]
    assert [line["where"] for line in done if "–" in {line["page"], line["command"], line["minutes"]}] == []


def test_figures_of_ours_are_those_of_the_page() -> None:
    """As printed there; a page that is written anew must not leave another number here."""
    lost = []
    for line in LINES:
        links = re.findall(r"\]\((.+?)(?:#.*?)?\)", line["page"])
        pages = [PAGE.parent / link for link in links]
        tables = [table for page in pages for table in sorted(page.with_suffix("").glob("*.csv"))]
        on_pages = numbers_of(" ".join(path.read_text(encoding="utf-8") for path in [*pages, *tables]))
        lost += [(line["where"], figure) for figure in sorted(numbers_of(line["ours"]) - on_pages)]
    assert lost == []


def numbers_of(text: str) -> set[str]:
    return set(re.findall(r"-?\d[\d.,]*(?<=\d)", text))
