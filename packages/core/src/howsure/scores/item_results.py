"""The result of `score_items`: a row per item of a benchmark, the most contradictory first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.parameter_types import Axes
from howsure.notes import DETAIL, FINDING, Note
from howsure.result import Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import FLAG, FRAME, WORDS, Column, digits, short_number


@dataclass(frozen=True, slots=True)
class BenchmarkItem:
    """An item of a benchmark.

    mean: the mean score over models. discrimination: the correlation, over models, of the score on the item with the
    mean of the other items; None if the item is dead. is_dead: whether all models have the same score. contradicts:
    whether the models with the higher score on the item are significantly weaker on the other items. shown: the
    requested columns.
    """

    item: str
    mean: float
    discrimination: float | None
    is_dead: bool
    contradicts: bool
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BenchmarkItems(Rows[BenchmarkItem]):
    """The result of `score_items`: a row per item, the lowest discrimination first and dead items last.

    n: number of items that all models have. models: number of models. neighbours: number of pairs of neighbouring
    models, of which `told_apart` differ significantly. detectable: the gap between neighbours that is found with
    probability 0.8; None if no possible gap is. smallest_significant: the smallest gap that is significant in McNemar's
    test with the observed disagreement; None if no gap is, if scores are not 0 and 1, or with clusters. Both gaps are
    medians over neighbours.
    """

    rows: tuple[BenchmarkItem, ...] = as_json("items")
    score: str
    n: int
    models: int
    neighbours: int
    told_apart: int
    detectable: float | None
    smallest_significant: float | None
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = "item"
    title = "Items"
    suggested: ClassVar = {"report": "items.html"}

    @property
    def dead(self) -> int:
        """The number of items on which all models have the same score."""
        return sum(row.is_dead for row in self.rows)

    @property
    def answer(self) -> str:
        """The number of neighbours that differ significantly, and the detectable gap."""
        count = f"{self.told_apart:,} of {counted(self.neighbours, 'pair')}"
        gap = (
            ""
            if self.detectable is None
            else f" A gap of {short_number(self.detectable)} would be detected with probability 0.8."
        )
        return f"On these {self.n:,} items, a significant gap separates {count} of neighbouring models.{gap}"

    def columns(self) -> Sequence[Column]:
        """Items, their means and discriminations, whether they contradict the rest, and the requested columns."""
        where_shown = "" if any(row.discrimination is not None for row in self.rows) else FRAME
        return [
            Column("item", WORDS),
            Column("mean", digits(4), legend=f"over {self.models:,} models"),
            Column(
                "discrimination",
                digits(4),
                only=where_shown,
                legend="correlation with the mean of the other items, over models",
            ),
            Column("is_dead", FLAG, "dead", legend="all models have the same score"),
            Column("contradicts", FLAG, only=where_shown, legend="weaker models do better, after Holm's adjustment"),
            *(Column(name, WORDS, values=[row.shown[name] for row in self.rows]) for name in self.recipe["show"]),
        ]

    def footnotes(self) -> Sequence[str]:
        """The numbers of items that are dead or contradict the rest, and the gaps that are never significant."""
        dead = Counter(row.mean for row in self.rows if row.is_dead)
        scores = shortened([f"{times:,} with score {mean:g}" for mean, times in dead.most_common()])
        contradicting = sum(row.contradicts for row in self.rows)
        are, them = ("is", "it") if dead.total() == 1 else ("are", "them")
        dead_note = (
            f"{dead.total():,} of {self.n:,} items {are} dead: all models have the same score on {them} ({scores})."
        )
        key_note = f"{counted(contradicting, 'item contradicts', 'items contradict')} the rest: check the key."
        notes = [Note(dead_note, FINDING)] if dead else []
        if contradicting:
            notes.append(Note(key_note, FINDING))
        elif any(row.discrimination is not None for row in self.rows):
            notes.append(Note("No item contradicts the rest significantly.", FINDING))
        if self.smallest_significant is not None:
            notes.append(
                Note(
                    f"By McNemar's test, a gap below {short_number(self.smallest_significant)} between neighbours is "
                    "not significant, given how often they disagree.",
                    DETAIL,
                )
            )
        return [*notes, *self.notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the discrimination of each item against its mean score."""
        from howsure.figures.scores import draw_items

        return draw_items(self, ax=ax)
