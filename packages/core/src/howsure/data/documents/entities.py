"""Read entities from tags such as B-PER, from documents with mentions, and from lists of spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from howsure.data.documents.document import Document
from howsure.errors import InputError, quote
from howsure.files.input_files import parsed_json

OUTSIDE = "O"
UNTYPED = "entity"  # the type of labels without a type: B, I
PREFIXES = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S"}  # BILOU and BMES written as BIOES
IOB1, BIO, IOE2, BIOES, BILOU = SCHEMES = ("IOB1", "BIO", "IOE2", "BIOES", "BILOU")
LETTERS = {IOB1: "OIB", BIO: "OIB", IOE2: "OIE", BIOES: "OBIMES", BILOU: "OBILU"}
LABEL = re.compile(rf"([{''.join(PREFIXES)}])(?:-(.+))?", re.DOTALL)


class Entity(NamedTuple):
    """An entity: the tokens start, …, stop − 1 of a sentence, counted from 0, and its type."""

    start: int
    stop: int
    type: str


def prefix_and_type(label: str) -> tuple[str, str]:
    """Return the prefix of a label, converted to BIOES, and its type; the type of O is empty.

    >>> prefix_and_type("B-PER"), prefix_and_type("U-LOC"), prefix_and_type("I"), prefix_and_type("O")
    (('B', 'PER'), ('S', 'LOC'), ('I', 'entity'), ('O', ''))
    """
    match = LABEL.fullmatch(label) if isinstance(label, str) else None
    if match is None and label != OUTSIDE:
        raise InputError(
            f"labels of entities must be O, B-TYPE, I-TYPE (or begin with E-, S-, L-, U-, M-); they contain {label!r}."
        )
    return (OUTSIDE, "") if match is None else (PREFIXES[match[1]], match[2] or UNTYPED)


def entities_in(tags: Sequence[str]) -> list[Entity]:
    """Return the entities in the labels of a sentence, in BIO, IOB1, BIOES or BILOU, read as conlleval reads them.

    I-X continues an entity of type X if there is one, and otherwise begins an entity.

    >>> entities_in(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Entity(start=0, stop=2, type='PER'), Entity(start=3, stop=4, type='LOC'), Entity(start=4, stop=5, type='LOC')]

    Raises InputError for a label that is not the label of an entity.
    """
    entities: list[Entity] = []
    before, open_type = OUTSIDE, ""  # the prefix and type of the previous label
    for place, tag in enumerate(tags):
        prefix, type_ = prefix_and_type(tag)
        if before in "BI" and prefix in "IE" and type_ == open_type:
            entities[-1] = entities[-1]._replace(stop=place + 1)
        elif prefix != OUTSIDE:
            entities.append(Entity(place, place + 1, type_))
        before, open_type = prefix, type_
    return entities


def are_single_tags(rows: Iterable[Any]) -> bool:
    """Whether each row is one tag of a sentence, not all of its tags: O and a tag inside an entity (I-PER) are rows.

    >>> are_single_tags(["O", "B-PER", "I-PER"]), are_single_tags(["O", "B-PER I-PER"]), are_single_tags([["O"]])
    (True, False, False)
    """
    values = [row for row in rows if row is not None]
    tags = set(values) if all(isinstance(value, str) for value in values) else set()
    if OUTSIDE not in tags or not all(tag == OUTSIDE or LABEL.fullmatch(tag) for tag in tags):
        return False
    return any(prefix_and_type(tag)[0] in "IE" for tag in tags)


def detect_scheme(tags: Iterable[Sequence[str]]) -> str | None:
    """Detect the scheme of the sentences' tags: IOB1, BIO (IOB2), IOE2, BIOES or BILOU; None if they tag no entities.

    In IOB1, I begins an entity, and B begins an entity that directly follows another of the same type.

    >>> detect_scheme([["B-PER", "I-PER", "O"]]), detect_scheme([["I-PER", "O"]]), detect_scheme([["U-PER", "O"]])
    ('BIO', 'IOB1', 'BILOU')
    >>> detect_scheme([["NOUN", "VERB"]]), detect_scheme([["S-PER", "B-LOC", "E-LOC"]])
    (None, 'BIOES')
    """
    pairs = {pair for sentence in tags for pair in zip((OUTSIDE, *sentence), sentence, strict=False)}
    if not all(tag == OUTSIDE or LABEL.fullmatch(tag) for _, tag in pairs):
        return None
    letters = {tag[0] for _, tag in pairs} - {OUTSIDE}
    if letters & set("LU"):
        return BILOU
    if letters & set("SEM"):
        return BIOES if letters & set("BSM") else IOE2
    starts = {tag[0] for before, tag in pairs if tag != OUTSIDE and (before == OUTSIDE or before[1:] != tag[1:])}
    return (IOB1 if starts == {"I"} else BIO) if letters else None


def strict_entities(tags: Sequence[str], scheme: str) -> list[Entity]:
    """Return the entities of a sentence whose labels are complete in a scheme; other labels form no entity.

    >>> strict_entities(["I-PER", "O", "B-LOC", "I-LOC"], "BIO")
    [Entity(start=2, stop=4, type='LOC')]
    >>> strict_entities(["S-PER", "B-LOC", "I-LOC"], "BIOES")
    [Entity(start=0, stop=1, type='PER')]
    """
    entities: list[Entity] = []
    labels = [*(prefix_and_type(tag) for tag in tags), (OUTSIDE, "")]
    if bad := next((tag for tag in tags if tag[0] not in LETTERS[scheme]), None):
        raise InputError(f"labels must be in {scheme}, like the true labels; they contain {bad!r}.")
    before, place = (OUTSIDE, ""), 0
    while place < len(tags):
        label, start = labels[place], place
        place += 1
        if _begins_entity(before, label, scheme):
            while labels[place - 1][0] in "BI" and labels[place][0] in "IE" and labels[place][1] == label[1]:
                place += 1
            last, after = labels[place - 1], labels[place]
            whole = {
                IOB1: not (last[0] == after[0] == "B" and last[1] != after[1]),
                BIO: True,
                IOE2: last[0] == "E",
            }.get(scheme, last[0] in "ES")
            entities += [Entity(start, place, label[1])] if whole else []
        before = labels[place - 1]
    return entities


def _begins_entity(before: tuple[str, str], label: tuple[str, str], scheme: str) -> bool:
    """Whether a label begins an entity in a scheme, given the previous label."""
    same = before[1] == label[1]
    if scheme == IOB1:
        if label[0] == "B":
            return before[0] in "BI" and same
        return label[0] == "I" and (before[0] != "I" or not same)
    if scheme == IOE2:
        return label[0] in "IE" and (before[0] != "I" or not same)
    return label[0] in "BS"


def parse_entities(content: Any) -> list[Entity]:
    """Return the entities of a text, given in any form; None means no entities.

    Accepted are tags (a list, or a string separated by blanks), spans (start, stop, type) or {"start", "end", "label"},
    a list of spans as JSON, a Document with mentions, and a spaCy Doc with `ents` (its positions are characters).

    >>> parse_entities("B-PER I-PER O") == parse_entities('[{"start": 0, "end": 2, "label": "PER"}]')
    True
    """
    if content is None:
        return []
    if isinstance(content, Document):
        begins = list(accumulate((len(sentence) for sentence in content.sentences), initial=0))
        mentions = content.mentions or ()
        return [
            Entity(
                begins[mention.sentence] + mention.start,
                begins[mention.sentence] + mention.end,
                mention.type or UNTYPED,
            )
            for mention in mentions
        ]
    if hasattr(content, "ents"):
        return [Entity(ent.start_char, ent.end_char, ent.label_ or UNTYPED) for ent in content.ents]
    if isinstance(content, str):
        text = content.strip()
        try:
            content = parsed_json(text) if text.startswith("[") else text.split()
        except ValueError as error:
            raise InputError(f"entities must be tags, or spans in JSON; {quote(text)} is neither.") from error
    parts = list(content) if isinstance(content, Sequence) or hasattr(content, "tolist") else [content]
    return entities_in(parts) if all(isinstance(part, str) for part in parts) else [_span(part) for part in parts]


def _span(entity: Any) -> Entity:
    values: Any = (
        [entity.get("start"), entity.get("end"), entity.get("label")] if isinstance(entity, Mapping) else entity
    )
    try:
        start, stop, type_ = values
        span = Entity(int(start), int(stop), str(type_))
        if (span.start, span.stop) != (start, stop) or not 0 <= span.start < span.stop or type_ is None:
            raise ValueError(entity)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"a span must be (start, stop, type) or an object with start, end and label, and start < end; "
            f"{quote(entity)} is neither."
        ) from error
    return span
