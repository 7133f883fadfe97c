"""Dependency parses of sentences, converted once to a form that is the same for all label schemes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Self

from howsure.data.documents.document import Document, Mention, Sentence, Strings, is_tree
from howsure.errors import InputError
from howsure_text import grammar

# A parsed sentence: its tree, the kinds of words, governors and roles, which are the same for UD and CLEAR.


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence with its parse.

    heads, relations: the output of the parser. governors, roles: the same, except that an object of a preposition is
    attached to the governor of the preposition. kinds: the kind of each word, such as noun or verb.
    """

    sentence: Sentence
    words: Strings  # in lower case
    kinds: Strings
    plural: tuple[bool, ...]
    heads: tuple[int, ...]
    relations: Strings
    children: tuple[tuple[int, ...], ...]
    governors: tuple[int, ...]
    roles: Strings

    def __len__(self) -> int:
        return len(self.words)

    def span_head(self, start: int, end: int) -> int:
        """Return the head of a span: the word whose head is outside of the span.

        If there are several such words, the first name or noun is returned; else the first pronoun, else the first
        number or verb, else the first word.
        """
        tops = [word for word, head in enumerate(self.heads[start:end], start) if not start <= head < end]
        if len(tops) == 1:
            return tops[0]
        for kinds in ((grammar.NAME, grammar.NOUN), (grammar.PRONOUN,), (grammar.NUMBER, grammar.VERB)):
            for top in tops:
                if self.kinds[top] in kinds:
                    return top
        return tops[0]

    def dependents(self, word: int, relations: Collection[str]) -> list[int]:
        """Return the dependents of a word that have one of the relations, in text order."""
        return [child for child in self.children[word] if self.relations[child] in relations]

    def subtree_extent(self, word: int) -> tuple[int, int]:
        """Return the indices of the first and the last word of the subtree of a word."""
        first = last = word
        pending = [word]
        while pending:
            current = pending.pop()
            first, last = min(first, current), max(last, current)
            pending.extend(self.children[current])
        return first, last


def parsed_sentence(sentence: Sentence, *, where: str = "the sentence") -> ParsedSentence:
    """Convert the parse of a sentence, which must have dependencies and tags."""
    heads, relations = sentence.heads, sentence.relations
    if heads is None or relations is None:
        raise InputError(f"{where} has no dependencies (heads and relations); parse the document first.")
    _check_layers(sentence, heads, where)
    penn = _penn_tags(sentence)
    kinds = _kinds(sentence, penn, where)
    if not is_tree(heads):
        raise InputError(f"the heads of {where} contain a cycle; they must form a tree.")
    children: list[list[int]] = [[] for _ in heads]
    governors, roles = list(heads), [grammar.relation_role(relation) for relation in relations]
    predicates = []
    for word, (head, relation) in enumerate(zip(heads, relations, strict=True)):
        if head >= 0:
            children[head].append(word)
            if relation in grammar.PREPOSITIONAL_OBJECTS:
                governors[word], roles[word] = _seen_through(head, heads, relations, kinds)
            elif relation in grammar.COPULAS:
                predicates.append(head)
    for word in predicates:
        roles[word] = grammar.PREDICATE
    return ParsedSentence(
        sentence=sentence,
        words=tuple(word.lower() for word in sentence.words),
        kinds=kinds,
        plural=_plural(sentence, penn),
        heads=heads,
        relations=relations,
        children=tuple(map(tuple, children)),
        governors=tuple(governors),
        roles=tuple(roles),
    )


def _check_layers(sentence: Sentence, heads: Sequence[int], where: str) -> None:
    """Raise InputError if a layer is too short, or the heads do not form a tree."""
    n = len(sentence)
    for name in ("heads", "relations", "tags", "universal_tags", "features"):
        layer = getattr(sentence, name)
        if layer is not None and len(layer) != n:
            raise InputError(f"{where} has {n} words and {len(layer)} {name.replace('_', ' ')}; give one for each.")
    outside = [head for head in heads if not -1 <= head < n]
    if outside:
        raise InputError(f"heads must be indices of words, or -1 for the root; {where} is {outside[0]}.")


def _penn_tags(sentence: Sentence) -> Strings | None:
    """Return the language-specific tags if they are Penn Treebank tags or there are no universal tags; else None."""
    if sentence.tags is None or sentence.universal_tags is None:
        return sentence.tags
    alphabetic = {tag for tag in sentence.tags if tag[:1].isalpha()}
    return sentence.tags if not alphabetic or not alphabetic.isdisjoint(grammar.PENN_TAGS) else None


def _kinds(sentence: Sentence, penn: Strings | None, where: str) -> Strings:
    if penn is not None:
        return tuple(grammar.PENN_KINDS.get(tag, grammar.OTHER) for tag in penn)
    if sentence.universal_tags is not None:
        return tuple(grammar.UNIVERSAL_KINDS.get(tag, grammar.OTHER) for tag in sentence.universal_tags)
    raise InputError(f"{where} has neither Penn Treebank nor universal tags; tag the document first.")


def _plural(sentence: Sentence, penn: Strings | None) -> tuple[bool, ...]:
    if penn is not None:
        return tuple(tag in grammar.PLURAL_TAGS for tag in penn)
    if sentence.features is not None:
        return tuple("Number=Plur" in features for features in sentence.features)
    return (False,) * len(sentence)


def _seen_through(head: int, heads: Sequence[int], relations: Strings, kinds: Strings) -> tuple[int, str]:
    """Return governor and role of the object of the preposition `head`: the governor is that of the preposition."""
    above = heads[head]
    if relations[head] == "agent":
        return above, grammar.AGENT
    if relations[head] == "dative":
        return above, grammar.INDIRECT_OBJECT
    nominal = above >= 0 and kinds[above] in (grammar.NOUN, grammar.NAME, grammar.PRONOUN, grammar.NUMBER)
    return above, grammar.MODIFIER if nominal else grammar.OBLIQUE


@dataclass(frozen=True, slots=True)
class ParsedDocument(Document):
    """A document that caches the converted parses of its sentences.

    >>> from howsure.data.documents.document import Sentence
    >>> words = Sentence(("a", "dog"), tags=("DT", "NN"), heads=(1, -1), relations=("det", "root"))
    >>> document = ParsedDocument.of(Document("example", (words,)))
    >>> document.mention_head(Mention(0, 0, 2)), document.parse(0) is document.parse(0)
    (1, True)
    """

    _parses: dict[int, ParsedSentence] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, document: Document) -> Self:
        """Return the document as a ParsedDocument; the document itself if it already is one."""
        if isinstance(document, cls):
            return document
        return cls(document.name, document.sentences, document.mentions, document.metadata)

    def parse(self, number: int) -> ParsedSentence:
        """Return the parse of a sentence, counted from 0; raise InputError if it has no parse or no tags."""
        parsed = self._parses.get(number)
        if parsed is None:
            where = f"sentence {number + 1} of document {self.name}"
            parsed = self._parses[number] = parsed_sentence(self.sentences[number], where=where)
        return parsed

    def mention_head(self, mention: Mention) -> int:
        """Return the head of a mention, as an index in its sentence."""
        return self.parse(mention.sentence).span_head(mention.start, mention.end)
