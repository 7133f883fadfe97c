"""Read and write CoNLL-U: documents of sentences with tags, trees and mentions, with ten columns per word."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain

from howsure.data.documents.brackets import (
    BracketError,
    BracketFault,
    Brackets,
    LeftOut,
    bracket_texts,
    entity_text,
    type_text,
    whole,
)
from howsure.data.documents.document import Document, Mention, Sentence, Strings, is_tree
from howsure.errors import InputError, quote
from howsure.files.atomic_write import write_text
from howsure.files.input_files import Text, read_text

# Split CoNLL-U at blank lines into blocks, and find the starts of documents.

NEW_DOCUMENT = ("newdoc id", "newdoc")
Blocks = Iterator[tuple[int, list[str], list[str]]]


def blocks_in(lines: Iterable[str]) -> Blocks:
    """Yield for each sentence the number of its first line (from 1), its comments, and the lines below the comments.

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


def parse_comments(lines: Sequence[str]) -> dict[str, str]:
    """Split comments into keys and values (empty without `=`); the last comment of a repeated key counts."""
    parts = (line[1:].partition("=") for line in lines)
    return {key.strip(): value.strip() for key, _, value in parts}


def begins_document(comments: Mapping[str, str]) -> bool:
    """Whether a sentence with these comments begins a document."""
    return any(key in comments for key in NEW_DOCUMENT)


def name_of_document(comments: Mapping[str, str], *, stem: str, number: int) -> str:
    """Return the id in the first comments of a document or, without an id, a name derived from the file name.

    >>> name_of_document({"newdoc": ""}, stem="news", number=2), name_of_document({}, stem="news", number=1)
    ('news-2', 'news')
    """
    own_name = next((comments[key] for key in NEW_DOCUMENT if comments.get(key)), None)
    return own_name or (f"{stem}-{number}" if begins_document(comments) else stem)


# Parse one CoNLL-U sentence: words with layers, and the mentions in the last column.

COLUMNS = 10
MISC = 9
USED = (1, 2, 3, 4, 5, 6, 7, MISC)  # all columns but the number and the enhanced dependencies
LONGEST = 1_000  # words of a sentence for which the tables below suffice
IDS = ["1", *(f"\n{number}" for number in range(2, LONGEST + 1))]  # all but the first follow a line break
HEADS = {str(number): number - 1 for number in range(LONGEST + 1)}
LONG = 10  # a number with this many digits cannot be the number of a word
SPACES = (True,) * LONGEST
NO_SPACE, ENTITY = "SpaceAfter=No", "Entity="
SEVERAL = re.compile(r"[1-9][0-9]*-[1-9][0-9]*")
OTHER = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|(0|[1-9][0-9]*)\.[1-9][0-9]*")  # a multiword token or an empty node
Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a sentence below its comments, and the number of the first of these lines in the file."""

    text: Text
    line: int
    body: str

    def rows(self) -> Rows:
        """Split the lines into columns."""
        return [line.split("\t") for line in self.body.split("\n")]

    def fault(self, row: int, what: str) -> InputError:
        """Build the error for a row, counted from 0."""
        return self.text.fault(self.line + row, what)


def read_sentence(block: Block, metadata: dict[str, str]) -> Sentence:
    """Parse the words of a block with their layers. Raises InputError if a line violates the format."""
    cells, spans = _cells(block)
    forms, lemmas, universal, tags, features, heads, relations, misc = [
        tuple(cells[column::COLUMNS]) for column in USED
    ]
    for column in (forms, tags) if "\t\t" in block.body else ():
        if "" in column:
            what = "words and tags must not be empty. Write _ for a missing one."
            raise block.fault(_row(block, column.index("")), what)
    return Sentence(
        forms,
        _layer(lemmas),
        _layer(tags),
        _layer(universal),
        _layer(features),
        _heads(block, heads),
        _layer(relations),
        _spaces(block, misc, spans),
        metadata,
    )


def read_mentions(block: Block, layout: Strings, *, sentence: int, name: str) -> list[Mention]:
    """Read the mentions of a block from its `Entity=` attributes. Raises InputError if the brackets do not match."""
    brackets = Brackets(layout, sentence=sentence)
    word = -1
    row = 0
    try:
        for line in block.body.split("\n"):
            number = line.partition("\t")[0]
            word += "-" not in number and "." not in number
            for attribute in line.rpartition("\t")[2].split("|") if ENTITY in line else ():
                if attribute.startswith(ENTITY):
                    brackets.read(attribute.removeprefix(ENTITY), word, empty="." in number)
            row += 1
        return brackets.finish()
    except BracketError as error:
        what = f"{error}, in {name}. Entity= brackets must open and close in one sentence."
        raise BracketFault(str(block.fault(min(row, block.body.count("\n")), what))) from None


def _ids(n: int) -> list[str]:
    return IDS[:n] if n <= LONGEST else ["1", *(f"\n{number}" for number in range(2, n + 1))]


def _layer(values: Strings) -> Strings | None:
    return None if values[0] == "_" and values.count("_") == len(values) else values


def _cells(block: Block) -> tuple[list[str], list[list[str]]]:
    """Return the cells of all words, row by row, and the rows of multiword tokens."""
    cells = block.body.replace("\n", "\t\n").split("\t")  # one split is faster than one per line
    ids = cells[::COLUMNS]
    n = block.body.count("\n") + 1
    if len(cells) == COLUMNS * n and ids == _ids(n):  # every line has ten columns
        return cells, []
    if len(cells) != COLUMNS * n or not all(name.startswith("\n") for name in ids[1:]):
        raise _malformed(block)
    names = [name.removeprefix("\n") for name in ids]
    others = [at for at, name in enumerate(names) if OTHER.fullmatch(name)]
    spans = [
        [names[at], *cells[COLUMNS * at + 1 : COLUMNS * (at + 1)]] for at in others if SEVERAL.fullmatch(names[at])
    ]
    words = [name for name in names if not OTHER.fullmatch(name)]
    if not words or words != [str(number) for number in range(1, len(words) + 1)]:
        raise _malformed(block)
    for at in reversed(others):
        del cells[COLUMNS * at : COLUMNS * (at + 1)]
    return cells, spans


def _malformed(block: Block) -> InputError:
    """Build the error for the first row that violates the format."""
    expected = 1
    for at, row in enumerate(block.rows()):
        if len(row) != COLUMNS:
            return block.fault(at, f"a word needs {COLUMNS} columns separated by tabs; it has {len(row)}.")
        if not OTHER.fullmatch(row[0]):
            if row[0] != str(expected):
                return block.fault(
                    at, f"words must be numbered 1, 2, 3, …, but {quote(row[0])} is in the place of {expected}."
                )
            expected += 1
    return block.fault(0, "a sentence must have words; this one has none.")


def _row(block: Block, word: int) -> int:
    return [at for at, row in enumerate(block.rows()) if not OTHER.fullmatch(row[0])][word]


def _heads(block: Block, column: Strings) -> tuple[int, ...] | None:
    n = len(column)
    number_of_head = HEADS if n <= LONGEST else {str(number): number - 1 for number in range(n + 1)}
    try:
        heads = tuple(map(number_of_head.__getitem__, column))
        if max(heads) < n:
            return heads
    except KeyError:
        if column.count("_") == n:
            return None
    wrong = next(at for at, head in enumerate(column) if number_of_head.get(head, n) >= n)
    what = f"the head must be 0 (the root) or the number of a word up to {n}; it is {quote(column[wrong])}."
    raise block.fault(_row(block, wrong), what)


def _spaces(block: Block, misc: Strings, spans: Rows) -> tuple[bool, ...]:
    n = len(misc)
    if not spans and NO_SPACE not in block.body:
        return SPACES[:n] if n <= LONGEST else (True,) * n
    spaces = [attributes == "_" or NO_SPACE not in attributes.split("|") for attributes in misc]
    for row in spans:
        first, last = (int(number) if len(number) < LONG else n + 1 for number in row[0].split("-"))
        if not first < last <= n:
            what = f"{row[0]:.60} must span two or more of the {n} words."
            raise block.fault([row[0] for row in block.rows()].index(row[0]), what)
        spaces[first - 1 : last] = [*[False] * (last - first), NO_SPACE not in row[MISC].split("|")]
    return tuple(spaces)


# Read CoNLL-U. Tokens are syntactic words: lines of multiword tokens (`1-2`) only determine where spaces are. Empty
# nodes (`1.1`) and enhanced dependencies are left out.

LAYOUT = "global.Entity"
META = "meta::"


def read_conllu(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """Read the documents of a CoNLL-U file, plain or gzip; "-" is standard input.

    A document starts at `# newdoc`; a file without such a line is one document, named like the file. `# meta::key = …`
    is metadata of the document; any other comment is metadata of its sentence (the last comment of a repeated key
    counts). A layer that is `_` throughout a sentence is None. Mentions are read from `Entity=` attributes, whose
    layout is given by `# global.Entity`. A document with unmatched brackets is an error or, if `left_out` is a list, is
    left out and recorded in the list.

    Raises InputError, which names the line, if the file violates the format, heads do not form a tree, or brackets do
    not match. Source: https://universaldependencies.org/format.html.
    """
    return conllu_documents(read_text(path), left_out)


def conllu_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """Parse documents in CoNLL-U; without `mentions`, Entity= attributes are not read and may be invalid."""
    return whole(_documents(text, mentions=mentions), left_out)


def _documents(text: Text, *, mentions: bool) -> Iterator[tuple[Document, BracketFault | None]]:
    documents: list[_Growing] = []
    layout: Strings | None = None
    for line, above, rows in blocks_in(text.content.split("\n")):
        block, comments = Block(text, line + len(above), "\n".join(rows)), parse_comments(above)
        if not rows:
            raise block.fault(
                -1, "comments must be directly above their sentence, but no sentence follows this comment."
            )
        if begins_document(comments) or not documents:
            documents.append(_Growing(name_of_document(comments, stem=text.stem, number=len(documents) + 1)))
            comments = {key: value for key, value in comments.items() if key not in NEW_DOCUMENT}
        declared = comments.pop(LAYOUT, None)
        if declared is not None and mentions:
            layout = tuple(field.strip() for field in declared.split("-"))
            if not {"eid", "GRP"} & set(layout):
                raise block.fault(
                    -1, f"# {LAYOUT} must name the field of the entity, eid or GRP; it is {'-'.join(layout)}."
                )
        documents[-1].add(block, comments, layout, mentions=mentions)
    for document in documents:
        yield document.finished(text), document.fault


class _Growing:
    """A document being read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.metadata: dict[str, str] = {}
        self.sentences: list[Sentence] = []
        self.lines: list[int] = []
        self.mentions: list[Mention] | None = None
        self.fault: BracketFault | None = None  # the first error in the brackets

    def add(self, block: Block, comments: dict[str, str], layout: Strings | None, *, mentions: bool) -> None:
        for key in [key for key in comments if key.startswith(META)]:
            self.metadata[key.removeprefix(META)] = comments.pop(key)
        if layout is not None and self.mentions is None:
            self.mentions = []
        sentence = read_sentence(block, comments)
        if mentions and ENTITY in block.body:
            name = f"sentence {comments.get('sent_id', len(self.sentences) + 1)} of {self.name}"
            self.mentions = self.mentions or []
            try:
                self.mentions += read_mentions(block, layout or ("eid",), sentence=len(self.sentences), name=name)
            except BracketFault as fault:
                self.fault = self.fault or fault
        self.sentences.append(sentence)
        self.lines.append(block.line)

    def finished(self, text: Text) -> Document:
        for number, sentence in enumerate(self.sentences if self.fault is None else ()):
            if sentence.heads is not None and not is_tree(sentence.heads):
                name = sentence.metadata.get("sent_id", str(number + 1))
                what = f"the heads of sentence {name} of {self.name} contain a cycle; they must form a tree."
                raise text.fault(self.lines[number], what)
        mentions = None if self.mentions is None else tuple(self.mentions)
        return Document(self.name, tuple(self.sentences), mentions, self.metadata)


# Insert tags into CoNLL-U and leave every other character unchanged.

UNIVERSAL_TAG, TAG = 3, 4  # columns, from 0
BREAK = re.compile(r"[\t\r\n]")
NONE = ("_", "")
OF_PLACES = ("newdoc", "newpar")  # comments that begin a document or a paragraph


@dataclass(frozen=True, slots=True)
class Tagging:
    """A tag for each word of a sentence, attributes of the words by name, and comments by key."""

    tags: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    comments: Mapping[str, str] = field(default_factory=dict)


def tagged_conllu(
    content: str, taggings: Iterable[Sequence[Tagging]], *, column: int = TAG, replaced: Collection[str] = ()
) -> str:
    """Return CoNLL-U with new tags in a column. Each sentence is repeated for each of its taggings (usually one).

    A tagging's attributes are added at the end of the last column, and its comments at the end of the sentence's
    comments. Existing attributes and comments with the same names, and attributes named in `replaced`, are removed.
    Everything else is unchanged: other comments, columns and attributes, multiword tokens, empty nodes, blank lines.
    `# newdoc` and `# newpar` appear only above the first tagging.

    `content` must be text that `read_conllu` reads.

    >>> said = Tagging(["NN"], {"P": ["0.9"]})
    >>> tagged_conllu("# x\\n1\\tsaw\\t_\\t_\\tVB\\t_\\t_\\t_\\t_\\tA=1|P=0\\n\\n", [[said]]).split("\\t")
    ['# x\\n1', 'saw', '_', '_', 'NN', '_', '_', '_', '_', 'A=1|P=0.9\\n\\n']
    """
    parts = content.split("\n\n")
    taggings_left = iter(taggings)
    for i, part in enumerate(parts):
        if body := part.strip("\n"):
            lines = body.split("\n")
            copies = [
                _sentence(lines, tagging, column, replaced, again=rank > 0)
                for rank, tagging in enumerate(next(taggings_left))
            ]
            parts[i] = part.replace(body, "\n\n".join(copies))
    return "\n\n".join(parts)


def _sentence(lines: Sequence[str], tagging: Tagging, column: int, replaced: Collection[str], *, again: bool) -> str:
    comments = [line for line in lines if line.startswith("#") and not _is_replaced(line, tagging, again)]
    comments += [f"# {key} = {value}" for key, value in tagging.comments.items()]
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words = [row for row in rows if row[0].isdecimal()]
    gone = {*tagging.attributes, *replaced}
    for i, (row, tag) in enumerate(zip(words, tagging.tags, strict=True)):
        if not tag or BREAK.search(tag):
            raise InputError(f"a tag in CoNLL-U must not be empty or contain a tab or line break; one is {tag!r}.")
        kept = (
            []
            if row[-1] in NONE
            else [attribute for attribute in row[-1].split("|") if attribute.partition("=")[0] not in gone]
        )
        attributes = [f"{name}={values[i]}" for name, values in tagging.attributes.items()]
        row[column], row[-1] = tag, "|".join([*kept, *attributes]) or "_"
    return "\n".join([*comments, *map("\t".join, rows)])


def _is_replaced(comment: str, tagging: Tagging, again: bool) -> bool:
    key = comment[1:].partition("=")[0].strip()
    return key in tagging.comments or (again and key.partition(" ")[0] in OF_PLACES)


# Write documents as CoNLL-U.

LINE_BREAK = re.compile(r"[\r\n\ud800-\udfff]")  # what is half a character has no place in UTF-8
OF_DOCUMENTS = re.compile(r"newdoc( id)?|global\.Entity|meta::.*")
LAYERS = ("lemmas", "tags", "universal_tags", "features", "heads", "relations", "spaces")
Attributes = Mapping[str, Sequence[Sequence[object]]]


def write_conllu(
    documents: Sequence[Document], path: str | os.PathLike[str], *, attributes: Attributes | None = None
) -> None:
    """Write documents as CoNLL-U, from which `read_conllu` recovers the same documents, with all spaces known.

    attributes: further attributes of words in the last column, by name, with a list per sentence (of all documents in
    order) and a value per word: `{"P": [[0.93, 0.99], …]}`. Layers missing from a sentence are written as `_`, mentions
    as `Entity=` brackets.

    Raises InputError if a document has no sentences or a sentence no words, if layers or attributes do not match the
    words, if a mention has no entity, or if a string contains a tab or line break or, in an attribute, a bar.
    """
    write_text(conllu_text(documents, attributes=attributes), path)


def conllu_text(documents: Sequence[Document], *, attributes: Attributes | None = None) -> str:
    """Return the text that `write_conllu` writes; it raises the same errors."""
    _check_documents(documents)
    extra = dict(attributes or {})
    sentences = [sentence for document in documents for sentence in document.sentences]
    for name, values in extra.items():
        _check_fit(name, values, sentences)
    lines: list[str] = []
    done = 0
    for document in documents:
        typed = any(mention.type is not None for mention in document.mentions or ())
        brackets = bracket_texts(document, partial(_label, typed=typed), closing=entity_text)
        heading = _heading(document, typed)
        for index, sentence in enumerate(document.sentences):
            lines += heading  # only before the first sentence
            lines += [_comment(key, value) for key, value in sentence.metadata.items()]
            lines += _words(sentence, index, brackets, {name: values[done] for name, values in extra.items()})
            lines.append("")
            done += 1
    return "".join(f"{line}\n" for line in lines)


def _heading(document: Document, typed: bool) -> Iterator[str]:
    yield _comment("newdoc id", document.name)
    if document.mentions is not None:
        yield _comment("global.Entity", "eid-etype" if typed else "eid")
    for key, value in document.metadata.items():
        yield _comment(f"meta::{key}", value)


def _comment(key: str, value: str) -> str:
    text = f"# {key} = {value}" if value else f"# {key}"
    if "=" in key:
        raise InputError(f"keys of metadata must not contain =; one is {key!r}.")
    if LINE_BREAK.search(text):
        raise InputError(f"metadata must be on one line; {key} is {value!r}.")
    return text


def _label(mention: Mention, typed: bool) -> str:
    return f"{entity_text(mention)}-{type_text(mention)}" if typed else entity_text(mention)


def _words(
    sentence: Sentence, index: int, brackets: Mapping[tuple[int, int], str], extra: Mapping[str, Sequence[object]]
) -> Iterator[str]:
    n = len(sentence)
    blank = ("_",) * n
    layers = (sentence.words, sentence.lemmas, sentence.universal_tags, sentence.tags, sentence.features)
    heads = blank if sentence.heads is None else [str(head + 1) for head in sentence.heads]
    columns = [*(layer or blank for layer in layers), heads, sentence.relations or blank]
    for at, row in enumerate(zip(*columns, strict=True)):
        attributes = [f"Entity={brackets[index, at]}"] if (index, at) in brackets else []
        for name, values in extra.items():
            if "|" in (value := str(values[at])):
                raise InputError(
                    f"attributes must not contain |, which separates them; {name} of word {at} is {value!r}."
                )
            attributes.append(f"{name}={value}")
        if sentence.spaces is not None and not sentence.spaces[at]:
            attributes.append("SpaceAfter=No")
        line = "\t".join((str(at + 1), *row, "_", "|".join(attributes) or "_"))
        if line.count("\t") != 9 or "" in row or LINE_BREAK.search(line):
            raise InputError(
                f"a word and its annotations must not be empty or contain a tab or line break; word {at} is {row}."
            )
        yield line


def _check_documents(documents: Sequence[Document]) -> None:
    """Raise InputError for documents that `read_conllu` could not recover."""
    if isinstance(documents, Document):
        raise InputError("documents must be a list. For one document, write [document].")
    for document in documents:
        if not document.sentences or not all(map(len, document.sentences)):
            raise InputError(f"a document must have sentences, and each sentence words; {document.name} lacks some.")
        for at, sentence in enumerate(document.sentences):
            for layer in LAYERS:
                values = getattr(sentence, layer)
                if values is not None and len(values) != len(sentence):
                    rule = f"{layer} must have a value for each word; there are {len(values)} for {len(sentence)} words"
                    raise InputError(f"{rule} in sentence {at} of {document.name}.")
            for key in sentence.metadata:
                if OF_DOCUMENTS.fullmatch(key):
                    raise InputError(f"metadata of a sentence must not have the keys of documents; one is {key!r}.")


def _check_fit(name: str, values: Sequence[Sequence[object]], sentences: Sequence[Sentence]) -> None:
    if not re.fullmatch(r"[^\s|=]+", name) or name in ("Entity", "SpaceAfter"):
        raise InputError(f"attributes must have different names without blanks, | and =; one is {name!r}.")
    lengths, expected = [len(value) for value in values], [len(sentence) for sentence in sentences]
    if len(lengths) != len(expected):
        raise InputError(
            f"attributes must have a list for each sentence: {name} has {len(lengths):,}, there are {len(expected):,}."
        )
    for at, (length_given, needed) in enumerate(zip(lengths, expected, strict=True)):
        if length_given != needed:
            raise InputError(
                f"attributes must have a value for each word: {name} has {length_given} in sentence {at}, which has "
                f"{needed}."
            )
