"""The coreference corpora: OntoGUM, GUM and LitBank, with the trees of their files or of a parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.data.documents.document import Document, Mention
from howsure.data.documents.read_documents import first_documents
from howsure.errors import InputError
from howsure_cli.datasets import data_set_path, find_data_set
from howsure_papers.corpora.tagged import PARTS

ONTOGUM, GUM, LITBANK = "OntoGUM", "GUM", "LitBank"
FILES = {
    ONTOGUM: ("gum", {part: f"ontogum_{part}.conllu.gz" for part in PARTS}),
    GUM: ("gum", {part: f"gum_{part}.conllu.gz" for part in PARTS}),
    LITBANK: ("litbank_coref", {"train": "litbank_train.conll.gz", "test": "litbank_dev.conll.gz"}),
}
PARSER = ("models", "en_ud_small")  # possible place of a parser, next to the folder of data sets


@dataclass(frozen=True, slots=True)
class CoreferenceCorpus:
    """Training, development (possibly none) and test documents, without repeated spans.

    `parsed` are the test documents with the trees of the parser, None without a parser. LitBank has only the parser's
    trees.
    """

    name: str
    train: list[Document]
    dev: list[Document]
    test: list[Document]
    parsed: list[Document] | None
    left_out: int


def read_corpus(name: str, data: str | None, *, limit: int | None, parser: str | None) -> CoreferenceCorpus:
    """Return a corpus. limit: read only the first documents of each part. parser: a spaCy pipeline."""
    folder, files = FILES[name]
    parts: dict[str, list[Document]] = {"dev": []}
    for part, file in files.items():
        parts[part] = first_documents(data_set_path(folder, file, data=data), limit)
    once = {part: [drop_repeated_spans(document) for document in documents] for part, documents in parts.items()}
    before, after = (
        sum(len(document.mentions or ()) for group in all.values() for document in group) for all in (parts, once)
    )
    parsed = None if parser is None else parse(once["test"], parser)
    if name == LITBANK and parser is not None and parsed is not None:
        once |= {"train": parse(once["train"], parser), "test": parsed}
    return CoreferenceCorpus(name, once["train"], once["dev"], once["test"], parsed, before - after)


def default_parser(data: str | None) -> str | None:
    """The parser next to the folder of data sets (models/en_ud_small); None without it, or without spaCy."""
    from importlib.util import find_spec

    folder = find_data_set("gum", data=data).parent.parent.joinpath(*PARSER)
    return str(folder) if folder.is_dir() and find_spec("spacy") is not None else None


def parser_for(parser: str | None, data: str | None) -> str:
    """The parser of texts: the named one, or the one next to the data sets."""
    pipeline_ = parser or default_parser(data)
    if pipeline_ is None:
        raise InputError("texts must be parsed: name a spaCy pipeline, for English parser='en_core_web_sm'.")
    return pipeline_


def parse(documents: Sequence[Document], parser: str) -> list[Document]:
    """Return the documents with unchanged words and sentences, and the tags and trees of a spaCy pipeline."""
    from howsure_events.extraction.parsers import SpacyParser

    pipeline = SpacyParser(parser).pipeline
    from spacy.tokens import Doc

    tokens = []
    for document in documents:
        words = [word for sentence in document.sentences for word in sentence.words]
        starts: list[bool | int | None] = [
            place == 0 for sentence in document.sentences for place in range(len(sentence))
        ]
        tokens.append(Doc(pipeline.vocab, words=words, sent_starts=starts))
    parsed_documents = pipeline.pipe(tokens, batch_size=8)
    return [_with_trees(document, parsed) for document, parsed in zip(documents, parsed_documents, strict=True)]


def _with_trees(document: Document, parsed: Any) -> Document:
    """The document with the annotations of a spaCy Doc; a word whose head is outside its sentence becomes a root."""
    sentences, start = [], 0
    for sentence in document.sentences:
        tokens = parsed[start : start + len(sentence)]
        heads = [-1 if token.head.i == token.i else token.head.i - start for token in tokens]
        sentences.append(
            replace(
                sentence,
                tags=tuple(token.tag_ for token in tokens),
                heads=tuple(head if 0 <= head < len(sentence) else -1 for head in heads),
                relations=tuple(token.dep_ for token in tokens),
            )
        )
        start += len(sentence)
    return replace(document, sentences=tuple(sentences))


def drop_repeated_spans(document: Document) -> Document:
    """Return the document with only the first of several mentions of one span, which occur in OntoGUM."""
    mentions: dict[Mention, Mention] = {}
    for mention in document.mentions or ():
        mentions.setdefault(mention, mention)
    return replace(document, mentions=tuple(mentions.values()))
