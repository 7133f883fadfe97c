"""Documents of a store: words, mentions, clusterings, events and their evidence."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Bools, Integers
from howsure_events.store.integrity import DamagedStoreError, are_clusterings, check_documents
from howsure_events.store.store_queries import REMEDY, Store, number_of_samples, query_rows
from howsure_events.store.tables import as_bits, as_labels
from howsure_text.coreference.coref_posterior import CorefPosterior

MAX_LINKS = 3
MIN_RARER_SHARE = 0.05  # minimum proportion of the samples with, and without, the event


@dataclass(frozen=True, slots=True)
class DecidingLink:
    """A pair of mentions, first < second, on whose coreference an uncertain event depends.

    with_event, without_event: among the samples with and without the event, the proportion in which both mentions are
    one entity. share: the proportion of all samples that were used for this pair; 1 for the first pair of an event.
    """

    first: int
    second: int
    with_event: float
    without_event: float
    share: float


def deciding_links(labels: Integers, event: Bools, mentions: Iterable[int]) -> list[DecidingLink]:
    """Return the links that an event depends on.

    labels (S, M): S sampled clusterings of M mentions. event (S,): whether each sample has the event. Candidates are
    the mentions that share an entity with one of `mentions` in some sample.

    The first link is the pair i, j with the largest |P(i ~ j | event) - P(i ~ j | no event)|, estimated from the
    samples; ties go to the nearest pair, then to the first pair in the text. The samples are then split by whether the
    pair is one entity, and the next link is searched for among the samples of the split in which the event is less
    certain. The search ends after 3 links, or when less than 5% of all samples are in this split and have the event, or
    are in it and do not have the event. A certain event depends on no link.

    >>> labels = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]])
    >>> deciding_links(labels, np.array([True, False, False, True]), [0])
    [DecidingLink(first=0, second=1, with_event=1.0, without_event=0.0, share=1.0)]
    """
    near = _companions(labels, mentions)
    links: list[DecidingLink] = []
    kept = np.ones(len(event), dtype=np.bool_)
    while len(links) < MAX_LINKS and _rarer_samples(event[kept]) >= max(MIN_RARER_SHARE * len(event), 1):
        best = _best_pair(labels[np.ix_(kept, near)], event[kept])
        if best is None:
            break
        first, second = int(near[best[0]]), int(near[best[1]])
        together = labels[:, first] == labels[:, second]
        with_event, without_event = together[kept & event].mean(), together[kept & ~event].mean()
        links.append(DecidingLink(first, second, float(with_event), float(without_event), float(kept.mean())))
        kept = max(kept & together, kept & ~together, key=lambda side: _rarer_samples(event[side]))
    return links


def _rarer_samples(event: Bools) -> int:
    """Return the number of samples with the event, or without it if these are fewer."""
    return int(min(event.sum(), (~event).sum()))


def _companions(labels: Integers, mentions: Iterable[int]) -> Integers:
    near = np.zeros(labels.shape[1], dtype=np.bool_)
    for mention in set(mentions):
        near |= (labels == labels[:, mention, np.newaxis]).any(axis=0)
    return np.flatnonzero(near)


def _best_pair(labels: Integers, event: Bools) -> tuple[int, int] | None:
    """Return the pair of mentions that best separates samples with and without the event; None if no pair does.

    The computation uses integers, so that ties are exact.
    """
    n_present, n_absent = int(event.sum()), int((~event).sum())
    by_mention = np.ascontiguousarray(labels.T)
    # its sum over samples is n_present n_absent (with_event - without_event)
    weight = np.where(event, n_absent, -n_present)
    best, pair = (0, 0), None
    for second in range(1, len(by_mention)):
        gained = np.abs((by_mention[:second] == by_mention[second]) @ weight)
        first = second - 1 - int(gained[::-1].argmax())
        reached = int(gained[first]), first - second
        if (reached[0] and reached > best) or (pair is None and reached[0]):
            best, pair = reached, (first, second)
    return pair


@dataclass(frozen=True, slots=True)
class StoredMention:
    """A mention: words start to stop - 1 of a sentence, the actors that it names, and its event word if it acts."""

    sentence: int
    start: int
    stop: int
    actors: tuple[str, ...]
    verb: int | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """The probability that an actor acts, the samples (S,) in which it acts, and whether it acts in the 1-best."""

    actor: str
    probability: float
    samples: Bools
    best: bool


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """The mention `agent` acts. In the marked samples (S,), its entity is the actor, because it contains `named`."""

    actor: str
    named: int
    agent: int
    probability: float
    samples: Bools


@dataclass(slots=True)
class StoredDocument:
    """A document of a store. `clusterings` (S, M) and `best` (M,) are None if no event was possible."""

    document: int
    id: str
    date: datetime.date
    title: str | None
    sentences: list[tuple[list[str], list[bool]]] = field(default_factory=list)
    mentions: list[StoredMention] = field(default_factory=list)
    antecedents: list[tuple[int, int, float]] = field(default_factory=list)
    clusterings: Integers | None = None
    best: Integers | None = None
    events: list[StoredEvent] = field(default_factory=list)
    evidence: list[StoredEvidence] = field(default_factory=list)
    stored_posterior: CorefPosterior | None = field(default=None, repr=False, compare=False)

    def text_of(self, mention: int) -> str:
        """Return the text of a mention, with its original spaces."""
        span_ = self.mentions[mention]
        words, spaces = self.sentences[span_.sentence]
        span = range(span_.start, span_.stop)
        return "".join(words[word] + " " * spaces[word] for word in span).strip()

    def pair_probability(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Return P(i ~ j) for pairs of mentions, computed exactly from the antecedent probabilities."""
        if not pairs:
            return []
        probabilities: list[float] = self.posterior().pair_probability(pairs=pairs).tolist()
        return probabilities

    def posterior(self) -> CorefPosterior:
        """Return the posterior over clusterings from which the samples were drawn."""
        if self.stored_posterior is not None:
            return self.stored_posterior
        n = len(self.mentions)
        earlier: list[list[int]] = [[] for _ in range(n)]
        probabilities: list[list[float]] = [[] for _ in range(n)]
        new = np.zeros(n)
        for mention, antecedent, probability in self.antecedents:
            if antecedent == mention:
                new[mention] = probability
            else:
                earlier[mention].append(antecedent)
                probabilities[mention].append(probability)
        self.stored_posterior = CorefPosterior.from_rows(earlier, probabilities, new)
        return self.stored_posterior

    def links_deciding(self, actor: str) -> list[DecidingLink]:
        """Return the links that an actor's event depends on; none if the event is certain."""
        event = next((event for event in self.events if event.actor == actor), None)
        if event is None or self.clusterings is None:
            return []
        mentions = {
            mention
            for evidence in self.evidence
            if evidence.actor == actor
            for mention in (evidence.named, evidence.agent)
        }
        return deciding_links(self.clusterings, event.samples, mentions)


def stored_document(store: Store, number: int) -> StoredDocument:
    documents = stored_documents(store, {number})
    if number not in documents:
        raise InputError(f"the store has no document {number}; its documents have the numbers of the input, from 0.")
    return documents[number]


def stored_documents(store: Store, numbers: Collection[int]) -> dict[int, StoredDocument]:
    """Return documents by number, without numbers that are not in the store; each table is read once."""
    ordered, n_samples = sorted(numbers), number_of_samples(store)
    check_documents(store, ordered)

    def rows(columns: str, table: str, order: str = "document") -> Iterator[tuple[StoredDocument, tuple[Any, ...]]]:
        query = f"SELECT document, {columns} FROM {table} WHERE document IN (SELECT unnest($wanted)) ORDER BY {order}"
        for document, *values in query_rows(store, query, wanted=ordered):
            yield documents[document], tuple(values)

    named = "SELECT document, id, date, title FROM documents WHERE document IN (SELECT unnest($wanted))"
    documents = {row[0]: StoredDocument(*row) for row in query_rows(store, named, wanted=ordered)}
    for document, (words, spaces) in rows("words, spaces", "sentences", "document, sentence"):
        document.sentences.append((words, spaces))
    for document, values in rows("sentence, start, stop, actors, verb", "mentions", "document, mention"):
        sentence, start, stop, actors, verb = values
        document.mentions.append(StoredMention(sentence, start, stop, tuple(actors), verb))
    order = "document, mention, antecedent"
    for document, (mention, antecedent, probability) in rows("mention, antecedent, probability", "antecedents", order):
        document.antecedents.append((mention, antecedent, probability))
    for document, (samples, best) in rows("samples, best", "clusterings"):
        document.clusterings = as_labels(samples, len(document.mentions))
        document.best = as_labels(best, len(document.mentions))[0]
        if not are_clusterings(np.vstack([document.clusterings, document.best])):
            raise DamagedStoreError(f"the store is damaged: the clusterings of document {document.document}. {REMEDY}.")
    for document, values in rows("actor, probability, samples, best", "events", "document, probability DESC, actor"):
        actor, probability, samples, acts = values
        document.events.append(StoredEvent(actor, probability, as_bits([samples], n_samples)[0], acts))
    order = "document, probability DESC, actor, named, agent"
    for document, values in rows("actor, named, agent, probability, samples", "evidence", order):
        actor, named, agent, probability, samples = values
        document.evidence.append(StoredEvidence(actor, named, agent, probability, as_bits([samples], n_samples)[0]))
    return documents
