"""The parameters of queries to an events store, declared once for the command line and the explorer's page."""

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
MAX_LISTED = 1000  # documents in a list


@dataclass(frozen=True, slots=True)
class QueryParameter:
    """A parameter of queries: its description (about), its values, and its symbol in the help (sign).

    The values are the given `words`; whole numbers up to `most`; or, if neither is given, numbers from 0 to 1.
    """

    about: str
    words: tuple[str, ...] = ()
    most: int | None = None
    sign: str | None = None


QUERY_PARAMETERS = {
    "period": QueryParameter("Length of a period.", PERIODS),
    "unit": QueryParameter("Count documents, their share of all documents, or the entities that act.", UNITS),
    "interval": QueryParameter(
        "Exact distribution of the count, the paper's normal one, or quantiles of the samples.", INTERVALS
    ),
    "stories": QueryParameter(
        "Treat documents of one story (reprints) as one source, or all documents as independent.", STORIES
    ),
    "overdispersion": QueryParameter(
        "Correlation of the events of different stories, at least 0 and below 1.", sign="RHO"
    ),
    "level": QueryParameter("Level of the intervals."),
    "low": QueryParameter("Lowest probability."),
    "high": QueryParameter("Highest probability."),
    "limit": QueryParameter("Number of documents.", most=MAX_LISTED),
}
# of actors that are compared
COMPARISON_PARAMETERS = {"unit": QueryParameter("Count documents, or the entities that act.", tuple(COUNTED))}


def query_defaults(question: Callable[..., Any]) -> dict[str, Any]:
    """Return the default of each parameter of a query; `REQUIRED` for a parameter without a default."""
    return {name: parameter.default for name, parameter in inspect.signature(question).parameters.items()}
