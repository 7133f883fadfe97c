"""The mentions that a model uses: detected in a dependency parse, or annotated with their entities."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure_text import grammar
from howsure_text.coreference.mentions import CANONICAL, PLACES_AND_TIMES, check_document, check_mentions
from howsure_text.parses import ParsedDocument, ParsedSentence

# Mentions found in a dependency parse: noun phrases, names, pronouns and possessives.

NOMINAL = (grammar.NOUN, grammar.NAME)
CLOSING = {")": "(", "]": "[", "”": "“", "’": "‘", "''": "``"}


def detect_mentions(document: Document) -> tuple[Mention, ...]:
    """Detect the noun phrases, names, pronouns and possessives of a parsed document, in text order.

    A noun phrase is the subtree of a noun, except for prepositions and conjunctions before it, other members of an
    enumeration, appositions and, if the noun is a predicate, the rest of the clause. Dependency labels may be those of
    Universal Dependencies or of spaCy's English pipelines.

    Raises InputError if a sentence is not parsed or not tagged, or if no tag of the document is known.
    """
    check_document(document)
    _refuse_unknown_tags(document)
    parsed, mentions = ParsedDocument.of(document), list[Mention]()
    for number in range(len(document.sentences)):
        tree = parsed.parse(number)
        spans = {phrase(tree, head) for head in phrase_heads(tree)}
        mentions += [Mention(number, start, end) for start, end in sorted(spans)]
    return tuple(mentions)


def _refuse_unknown_tags(document: Document) -> None:
    """Raise InputError if no tag is known, because then no mention would be found."""
    tags_in_text = {tag for sentence in document.sentences for tag in sentence.tags or () if tag[:1].isalpha()}
    universal = {tag for sentence in document.sentences for tag in sentence.universal_tags or ()}
    if tags_in_text and tags_in_text.isdisjoint(grammar.PENN_TAGS) and universal.isdisjoint(grammar.UNIVERSAL_TAGS):
        layer = bool(tags_in_text & grammar.UNIVERSAL_TAGS)
        advice = "universal tags are the layer universal_tags" if layer else "mentions are found in English only"
        raise InputError(
            f"document {document.name} must have tags of the Penn Treebank; it has others, such as "
            f"{min(tags_in_text)}; {advice}."
        )


def phrase_heads(tree: ParsedSentence) -> Iterator[int]:
    """Yield the words that can head a mention."""
    for word, kind in enumerate(tree.kinds):
        relation = tree.relations[word]
        if kind in NOMINAL:
            heads = relation not in grammar.INSIDE_NAME
        elif kind == grammar.PRONOUN:
            heads = relation not in grammar.EXPLETIVES and CANONICAL.get(tree.words[word]) != "who"
        elif kind in (grammar.DETERMINER, grammar.ADJECTIVE):
            heads = _stands_alone(tree, word)
        elif kind == grammar.NUMBER:
            heads = relation not in ("nummod", "compound", "dep", *grammar.INSIDE_NAME)
        else:
            heads = tree.words[word] in PLACES_AND_TIMES and kind == grammar.ADVERB and relation == "advmod"
        if heads:
            yield word


def _stands_alone(tree: ParsedSentence, word: int) -> bool:
    """Return whether a determiner is used as a pronoun ("this is"), or an adjective as a noun ("the poor")."""
    if tree.kinds[word] == grammar.DETERMINER:
        is_known = CANONICAL.get(tree.words[word]) in ("this", "that", "one")
        return is_known and tree.relations[word] not in ("det", "det:predet", "predet", "advmod", "mark", "cc:preconj")
    return any(tree.relations[child] == "det" for child in tree.children[word])


def phrase(tree: ParsedSentence, head: int) -> tuple[int, int]:
    """Return the first word and the end of the phrase of a head: a pronoun alone, or a noun with its dependents."""
    if tree.kinds[head] == grammar.PRONOUN:
        return head, head + 1
    start = end = head
    for child in tree.children[head]:
        relation = tree.relations[child]
        if relation in grammar.OUTSIDE_PHRASE and not _possessive_mark(tree, child, head):
            continue
        first, last = tree.subtree_extent(child)
        start, end = min(start, first), max(end, last)
    while start < head and tree.relations[start] in ("punct", "cc"):
        start += 1
    while end > head and tree.relations[end] == "punct" and not _closes_bracket(tree, start, end):
        end -= 1
    return start, end + 1


def _closes_bracket(tree: ParsedSentence, start: int, end: int) -> bool:
    """Return whether the word at the end closes a bracket or a quotation that the phrase opens."""
    mark, inside = tree.words[end], tree.words[start:end]
    if mark in CLOSING:
        return inside.count(CLOSING[mark]) > inside.count(mark)
    return mark == '"' and inside.count(mark) % 2 == 1


def _possessive_mark(tree: ParsedSentence, child: int, head: int) -> bool:
    return child == head + 1 and tree.words[child] in ("'s", "’s", "'", "’") and tree.relations[child] == "case"


# The mentions of a document that a model uses, and their entities.

Source = Literal["gold", "detected"]
MAX_MENTIONS = 5_000


def select_mentions(document: Document, *, source: Source) -> tuple[Mention, ...]:
    """Return the mentions of a document in text order: annotated in its file ("gold"), or detected in its parse."""
    check_document(document)
    if source == "gold" and document.mentions is None:
        raise InputError(
            f"document {document.name} has no annotated mentions. To detect mentions, use "
            "AntecedentModel(mentions='detected')."
        )
    mentions = detect_mentions(document) if source == "detected" else tuple(document.mentions or ())
    check_mentions(document, mentions)
    check_distinct(document, mentions)
    check_size(document, mentions)
    return mentions


def check_distinct(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if two mentions have the same span, because neither is earlier and could be the antecedent."""
    for row, mention in enumerate(mentions):
        if row and mention == mentions[row - 1]:
            raise InputError(
                f"mentions must be distinct; document {document.name} has {' '.join(document.words_of(mention))!r}, "
                f"sentence {mention.sentence + 1}, twice. Remove one."
            )


def check_size(document: Document, mentions: Sequence[Mention]) -> None:
    """Raise InputError if there are too many pairs of mentions for memory."""
    if len(mentions) > MAX_MENTIONS:
        raise InputError(
            f"document {document.name} has {len(mentions):,} mentions, and at most {MAX_MENTIONS:,} are possible, "
            "because all pairs are scored. Split the document, for example into chapters."
        )


def mention_entities(document: Document, mentions: Sequence[Mention]) -> NDArray[np.int64]:
    """Return the number of each mention's annotated entity; other mentions get an entity of their own."""
    if document.mentions is None or any(mention.entity is None for mention in document.mentions):
        raise InputError(f"document {document.name} has no annotated entities, so nothing can be learned from it.")
    check_distinct(document, sorted(document.mentions))
    gold: dict[Mention, Hashable] = {mention: mention.entity for mention in document.mentions}
    numbers: dict[Hashable, int] = {}
    keys = (
        ("entity", mention.entity if mention.entity is not None else gold[mention]) if mention in gold else ("own", row)
        for row, mention in enumerate(mentions)
    )
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
