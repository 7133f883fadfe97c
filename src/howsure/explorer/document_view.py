"""A document to read: its text, who is one entity with whom in a sample, and what made an event true."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.events.series.behind_a_point import links_of
from howsure.events.store.documents import StoredDocument, StoredEvidence, stored_document
from howsure.events.store.origin import is_imported
from howsure.events.store.reading import Store, number_of_samples, title_of
from howsure.inputs.pairs import Integers

BEST = "best"
Sample = int | str | None


def document_view(store: Store, number: int, *, sample: Sample = None) -> dict[str, Any]:
    """A document as plain values, its mentions clustered as in one sample, or in the 1-best ("best", or None).

    `mentions[i]["entity"]` is the first mention of its entity, None in a document that holds no event in any case.
    `evidence` are a mention `named` as the actor and one that acts: `probability` is the share of the samples in which
    they make the event true, `pair` the exact probability that they are one entity, `present` whether they make it
    true in the clustering shown. `links` are what the event of each actor hinges on.

    Raises InputError for a document or a sample that the store does not hold.
    """
    chosen = _checked_sample(sample, number_of_samples(store))
    return view_of(store, stored_document(store, number), chosen)


def view_of(store: Store, document: StoredDocument, chosen: int | None) -> dict[str, Any]:
    """The view of a document that was read from a store, in one of its samples, or None for the 1-best."""
    entities = _entities(document, chosen)
    return {
        "document": document.document,
        "id": document.id,
        "date": document.date.isoformat(),
        "title": document.title,
        "sample": BEST if chosen is None else chosen,
        "samples": number_of_samples(store),
        "imported": is_imported(store.settings),
        "sentences": [{"words": words, "spaces": spaces} for words, spaces in document.sentences],
        "mentions": [
            {
                "sentence": one.sentence,
                "start": one.start,
                "stop": one.stop,
                "entity": None if entities is None else int(entities[place]),
                "actors": list(one.actors),
                "verb": one.verb,
            }
            for place, one in enumerate(document.mentions)
        ],
        "actors": [
            {
                "code": event.actor,
                "title": title_of(store, event.actor),
                "probability": event.probability,
                "present": event.best if chosen is None else bool(event.samples[chosen]),
            }
            for event in document.events
        ],
        "evidence": _evidence(document, entities),
        "links": links_of(document, [event.actor for event in document.events]),
    }


def _evidence(document: StoredDocument, entities: Integers | None) -> list[dict[str, Any]]:
    exact = document.pair_probability([(one.named, one.agent) for one in document.evidence])
    return [
        {
            "actor": one.actor,
            "named": one.named,
            "agent": one.agent,
            "named_text": document.text_of(one.named),
            "agent_text": document.text_of(one.agent),
            "probability": one.probability,
            "pair": pair,
            "present": entities is not None and _holds(document, entities, one),
        }
        for one, pair in zip(document.evidence, exact, strict=True)
    ]


def _holds(document: StoredDocument, entities: Integers, evidence: StoredEvidence) -> bool:
    """Whether the two are one entity, and no mention of it is described as another actor."""
    if entities[evidence.named] != entities[evidence.agent]:
        return False
    members = np.flatnonzero(entities == entities[evidence.agent]).tolist()
    return {actor for mention in members for actor in document.mentions[mention].actors} == {evidence.actor}


def _entities(document: StoredDocument, sample: int | None) -> Integers | None:
    if sample is None or document.clusterings is None:
        return document.best
    chosen: Integers = document.clusterings[sample]
    return chosen


def _checked_sample(sample: Sample, n_samples: int) -> int | None:
    if sample is None or sample == BEST:
        return None
    if isinstance(sample, str) or not 0 <= sample < n_samples:
        raise InputError(f"sample must be 'best' or a whole number from 0 to {n_samples - 1}; it is {sample!r}.")
    return sample
