"""The events of a store that a series counts: per actor and period, their probabilities or samples, and their count."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.events.periods import period_of
from howsure.events.series.counts import Count, count_from_probabilities, count_from_samples
from howsure.events.series.dependence_choices import STORY
from howsure.events.store.packed_samples import as_bits, as_counts
from howsure.events.store.reading import Columns, Store, columns_of


def column_of(interval: str, unit: str) -> str:
    """The column of the table `events` on which a count is based."""
    if unit == "entities":
        return "entities"
    return "probability" if interval == "exact" else "samples"


def stored_events(
    store: Store, actors: Sequence[str], by: str, column: str, days: tuple[datetime.date, datetime.date]
) -> dict[tuple[str, str], Columns]:
    """For the events of each actor and period: the values of a column, the 1-best counts, and the stories."""
    best = "best_entities" if column == "entities" else "best"
    held = columns_of(
        store,
        f"SELECT e.actor, date_trunc('{by}', d.date)::DATE AS start, e.{column} AS value, e.{best} AS best, "
        f"{STORY} AS story "
        "FROM events e JOIN documents d USING (document) LEFT JOIN stories s USING (document) "
        "WHERE list_contains($actors, e.actor) AND d.date BETWEEN $low AND $high ORDER BY e.actor, start, document",
        actors=list(actors),
        low=days[0],
        high=days[1],
    )
    code, start = held["actor"], held["start"].astype("datetime64[D]")
    if not len(code):
        return {}
    edges = np.flatnonzero((code[1:] != code[:-1]) | (start[1:] != start[:-1])) + 1
    cells = {}
    for low, high in zip([0, *edges.tolist()], [*edges.tolist(), len(code)], strict=True):
        key = str(code[low]), period_of(start[low].item(), by=by)
        cells[key] = {name: held[name][low:high] for name in NONE}
    return cells


NONE: Columns = {name: np.empty(0) for name in ("value", "best", "story")}


def count_of(
    values: Any, interval: str, unit: str, n_samples: int, how: Mapping[str, Any], *, exact: bool = False
) -> Count:
    """The posterior of a count; exact: the probabilities are given, not estimated from the samples."""
    if not len(values):
        return Count(0.0, 0.0, 0.0, 0.0, 0.0)
    if interval == "exact" and unit != "entities":
        return count_from_probabilities(values, n_samples=None if exact else n_samples, **how)
    read = as_counts if unit == "entities" else as_bits
    return count_from_samples(read(values, n_samples).astype(np.int64), interval=interval, **how)
