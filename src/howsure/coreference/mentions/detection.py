"""Mentions found in a dependency parse: noun phrases, names, pronouns and possessives."""

from __future__ import annotations

from collections.abc import Iterator

from howsure.coreference.mentions.mention_columns import check_document
from howsure.coreference.mentions.pronouns import CANONICAL, PLACES_AND_TIMES
from howsure.data.documents.document import Document, Mention
from howsure.data.parses import grammar
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.data.parses.parsed_sentence import ParsedSentence
from howsure.errors import InputError

NOMINAL = (grammar.NOUN, grammar.NAME)
CLOSING = {")": "(", "]": "[", "”": "“", "’": "‘", "''": "``"}


def detect_mentions(document: Document) -> tuple[Mention, ...]:
    """The noun phrases, names, pronouns and possessives of a parsed document, in text order, without entities.

    A noun phrase is the subtree of a noun without what introduces or joins it (prepositions, conjunctions, the other
    members of an enumeration, appositions) and without the rest of the clause if the noun is a predicate. Labels may be
    those of Universal Dependencies or of spaCy's English pipelines.

    Raises InputError if a sentence is not parsed or not tagged, or if no tag of the document is known.
    """
    check_document(document)
    _refuse_unknown_tags(document)
    parsed, found = ParsedDocument.of(document), list[Mention]()
    for number in range(len(document.sentences)):
        tree = parsed.parse(number)
        spans = {phrase(tree, head) for head in phrase_heads(tree)}
        found += [Mention(number, start, end) for start, end in sorted(spans)]
    return tuple(found)


def _refuse_unknown_tags(document: Document) -> None:
    """Raise InputError if no tag is known, because then no mention would be found."""
    own = {tag for sentence in document.sentences for tag in sentence.tags or () if tag[:1].isalpha()}
    universal = {tag for sentence in document.sentences for tag in sentence.universal_tags or ()}
    if own and own.isdisjoint(grammar.PENN_TAGS) and universal.isdisjoint(grammar.UNIVERSAL_TAGS):
        layer = bool(own & grammar.UNIVERSAL_TAGS)
        advice = "universal tags are the layer universal_tags" if layer else "mentions are found in English only"
        raise InputError(
            f"document {document.name} has tags that are not those of the Penn Treebank, such as {min(own)}; {advice}."
        )


def phrase_heads(tree: ParsedSentence) -> Iterator[int]:
    """The words that can head a mention."""
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
    """Whether a determiner is used as a pronoun (this is), or an adjective as a noun (the poor)."""
    if tree.kinds[word] == grammar.DETERMINER:
        is_known = CANONICAL.get(tree.words[word]) in ("this", "that", "one")
        return is_known and tree.relations[word] not in ("det", "det:predet", "predet", "advmod", "mark", "cc:preconj")
    return any(tree.relations[child] == "det" for child in tree.children[word])


def phrase(tree: ParsedSentence, head: int) -> tuple[int, int]:
    """First word and end of the phrase that a word heads: a pronoun alone, a noun with its dependents."""
    if tree.kinds[head] == grammar.PRONOUN:
        return head, head + 1
    start = end = head
    for child in tree.children[head]:
        relation = tree.relations[child]
        if relation in grammar.OUTSIDE_PHRASE and not _possessive_mark(tree, child, head):
            continue
        first, last = tree.extent_of(child)
        start, end = min(start, first), max(end, last)
    while start < head and tree.relations[start] in ("punct", "cc"):
        start += 1
    while end > head and tree.relations[end] == "punct" and not _closes(tree, start, end):
        end -= 1
    return start, end + 1


def _closes(tree: ParsedSentence, start: int, end: int) -> bool:
    """Whether the word at the end closes a bracket or a quotation that the phrase opens."""
    mark, inside = tree.words[end], tree.words[start:end]
    if mark in CLOSING:
        return inside.count(CLOSING[mark]) > inside.count(mark)
    return mark == '"' and inside.count(mark) % 2 == 1


def _possessive_mark(tree: ParsedSentence, child: int, head: int) -> bool:
    return child == head + 1 and tree.words[child] in ("'s", "’s", "'", "’") and tree.relations[child] == "case"
