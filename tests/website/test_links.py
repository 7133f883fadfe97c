"""The check of the built site finds what is wrong, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from website.links import Site

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
