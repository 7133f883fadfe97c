"""What a store knows of each document and actor: the model's probability, and cheap features that tell labels apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.events.rules.event_words import event_words
from howsure.events.store.reading import Columns, Store, chosen_actors, columns_of
from howsure.inputs.pairs import Floats, Integers

EARLY = 3  # sentences at the start of a document


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """N = documents × actors pairs, all actors of a document one after another.

    document, date (days, datetime64), actor (the position in `actors`) and probability (0 if the actor acts in no
    sample), of each pair (N,); features: columns (N,) by name, for `howsure.estimate_counts`, which adds the logit of
    the probability and whether it is above 0.
    """

    actors: tuple[str, ...]
    document: Integers
    date: np.ndarray[Any, Any]
    actor: Integers
    probability: Floats
    features: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.document)

    @property
    def documents(self) -> Integers:
        """The number of each document, in ascending order."""
        return self.document[:: len(self.actors)]

    @property
    def actor_codes(self) -> np.ndarray[Any, Any]:
        """The code of the actor of each pair."""
        return np.array(self.actors, dtype=object)[self.actor]


def pair_features(store: Store, actors: Sequence[str] | None = None) -> PairFeatures:
    """Every stored document with each of some actors (all that act, if None): probability, and features.

    Features: "mentions" log(1 + mentions of the actor), "share of mentions" the actor's share of the mentions of all
    actors, "named early" whether one of the first 3 sentences mentions the actor, "event words" log(1 + words of the
    rule in the document, whatever their role), and "mentions and event words" the product of the two logarithms. A rule
    that is a function has no words: the events that it found in the document are counted instead.

    >>> from howsure.events import example_store
    >>> with example_store() as store:
    ...     pairs = pair_features(store, ["NORLAND", "SUDORIA"])
    >>> len(pairs), list(pairs.features)
    (96, ['mentions', 'share of mentions', 'named early', 'event words', 'mentions and event words'])
    >>> round(float(pairs.probability[pairs.actor == 1].sum()), 2)
    12.06

    Raises InputError for an actor that the store does not know.
    """
    chosen = chosen_actors(store, actors)
    held = columns_of(store, "SELECT document, date FROM documents ORDER BY document")
    documents = np.asarray(held["document"], dtype=np.int64)
    shape = len(documents), len(chosen)
    known = (documents, list(chosen))
    probability = _placed(_events(store, chosen), "probability", known)
    mentioned = _mentions(store, chosen)
    mentions = np.log1p(_placed(mentioned, "n", known))
    words = np.repeat(np.log1p(_event_words(store, documents)), shape[1]).reshape(shape)
    named = _placed(_named(store), "n", (documents, [""]))
    early = _placed(mentioned, "early", known)
    share = np.expm1(mentions) / np.maximum(named, 1.0)
    columns = {
        "mentions": mentions,
        "share of mentions": share,
        "named early": early,
        "event words": words,
        "mentions and event words": mentions * words,
    }
    return PairFeatures(
        chosen,
        np.repeat(documents, shape[1]),
        np.repeat(np.asarray(held["date"]).astype("datetime64[D]"), shape[1]),
        np.tile(np.arange(shape[1]), shape[0]),
        np.clip(probability.ravel(), 0.0, 1.0),
        {name: values.ravel() for name, values in columns.items()},
    )


def _events(store: Store, actors: Sequence[str]) -> Columns:
    return columns_of(
        store,
        "SELECT document, list_position($actors, actor) - 1 AS actor, probability FROM events "
        "SEMI JOIN documents USING (document) WHERE list_contains($actors, actor)",
        actors=list(actors),
    )


def _mentions(store: Store, actors: Sequence[str]) -> Columns:
    """How many mentions each document has of each actor, and whether one is early."""
    return columns_of(
        store,
        "SELECT document, list_position($actors, actor) - 1 AS actor, count(*)::DOUBLE AS n, "
        "(min(sentence) < $early)::DOUBLE AS early FROM "
        "(SELECT document, sentence, unnest(actors) AS actor FROM mentions SEMI JOIN documents USING (document)) "
        "WHERE list_contains($actors, actor) GROUP BY ALL",
        actors=list(actors),
        early=EARLY,
    )


def _named(store: Store) -> Columns:
    """How many times mentions of each document name an actor, whichever it is."""
    return columns_of(
        store,
        "SELECT document, 0 AS actor, sum(len(actors))::DOUBLE AS n FROM mentions SEMI JOIN documents USING (document) "
        "GROUP BY document",
    )


def _event_words(store: Store, documents: Integers) -> Floats:
    """How many words of the rule each document has."""
    found = event_words(store)
    if found is None:
        found = columns_of(
            store,
            "SELECT document, count(DISTINCT (sentence, verb))::DOUBLE AS n FROM mentions "
            "SEMI JOIN documents USING (document) WHERE verb IS NOT NULL GROUP BY document",
        )
    return _placed(found | {"actor": np.zeros_like(found["document"])}, "n", (documents, [""])).ravel()


def _placed(found: Columns, column: str, known: tuple[Integers, list[str]]) -> Floats:
    """A column of rows (document, actor) as a table (documents, actors), 0 where there is no row."""
    documents, actors = known
    table = np.zeros((len(documents), len(actors)))
    rows = np.searchsorted(documents, np.asarray(found["document"], dtype=np.int64))
    table[rows, np.asarray(found["actor"], dtype=np.int64)] = np.asarray(found[column], dtype=np.float64)
    return table
