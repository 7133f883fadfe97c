"""Convert docstrings to Markdown: examples become code blocks, and descriptions of parameters become list items."""

from __future__ import annotations

import re
from collections.abc import Iterable

OPENING = re.compile(r"^(Raises|Returns|Sources?:)")
ITEM = re.compile(r"^([-*]|\d+\.) ")


def as_markdown(text: str, names: Iterable[str] = (), *, docs: str = "..") -> str:
    """Return a plain-text docstring as Markdown.

    names: the parameters or attributes that the text may describe, as in `bin_size: pairs per bin.`
    docs: the folder of the site's pages, relative to the page; `docs/NAME.md` becomes a link to it.
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
    """Insert the empty line that Markdown needs between a sentence and a list."""
    start = next(number for number, line in enumerate(lines) if ITEM.match(line))
    return "\n".join([*lines[:start], *([""] if start else []), *lines[start:]])


def sections_of(lines: list[str]) -> list[str]:
    """Split a paragraph at lines that begin with "Raises" or "Source"."""
    sections: list[list[str]] = [[]]
    for line in lines:
        if OPENING.match(line) and sections[-1]:
            sections.append([])
        sections[-1].append(line)
    return ["\n".join(section) for section in sections]


def described(text: str, names: set[str]) -> str:
    """Turn descriptions (`name (n,): …`, possibly several in a line) of a paragraph into list items.

    A lower-case word with a colon at the beginning of a line starts a description; elsewhere in a line, only a name in
    `names` does.
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
    """Return the pattern of what precedes a description: one or more names, and possibly a shape."""
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
    """Turn the pages that a docstring names into links."""
    return re.sub(r"`?\bdocs/([\w/-]+)\.md\b`?", rf"[\1]({docs}/\1.md)", text)
