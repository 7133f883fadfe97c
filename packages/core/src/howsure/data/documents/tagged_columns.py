"""Words with tags in columns, as CoNLL's shared tasks publish them: one word per line, blank lines between sentences.

Variants are recognised: tabs or spaces, comments, a line of names, numbered words or sentences, tags among attributes
(name=B-PER), lines with a document's name or source, headings such as <HEADLINE>, and lines of tabs between sentences.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from howsure.data.documents.document import Strings
from howsure.data.documents.entities import LABEL, OUTSIDE, detect_scheme
from howsure.errors import InputError
from howsure.files.atomic_write import write_text
from howsure.files.input_files import Text, read_text
from howsure.inputs.numbers_and_names import counted

BREAK_OF_CELL = re.compile(r"[\t\r\n\ud800-\udfff]")  # surrogates cannot be encoded in UTF-8
DOCSTART = "-DOCSTART-"
COMMENT = re.compile(r"^#[ \t]", re.MULTILINE)  # or the word "#"
BEGINS = re.compile(rf"{DOCSTART}(\s|$)|#\s*newdoc\b")
NAMES = re.compile(r"#\s*global\.columns\s*=(.*)")  # the first line of CoNLL-U Plus
HEADING = re.compile(r"<[A-Z]{4,}>")  # in the first column of a line without tag; not <unk> or <UNK>
TAG_NAME = re.compile(r"tag|label|\bner|\b(iob|bio)|entit", re.IGNORECASE)  # in the first line of a table of words
NUMBER = re.compile(r"\d+([-.]\d+)?")  # of a word, of several words (1-2) or of a word that was left out (1.1)
FIRST_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a file in columns. word, tag: the indices of these columns. scheme: that of the entities, or None.

    key: the name of the tag among attributes, such as name in name=B-PER|SpaceAfter=No, or "". other: the column before
    the tag if it has tags of the same types, such as true labels or the outer ones of nested entities. names: whether
    the first line has the names of the columns. sentences: whether the first column numbers the sentences. comments,
    headings: the number of lines that were skipped as such. hashes: the number of lines that begin a sentence with #
    and were read as words.
    """

    tabs: bool
    width: int
    word: int
    tag: int
    key: str = ""
    other: int | None = None
    names: bool = False
    sentences: bool = False
    scheme: str | None = None
    comments: int = 0
    headings: int = 0
    hashes: int = 0

    @property
    def summary(self) -> str:
        """A description of the layout in words."""
        columns = f"{self.width} columns separated by {'tabs' if self.tabs else 'spaces'}"
        key = f", {self.key}=" if self.key else ""
        sentence = "sentence 1, " if self.sentences else ""
        scheme = f" ({self.scheme})" if self.scheme else ""
        parts = [f"{columns}: {sentence}word {self.word + 1}, tag {self.tag + 1}{key}{scheme}"]
        if self.other is not None:
            parts.append(f"column {self.other + 1} has tags of the same types")
        if self.names:
            parts.append("line 1 read as names of columns")
        if self.comments:
            parts.append(f"{counted(self.comments, 'comment')} skipped")
        if self.headings:
            parts.append(f"{counted(self.headings, 'heading')} such as <HEADLINE> skipped")
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
    if the first column numbers the words or the sentences. The tag is in `column`, counted from 1; by default, in the
    one that a first line such as `# global.columns = FORM NER XPOS` (CoNLL-U Plus) calls NER, or else in the last. If
    this column has attributes, one of which is the tag of an entity in all lines (name=B-PER|SpaceAfter=No), this is
    the tag. Comments, -DOCSTART-, headings (<HEADLINE> without tag) and a first line of names are
    skipped. A line that is empty or has only tabs ends a sentence. A line that begins with # is a comment if it has
    another number of columns, or if it precedes a sentence and no other line has its tag.

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
    """Detect the layout from the first lines; None unless a proportion `share` has the same number of columns."""
    lines = text.content[: 1 << 17].split("\n")[:FIRST_LINES]
    lines = lines[: None if len(lines) < FIRST_LINES else -1]
    tabs = any("\t" in line.strip() for line in lines if not line.startswith("#"))
    rows = [fields for line in lines if any(fields := _fields(line, tabs)) and not BEGINS.match(line)]
    words = [fields for fields in rows if not fields[0].startswith("#")] or rows
    widths = Counter(map(len, words))
    if not widths or (width := widths.most_common(1)[0][0]) < 2 or widths[width] < share * len(words):
        return None
    words = [fields for fields in words if len(fields) == width and any(fields[1:])]
    names = match[1].upper().split() if (match := NAMES.match(text.content)) else []
    tag = next((at for at, name in enumerate(names) if re.fullmatch("(.*:)?NER?", name)), width - 1)
    tag = tag if len(names) == width else width - 1
    has_names = TAG_NAME.search(words[0][tag]) is not None and _are_labels(fields[tag] for fields in words[1:])
    firsts = [fields[0] for fields in words[has_names:]]
    numbered = width > 2 and all(map(NUMBER.fullmatch, firsts))
    sentences = numbered and _mostly_repeats([_fields(line, tabs) for line in lines], width)
    word = int(sentences or (numbered and firsts[0].partition("-")[0] == "1"))
    words = words[has_names:]
    key = _entity_key([fields[tag] for fields in words])
    types = [_entity_types(words, at) if at > word else set[str]() for at in (tag, tag - 1)]
    other = tag - 1 if types[0] & types[1] else None
    return Layout(tabs, width, word, tag, key, other, has_names, sentences)


def _mostly_repeats(rows: Sequence[Strings], width: int) -> bool:
    """Whether the first cell mostly equals that of the line before, in lines that no blank line separates."""
    pairs = [(a[0], b[0]) for a, b in pairwise(rows) if len(a) == len(b) == width]
    return 2 * sum(first == second for first, second in pairs) > len(pairs)


def _entity_types(rows: Sequence[Strings], column: int) -> set[str]:
    """Return the types of entities in a column; none unless all of its cells are tags of entities."""
    tags = {fields[column] for fields in rows}
    return {tag[2:] for tag in tags - {OUTSIDE}} if all(map(is_label, tags)) else set()


def is_label(cell: str) -> bool:
    """Whether a cell is the tag of a word outside or inside an entity: O, B-PER, I …"""
    return cell == OUTSIDE or LABEL.fullmatch(cell) is not None


def _are_labels(cells: Iterable[str]) -> bool:
    """Whether all cells are tags of entities, at least one of which is inside an entity."""
    values = set(cells)
    return bool(values - {OUTSIDE}) and all(map(is_label, values))


def _entity_key(cells: Sequence[str]) -> str:
    """Return the name of the attribute whose values are the tags of all words; "" if there is none.

    >>> _entity_key(["name=B-PER|SpaceAfter=No", "name=O"]), _entity_key(["SpaceAfter=No", "_"])
    ('name', '')
    """
    for attribute in cells[0].split("|") if cells else ():
        key = attribute.partition("=")[0]
        values = [_attribute(cell, key) for cell in cells]
        if key != attribute and all(values) and _are_labels(values):
            return key
    return ""


def _attribute(cell: str, key: str) -> str:
    """Return the value of an attribute of a cell; "" if the cell has none."""
    return next((part[len(key) + 1 :] for part in cell.split("|") if part.startswith(f"{key}=")), "")


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
        if column - 1 != layout.tag:
            layout = replace(layout, tag=column - 1, key="", other=None)
    words: list[Strings] = []
    tags: list[Strings] = []
    documents: list[int] = []
    document = 0
    counts: Counter[str] = Counter()
    for begins, rows in _sentences(text, layout, counts):
        if rows:
            document += begins and bool(words)
            words.append(tuple(row[layout.word] for row in rows))
            tags.append(
                tuple(_attribute(row[layout.tag], layout.key) if layout.key else row[layout.tag] for row in rows)
            )
            documents.append(document)
    layout = replace(layout, scheme=detect_scheme(tags), comments=counts["comments"], headings=counts["headings"])
    layout = replace(layout, hashes=counts["hashes"])
    return TaggedText(words, tags, documents, layout)


def _sentences(text: Text, layout: Layout, counts: Counter[str]) -> Iterator[tuple[bool, list[Strings]]]:
    """Yield the rows of each sentence, and whether it begins a document; count comments and similar lines."""
    known_tags = _tags_of_words(text, layout)
    rows: list[Strings] = []
    begins, names = False, layout.names
    for number, line in enumerate(text.content.split("\n"), start=1):
        fields = _fields(line, layout.tabs)
        new_document = BEGINS.match(line) is not None
        is_heading = any(fields) and not any(fields[1:]) and HEADING.fullmatch(fields[0]) is not None
        counts["headings"] += is_heading
        if new_document or is_heading or not any(fields):
            yield begins, rows
            begins, rows = (begins and not rows) or new_document, []
        elif line.startswith("#") and _is_comment(fields, layout, None if rows else known_tags):
            counts["comments"] += 1
        elif names:
            names = False
        elif len(fields) == layout.width and fields[layout.word] and fields[layout.tag]:
            counts["hashes"] += not rows and COMMENT.match(line) is not None
            if layout.sentences and rows and rows[-1][0] != fields[0]:
                yield begins, rows
                begins, rows = False, []
            if layout.sentences or not layout.word or fields[0].isdecimal():  # not 1-2 or 1.1 of CoNLL-U
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
