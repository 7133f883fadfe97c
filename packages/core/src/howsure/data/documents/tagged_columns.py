"""Words with tags in columns, as CoNLL's shared tasks publish them: one word per line, blank lines between sentences.

Variants are recognised: tabs or spaces, comments, numbered words, lines with a document's name or source, and lines of
tabs between sentences.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.data.documents.document import Strings
from howsure.data.documents.entities import detect_scheme
from howsure.errors import InputError
from howsure.files.atomic_write import write_text
from howsure.files.input_files import Text, read_text
from howsure.inputs.numbers_and_names import counted

BREAK_OF_CELL = re.compile(r"[\t\r\n\ud800-\udfff]")  # surrogates cannot be encoded in UTF-8
DOCSTART = "-DOCSTART-"
COMMENT = re.compile(r"^#[ \t]", re.MULTILINE)  # or the word "#"
BEGINS = re.compile(rf"{DOCSTART}(\s|$)|#\s*newdoc\b")
NAMES = re.compile(r"#\s*global\.columns\s*=(.*)")  # the first line of CoNLL-U Plus
FIRST_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a file in columns. word, tag: the indices of these columns. scheme: that of the entities, or None.

    comments: the number of lines that were skipped as comments. hashes: the number of lines that begin a sentence with
    # and were read as words.
    """

    tabs: bool
    width: int
    word: int
    tag: int
    scheme: str | None = None
    comments: int = 0
    hashes: int = 0

    @property
    def summary(self) -> str:
        """A description of the layout in words."""
        columns = f"{self.width} columns separated by {'tabs' if self.tabs else 'spaces'}"
        parts = [f"{columns}: word {self.word + 1}, tag {self.tag + 1}" + (f" ({self.scheme})" if self.scheme else "")]
        if self.comments:
            parts.append(f"{counted(self.comments, 'comment')} skipped")
        if self.hashes:
            parts.append(f"{counted(self.hashes, 'line')} with # at the beginning of a sentence read as words")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class TaggedText:
    """The sentences of a file, their tags, the index of each sentence's document, and the layout of the file."""

    words: list[Strings]
    tags: list[Strings]
    documents: list[int]
    layout: Layout


def read_tagged(path: str | os.PathLike[str], *, column: int | None = None) -> tuple[list[Strings], list[Strings]]:
    """Read sentences and their tags from a file in columns (plain or gzip; "-" is standard input).

    Columns are separated by tabs, or by spaces if no line has a tab. The word is in the first column, or in the second
    if the first column numbers the words of a sentence. The tag is in `column`, counted from 1; by default, in the one
    that a first line such as `# global.columns = FORM NER XPOS` (CoNLL-U Plus) calls NER, or else in the last.
    Comments and -DOCSTART- are skipped. A line that is empty or has only tabs ends a sentence. A line that begins with
    # is a comment if it has another number of columns, or if it precedes a sentence and no other line has its tag.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "birds.conll")
    >>> written = path.write_text("# source\\n1 Ada B-PER O\\n2 sings O O\\n")
    >>> read_tagged(path, column=3)
    ([('Ada', 'sings')], [('B-PER', 'O')])

    Raises InputError, which names the line, for a line with another number of columns, or without a word or tag.
    """
    tagged = read_columns(read_text(path), column=column)
    return tagged.words, tagged.tags


def detect_columns(text: Text, *, share: float = 0.9) -> Layout | None:
    """Detect the layout from the first lines; None unless at least a proportion `share` of them has the same number of
    columns."""
    lines = text.content[: 1 << 17].split("\n")[:FIRST_LINES]
    lines = lines[: None if len(lines) < FIRST_LINES else -1]
    tabs = any("\t" in line.strip() for line in lines if not line.startswith("#"))
    rows = [fields for line in lines if any(fields := _fields(line, tabs)) and not BEGINS.match(line)]
    words = [fields for fields in rows if not fields[0].startswith("#")] or rows
    widths = Counter(map(len, words))
    if not widths or (width := widths.most_common(1)[0][0]) < 2 or widths[width] < share * len(words):
        return None
    firsts = [fields[0] for fields in words if len(fields) == width]
    numbered = width > 2 and firsts[0] == "1" and all(first.isdecimal() for first in firsts)
    names = match[1].upper().split() if (match := NAMES.match(text.content)) else []
    tag = next((at for at, name in enumerate(names) if re.fullmatch("(.*:)?NER?", name)), width - 1)
    return Layout(tabs, width, int(numbered), tag if len(names) == width else width - 1)


def read_columns(text: Text, *, column: int | None = None) -> TaggedText:
    """Parse the sentences of a text in columns; see `read_tagged`."""
    layout = detect_columns(text, share=0.0) or Layout(True, 2, 0, 1)
    if column is not None:
        if not layout.word + 1 < column <= layout.width:
            raise InputError(
                "{parameter} must be from {first} to {width}, a column of {name} after the word; it is {column}.",
                "column",
                first=layout.word + 2,
                width=layout.width,
                name=text.name,
                column=column,
            )
        layout = replace(layout, tag=column - 1)
    words: list[Strings] = []
    tags: list[Strings] = []
    documents: list[int] = []
    document = 0
    counts: Counter[str] = Counter()
    for begins, rows in _sentences(text, layout, counts):
        if rows:
            document += begins and bool(words)
            words.append(tuple(row[layout.word] for row in rows))
            tags.append(tuple(row[layout.tag] for row in rows))
            documents.append(document)
    layout = replace(layout, scheme=detect_scheme(tags), comments=counts["comments"], hashes=counts["hashes"])
    return TaggedText(words, tags, documents, layout)


def _sentences(text: Text, layout: Layout, counts: Counter[str]) -> Iterator[tuple[bool, list[Strings]]]:
    """Yield the rows of each sentence, and whether it begins a document; count comments and similar lines."""
    known_tags = _tags_of_words(text, layout)
    rows: list[Strings] = []
    begins = False
    for number, line in enumerate(text.content.split("\n"), start=1):
        fields = _fields(line, layout.tabs)
        new_document = BEGINS.match(line) is not None
        if new_document or not any(fields):
            yield begins, rows
            begins, rows = (begins and not rows) or new_document, []
        elif line.startswith("#") and _is_comment(fields, layout, None if rows else known_tags):
            counts["comments"] += 1
        elif len(fields) == layout.width and fields[layout.word] and fields[layout.tag]:
            counts["hashes"] += not rows and COMMENT.match(line) is not None
            rows.append(fields)
        else:
            raise text.fault(number, _fault(fields, layout))
    yield begins, rows


def _is_comment(fields: Strings, layout: Layout, known_tags: set[str] | None) -> bool:
    """Whether a line that begins with # is a comment; known_tags: the tags of all words, or None within a sentence."""
    if layout.word > 0 or len(fields) != layout.width or not all(fields):
        return True
    return fields[0].split(" ")[0] == "#" and bool(known_tags) and fields[layout.tag] not in (known_tags or ())


def _tags_of_words(text: Text, layout: Layout) -> set[str]:
    """Return the tags of all lines that do not begin with #; an empty set if no line looks like a comment."""
    if not COMMENT.search(text.content):
        return set()
    rows = [_fields(line, layout.tabs) for line in text.content.split("\n") if not line.startswith("#")]
    return {row[layout.tag] for row in rows if len(row) == layout.width}


def _fields(line: str, tabs: bool) -> Strings:
    """Return the cells of a line; () for a blank line."""
    line = line.removesuffix("\r").strip("\ufeff")
    return tuple(line.split("\t" if tabs else None)) if line.strip() or "\t" in line else ()


def _fault(fields: Strings, layout: Layout) -> str:
    separator = "tab" if layout.tabs else "space"
    required = f"{layout.width} columns separated by {separator}s"
    if layout.width == 2:
        required = f"a word, a {separator} and its tag"
    what = counted(len(fields), "column")
    if len(fields) == layout.width:
        what = "an empty column"
    elif len(fields) == 1:
        what = f"no {separator}"
    return f"a line must be {required}, or blank; it has {what}."


def write_tagged(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], path: str | os.PathLike[str]
) -> None:
    """Write sentences and tags in two columns. Raises InputError for different lengths, tabs or line breaks."""
    texts, gold = _lists(sentences, "sentences"), _lists(tags, "tags")
    if len(texts) != len(gold):
        raise InputError(
            f"every sentence needs a list of tags; there are {len(texts):,} sentences and {len(gold):,} lists of tags."
        )
    lines: list[str] = []
    for at, (words, marks) in enumerate(zip(texts, gold, strict=True)):
        if len(words) != len(marks) or not words:
            rule = "a sentence must have words and a tag for each"
            raise InputError(f"{rule}; sentence {at} has {len(words)} words and {len(marks)} tags.")
        for cell in (*words, *marks):
            if not isinstance(cell, str) or not cell or BREAK_OF_CELL.search(cell):
                raise InputError(f"words and tags must be text without tab and line break; sentence {at} has {cell!r}.")
        lines += [f"{word}\t{mark}\n" for word, mark in zip(words, marks, strict=True)]
        lines.append("\n")
    write_text("".join(lines), path)


def _lists(lists: object, name: str) -> list[list[Any]]:
    """Convert to lists of lists. Raises InputError for a string, which would be split into characters."""
    outer = None if isinstance(lists, (str, bytes)) or not isinstance(lists, Iterable) else list(lists)
    for at, inner in enumerate([lists] if outer is None else outer):
        if outer is None or isinstance(inner, (str, bytes)) or not isinstance(inner, Iterable):
            place = name if outer is None else f"{name}[{at}]"
            raise InputError(f"{name} must be a list of lists, one per sentence; {place} is {inner!r}.")
    return [list(inner) for inner in outer or ()]
