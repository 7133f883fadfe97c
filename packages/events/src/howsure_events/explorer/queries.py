"""The explorer's queries to an events store and their parameters; answers are plain values for JSON."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from howsure_events.labels.draw_documents import actor_question, rule_question
from howsure_events.languages import ENGLISH, LANGUAGES, translated
from howsure_events.questions import COMPARISON_PARAMETERS, QUERY_PARAMETERS, REQUIRED, QueryParameter, query_defaults
from howsure_events.series.actor_comparison import PeriodComparison, compare_actors
from howsure_events.series.corrected_comparison import corrected_comparison
from howsure_events.series.corrected_series import CORRECTED_UNITS, CorrectedSeries, why_only_raw_counts
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

MAX_TEXT = 200  # characters of a value
MAX_SHOWN = 60
Reader = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an address: the function that reads its value, its default, and how often it may be given (most).

    The value of a parameter that may be given several times is a list.
    """

    name: str
    reader: Reader
    default: Any = REQUIRED
    most: int = 1


def read_parameters(
    pairs: Sequence[tuple[str, str]], parameters: Sequence[Parameter], *, address: str
) -> dict[str, Any]:
    """Read the values of all parameters of an address from the (name, text) pairs of a request."""
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
    values = [parameter.reader(name, text) for text in texts]
    return values if parameter.most > 1 else values[0]


def words(name: str, text: str) -> str:
    if not text.strip() or any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise InputError(
            f"{name} must be a text without control characters, and not empty; it is {text[:MAX_SHOWN]!r}."
        )
    return text


def choice_reader(choices: Sequence[str]) -> Reader:
    """Return a reader of values that must be one of the choices."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise InputError(f"{name} must be one of {shortened(choices)}; it is {text[:MAX_SHOWN]!r}.")
        return text

    return read


def whole_number_reader(low: int, high: int) -> Reader:
    def read(name: str, text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not low <= value <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}; it is {text[:MAX_SHOWN]!r}.")
        return value

    return read


def fraction(name: str, text: str) -> float:
    """Read a number from 0 to 1."""
    try:
        value = float(text) if text.isascii() else -1.0
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{name} must be a number from 0 to 1; it is {text[:MAX_SHOWN]!r}.")
    return value


def number_or_word_reader(word: str, *, high: int) -> Reader:
    """Return a reader of values that are whole numbers from 0 to `high`, or a certain word."""
    number = whole_number_reader(0, high)

    def read(name: str, text: str) -> int | str:
        if text == word:
            return word
        if not text.isdigit():
            raise InputError(f"{name} must be {word!r} or a whole number from 0; it is {text[:MAX_SHOWN]!r}.")
        value: int = number(name, text)
        return value

    return read


BEST = "best"
Sample = int | str


def document_view(store: Store, number: int, *, sample: Sample = BEST) -> dict[str, Any]:
    """Return a document as plain values, with its mentions clustered as in a sample, or in the 1-best ("best").

    `mentions[i]["entity"]` is the first mention of the entity of mention i; None in a document that cannot have an
    event. `evidence` are pairs of a mention `named` as the actor and a mention `agent` that acts: `probability` is the
    proportion of samples in which the pair makes the event true, `pair` the exact probability that the two are one
    entity, and `present` whether they make the event true in this clustering. `links` are the pairs of mentions on
    which the event of each actor depends.
    """
    chosen = _checked_sample(sample, number_of_samples(store))
    return build_view(store, stored_document(store, number), chosen)


def build_view(store: Store, document: StoredDocument, chosen: int | None) -> dict[str, Any]:
    """Return the view of a document in the sample `chosen`; None stands for the 1-best clustering."""
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
    """Return a document as in `document_view`, with the coders' answers, which the labelling page does not show."""
    return document_view(store, number, sample=sample) | answers_to(store, number)


def answers_to(store: Store, number: int) -> dict[str, Any]:
    """Return the coders' answers to a document and its settlement, with the titles of actors."""
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
    """Return whether both mentions of an evidence are one entity, and none of its mentions is another actor's."""
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


SERIES = {"n_documents": "documents"}  # columns that have another name in the page
MONTE_CARLO = ("greater_low", "greater_high", "less_low", "less_high")  # columns that the page does not use


def overview(store: Store) -> dict[str, Any]:
    """Return a summary of the store.

    `actors` are sorted by decreasing expected count. `first` and `last` are dates. `question` is the question to
    coders; None if no document was drawn, or if howsure worded it, in any language: `asked` then has the parts from
    which the page words it in its language (None if the event has no name).

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     overview(store)["actors"][0]
    {'code': 'SUDORIA', 'title': 'Sudoria', 'documents': 26, 'expected': 12.06}
    """
    n, first, last = query_rows(store, "SELECT count(*), min(date), max(date) FROM documents")[0]
    left_out = query_rows(store, "SELECT reason, count(*) AS n FROM left_out GROUP BY reason ORDER BY n DESC, reason")
    labelling = find_labelling(store)
    rule = store.settings.get("rule") or {}
    actors = list(acting_actors(store)) if labelling is None else labelling.actors
    worded = {rule_question(rule, actors, language) for language in LANGUAGES}
    is_own = labelling is not None and labelling.question not in worded
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
        "question": labelling.question if is_own and labelling is not None else None,
        "asked": None if is_own else actor_question(rule, actors),
        "labels": labelling is not None,
    }


def overview_with_regression(
    regression: PredictedRegression | None, language: str = ENGLISH
) -> Callable[[Store], dict[str, Any]]:
    """Return a query for the overview that includes a regression on the store, as a table of strings in a language."""
    if regression is None:
        return overview
    table, say = regression.table(), partial(translated, language=language)
    columns = {"headings": [*map(say, table.headings)], "words": [*map(say, table.words)]}
    rows = {"rows": [[*map(say, row)] for row in table.rows], "notes": [*map(say, table.notes)]}
    with_regression = {"regression": columns | rows}
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
    """Return the series of each actor as rows of plain values, with the start and the end of each period.

    `incomplete` says whether a period may be incomplete. Undefined values are None.
    Raises the errors of `event_series`.
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
    """Return the values of a row by the page's names for them; undefined values are None."""
    values = ((name, getattr(row, name)) for name in row.__match_args__ if name not in left_out)
    return {SERIES.get(name, name): None if value != value else value for name, value in values}


def compare(
    store: Store, first: str, second: str, *, period: str = "quarter", level: float = 0.95, unit: str = "documents"
) -> list[dict[str, Any]]:
    """Return the comparison of two actors as rows of plain values, one per period; see `compare_actors`."""
    comparison = compare_actors(store, first, second, period=period, level=level, unit=unit, monte_carlo=False)
    return [_row_figures(row, MONTE_CARLO) for row in comparison.rows]


MAX_KEPT = 16  # cached corrected series per store
COLUMNS = {"corrected": "estimate", "low": "low", "high": "high", "read": "labelled", "positives": "positives"}
Kept = OrderedDict[tuple[Any, ...], CorrectedSeries]
_KEPT: WeakKeyDictionary[Store, Kept] = WeakKeyDictionary()
_LOCK = Lock()


def corrected(store: Store, *, period: str = "quarter", level: float = 0.95, unit: str = "documents") -> dict[str, Any]:
    """Return the columns and totals of the corrected series by actor, and its notes; `reason` without a series."""
    result = labelled_series(store, period=period, level=level, unit=unit)
    if isinstance(result, str):
        return _no_corrections(store, result, unit)
    plain = result.to_dict()
    series: dict[str, dict[str, list[Any]]] = {actor: {name: [] for name in COLUMNS} for actor in result.actors}
    for row in plain["rows"]:
        for name, field in COLUMNS.items():
            series[row["actor"]][name].append(row[field])
    totals = {row["actor"]: {name: row[field] for name, field in COLUMNS.items()} for row in plain["totals"]}
    return {"series": series, "totals": totals, "labels": _labels_used(result), "checks": plain["checks"]}


def with_translated_checks(answer: dict[str, Any], language: str) -> dict[str, Any]:
    """Return what `corrected` returned, with its checks in a language."""
    checks = [translated(check, language) for check in answer.get("checks", ())]
    return {**answer, "checks": checks} if checks else answer


LABELS_USED = ("question", "coders", "labelled", "unclear", "unsettled", "not_read")


def _labels_used(series: CorrectedSeries) -> dict[str, Any]:
    """Return the facts on the labels of a corrected series that its sentences `label_notes` report."""
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
    """Return the comparison of two actors by corrected counts, by period and in total, or the `reason` for none."""
    result = labelled_series(store, period=period, level=level, unit="documents")
    if isinstance(result, str):
        return _no_corrections(store, result, "documents")
    pair = chosen_actors(store, [first, second])
    lacking = [actor for actor in pair if actor not in result.actors]
    if lacking:
        return {"reason": why_only_raw_counts(lacking), "kind": "actors", "actors": lacking}
    comparison = corrected_comparison(result, pair[0], pair[-1]).to_dict()
    return {"rows": comparison["rows"], "total": comparison["total"]}


def _no_corrections(store: Store, reason: str, unit: str) -> dict[str, Any]:
    """The reason why there are no corrected counts, and its kind, for which each language has a sentence."""
    kind = "unlabelled" if find_labelling(store) is None else "few" if unit in CORRECTED_UNITS else "unit"
    return {"reason": reason, "kind": kind}


def labelled_series(store: Store, *, period: str, level: float, unit: str) -> CorrectedSeries | str:
    """Return the corrected series of all actors with labels, or the reason why there is none.

    The most recently used series of a store are cached, and computed again after a label or a draw was added.
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
    """Convert corrected counts to proportions; sizes: the number of documents in each period."""
    rows = tuple(row.among(sizes[row.period]) for row in counts.rows)
    totals = tuple(row.among(sum(sizes.values())) for row in counts.totals)
    return replace(counts, rows=rows, totals=totals, recipe={**counts.recipe, "unit": "share"})


def _version(store: Store) -> tuple[int, int]:
    """Return a version of the labels, which increases with every answer and every draw."""
    ((entry, drawn),) = query_rows(
        store, "SELECT (SELECT coalesce(max(entry), 0) FROM answers), (SELECT count(*) FROM label_sample)"
    )
    return int(entry), int(drawn)


MAX_ACTORS = 6  # panels of the chart
MAX_NUMBER = 2**62


@dataclass(frozen=True, slots=True)
class Question:
    """A query of the page: the function `ask` that answers it, and its parameters.

    is_table: whether the answer is CSV instead of JSON. state: returns further state that the answer depends on, such
    as the number of writes to the store. each: a list parameter whose elements are answered separately, so that each
    answer can be cached. for_visitor: whether `ask` has a parameter `visitor`.
    """

    ask: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    is_table: bool = False
    state: Callable[[], Hashable] = int
    each: str | None = None
    for_visitor: bool = False


def export(store: Store, **arguments: Any) -> str:
    """Return the series as CSV with all digits, and with the corrected counts if there are labels."""
    series = event_series(store, **arguments)
    corrected = labelled_series(store, period=series.period, level=series.level, unit=series.unit)
    return f"{(series if isinstance(corrected, str) else series.with_corrected(corrected)).to_csv()}\n"


def query_parameters(ask: Callable[..., Any], **readers: Reader) -> tuple[Parameter, ...]:
    """Return the parameters in the signature of a query function; readers: replace the declared readers by name."""
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
