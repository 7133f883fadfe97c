"""A parsed sentence as the model reads it: kinds of words, governors and roles, the same from UD and from CLEAR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from howsure.coreference.mentions import grammar
from howsure.data.documents.document import Sentence, Strings
from howsure.errors import InputError


@dataclass(frozen=True, slots=True)
class Tree:
    """Words of a sentence with the edges of its parse.

    `heads` and `relations` are those of the parser, `governors` and `roles` see through prepositions that govern.
    """

    words: Strings  # in lower case
    cased: Strings
    kinds: Strings
    plural: tuple[bool, ...]
    heads: tuple[int, ...]
    relations: Strings
    children: tuple[tuple[int, ...], ...]
    governors: tuple[int, ...]
    roles: Strings

    def __len__(self) -> int:
        return len(self.words)

    def head_of(self, start: int, end: int) -> int:
        """The word of a span that its other words hang on: the one whose governor lies outside; a noun if several."""
        tops = [i for i in range(start, end) if not start <= self.heads[i] < end]
        for kinds in ((grammar.NAME, grammar.NOUN), (grammar.PRONOUN,), (grammar.NUMBER, grammar.VERB)):
            for top in tops:
                if self.kinds[top] in kinds:
                    return top
        return tops[0] if tops else end - 1


def tree_of(sentence: Sentence, *, where: str = "the sentence") -> Tree:
    """The tree of a parsed and tagged sentence.

    Raises InputError where the sentence has no dependencies, or neither Penn nor universal tags.
    """
    heads, relations = sentence.heads, sentence.relations
    if heads is None or relations is None:
        raise InputError(f"{where} has no dependencies (heads and relations); parse the document first.")
    _check_layers(sentence, heads, where)
    kinds = _kinds(sentence, where)
    children: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads):
        if head >= 0:
            children[head].append(word)
    _check_rooted(heads, children, where)
    edges = [_seen_through(word, heads, relations, kinds) for word in range(len(heads))]
    predicates = {head for head, relation in zip(heads, relations, strict=True) if relation in grammar.COPULAS}
    return Tree(
        words=tuple(word.lower() for word in sentence.words),
        cased=sentence.words,
        kinds=kinds,
        plural=_plural(sentence),
        heads=heads,
        relations=relations,
        children=tuple(tuple(one) for one in children),
        governors=tuple(governor for governor, _ in edges),
        roles=tuple(grammar.PREDICATE if word in predicates else role for word, (_, role) in enumerate(edges)),
    )


def _check_layers(sentence: Sentence, heads: Sequence[int], where: str) -> None:
    """Raise InputError where a layer lacks words, or the heads are no tree."""
    n = len(sentence)
    for name in ("heads", "relations", "tags", "universal_tags", "features"):
        layer = getattr(sentence, name)
        if layer is not None and len(layer) != n:
            raise InputError(f"{where} has {n} words and {len(layer)} {name.replace('_', ' ')}; give one for each.")
    outside = [head for head in heads if not -1 <= head < n]
    if outside:
        raise InputError(f"heads must be positions of words, or -1 for the root; {where} holds {outside[0]}.")


def _check_rooted(heads: Sequence[int], children: Sequence[Sequence[int]], where: str) -> None:
    """Raise InputError where words do not hang on a root, for then their heads go in a circle."""
    reached = [word for word, head in enumerate(heads) if head < 0]
    for word in reached:  # which grows
        reached.extend(children[word])
    if len(reached) < len(heads):
        raise InputError(f"the heads of {where} go in a circle; they must form a tree.")


def _kinds(sentence: Sentence, where: str) -> Strings:
    if sentence.tags is not None and _reads_tags(sentence):
        return tuple(grammar.PENN_KINDS.get(tag, grammar.OTHER) for tag in sentence.tags)
    if sentence.universal_tags is not None:
        return tuple(grammar.UNIVERSAL_KINDS.get(tag, grammar.OTHER) for tag in sentence.universal_tags)
    raise InputError(f"{where} has neither Penn Treebank nor universal tags; tag the document first.")


def _reads_tags(sentence: Sentence) -> bool:
    """Whether the tags of the language are of the Penn Treebank, or all there is."""
    alphabetic = {tag for tag in sentence.tags or () if tag[:1].isalpha()}
    return sentence.universal_tags is None or not alphabetic or not alphabetic.isdisjoint(grammar.PENN_TAGS)


def _plural(sentence: Sentence) -> tuple[bool, ...]:
    if sentence.tags is not None and _reads_tags(sentence):
        return tuple(tag in grammar.PLURAL_TAGS for tag in sentence.tags)
    if sentence.features is not None:
        return tuple("Number=Plur" in features for features in sentence.features)
    return (False,) * len(sentence)


def _seen_through(word: int, heads: Sequence[int], relations: Strings, kinds: Strings) -> tuple[int, str]:
    """Governor and role of a word; the object of a preposition hangs on what the preposition hangs on."""
    head, relation = heads[word], relations[word]
    if relation not in grammar.PREPOSITIONAL_OBJECTS or head < 0:
        return head, grammar.role_of(relation)
    above = heads[head]
    if relations[head] == "agent":
        return above, grammar.AGENT
    if relations[head] == "dative":
        return above, grammar.INDIRECT_OBJECT
    nominal = above >= 0 and kinds[above] in (grammar.NOUN, grammar.NAME, grammar.PRONOUN, grammar.NUMBER)
    return above, grammar.MODIFIER if nominal else grammar.OBLIQUE
