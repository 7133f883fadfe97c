"""The queries of the page to an events store and their parameters; answers are plain values for JSON."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import shortened, unknown_name
from howsure.inputs.pairs import Integers
from howsure.inputs.periods import period_end, period_start
from howsure.regression.results import PredictedRegression
from howsure_events.labels.answers import current_answers, current_settlements, find_labelling
from howsure_events.labels.draw_documents import asked_by
from howsure_events.questions import COMPARISON_PARAMETERS, QUERY_PARAMETERS, REQUIRED, QueryParameter, query_defaults
from howsure_events.series.actor_comparison import PeriodComparison, compare_actors
from howsure_events.series.corrected_comparison import corrected_comparison
from howsure_events.series.corrected_series import CorrectedSeries, raw_alone
from howsure_events.series.event_series import UNITS, PeriodCount, event_series
from howsure_events.series.files import corrected_or_why, deciding_link_rows, doubtful_documents, period_documents
from howsure_events.store.documents import StoredDocument, StoredEvidence, stored_document
from howsure_events.store.store_queries import (
    Store,
    acting_actors,
    actor_title,
    chosen_actors,
    counted_event,
    documents_by_period,
    is_imported,
    known_units,
    number_of_samples,
    query_rows,
    recorded_settings,
)

# What an address may be asked: each parameter read by its rule, all others refused.

MAX_TEXT = 200  # characters of a value
MAX_SHOWN = 60
Reader = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: the reader of its text, its default, and how many times it may be given.

    One that may be given several times is a list.
    """

    name: str
    read: Reader
    default: Any = REQUIRED
    most: int = 1


def read_parameters(
    pairs: Sequence[tuple[str, str]], parameters: Sequence[Parameter], *, address: str
) -> dict[str, Any]:
    """The values of all parameters of an address, from the names and texts that a request gives.

    Raises InputError for an unknown parameter, one that is missing or given too often, or a value against its rule.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    for name, text in pairs:
        if name not in by_name:
            raise unknown_name("parameter", name[:MAX_SHOWN], list(by_name) or ["none"], place=address)
        if len(text) > MAX_TEXT:
            raise InputError(f"{name} must have at most {MAX_TEXT} characters; it has {len(text):,}.")
    return {
        parameter.name: _value(parameter, [text for name, text in pairs if name == parameter.name])
        for parameter in parameters
    }


def _value(parameter: Parameter, texts: list[str]) -> Any:
    name = parameter.name
    if not texts:
        if parameter.default is REQUIRED:
            raise InputError(f"{name} must be given; it is missing.")
        return parameter.default
    if len(texts) > parameter.most:
        raise InputError(f"{name} must be given at most {parameter.most} times; it is given {len(texts):,} times.")
    values = [parameter.read(name, text) for text in texts]
    return values if parameter.most > 1 else values[0]


def words(name: str, text: str) -> str:
    """Any non-empty text.

    Raises InputError for an empty one, or one with control characters.
    """
    if not text.strip() or any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise InputError(
            f"{name} must be a text without control characters, and not empty; it is {text[:MAX_SHOWN]!r}."
        )
    return text


def choice_reader(choices: Sequence[str]) -> Reader:
    """One of a few words."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise InputError(f"{name} must be one of {shortened(choices)}; it is {text[:MAX_SHOWN]!r}.")
        return text

    return read


def whole_number_reader(low: int, high: int) -> Reader:
    """A whole number from `low` to `high`."""

    def read(name: str, text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not low <= value <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}; it is {text[:MAX_SHOWN]!r}.")
        return value

    return read


def fraction(name: str, text: str) -> float:
    """A number from 0 to 1.

    Raises InputError for any other.
    """
    try:
        value = float(text) if text.isascii() else -1.0
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{name} must be a number from 0 to 1; it is {text[:MAX_SHOWN]!r}.")
    return value


def number_or_word_reader(word: str, *, high: int) -> Reader:
    """A whole number from 0, or a certain word."""
    number = whole_number_reader(0, high)

    def read(name: str, text: str) -> int | str:
        if text == word:
            return word
        if not text.isdigit():
            raise InputError(f"{name} must be {word!r} or a whole number from 0; it is {text[:MAX_SHOWN]!r}.")
        value: int = number(name, text)
        return value

    return read


# A document to read: its text, who is one entity with whom in a sample, and what made an event true.

BEST = "best"
Sample = int | str


def document_view(store: Store, number: int, *, sample: Sample = BEST) -> dict[str, Any]:
    """A document as plain values, its mentions clustered as in one sample, or in the 1-best ("best").

    `mentions[i]["entity"]` is the first mention of its entity, None in a document that holds no event in any case.
    `evidence` are a mention `named` as the actor and one that acts: `probability` is the share of the samples in which
    they make the event true, `pair` the exact probability that they are one entity, `present` whether they make it
    true in the clustering shown. `links` are what the event of each actor hinges on.

    Raises InputError for a document or a sample that the store does not hold.
    """
    chosen = _checked_sample(sample, number_of_samples(store))
    return build_view(store, stored_document(store, number), chosen)


def build_view(store: Store, document: StoredDocument, chosen: int | None) -> dict[str, Any]:
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
                "sentence": mention.sentence,
                "start": mention.start,
                "stop": mention.stop,
                "entity": None if entities is None else int(entities[place]),
                "actors": list(mention.actors),
                "verb": mention.verb,
            }
            for place, mention in enumerate(document.mentions)
        ],
        "actors": [
            {
                "code": event.actor,
                "title": actor_title(store, event.actor),
                "probability": event.probability,
                "present": event.best if chosen is None else bool(event.samples[chosen]),
            }
            for event in document.events
        ],
        "evidence": _evidence(document, entities),
        "links": deciding_link_rows(document, [event.actor for event in document.events]),
    }


def read_document(store: Store, number: int, *, sample: Sample = BEST) -> dict[str, Any]:
    """A document as in `document_view`, with the coders' answers, which the labelling room does not show."""
    return document_view(store, number, sample=sample) | answers_to(store, number)


def answers_to(store: Store, number: int) -> dict[str, Any]:
    """The coders' answers to a document, and what settles them, as titles of actors."""
    if find_labelling(store) is None:
        return {"answers": []}
    all_answers = [(answer, False) for answer in current_answers(store, document=number)]
    all_answers += [(answer, True) for answer in current_settlements(store, document=number)]
    answers = [
        {
            "coder": answer.coder,
            "acting": [actor_title(store, actor) for actor in answer.acting],
            "unclear": answer.unclear,
            "settles": settles,
        }
        for answer, settles in all_answers
    ]
    return {"answers": answers}


def _evidence(document: StoredDocument, entities: Integers | None) -> list[dict[str, Any]]:
    exact = document.pair_probability([(evidence.named, evidence.agent) for evidence in document.evidence])
    return [
        {
            "actor": evidence.actor,
            "named": evidence.named,
            "agent": evidence.agent,
            "named_text": document.text_of(evidence.named),
            "agent_text": document.text_of(evidence.agent),
            "probability": evidence.probability,
            "pair": pair,
            "present": entities is not None and _holds(document, entities, evidence),
        }
        for evidence, pair in zip(document.evidence, exact, strict=True)
    ]


def _holds(document: StoredDocument, entities: Integers, evidence: StoredEvidence) -> bool:
    """Whether both are one entity, and none of its mentions is described as another actor."""
    if entities[evidence.named] != entities[evidence.agent]:
        return False
    members = np.flatnonzero(entities == entities[evidence.agent]).tolist()
    return {actor for mention in members for actor in document.mentions[mention].actors} == {evidence.actor}


def _entities(document: StoredDocument, sample: int | None) -> Integers | None:
    if sample is None or document.clusterings is None:
        return document.best
    return np.asarray(document.clusterings[sample])


def _checked_sample(sample: Sample, n_samples: int) -> int | None:
    if sample == BEST:
        return None
    if isinstance(sample, str) or not 0 <= sample < n_samples:
        raise InputError(f"sample must be 'best' or a whole number from 0 to {n_samples - 1}; it is {sample!r}.")
    return sample


# What the page asks of an events store; every answer is plain values, ready to be sent as JSON.

SERIES = {"n_documents": "documents"}  # what the page calls a column otherwise
MONTE_CARLO = ("greater_low", "greater_high", "less_low", "less_high")  # which the page does not ask for


def overview(store: Store) -> dict[str, Any]:
    """A summary of the store: actors by falling expected count, dates, documents stored and left out, the event that
    is counted, the available units, the settings, the question that was put to coders, or what one is made of (None if
    the event has none), and whether there are labels.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     overview(store)["actors"][0]
    {'code': 'SUDORIA', 'title': 'Sudoria', 'documents': 26, 'expected': 12.06}
    """
    n, first, last = query_rows(store, "SELECT count(*), min(date), max(date) FROM documents")[0]
    left_out = query_rows(store, "SELECT reason, count(*) AS n FROM left_out GROUP BY reason ORDER BY n DESC, reason")
    labelling = find_labelling(store)
    return {
        "actors": [
            {"code": actor, "title": actor_title(store, actor), "documents": documents, "expected": expected}
            for actor, (documents, expected) in acting_actors(store).items()
        ],
        "first": None if first is None else first.isoformat(),
        "last": None if last is None else last.isoformat(),
        "documents": int(n),
        "left_out": {reason: int(count) for reason, count in left_out},
        "event": counted_event(store),
        "imported": is_imported(store.settings),
        "units": known_units(store.settings, UNITS),
        "settings": recorded_settings(store),
        "question": None if labelling is None else labelling.question,
        "asked": None
        if labelling is not None
        else asked_by(store.settings.get("rule") or {}, list(acting_actors(store))),
        "labels": labelling is not None,
    }


def overview_beside(regression: PredictedRegression | None) -> Callable[[Store], dict[str, Any]]:
    """The overview with the results of a regression on the store, as a table of texts."""
    if regression is None:
        return overview
    table = regression.table()
    shown = {"headings": list(table.headings), "words": list(table.words), "rows": [*map(list, table.rows)]}
    with_regression = {"regression": {**shown, "notes": list(table.notes)}}
    return lambda store: overview(store) | with_regression


def series(
    store: Store,
    actors: Sequence[str],
    *,
    period: str = "quarter",
    level: float = 0.95,
    interval: str = "exact",
    unit: str = "documents",
) -> dict[str, list[dict[str, Any]]]:
    """For each actor its periods: period, start, end, documents, mean, low, high, variance and the 1-best count, and
    whether the period may be incomplete.

    What is undefined is None: all in a period without documents.
    Raises InputError as `event_series` does.
    """
    result = event_series(store, period=period, actors=actors, level=level, interval=interval, unit=unit)
    rows_by_actor: dict[str, list[dict[str, Any]]] = {actor: [] for actor in result.actors}
    for row in result.rows:
        days = {"start": str(period_start(row.period)), "end": str(period_end(row.period))}
        rows_by_actor[row.actor].append(
            days | _row_figures(row, ("actor",)) | {"incomplete": row.period in result.incomplete}
        )
    return rows_by_actor


def _row_figures(row: PeriodCount | PeriodComparison, left_out: Collection[str]) -> dict[str, Any]:
    """The figures of a row by the page's names, None for undefined ones."""
    values = ((name, getattr(row, name)) for name in row.__match_args__ if name not in left_out)
    return {SERIES.get(name, name): None if value != value else value for name, value in values}


def compare(
    store: Store, first: str, second: str, *, period: str = "quarter", level: float = 0.95, unit: str = "documents"
) -> list[dict[str, Any]]:
    """By period its documents, P(n_A > n_B) as greater, equal, less, and the difference; see `compare_actors`."""
    comparison = compare_actors(store, first, second, period=period, level=level, unit=unit, monte_carlo=False)
    return [_row_figures(row, MONTE_CARLO) for row in comparison.rows]


# What the page asks of the labels of a store: the corrected counts and comparisons, each estimated once.

MAX_KEPT = 16  # series of a store
COLUMNS = {"corrected": "estimate", "low": "low", "high": "high", "read": "labelled", "positives": "positives"}
Kept = OrderedDict[tuple[Any, ...], CorrectedSeries]
_KEPT: WeakKeyDictionary[Store, Kept] = WeakKeyDictionary()
_LOCK = Lock()


def corrected(store: Store, *, period: str = "quarter", level: float = 0.95, unit: str = "documents") -> dict[str, Any]:
    """By actor the columns of the corrected series, its totals, and its notes; `reason` if there is no series.

    Raises InputError as `corrected_series` does.
    """
    result = labelled_series(store, period=period, level=level, unit=unit)
    if isinstance(result, str):
        return {"reason": result}
    plain = result.to_dict()
    series: dict[str, dict[str, list[Any]]] = {actor: {name: [] for name in COLUMNS} for actor in result.actors}
    for row in plain["rows"]:
        for name, field in COLUMNS.items():
            series[row["actor"]][name].append(row[field])
    totals = {row["actor"]: {name: row[field] for name, field in COLUMNS.items()} for row in plain["totals"]}
    return {"series": series, "totals": totals, "labels": _labels_used(result), "checks": plain["checks"]}


LABELS_USED = ("question", "coders", "labelled", "unclear", "unsettled", "not_read")


def _labels_used(series: CorrectedSeries) -> dict[str, Any]:
    """The labels behind a corrected series, and what is missing, as the sentences of `said` have them."""
    recipe = series.recipe
    return {
        **{name: recipe[name] for name in LABELS_USED},
        "scores": list(recipe.get("scores", ())),
        "merged_strata": len(recipe["joined_strata"]),
        "merged_coders": recipe.get("merged_coders", []),
        "left_out": recipe["documents"] - series.totals[0].n,
    }


def corrected_pair(
    store: Store, first: str, second: str, *, period: str = "quarter", level: float = 0.95
) -> dict[str, Any]:
    """By period P(T_A > T_B) by the corrected counts, and in all; `reason` if there is none.

    Raises InputError for an actor that the store does not know, or the same one twice.
    """
    result = labelled_series(store, period=period, level=level, unit="documents")
    if isinstance(result, str):
        return {"reason": result}
    pair = chosen_actors(store, [first, second])
    lacking = [actor for actor in pair if actor not in result.actors]
    if lacking:
        return {"reason": raw_alone(lacking)}
    comparison = corrected_comparison(result, pair[0], pair[-1]).to_dict()
    return {"rows": comparison["rows"], "total": comparison["total"]}


def labelled_series(store: Store, *, period: str, level: float, unit: str) -> CorrectedSeries | str:
    """The corrected series of all actors with labels, or why there is none.

    It is kept until a label changes; the last few of a store are.
    """
    if unit == "share":
        counts = labelled_series(store, period=period, level=level, unit="documents")
        return counts if isinstance(counts, str) else _as_shares(counts, documents_by_period(store, period))
    key = (period, level, unit, *_version(store))
    with _LOCK:
        kept = _KEPT.setdefault(store, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    result = corrected_or_why(store, period=period, level=level, unit=unit)
    if isinstance(result, str):
        return result or "No document of this store has a label."
    with _LOCK:
        kept[key] = result
        while len(kept) > MAX_KEPT:
            kept.popitem(last=False)
    return result


def _as_shares(counts: CorrectedSeries, sizes: Mapping[str, int]) -> CorrectedSeries:
    """The same counts as shares of the documents of each period, of which there are `sizes`."""
    rows = tuple(row.among(sizes[row.period]) for row in counts.rows)
    totals = tuple(row.among(sum(sizes.values())) for row in counts.totals)
    return replace(counts, rows=rows, totals=totals, recipe={**counts.recipe, "unit": "share"})


def _version(store: Store) -> tuple[int, int]:
    """A version of the labels, which increases with every answer and every draw."""
    ((entry, drawn),) = query_rows(
        store, "SELECT (SELECT coalesce(max(entry), 0) FROM answers), (SELECT count(*) FROM label_sample)"
    )
    return int(entry), int(drawn)


# The questions of the page to a store, each with its own address.

MAX_ACTORS = 6  # panels of the chart
MAX_NUMBER = 2**62


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the store with its parameters; is_table: whether the answer is a table (CSV) rather than JSON.

    state: further state that the answer depends on, such as the number of writes to the store. each: a list parameter
    whose elements are answered separately, as an object by name. for_visitor: whether `ask` takes the `visitor`, too.
    """

    ask: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    is_table: bool = False
    state: Callable[[], Hashable] = int
    each: str | None = None
    for_visitor: bool = False


def export(store: Store, **arguments: Any) -> str:
    """The series as a tidy table, with the corrected one if there are labels: CSV, numbers with all their digits."""
    series = event_series(store, **arguments)
    corrected = labelled_series(store, period=series.period, level=series.level, unit=series.unit)
    return f"{(series if isinstance(corrected, str) else series.with_corrected(corrected)).to_csv()}\n"


def query_parameters(ask: Callable[..., Any], **readers: Reader) -> tuple[Parameter, ...]:
    """The parameters of a question from its signature, with their declared readers or those in `readers`."""
    known_readers = READERS | readers
    return tuple(
        Parameter(name, known_readers[name], default, MAX_ACTORS if name == "actors" else 1)
        for name, default in query_defaults(ask).items()
        if name != "store"
    )


def _parameter_reader(meaning: QueryParameter) -> Reader:
    if meaning.words:
        return choice_reader(meaning.words)
    return fraction if meaning.most is None else whole_number_reader(1, meaning.most)


READERS: dict[str, Reader] = {name: _parameter_reader(meaning) for name, meaning in QUERY_PARAMETERS.items()} | {
    **dict.fromkeys(("actors", "actor", "first", "second", "at"), words),
    "number": whole_number_reader(0, MAX_NUMBER),
    "sample": number_or_word_reader(BEST, high=MAX_NUMBER),
}
QUESTIONS = {
    "overview": Question(overview),
    "series": Question(series, query_parameters(series), each="actors"),
    "point": Question(period_documents, query_parameters(period_documents)),
    "document": Question(read_document, query_parameters(read_document)),
    "compare": Question(compare, query_parameters(compare, unit=_parameter_reader(COMPARISON_PARAMETERS["unit"]))),
    "corrected": Question(corrected, query_parameters(corrected)),
    "corrected-pair": Question(corrected_pair, query_parameters(corrected_pair)),
    "doubtful": Question(doubtful_documents, query_parameters(doubtful_documents)),
    "export.csv": Question(export, query_parameters(series), is_table=True),
}
