"""Each page of docs/reproductions says what its command prints now; `make reproductions` writes a stale one anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.running import howsure
from tests.lacking import require
from tests.printed import is_printed

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reproductions"
LONG = ("binning", "quantiles", "subtrees")  # the others take minutes each
SLOW = (
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
SLOW += ("coreference", "sizes", "events", "counts")
WITHOUT_DATA = ("binning", "synthetic", "small-samples")
# Of what a page says beside the rounding of its last digit: trainings end a little apart on different processors.
TOLERANCE = 2e-5


AS_MADE = re.compile(r"-{3,}|(?<=Recipe: )howsure [\d.]+")


def compare(page: Path, made: Path) -> None:
    """Raise AssertionError with the first line in which a page is not what was made, but for rounding, and the version
    by which it was."""
    said, found = (AS_MADE.sub("---", one.read_text(encoding="utf-8")).splitlines() for one in (page, made))
    for number, (wanted, printed) in enumerate(zip(said, found, strict=False), 1):
        if not is_printed(wanted, printed, tolerance=TOLERANCE):
            raise AssertionError(f"{page.name}, line {number}:\n{wanted}\nis stale; its command now says\n{printed}")
    assert len(said) == len(found), f"{page.name} has {len(said)} lines; its command now makes {len(found)}"
    pictures = [sorted(one.name for one in path.with_suffix("").iterdir()) for path in (page, made)]
    assert pictures[0] == pictures[1]


EACH = [pytest.param(one, marks=pytest.mark.long) for one in LONG]
EACH += [pytest.param(one, marks=pytest.mark.slow) for one in SLOW]


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
        path.write_text(f"# Title\n\n{text}\n\n| --- | ---: |\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape(f"page.md, line 3:\n{old}\nis stale")):
        compare(page, made)
    made.write_text(page.read_text(encoding="utf-8").replace("| --- |", "| ------ |"), encoding="utf-8")
    compare(page, made)
