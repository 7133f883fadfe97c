"""Settled labels: one label per read document and asked actor, from the answers of all coders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.events.labels.answers import Answer, answers_of, settlements_of
from howsure.events.labels.labelling import labelling_of
from howsure.events.store.reading import Store, rows_of
from howsure.inputs.pairs import Floats, Integers

CHANCES = "chances"  # the design whose documents were drawn with given chances instead of strata


@dataclass(frozen=True, slots=True)
class SettledLabels:
    """One label per read document and asked actor.

    documents (n,): numbers of the documents with an answer, ascending. labels (n, actors): 1.0 if the actor acts there,
    0.0 if not, NaN where the text is unclear or the coders disagree and nobody settled it. strata: the stratum of every
    stored document; empty by design "chances", where only `inclusion` (n,), the chance that a document had to be drawn,
    says how. drawn: how many documents were drawn; those without an answer are not read yet. unclear, unsettled: how
    many of `documents` are so, for any actor.
    """

    question: str
    actors: tuple[str, ...]
    design: str
    documents: Integers
    labels: Floats
    strata: Mapping[int, str]
    inclusion: Floats
    coders: tuple[str, ...]
    drawn: int
    unclear: int
    unsettled: int


def settled_labels(store: Store) -> SettledLabels | None:
    """The settled labels of a store; None if no document was drawn for labelling.

    What was settled by `settle` counts; otherwise the coders' answers, for each actor if all who read the document say
    the same of it.
    """
    asked = labelling_of(store)
    if asked is None:
        return None
    settled = {one.document: one for one in settlements_of(store)}
    by_document: dict[int, list[Answer]] = defaultdict(list)
    for one in answers_of(store):
        by_document[one.document].append(one)
    documents = sorted({*by_document, *settled})
    held = [[settled[one]] if one in settled else by_document[one] for one in documents]
    labels = np.array([labels_by(asked.actors, answers) for answers in held]).reshape(len(held), len(asked.actors))
    chances = dict(rows_of(store, "SELECT document, inclusion FROM label_sample"))
    coders = sorted({one.coder for answers in by_document.values() for one in answers})
    return SettledLabels(
        question=asked.question,
        actors=asked.actors,
        design=asked.design,
        documents=np.array(documents, dtype=np.int64),
        labels=labels,
        strata=dict(rows_of(store, "SELECT document, stratum FROM label_strata ORDER BY document")),
        inclusion=np.array([chances[one] for one in documents], dtype=np.float64),
        coders=tuple(coders),
        drawn=len(chances),
        unclear=sum(all(one.unclear for one in answers) for answers in held),
        unsettled=sum(differ(answers) for answers in held),
    )


def labels_by(actors: Sequence[str], answers: Sequence[Answer]) -> list[float]:
    """The label of each actor in a document: NaN if an answer is unclear, or if the answers differ."""
    if any(one.unclear for one in answers):
        return [np.nan] * len(actors)
    said = [{actor in one.acting for one in answers} for actor in actors]
    return [float(one.pop()) if len(one) == 1 else np.nan for one in said]


def differ(answers: Sequence[Answer]) -> bool:
    """Whether coders said different things of a document."""
    return len({(frozenset(one.acting), one.unclear) for one in answers}) > 1
