"""Read documents in any format, or only the first documents, and convert spaCy documents."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from howsure.data.documents.brackets import LeftOut
from howsure.data.documents.columns import BEGIN_CONLL, BEGIN_THREE, conll2012_documents, three_column_documents
from howsure.data.documents.conllu import conllu_documents
from howsure.data.documents.document import Document, Sentence, Strings
from howsure.data.documents.tagged_columns import detect_columns, is_label, read_columns
from howsure.errors import InputError
from howsure.files.input_files import Text, read_text
from howsure.inputs.arguments import check_arguments
from howsure.inputs.numbers_and_names import check_choice, counted, shortened, unknown_name
from howsure.inputs.source_names import format_suffix
from howsure.lazy_imports import require

# Convert spaCy documents. spaCy is not imported; any object with the same attributes works.


def document_from_spacy(doc: Any, *, name: str = "text", metadata: Mapping[str, str] | None = None) -> Document:
    """Convert a parsed spaCy Doc to a document with words, tags and dependencies by sentence, without mentions.

    The pipeline's labels (Universal Dependencies or CLEAR) are kept. Layers that the pipeline left empty are None.
    """
    try:
        spans = list(doc.sents)
    except (AttributeError, ValueError) as error:
        raise InputError("doc has no sentences; run a spaCy pipeline with a parser over the text.") from error
    broken = {token.i - 1 for span in spans for token in span if token.is_space}  # tokens before a line end
    sentences = tuple(_sentence([token for token in span if not token.is_space], broken) for span in spans)
    return Document(name, tuple(sentence for sentence in sentences if len(sentence)), metadata=dict(metadata or {}))


def _sentence(tokens: list[Any], before_space: Collection[int]) -> Sentence:
    relations = _layer(tokens, lambda token: token.dep_)
    if tokens and relations is None:
        raise InputError("doc has no dependencies; run a spaCy pipeline with a parser over the text.")
    place = {token.i: position for position, token in enumerate(tokens)}
    return Sentence(
        words=tuple(token.text for token in tokens),
        lemmas=_layer(tokens, lambda token: token.lemma_),
        tags=_layer(tokens, lambda token: token.tag_),
        universal_tags=_layer(tokens, lambda token: token.pos_),
        features=_layer(tokens, lambda token: str(token.morph)),
        heads=tuple(-1 if token.head.i == token.i else place.get(token.head.i, -1) for token in tokens),
        relations=relations,
        spaces=tuple(bool(token.whitespace_) or token.i in before_space for token in tokens),
    )


def _layer(tokens: list[Any], value: Callable[[Any], str]) -> Strings | None:
    """Return one value per token, or None if all values are empty."""
    values = tuple(value(token) for token in tokens)
    return values if any(values) else None


# Read documents in any format: CoNLL-U, CoNLL-2012, three columns, two columns.

FIRST_LINES = 1_000
LEAVE_OUT = "leave-out"
BAD_BRACKETS = ("error", LEAVE_OUT)


def read_documents(
    path: str | os.PathLike[str], *, format: str | None = None, bad_brackets: str = "error"
) -> list[Document]:
    """Read the documents of a file, plain or compressed with gzip or zstd; "-" is standard input.

    format: "conllu", "conll-2012" (also LitBank), "three-columns" (OntoGUM) or "columns" (word and tag, as in
    `read_tagged`; the file is one document). By default, the format is recognised from the first lines.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "birds.tsv")
    >>> written = path.write_text("Birds\\tN\\nsing\\tV\\n")
    >>> [(sentence.words, sentence.tags) for sentence in read_documents(path)[0].sentences]
    [(('Birds', 'sing'), ('N', 'V'))]

    bad_brackets: what to do with documents in which the brackets of mentions do not match: "error", or "leave-out",
    with a warning that counts and names these documents.

    Raises InputError if the format is not recognised, or the file violates the format.
    """
    check_arguments(read_documents, locals())
    if bad_brackets not in BAD_BRACKETS:
        raise unknown_name("way", bad_brackets, BAD_BRACKETS, place="bad_brackets")
    left_out: LeftOut | None = [] if bad_brackets == LEAVE_OUT else None
    documents = documents_in(path, format=format, left_out=left_out)
    if left_out:
        warnings.warn(left_out_text(left_out, len(documents)), stacklevel=2)
    return documents


def documents_in(
    path: str | os.PathLike[str], *, format: str | None = None, left_out: LeftOut | None = None
) -> list[Document]:
    """Read documents with checked arguments; documents with broken brackets are added to `left_out` if it is a list."""
    if format is not None:
        check_choice(format, FORMS, name="format")
    text = read_text(path)
    broken: LeftOut | None = None if left_out is None else []
    documents = FORMS[format or seen_form(text)](text, broken)
    if broken and not documents:
        raise InputError(f"the brackets of every document of {text.name} are broken: {broken[0].fault}")
    if left_out is not None:
        left_out += broken or []
    return documents


def left_out_text(left_out: LeftOut, kept: int) -> str:
    """Say how many documents were left out because a bracket has no partner, name up to five, and explain the first."""
    first = shortened((document.name for document in left_out), limit=5)
    return (
        f"left out {len(left_out):,} of {counted(len(left_out) + kept, 'document')}, because opening and closing "
        f"brackets do not match: {first}. {left_out[0].fault}"
    )


def seen_form(text: Text) -> str:
    """Recognise the format of a text from its first lines. Raises InputError if it is not recognised."""
    form, row = _form_and_row(text)
    layout = detect_columns(text, share=0.0)
    if form is None and (layout is None or not (layout.tabs or detect_columns(text))):
        raise InputError(
            f"the format of {text.name} was not recognised: its first row is {row[:40]!r}. Known formats are conllu "
            "(10 columns), conll-2012, three-columns (number, word, coreference) and columns (word … tag); name "
            "one: `format=...`"
        )
    return form or COLUMNS


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Whether a file is plain text: its first lines are not in a known format."""
    return is_plain_text(read_text(path))


def is_plain_text(text: Text) -> bool:
    """Whether the first lines are neither in a known format nor words next to tags of entities."""
    if _form_and_row(text)[0] is not None:
        return False
    layout = detect_columns(text)
    return layout is None or not (layout.tabs or _tags_entities(text))


def _tags_entities(text: Text) -> bool:
    """Whether the last column has tags of entities."""
    return detect_columns(text) is not None and read_columns(text).layout.scheme is not None


def has_tags(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a text of words and tags of entities in columns, whatever its suffix is."""
    try:
        return _tags_entities(read_text(path))
    except InputError:
        return False


def _form_and_row(text: Text) -> tuple[str | None, str]:
    """Return the format of the first lines of a text, or None, and the row that determines it."""
    lines = [line for line in text.content[: 1 << 16].split("\n")[:FIRST_LINES] if line.strip()] or [""]
    if BEGIN_CONLL.fullmatch(lines[0]):
        return "conll-2012", lines[0]
    if BEGIN_THREE.fullmatch(lines[0]):
        return "three-columns", lines[0]
    row = next((line for line in lines if not line.startswith("#")), lines[0])
    form = {10: "conllu", 3: "three-columns"}.get(row.count("\t") + 1)
    first, _, last = row.partition("\t")
    is_tagged = form == "three-columns" and (not first.isdecimal() or is_label(last.rpartition("\t")[2]))
    return (None if is_tagged else form), row


def _columns(
    text: Text, left_out: LeftOut | None = None, *, mentions: bool = True, column: int | None = None
) -> list[Document]:
    tagged = read_columns(text, column=column)
    sentences = tuple(Sentence(words, tags=tags) for words, tags in zip(tagged.words, tagged.tags, strict=True))
    return [Document(text.stem, sentences, metadata={COLUMNS: tagged.layout.summary})]


COLUMNS = "columns"
FORMS: dict[str, Callable[..., list[Document]]] = {
    "conllu": conllu_documents,
    "conll-2012": conll2012_documents,
    "three-columns": three_column_documents,
    COLUMNS: _columns,
}


# Items of files whose documents are compared: lines, sentences with tags, or documents.

TAGGED = (".conll", ".conllu", ".iob", ".iob2", ".bio", ".tsv")


@dataclass(frozen=True, slots=True)
class DocumentItems:
    """The items of a file. documents: each item's document, if items are sentences of several. columns: the layout."""

    items: list[Any]
    documents: list[int] | None = None
    columns: str | None = None
    width: int = 0


def document_items(path: str | os.PathLike[str], *, column: int | None = None) -> DocumentItems:
    """Read the items of a file: documents, sentences or lines.

    An item of a `.spacy` file (DocBin) is a Doc; of CoNLL-2012, CoNLL-U and three columns, a Document with mentions. In
    columns of words and tags of entities (or in a file that ends in .conll, .iob, .bio or .tsv), an item consists of
    the tags of a sentence, as `read_tagged` reads them; also in CoNLL-U whose last column has tags of entities, such as
    name=B-PER. In any other file, an item is a line of text.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "birds.conll")
    >>> written = path.write_text("-DOCSTART- O\\n\\nAda B-PER\\n\\n-DOCSTART- O\\n\\nIn O\\nRome B-LOC\\n")
    >>> tags = document_items(path)
    >>> tags.items, tags.documents, tags.columns
    ([['B-PER'], ['O', 'B-LOC']], [0, 1], '2 columns separated by spaces: word 1, tag 2 (BIO)')
    """
    name = os.fspath(path)
    if format_suffix(name) == ".spacy":
        require("Files of spaCy", "spacy", "spacy")
        import spacy
        from spacy.tokens import DocBin

        return DocumentItems(list(DocBin().from_disk(name).get_docs(spacy.blank("xx").vocab)))
    text = read_text(path)
    layout = detect_columns(text) if column is None else None
    if column is None and (form := _form_and_row(text)[0]) is not None and not (layout and layout.key):
        return DocumentItems(list(FORMS[form](text)))
    if column is None and format_suffix(name) not in TAGGED and not _tags_entities(text):
        return DocumentItems([line.removesuffix("\r") for line in text.content.removesuffix("\n").split("\n")])
    tagged = read_columns(text, column=column)
    if not tagged.tags:
        raise InputError(f"{text.name} contains no sentence.")
    documents = tagged.documents if tagged.documents[-1] else None
    return DocumentItems([list(tags) for tags in tagged.tags], documents, tagged.layout.summary, tagged.layout.width)


def prediction_items(path: str | os.PathLike[str], gold: DocumentItems, *, column: int | None = None) -> list[Any]:
    """Read the items of a model's file; tags are in `column` if it is as wide as gold, otherwise in the last column."""
    last = document_items(path)
    return last.items if column is None or last.width != gold.width else document_items(path, column=column).items


# The first documents of a file, for a quick look; the rest of the file is not parsed.

DOCUMENT_BEGIN = re.compile(r"^#\s*(?:newdoc|begin document)\b", re.MULTILINE)


def first_documents(path: str | os.PathLike[str], limit: int | None) -> list[Document]:
    """Read the first `limit` documents of a file, or all (None); a line must mark the beginning of each document."""
    if limit is None:
        return read_documents(path)
    text = read_text(path)
    begins = [begin.start() for begin in islice(DOCUMENT_BEGIN.finditer(text.content), limit + 1)]
    if len(begins) > limit:
        text = replace(text, content=text.content[: begins[limit]])
    return FORMS[seen_form(text)](text)
