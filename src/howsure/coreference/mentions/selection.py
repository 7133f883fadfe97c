"""The mentions of a document that a model uses, and their entities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.mentions.detection import detect_mentions
from howsure.coreference.mentions.mention_columns import check_document, check_mentions
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError

Source = Literal["gold", "detected"]
MOST_MENTIONS = 5_000


def mentions_of(document: Document, *, source: Source) -> tuple[Mention, ...]:
    """The mentions of a document in text order: those annotated in its file, or those found in its parse.

    Raises InputError if gold mentions are requested and none are annotated, if a sentence is not parsed, or if there
    are more than 5,000 mentions, whose pairs would not fit in memory.
    """
    check_document(document)
    if source == "gold" and document.mentions is None:
        raise InputError(
            f"document {document.name} has no mentions annotated; detect them: AntecedentModel(mentions='detected')."
        )
    mentions = detect_mentions(document) if source == "detected" else tuple(document.mentions or ())
    check_mentions(document, mentions)
    check_distinct(document, mentions)
    check_size(document, mentions)
    return mentions


def check_distinct(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if two mentions have the same span: which of them would be the antecedent?"""
    for row, mention in enumerate(mentions):
        if row and mention == mentions[row - 1]:
            raise InputError(
                f"mentions must be distinct; document {document.name} has {' '.join(document.words_of(mention))!r}, "
                f"sentence {mention.sentence + 1}, twice. Leave one out."
            )


def check_size(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if there are too many pairs of mentions for memory."""
    if len(mentions) > MOST_MENTIONS:
        raise InputError(
            f"document {document.name} has {len(mentions):,} mentions; a model scores all pairs of at most "
            f"{MOST_MENTIONS:,}. Split the document, at chapters for example."
        )


def entities_of(document: Document, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """The number of each mention's annotated entity; other mentions get their own.

    Raises InputError if the document has no annotated mentions, or one without an entity.
    """
    if document.mentions is None or any(mention.entity is None for mention in document.mentions):
        raise InputError(f"document {document.name} does not say which entities its mentions name; it teaches nothing.")
    check_distinct(document, sorted(document.mentions))
    gold: dict[Mention, Hashable] = {mention: mention.entity for mention in document.mentions}
    numbers: dict[Hashable, int] = {}
    keys = (
        ("entity", mention.entity if mention.entity is not None else gold[mention]) if mention in gold else ("own", row)
        for row, mention in enumerate(mentions)
    )
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
