"""The mentions of a document as columns of numbers, one per fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.mentions.mention_facts import TYPE_OF_FORM, MentionFacts, facts_of
from howsure.coreference.mentions.speakers import Speakers, quotation_numbers
from howsure.data.documents.document import Document, Mention
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.errors import InputError, shown

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MentionColumns:
    """Columns of M mentions in text order, and the mentions one by one; `MentionFacts` describes each column."""

    rows: tuple[MentionFacts, ...]
    sentence: Codes
    start: Codes
    end: Codes
    head: Codes
    governor: Codes
    grand_governor: Codes
    form: Codes
    number: Codes
    gender: Codes
    role: Codes
    case: Codes
    head_word: Codes
    text: Codes
    first_word: Codes
    governor_word: Codes
    initials: Codes
    ending: Codes
    speaker: Codes
    person: Codes
    quotation: Codes

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def type(self) -> Codes:
        """Pronominal, nominal or proper."""
        return TYPE_OF_FORM[self.form]

    def sets(self, name: str) -> list[frozenset[int]]:
        """One of the set-valued columns."""
        return [getattr(row, name) for row in self.rows]


COLUMNS = tuple(name for name in MentionColumns.__slots__ if name != "rows")


def mention_columns(document: Document, mentions: Sequence[Mention]) -> MentionColumns:
    """The attributes of mentions of a parsed document.

    Raises InputError if mentions are not in text order, or lie outside the document or in a sentence without a parse.
    """
    check_mentions(document, mentions)
    offsets = [0, *accumulate(len(sentence) for sentence in document.sentences)]
    parsed = ParsedDocument.of(document)
    quotations, speakers = quotation_numbers(document), Speakers.of(document)
    rows = []
    for mention in mentions:
        number = mention.sentence
        place = offsets[number]
        quotation, voices = quotations[place + mention.start], speakers.at(number)
        rows.append(facts_of(mention, parsed.parse(number), place=place, voices=voices, quotation=quotation))
    columns = {name: np.array([getattr(row, name) for row in rows], dtype=np.int64) for name in COLUMNS}
    return MentionColumns(tuple(rows), **columns)


def check_mentions(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if mentions lie outside the document, or are out of order."""
    for row, mention in enumerate(mentions):
        if not isinstance(mention, Mention):
            raise InputError(f"mentions must be Mention(sentence, start, end); row {row} is {shown(mention)}.")
        n = len(document.sentences)
        length = len(document.sentences[mention.sentence]) if 0 <= mention.sentence < n else 0
        if not 0 <= mention.start < mention.end <= length:
            raise InputError(
                f"mentions must lie inside the sentences of document {document.name}; row {row} holds words "
                f"{mention.start} to {mention.end} of sentence {mention.sentence}, which has {length} words."
            )
        if row and mentions[row] < mentions[row - 1]:
            raise InputError(
                f"mentions must be in text order (sentence, start, end); row {row} of document {document.name} comes "
                "before the row above it. Sort them."
            )


def check_document(document: object) -> None:
    """Raise InputError if something other than a document is given."""
    if not isinstance(document, Document):
        raise InputError(
            "document must be one Document, such as those of howsure.data.read_documents(file); it is "
            f"{type(document).__name__}."
        )
