"""Time series of events: the posterior mean and interval of each actor's count in each period of a store."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.numbers_and_names import check_level, counted, shortened, unknown_name
from howsure.inputs.parameter_types import Axes, Figure
from howsure.inputs.periods import Day, find_period, period_end, period_start
from howsure.result import as_json, plain
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, digits, number, span
from howsure_events.series.corrected_series import ALL, MAX_ANSWERED, ActorRows, CorrectedSeries
from howsure_events.series.counts import (
    INTERVALS,
    Count,
    check_overdispersion,
    count_from_samples,
    counts_from_probabilities,
)
from howsure_events.series.raw_counts import (
    APART,
    STORY,
    TOGETHER,
    RawCounts,
    check_stories,
    dependence_recipe,
    period_recipe,
    shared_stories,
)
from howsure_events.store.store_queries import (
    Columns,
    Store,
    actor_title,
    check_unit_known,
    checked_length,
    chosen_actors,
    documents_by_period,
    incomplete_periods,
    is_imported,
    number_of_samples,
    query_columns,
    requested_days,
    store_recipe,
)
from howsure_events.store.tables import as_bits, as_counts


@dataclass(frozen=True, slots=True)
class PeriodCount:
    """The count of one actor in one period: posterior mean, interval, variance, and Monte Carlo error of the mean.

    best: the count in the 1-best clustering; None if unknown. n_documents: the number of documents of the period, with
    and without events. If the unit is "share", the values are proportions of n_documents, and NaN if it is 0.
    """

    actor: str
    period: str
    mean: float
    low: float
    high: float
    variance: float
    monte_carlo_error: float
    best: float | None
    n_documents: int

    @classmethod
    def of(cls, count: Count, actor: str, period: str, best: float, n: int, *, share: bool) -> PeriodCount:
        """Return the row of a count among n documents; its values are NaN if n is 0."""
        if n == 0:
            return cls(actor, period, math.nan, math.nan, math.nan, math.nan, math.nan, None, 0)
        per = 1.0 / n if share else 1.0
        mean, low, high = count.mean * per, count.low * per, count.high * per
        return cls(
            actor, period, mean, low, high, count.variance * per**2, count.monte_carlo_error * per, best * per, n
        )


def events_column(interval: str, unit: str) -> str:
    """Return the column of the table `events` on which a count is based."""
    if unit == "entities":
        return "entities"
    return "probability" if interval == "exact" else "samples"


def stored_events(
    store: Store, actors: Sequence[str], period: str, column: str, days: tuple[datetime.date, datetime.date]
) -> dict[tuple[str, str], Columns]:
    """Return by actor and period the events' values of a column, 1-best counts, and stories."""
    best = "best_entities" if column == "entities" else "best"
    columns = query_columns(
        store,
        f"SELECT e.actor, date_trunc('{period}', d.date)::DATE AS start, e.{column} AS value, e.{best} AS best, "
        f"{STORY} AS story FROM events e JOIN documents d USING (document) LEFT JOIN stories s USING (document) "
        "WHERE list_contains($actors, e.actor) AND d.date BETWEEN $low AND $high ORDER BY e.actor, start, document",
        actors=list(actors),
        low=days[0],
        high=days[1],
    )
    code, start = columns["actor"], columns["start"].astype("datetime64[D]")
    if not len(code):
        return {}
    edges = np.flatnonzero((code[1:] != code[:-1]) | (start[1:] != start[:-1])) + 1
    cells = {}
    for low, high in zip([0, *edges.tolist()], [*edges.tolist(), len(code)], strict=True):
        key = str(code[low]), find_period(start[low].item(), period=period)
        cells[key] = {name: columns[name][low:high] for name in NONE}
    return cells


NONE: Columns = {name: np.empty(0) for name in ("value", "best", "story")}


def compute_counts(
    cells: Sequence[tuple[Any, Any]], interval: str, unit: str, n_samples: int, how: Mapping[str, Any], *, exact: bool
) -> list[Count]:
    """Return the posteriors of counts, one for each cell (values, stories).

    exact: the probabilities come from another model, so they are not estimated from samples.
    """
    if interval == "exact" and unit != "entities":
        return counts_from_probabilities(cells, n_samples=None if exact else n_samples, **how)
    convert, nothing = as_counts if unit == "entities" else as_bits, Count(0.0, 0.0, 0.0, 0.0, 0.0)
    return [
        count_from_samples(convert(values, n_samples).astype(np.int64), interval=interval, stories=stories, **how)
        if len(values)
        else nothing
        for values, stories in cells
    ]


UNITS = ("documents", "share", "entities")
ROW_FIELDS = ("n_documents", "mean", "low", "high", "variance", "monte_carlo_error", "best")  # numbers in a frame


@dataclass(frozen=True, slots=True, repr=False)
class EventSeries(RawCounts[PeriodCount], ActorRows[PeriodCount]):
    """The time series of actors of a store: one row per actor and period, the titles of the actors, and the recipe.

    In a period without documents, all values except n_documents are NaN. corrected: the series corrected with labels,
    next to which this series is called raw; None if there is none, and `not_corrected` then gives the reason.
    incomplete: periods that may be incomplete, because the documents begin or end in them.
    """

    rows: tuple[PeriodCount, ...]
    titles: Mapping[str, str]
    recipe: Mapping[str, Any]
    corrected: CorrectedSeries | None = None
    not_corrected: str = ""
    incomplete: tuple[str, ...] = as_json(None, default=())

    named = ""

    @property
    def period(self) -> str:
        """The length of the periods."""
        return str(self.recipe["period"])

    def with_corrected(self, corrected: CorrectedSeries) -> EventSeries:
        """Return this series together with the corrected one; tables, exports and figures show both.

        Raises InputError unless both have the same length of period, unit and level.
        """
        for name in ("period", "unit", "level"):
            if self.recipe[name] != corrected.recipe[name]:
                raise InputError(
                    f"corrected must have the same {name}, {self.recipe[name]}; it has {corrected.recipe[name]}."
                )
        return replace(self, corrected=corrected)

    def raw_total(self, actor: str) -> float:
        """Return the expected number of an actor's documents over all periods, or their proportion."""
        rows_with_documents = [row for row in self.rows_of(actor) if row.n_documents]
        if self.unit != "share":
            return sum(row.mean for row in rows_with_documents)
        return sum(row.mean * row.n_documents for row in rows_with_documents) / max(
            sum(row.n_documents for row in rows_with_documents), 1
        )

    def to_dict(self) -> dict[str, Any]:
        """The recipe, the titles and the rows as plain values, and the corrected series; undefined values are None."""
        content = {"recipe": plain(self.recipe), "titles": dict(self.titles), "rows": self.records()}
        return content | self.corrected_dict()

    @checks_axes
    def plot(self, ax: Axes | None = None, *, actors: Sequence[str] | None = None) -> Axes:
        """Draw the series of some actors (None: all) in one panel, on axes `ax` (None: new ones).

        Raises InputError for more than four actors, or an actor without a series.
        """
        from howsure_events.figures import event_axes

        return event_axes(self, ax=ax, actors=actors)

    def figure(self, *, panels: Sequence[Sequence[str]] | None = None, title: str | None = None) -> Figure:
        """Return a matplotlib figure with a panel per actor, or with `panels` of several actors each."""
        from howsure_events.figures import event_figure

        return event_figure(self, panels=panels, title=title)

    def table_rows(self) -> Sequence[PeriodCount]:
        """The rows; with a corrected series also a total per actor, which has no interval for the raw count."""
        if self.corrected is None:
            return self.rows
        totals = (
            PeriodCount(
                actor,
                ALL,
                mean=self.raw_total(actor),
                **dict.fromkeys(("low", "high", "variance", "monte_carlo_error"), math.nan),
                best=None,
                n_documents=sum(row.n_documents for row in self.rows_of(actor)),
            )
            for actor in self.actors
        )
        return (*self.rows, *totals)

    def frame_rows(self) -> Sequence[PeriodCount]:
        """The rows of periods, without totals."""
        return self.rows

    def columns(self) -> Sequence[Column]:
        """Return the columns of tables, and those of frames and CSV, which have one row per actor and period."""
        first, last = (bound(row.period for row in self.rows) for bound in (min, max))
        share, normal, corrected = self.unit == "share", self.recipe["interval"] == "normal", self.corrected
        counts = "share" if share else f"{self.unit} with an event"
        names = ("raw", "raw interval") if corrected is not None else (counts, f"{100 * self.level:g}% interval")
        decimals, ends, best = (4, 4, 4) if share else (1, int(normal), 0)
        tidy: dict[str, Callable[[PeriodCount], Any]] = {
            "actor": lambda row: row.actor,
            "title": lambda row: self.titles[row.actor],
            "period": lambda row: row.period,
            "start": lambda row: period_start(first if row.period == ALL else row.period),
            "end": lambda row: period_end(last if row.period == ALL else row.period),
        }
        title = Column("title", WORDS, get=lambda row: self.titles[row.actor], only=TABLE)
        return [
            *(Column(name, WORDS, get=get, only=FRAME) for name, get in tidy.items()),
            *(Column(name, NUMBER, only=FRAME) for name in ROW_FIELDS),
            Column("actor", WORDS, only=TABLE),
            *([] if all(code == title for code, title in self.titles.items()) else [title]),
            Column("period", WORDS, only=TABLE),
            Column("n_documents", COUNT, "documents", only=TABLE),
            Column("mean", digits(decimals), names[0], only=TABLE),
            Column("interval", span(ends), names[1], get=lambda row: (row.low, row.high), only=TABLE),
            Column("best", digits(best), "1-best", only=TABLE),
            *([] if corrected is None else corrected.columns_beside(self)),
        ]

    @property
    def answer(self) -> str:
        """Return a sentence with the total counts of the most frequent actors, corrected if possible."""
        if self.corrected is not None and self.corrected.totals:
            return self.corrected.answer
        totals = sorted(((self.raw_total(actor), self.titles[actor]) for actor in self.actors), reverse=True)
        counts = [f"{title} {number(total, 3 if self.unit == 'share' else 1)}" for total, title in totals]
        what = "Expected share of documents" if self.unit == "share" else f"Expected number of {self.unit}"
        return f"{what} with an event, by the model alone: {shortened(counts, limit=MAX_ANSWERED)}."

    @property
    def provenance(self) -> str:
        """The event, the documents, actors and periods, and the level of the intervals."""
        n, periods = sum(row.n_documents for row in self.rows_of(self.actors[0])), [row.period for row in self.rows]
        actors = f"{counted(len(self.titles), 'actor')} by {self.period}, {periods[0]} to {periods[-1]}"
        method = f" ({self.recipe['interval']})" if self.corrected is None else ""
        return f"{self.event}: {counted(n, 'document')}, {actors}. {100 * self.level:g}% intervals{method}."

    def footnotes(self) -> Sequence[str]:
        """The data and assumptions on which the counts are based."""
        explained = [] if self.corrected is None else self.corrected.explained
        return [*self.assumptions(), *explained]


def event_series(
    store: Store,
    *,
    period: str = "quarter",
    actors: Sequence[str] | None = None,
    level: float = 0.95,
    interval: str = "exact",
    unit: str = "documents",
    stories: str = TOGETHER,
    overdispersion: float = 0.0,
    since: Day | None = None,
    until: Day | None = None,
) -> EventSeries:
    """Return the posterior counts of actors by period: n(t, c) = Σ D(c, x_d, e_d) over the documents d of period t.

    period: "week", "month", "quarter" or "year"; all periods between the first and the last document are included, or
    those from the day `since` to the day `until`. actors: codes or titles; None means all, by decreasing expected
    count. unit: "documents" in which an entity of the actor acts; their "share" among all documents of the period
    (including those left out because they name no actor); or the number of "entities" that act.

    Documents are independent given the model. The mean is Σ p_d, and the variance is Σ p_d (1 - p_d), times S/(S - 1)
    because p_d is a mean over S samples. interval: "exact" has the quantiles of the Poisson-binomial distribution or,
    for entities, of the convolved distributions; "normal", as in the paper, is mean ± z · sd of the S totals; "samples"
    has the quantiles of these totals.

    stories: "together" treats documents of one story (reprints) as perfectly dependent, so the variance of a story of k
    equal documents is k² p (1 - p); "apart" treats all documents as independent, as in the paper. overdispersion: the
    correlation ρ of documents of different stories, in which the model may make the same errors; n equal documents then
    have the variance n p (1 - p) (1 + (n - 1) ρ). See `howsure_events.series.counts`.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     series = event_series(store, period="year", actors=["NORLAND"])
    >>> [(row.period, round(row.mean, 1), row.low, row.high, row.best) for row in series.rows_of("NORLAND")]
    [('2001', 6.3, 4.0, 9.0, 6.0), ('2002', 2.5, 1.0, 4.0, 4.0)]

    Raises InputError for an actor that is not in the store, an invalid option, or a store without events.
    Source: Nguyen & O'Connor (2015), section 6.
    """
    check_arguments(event_series, locals())
    level, n_samples = check_level(level), number_of_samples(store)
    checked_length(period)
    for name, value, allowed in (("interval", interval, INTERVALS), ("unit", unit, UNITS)):
        if value not in allowed:
            raise unknown_name(name, value, allowed, place="event series")
    check_unit_known(store.settings, unit)
    check_stories(stories)
    overdispersion = check_overdispersion(overdispersion)
    if n_samples < 2:
        raise InputError(
            "the store must have at least 2 samples, because one sample does not show their spread; it has 1. "
            "Extract the events again with samples=2 or more."
        )
    sizes = documents_by_period(store, period, since=since, until=until)
    chosen = chosen_actors(store, actors)
    cells = stored_events(store, chosen, period, events_column(interval, unit), requested_days(since, until))
    cell_entries = [(actor, label, cells.get((actor, label), NONE)) for actor in chosen for label in sizes]
    values = [(cell["value"], None if stories == APART else shared_stories(cell["story"])) for *_, cell in cell_entries]
    how = {"level": level, "overdispersion": overdispersion}
    counts = compute_counts(values, interval, unit, n_samples, how, exact=is_imported(store.settings))
    rows = [
        PeriodCount.of(count, actor, label, float(cell["best"].sum()), sizes[label], share=unit == "share")
        for (actor, label, cell), count in zip(cell_entries, counts, strict=True)
    ]
    options = {"period": period, "level": level, "interval": interval, "unit": unit}
    recipe = store_recipe(
        store, **options, **dependence_recipe(store, stories, overdispersion), **period_recipe(sizes, since, until)
    )
    titles = {actor: actor_title(store, actor) for actor in chosen}
    return EventSeries(tuple(rows), titles, recipe, incomplete=incomplete_periods(store, list(sizes), since, until))
