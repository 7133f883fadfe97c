"""Docstrings as Markdown: examples become code, and what is said of a parameter or attribute an item of a list."""

from __future__ import annotations

import re
from collections.abc import Iterable

OPENING = re.compile(r"^(Raises|Returns|Sources?:)")
ITEM = re.compile(r"^([-*]|\d+\.) ")


def as_markdown(text: str, names: Iterable[str] = (), *, docs: str = "..") -> str:
    """A docstring, in plain text, as Markdown.

    names: the parameters or attributes that the text may describe, as in `bin_size: pairs per bin.`
    docs: the folder of the site's pages, as seen from the page; `docs/NAME.md` becomes a link there.
    """
    paragraphs = re.split(r"\n[ \t]*\n", text.strip("\n"))
    return with_links("\n\n".join(paragraph_as_markdown(part, set(names)) for part in paragraphs), docs) + "\n"


def paragraph_as_markdown(text: str, names: set[str]) -> str:
    lines = text.split("\n")
    if lines[0].lstrip().startswith(">>> "):
        return "\n".join(["```pycon", *lines, "```"])
    if any(ITEM.match(line) for line in lines):
        return with_room_for_list(lines)
    return "\n\n".join(described(part, names) for part in sections_of(lines))


def with_room_for_list(lines: list[str]) -> str:
    """A list right under a sentence needs an empty line before it."""
    start = next(number for number, line in enumerate(lines) if ITEM.match(line))
    return "\n".join([*lines[:start], *([""] if start else []), *lines[start:]])


def sections_of(lines: list[str]) -> list[str]:
    """A paragraph, divided where a line begins with what is raised, or with a source."""
    sections: list[list[str]] = [[]]
    for line in lines:
        if OPENING.match(line) and sections[-1]:
            sections.append([])
        sections[-1].append(line)
    return ["\n".join(section) for section in sections]


def described(text: str, names: set[str]) -> str:
    """A paragraph whose descriptions (`name (n,): …`, also several in a line) are items of a list.

    A sentence that begins with a small letter and a colon is a description; elsewhere in a line only of `names`.
    """
    matches = list(re.finditer(label_of(names), text, re.MULTILINE))
    if not matches:
        return text
    ends = [*(match.start() for match in matches[1:]), len(text)]
    items = [
        f"- {bold(match['names'])}{match['shape'] or ''}: {' '.join(text[match.end() : end].split())}"
        for match, end in zip(matches, ends, strict=True)
    ]
    before = text[: matches[0].start()].rstrip()
    return "\n".join([*([before, ""] if before else []), *items])


def label_of(names: set[str]) -> str:
    """The pattern of what stands before a description: one name or several, and perhaps a shape."""
    alternatives = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    known_at_line = rf"^(?={alternatives})|(?<=[;)])\s(?={alternatives})|" if names else ""
    name = r"[a-z_]\w*"
    return (
        rf"(?:{known_at_line}\A|(?<=\.)\s)(?P<names>{name}(?:(?:, | and ){name})*)"
        r"(?P<shape> \((?:[^()]|\([^()]*\))*\))?: "
    )


def bold(names: str) -> str:
    return re.sub(r"\w+", lambda word: word[0] if word[0] == "and" else f"**`{word[0]}`**", names)


def with_links(text: str, docs: str) -> str:
    """The pages that a docstring names, as links."""
    return re.sub(r"`?\bdocs/([\w/-]+)\.md\b`?", rf"[\1]({docs}/\1.md)", text)
