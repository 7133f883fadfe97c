"""Further features of (document, actor) pairs: scores that a user brings, and scores learned from the read texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.counts.learned_score import learned_score
from howsure.counts.model.logits import clipped_logit
from howsure.errors import InputError
from howsure.events.corrected.pair_features import PairFeatures
from howsure.events.store.reading import Store, rows_of
from howsure.inputs.pairs import Floats

ScoreKey = str | tuple[str, str]  # the id of a document, or with it the code of an actor
Scores = Mapping[str, Mapping[str, float] | Mapping[ScoreKey, float]]  # by name, a number for each
SEED = 0
LEARNED = "learned from the texts"


def score_features(store: Store, pairs: PairFeatures, scores: Scores | None) -> dict[str, Floats]:
    """A column (N,) for each score: of documents, the same for all actors of a document, or of pairs.

    Raises InputError for a document (or pair) without a score, a score of no document of the store, or a score with the
    name of another feature.
    """
    if not scores:
        return {}
    ids = [name for (name,) in rows_of(store, "SELECT id FROM documents ORDER BY document")]
    taken = [*pairs.features, LEARNED]
    for name in scores:
        if name in taken:
            raise InputError(f"a score must not be called {name!r}, as a feature of the store is; rename it.")
    return {name: _column(name, held, ids, pairs.actors) for name, held in scores.items()}


def learned_features(store: Store, pairs: PairFeatures, labels: Floats) -> dict[str, Floats]:
    """The logit of a score learned from the texts of the read documents, for each actor a regression of its own.

    labels (N,) of the pairs, NaN where there is none. A read document is scored by a fit that has not seen its label.

    Raises InputError for a store without texts; MissingExtraError without scikit-learn.
    """
    texts = document_texts(store)
    if not any(texts):
        raise InputError("learn needs the texts of the documents, and this store has none: events were imported alone.")
    by_actor = labels.reshape(-1, len(pairs.actors))
    logits = [clipped_logit(learned_score(texts, column, rng=SEED)) for column in by_actor.T]
    return {LEARNED: np.column_stack(logits).ravel()}


def document_texts(store: Store) -> list[str]:
    """The words of each stored document, by its number."""
    found = rows_of(
        store,
        "SELECT d.document, string_agg(array_to_string(s.words, ' '), ' ' ORDER BY s.sentence) FROM documents d "
        "LEFT JOIN sentences s USING (document) GROUP BY d.document ORDER BY d.document",
    )
    return [text or "" for _, text in found]


def _column(name: str, held: Mapping[Any, float], ids: list[str], actors: tuple[str, ...]) -> Floats:
    of_pairs = any(isinstance(key, tuple) for key in held)
    wanted: list[Any] = [(one, actor) for one in ids for actor in actors] if of_pairs else ids
    lacking = next((one for one in wanted if one not in held), None)
    if lacking is not None:
        every = "every document of the store" + (" and actor that readers were asked about" if of_pairs else "")
        raise InputError(f"scores[{name!r}] must have a number for {every}; {lacking!r} has none.")
    unknown = next(iter({key[0] if of_pairs else key for key in held} - set(ids)), None)
    if unknown is not None:
        raise InputError(f"scores[{name!r}] has a number for {unknown!r}, which is no document of the store.")
    try:
        column = np.array([float(held[one]) for one in wanted])
    except (TypeError, ValueError):
        raise InputError(f"scores[{name!r}] must hold numbers only.") from None
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise InputError(
            f"scores[{name!r}] must hold finite numbers; document {wanted[int(bad[0])]!r} has {column[bad[0]]!r}."
        )
    return column if of_pairs else np.repeat(column, len(actors))
