"""Random draws of documents for labelling; every stored document can be drawn, whether or not it has an event."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.label_sample import (
    MIN_LABELS_PER_STRATUM,
    MIN_MEAN_LABELS,
    allocation,
    further_allocation,
    planned_spread,
    score_bands,
    spread_so_far,
)
from howsure.counts.planning import MIN_LABELS
from howsure.errors import InputError, parameter
from howsure.inputs.numbers_and_names import check_integer, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.periods import find_period
from howsure.result import Result
from howsure.show.table import COUNT, WORDS, Column
from howsure_events.corpus import NO_ACTOR
from howsure_events.labels.answers import Labelling, SettledLabels, find_labelling, settled_labels
from howsure_events.languages import ENGLISH, text_in
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import (
    Columns,
    Store,
    acting_actors,
    chosen_actors,
    is_topic,
    query_columns,
    query_rows,
)

FIELDS = ("forms", "verbs", "nouns")  # of a rule: its words


def event_words(store: Store) -> Columns | None:
    """Count the words of a store's rule in its documents, whether or not the rule finds an event there.

    Returns the columns `document` and `n`, without documents that have none of these words; None if the rule has no
    words. Words match as word forms or lemmas; if the parser gave no lemmas, word forms are used instead of them.
    """
    rule = store.settings.get("rule") or {}
    words_by_field = {name: [str(word).lower() for word in rule.get(name) or ()] for name in FIELDS}
    if not any(words_by_field.values()):
        return None
    return query_columns(
        store,
        "SELECT document, count(*)::DOUBLE AS n FROM (SELECT document, unnest(words) AS word, "
        "unnest(coalesce(lemmas, words)) AS lemma FROM sentences SEMI JOIN documents USING (document)) "
        "WHERE list_contains($forms, lower(word)) OR list_contains($lemmas, lower(lemma)) GROUP BY document",
        forms=[*words_by_field["forms"], *words_by_field["nouns"]],
        lemmas=[*words_by_field["verbs"], *words_by_field["nouns"]],
    )


# Strata of a store's documents: bands of the highest probability of an event, divided by period.

HIGH, LOW, WORD, SILENT = "found, p ≥ 0.5", "found, p < 0.5", "event word only", "no event word"
NOT_FOUND = "not found"  # where the rule has no words
LENGTHS = ("week", "month", "quarter", "year", "none")  # of periods, from short to long
Scores = Mapping[tuple[int, str], float]  # by document and actor
DATED = """
    SELECT d.document, d.date, coalesce(e.p, 0) FROM documents d
    LEFT JOIN (SELECT document, max(probability) AS p FROM events WHERE actor IN (SELECT unnest($actors))
               GROUP BY document) e USING (document)
    ORDER BY d.document"""


PERIOD = re.compile(r", \d{4}(-\w+)?$")  # at the end of the name of a stratum


def stratum_band(stratum: str) -> str:
    """Return the band of a stratum: its name without the period.

    >>> stratum_band("found, p < 0.5, 2001-Q1")
    'found, p < 0.5'
    """
    return PERIOD.sub("", stratum)


@dataclass(frozen=True, slots=True)
class Strata:
    """The strata of the N documents of a store.

    documents (N,): their numbers. score (N,): the highest score of the actors asked about. codes (N,): the index in
    `names` of each document's stratum. period: length of the periods that divide the bands of scores into strata;
    "none" if the bands themselves are the strata.
    """

    documents: Integers
    score: Floats
    codes: Integers
    names: tuple[str, ...]
    period: str

    @property
    def sizes(self) -> Integers:
        """The number of documents in each stratum."""
        return np.bincount(self.codes, minlength=len(self.names))


def build_strata(store: Store, actors: Sequence[str], *, period: str, n: int, scores: Scores | None = None) -> Strata:
    """Divide the documents of a store into strata by band and period.

    The periods have the requested length, or a longer one with which n documents give at least 5 per stratum on
    average. There are four bands: some requested actor acts with probability of at least 1/2; with a smaller
    probability above 0; none acts, but a word of the rule occurs; no word of the rule occurs. With `scores` of another
    model, the bands are ranges of these scores instead.
    """
    rows = query_rows(store, DATED, actors=list(actors))
    if not rows:
        raise InputError(f"{store.path} has no documents to label.")
    numbers, dates, raw_scores = zip(*rows, strict=True)
    documents, score = np.array(numbers, dtype=np.int64), np.array(raw_scores, dtype=np.float64)
    if scores is None:
        bands = _bands(score, documents, documents_with_words(store))
    else:
        score = np.array([max(scores.get((number, actor), 0.0) for actor in actors) for number in numbers])
        codes, names = score_bands(score)
        bands = [names[code] for code in codes]
    for length in LENGTHS[LENGTHS.index(period) :]:
        labels = (
            bands
            if length == "none"
            else [f"{band}, {find_period(day, period=length)}" for band, day in zip(bands, dates, strict=True)]
        )
        known_labels = sorted(set(labels))
        if len(known_labels) * MIN_MEAN_LABELS <= n or length == "none":
            break
    place = {name: code for code, name in enumerate(known_labels)}
    return Strata(
        documents, score, np.array([place[label] for label in labels], dtype=np.int64), tuple(known_labels), length
    )


def documents_with_words(store: Store) -> set[int] | None:
    """Return the documents in which a word of the store's rule occurs; None if the rule has no words."""
    words = event_words(store)
    return None if words is None else set(words["document"].tolist())


def _bands(score: Floats, documents: Integers, with_words: set[int] | None) -> list[str]:
    if with_words is None:
        named = [NOT_FOUND] * len(documents)
    else:
        named = [WORD if document in with_words else SILENT for document in documents.tolist()]
    return [HIGH if p >= 0.5 else LOW if p > 0 else rest for p, rest in zip(score.tolist(), named, strict=True)]


def label_spread(settled_labels: SettledLabels, strata: Sequence[str]) -> Floats | None:
    """Estimate the standard deviation of the first actor's labels in each of the named strata: √(p̄ (1 - p̄)).

    Strata of the same band share one estimate, which pools their periods: p̄ = (positive labels + 1/2) / (labels + 1).
    Returns None if fewer than 20 documents have a label for the first actor.
    """
    clear = np.isfinite(settled_labels.labels[:, 0])
    if clear.sum() < MIN_LABELS:
        return None
    bands = [stratum_band(name) for name in strata]
    place = {band: code for code, band in enumerate(dict.fromkeys(bands))}
    codes = np.array(
        [place[stratum_band(settled_labels.strata[document])] for document in settled_labels.documents[clear].tolist()],
        dtype=np.int16,
    )
    return spread_so_far(settled_labels.labels[clear, 0], codes, len(place))[[place[band] for band in bands]]


def further_documents(
    strata: Strata, before: Integers, n: int, rng: np.random.Generator, *, spread: Floats | None = None
) -> Integers:
    """Draw n further documents, and return their positions in `strata` in reading order.

    before: positions of the documents drawn earlier. spread: the standard deviation of the labels in each stratum; if
    None, the standard deviation expected from the scores (`planned_spread`) is used.
    """
    size = strata.sizes
    had = np.bincount(strata.codes[before], minlength=len(size))
    least = int(np.minimum(size, MIN_LABELS_PER_STRATUM).sum())
    if n + had.sum() < least:
        raise InputError(
            f"a draw of {counted(n, 'document')} is too small: {counted(len(size), 'stratum', 'strata')} need 2 each, "
            f"{least} in all; set `n=...` to at least that."
        )
    if spread is None:
        spread = planned_spread(strata.score, strata.codes, len(size))
    target = allocation(size, spread, n + int(had.sum()))
    further = further_allocation(target, had, size, n)
    is_drawn = np.zeros(len(strata.codes), dtype=np.bool_)
    is_drawn[before] = True
    drawn = [
        rng.permutation(np.flatnonzero((strata.codes == code) & ~is_drawn))[:number]
        for code, number in enumerate(further.tolist())
    ]
    return _in_order(drawn, had, rng)


def _in_order(drawn: Sequence[Integers], had: Integers, rng: np.random.Generator) -> Integers:
    """Return the drawn positions in reading order: first 2 documents per stratum, then documents of all strata evenly
    mixed.

    To mix them, document k of the n_h documents drawn in stratum h gets the sort key (k + u) / n_h, u ~ Uniform(0, 1).
    """
    places: list[int] = []
    keys: list[Floats] = []
    for of_stratum, n_before in zip(drawn, had.tolist(), strict=True):
        n = len(of_stratum)
        even = (np.arange(n) + rng.random(n)) / max(n, 1)
        needed = np.arange(n) < MIN_LABELS_PER_STRATUM - n_before
        keys.append(np.where(needed, rng.random(n) - 1.0, even))
        places.extend(of_stratum.tolist())
    return np.array(places, dtype=np.int64)[np.argsort(np.concatenate(keys), kind="stable")]


MAX_ACTORS = 9  # because each has its own key on the labelling page
DESIGNS = ("stratified", "simple")
ALL = "all"  # the only stratum of a simple design
MAX_QUESTION = 300


@dataclass(frozen=True, slots=True, repr=False)
class LabelDraw(Result):
    """The result of a draw.

    sizes, before, drawn: for each of the `strata`, the numbers of its documents, of documents drawn earlier, and of
    documents drawn now. not_stored: number of documents of the input that name no actor, so they cannot be drawn.
    """

    question: str
    actors: tuple[str, ...]
    strata: tuple[str, ...]
    sizes: tuple[int, ...]
    before: tuple[int, ...]
    drawn: tuple[int, ...]
    not_stored: int
    recipe: Mapping[str, Any]

    description = ""

    def columns(self) -> Sequence[Column]:
        """A row per stratum."""
        return [
            Column("stratum", WORDS, values=self.strata),
            Column("documents", COUNT, values=self.sizes),
            Column("before", COUNT, "drawn before", values=self.before),
            Column("drawn", COUNT, "drawn now", values=self.drawn),
        ]

    def footnotes(self) -> Sequence[str]:
        """Notes on the table."""
        lines = [f"{counted(sum(self.drawn), 'document')} of {sum(self.sizes):,} to read: {self.question}"]
        if sum(self.drawn) and self.recipe.get("allotted_by"):
            lines.append(
                f"Strata in which the labels of {self.recipe['allotted_by']} vary more so far get more documents."
            )
        if self.not_stored:
            lines.append(
                f"{counted(self.not_stored, 'document')} of the input that name no actor were not stored and cannot be "
                "drawn: the labels correct only the count among the stored documents."
            )
        return lines


def draw_documents(
    store: EventStore,
    n: int,
    *,
    actors: Sequence[str] | None = None,
    question: str | None = None,
    period: str | None = None,
    design: str | None = None,
    scores: Scores | None = None,
    rng: int = 0,
) -> LabelDraw:
    """Draw documents of a store at random for coders to label, until n are drawn, including those of earlier draws.

    All stored documents can be drawn. If n is the number of stored documents, the labels are a census. If n or more
    were drawn before, nothing is drawn. The reading order is random, after 2 documents of each stratum; for every k,
    the first k documents are a sample too.

    design: "simple" draws a simple random sample. "stratified" (the default) divides the documents into bands of the
    highest probability of the actors asked about, and the bands by `period`: "week", "month", "quarter", "year" or
    "none"; the periods are longer if n is too small for 5 documents per stratum. Stratum h with N_h documents gets at
    least 2, and a number n_h ∝ N_h s_h (Neyman 1934). s_h = √(p̄ (1 - p̄)), but at least 0.25, is the expected standard
    deviation of its labels; p̄ is the mean probability in the stratum.

    Further draws keep the strata. Once 20 documents have a label for the first actor (put the most important one
    first), p̄ is the proportion of positive labels in the stratum's band, so more documents are drawn where labels vary.
    Within a stratum the draw stays random; the stored inclusion probabilities are those of all draws together. Because
    n_h then depends on labels, stratified estimates are biased. In simulations the bias is far below their standard
    error (`packages/events/tests/events/labels/test_further_draw.py`).

    actors: codes or titles of at most 9 actors to ask about; by default the most frequent ones. question: by default
    made from the rule. scores: scores of another model by (document, actor); missing ones are 0. Further draws keep the
    actors, the question, `period` and the design of the first draw.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     path = store.path
    >>> from howsure_events.store.event_store import EventStore
    >>> with EventStore.open(path, read_only=False) as store:
    ...     drawn = draw_documents(store, 20, period="year")
    >>> drawn.question, sum(drawn.drawn)
    ('Which of these attack here?', 20)

    Raises InputError if the store is unfinished or open for reading only, an actor is unknown, n is too small for 2
    documents per stratum or larger than what is left, or a setting differs from the first draw.
    """
    n, seed = check_integer(n, name="n"), check_integer(rng, name="rng", least=0)
    if not store.settings.get("finished", True):
        raise InputError(f"{store.path} is not finished: run its extract command again, then draw.")
    stored, drawn = (
        int(query_rows(store, f"SELECT count(*) FROM {name}")[0][0]) for name in ("documents", "label_sample")
    )
    labelling = find_labelling(store) or _new_labelling(store, actors, question, period, design)
    if labelling.draws:
        _check_same(store, labelling, {"actors": actors, "question": question, "period": period, "design": design})
    if n > stored:
        raise InputError(f"`n` must be at most the number of documents in {store.path}, {stored:,}; it is {n:,}.")
    if n <= drawn:
        return _earlier_draw(store, labelling)
    if labelling.design not in DESIGNS:
        raise InputError(
            f"further documents cannot be drawn, because the labels were imported with the design {labelling.design!r}."
            " Draw documents in a copy of the store without labels."
        )
    strata = (_stored_strata if labelling.draws else _first_strata)(store, labelling, n, scores)
    before, answered = _drawn_before(store, strata), settled_labels(store)
    spread = None if answered is None else label_spread(answered, strata.names)
    chosen = further_documents(
        strata, before, n - drawn, np.random.default_rng([seed, len(labelling.draws) + 1]), spread=spread
    )
    counts = np.bincount(strata.codes[chosen], minlength=len(strata.names))
    settings = {
        "question": labelling.question,
        "actors": list(labelling.actors),
        "labels": n,
        "design": labelling.design,
        "period": labelling.period,
        "strata": strata.period,
        "allotted_by": None if spread is None else labelling.actors[0],
        "seed": seed,
        "howsure": __version__,
    }
    _write(store, strata, before, chosen, settings, number=len(labelling.draws) + 1)
    had = np.bincount(strata.codes[before], minlength=len(strata.names))
    return LabelDraw(
        question=labelling.question,
        actors=labelling.actors,
        strata=strata.names,
        sizes=tuple(strata.sizes.tolist()),
        before=tuple(had.tolist()),
        drawn=tuple(counts.tolist()),
        not_stored=_documents_without_actor(store),
        recipe=settings,
    )


def _earlier_draw(store: Store, labelling: Labelling) -> LabelDraw:
    """Return the result of the earlier draws, if no further documents are needed."""
    strata = query_rows(
        store,
        "SELECT stratum, count(*), count(position) FROM label_strata LEFT JOIN label_sample USING (document) "
        "GROUP BY stratum ORDER BY stratum",
    )
    return LabelDraw(
        question=labelling.question,
        actors=labelling.actors,
        strata=tuple(name for name, _, _ in strata),
        sizes=tuple(size for _, size, _ in strata),
        before=tuple(had for _, _, had in strata),
        drawn=(0,) * len(strata),
        not_stored=_documents_without_actor(store),
        recipe={name: value for name, value in labelling.draws[-1].items() if name != "drawn"},
    )


def _documents_without_actor(store: Store) -> int:
    return int(query_rows(store, "SELECT count(*) FROM left_out WHERE reason = $reason", reason=NO_ACTOR)[0][0])


UNNAMED = "event"  # default name of imported events, from which no question can be made


def actor_question(rule: Mapping[str, Any], actors: Sequence[str]) -> dict[str, str] | None:
    """Return the words of a rule's question about actors, and the sentence that contains them; None without a name.

    `kind` names the sentence: "own" if the rule has its own question, or else "verb", "topic" or "event".
    """
    if rule.get("question"):
        return {"kind": "own", "own": str(rule["question"])}
    verbs = [*(rule.get("verbs") or ())]
    if verbs:
        return {"kind": "verb", "verb": str(verbs[0])}
    event = str(rule.get("name"))
    kind = "topic" if is_topic(event, actors) else "event"
    return None if dict(rule) in ({}, {"name": UNNAMED}) else {"kind": kind, "event": event}


def rule_question(rule: Mapping[str, Any], actors: Sequence[str], language: str = ENGLISH) -> str:
    """Return a rule's question about actors in a language: the rule's own question, or one made from its words.

    >>> rule_question({"name": "attack-wide", "verbs": ["attack"]}, ["USA"])
    'Which of these attack here?'
    >>> rule_question({"name": "strike"}, ["IRQ", "USA"]), rule_question({"name": "strike"}, ["strike"])
    ('To which of these does “strike” apply in the text?', 'Is the text about “strike”?')
    """
    question = actor_question(rule, actors) or {"kind": "event", "event": str(rule.get("name"))}
    return text_in(language, f"question_{question['kind']}", **question)


def _new_labelling(
    store: Store, actors: Sequence[str] | None, question: str | None, period: str | None, design: str | None
) -> Labelling:
    codes = tuple(list(acting_actors(store))[:MAX_ACTORS]) if actors is None else chosen_actors(store, actors)
    if not codes:
        raise InputError(f"no actor acts in any document of {store.path}; name the actors to ask about: `actors=...`.")
    if len(codes) > MAX_ACTORS:
        raise InputError(
            f"at most {MAX_ACTORS} actors can be labelled, because each has a key on the keyboard; there are "
            f"{len(codes)}. Name fewer: `actors=...`."
        )
    rule = store.settings.get("rule") or {}
    if question is None and rule == {"name": UNNAMED}:
        raise InputError("the event has no name from which to make a question; give one: `question=...`.")
    text = checked_question(rule_question(rule, codes) if question is None else question)
    for kind, value, choices in (("design", design, DESIGNS), ("length of period", period, LENGTHS)):
        if value is not None and value not in choices:
            raise unknown_name(kind, value, choices, place="draws of documents")
    return Labelling(text, codes, design or DESIGNS[0], period or "quarter", ())


def checked_question(text: object) -> str:
    """Check a question to coders, and return it without surrounding spaces."""
    question = text.strip() if isinstance(text, str) else ""
    if not 0 < len(question) <= MAX_QUESTION:
        raise InputError(f"question must be a text of 1 to {MAX_QUESTION} letters; it is {str(text)[:80]!r}.")
    return question


def _check_same(store: Store, labelling: Labelling, options: Mapping[str, Any]) -> None:
    """Raise InputError if an option other than None differs from the first draw.

    Actors are compared without regard to order, by code or title.
    """
    for name, value in options.items():
        stored_value = getattr(labelling, name)
        if value is None:
            continue
        if name == "actors":
            same = sorted(chosen_actors(store, value)) == sorted(stored_value)
        else:
            same = (value.strip() if isinstance(value, str) else value) == stored_value
        if not same:
            shown = ", ".join(stored_value) if name == "actors" else stored_value
            raise InputError(
                f"{parameter(name)} must be the same as in the first draw of documents, {shown!r}; it is {value!r}. "
                "Leave it out to keep the first value, or label a copy of the store without labels."
            )


def _first_strata(store: Store, labelling: Labelling, n: int, scores: Scores | None) -> Strata:
    strata = build_strata(store, labelling.actors, period=labelling.period, n=n, scores=scores)
    if labelling.design == "simple":
        strata = Strata(strata.documents, strata.score, np.zeros_like(strata.codes), (ALL,), "none")
    return strata


def _stored_strata(store: Store, labelling: Labelling, n: int, scores: Scores | None) -> Strata:
    """Return the strata of the first draw, with the current scores, on which their sample sizes depend."""
    rows = query_rows(store, "SELECT document, stratum FROM label_strata ORDER BY document")
    now = build_strata(store, labelling.actors, period="none", n=n, scores=scores)
    names = tuple(sorted({name for _, name in rows}))
    codes = np.array([names.index(name) for _, name in rows], dtype=np.int64)
    return Strata(now.documents, now.score, codes, names, str(labelling.draws[0].get("strata", "none")))


def _drawn_before(store: Store, strata: Strata) -> Integers:
    numbers = [number for (number,) in query_rows(store, "SELECT document FROM label_sample ORDER BY position")]
    return np.searchsorted(strata.documents, np.array(numbers, dtype=np.int64))


def _write(
    store: EventStore, strata: Strata, before: Integers, chosen: Integers, settings: dict[str, Any], *, number: int
) -> None:
    both = np.concatenate([before, chosen])
    share = np.bincount(strata.codes[both], minlength=len(strata.names)) / np.maximum(strata.sizes, 1)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    rows: dict[str, dict[str, Any]] = {
        "label_draw": {"draw": [number], "settings": [json.dumps({**settings, "drawn": now})]},
        "label_sample": {
            "document": strata.documents[chosen],
            "draw": np.full(len(chosen), number),
            "position": np.arange(len(before), len(both)) + 1,
            "inclusion": share[strata.codes[chosen]],
        },
    }
    if number == 1:
        names = [strata.names[code] for code in strata.codes.tolist()]
        rows["label_strata"] = {"document": strata.documents, "stratum": names}
    with store.transaction() as connection:
        store.append(rows)
        for code in np.unique(strata.codes[before]).tolist():
            of_stratum = "SELECT document FROM label_strata WHERE stratum = ?"
            connection.execute(
                f"UPDATE label_sample SET inclusion = ? WHERE document IN ({of_stratum})",
                [float(share[code]), strata.names[code]],
            )
