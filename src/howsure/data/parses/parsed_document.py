"""A parsed document: the parse of each sentence, built on first use, and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from howsure.data.documents.document import Document, Mention
from howsure.data.parses.parsed_sentence import ParsedSentence, parsed_sentence


@dataclass(frozen=True, slots=True)
class ParsedDocument(Document):
    """A document that keeps the parses of its sentences for later uses.

    >>> from howsure.data.documents.document import Sentence
    >>> words = Sentence(("a", "dog"), tags=("DT", "NN"), heads=(1, -1), relations=("det", "root"))
    >>> document = ParsedDocument.of(Document("example", (words,)))
    >>> document.head_of(Mention(0, 0, 2)), document.parse(0) is document.parse(0)
    (1, True)
    """

    _parses: dict[int, ParsedSentence] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, document: Document) -> Self:
        """The document itself if it already keeps its parses."""
        if isinstance(document, cls):
            return document
        return cls(document.name, document.sentences, document.mentions, document.metadata)

    def parse(self, number: int) -> ParsedSentence:
        """The parse of a sentence, counted from 0; InputError if it has none, or no tags."""
        known = self._parses.get(number)
        if known is None:
            where = f"sentence {number + 1} of document {self.name}"
            known = self._parses[number] = parsed_sentence(self.sentences[number], where=where)
        return known

    def head_of(self, mention: Mention) -> int:
        """The head of a mention, as a position in its sentence."""
        return self.parse(mention.sentence).head_of(mention.start, mention.end)
