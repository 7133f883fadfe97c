"""The parameters of queries to an events store, declared once for the command line and the page."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from howsure.inputs.periods import PERIODS
from howsure_events.series.actor_comparison import COUNTED
from howsure_events.series.counts import INTERVALS
from howsure_events.series.event_series import UNITS
from howsure_events.series.raw_counts import STORIES

REQUIRED = inspect.Parameter.empty
MOST_LISTED = 1000  # documents


@dataclass(frozen=True, slots=True)
class Asked:
    """A parameter: what it is, its sign, and what it takes: some words, a number from 0 to 1, a whole one to `most`."""

    about: str
    words: tuple[str, ...] = ()
    most: int | None = None
    sign: str | None = None


ASKED = {
    "period": Asked("Length of a period.", PERIODS),
    "unit": Asked("Count documents, their share of all documents, or the entities that act.", UNITS),
    "interval": Asked(
        "Exact distribution of the count, the paper's normal one, or quantiles of the samples.", INTERVALS
    ),
    "stories": Asked(
        "Treat documents of one story (reprints) as one source, or all documents as independent.", STORIES
    ),
    "overdispersion": Asked("Correlation of the events of different stories, from 0 to below 1.", sign="RHO"),
    "level": Asked("Level of the intervals."),
    "low": Asked("Lowest probability."),
    "high": Asked("Highest probability."),
    "limit": Asked("Number of documents.", most=MOST_LISTED),
}
OF_PAIRS = {"unit": Asked("Count documents, or the entities that act.", tuple(COUNTED))}  # of actors that are compared


def defaults_of(question: Callable[..., Any]) -> dict[str, Any]:
    """The default of each parameter of a query; `REQUIRED` for one without a default."""
    return {name: parameter.default for name, parameter in inspect.signature(question).parameters.items()}
