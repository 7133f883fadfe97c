"""Parsing of texts and documents with spaCy pipelines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from howsure.data.documents.document import Document
from howsure.data.documents.read_documents import document_from_spacy
from howsure.errors import InputError
from howsure.files.input_files import read_text
from howsure.lazy_imports import require

NEEDED = {
    *("tok2vec", "transformer", "curated_transformer", "tagger", "morphologizer", "parser"),
    *("attribute_ruler", "lemmatizer", "trainable_lemmatizer", "senter", "sentencizer"),
}


@cache
def parsing_pipeline(name: str) -> Any:
    """Load a spaCy pipeline by name or folder, without the components that parsing does not need."""
    require("Parsing of raw text", "spacy", "spacy")
    import spacy

    try:
        pipeline = spacy.load(name)
    except OSError as error:
        raise InputError(
            f"the spaCy pipeline {name} does not exist. Name an installed pipeline, or the path of a folder with a "
            "pipeline. `howsure events parser` says which are installed, and how to get one."
        ) from error
    except ValueError as error:  # made by another version of spaCy, or needs a package that is not installed
        raise InputError(f"the spaCy pipeline {name} cannot be loaded: {str(error).splitlines()[0]}") from error
    for part in [part for part in pipeline.pipe_names if part not in NEEDED]:
        pipeline.disable_pipe(part)
    if "parser" not in pipeline.pipe_names:
        pipe_names = ", ".join(pipeline.pipe_names) or "nothing"
        raise InputError(f"the pipeline {name} has no dependency parser; it has {pipe_names}.")
    return pipeline


def parsed_documents(documents: Sequence[Document], pipeline: Any) -> list[Document]:
    """Add parses to documents that have none; their sentences, words and mentions do not change."""
    documents_parsed = []
    for document in documents:
        if any(sentence.heads is not None for sentence in document.sentences):
            raise InputError(f"{document.name} is parsed already; leave `parser=...` out.")
        docs = unparsed_docs(document, pipeline)
        parsed = [document_from_spacy(doc).sentences for doc in pipeline.pipe(docs)]
        pairs = zip(document.sentences, parsed, strict=True)
        sentences = tuple(replace(sentence, metadata=before.metadata) for before, (sentence,) in pairs)
        documents_parsed.append(replace(document, sentences=sentences))
    return documents_parsed


def unparsed_docs(document: Document, pipeline: Any) -> list[Any]:
    """Return a spaCy Doc with the words of each sentence of a document."""
    from spacy.tokens import Doc

    return [
        Doc(pipeline.vocab, words=list(sentence.words), sent_starts=[at == 0 for at in range(len(sentence.words))])
        for sentence in document.sentences
    ]


def parsed_text(path: str | os.PathLike[str], pipeline: Any) -> Document:
    """Read a file of plain text and return it as one parsed document, named after the file."""
    text = read_text(path)
    return document_from_spacy(pipeline(text.content), name=text.stem)
