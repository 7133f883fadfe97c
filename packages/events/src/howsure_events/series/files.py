"""The documents behind a point of a series, doubtful documents, and corrected counts of a store."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_integer
from howsure_events.labels.answers import Answer, current_answers, current_settlements, find_labelling, labels_by
from howsure_events.series.actor_comparison import ActorComparison
from howsure_events.series.corrected_comparison import corrected_comparison
from howsure_events.series.corrected_series import (
    CORRECTED_UNITS,
    CorrectedSeries,
    corrected_series,
    why_only_raw_counts,
)
from howsure_events.series.event_series import EventSeries
from howsure_events.series.extra_features import Scores
from howsure_events.series.labelled_pairs import TooFewLabelsError
from howsure_events.store.documents import StoredDocument, stored_documents
from howsure_events.store.store_queries import (
    Store,
    acting_actors,
    actor_title,
    chosen_actors,
    period_bounds,
    query_rows,
    remembered_answer,
)

LOW, HIGH = 0.2, 0.8  # probabilities in this range are doubtful
OPENING = 200  # characters of a document's first words; the page shows fewer


def period_documents(store: Store, actor: str, *, at: str) -> list[dict[str, Any]]:
    """Return the documents behind an actor's count in a period, such as "1999-Q1".

    These are the documents in which the actor may act according to the rule, and the labelled documents, by decreasing
    probability. doubtful: whether the probability is between 0.2 and 0.8. answers: for each coder, `acts` (None if
    unclear), and `settles`, whether the answer settles different answers of others. label: whether the actor acts
    according to the answers; None if they are unclear or differ. missed: whether the actor acts according to the
    answers, but the rule does not find the event.
    """
    (actor,) = chosen_actors(store, [actor])
    answers = remembered_answer(store, ("answers about", actor), partial(actor_answers, store, actor))
    return actor_documents(store, actor, period_bounds(store, at), answers)


@dataclass(frozen=True, slots=True)
class AnswersAbout:
    """The coders' answers about an actor, and the label that results from them, by document."""

    answers: Mapping[int, list[dict[str, Any]]]
    labels: Mapping[int, bool | None]


def actor_answers(store: Store, actor: str) -> AnswersAbout:
    """Return all answers about an actor; none if coders were not asked about this actor."""
    labelling = find_labelling(store)
    if labelling is None or actor not in labelling.actors:
        return AnswersAbout({}, {})
    answers_by_document: dict[int, list[Answer]] = {}
    for answer in current_answers(store):
        answers_by_document.setdefault(answer.document, []).append(answer)
    settled = {settlement.document: settlement for settlement in current_settlements(store)}
    answers, labels = {}, {}
    for document in sorted({*answers_by_document, *settled}):
        entries = [(answer, False) for answer in answers_by_document.get(document, [])]
        entries += [(settled[document], True)] if document in settled else []
        answers[document] = [
            {"coder": answer.coder, "acts": None if answer.unclear else actor in answer.acting, "settles": settles}
            for answer, settles in entries
        ]
        (label,) = labels_by([actor], [settled[document]] if document in settled else answers_by_document[document])
        labels[document] = None if math.isnan(label) else bool(label)
    return AnswersAbout(answers, labels)


def actor_documents(
    store: Store, actor: str, days: tuple[datetime.date, datetime.date], answers_about: AnswersAbout
) -> list[dict[str, Any]]:
    """Return the documents between two days in which an actor may act or that have answers; see `period_documents`."""
    rows = query_rows(
        store,
        "SELECT document, d.id, d.date, d.title, e.probability, e.best FROM documents d LEFT JOIN (SELECT document, "
        "actor, probability, best FROM events WHERE actor = $actor) e USING (document) WHERE d.date BETWEEN $first AND "
        "$last AND (e.actor IS NOT NULL OR list_contains($read, document)) ORDER BY coalesce(e.probability, 0) DESC, "
        "d.date, document",
        actor=actor,
        first=days[0],
        last=days[1],
        read=list(answers_about.answers),
    )
    first_words = openings(store, [row[0] for row in rows if not row[3]])
    return [
        {
            **_document_entry(document, name, date, title, first_words),
            "probability": p or 0.0,
            "best": bool(best),
            "doubtful": LOW <= (p or 0.0) <= HIGH,
            "answers": answers_about.answers.get(document, []),
            "label": answers_about.labels.get(document),
            "missed": p is None and answers_about.labels.get(document) is True,
        }
        for document, name, date, title, p, best in rows
    ]


def doubtful_documents(
    store: Store, *, low: float = LOW, high: float = HIGH, actor: str | None = None, limit: int = 50
) -> list[dict[str, Any]]:
    """Return documents and actors whose event has a probability in [low, high], closest to 1/2 first, and the reasons.

    links: the pairs of mentions that the event depends on (`howsure_events.store.documents.deciding_links`), with their
    words and their exact probability of being one entity, P(i ~ j). actor: only this actor. limit: maximum number.

    Raises InputError unless 0 ≤ low ≤ high ≤ 1, or for an actor that is not in the store.
    Source: Nguyen & O'Connor (2015), section 6.3.
    """
    if not 0.0 <= low <= high <= 1.0:
        raise InputError(f"low and high must satisfy 0 ≤ low ≤ high ≤ 1; they are {low} and {high}.")
    actors = list(acting_actors(store)) if actor is None else list(chosen_actors(store, [actor]))
    rows = query_rows(
        store,
        "SELECT document, d.id, d.date, d.title, e.actor, e.probability, e.best FROM events e JOIN documents d USING "
        "(document) WHERE e.probability BETWEEN $low AND $high AND list_contains($actors, e.actor) ORDER BY "
        "abs(e.probability - 0.5), document, e.actor LIMIT $limit",
        low=low,
        high=high,
        actors=actors,
        limit=check_integer(limit, name="limit"),
    )
    stored = stored_documents(store, {row[0] for row in rows})
    first_words = openings(store, [row[0] for row in rows if not row[3]])
    return [
        {
            **_document_entry(document, name, date, title, first_words),
            "actor": code,
            "actor_title": actor_title(store, code),
            "probability": p,
            "best": best,
            "links": deciding_link_rows(stored[document], [code]),
        }
        for document, name, date, title, code, p, best in rows
    ]


def deciding_link_rows(document: StoredDocument, actors: Iterable[str]) -> list[dict[str, Any]]:
    """Return the links that the events of actors depend on, with the words and the exact probability of each link."""
    deciding = [(actor, link) for actor in actors for link in document.links_deciding(actor)]
    exact = document.pair_probability([(link.first, link.second) for _, link in deciding])
    return [
        {
            "actor": actor,
            "mention": link.second,
            "with": link.first,
            "mention_text": document.text_of(link.second),
            "with_text": document.text_of(link.first),
            "probability": probability,
            "with_event": link.with_event,
            "without_event": link.without_event,
            "share": link.share,
        }
        for (actor, link), probability in zip(deciding, exact, strict=True)
    ]


def openings(store: Store, numbers: Sequence[int]) -> dict[int, str]:
    """Return the first words of documents, which are shown instead of a missing title; none if there is no text."""
    rows = query_rows(
        store,
        "SELECT document, words, spaces FROM sentences WHERE document IN (SELECT unnest($numbers)) AND sentence < 3 "
        "ORDER BY document, sentence",
        numbers=list(dict.fromkeys(numbers)),
    )
    texts: dict[int, str] = {}
    for document, words, spaces in rows:
        sentence = "".join(f"{word} " if space else word for word, space in zip(words, spaces, strict=True)).strip()
        texts[document] = f"{texts.get(document, '')} {sentence}".strip()
    return {document: text if len(text) <= OPENING else f"{text[:OPENING]}…" for document, text in texts.items()}


def _document_entry(
    document: int, name: str, date: Any, title: str | None, first_words: Mapping[int, str]
) -> dict[str, Any]:
    opening = first_words.get(document)
    named = {"document": document, "id": name, "date": date.isoformat(), "title": title}
    return named | ({} if opening is None else {"opening": opening})


def series_with_corrections(
    store: Store, series: EventSeries, *, learn: bool = False, scores: Scores | None = None
) -> EventSeries:
    """Return a series with its corrected counts, or with the reason why there are none.

    The corrected series has the same actors, periods, unit and level. For a store without labels, no reason is given.
    """
    corrected = _corrected(store, series, series.actors, learn, scores)
    return replace(series, not_corrected=corrected) if isinstance(corrected, str) else series.with_corrected(corrected)


def comparison_with_corrections(
    store: Store, compared: ActorComparison, *, learn: bool = False, scores: Scores | None = None
) -> ActorComparison:
    """Return a comparison of raw counts, with a comparison of the corrected counts or the reason why it is missing."""
    pair = (compared.first, compared.second)
    corrected = _corrected(store, compared, pair, learn, scores)
    if isinstance(corrected, CorrectedSeries) and corrected.not_asked:
        corrected = why_only_raw_counts(corrected.not_asked)
    if isinstance(corrected, str):
        return replace(compared, not_corrected=corrected)
    return compared.with_corrected(corrected_comparison(corrected, *pair))


def _corrected(
    store: Store, raw: EventSeries | ActorComparison, actors: tuple[str, ...], learn: bool, scores: Scores | None
) -> CorrectedSeries | str:
    options: dict[str, Any] = {name: raw.recipe.get(name) for name in ("period", "unit", "level", "since", "until")}
    corrected = corrected_or_why(store, actors=actors, learn=learn, scores=scores, **options)
    return corrected if isinstance(corrected, str) or corrected.rows else " ".join(corrected.label_notes)


def corrected_or_why(store: Store, *, unit: str, **options: Any) -> CorrectedSeries | str:
    """Return the corrected series of a store, or the reason why there is none: "" if it has no labels."""
    if find_labelling(store) is None:
        return ""
    if unit not in CORRECTED_UNITS:
        return f"No corrected counts of {unit}: coders answered only which actors act in a document."
    try:
        corrected = corrected_series(store, unit=unit, **options)
    except TooFewLabelsError as error:
        return f"No corrected counts yet: {error}"
    return "" if corrected is None else corrected
