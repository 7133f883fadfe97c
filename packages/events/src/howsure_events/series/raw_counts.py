"""Assumptions of the raw counts of a store, and notes on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.inputs.pairs import Integers
from howsure.inputs.periods import Day
from howsure.notes import DETAIL, WARNING, Note
from howsure.result import Row, Rows, recipe_text
from howsure.show.table import Table
from howsure_events.series.corrected_comparison import CorrectedComparison
from howsure_events.series.corrected_series import CorrectedSeries
from howsure_events.store.store_queries import Store, query_facts

TOGETHER: str = "together"
APART: str = "apart"
STORIES = (TOGETHER, APART)
STORY = "coalesce(s.story, -1 - document)"  # the story of a document in SQL; below 0 if no other document reports it


def check_stories(stories: str) -> str:
    """Return `stories` if it is a valid way to count several documents about one story."""
    if stories not in STORIES:
        raise unknown_name("value", stories, STORIES, place="the choices of stories")
    return stories


def shared_stories(stories: Integers) -> Integers | None:
    """Return the story of each document (see `STORY`); None if no story has two documents."""
    return stories if (stories >= 0).any() else None


def dependence_recipe(store: Store, stories: str, overdispersion: float) -> dict[str, Any]:
    """Return, for a recipe, the treatment of stories, how many stories are shared, and the overdispersion."""
    (shared, n_stories), *_ = query_facts(store, "SELECT count(*), count(DISTINCT story) FROM stories")
    return {
        "stories": stories,
        "documents_of_shared_stories": int(shared),
        "shared_stories": int(n_stories),
        "overdispersion": overdispersion,
    }


def period_recipe(sizes: Mapping[str, int], since: Day | None, until: Day | None) -> dict[str, Any]:
    """Return, for a recipe, the number of documents, and the first and last day if requested."""
    days = {name: str(day) for name, day in (("since", since), ("until", until)) if day is not None}
    return {"documents": sum(sizes.values()), **days}


class RawCounts(Rows[Row]):
    """A series or comparison of raw counts, with its corrected version, or with the reason why there is none."""

    __slots__ = ()
    recipe: Mapping[str, Any]
    corrected: CorrectedSeries | CorrectedComparison | None
    not_corrected: str

    @property
    def event(self) -> str:
        return str(self.recipe["event"])

    @property
    def is_called_raw(self) -> bool:
        """Whether the counts are called raw, because corrected counts, or the reason for having none, are shown too."""
        return self.corrected is not None or bool(self.not_corrected)

    def corrected_dict(self) -> dict[str, Any]:
        """Return the corrected counts, or the reason why there are none, for JSON."""
        if self.corrected is not None:
            return {"corrected": self.corrected.to_dict()}
        return {"not_corrected": self.not_corrected} if self.not_corrected else {}

    def _printed(self, columns: Sequence[str] | None) -> Table:
        """Return the printed table; its caption omits the settings of the store, which are many."""
        settings = {name: value for name, value in self.recipe.items() if name not in ("store", "uncertainty")}
        return replace(super()._printed(columns), caption="\n".join([recipe_text(settings), *self.footnotes()]))

    def assumptions(self) -> list[str]:
        """Return notes on the data and assumptions on which the counts are based."""
        recipe, lines = self.recipe, list[str]()
        if not recipe["store"].get("finished", True):
            lines.append(Note("The store is not finished: documents are missing.", WARNING))
        if self.corrected is not None:
            lines += [*self.corrected.label_notes, *self.corrected.checks]
        elif self.not_corrected:
            lines.append(self.not_corrected)
        samples = (
            f"{recipe['store']['samples']} samples per document. The uncertainty is that of {recipe['uncertainty']}"
        )
        details = [f"{'Raw counts: ' * self.is_called_raw}{detail}" for detail in (samples, _dependence(recipe))]
        return [*lines, *(Note(detail, DETAIL) for detail in details)]


def _dependence(recipe: Mapping[str, Any]) -> str:
    """Describe the assumed dependence between documents."""
    shared, n_stories, rho = (
        recipe[name] for name in ("documents_of_shared_stories", "shared_stories", "overdispersion")
    )
    others = f"to have a correlation of {rho:g}" if rho else "to be independent"
    if not shared:
        return f"Different documents are assumed {others}."
    summary = f"{counted(shared, 'document')} with an event report {counted(n_stories, 'story', 'stories')}"
    if recipe["stories"] == APART:
        return f"{summary}, but all documents are assumed {others}."
    return f"{summary}: documents of one story count as one source; different stories are assumed {others}."
