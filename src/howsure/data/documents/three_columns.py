"""The form of OntoGUM: one word per line in three columns: number in the document, word, coreference; no sentences."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.data.documents.entity_brackets import (
    BracketError,
    BracketFault,
    Brackets,
    BrokenDocument,
    LeftOut,
    bracket_texts,
    check_mentions,
    entity_text,
    type_text,
)
from howsure.errors import InputError
from howsure.files.text import Text, read_text
from howsure.files.whole import write_text

BEGIN = re.compile(r"#\s*begin document\s+(\S.*)")
END = re.compile(r"#\s*end document\s*")
BREAK = re.compile(r"[\t\r\n]")
TYPED = ("etype", "eid")
Rows = Sequence[tuple[int, list[str]]]


def read_three_columns(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """The documents of a file in the three columns of OntoGUM, plain or gzip; "-" is standard input.

    The form has no sentences: a document is one sentence of all its words. A bracket names an entity, `(16)`, or its
    type and number, `(person-16)`, optionally with its identity, `(person-16-Zurbarán)`. `left_out` is that of
    `read_conllu`.

    Raises InputError naming the line where columns or numbers are wrong or brackets do not match.
    Source: Zhu, Pradhan & Zeldes (ACL 2021).
    """
    return three_column_documents(read_text(path), left_out)


def three_column_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """The documents of a text in three columns; without `mentions`, a document with broken brackets stays, and has
    none."""
    documents: list[Document] = []

    def finish() -> None:
        document = name or text.stem
        try:
            documents.append(_document(text, document, rows))
        except BracketFault as fault:
            if mentions and left_out is None:
                raise
            if left_out is not None:
                left_out.append(BrokenDocument(document, str(fault)))
            if not mentions:
                documents.append(Document(document, (_sentence(rows),)))

    name: str | None = None
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.content.split("\n"), start=1):
        begin = BEGIN.fullmatch(line)
        if begin is not None:
            if rows or name is not None:
                finish()
            name, rows = begin[1].strip(), []
        elif line.strip() and not END.fullmatch(line):
            row = line.split("\t")
            if len(row) != 3:  # an empty word is left: OntoGUM itself has one, where the text has a bar
                what = f"a word needs three columns separated by tabs, number, word and coreference; it has {len(row)}."
                raise text.fault(number, what)
            if row[0] != str(len(rows)):
                raise text.fault(
                    number, f"words must be numbered 0, 1, 2, … in a document; {row[0]!r} is not {len(rows)}."
                )
            rows.append((number, row))
    finish()
    return documents


def _document(text: Text, name: str, rows: Rows) -> Document:
    if not rows:
        raise InputError(f"{text.name} has no words in the document {name}.")
    typed = any("-" in row[2] for _, row in rows if row[2] != "-")
    brackets = Brackets(TYPED if typed else ("eid",), repeated=typed)
    number = 0
    try:
        for word, (number, row) in enumerate(rows):  # noqa: B007
            if row[2] not in ("_", "-", ""):
                brackets.read(row[2], word)
        mentions = brackets.finish()
    except BracketError as error:
        what = f"{error}, in {name}. Brackets must open and close in one document."
        raise BracketFault(str(text.fault(number, what))) from None
    return Document(name, (_sentence(rows),), tuple(mentions))


def _sentence(rows: Rows) -> Sentence:
    return Sentence(tuple(row[1] for _, row in rows))


def write_three_columns(documents: Sequence[Document], path: str | os.PathLike[str]) -> None:
    """Write documents in the three columns of OntoGUM; if all mentions have a type, it is also written.

    Raises InputError if a document has no words, a mention no entity, or a word holds a tab or a line break.
    """
    lines: list[str] = []
    for document in documents:
        flat = _in_one_sentence(document)
        words, mentions = flat.sentences[0].words, flat.mentions or ()
        if not words:
            raise InputError(f"a document must have words to stand in three columns; {document.name} has none.")
        for word in (document.name, *words):
            if not word.strip() or BREAK.search(word):
                rule = "names and words must be text without tab and line break"
                raise InputError(f"{rule}; {document.name} has {word!r}.")
        label = _typed if mentions and all(mention.type is not None for mention in mentions) else entity_text
        brackets = bracket_texts(flat, label, closing=label)
        lines.append(f"# begin document {document.name}")
        lines += [f"{at}\t{word}\t{brackets.get((0, at), '_')}" for at, word in enumerate(words)]
        lines.append("")
    write_text("".join(f"{line}\n" for line in lines), path)


def _in_one_sentence(document: Document) -> Document:
    check_mentions(document)
    starts = [0, *accumulate(len(sentence) for sentence in document.sentences)]
    words = tuple(word for sentence in document.sentences for word in sentence.words)
    moved = (
        replace(one, sentence=0, start=starts[one.sentence] + one.start, end=starts[one.sentence] + one.end)
        for one in document.mentions or ()
    )
    return Document(document.name, (Sentence(words),), tuple(moved))


def _typed(mention: Mention) -> str:
    return f"{type_text(mention)}-{entity_text(mention)}"
