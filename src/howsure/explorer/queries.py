"""What the page asks of an events store; every answer is plain values, ready to be sent as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.events.labels.labelling import labelling_of
from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.behind_a_point import HIGH, LOW, documents_of, doubtful_documents
from howsure.events.series.event_series import UNITS, event_series
from howsure.events.store.origin import is_imported, known_units, uncertainty_in
from howsure.events.store.reading import Store, actors_in, event_of, rows_of, settings_of, title_of
from howsure.explorer.document_view import Sample, document_view

SERIES = {"n_documents": "documents"}  # what the page calls a column otherwise


def overview(store: Store) -> dict[str, Any]:
    """What the store holds: actors by falling expected count, dates, documents kept and left out, the event that
    is counted, what the bands include, what can be counted, the settings, and what readers were asked, if any were.

    >>> from howsure.events import example_store
    >>> with example_store() as store:
    ...     overview(store)["actors"][0]
    {'code': 'SUDORIA', 'title': 'Sudoria', 'documents': 26, 'expected': 12.06}
    """
    n, first, last = rows_of(store, "SELECT count(*), min(date), max(date) FROM documents")[0]
    left_out = rows_of(store, "SELECT reason, count(*) AS n FROM left_out GROUP BY reason ORDER BY n DESC, reason")
    asked = labelling_of(store)
    labels = {} if asked is None else {"labels": {"question": asked.question, "actors": list(asked.actors)}}
    return {
        "actors": [
            {"code": actor, "title": title_of(store, actor), "documents": documents, "expected": expected}
            for actor, (documents, expected) in actors_in(store).items()
        ],
        "first": None if first is None else first.isoformat(),
        "last": None if last is None else last.isoformat(),
        "documents": int(n),
        "left_out": {reason: int(count) for reason, count in left_out},
        "event": event_of(store),
        "imported": is_imported(store.settings),
        "uncertainty": uncertainty_in(store.settings),
        "units": known_units(store.settings, UNITS),
        "settings": settings_of(store),
        **labels,
    }


def series(
    store: Store,
    actors: Sequence[str],
    *,
    by: str = "quarter",
    level: float = 0.95,
    interval: str = "exact",
    unit: str = "documents",
) -> dict[str, list[dict[str, Any]]]:
    """For each actor its periods: period, start, end, documents, mean, low, high, variance and the 1-best count.

    What is undefined is None: all in a period without documents.
    Raises InputError as `event_series` does.
    """
    held = event_series(store, by=by, actors=actors, level=level, interval=interval, unit=unit)
    found: dict[str, list[dict[str, Any]]] = {actor: [] for actor in held.actors}
    for row in held.to_dict()["rows"]:
        shown = {SERIES.get(name, name): value for name, value in row.items() if name not in ("actor", "title")}
        found[row["actor"]].append(shown)
    return found


def point(store: Store, actor: str, *, by: str, period: str) -> list[dict[str, Any]]:
    """The documents behind a point of a series, ranked by probability; `doubtful` marks those near one half.

    Raises InputError for an actor or a period that the store does not hold.
    """
    return documents_of(store, actor, by=by, period=period)


def document(store: Store, number: int, *, sample: Sample = None) -> dict[str, Any]:
    """A document with its mentions clustered as in one sample, or as in the 1-best; see `document_view`."""
    return document_view(store, number, sample=sample)


def compare(
    store: Store, first: str, second: str, *, by: str = "quarter", level: float = 0.95, unit: str = "documents"
) -> list[dict[str, Any]]:
    """By period its documents, P(n_A > n_B) as greater, equal, less, and the difference; see `compare_actors`."""
    held = compare_actors(store, first, second, by=by, level=level, unit=unit).to_dict()["rows"]
    return [{SERIES.get(name, name): value for name, value in row.items()} for row in held]


def doubtful(
    store: Store, *, low: float = LOW, high: float = HIGH, actor: str | None = None, limit: int = 50
) -> list[dict[str, Any]]:
    """Documents whose event is uncertain, with the links that it hinges on; see `doubtful_documents`."""
    return doubtful_documents(store, low=low, high=high, actor=actor, limit=limit)
