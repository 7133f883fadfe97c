"""Documents of a store: words, mentions, clusterings, events and their evidence."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.errors import InputError
from howsure.events.store.deciding_links import DecidingLink, deciding_links
from howsure.events.store.packed_samples import as_bits, as_labels
from howsure.events.store.reading import Store, number_of_samples, rows_of
from howsure.events.store.refusals import DamagedStoreError, are_clusterings, check_documents
from howsure.events.store.settings import REMEDY
from howsure.inputs.pairs import Integers

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StoredMention:
    """Words start to stop - 1 of a sentence, the actors that describe them, and the word of the event if they act."""

    sentence: int
    start: int
    stop: int
    actors: tuple[str, ...]
    verb: int | None


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """The probability that an actor acts, the samples in which it does (S,), and whether it does in the 1-best
    clustering."""

    actor: str
    probability: float
    samples: Bools
    best: bool


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """In the marked samples (S,), `agent` acts and belongs to the actor because `named` is in its entity."""

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

    def text_of(self, mention: int) -> str:
        """The words of a mention, as they are spaced."""
        one = self.mentions[mention]
        words, spaces = self.sentences[one.sentence]
        span = range(one.start, one.stop)
        return "".join(words[word] + " " * spaces[word] for word in span).strip()

    def pair_probability(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """P(i ~ j), exact from the antecedents, of pairs of mentions."""
        if not pairs:
            return []
        found: list[float] = self.posterior().pair_probability(pairs=pairs).tolist()
        return found

    def posterior(self) -> CorefPosterior:
        """The posterior over clusterings that the samples were drawn from."""
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
        return CorefPosterior.from_rows(earlier, probabilities, new)

    def links_deciding(self, actor: str) -> list[DecidingLink]:
        """The links that the event of an actor depends on; none if it is certain."""
        event = next((one for one in self.events if one.actor == actor), None)
        if event is None or self.clusterings is None:
            return []
        mentions = {mention for one in self.evidence if one.actor == actor for mention in (one.named, one.agent)}
        return deciding_links(self.clusterings, event.samples, mentions)


def stored_document(store: Store, number: int) -> StoredDocument:
    """One document by its number.

    Raises InputError if the store does not contain it.
    """
    found = stored_documents(store, {number})
    if number not in found:
        raise InputError(f"the store holds no document {number}; its documents have the numbers of the input, from 0.")
    return found[number]


def stored_documents(store: Store, numbers: Collection[int]) -> dict[int, StoredDocument]:
    """Documents by number, reading each table once; those not in the store are left out."""
    wanted, n_samples = sorted(numbers), number_of_samples(store)
    check_documents(store, wanted)

    def rows(columns: str, table: str, order: str = "document") -> Iterator[tuple[StoredDocument, tuple[Any, ...]]]:
        query = f"SELECT document, {columns} FROM {table} WHERE document IN (SELECT unnest($wanted)) ORDER BY {order}"
        for document, *values in rows_of(store, query, wanted=wanted):
            yield held[document], tuple(values)

    named = "SELECT document, id, date, title FROM documents WHERE document IN (SELECT unnest($wanted))"
    held = {row[0]: StoredDocument(*row) for row in rows_of(store, named, wanted=wanted)}
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
    return held
