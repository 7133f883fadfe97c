"""Comparison of the counts of two rules, from two stores of the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.inputs.periods import find_period
from howsure.result import Rows
from howsure.show.table import COUNT, FRAME, WORDS, Column, digits
from howsure_events.store.store_queries import (
    Store,
    actor_title,
    checked_length,
    counted_event,
    query_rows,
    recorded_settings,
    store_recipe,
)

WHOLE = "all"  # name of the only period if no period was requested
SAME = ("input", "lexicon", "model", "samples", "seed")
EVENTS = """
    SELECT actor, document, date, probability, best::INTEGER FROM events JOIN documents USING (document)
    ORDER BY document, actor"""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The counts of two rules for an actor in a period.

    first, second: expected numbers of documents. best_first, best_second: numbers of documents in the 1-best
    clustering. both, only_first, only_second: numbers of documents in which both rules, only the first or only the
    second find an event of the actor in some sample.
    """

    actor: str
    title: str
    period: str
    first: float
    second: float
    best_first: int
    best_second: int
    both: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RuleComparison(Rows[RuleCount]):
    """The counts of two rules, `first` and `second`, by actor, or by actor and period."""

    first: str
    second: str
    rows: tuple[RuleCount, ...]
    recipe: Mapping[str, Any]
    named = ""

    def columns(self) -> Sequence[Column]:
        """One row per actor, or per actor and period."""
        period = self.recipe["period"]
        return [
            Column("actor", WORDS),
            Column("title", WORDS),
            Column("period", WORDS, period or "", only="" if period else FRAME),
            Column("first", digits(1), "1st rule"),
            Column("second", digits(1), "2nd rule"),
            Column("best_first", COUNT, "1-best 1st"),
            Column("best_second", COUNT, "1-best 2nd"),
            Column("both", COUNT),
            Column("only_first", COUNT, "only 1st"),
            Column("only_second", COUNT, "only 2nd"),
        ]

    def footnotes(self) -> Sequence[str]:
        """The names of the two rules."""
        return [f"first rule: {self.first}; second rule: {self.second}"]


def compare_rules(first: Store, second: Store, *, period: str | None = None) -> RuleComparison:
    """Compare the counts of the rules of two stores of the same documents, for each actor, in total or by `period`.

    The expected number of documents is the sum of their probabilities. Actors are sorted by decreasing sum of both
    rules' expected numbers.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     held = compare_rules(store, store)
    >>> [(row.actor, round(row.first, 1), round(row.second, 1), row.both) for row in held.rows][:1]
    [('SUDORIA', 12.1, 12.1, 26)]

    Raises InputError if the stores differ in their input, lexicon, model, samples or seed, or for an invalid period.
    """
    if period is not None:
        checked_length(period)
    for name in SAME:
        if first.settings.get(name) != second.settings.get(name):
            raise InputError(
                f"the stores must be of the same documents; they differ in {name}. Make one of them "
                "from the other with recount."
            )
    sides = [_events(store, period) for store in (first, second)]
    cells = sorted({cell for side in sides for cell in side})
    expected: dict[str, float] = {}
    for side in sides:
        for (actor, _), probabilities in side.items():
            expected[actor] = expected.get(actor, 0.0) + sum(p for p, _ in probabilities.values())
    cells.sort(key=lambda cell: -expected[cell[0]])
    rows = tuple(
        _row(actor, actor_title(first, actor), label, *(side.get((actor, label), {}) for side in sides))
        for actor, label in cells
    )
    recipe = {**store_recipe(first, period=period), "second_store": recorded_settings(second)}
    return RuleComparison(first=counted_event(first), second=counted_event(second), rows=rows, recipe=recipe)


Found = dict[int, tuple[float, int]]  # by document: probability, and 1 if the event is in the 1-best clustering


def _events(store: Store, period: str | None) -> dict[tuple[str, str], Found]:
    cells: dict[tuple[str, str], Found] = {}
    for actor, document, date, probability, best in query_rows(store, EVENTS):
        label = WHOLE if period is None else find_period(date, period=period)
        cells.setdefault((actor, label), {})[document] = probability, best
    return cells


def _row(actor: str, title: str, period: str, first: Found, second: Found) -> RuleCount:
    both = len(first.keys() & second.keys())
    (mean, best), (other_mean, other_best) = (
        (sum(p for p, _ in probabilities.values()), sum(best for _, best in probabilities.values()))
        for probabilities in (first, second)
    )
    only_first, only_second = len(first) - both, len(second) - both
    return RuleCount(actor, title, period, mean, other_mean, best, other_best, both, only_first, only_second)
