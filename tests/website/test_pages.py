"""Pages for the site: links that hold where the page stands, fences that the builder knows, nothing else changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from howsure_cli.terminal.recorded_help import recorded_help
from tests.bad_input.page import rows
from website.docstrings import as_markdown
from website.links import Site, page_of
from website.pages import collect_pages, page_for_site, places_of
from website.recorded import command_names, help_sections, message_tables
from website.reference import CHAPTERS

ROOT = Path(__file__).parents[2]
PLACES = {
    "README.md": "start.md",
    "docs/gallery.md": "index.md",
    "docs/calibration.md": "calibration.md",
    "docs/decisions/ties.md": "decisions/ties.md",
    "docs/images/a.png": "images/a.png",
}


@pytest.mark.parametrize(
    ("source", "text", "shown"),
    [
        ("README.md", "[a](docs/calibration.md#bins)", "[a](calibration.md#bins)"),
        ("README.md", "![words](docs/images/a.png)", "![words](images/a.png)"),
        ("docs/gallery.md", "[a](../README.md), [b](decisions/ties.md)", "[a](start.md), [b](decisions/ties.md)"),
        ("docs/decisions/ties.md", "[a](../calibration.md)", "[a](../calibration.md)"),
        ("docs/decisions/ties.md", "[`b` and b](../../README.md)", "[`b` and b](../start.md)"),
        ("docs/decisions/ties.md", "[top](../gallery.md)", "[top](../index.md)"),
        ("docs/calibration.md", "[a](#here) [b](https://example.org)", "[a](#here) [b](https://example.org)"),
        ("docs/calibration.md", "a [test](../tests/test_a.py) shows", "a test shows"),
        ("docs/calibration.md", "`[a](../README.md)`", "`[a](../README.md)`"),
    ],
)
def test_links_hold_where_the_page_stands(source: str, text: str, shown: str) -> None:
    assert page_for_site(text, source, PLACES) == shown


def test_a_file_that_is_no_page_is_shown_where_the_repository_is() -> None:
    text = page_for_site("[test](../tests/a.py)", "docs/calibration.md", PLACES, source_url="https://host.example/x")
    assert text == "[test](https://host.example/x/tests/a.py)"


def test_fences_name_a_language_and_comments_are_left_out() -> None:
    text = "```console exit=2 tolerance=0.1\n$ a [b](c.md) > d\n```\n\n<!--\n```bash run\ncp a b\n```\n-->\nend\n"
    assert page_for_site(text, "README.md", PLACES) == "```console\n$ a [b](c.md) > d\n```\n\nend\n"


def test_all_pages_are_collected(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old.md").touch()
    collect_pages(ROOT, tmp_path / "site")
    collected = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.*")}
    assert set(places_of(ROOT).values()) <= collected
    assert "old.md" not in collected
    assert "assets/site.css" in collected


def test_every_page_is_in_the_navigation() -> None:
    """The builder refuses a page that is not; here without the builder."""
    navigation = (ROOT / "website" / "mkdocs.yml").read_text(encoding="utf-8")
    places = {place for place in places_of(ROOT).values() if place.endswith(".md")}
    places |= {f"reference/{name}.md" for name in CHAPTERS}
    assert {place for place in places if f" {place}\n" not in navigation} == set()


def test_the_gallery_is_tiles_with_picture_command_and_code() -> None:
    tiles = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8").split('<div class="tile" markdown>')[1:]
    assert len(tiles) >= 5
    assert [
        part for part in tiles if not all(mark in part for mark in ("\n## ", "![", "```console", "```python"))
    ] == []
    assert page_of('<div class="tile" markdown>').fetched == []


# What only the site shows. `test_recorded_help.py` checks that the recorded help is the real one.


def test_the_site_shows_the_help_of_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    shown = dict(re.findall(r"^## (.*)\n\n```console\n\$ .*\n((?:.*\n)*?)```$", help_sections(), re.MULTILINE))
    assert list(shown) == list(command_names())
    recorded = {name: recorded_help([*name.split()[1:], "--help"]) for name in shown}
    ours = {name: text for name, text in recorded.items() if text is not None and name != "howsure"}
    assert {name: shown[name].rstrip("\n") for name in ours} == ours
    assert set(shown) - set(ours) - {"howsure"} == {name for name in shown if name.startswith("howsure reproduce")}


def test_the_page_of_commands_names_them_all() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    unnamed = set(re.findall(r"\w[\w-]*", " ".join(command_names()))) - set(re.findall(r"`(\w[\w-]*)`", page))
    experiments = {name.split()[2] for name in command_names() if name.startswith("howsure reproduce ")}
    defaults = {"curve", "scores", "table"}  # what a group does without the name of a command
    labels = {"disagreements", "export", "sheet"}  # of howsure events labels
    named = {"events", "coreference", "counts", "parses", "quantiles"}  # commands of the same name
    assert unnamed == {"howsure"} | (experiments - named) | defaults | labels


def test_the_site_shows_all_messages_about_invalid_input() -> None:
    shown = message_tables().splitlines()
    assert [line for line, row in rows() if row and line.rstrip("\n") not in shown] == []


# Docstrings as Markdown.


@pytest.mark.parametrize(
    ("text", "names", "shown"),
    [
        ("One sentence.", [], "One sentence.\n"),
        (
            "Do.\n\ny (n,): labels.\nbin_size: pairs per bin, or\n    more. level: of the interval.",
            ["y", "bin_size", "level"],
            "Do.\n\n- **`y`** (n,): labels.\n- **`bin_size`**: pairs per bin, or more.\n"
            "- **`level`**: of the interval.\n",
        ),
        (
            "What was found. low, high and mid: its interval.",
            ["low", "high", "mid"],
            "What was found.\n\n- **`low`**, **`high`** and **`mid`**: its interval.\n",
        ),
        ("Do.\n\nunit: documents. An x: a label.", ["other"], "Do.\n\n- **`unit`**: documents. An x: a label.\n"),
        ("It is\nthat: a label.", ["other"], "It is\nthat: a label.\n"),
        ("It is y: a label.", ["y"], "It is y: a label.\n"),
        ("Add.\n\n>>> 1 + 1\n2", [], "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n"),
        ("Ways:\n- one\n- two", [], "Ways:\n\n- one\n- two\n"),
        ("Text.\nRaises InputError.\nSource: A (2015).", [], "Text.\n\nRaises InputError.\n\nSource: A (2015).\n"),
        ("See docs/calibration.md.", [], "See [calibration](../calibration.md).\n"),
    ],
)
def test_a_docstring_becomes_markdown(text: str, names: list[str], shown: str) -> None:
    assert as_markdown(text, names) == shown


def test_every_line_of_an_example_is_code() -> None:
    shown = as_markdown("Do.\n\n>>> for n in range(2):\n...     print(n)\n0\n1\n\n>>> 3\n3\n\nSource: A.")
    assert shown.count("```pycon") == 2
    assert ">>> " not in shown.replace("```pycon\n>>> ", "")


# The check of the built site finds what is wrong, and only that.


WHOLE = """
<link rel="canonical" href="https://host.example/x/index.html"><link rel="stylesheet" href="a/site.css">
<h2 id="größe">a</h2><a href="#gr%C3%B6%C3%9Fe">a</a> <a href="sub/">b</a> <a href="sub/index.html?q#there">c</a>
<a href="https://example.org">d</a> <a href="mailto:a@example.org">e</a> <img src="a/p.png" alt="words">
<script src="a/s.js"></script>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("a/p.png", "a/s.js"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "a" / "site.css").write_text("b { background: url(p.png) } i { mask: url('data:image/svg+xml,a') }")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "index.html").write_text('<p id="there"><a href="../index.html">up</a>')
    (tmp_path / "404.html").write_text('<a href="/x/sub/index.html">a</a><img src="/x/a/p.png" alt="words">')
    (tmp_path / "index.html").write_text(WHOLE)
    return tmp_path


def test_a_whole_site_has_no_problems(site: Path) -> None:
    assert Site.read(site, base="/x/").problems(wanted_names=["there"]) == []


@pytest.mark.parametrize(
    ("added", "problem"),
    [
        ('<a href="no.html">a</a>', "index.html links to no.html, which does not exist"),
        ('<a href="#no">a</a>', "index.html links to #no, but index.html has no such anchor"),
        ('<a href="sub/#no">a</a>', "index.html links to sub/#no, but sub/index.html has no such anchor"),
        ('<a href="/x/sub/#there">a</a>', None),
        ('<a href="/sub/">a</a>', "index.html links to /sub/, which does not exist"),
        ('<img src="no.png" alt="words">', "index.html fetches no.png, which does not exist"),
        ('<img src="a/p.png">', "index.html has 1 pictures without a text that describes them"),
        ('<img alt="a" src="//cdn.example/p.png">', "index.html fetches //cdn.example/p.png from elsewhere"),
        ('<script src="https://cdn.example/s.js">', "index.html fetches https://cdn.example/s.js from elsewhere"),
        ('<link rel="preconnect" href="https://f.example">', "index.html fetches https://f.example from elsewhere"),
        ('<p style="background: url(https://f.example/p)">', "index.html fetches https://f.example/p from elsewhere"),
        ('<img alt="a" srcset="a/p.png 1x, //f.example/p 2x">', "index.html fetches //f.example/p from elsewhere"),
    ],
)
def test_what_is_wrong_is_found(added: str, problem: str | None, site: Path) -> None:
    (site / "index.html").write_text(WHOLE + added)
    assert Site.read(site, base="/x/").problems() == ([problem] if problem else [])


def test_a_style_sheet_fetches_nothing_from_elsewhere(site: Path) -> None:
    (site / "a" / "site.css").write_text("@import 'https://f.example/a.css'; b { background: url(no.png) }")
    assert Site.read(site, base="/x/").problems() == [
        "a/site.css fetches https://f.example/a.css from elsewhere",
        "a/site.css fetches no.png, which does not exist",
    ]


def test_a_public_name_that_is_missing_is_found(site: Path) -> None:
    assert Site.read(site, base="/x/").problems(wanted_names=["howsure.x"]) == ["howsure.x is not in the reference"]


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    assert Site.read(tmp_path).problems() == [f"{tmp_path} holds no page"]
