"""Which of two actors acts in more documents of a period: from the joint samples of each document."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.events.counts import CountComparison, compare_counts
from howsure.events.periods import period_of, period_start
from howsure.events.result_table import UNDEFINED, html_table, number, text_table
from howsure.events.store_reading import (
    Store,
    as_bits,
    as_counts,
    chosen_actors,
    documents_by_period,
    number_of_samples,
    period_end,
    recipe_of,
    rows_of,
    title_of,
)
from howsure.stats.checks import check_level
from howsure.stats.frames import to_frame
from howsure.stats.naming import counted, unknown_name

COUNTED = {"documents": "samples", "entities": "entities"}  # unit -> column of the table `events`


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """P(n_A > n_B), P(n_A = n_B) and P(n_A < n_B) in a period, and the mean and the interval of n_A - n_B.

    All but the number of documents is NaN in a period without documents.
    """

    period: str
    start: str
    end: str
    n_documents: int
    greater: float
    equal: float
    less: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class ActorComparison:
    """Two actors compared by period, and how; `silent` are those of them that act in no document."""

    first: str
    second: str
    rows: tuple[PeriodComparison, ...]
    titles: Mapping[str, str]
    recipe: Mapping[str, Any]
    silent: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The recipe and the rows as plain values; what is undefined is None."""
        rows = [{name: None if value != value else value for name, value in asdict(row).items()} for row in self.rows]
        actors = {"first": self.first, "second": self.second, "titles": dict(self.titles)}
        return {"recipe": dict(self.recipe), **actors, "rows": rows}

    def to_frame(self, backend: str | None = None) -> Any:
        """The rows as a data frame of pandas, polars or pyarrow."""
        names = [field.name for field in fields(PeriodComparison)]
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headings and cells of the comparison as text."""
        a, b = self.first, self.second
        rows = [
            [
                row.period,
                f"{row.n_documents:,}",
                *(number(p, 3) for p in (row.greater, row.equal, row.less)),
                UNDEFINED if row.n_documents == 0 else f"{row.mean:.1f} [{row.low:g}, {row.high:g}]",
            ]
            for row in self.rows
        ]
        return ["period", "documents", f"P({a} > {b})", "P(equal)", f"P({a} < {b})", "difference"], rows

    def verdict(self) -> str:
        """In how many periods one acts in more, with a probability of the level or more, and in how many it is open."""
        level, by, a, b = self.recipe["level"], self.recipe["by"], self.first, self.second
        if len(self.silent) == 2:
            return f"Neither {a} nor {b} acts in any document of the store."
        silence = "".join(f"{actor} acts in no document of the store. " for actor in self.silent)
        told = [row for row in self.rows if row.n_documents]
        n = len(told)
        sides = ("greater", "less", "equal")
        more, fewer, equal = (sum(getattr(row, side) >= level for row in told) for side in sides)
        return (
            f"{silence}Of {counted(n, by)} with documents, {a} acts in more in {more} and {b} in {fewer}, "
            f"with probability {level:g} or more; {equal} {'is' if equal == 1 else 'are'} equal; in "
            f"{n - more - fewer - equal} there is no conclusion."
        )

    def __str__(self) -> str:
        return f"{text_table(*self.table())}\n{self.verdict()}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(*self.table(), caption=self.verdict())


def compare_actors(
    store: Store, first: str, second: str, *, by: str = "quarter", level: float = 0.95, unit: str = "documents"
) -> ActorComparison:
    """P(n_A > n_B) by period, for the numbers of documents (or of entities) in which two actors act.

    The two share each document's clusterings: D_A - D_B has the law of its joint samples, and these laws are convolved
    over the documents, which are independent. Overlapping bands of two series do not answer this question.

    >>> from howsure.events import example_store
    >>> with example_store() as store:
    ...     comparison = compare_actors(store, "NORLAND", "SUDORIA", by="year")
    >>> [(row["period"], round(row["greater"], 2), round(row["less"], 2)) for row in comparison.to_dict()["rows"]]
    [('2001', 0.15, 0.7), ('2002', 0.09, 0.77)]

    Raises InputError for an actor that the store does not hold, one actor named twice, or another option.
    """
    level = check_level(level)
    if unit not in COUNTED:
        raise unknown_name("unit", unit, list(COUNTED), place="comparisons")
    n_samples = number_of_samples(store)
    sizes = documents_by_period(store, by)
    chosen = chosen_actors(store, [first, second])
    if len(chosen) < 2:
        raise InputError(f"first and second must be different actors; both are {first}.")
    first, second = chosen
    samples = _samples(store, first, second, by, COUNTED[unit])
    rows = []
    for period, n in sizes.items():
        bounds = str(period_start(period)), str(period_end(period, by))
        if n == 0:
            rows.append(PeriodComparison(period, *bounds, 0, *[math.nan] * 6))
            continue
        one = _compared(samples.get(period, []), n_samples, unit, level)
        found = (one.more, one.equal, one.fewer, one.mean, one.low, one.high)
        rows.append(PeriodComparison(period, *bounds, n, *found))
    recipe = recipe_of(store, by=by, level=level, unit=unit, documents=sum(sizes.values()))
    titles = {actor: title_of(store, actor) for actor in (first, second)}
    pairs = [pair for held in samples.values() for pair in held]
    silent = tuple(actor for side, actor in enumerate(chosen) if all(pair[side] is None for pair in pairs))
    return ActorComparison(first, second, tuple(rows), titles, recipe, silent)


Pair = tuple[bytes | None, bytes | None]


def _samples(store: Store, first: str, second: str, by: str, column: str) -> dict[str, list[Pair]]:
    """What is drawn of the two actors in each document that has one of them, by period."""
    found = rows_of(
        store,
        f"SELECT date_trunc('{by}', any_value(d.date))::DATE, any_value(e.{column}) FILTER (e.actor = $first), "
        f"any_value(e.{column}) FILTER (e.actor = $second) FROM events e JOIN documents d USING (document) "
        "WHERE e.actor IN ($first, $second) GROUP BY document ORDER BY document",
        first=first,
        second=second,
    )
    by_start: dict[datetime.date, list[Pair]] = defaultdict(list)
    for start, one, other in found:
        by_start[start].append((one, other))
    return {period_of(start, by=by): pairs for start, pairs in by_start.items()}


def _compared(pairs: list[Pair], n_samples: int, unit: str, level: float) -> CountComparison:
    size = n_samples if unit == "entities" else -(-n_samples // 8)
    read = as_counts if unit == "entities" else as_bits
    sides = [read([pair[side] or bytes(size) for pair in pairs], n_samples).astype(np.int64) for side in (0, 1)]
    return compare_counts(*sides, level=level)
