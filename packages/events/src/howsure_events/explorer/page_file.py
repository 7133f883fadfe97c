"""The explorer as a single HTML file, in which all answers to its queries are embedded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from typing import Any

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, check_integer, check_level
from howsure.inputs.periods import PERIODS, n_periods
from howsure.regression.results import PredictedRegression
from howsure_events.explorer.assembly import assemble
from howsure_events.explorer.queries import (
    answers_to,
    build_view,
    compare,
    corrected,
    corrected_pair,
    overview_with_regression,
    series,
    with_translated_checks,
)
from howsure_events.labels.answers import find_labelling
from howsure_events.languages import ENGLISH
from howsure_events.questions import MAX_LISTED
from howsure_events.series.actor_comparison import COUNTED
from howsure_events.series.corrected_series import CORRECTED_UNITS
from howsure_events.series.counts import INTERVALS
from howsure_events.series.event_series import UNITS
from howsure_events.series.files import actor_answers, actor_documents, doubtful_documents
from howsure_events.store.documents import StoredDocument, stored_documents
from howsure_events.store.store_queries import (
    Store,
    acting_actors,
    checked_length,
    chosen_actors,
    first_and_last,
    known_units,
    remember_answers,
)

MAX_ACTORS = 8  # by default; these give 28 pairs to compare
MAX_PERIODS = 600  # a length of period with more periods is left out by default; 600 weeks are 11 years
DIGITS = 6
UNREAD = ("probability", "best", "doubtful")
ABOUT = (*UNREAD, "answers", "label", "missed")
SERIES = ("mean", "low", "high", "best")
SIDES = ("greater", "equal", "less", "mean", "low", "high")
FIT_SAMPLES = 10  # steps of the progress bar for a corrected series, which takes longer than other queries
Advance = Callable[[int], None]
Bar = Callable[[int, str], AbstractContextManager[Advance]]
Pairs = Sequence[tuple[str, str]]
Columns = dict[str, Any]
Rows = list[dict[str, Any]]


def events_report(
    store: Store,
    *,
    actors: Sequence[str] | None = None,
    period: Sequence[str] | None = None,
    documents: int = 300,
    samples: int = 10,
    level: float = 0.95,
    regression: PredictedRegression | None = None,
    language: str = ENGLISH,
    bar: Bar | None = None,
) -> str:
    """Return the explorer of a store as one HTML text that needs neither server nor network; it states what it omits.

    actors: codes; by default the eight most frequent actors. period: lengths of period; by default all that give at
    most 600 periods. documents: number of documents whose text is included: those that the model missed, then the most
    uncertain, then the most probable. samples: number of sampled clusterings of each text. level: the level of all
    intervals. Numbers are rounded to six digits. regression: a result of `regress_events` to show as a table. language:
    the language of the page. bar: a function that shows the progress.

    Raises InputError for an unknown actor or length of period, or a store without events.
    """
    n_documents = check_integer(documents, name="documents")
    n_samples = check_integer(samples, name="samples", most=MAX_CLUSTERINGS)
    with remember_answers(store):
        chosen = list(chosen_actors(store, actors))[: MAX_ACTORS if actors is None else None]
        lengths, level = _lengths(store, period), check_level(level)
        index = _index(store, chosen)
        numbers = [row["document"] for row in _ranked(index)[:n_documents]]
        contents = {
            "periods": lengths,
            "levels": [f"{check_level(level):g}"],
            "actors": [len(chosen), len(acting_actors(store))],
            "texts": [len(numbers), len(index)],
            "samples": n_samples,
        }
        pairs, units = list(combinations(chosen, 2)), known_units(store.settings, UNITS)
        questions = len(lengths) * (len(units) * len(INTERVALS) + len(pairs) * (len(units) - 1))
        if find_labelling(store) is not None:
            questions += len(lengths) * (FIT_SAMPLES * len(CORRECTED_UNITS) + len(pairs))
        with nullcontext(_ignore_progress) if bar is None else bar(len(numbers) + questions, "parts") as advance:
            texts = _texts(store, numbers, n_samples, advance)
            facts = overview_with_regression(regression, language)(store)
            parts = {"index": index, "documents": texts}
            data = _data(
                store,
                facts,
                chosen,
                pairs,
                lengths,
                level,
                contents=contents,
                advance=advance,
                language=language,
                **parts,
            )
    return assemble(data, language=language).html


def _ignore_progress(steps: int) -> None:
    """Do nothing: the progress function if there is no bar."""


def _data(
    store: Store,
    facts: Columns,
    actors: list[str],
    pairs: Pairs,
    lengths: list[str],
    level: float,
    *,
    contents: Columns,
    advance: Advance,
    language: str,
    **parts: Any,
) -> Columns:
    """Return the answers to all queries that the page may make."""
    compared = known_units(store.settings, COUNTED)
    acting = [actor for actor in facts["actors"] if actor["code"] in actors]
    return {
        "overview": {**facts, "actors": acting, "held": contents},
        "periods": {period: _periods(store, actors[0], period) for period in lengths},
        "series": {
            period: {unit: _series(store, actors, period, unit, level, advance) for unit in facts["units"]}
            for period in lengths
        },
        "comparisons": {
            period: {unit: _comparisons(store, pairs, period, unit, level, advance) for unit in compared}
            for period in lengths
        },
        **_corrections(store, actors, pairs, lengths, level, advance, language),
        **parts,
        "doubtful": [row for row in doubtful_documents(store, limit=MAX_LISTED) if row["actor"] in actors],
    }


def _lengths(store: Store, period: Sequence[str] | None) -> list[str]:
    if period is None:
        days = first_and_last(store)
        return [length for length in PERIODS if n_periods(*days, period=length) <= MAX_PERIODS] or [PERIODS[-1]]
    if not period:
        raise InputError(f"period must name lengths of period, of {', '.join(PERIODS)}; it is empty.")
    return [checked_length(length) for length in dict.fromkeys(period)]


def _index(store: Store, actors: Sequence[str]) -> Rows:
    """Return every document with a label or a possible event of one of the actors, with its data per actor."""
    entries: dict[int, dict[str, Any]] = {}
    for actor in actors:
        for row in actor_documents(store, actor, first_and_last(store), actor_answers(store, actor)):
            about = {name: row.pop(name) for name in ABOUT}
            entry = entries.setdefault(row["document"], {**row, "events": {}})
            entry["events"][actor] = about if about["answers"] else {name: about[name] for name in UNREAD}
    return [entries[number] for number in sorted(entries)]


def _ranked(index: Rows) -> Rows:
    """Sort documents: first those with an event that the model missed, then those with a doubtful event.

    Documents with a doubtful event are sorted by the distance of their probability from 1/2, others by their highest
    probability, the highest first.
    """

    def rank(row: dict[str, Any]) -> tuple[bool, bool, float, int]:
        probabilities = [event["probability"] for event in row["events"].values()]
        nearest = min(abs(p - 0.5) for p in probabilities)
        doubtful = any(event["doubtful"] for event in row["events"].values())
        missed = any(event.get("missed") for event in row["events"].values())
        return not missed, not doubtful, nearest if doubtful else -max(probabilities), row["document"]

    return sorted(index, key=rank)


def _texts(store: Store, numbers: list[int], n_samples: int, advance: Advance) -> dict[int, dict[str, Any]]:
    """Return by number the view of documents with the 1-best clustering, and the differences in the first samples."""
    texts = {}
    for number, document in stored_documents(store, numbers).items():
        view = build_view(store, document, None) | answers_to(store, number)
        for sentence in view["sentences"]:
            sentence["spaces"] = [int(space) for space in sentence["spaces"]]
        texts[number] = {"view": view, "samples": _samples(document, n_samples)}
        advance(1)
    return texts


def _samples(document: StoredDocument, n_samples: int) -> list[Columns]:
    if document.clusterings is None:
        return []
    return [
        {
            "entities": labels.tolist(),
            "actors": [int(event.samples[at]) for event in document.events],
            "evidence": [int(evidence.samples[at]) for evidence in document.evidence],
        }
        for at, labels in enumerate(document.clusterings[:n_samples])
    ]


def _periods(store: Store, actor: str, period: str) -> Rows:
    rows = series(store, [actor], period=period)[actor]
    return [{name: row[name] for name in ("period", "start", "end", "documents", "incomplete")} for row in rows]


def _series(store: Store, actors: Sequence[str], period: str, unit: str, level: float, advance: Advance) -> Columns:
    """Return the columns of a series by kind of interval and actor."""
    series_by_interval = {}
    for interval in INTERVALS:
        rows_by_actor = series(store, actors, period=period, level=level, interval=interval, unit=unit)
        series_by_interval[interval] = {actor: _columns(rows, SERIES) for actor, rows in rows_by_actor.items()}
        advance(1)
    return series_by_interval


def _comparisons(store: Store, pairs: Pairs, period: str, unit: str, level: float, advance: Advance) -> list[Columns]:
    comparisons = []
    for first, second in pairs:
        rows = compare(store, first, second, period=period, level=level, unit=unit)
        comparisons.append({"first": first, "second": second, **_columns(rows, SIDES)})
        advance(1)
    return comparisons


def _corrections(
    store: Store,
    actors: Sequence[str],
    pairs: Pairs,
    lengths: Sequence[str],
    level: float,
    advance: Advance,
    language: str,
) -> Columns:
    """Return corrected series by length of period and unit, and corrected comparisons; empty without labels."""
    if find_labelling(store) is None:
        return {}
    series: Columns = {period: {} for period in lengths}
    compared: Columns = {period: [] for period in lengths}
    for period in lengths:
        for unit in UNITS:
            result = corrected(store, period=period, unit=unit, level=level)
            series[period][unit] = _restrict_answer(with_translated_checks(result, language), actors)
            advance(FIT_SAMPLES if unit in CORRECTED_UNITS else 0)
        for first, second in pairs:
            corrections = corrected_pair(store, first, second, period=period, level=level)
            compared[period].append({"first": first, "second": second, **_packed(corrections)})
            advance(1)
    return {"corrected": series, "correctedPairs": compared}


def _restrict_answer(answer: Columns, actors: Sequence[str]) -> Columns:
    """Return a corrected series with only some actors, and with rounded numbers."""
    if "reason" in answer:
        return answer
    series = {
        actor: {name: [_short(value) for value in values] for name, values in columns.items()}
        for actor, columns in answer["series"].items()
        if actor in actors
    }
    totals = {actor: {name: _short(value) for name, value in answer["totals"][actor].items()} for actor in series}
    return {**answer, "series": series, "totals": totals}


def _packed(corrected: Columns) -> Columns:
    if "reason" in corrected:
        return corrected
    total = {name: _short(corrected["total"][name]) for name in SIDES}
    return {"columns": _columns(corrected["rows"], SIDES), "total": total}


def _columns(rows: Rows, names: Sequence[str]) -> Columns:
    return {name: [_short(row[name]) for row in rows] for name in names}


def _short(value: float | None) -> float | int | None:
    """Round a number to six digits; whole numbers become integers."""
    if value is None:
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
