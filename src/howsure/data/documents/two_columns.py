"""Tagged text in two columns: one word and its tag per line, a tab between them, a blank line after each sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from howsure.data.documents.document import Strings
from howsure.errors import InputError
from howsure.files.text import Text, read_text
from howsure.files.whole import write_text

BREAK = re.compile(r"[\t\r\n\ud800-\udfff]")  # what is half a character has no place in UTF-8
INDEX = "sentence\tfile\ttokens"


def read_tagged(path: str | os.PathLike[str]) -> tuple[list[Strings], list[Strings]]:
    """The sentences of a file of two columns (plain or gzip; "-" is standard input) and their tags.

    Raises InputError naming the line that is no word, tab and tag.
    """
    return tagged_sentences(read_text(path))


def tagged_sentences(text: Text) -> tuple[list[Strings], list[Strings]]:
    """The sentences of a text in two columns, and their tags."""
    sentences, tags = [], []
    numbered = enumerate(text.content.split("\n"), start=1)
    for is_sentence, lines in groupby(numbered, key=lambda one: bool(one[1])):
        if is_sentence:
            words: list[str] = []
            marks: list[str] = []
            for number, line in lines:
                word, tab, tag = line.partition("\t")
                if not (word and tag) or "\t" in tag:
                    found = line.count("\t") + 1
                    what = f"{found} columns" if tab and found != 2 else "an empty column" if tab else "no tab"
                    raise text.fault(number, f"a line must be a word, a tab and its tag, or blank; it has {what}.")
                words.append(word)
                marks.append(tag)
            sentences.append(tuple(words))
            tags.append(tuple(marks))
    return sentences, tags


def write_tagged(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], path: str | os.PathLike[str]
) -> None:
    """Write sentences and their tags in two columns; InputError if they do not fit or cannot stand in columns."""
    texts, gold = _rows(sentences, "sentences"), _rows(tags, "tags")
    if len(texts) != len(gold):
        raise InputError(f"there must be tags for every sentence; {len(texts):,} sentences, {len(gold):,} of tags.")
    lines: list[str] = []
    for at, (words, marks) in enumerate(zip(texts, gold, strict=True)):
        if len(words) != len(marks) or not words:
            rule = "a sentence must have words and a tag for each"
            raise InputError(f"{rule}; sentence {at} has {len(words)} words and {len(marks)} tags.")
        for cell in (*words, *marks):
            if not isinstance(cell, str) or not cell or BREAK.search(cell):
                raise InputError(f"words and tags must be text without tab and line break; sentence {at} has {cell!r}.")
        lines += [f"{word}\t{mark}\n" for word, mark in zip(words, marks, strict=True)]
        lines.append("\n")
    write_text("".join(lines), path)


def _rows(lists: object, name: str) -> list[list[Any]]:
    """Lists of lists; InputError for text, which would fall apart into characters."""
    outer = None if isinstance(lists, (str, bytes)) or not isinstance(lists, Iterable) else list(lists)
    for at, one in enumerate([lists] if outer is None else outer):
        if outer is None or isinstance(one, (str, bytes)) or not isinstance(one, Iterable):
            place = name if outer is None else f"{name}[{at}]"
            raise InputError(f"{name} must be a list of lists, one per sentence; {place} is {one!r}.")
    return [list(one) for one in outer or ()]


def read_sentence_index(path: str | os.PathLike[str], sentences: Sequence[Sequence[str]]) -> list[str]:
    """The name of the document of each sentence, from a file with the columns sentence, file and tokens.

    With it, sentences of two columns, which know no documents, are split or resampled by document. Raises InputError if
    the file is not the index of these sentences: their number or their lengths differ.
    """
    text = read_text(path)
    header, *rows = text.content.rstrip("\n").split("\n")
    if header != INDEX:
        raise text.fault(1, f"the header must be {INDEX!r}; it is {header!r}.")
    if len(rows) != len(sentences):
        raise InputError(
            f"{text.name} must have one row per sentence; it has {len(rows):,} for {len(sentences):,} sentences."
        )
    names = []
    for at, (row, words) in enumerate(zip(rows, sentences, strict=True)):
        number, _, rest = row.partition("\t")
        name, _, length = rest.partition("\t")
        if (number, length) != (str(at + 1), str(len(words))) or not name:
            what = f"sentence {at + 1} of {len(words)} words stands here, not {row!r}. Is it the index of another file?"
            raise text.fault(at + 2, what)
        names.append(name)
    return names
