"""The dependency relations in and around entities of actors, for writing rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.data.documents.document import Document, Mention
from howsure.data.parses.parsed_document import ParsedDocument
from howsure.data.parses.parsed_sentence import ParsedSentence
from howsure.events.actors.lexicon import Lexicon
from howsure.events.extraction.descriptions_and_acts import descriptions_in, mention_heads
from howsure.events.rules.rule import Rule

HEAD = "(head)"
ROOT = "(root)"
LONGEST_PATH = 3


@dataclass(frozen=True, slots=True)
class DependencyCounts:
    """How often each relation occurs; counts of documents are additive.

    names: paths from the head of a mention down to a name of an actor within it (`nmod>compound`), `(head)` if the head
    is the name. governors: (relation, lemma or word) from what governs a mention of an actor's entity down to the head
    of the mention, say ("nsubj", "attack").
    """

    names: Counter[str] = field(default_factory=Counter)
    governors: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, other: DependencyCounts) -> DependencyCounts:
        return DependencyCounts(self.names + other.names, self.governors + other.governors)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values, the most frequent first."""
        governors = [
            {"relation": relation, "governor": word, "count": count}
            for (relation, word), count in self.governors.most_common()
        ]
        return {"names": dict(self.names.most_common()), "governors": governors}


def count_dependencies(
    document: Document, mentions: Sequence[Mention], entities: Sequence[object], *, lexicon: Lexicon, rule: Rule
) -> DependencyCounts:
    """The relations inside the entities of actors in one document; `entities` gives that of each mention.

    An entity is an actor's if `rule.described_by` describes one of its mentions.

    Raises InputError if a sentence with a mention lacks a dependency tree.
    """
    parsed = ParsedDocument.of(document)
    heads = mention_heads(parsed, mentions)
    described: dict[int, set[int]] = defaultdict(set)
    for at in {mention.sentence for mention in mentions}:
        found = descriptions_in(parsed.parse(at), lexicon=lexicon, rule=rule)
        described[at].update(noun for noun, _, _ in found)
    of_actors = {
        entity
        for entity, mention, head in zip(entities, mentions, heads, strict=True)
        if head in described[mention.sentence]
    }
    counts = DependencyCounts()
    for entity, mention, head in zip(entities, mentions, heads, strict=True):
        sentence = parsed.parse(mention.sentence)
        counts.names.update(_paths(sentence, mention, head, lexicon))
        if entity in of_actors:
            counts.governors[_governor(sentence, head)] += 1
    return counts


def _paths(parsed: ParsedSentence, mention: Mention, head: int, lexicon: Lexicon) -> list[str]:
    """The path from the head of a mention to each name within it; for a name of several words, the shortest."""
    paths = []
    for start, end, _ in lexicon.match(parsed.sentence.words):
        if mention.start <= start and end <= mention.end:
            ways = [_path(word, head, parsed) for word in range(start, end)]
            known = [way for way in ways if way is not None]
            if known:
                shortest = min(known, key=len)
                paths.append(">".join(shortest) or HEAD)
    return paths


def _path(word: int, head: int, parsed: ParsedSentence) -> list[str] | None:
    path: list[str] = []
    while word != head:
        if word < 0 or len(path) == LONGEST_PATH:
            return None
        path.insert(0, parsed.relations[word])
        word = parsed.heads[word]
    return path


def _governor(parsed: ParsedSentence, head: int) -> tuple[str, str]:
    governor = parsed.heads[head]
    words = parsed.sentence.lemmas or parsed.sentence.words
    return parsed.relations[head], ROOT if governor < 0 else words[governor].lower()
