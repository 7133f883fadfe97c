"""Pages for the site: links that hold where the page stands, fences that the builder knows, nothing else changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from website.links import page_of
from website.pages import collect_pages, page_for_site, places_of

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
    assert {place for place in places if f" {place}\n" not in navigation} == set()


def test_the_gallery_is_tiles_with_picture_command_and_code() -> None:
    tiles = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8").split('<div class="tile" markdown>')[1:]
    assert len(tiles) >= 5
    assert [
        part for part in tiles if not all(mark in part for mark in ("\n## ", "![", "```console", "```python"))
    ] == []
    assert page_of('<div class="tile" markdown>').fetched == []
