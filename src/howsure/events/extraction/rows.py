"""Extractions as rows of the store's tables, stored by column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.errors import InputError
from howsure.events.corpus.documents import InputDocument
from howsure.events.extraction.descriptions_and_acts import Bools
from howsure.events.extraction.one_document import Extraction, Sampled

MOST_ENTITIES = 255  # of one actor in one sample: they are kept in a byte
LAYERS = ("lemmas", "tags", "universal_tags", "features", "heads", "relations")
VOICES = ("speaker", "addressee")  # metadata of a sentence that the antecedent model reads
COLUMNS = {
    "documents": ("document", "id", "date", "title", "category", "story", "words", "mentions"),
    "left_out": ("document", "id", "date", "reason"),
    "sentences": ("document", "sentence", "words", "spaces", *LAYERS, *VOICES),
    "mentions": ("document", "mention", "sentence", "start", "stop", "head", "actors", "verb"),
    "antecedents": ("document", "mention", "antecedent", "probability"),
    "clusterings": ("document", "samples", "best"),
    "events": ("document", "actor", "probability", "samples", "entities", "best", "best_entities"),
    "evidence": ("document", "actor", "named", "agent", "probability", "samples"),
}
Row = tuple[Any, ...]
Tables = dict[str, dict[str, Any]]


class Rows:
    """The rows of a batch of documents, while they are collected."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in COLUMNS}
        self.links: list[tuple[Any, ...]] = []  # arrays: there are many

    def leave_out(self, source: InputDocument, reason: str) -> None:
        """Count a document that is not kept."""
        self.rows["left_out"].append((source.number, source.id, source.date, reason))

    def add(self, source: InputDocument, extraction: Extraction) -> None:
        """A document that is kept."""
        number, document = source.number, extraction.document
        words = sum(map(len, document.sentences))
        mentions = len(extraction.mentions)
        told = (source.date, source.title, source.category, source.story)
        self.rows["documents"].append((number, source.id, *told, words, mentions))
        for at, sentence in enumerate(document.sentences):
            spaces = sentence.spaces or (True,) * len(sentence)
            layers = [getattr(sentence, name) for name in LAYERS]
            voices = [sentence.metadata.get(name) for name in VOICES]
            self.rows["sentences"].append((number, at, sentence.words, spaces, *layers, *voices))
        self.rows["mentions"] += _mention_rows(number, extraction)
        if extraction.sampled is not None:
            self._add_sampled(number, extraction.facts.actors, extraction.sampled)

    def tables(self) -> Tables:
        """The columns of all tables."""
        held = {name: _columns(COLUMNS[name], rows) for name, rows in self.rows.items()}
        if self.links:
            arrays = [np.concatenate(column) for column in zip(*self.links, strict=True)]
            held["antecedents"] = dict(zip(COLUMNS["antecedents"], arrays, strict=True))
        return held

    def _add_sampled(self, number: int, actors: Sequence[str], sampled: Sampled) -> None:
        self.links.append(_links(number, sampled.antecedents))
        self.rows["clusterings"].append((number, _small(sampled.clusterings), _small(sampled.best)))
        if sampled.entities.max(initial=0) > MOST_ENTITIES:
            raise InputError(f"more than {MOST_ENTITIES} entities of one actor act in one document; split it.")
        for place, (actor, probability) in enumerate(zip(actors, sampled.probabilities.tolist(), strict=True)):
            counts, best = sampled.entities[:, place], int(sampled.best_entities[place])
            if best or counts.any():
                entities = counts.astype(np.uint8).tobytes()
                self.rows["events"].append((number, actor, probability, bits(counts > 0), entities, best > 0, best))
        for one in sampled.evidence:
            share = float(one.samples.mean())
            self.rows["evidence"].append((number, one.actor, one.description, one.agent, share, bits(one.samples)))


def bits(samples: Bools) -> bytes:
    """Booleans as bits, the first in the lowest bit of the first byte.

    >>> bits(np.array([True, False, False, False, False, False, False, False, True]))
    b'\\x01\\x01'
    """
    return np.packbits(samples, bitorder="little").tobytes()


def _small(labels: Any) -> bytes:
    return bytes(labels.astype("<u2").tobytes())


def _mention_rows(number: int, extraction: Extraction) -> Iterable[Row]:
    actors: dict[int, list[str]] = {}
    for description in extraction.facts.descriptions:
        named = actors.setdefault(description.mention, [])
        if description.actor not in named:
            named.append(description.actor)
    verbs = {act.mention: act.verb for act in reversed(extraction.facts.acts)}
    for at, (mention, head) in enumerate(zip(extraction.mentions, extraction.heads, strict=True)):
        span = (mention.sentence, mention.start, mention.end)
        yield (number, at, *span, head, actors.get(at, []), verbs.get(at))


def _links(number: int, held: Antecedents) -> tuple[Any, ...]:
    """The rows of `antecedents`: for every mention, its links in order, then "new"."""
    new = np.arange(len(held))
    mention = np.concatenate([held.sources(), new])
    antecedent = np.concatenate([held.antecedents, new])
    probability = np.concatenate([held.probabilities, held.new])
    kept = np.lexsort((antecedent, mention))
    kept = kept[probability[kept] > 0.0]
    return np.full(len(kept), number), mention[kept], antecedent[kept], probability[kept]


def _columns(names: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return dict(zip(names, columns, strict=True))
