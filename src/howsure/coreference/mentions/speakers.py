"""Speakers and addressees by sentence, and quotations."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from howsure.data.documents.document import Document

QUOTATION_MARKS = {"“": 1, "”": -1, "``": 1, "''": -1}


def code_of(text: str) -> int:
    """A number for a word, the same on every machine; 0 is reserved for no word."""
    return zlib.crc32(text.encode("utf-8")) or 1 if text else 0


@dataclass(frozen=True, slots=True)
class Voices:
    """Speaker and single addressee of a sentence as codes, 0 if unknown; all speakers by the parts of their names."""

    speaker: int
    addressee: int
    named: Mapping[str, int]

    def person(self, form: str, word: str) -> int:
        """The speaker denoted by a first- or second-person pronoun or a name; 0 if it is none of the speakers."""
        if form == "I":
            return self.speaker
        if form == "you":
            return self.addressee
        return self.named.get(word, 0) if form == "proper" else 0


@dataclass(frozen=True, slots=True)
class Speakers:
    """The voices of all sentences of a document."""

    sentences: tuple[Voices, ...]

    @classmethod
    def of(cls, document: Document) -> Speakers:
        """Read `speaker` and `addressee` (several separated by commas) from the metadata of the sentences."""
        speakers = [sentence.metadata.get("speaker", "").strip().lower() for sentence in document.sentences]
        addressees = [sentence.metadata.get("addressee", "").strip().lower() for sentence in document.sentences]
        people = {name for name in (*speakers, *addressees) if name and "," not in name}
        named = {part: code_of(name) for name in sorted(people) for part in (name, *name.replace("_", " ").split())}
        voices = [
            Voices(code_of(speaker), code_of(addressee) if "," not in addressee else 0, named)
            for speaker, addressee in zip(speakers, addressees, strict=True)
        ]
        return cls(tuple(voices))

    def at(self, sentence: int) -> Voices:
        """The voices of one sentence."""
        return self.sentences[sentence]


def quotation_numbers(document: Document) -> list[int]:
    """For each word of a document, the number of its quotation, 0 outside quotations."""
    numbers, inside, latest = [], False, 0
    for sentence in document.sentences:
        for word in sentence.words:
            turn = QUOTATION_MARKS.get(word, 0)
            if turn > 0 or (word == '"' and not inside):
                inside, latest = True, latest + 1
            elif turn < 0 or word == '"':
                inside = False
            numbers.append(latest if inside else 0)
    return numbers
