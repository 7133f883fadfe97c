"""Which questions the page may ask of a store, each at an address of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from howsure.events.periods import PERIODS
from howsure.events.series.actor_comparison import COUNTED
from howsure.events.series.behind_a_point import HIGH, LOW
from howsure.events.series.counts import INTERVALS
from howsure.events.series.event_series import UNITS, event_series
from howsure.events.series.export import csv_text
from howsure.events.store.reading import Store
from howsure.explorer.corrections import corrected, corrected_pair, series_of_labels
from howsure.explorer.parameters import Parameter, fraction, number_or, one_of, whole, words
from howsure.explorer.queries import compare, document, doubtful, overview, point, series

MOST_ACTORS = 6  # panels of the chart
LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the store, by which parameters, and whether the answer is a table (CSV) rather than JSON.

    state: what the answer depends on besides, such as how much was written to the store.
    """

    ask: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    is_table: bool = False
    state: Callable[[], Hashable] = int


def export(store: Store, **asked: Any) -> str:
    """The series as a tidy table, with the corrected one if there are labels: CSV, numbers with all their digits."""
    series = event_series(store, **asked)
    beside = series_of_labels(store, by=series.by, level=series.level, unit=series.unit)
    return csv_text(series if isinstance(beside, str) else series.beside(beside))


BY = Parameter("by", one_of(PERIODS), "quarter")
LEVEL = Parameter("level", fraction, 0.95)
ACTOR = Parameter("actor", words)
SERIES = (
    Parameter("actors", words, most=MOST_ACTORS),
    BY,
    LEVEL,
    Parameter("interval", one_of(INTERVALS), "exact"),
    Parameter("unit", one_of(UNITS), "documents"),
)
COMPARISON = (
    Parameter("first", words),
    Parameter("second", words),
    BY,
    LEVEL,
    Parameter("unit", one_of(list(COUNTED)), "documents"),
)
CORRECTED = (BY, LEVEL, Parameter("unit", one_of(UNITS), "documents"))
DOUBTFUL = (
    Parameter("actor", words, None),
    Parameter("low", fraction, LOW),
    Parameter("high", fraction, HIGH),
    Parameter("limit", whole(1, 1000), 50),
)

QUESTIONS = {
    "overview": Question(overview),
    "series": Question(series, SERIES),
    "point": Question(point, (ACTOR, BY, Parameter("period", words))),
    "document": Question(
        document,
        (Parameter("number", whole(0, LARGEST)), Parameter("sample", number_or("best", high=LARGEST), "best")),
    ),
    "compare": Question(compare, COMPARISON),
    "corrected": Question(corrected, CORRECTED),
    "corrected-pair": Question(corrected_pair, COMPARISON[:-1]),
    "doubtful": Question(doubtful, DOUBTFUL),
    "export.csv": Question(export, SERIES, is_table=True),
}
