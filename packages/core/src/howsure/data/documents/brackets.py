"""Mentions of entities as brackets next to words.

`(7` opens a mention of entity 7, `7)` closes it, and `(7)` is a mention of a single word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from howsure.data.documents.document import Document, Mention, named_part
from howsure.errors import InputError

Opened = tuple[int, str | None]
BRACKET = re.compile(r"(\()?([^()|]+)(\))?\|?")
PART = re.compile(r"(.*)\[([1-9][0-9]*)/([1-9][0-9]*)\]")
DIGITS = 4  # most digits of the number of a mention's parts


class BracketError(ValueError):
    """An error in a bracket, to be reported with its location."""


class BracketFault(InputError):
    """An error in a bracket, reported with its location in a file; the rest of the file may be correct."""


class BrokenDocument(NamedTuple):
    """A document with unmatched brackets: its name, and the first error."""

    name: str
    fault: str


LeftOut = list[BrokenDocument]


def whole(
    documents_read: Iterable[tuple[Document, BracketFault | None]], left_out: LeftOut | None, *, mentions: bool = True
) -> list[Document]:
    """Return the documents without bracket errors.

    documents_read: documents, each with the error in its brackets or None. An error is raised or, if `left_out` is a
    list, recorded there, and the document is left out. Without `mentions`, the document is kept without mentions.
    """
    documents = []
    for document, fault in documents_read:
        if fault is not None and left_out is not None:
            left_out.append(BrokenDocument(named_part(document), str(fault)))
        elif fault is not None and mentions:
            raise fault
        if fault is None or not mentions:
            documents.append(document if fault is None else replace(document, mentions=None))
    return documents


class Brackets:
    """Reads the brackets of a sentence or a document, in which every opened bracket must be closed.

    layout: the names of the fields of an opening bracket, as in CoNLL-U: `("eid", "etype")`. A closing bracket has only
    the entity or, if `repeated`, all fields again. Brackets may nest and cross; of two open brackets of the same
    entity, the inner bracket closes first. A mention in parts, `(7[1/2] … 7[1/2]) … (7[2/2])`, is the span from the
    first part to the last, including all words between them.

    >>> brackets = Brackets()
    >>> for word, text in enumerate(["(1(2)", "", "1)"]):
    ...     if text:
    ...         brackets.read(text, word)
    >>> [(mention.start, mention.end, mention.entity) for mention in brackets.finish()]
    [(0, 1, '2'), (0, 3, '1')]
    """

    def __init__(self, layout: Sequence[str] = ("eid",), *, sentence: int = 0, repeated: bool = False) -> None:
        self.sentence = sentence
        self._repeated = repeated
        self._entity = next(i for i, field in enumerate(layout) if field in ("eid", "GRP"))
        self._type = layout.index("etype") if "etype" in layout else None
        self._open: dict[str, list[Opened]] = {}
        self._parts: dict[str, list[Opened]] = {}
        self.mentions: list[Mention] = []

    def read(self, text: str, word: int, *, empty: bool = False) -> None:
        """Read the brackets next to a word; brackets of an empty node are between `word` and the next word."""
        at = 0
        for bracket in BRACKET.finditer(text):
            opens, content, closes = bracket.groups()
            if bracket.start() != at or not (opens or closes):
                break
            at = bracket.end()
            if opens:
                content = self._opened(content, word + 1 if empty else word)
            elif self._repeated:
                content = self._named(content)
            if closes:
                self._closed(content, word + 1)
        if at != len(text) or not text or text.endswith("|"):
            raise BracketError(
                f"{text!r} is not an entity bracket; write (7 if entity 7 begins, 7) if it ends, (7) if it is one word"
            )

    def finish(self) -> list[Mention]:
        """Return all mentions in text order. Raises BracketError if a mention is still open."""
        still = [entity for entity, stack in self._open.items() if stack]
        if still:
            raise BracketError(f"the bracket ({still[0]} is never closed")
        if self._parts:
            raise BracketError(
                f"the last part of a discontinuous mention of entity {next(iter(self._parts))} is missing"
            )
        return sorted(self.mentions)

    def _opened(self, content: str, word: int) -> str:
        entity = self._named(content)
        fields = content.split("-")
        kind = fields[self._type] if self._type is not None and self._type < len(fields) else None
        self._open.setdefault(entity, []).append((word, None if kind in ("", "_") else kind))
        return entity

    def _named(self, content: str) -> str:
        fields = content.split("-")
        if self._entity >= len(fields) or not fields[self._entity]:
            raise BracketError(f"the bracket of {content!r} does not name an entity")
        return fields[self._entity]

    def _closed(self, entity: str, end: int) -> None:
        if not self._open.get(entity):
            raise BracketError(f"the bracket {entity}) closes an entity that was never opened")
        start, kind = self._open[entity].pop()
        if entity.endswith("]") and (part := PART.fullmatch(entity)) is not None:
            entity = part[1]
            parts = self._parts.setdefault(entity, [])
            parts.append((start, kind))
            if len(part[3]) > DIGITS or part[2] != str(len(parts)) or int(part[3]) < len(parts):
                raise BracketError(
                    f"part {part[2]:.20} of {part[3]:.20} of a mention of entity {entity} is out of order"
                )
            if int(part[3]) > len(parts):
                return
            start, kind = self._parts.pop(entity)[0]
        if start < end:  # a mention of empty nodes has no words and is left out
            self.mentions.append(Mention(self.sentence, start, end, entity, kind))


def bracket_texts(
    document: Document, label: Callable[[Mention], str], *, closing: Callable[[Mention], str], joint: str = ""
) -> dict[tuple[int, int], str]:
    """Return the brackets next to the words of a document, by sentence and word; the inverse of `Brackets`.

    label, closing: functions that return the content of a mention's opening and closing bracket. joint: the separator
    of two brackets. Raises InputError if a mention is outside its sentence, or if two mentions of an entity cross,
    which brackets cannot express.
    """
    check_mentions(document)
    starts: dict[tuple[int, int], list[Mention]] = defaultdict(list)
    ends: dict[tuple[int, int], list[Mention]] = defaultdict(list)
    for mention in document.mentions or ():
        starts[mention.sentence, mention.start].append(mention)
        if mention.end - mention.start > 1:
            ends[mention.sentence, mention.end - 1].append(mention)
    texts = {}
    still: dict[str, list[Mention]] = defaultdict(list)
    for place in sorted({*starts, *ends}):
        brackets = []
        for mention in sorted(ends[place], key=lambda mention: -mention.start):
            if (inner := still[closing(mention)].pop()) != mention:
                raise InputError(f"mentions of the same entity must not cross, but {inner} and {mention} do.")
            brackets.append(f"{closing(mention)})")
        for mention in sorted(starts[place], key=lambda mention: -mention.end):
            is_word = mention.end - mention.start == 1
            brackets.append(f"({label(mention)}{')' if is_word else ''}")
            if not is_word:
                still[closing(mention)].append(mention)
        texts[place] = joint.join(brackets)
    return texts


def entity_text(mention: Mention) -> str:
    """Return a mention's entity as written in a bracket. Raises InputError if it is missing or cannot be written."""
    text = "" if mention.entity is None else str(mention.entity)
    if not re.fullmatch(r"[^\s()|\[\]=-]+", text):
        rule = "to be written, every mention needs an entity without blanks, hyphens and any of ()[]|=;"
        raise InputError(f"{rule} {mention} has no such entity. Number the entities.")
    return text


def type_text(mention: Mention) -> str:
    """Return a mention's type as written in a bracket, `_` if unknown. Raises InputError for an invalid type."""
    text = mention.type or "_"
    if not re.fullmatch(r"[^\s()|=-]+", text):
        raise InputError(f"the type of a mention must be without blanks, hyphens and any of ()|=; it is {text!r}.")
    return text


def check_mentions(document: Document) -> None:
    """Raise InputError if a mention is not within a sentence of its document."""
    for mention in document.mentions or ():
        n = len(document.sentences[mention.sentence]) if 0 <= mention.sentence < len(document.sentences) else 0
        if not 0 <= mention.start < mention.end <= n:
            raise InputError(f"a mention must be in a sentence of its document, {document.name}; {mention} is not.")
