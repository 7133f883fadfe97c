"""Comparison of two actors by period: which of them acts in more documents, from joint samples of each document."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.numbers_and_names import check_level, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.periods import Day, find_period, period_end, period_start
from howsure.notes import FINDING, Note
from howsure.result import as_json, plain_dict
from howsure.show.table import (
    COUNT,
    FRAME,
    NUMBER,
    TABLE,
    UNDEFINED,
    WORDS,
    Column,
    Kind,
    Table,
    digits,
    interval,
    number,
)
from howsure_events.series.corrected_comparison import CorrectedComparison, comparison_verdict
from howsure_events.series.counts import check_overdispersion, compare_laws, difference_laws, story_sums
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
    Store,
    actor_title,
    check_unit_known,
    chosen_actors,
    documents_by_period,
    number_of_samples,
    query_columns,
    remembered_answer,
    requested_days,
    store_recipe,
)
from howsure_events.store.tables import as_bits, as_counts

NONE = np.zeros((0, 3))  # the distributions of no document
COUNTED = {"documents": "samples", "entities": "entities"}  # unit -> column of the table `events`


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """The comparison of two actors' counts in a period, n_A and n_B.

    greater, equal, less: P(n_A > n_B), P(n_A = n_B) and P(n_A < n_B). mean, low, high: mean and interval of n_A - n_B.
    greater_low to greater_high and less_low to less_high: intervals of the Monte Carlo error of greater and less, which
    arises because each document was sampled only a limited number of times. In a period without documents, all values
    except n_documents are NaN.
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
    greater_low: float
    greater_high: float
    less_low: float
    less_high: float


@dataclass(frozen=True, slots=True, repr=False)
class ActorComparison(RawCounts[PeriodComparison]):
    """Two actors compared by period, with the recipe.

    silent: the actors that act in no document. corrected: the comparison by corrected counts. If it is None,
    `not_corrected` gives the reason.
    """

    first: str
    second: str
    titles: Mapping[str, str]
    rows: tuple[PeriodComparison, ...]
    recipe: Mapping[str, Any]
    silent: tuple[str, ...] = as_json(None, default=())
    corrected: CorrectedComparison | None = as_json(None, default=None)
    not_corrected: str = as_json(None, default="")

    named = "period"

    def with_corrected(self, corrected: CorrectedComparison) -> ActorComparison:
        """Return this comparison together with the one by corrected counts; its table shows both.

        Raises InputError unless both compare the same actors in the same periods.
        """
        ours = self.first, self.second, [row.period for row in self.rows]
        if ours != (corrected.first, corrected.second, [row.period for row in corrected.rows]):
            raise InputError("corrected must compare the same actors in the same periods.")
        return replace(self, corrected=corrected)

    def to_dict(self) -> dict[str, Any]:
        """The recipe and the rows as plain values, and the corrected comparison; undefined values are None."""
        return plain_dict(self) | self.corrected_dict()

    def columns(self) -> Sequence[Column]:
        """One row per period; frames and CSV have all values, tables a selection."""
        a, b = self.first, self.second
        return [
            *(Column(field.name, NUMBER, only=FRAME) for field in fields(PeriodComparison)),
            *([] if self.corrected is None else self.corrected.columns_beside()),
            Column("period", WORDS, "period" if self.corrected is None else "raw", only=TABLE),
            Column("n_documents", COUNT, "documents", only=TABLE),
            Column(
                "more", CHANCE, f"P({a} > {b})", get=attrgetter("greater", "greater_low", "greater_high"), only=TABLE
            ),
            Column("equal", digits(3), "P(equal)", only=TABLE),
            Column("fewer", CHANCE, f"P({a} < {b})", get=attrgetter("less", "less_low", "less_high"), only=TABLE),
            Column("difference", Kind(str), get=_difference, only=TABLE),
        ]

    def tables_above(self) -> Sequence[Table]:
        """The comparison by corrected counts."""
        if self.corrected is None:
            return ()
        _, *headings = (table := self.corrected.table()).headings
        return [replace(table, headings=["corrected", *headings], words=["corrected"], notes=())]

    @property
    def answer(self) -> str:
        """The numbers of periods in which each actor acts in more documents, by corrected counts if there are any."""
        return self._raw_verdict if self.corrected is None else self.corrected.verdict()

    @property
    def key_figures(self) -> str:
        """The comparison by corrected counts, if there are any."""
        return "\n\n".join(table.text() for table in self.tables_above())

    @property
    def _raw_verdict(self) -> str:
        return f"Raw counts. {self.verdict()}" if self.is_called_raw else self.verdict()

    @property
    def provenance(self) -> str:
        """The event, the documents, and the level of the intervals."""
        n = sum(row.n_documents for row in self.rows)
        return f"{self.event}: {counted(n, 'document')}. {100 * self.recipe['level']:g}% intervals."

    def footnotes(self) -> Sequence[str]:
        """The verdicts, and the assumptions."""
        corrected = [] if self.corrected is None else [Note(self.corrected.verdict(), FINDING)]
        return [*corrected, Note(self._raw_verdict, FINDING), *self.assumptions()]

    def verdict(self) -> str:
        """The numbers of periods in which each actor acts in more documents, and of undecided periods."""
        a, b = self.first, self.second
        needed = (1 + self.recipe["level"]) / 2  # the probability of one sign if the interval excludes 0
        if len(self.silent) == 2:
            return f"Neither {a} nor {b} acts in any document of the store."
        silence = "".join(f"{actor} acts in no document of the store. " for actor in self.silent)
        rows_with_documents = [row for row in self.rows if row.n_documents]
        open_ = sum(
            row.greater_low < needed <= row.greater_high or row.less_low < needed <= row.less_high
            for row in rows_with_documents
        )
        close = f" In {open_}, more samples may change that (Monte Carlo error)." if open_ else ""
        return f"{silence}{comparison_verdict(rows_with_documents, a, b, self.recipe)}{close}"


def compare_actors(
    store: Store,
    first: str,
    second: str,
    *,
    period: str = "quarter",
    level: float = 0.95,
    unit: str = "documents",
    stories: str = TOGETHER,
    overdispersion: float = 0.0,
    since: Day | None = None,
    until: Day | None = None,
    monte_carlo: bool = True,
) -> ActorComparison:
    """Estimate P(n_A > n_B) by period, where n_A and n_B count the documents (or entities) in which two actors act.

    In each document the counts of both actors come from the same sampled clusterings, so their difference has the
    distribution of its joint samples. These distributions are convolved over stories, which are independent. Whether
    the intervals of two separate series overlap does not answer this question.

    stories, since, until: as in `event_series`; overdispersion: as there, but of the differences. monte_carlo: also
    compute the intervals of the Monte Carlo error of the probabilities; if False, they are NaN, which saves time with a
    large store.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     comparison = compare_actors(store, "NORLAND", "SUDORIA", period="year")
    >>> [(row["period"], round(row["greater"], 2), round(row["less"], 2)) for row in comparison.to_dict()["rows"]]
    [('2001', 0.15, 0.7), ('2002', 0.09, 0.77)]

    Raises InputError for an actor that is not in the store, the same actor twice, or an invalid option.
    """
    check_arguments(compare_actors, locals())
    level = check_level(level)
    if unit not in COUNTED:
        raise unknown_name("unit", unit, list(COUNTED), place="comparisons")
    n_samples = number_of_samples(store)
    check_unit_known(store.settings, unit)
    check_stories(stories)
    overdispersion = check_overdispersion(overdispersion)
    sizes = documents_by_period(store, period, since=since, until=until)
    chosen = chosen_actors(store, [first, second])
    if len(chosen) < 2:
        raise InputError(f"first and second must be different actors; both are {first}.")
    first, second = chosen
    dependence = dependence_recipe(store, stories, overdispersion)
    days = requested_days(since, until)
    if unit == "documents" and (stories == APART or not dependence["documents_of_shared_stories"]):
        laws, has = _document_laws(store, chosen, list(sizes), days)
    else:
        laws, has = _laws(store, chosen, period, unit, days, apart=stories == APART)
    periods_told = [label for label, n in sizes.items() if n]
    how: dict[str, Any] = {"level": level, "overdispersion": overdispersion, "monte_carlo": monte_carlo}
    compared = dict(
        zip(
            periods_told,
            compare_laws([laws.get(label, NONE) for label in periods_told], n_samples=n_samples, **how),
            strict=True,
        )
    )
    rows = []
    for label, n in sizes.items():
        bounds = str(period_start(label)), str(period_end(label))
        if n == 0:
            rows.append(PeriodComparison(label, *bounds, 0, *[math.nan] * 10))
            continue
        comparison = compared[label]
        figures = (
            comparison.more,
            comparison.equal,
            comparison.fewer,
            comparison.mean,
            comparison.low,
            comparison.high,
            *comparison.more_interval,
            *comparison.fewer_interval,
        )
        rows.append(PeriodComparison(label, *bounds, n, *figures))
    options = {"period": period, "level": level, "unit": unit}
    recipe = store_recipe(store, **options, **dependence, **period_recipe(sizes, since, until))
    titles = {actor: actor_title(store, actor) for actor in (first, second)}
    silent = tuple(actor for actor, acts in zip(chosen, has, strict=True) if not acts)
    return ActorComparison(first, second, titles, tuple(rows), recipe, silent)


@dataclass(frozen=True, slots=True)
class Acting:
    """The documents in which an actor may act: numbers, dates, packed samples, and number of samples with the act."""

    document: Integers
    date: np.ndarray[Any, Any]
    packed: np.ndarray[Any, np.dtype[np.uint8]]
    count: Integers


def _acting(store: Store, actor: str) -> Acting:
    columns = query_columns(
        store,
        "SELECT document, d.date AS date, e.samples AS samples FROM events e JOIN documents d USING (document) "
        "WHERE e.actor = $actor ORDER BY d.date, document",
        actor=actor,
    )
    shape = len(columns["samples"]), -(-number_of_samples(store) // 8)
    packed = np.frombuffer(b"".join(columns["samples"]), dtype=np.uint8).reshape(shape)
    return Acting(columns["document"], columns["date"].astype("datetime64[D]"), packed, _count_ones(packed))


def _count_ones(packed: np.ndarray[Any, np.dtype[np.uint8]]) -> Integers:
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.int64))


def _document_laws(
    store: Store, actors: Sequence[str], periods: Sequence[str], days: tuple[datetime.date, datetime.date]
) -> tuple[dict[str, Floats], list[bool]]:
    """Return by period the distributions of n_A - n_B on -1, 0, 1 in each document, and whether each actor acts.

    Documents are independent. The samples of an actor are cached for other comparisons, and only documents in which
    both actors may act need joint samples.
    """
    n_samples = number_of_samples(store)
    first, second = (remembered_answer(store, ("acting", actor), partial(_acting, store, actor)) for actor in actors)
    _, in_first, in_second = np.intersect1d(first.document, second.document, assume_unique=True, return_indices=True)
    both_act = _count_ones(first.packed[in_first] & second.packed[in_second])
    only_second = np.ones(len(second.document), dtype=np.bool_)
    only_second[in_second] = False
    more = np.concatenate([first.count, np.zeros(int(only_second.sum()), dtype=np.int64)])
    fewer = np.concatenate([np.zeros(len(first.count), dtype=np.int64), second.count[only_second]])
    more[in_first] -= both_act
    fewer[in_first] = second.count[in_second] - both_act
    date = np.concatenate([first.date, second.date[only_second]])
    low, high = (np.datetime64(day) for day in days)
    period_index = (
        np.searchsorted(np.array([period_start(period) for period in periods], dtype="datetime64[D]"), date, "right")
        - 1
    )
    period_index[(date < low) | (date > high)] = -1
    laws = np.column_stack([fewer, n_samples - more - fewer, more]) / n_samples
    order = np.argsort(period_index, kind="stable")
    ends = np.searchsorted(period_index[order], np.arange(len(periods) + 1))
    laws_by_period = {
        period: laws[order[start:end]]
        for period, start, end in zip(periods, ends, ends[1:], strict=False)
        if end > start
    }
    return laws_by_period, [
        bool(((evidence.date >= low) & (evidence.date <= high)).any()) for evidence in (first, second)
    ]


def _laws(
    store: Store,
    actors: Sequence[str],
    period: str,
    unit: str,
    days: tuple[datetime.date, datetime.date],
    *,
    apart: bool,
) -> tuple[dict[str, Floats], list[bool]]:
    """Return by period the distributions of n_A - n_B in each document or story, and whether each actor acts.

    apart: whether to treat all documents as independent, instead of summing the documents of a story.
    """
    n_samples = number_of_samples(store)
    columns = query_columns(
        store,
        f"SELECT document, date_trunc('{period}', d.date)::DATE AS start, e.actor = $first AS mine, e.{COUNTED[unit]} "
        f"AS value, {STORY} AS story FROM events e JOIN documents d USING (document) LEFT JOIN stories s USING "
        "(document) WHERE e.actor IN ($first, $second) AND d.date BETWEEN $low AND $high ORDER BY start, document",
        first=actors[0],
        second=actors[1],
        low=days[0],
        high=days[1],
    )
    mine = columns["mine"].astype(np.bool_)
    has = [bool(mine.any()), not mine.all()]
    if not len(mine):
        return {}, [False, False]
    samples: Any = (as_counts if unit == "entities" else as_bits)(columns["value"], n_samples).astype(np.int16)
    samples[~mine] *= -1
    document, start = columns["document"], columns["start"].astype("datetime64[D]")
    is_first = np.concatenate([[True], document[1:] != document[:-1]])  # a document has one row, or one per actor
    firsts, others = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    joint = samples[firsts]
    joint[np.searchsorted(firsts, others) - 1] += samples[others]
    story, start = columns["story"][firsts], start[firsts]
    edges = np.flatnonzero(start[1:] != start[:-1]) + 1
    laws_by_period = {}
    for low, high in zip([0, *edges.tolist()], [*edges.tolist(), len(start)], strict=True):
        together = None if apart else shared_stories(story[low:high])
        difference = joint[low:high]
        label = find_period(start[low].item(), period=period)
        laws_by_period[label] = difference_laws(difference if together is None else story_sums(difference, together))
    return laws_by_period, has


def _difference(row: PeriodComparison) -> str | None:
    return f"{number(row.mean, 1)} {interval(row.low, row.high, 0)}" if row.n_documents else None


def _format_probability(chance: tuple[float, float, float]) -> str:
    """Format a probability with the interval of its Monte Carlo error, if there is one."""
    p, low, high = chance
    return UNDEFINED if math.isnan(p) else f"{number(p, 3)} {interval(low, high, 3)}"


CHANCE = Kind(_format_probability)
