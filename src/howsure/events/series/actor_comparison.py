"""Which of two actors acts in more documents of a period, from the joint samples of each document."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.events.series.corrected_comparison import CorrectedComparison, verdict_of
from howsure.events.series.counts import CountComparison, check_overdispersion, compare_counts
from howsure.events.series.raw_counts import (
    APART,
    STORY,
    TOGETHER,
    RawCounts,
    check_stories,
    dependence_asked,
    period_asked,
    shared_stories,
)
from howsure.events.store.reading import (
    Store,
    check_unit_known,
    chosen_actors,
    days_asked,
    documents_by_period,
    number_of_samples,
    recipe_of,
    rows_of,
    title_of,
)
from howsure.events.store.tables import as_bits, as_counts
from howsure.inputs.numbers_and_names import check_level, unknown_name
from howsure.inputs.periods import Day, period_end, period_of, period_start
from howsure.result import as_json, dict_of
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

COUNTED = {"documents": "samples", "entities": "entities"}  # unit -> column of the table `events`


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """P(n_A > n_B), P(n_A = n_B) and P(n_A < n_B) in a period, and the mean and the interval of n_A - n_B.

    greater_low to greater_high and less_low to less_high are the intervals of the Monte Carlo error: which arises
    because each document was sampled only a limited number of times. In a period without documents, everything except
    their number is NaN.
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
    """Two actors compared by period, with the recipe; `silent` lists those that act in no document.

    `corrected` is the comparison by corrected counts, where `beside` has set it beside this one, which is raw;
    `not_corrected` says why there is none.
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

    def beside(self, corrected: CorrectedComparison) -> ActorComparison:
        """This comparison with that by corrected counts: the table shows both.

        Raises InputError unless both are of the same actors and periods.
        """
        ours = self.first, self.second, [row.period for row in self.rows]
        if ours != (corrected.first, corrected.second, [row.period for row in corrected.rows]):
            raise InputError("corrected must compare the same actors in the same periods.")
        return replace(self, corrected=corrected)

    def to_dict(self) -> dict[str, Any]:
        """The recipe and the rows as plain values, and the corrected comparison; undefined values are None."""
        return dict_of(self) | self.corrected_dict()

    def columns(self) -> Sequence[Column]:
        """One row per period: of frames and CSV all figures, of tables what is asked."""
        a, b = self.first, self.second
        return [
            *(Column(one.name, NUMBER, only=FRAME) for one in fields(PeriodComparison)),
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

    def above(self) -> Sequence[Table]:
        """The comparison by corrected counts."""
        if self.corrected is None:
            return ()
        _, *headings = (table := self.corrected.table()).headings
        return [replace(table, headings=["corrected", *headings], words=["corrected"], notes=())]

    def below(self) -> Sequence[str]:
        """What is counted, the verdict, and what it rests on."""
        verdict = f"Raw counts. {self.verdict()}" if self.is_beside else self.verdict()
        corrected = [] if self.corrected is None else [self.corrected.verdict()]
        return [self.event, verdict, *corrected, *self.rests_on()]

    def verdict(self) -> str:
        """The number of periods in which one acts in more documents, with at least the probability `level`, and of
        undecided ones."""
        level, a, b = self.recipe["level"], self.first, self.second
        if len(self.silent) == 2:
            return f"Neither {a} nor {b} acts in any document of the store."
        silence = "".join(f"{actor} acts in no document of the store. " for actor in self.silent)
        told = [row for row in self.rows if row.n_documents]
        open_ = sum(
            row.greater_low < level <= row.greater_high or row.less_low < level <= row.less_high for row in told
        )
        close = f" In {open_}, more samples may change that (Monte Carlo error)." if open_ else ""
        return f"{silence}{verdict_of(told, a, b, self.recipe)}{close}"


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
) -> ActorComparison:
    """P(n_A > n_B) by period, for the numbers of documents (or of entities) in which two actors act.

    The two share each document's clusterings: D_A - D_B has the distribution of its joint samples, and these
    distributions are convolved over the stories, which are independent. Overlapping bands of two series do not answer
    this question. `stories`, `overdispersion` (of D_A - D_B), `since` and `until` are those of `event_series`.

    >>> from howsure.events import example_store
    >>> with example_store() as store:
    ...     comparison = compare_actors(store, "NORLAND", "SUDORIA", period="year")
    >>> [(row["period"], round(row["greater"], 2), round(row["less"], 2)) for row in comparison.to_dict()["rows"]]
    [('2001', 0.15, 0.7), ('2002', 0.09, 0.77)]

    Raises InputError for an actor that is not in the store, the same actor twice, or an invalid option.
    """
    level = check_level(level)
    if unit not in COUNTED:
        raise unknown_name("unit", unit, list(COUNTED), place="comparisons")
    n_samples = number_of_samples(store)
    check_unit_known(store.settings, unit)
    check_stories(stories)
    overdispersion, apart = check_overdispersion(overdispersion), stories == APART
    sizes = documents_by_period(store, period, since=since, until=until)
    chosen = chosen_actors(store, [first, second])
    if len(chosen) < 2:
        raise InputError(f"first and second must be different actors; both are {first}.")
    first, second = chosen
    samples = _samples(store, first, second, period, COUNTED[unit], days_asked(since, until))
    rows = []
    for label, n in sizes.items():
        bounds = str(period_start(label)), str(period_end(label))
        if n == 0:
            rows.append(PeriodComparison(label, *bounds, 0, *[math.nan] * 10))
            continue
        one = _compared(samples.get(label, []), n_samples, unit, level, overdispersion, apart)
        found = (one.more, one.equal, one.fewer, one.mean, one.low, one.high, *one.more_interval, *one.fewer_interval)
        rows.append(PeriodComparison(label, *bounds, n, *found))
    asked = {"period": period, "level": level, "unit": unit}
    recipe = recipe_of(
        store, **asked, **dependence_asked(store, stories, overdispersion), **period_asked(sizes, since, until)
    )
    titles = {actor: title_of(store, actor) for actor in (first, second)}
    pairs = [pair for held in samples.values() for pair in held]
    silent = tuple(actor for side, actor in enumerate(chosen) if all(pair[side] is None for pair in pairs))
    return ActorComparison(first, second, titles, tuple(rows), recipe, silent)


Pair = tuple[bytes | None, bytes | None, int]


def _samples(
    store: Store, first: str, second: str, period: str, column: str, days: tuple[datetime.date, datetime.date]
) -> dict[str, list[Pair]]:
    """The samples of the two actors in each document that has either, and its story, by period."""
    found = rows_of(
        store,
        f"SELECT date_trunc('{period}', any_value(d.date))::DATE, any_value(e.{column}) FILTER (e.actor = $first), "
        f"any_value(e.{column}) FILTER (e.actor = $second), any_value({STORY}) "
        "FROM events e JOIN documents d USING (document) LEFT JOIN stories s USING (document) "
        "WHERE e.actor IN ($first, $second) AND d.date BETWEEN $low AND $high GROUP BY document ORDER BY document",
        first=first,
        second=second,
        low=days[0],
        high=days[1],
    )
    by_start: dict[datetime.date, list[Pair]] = defaultdict(list)
    for start, *pair in found:
        by_start[start].append(tuple(pair))
    return {period_of(start, period=period): pairs for start, pairs in by_start.items()}


def _compared(
    pairs: list[Pair], n_samples: int, unit: str, level: float, overdispersion: float, apart: bool
) -> CountComparison:
    size = n_samples if unit == "entities" else -(-n_samples // 8)
    read = as_counts if unit == "entities" else as_bits
    drawn = [one or bytes(size) for one, _, _ in pairs], [other or bytes(size) for _, other, _ in pairs]
    a, b = (read(side, n_samples).astype(np.int64) for side in drawn)
    stories = None if apart else shared_stories(np.array([story for _, _, story in pairs], dtype=np.int64))
    return compare_counts(a, b, level=level, stories=stories, overdispersion=overdispersion)


def _difference(row: PeriodComparison) -> str | None:
    return f"{row.mean:.1f} [{row.low:g}, {row.high:g}]" if row.n_documents else None


def _chance(held: tuple[float, float, float]) -> str:
    """A probability with the interval of its Monte Carlo error, if there is one."""
    p, low, high = held
    return UNDEFINED if math.isnan(p) else f"{number(p, 3)} {interval(low, high, 3)}"


CHANCE = Kind(_chance)
