"""Splitting CoNLL-U at blank lines: the blocks of a text or of a file read line by line, and the starts of
documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

NEW_DOCUMENT = ("newdoc id", "newdoc")
Blocks = Iterator[tuple[int, list[str], list[str]]]


def blocks_in(lines: Iterable[str]) -> Blocks:
    """For each sentence, the number of its first line, counted from 1, its comments, and the lines below them.

    >>> list(blocks_in(["", "# newdoc", "1\\tBirds", "2\\tsing", "", "", "1\\tSo"]))
    [(2, ['# newdoc'], ['1\\tBirds', '2\\tsing']), (7, [], ['1\\tSo'])]
    """
    block, first = list[str](), 0
    for number, line in enumerate(chain(lines, ("",)), start=1):
        if line:
            first = first if block else number
            block.append(line)
        elif block:
            n = next((at for at, text in enumerate(block) if not text.startswith("#")), len(block))
            yield first, block[:n], block[n:]
            block = []


def comments_of(lines: Sequence[str]) -> dict[str, str]:
    """Comments as keys and values; without `=`, the value is empty; for repeated keys, the last one counts."""
    parts = (line[1:].partition("=") for line in lines)
    return {key.strip(): value.strip() for key, _, value in parts}


def begins_document(comments: Mapping[str, str]) -> bool:
    """Whether a sentence with these comments is the first of a document."""
    return any(key in comments for key in NEW_DOCUMENT)


def name_of_document(comments: Mapping[str, str], *, stem: str, number: int) -> str:
    """The id in the first comments of a document, or else one derived from the file name.

    >>> name_of_document({"newdoc": ""}, stem="news", number=2), name_of_document({}, stem="news", number=1)
    ('news-2', 'news')
    """
    own = next((comments[key] for key in NEW_DOCUMENT if comments.get(key)), None)
    return own or (f"{stem}-{number}" if begins_document(comments) else stem)
