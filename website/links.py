"""Check the built site: every link and anchor must have a target, and nothing may be loaded from other sites."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

# What a browser fetches by itself. A link that a reader follows may leave the site.
FETCHED = {"audio", "embed", "iframe", "img", "object", "script", "source", "track", "video"}
NOT_FETCHED = {"canonical", "next", "prev", "license"}
ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
NOT_A_FILE = re.compile(r"^(?:mailto|data|javascript):", re.IGNORECASE)
IN_STYLE = re.compile(r"@import\s+[\"']?([^\"';)]+)|url\(\s*[\"']?([^\"')]+)")


@dataclass
class Page(HTMLParser):
    """The anchors and links of a page, and the files that a browser loads to show it."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    pictures_without_words: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag == "link" and attributes.get("href") and not NOT_FETCHED & set(attributes.get("rel", "").split()):
            self.fetched.append(attributes["href"])
        if tag in FETCHED:
            self.fetched += [attributes[name] for name in ("src", "data", "poster") if attributes.get(name)]
            self.fetched += [part.split()[0] for part in attributes.get("srcset", "").split(",") if part.strip()]
        self.fetched += style_sources(attributes.get("style", ""))
        if tag == "img" and not attributes.get("alt"):
            self.pictures_without_words += 1


def page_of(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    return page


def style_sources(text: str) -> list[str]:
    """Return the files that a style sheet loads."""
    return [quoted or other for quoted, other in IN_STYLE.findall(text)]


@dataclass(frozen=True)
class Site:
    """A built site: its folder, its pages by name, and the path under which it is published (`/howsure/`)."""

    folder: Path
    pages: dict[str, Page]
    base: str = "/"

    @classmethod
    def read(cls, folder: Path, *, base: str = "/") -> Site:
        files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.html"))}
        return cls(folder, {name: page_of(path.read_text(encoding="utf-8")) for name, path in files.items()}, base)

    def problems(self, *, wanted_names: Iterable[str] = ()) -> list[str]:
        """Return all problems, one sentence each. Every name in `wanted_names` must be an anchor of some page."""
        if not self.pages:
            return [f"{self.folder} holds no page"]
        problems = [problem for name in self.pages for problem in self.problems_of_page(name)]
        for path in sorted(self.folder.rglob("*.css")):
            name = path.relative_to(self.folder).as_posix()
            for source in style_sources(path.read_text(encoding="utf-8")):
                problems += self.problems_of_source(name, source)
        anchors = set().union(*(page.anchors for page in self.pages.values()))
        return problems + [f"{name} is not in the reference" for name in wanted_names if name not in anchors]

    def problems_of_page(self, name: str) -> Iterator[str]:
        page = self.pages[name]
        for source in page.fetched:
            yield from self.problems_of_source(name, source)
        for link in page.links:
            yield from self.problems_of_link(name, link)
        if page.pictures_without_words:
            yield f"{name} has {page.pictures_without_words} pictures without a text that describes them"

    def problems_of_link(self, name: str, link: str) -> Iterator[str]:
        """Return what is wrong with a link that a reader may follow."""
        if ELSEWHERE.match(link) or NOT_A_FILE.match(link):
            return
        path, _, anchor = link.partition("#")
        target = self.target_of(name, path)
        if not (self.folder / target).is_file():
            yield f"{name} links to {link}, which does not exist"
        elif anchor and target in self.pages and unquote(anchor) not in self.pages[target].anchors:
            yield f"{name} links to {link}, but {target} has no such anchor"

    def problems_of_source(self, name: str, source: str) -> Iterator[str]:
        """Return what is wrong with a file that a browser loads to show a page."""
        if ELSEWHERE.match(source):
            yield f"{name} fetches {source} from elsewhere"
        elif not NOT_A_FILE.match(source) and not (self.folder / self.target_of(name, source)).is_file():
            yield f"{name} fetches {source}, which does not exist"

    def target_of(self, name: str, link: str) -> str:
        """Return the file of a link within the site; for a folder, its index.html."""
        path = unquote(re.split("[?#]", link)[0])
        if not path:
            return name
        # Only the page for what is not found, which may be shown at any depth, names places from the top.
        path = path.removeprefix(self.base) if path.startswith("/") else posixpath.join(posixpath.dirname(name), path)
        path = posixpath.normpath(path)
        return posixpath.normpath(posixpath.join(path, "index.html")) if (self.folder / path).is_dir() else path
