"""Formats with a word per line, in columns: CoNLL-2012 and LitBank, OntoGUM's three columns, and crfsuite's items."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from howsure.data.documents.brackets import (
    BracketError,
    BracketFault,
    Brackets,
    LeftOut,
    bracket_texts,
    entity_text,
    whole,
)
from howsure.data.documents.document import Document, Mention, Sentence, Strings
from howsure.errors import InputError
from howsure.files.atomic_write import write_text
from howsure.files.input_files import Text, read_text
from howsure.inputs.numbers_and_names import parse_number

# CoNLL-2012 and LitBank: documents in parts, with one word per line in at least twelve columns; the last is
# coreference.

BEGIN_CONLL = re.compile(r"#begin document \((.*)\);(?:\s*part\s*([0-9]+))?\s*")
END_CONLL = re.compile(r"#end document\s*")
COLUMNS = 12
WORD, TAG, SPEAKER = 3, 4, 9
NONE = ("_", "-", "")
Read = Iterator[tuple[Document, BracketFault | None]]


def read_conll2012(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """Read the documents of a CoNLL-2012 or LitBank file, plain or gzip; "-" is standard input.

    Each part becomes a separate document, with `metadata["part"]`. Words, tags, speakers (`metadata` of the sentence)
    and coreference are read; columns are separated by tabs or, without tabs, by spaces. `left_out` is as in
    `read_conllu`.

    Raises InputError, which names the line, if a document does not begin or end properly, columns are missing, or
    brackets do not match. Source: Pradhan et al. (CoNLL 2012); Bamman, Lewke & Mansoor (LREC 2020).
    """
    return conll2012_documents(read_text(path), left_out)


def conll2012_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """Parse CoNLL-2012; without `mentions`, documents with broken brackets are kept, but have no mentions."""
    return whole(_parts(text), left_out, mentions=mentions)


def _parts(text: Text) -> Read:
    reading: _Growing | None = None
    number = 0
    for number, line in enumerate(text.content.rstrip("\n").split("\n"), start=1):
        if line.startswith("#begin document"):
            if reading is not None or (begin := BEGIN_CONLL.fullmatch(line)) is None:
                what = f"{line!r} is not #begin document (name); part 0" if reading is None else "a document within one"
                raise text.fault(number, f"{what}. Every document begins and ends with a line of its own.")
            reading = _Growing(text, begin[1], begin[2] or "000")
        elif reading is None:
            if line.strip():
                raise text.fault(
                    number, f"a document must begin with #begin document (name); part 0, not with {line[:60]!r}."
                )
        elif END_CONLL.fullmatch(line):
            yield reading.finished(number), reading.fault
            reading = None
        elif line.strip():
            reading.add(number, line)
        else:
            reading.end_sentence(number)
    if reading is not None:
        yield reading.finished(number), reading.fault
        raise text.fault(number, f"the document {reading.name} must end with #end document. Is the file cut off?")


class _Growing:
    """A document being read."""

    def __init__(self, text: Text, name: str, part: str) -> None:
        self.text, self.name, self.part = text, name, part
        self.sentences: list[Sentence] = []
        self.mentions: list[Mention] = []
        self.rows: list[list[str]] = []
        self.brackets = Brackets()
        self.fault: BracketFault | None = None  # the first error in the brackets

    def add(self, number: int, line: str) -> None:
        row = line.split("\t") if "\t" in line else line.split()
        if len(row) < COLUMNS or not row[WORD]:
            raise self.text.fault(number, f"a word needs at least {COLUMNS} columns; {line[:60]!r} has {len(row)}.")
        if row[-1] not in NONE and self.fault is None:
            try:
                self.brackets.read(row[-1].strip(), len(self.rows))
            except BracketError as error:
                self.fault = BracketFault(str(self.text.fault(number, f"{error}, in {self.name}.")))
        self.rows.append(row)

    def end_sentence(self, number: int) -> None:
        if not self.rows:
            return
        try:
            self.mentions += self.brackets.finish() if self.fault is None else []
        except BracketError as error:
            what = f"{error} in the sentence that ends here, in {self.name}."
            self.fault = BracketFault(str(self.text.fault(number - 1, what)))
        words, tags, speakers = (tuple(row[column] for row in self.rows) for column in (WORD, TAG, SPEAKER))
        metadata = {} if speakers[0] in NONE else {"speaker": speakers[0]}
        tagged = any(tag not in NONE for tag in tags)
        self.sentences.append(Sentence(words, tags=tags if tagged else None, metadata=metadata))
        self.rows = []
        self.brackets = Brackets(sentence=len(self.sentences))

    def finished(self, number: int) -> Document:
        self.end_sentence(number)
        return Document(self.name, tuple(self.sentences), tuple(self.mentions), {"part": self.part})


def write_conll2012(documents: Sequence[Document], path: str | os.PathLike[str]) -> None:
    """Write documents in the columns of CoNLL-2012, separated by tabs, for scorers and other readers.

    Words, tags, lemmas, speakers and coreference are written; the other columns are `-` or `*`. Spaces in lemmas and
    speakers become `_`. Raises InputError if a mention has no entity, a word contains spaces, a sentence has no words,
    or a part has no number.
    """
    lines: list[str] = []
    for document in documents:
        part = document.metadata.get("part", "000")
        if not re.fullmatch("[0-9]+", part):
            raise InputError(f"the part of a document must be a number; that of {document.name} is {part!r}.")
        if not all(map(len, document.sentences)):
            raise InputError(f"a sentence must have words to be written in columns; one of {document.name} has none.")
        coreference = bracket_texts(document, entity_text, closing=entity_text, joint="|")
        lines.append(f"#begin document ({_plain(document.name)}); part {part}")
        for at, sentence in enumerate(document.sentences):
            lines += _conll_rows(document.name, part, at, sentence, coreference)
            lines.append("")
        lines.append("#end document")
    write_text("".join(f"{line}\n" for line in lines), path)


def _conll_rows(
    name: str, part: str, index: int, sentence: Sentence, coreference: dict[tuple[int, int], str]
) -> Iterator[str]:
    blank: Strings = ("-",) * len(sentence)
    speaker = re.sub(r"\s", "_", sentence.metadata.get("speaker", "")) or "-"
    layers = zip(sentence.words, sentence.tags or blank, sentence.lemmas or blank, strict=True)
    for at, (word, tag, lemma) in enumerate(layers):
        described = [_plain(tag), "*", re.sub(r"\s", "_", lemma), "-", "-", speaker, "*"]
        yield "\t".join([name, part, str(at), _plain(word), *described, coreference.get((index, at), "-")])


def _plain(text: str) -> str:
    if not text or len(text.split()) != 1 or text != text.strip():
        raise InputError(
            f"names, words and tags must not contain blanks in this format; {text!r} does. Replace blanks with _."
        )
    return text


# OntoGUM has one word per line in three columns: the word's number in the document, the word, and coreference.

BEGIN_THREE = re.compile(r"#\s*begin document\s+(\S.*)")
END_THREE = re.compile(r"#\s*end document\s*")
TYPED = ("etype", "eid")
Rows = Sequence[tuple[int, list[str]]]


def read_three_columns(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """Read the documents of a file in the three columns of OntoGUM, plain or gzip; "-" is standard input.

    The format has no sentences, so a document becomes one sentence with all its words. A bracket contains an entity's
    number, `(16)`, its type and number, `(person-16)`, or also its identity, `(person-16-Zurbarán)`. left_out: as in
    `read_conllu`.

    Raises InputError, which names the line, if columns or numbers are wrong or brackets do not match.
    Source: Zhu, Pradhan & Zeldes (ACL 2021).
    """
    return three_column_documents(read_text(path), left_out)


def three_column_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """Parse three columns; without `mentions`, documents with broken brackets are kept, but have no mentions."""
    return whole(_numbered(text), left_out, mentions=mentions)


def _numbered(text: Text) -> Read:
    name: str | None = None
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.content.split("\n"), start=1):
        begin = BEGIN_THREE.fullmatch(line)
        if begin is not None:
            if rows or name is not None:
                yield _document(text, name, rows)
            name, rows = begin[1].strip(), []
        elif line.strip() and not END_THREE.fullmatch(line):
            row = line.split("\t")
            if len(row) != 3:  # an empty word is kept: OntoGUM has one for a bar
                what = f"a word needs three columns separated by tabs, number, word and coreference; it has {len(row)}."
                raise text.fault(number, what)
            if row[0] != str(len(rows)):
                raise text.fault(
                    number, f"words must be numbered 0, 1, 2, … in a document; {row[0]!r} is not {len(rows)}."
                )
            rows.append((number, row))
    yield _document(text, name, rows)


def _document(text: Text, named: str | None, rows: Rows) -> tuple[Document, BracketFault | None]:
    name = named or text.stem
    if not rows:
        raise InputError(f"{text.name} has no words in the document {name}.")
    typed = any("-" in row[2] for _, row in rows if row[2] != "-")
    brackets = Brackets(TYPED if typed else ("eid",), repeated=typed)
    number, sentences = 0, (Sentence(tuple(row[1] for _, row in rows)),)
    try:
        for word, (number, row) in enumerate(rows):  # noqa: B007
            if row[2] not in NONE:
                brackets.read(row[2], word)
        return Document(name, sentences, tuple(brackets.finish())), None
    except BracketError as error:
        what = f"{error}, in {name}. Brackets must open and close in one document."
        return Document(name, sentences), BracketFault(str(text.fault(number, what)))


# A sentence index is a table with the document of each sentence of a tagged text.

INDEX = "sentence\tfile\ttokens"


def read_sentence_index(path: str | os.PathLike[str], sentences: Sequence[Sequence[str]]) -> list[str]:
    """Read the name of each sentence's document from a file with the columns sentence, file and tokens.

    Files with two columns do not contain the names of documents. With this index, their sentences can be split or
    resampled by document. Raises InputError if the number or the lengths of the sentences differ from those in the
    index.
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
            what = (
                f"sentence {at + 1} of {len(words)} words is expected here, not {row!r}. Is it the index of "
                "another file?"
            )
            raise text.fault(at + 2, what)
        names.append(name)
    return names


# Files of crfsuite have a line per item, with a label and attributes separated by tabs, and a blank line after each
# sequence.

ESCAPED = re.compile(r"\\([\\:])")
WITH_VALUE = re.compile(r"((?:[^\\:]|\\.|\\$)*)(?::(.*))?", re.DOTALL)
Item = dict[str, float]


def read_attributes(path: str | os.PathLike[str]) -> tuple[list[list[Item]], list[Strings]]:
    """Read crfsuite data: the items of every sequence, each attribute with its value (default 1), and their labels.

    `name:0.5` is the attribute `name` with value 0.5; a colon in a name is written `\\:`, a backslash `\\\\`. An
    attribute that occurs twice counts twice.

    Raises InputError, which names the line, if a value is not a number or a label is blank.
    Source: http://www.chokkan.org/software/crfsuite/manual.html (data format).
    """
    text = read_text(path)
    sequences, labels = [], []
    for is_sequence, lines in groupby(
        enumerate(text.content.split("\n"), start=1), key=lambda numbered_line: bool(numbered_line[1])
    ):
        if not is_sequence:
            continue
        items: list[Item] = []
        names: list[str] = []
        for number, line in lines:
            label, *attributes = line.split("\t")
            if not label.strip():
                raise text.fault(number, "an item must begin with its label; a line between sequences must be empty.")
            item: Item = {}
            for attribute in attributes:
                name, value = _parsed(attribute)
                if not math.isfinite(value):
                    raise text.fault(
                        number, f"an attribute's value, after the colon, must be a number; it is {attribute!r}."
                    )
                item[name] = item.get(name, 0.0) + value
            items.append(item)
            names.append(_unescaped(label))
        sequences.append(items)
        labels.append(tuple(names))
    return sequences, labels


def _parsed(attribute: str) -> tuple[str, float]:
    """Split an attribute into its name and value; the value is NaN if it is not a number."""
    match = WITH_VALUE.fullmatch(attribute)
    assert match is not None
    name, value = match.groups()
    number = 1.0 if value is None else parse_number(value)
    return _unescaped(name), math.nan if number is None else number


def _unescaped(name: str) -> str:
    return ESCAPED.sub(r"\1", name)
