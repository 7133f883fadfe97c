"""CoNLL-2012 and LitBank: documents in parts, with one word per line in at least twelve columns, the last one for
coreference."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from howsure.data.documents.document import Document, Mention, Sentence, Strings
from howsure.data.documents.entity_brackets import (
    BracketError,
    BracketFault,
    Brackets,
    BrokenDocument,
    LeftOut,
    bracket_texts,
    entity_text,
)
from howsure.errors import InputError
from howsure.files.text import Text, read_text
from howsure.files.whole import write_text

BEGIN = re.compile(r"#begin document \((.*)\);(?:\s*part\s*([0-9]+))?\s*")
END = re.compile(r"#end document\s*")
COLUMNS = 12
WORD, TAG, SPEAKER = 3, 4, 9
NONE = ("_", "-", "")


def read_conll2012(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """The documents of a file in the columns of CoNLL-2012 or LitBank, plain or gzip; "-" is standard input.

    Each part becomes a separate document, with `metadata["part"]`. Words, tags, speakers (`metadata` of the sentence)
    and coreference are read; columns are separated by tabs or, if there are none, by spaces. `left_out` is as in
    `read_conllu`.

    Raises InputError naming the line where a document does not begin or end properly, columns are missing or brackets
    do not match. Source: Pradhan et al. (CoNLL 2012); Bamman, Lewke & Mansoor (LREC 2020).
    """
    return conll2012_documents(read_text(path), left_out)


def conll2012_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """The documents of a text in the columns of CoNLL-2012; without `mentions`, a document with broken brackets stays,
    and has none."""
    documents: list[Document] = []
    reading: _Growing | None = None
    number = 0
    for number, line in enumerate(text.content.rstrip("\n").split("\n"), start=1):
        if line.startswith("#begin document"):
            if reading is not None or (begin := BEGIN.fullmatch(line)) is None:
                what = f"{line!r} is not #begin document (name); part 0" if reading is None else "a document within one"
                raise text.fault(number, f"{what}. Every document begins and ends by a line of its own.")
            reading = _Growing(text, begin[1], begin[2] or "000")
        elif reading is None:
            if line.strip():
                raise text.fault(
                    number, f"a document must begin by #begin document (name); part 0, not by {line[:60]!r}."
                )
        elif END.fullmatch(line):
            document = reading.finished(number)
            if reading.fault is None:
                documents.append(document)
            elif mentions and left_out is None:
                raise reading.fault
            else:
                if left_out is not None:
                    left_out.append(BrokenDocument(named_part(document), str(reading.fault)))
                if not mentions:
                    documents.append(replace(document, mentions=None))
            reading = None
        elif line.strip():
            reading.add(number, line)
        else:
            reading.end_sentence(number)
    if reading is not None and reading.fault is not None and left_out is None and mentions:
        raise reading.fault
    if reading is not None:
        raise text.fault(number, f"the document {reading.name} must end by #end document. Is the file cut off?")
    return documents


class _Growing:
    """A document being read."""

    def __init__(self, text: Text, name: str, part: str) -> None:
        self.text, self.name, self.part = text, name, part
        self.sentences: list[Sentence] = []
        self.mentions: list[Mention] = []
        self.rows: list[list[str]] = []
        self.brackets = Brackets()
        self.fault: BracketFault | None = None  # where mentions cannot be read

    def add(self, number: int, line: str) -> None:
        row = line.split("\t") if "\t" in line else line.split()
        if len(row) < COLUMNS or not row[WORD]:
            raise self.text.fault(number, f"a word needs {COLUMNS} columns or more; {line[:60]!r} has {len(row)}.")
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


def named_part(document: Document) -> str:
    """The name of a document, and its part if it is not the first."""
    part = document.metadata.get("part", "")
    return document.name if part.strip("0") == "" else f"{document.name}, part {part}"


def write_conll2012(documents: Sequence[Document], path: str | os.PathLike[str]) -> None:
    """Write documents in the columns of CoNLL-2012, separated by tabs, for scorers and other readers.

    Words, tags, lemmas, speakers and coreference are written; everything else is `-`, and spaces in lemmas and speakers
    become `_`. Raises InputError if a mention has no entity, a word contains spaces, a sentence has no words, or a part
    has no number.
    """
    lines: list[str] = []
    for document in documents:
        part = document.metadata.get("part", "000")
        if not re.fullmatch("[0-9]+", part):
            raise InputError(f"the part of a document must be a number; that of {document.name} is {part!r}.")
        if not all(map(len, document.sentences)):
            raise InputError(f"a sentence must have words to stand in columns; one of {document.name} has none.")
        coreference = bracket_texts(document, entity_text, closing=entity_text, joint="|")
        lines.append(f"#begin document ({_plain(document.name)}); part {part}")
        for at, sentence in enumerate(document.sentences):
            lines += _rows(document.name, part, at, sentence, coreference)
            lines.append("")
        lines.append("#end document")
    write_text("".join(f"{line}\n" for line in lines), path)


def _rows(
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
            f"names, words and tags must be without blanks in columns; {text!r} is not. Replace them by _."
        )
    return text
