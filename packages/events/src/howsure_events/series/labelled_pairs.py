"""Labels of documents for all (document, actor) pairs of a store, and the features of each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import Coded, check_codes
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure_events.labels.answers import CHANCES, SettledLabels
from howsure_events.labels.draw_documents import event_words, stratum_band
from howsure_events.store.store_queries import Columns, Store, chosen_actors, query_columns

EARLY = 3  # number of sentences that count as the start of a document


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """The N = documents × actors pairs of a store, ordered by document and then by actor.

    Arrays (N,): document (its number), date (datetime64 in days), actor (index in `actors`), probability (0 if the
    actor acts in no sample). features: columns (N,) by name for `howsure.estimate_counts`, which adds the logit of the
    probability and an indicator of whether it is above 0.
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
        return np.array(self.actors, dtype=object)[self.actor]


def pair_features(store: Store, actors: Sequence[str] | None = None) -> PairFeatures:
    """Return the probability and the features of every pair of a stored document and an actor.

    actors: None means all actors that act. The features are "mentions", log(1 + mentions of the actor); "share of
    mentions", the actor's proportion of the mentions of all actors; "named early", whether one of the first 3 sentences
    mentions the actor; "event words", log(1 + words of the rule in the document); and "mentions and event words", the
    product of the two logarithms. A rule that is a Python function has no words; the events that it finds in the
    document are counted instead.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     pairs = pair_features(store, ["NORLAND", "SUDORIA"])
    >>> len(pairs), list(pairs.features)
    (96, ['mentions', 'share of mentions', 'named early', 'event words', 'mentions and event words'])
    >>> round(float(pairs.probability[pairs.actor == 1].sum()), 2)
    12.06
    """
    chosen = chosen_actors(store, actors)
    dates_of_documents = query_columns(store, "SELECT document, date FROM documents ORDER BY document")
    documents = np.asarray(dates_of_documents["document"], dtype=np.int64)
    shape = len(documents), len(chosen)
    axes = (documents, list(chosen))
    probability = _pair_table(_events(store, chosen), "probability", axes)
    mentioned = query_columns(
        store,
        "SELECT document, list_position($actors, actor) - 1 AS actor, count(*)::DOUBLE AS n, (min(sentence) < "
        "$early)::DOUBLE AS early FROM (SELECT document, sentence, unnest(actors) AS actor FROM mentions SEMI JOIN "
        "documents USING (document)) WHERE list_contains($actors, actor) GROUP BY ALL",
        actors=list(chosen),
        early=EARLY,
    )
    mentions = np.log1p(_pair_table(mentioned, "n", axes))
    words = np.repeat(np.log1p(_event_words(store, documents)), shape[1]).reshape(shape)
    named = _pair_table(_name_counts(store), "n", (documents, [""]))
    early = _pair_table(mentioned, "early", axes)
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
        np.repeat(np.asarray(dates_of_documents["date"]).astype("datetime64[D]"), shape[1]),
        np.tile(np.arange(shape[1]), shape[0]),
        np.clip(probability.ravel(), 0.0, 1.0),
        {name: values.ravel() for name, values in columns.items()},
    )


def _events(store: Store, actors: Sequence[str]) -> Columns:
    return query_columns(
        store,
        "SELECT document, list_position($actors, actor) - 1 AS actor, probability FROM events "
        "SEMI JOIN documents USING (document) WHERE list_contains($actors, actor)",
        actors=list(actors),
    )


def _name_counts(store: Store) -> Columns:
    """Return the number of mentions of actors in each document, over all actors."""
    return query_columns(
        store,
        "SELECT document, 0 AS actor, sum(len(actors))::DOUBLE AS n FROM mentions SEMI JOIN documents USING (document) "
        "GROUP BY document",
    )


def _event_words(store: Store, documents: Integers) -> Floats:
    """Return the number of words of the rule in each document."""
    words = event_words(store)
    if words is None:
        words = query_columns(
            store,
            "SELECT document, count(DISTINCT (sentence, verb))::DOUBLE AS n FROM mentions "
            "SEMI JOIN documents USING (document) WHERE verb IS NOT NULL GROUP BY document",
        )
    return _pair_table(words | {"actor": np.zeros_like(words["document"])}, "n", (documents, [""])).ravel()


def _pair_table(columns: Columns, column: str, axes: tuple[Integers, list[str]]) -> Floats:
    """Arrange a column of (document, actor) rows as a table (documents, actors), with 0 for missing rows."""
    documents, actors = axes
    table = np.zeros((len(documents), len(actors)))
    rows = np.searchsorted(documents, np.asarray(columns["document"], dtype=np.int64))
    table[rows, np.asarray(columns["actor"], dtype=np.int64)] = np.asarray(columns[column], dtype=np.float64)
    return table


MAX_JOINED_SHARE = 0.1  # maximum proportion of the documents that are in strata to be joined


def joined_strata(
    strata: np.ndarray[Any, Any],
    score: Floats,
    day: Floats,
    answered: Integers,
    usable: Integers,
    *,
    least: int,
    most: float = MAX_JOINED_SHARE,
) -> tuple[np.ndarray[Any, Any], tuple[str, ...]]:
    """Join strata with too few usable answers to similar strata (collapsed strata: Cochran 1977, section 5A.12).

    A stratum is too small if at least `least` of its documents (or all) have answers, but fewer have usable ones. It is
    joined to the stratum of the same band that is nearest in time or, without one, to the stratum with the nearest mean
    score. If more than the proportion `most` of all documents is in such strata, none is joined.

    strata, score, day: values (N,) of all documents. answered, usable: indices of the documents with answers, and with
    usable answers. Returns the strata (N,) after joining, and the names of the strata that were too small.

    >>> import numpy as np
    >>> strata = np.array(["found, 2001", "found, 2001", "found, 2002", "found, 2002", "silent, 2001"])
    >>> read = np.arange(5)
    >>> held, joined = joined_strata(strata, np.zeros(5), np.arange(5.0), read, read[1:], least=2, most=0.5)
    >>> print(joined, held[0])
    ('found, 2001',) found, 2002
    """
    names, codes = np.unique(strata, return_inverse=True)
    bands = [stratum_band(str(name)) for name in names]
    needed = np.minimum(np.bincount(codes), least)
    was_read = np.bincount(codes[answered], minlength=len(names)) >= needed
    is_short = was_read & (np.bincount(codes[usable], minlength=len(names)) < needed)
    if is_short[codes].mean() > most:
        return strata, ()
    joined: list[str] = []
    for code in np.flatnonzero(is_short).tolist():
        documents = codes == code
        if documents[usable].sum() >= min(int(documents.sum()), least):
            continue
        others = [candidate for candidate in np.unique(codes).tolist() if candidate != code]
        if not others:
            break
        same_band = [candidate for candidate in others if bands[candidate] == bands[code]]
        target = min(
            same_band or others,
            key=lambda candidate: _distance(codes, score, day, documents, candidate, in_time=bool(same_band)),
        )
        codes = np.where(documents, target, codes)
        joined.append(str(names[code]))
    return names[codes], tuple(joined)


def _distance(
    codes: Integers, score: Floats, day: Floats, here: np.ndarray[Any, Any], other: int, *, in_time: bool
) -> tuple[float, float, int]:
    there = codes == other
    apart = [abs(float(values[here].mean() - values[there].mean())) for values in (score, day)]
    return (apart[1], apart[0], other) if in_time else (apart[0], apart[1], other)


MIN_STRATUM_LABELS = 2  # labelled documents in each stratum, because one does not show how much labels vary
MIN_DOCUMENTS = 10


class TooFewLabelsError(InputError):
    """Error if too few documents have labels for a correction; the message says how many are needed, and where."""


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """The labels of N pairs (document, actor), and the sampling design of their documents.

    labels (N,): NaN if the document has no answer, or lacks a usable answer for some actor. strata, inclusion (N,): the
    stratum or the inclusion probability of the pair's document; one of the two is None. labelled_documents: number
    of documents with labels. joined: names of strata that were joined to others because too few of their answers are
    usable.
    """

    labels: Floats
    strata: Coded | None
    inclusion: Floats | None
    labelled_documents: int
    joined: tuple[str, ...] = ()


def labelled_pairs(pairs: PairFeatures, settled: SettledLabels) -> LabelledPairs:
    """Return the labels of the pairs (document, actor). The actors must be those of `settled`, in the same order.

    A document has no label if it is unclear, or if coders disagree on it. Such documents count as missing at random
    within their stratum, or reduce all inclusion probabilities by the proportion that is missing. A stratum that is
    left with fewer than 2 labels for this reason is joined to the most similar stratum (`joined_strata`).
    """
    documents = pairs.documents
    usable = ~np.isnan(settled.labels).any(axis=1)
    place = np.searchsorted(documents, settled.documents)
    is_stored = place < len(documents)
    is_stored[is_stored] = documents[place[is_stored]] == settled.documents[is_stored]
    if not is_stored.all():
        unknown = int(settled.documents[~is_stored][0])
        raise InputError(f"document {unknown} has a label but is not in the store. Is it the same store?")
    rows = place[usable]
    labels = np.full((len(documents), len(settled.actors)), np.nan)
    labels[rows] = settled.labels[usable]
    per_document = len(settled.actors)
    if len(rows) < MIN_DOCUMENTS:
        raise TooFewLabelsError(
            f"a correction needs labels of at least {MIN_DOCUMENTS} documents; {len(rows)} have them. "
            f"{_remedy(settled, int(usable.sum()))}"
        )
    if settled.design == CHANCES:
        chances = np.full(len(documents), np.nan)
        chances[rows] = settled.inclusion[usable] * (len(rows) / settled.drawn)
        return LabelledPairs(labels.ravel(), None, np.repeat(chances, per_document), len(rows))
    strata = _strata(documents.tolist(), settled.strata)
    score = pairs.probability.reshape(len(documents), per_document).max(axis=1)
    day = pairs.date[::per_document].astype("datetime64[D]").astype(np.float64)
    strata, joined = joined_strata(strata, score, day, place, rows, least=MIN_STRATUM_LABELS)
    _check_strata(strata, rows, settled)
    names, codes = np.unique(strata, return_inverse=True)
    of_pairs = coded_rows(names.tolist(), np.repeat(codes, per_document))
    return LabelledPairs(labels.ravel(), of_pairs, None, len(rows), joined)


def _strata(documents: list[int], strata: Mapping[int, str]) -> np.ndarray[Any, Any]:
    lacking = next((document for document in documents if document not in strata), None)
    if lacking is not None:
        raise InputError(
            f"labels must come with the stratum of every stored document; document {lacking} has none. Was the store "
            "extended after documents were drawn? Draw again."
        )
    return np.array([strata[document] for document in documents])


def _check_strata(strata: np.ndarray[Any, Any], rows: np.ndarray[Any, Any], settled: SettledLabels) -> None:
    size, drawn = Counter(strata.tolist()), Counter(strata[rows].tolist())
    short = {name: drawn[name] for name, n in size.items() if drawn[name] < min(MIN_STRATUM_LABELS, n)}
    if short:
        (name, n), lacking = sorted(short.items())[0], counted(len(short), "stratum has", "strata have")
        raise TooFewLabelsError(
            f"a correction needs the labels of {MIN_STRATUM_LABELS} documents in each of the "
            f"{counted(len(size), 'stratum', 'strata')} of the draw; {lacking} fewer, such as {name!r} with {n}. "
            f"{_remedy(settled, len(rows))}"
        )


def _remedy(settled: SettledLabels, usable: int) -> str:
    """Return what to do about too few labels: label further documents, settle some, or draw more."""
    unread = settled.drawn - len(settled.documents)
    if unread:
        return f"Label more: {counted(unread, 'drawn document has', 'drawn documents have')} no answer yet."
    lost = len(settled.documents) - usable
    if lost:
        return f"Settle or answer {counted(lost, 'document')} without a label, or draw more."
    return "Draw and label more documents."


def coded_rows(values: Sequence[str], value_of_row: Integers) -> Coded:
    """Return the column whose row i is `values[value_of_row[i]]`, as codes; only the distinct values are converted.

    >>> coded_rows(["b", "a"], np.array([0, 1, 0]))
    Coded(codes=array([1, 0, 1]), names=('a', 'b'))
    """
    codes, names = check_codes(values, n=len(values), name="values")
    return Coded(codes[value_of_row], names)
