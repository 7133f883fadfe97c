"""The pages of the site: the repository's Markdown files, copied to their paths on the site, with adapted links."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from website.recorded import ADDED

# Pages whose place on the site is not their place under docs/.
PLACES = {
    "docs/gallery.md": "index.md",
    "docs/README.md": "all-pages.md",
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
    "SKILL.md": "skill.md",
}
FILES = {".csv", ".png", ".svg"}  # copied as they are
# Code is left alone: fenced blocks, and code within a line.
CODE = re.compile(r"^```.*?^```[ \t]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^)\s]+)\)|(!\[[^\]]*\])\(([^)\s]+)\)")
FRONT = "---\nhide: [navigation, toc]\n---\n\n"


def collect_pages(root: Path, target: Path, *, source_url: str = "") -> None:
    """Write all pages, pictures and tables into `target`, which is deleted first.

    source_url: the address at which the files of the repository can be read, such as
        `https://host/owner/name/blob/main`. Without it, a link to a file that is not a page, such as a test, becomes
        plain text.
    """
    shutil.rmtree(target, ignore_errors=True)
    places = places_of(root)
    for source, place in places.items():
        path = target / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in FILES:
            shutil.copy(root / source, path)
        else:
            text = (root / source).read_text(encoding="utf-8")
            text = f"{text}\n{ADDED[source]()}\n" if source in ADDED else text
            text = page_for_site(text, source, places, source_url=source_url)
            path.write_text((FRONT if place == "index.md" else "") + text, encoding="utf-8")
    shutil.copytree(Path(__file__).parent / "assets", target / "assets")


def places_of(root: Path) -> dict[str, str]:
    """Return each page, picture and table of the repository, with its path on the site."""
    names = [path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*")) if path.is_file()]
    published = [name for name in names if Path(name).suffix in {".md", *FILES}]
    return {name: PLACES.get(name, name.removeprefix("docs/")) for name in [*published, *PLACES]}


def page_for_site(text: str, source: str, places: dict[str, str], *, source_url: str = "") -> str:
    """Return the Markdown of a page for the site: without comments, with plain code fences, and with links to paths on
    the site."""
    text = re.sub(r"^<!--.*?^-->\n", "", text, flags=re.MULTILINE | re.DOTALL)
    # The first line of a block says how the tests run it: `console exit=2`. The site needs the language only.
    text = re.sub(r"^```([a-z]+) .*$", r"```\1", text, flags=re.MULTILINE)
    return outside_code(text, lambda part: LINK.sub(lambda link: moved(link, source, places, source_url), part))


def moved(link: re.Match[str], source: str, places: dict[str, str], source_url: str) -> str:
    """Return a link or picture that is correct on the site."""
    shown, target = (f"[{link[1]}]", link[2]) if link[2] else (link[3], link[4])
    path, _, heading = target.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link[0]
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if file in places:
        path = posixpath.relpath(places[file], posixpath.dirname(places[source]) or ".")
        return f"{shown}({path}{'#' + heading if heading else ''})"
    return f"{shown}({source_url}/{file})" if source_url else link[1]


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change a text except its code; a link may contain code."""
    kept: list[str] = []

    def keep(code: re.Match[str]) -> str:
        kept.append(code[0])
        return f"\0{len(kept) - 1}\0"

    return re.sub("\0(\\d+)\0", lambda mark: kept[int(mark[1])], change(CODE.sub(keep, text)))
