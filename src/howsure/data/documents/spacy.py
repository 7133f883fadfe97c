"""Converting spaCy documents. spaCy is not imported: any object with the same attributes works."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from howsure.data.documents.document import Document, Sentence, Strings
from howsure.errors import InputError


def document_from_spacy(doc: Any, *, name: str = "text", metadata: Mapping[str, str] | None = None) -> Document:
    """A parsed spaCy Doc as a document: words, tags, dependencies, by sentence; it has no mentions yet.

    Labels stay those of the pipeline, Universal Dependencies or CLEAR; layers that the pipeline left empty are None.

    Raises InputError if the Doc has no sentence boundaries or no dependencies.
    """
    try:
        spans = list(doc.sents)
    except (AttributeError, ValueError) as error:
        raise InputError("doc has no sentences; run a spaCy pipeline with a parser over the text.") from error
    broken = {token.i - 1 for span in spans for token in span if token.is_space}  # a line ends after these
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
    """One value per token, or None where all are empty."""
    values = tuple(value(token) for token in tokens)
    return values if any(values) else None
