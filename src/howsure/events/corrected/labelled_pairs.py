"""Labels of read documents beside all (document, actor) pairs of a store, and how the documents were drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.events.corrected.joined_strata import joined_strata
from howsure.events.corrected.pair_features import PairFeatures
from howsure.events.labels.settled import CHANCES, SettledLabels
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats

LEAST = 2  # documents with labels in each stratum: one says nothing of the spread there
LEAST_DOCUMENTS = 10


class TooFewLabelsError(InputError):
    """Too few documents have labels for a correction; the message says how many more, and where."""


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Per pair (N,): its label, NaN where nobody has read the document; its stratum, or its document's chance.

    Of strata and inclusion one is None. read: documents with labels of all actors. A document with an answer for some
    actors only has no labels here. joined: strata that were joined with others, since too few answers are usable.
    """

    labels: Floats
    strata: np.ndarray[Any, Any] | None
    inclusion: Floats | None
    read: int
    joined: tuple[str, ...] = ()


def labelled_pairs(pairs: PairFeatures, settled: SettledLabels) -> LabelledPairs:
    """The labels beside the pairs of the actors that were asked, in the order of `settled.actors`.

    Documents that are unclear, or on which coders disagree, have no label: within a stratum they count as missing at
    random; where documents were drawn with given chances, the chances are lowered by the share that is missing.

    A stratum that keeps fewer than 2 labels for this reason is joined with the one most like it (`joined_strata`).

    Raises TooFewLabelsError if a stratum has fewer than 2 documents with answers; InputError if labels or strata are of
    other documents than those of the store.
    """
    documents = pairs.documents
    usable = ~np.isnan(settled.labels).any(axis=1)
    place = np.searchsorted(documents, settled.documents)
    found = place < len(documents)
    found[found] = documents[place[found]] == settled.documents[found]
    if not found.all():
        unknown = int(settled.documents[~found][0])
        raise InputError(f"labels are of document {unknown}, which the store does not hold. Is it the same store?")
    rows = place[usable]
    labels = np.full((len(documents), len(settled.actors)), np.nan)
    labels[rows] = settled.labels[usable]
    per_document = len(settled.actors)
    if len(rows) < LEAST_DOCUMENTS:
        raise TooFewLabelsError(
            f"a correction needs labels of {LEAST_DOCUMENTS} documents at least; {len(rows)} have them. "
            f"{_remedy(settled, int(usable.sum()))}"
        )
    if settled.design == CHANCES:
        chances = np.full(len(documents), np.nan)
        chances[rows] = settled.inclusion[usable] * (len(rows) / settled.drawn)
        return LabelledPairs(labels.ravel(), None, np.repeat(chances, per_document), len(rows))
    strata = _strata(documents.tolist(), settled.strata)
    score = pairs.probability.reshape(len(documents), per_document).max(axis=1)
    day = pairs.date[::per_document].astype("datetime64[D]").astype(np.float64)
    strata, joined = joined_strata(strata, score, day, place, rows, least=LEAST)
    _check_strata(strata, rows, settled)
    return LabelledPairs(labels.ravel(), np.repeat(strata, per_document), None, len(rows), joined)


def _strata(documents: list[int], strata: Mapping[int, str]) -> np.ndarray[Any, Any]:
    lacking = next((one for one in documents if one not in strata), None)
    if lacking is not None:
        raise InputError(
            f"labels must come with the stratum of every stored document; document {lacking} has none. Was the store "
            "extended after documents were drawn? Draw again."
        )
    return np.array([strata[one] for one in documents])


def _check_strata(strata: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], settled: SettledLabels) -> None:
    size, read = Counter(strata.tolist()), Counter(strata[rows].tolist())
    short = {name: read[name] for name, n in size.items() if read[name] < min(LEAST, n)}
    if short:
        (name, n), lacking = sorted(short.items())[0], counted(len(short), "stratum has", "strata have")
        raise TooFewLabelsError(
            f"a correction needs the labels of {LEAST} documents in each of the "
            f"{counted(len(size), 'stratum', 'strata')} of the draw; {lacking} fewer, such as {name!r} with {n}. "
            f"{_remedy(settled, len(rows))}"
        )


def _remedy(settled: SettledLabels, usable: int) -> str:
    """What would help: read on, settle, or draw more."""
    unread = settled.drawn - len(settled.documents)
    if unread:
        return f"Read on: {counted(unread, 'drawn document has', 'drawn documents have')} no answer yet."
    lost = len(settled.documents) - usable
    if lost:
        return f"Settle or clear up {counted(lost, 'document')} without a label, or draw more."
    return "Draw more documents to read."
