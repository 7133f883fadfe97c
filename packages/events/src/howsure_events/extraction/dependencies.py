"""Counts of dependency relations in and around mentions of actors in a corpus, to help with writing rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from howsure.data.documents.document import Document, Mention
from howsure_events.corpus import BATCH, Corpus, InputDocument
from howsure_events.extraction.extract_document import descriptions_in, mention_heads
from howsure_events.extraction.processes import Work, Worker
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule
from howsure_text.coreference.clusterings import best_antecedents
from howsure_text.coreference.detection import MAX_MENTIONS, detect_mentions
from howsure_text.parses import ParsedDocument, ParsedSentence

HEAD = "(head)"
ROOT = "(root)"
MAX_PATH = 3


@dataclass(frozen=True, slots=True)
class DependencyCounts:
    """The frequency of each relation. The counts of several documents can be added.

    names: counts of paths from the head of a mention down to an actor's name within the mention (`nmod>compound`);
    `(head)` if the head is the name. governors: for mentions of an actor's entity, counts of the relation of the
    mention's head and the lemma or word that governs the head, such as ("nsubj", "attack").
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
    """Count the relations in and around the mentions of actors in one document. entities: the entity of each mention.

    An entity is an actor's if one of its mentions is described as the actor by a relation of `rule.described_by`.
    """
    parsed = ParsedDocument.of(document)
    heads = mention_heads(parsed, mentions)
    described: dict[int, set[int]] = defaultdict(set)
    for at in {mention.sentence for mention in mentions}:
        descriptions = descriptions_in(parsed.parse(at), lexicon=lexicon, rule=rule)
        described[at].update(noun for noun, _, _ in descriptions)
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
    """Return the path from the head of a mention to each name within it; for a name of several words, the shortest."""
    paths = []
    for start, end, _ in lexicon.match(parsed.sentence.words):
        if mention.start <= start and end <= mention.end:
            ways = [_path(word, head, parsed) for word in range(start, end)]
            known_ways = [way for way in ways if way is not None]
            if known_ways:
                shortest = min(known_ways, key=len)
                paths.append(">".join(shortest) or HEAD)
    return paths


def _path(word: int, head: int, parsed: ParsedSentence) -> list[str] | None:
    path: list[str] = []
    while word != head:
        if word < 0 or len(path) == MAX_PATH:
            return None
        path.insert(0, parsed.relations[word])
        word = parsed.heads[word]
    return path


def _governor(parsed: ParsedSentence, head: int) -> tuple[str, str]:
    governor = parsed.heads[head]
    words = parsed.sentence.lemmas or parsed.sentence.words
    return parsed.relations[head], ROOT if governor < 0 else words[governor].lower()


def survey_dependencies(
    corpus: Corpus, *, work: Work, limit: int | None = None, advance: Callable[[int], None] | None = None
) -> DependencyCounts:
    """Return the counts of `count_dependencies` over the kept documents among the first `limit` of the input.

    Entities are those of the 1-best clustering. Documents that name no actor contribute nothing.
    """
    worker, counts = Worker(work), DependencyCounts()
    documents = islice(corpus.documents(), limit)
    while batch := list(islice(documents, BATCH)):
        for document in worker.parser.parse(prepared_with_actors(batch, worker)):
            counts += _counts(document, work)
        if advance is not None:
            advance(len(batch))
    return counts


def prepared_with_actors(batch: Sequence[InputDocument], worker: Worker) -> list[Any]:
    """Return the parser's input for the documents that are kept and name an actor."""
    ready = []
    for document in batch:
        reason, prepared, words = worker.prepared(document)
        if reason is None and worker.work.lexicon.match(words):
            ready.append(prepared)
    return ready


def _counts(document: Document, work: Work) -> DependencyCounts:
    parsed = ParsedDocument.of(document)
    mentions = detect_mentions(parsed)
    if len(mentions) > MAX_MENTIONS:
        return DependencyCounts()
    entities = best_antecedents(work.model.posterior(parsed, mentions=mentions).antecedents)
    return count_dependencies(parsed, mentions, entities.tolist(), lexicon=work.lexicon, rule=work.rule)
