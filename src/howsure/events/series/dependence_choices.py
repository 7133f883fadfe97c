"""The assumptions of a series or comparison about the dependence of documents, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.events.periods import Day
from howsure.events.store.reading import Store, facts_of
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Integers

TOGETHER: str = "together"
APART: str = "apart"
STORIES = (TOGETHER, APART)
STORY = "coalesce(s.story, -1 - document)"  # of a document, in SQL; below 0 where it is of no other


def check_stories(stories: str) -> str:
    """How documents of one story are treated.

    Raises InputError for any other way.
    """
    if stories not in STORIES:
        raise unknown_name("way to take stories", stories, STORIES, place="howsure")
    return stories


def shared_stories(stories: Integers) -> Integers | None:
    """The story of each document (see `STORY`); None if no story has two documents."""
    return stories if (stories >= 0).any() else None


def dependence_asked(store: Store, stories: str, overdispersion: float) -> dict[str, Any]:
    """For a recipe: the treatment of stories, the number of documents that share a story, and the overdispersion."""
    (shared, told), *_ = facts_of(store, "SELECT count(*), count(DISTINCT story) FROM stories")
    return {
        "stories": stories,
        "documents_of_shared_stories": int(shared),
        "shared_stories": int(told),
        "overdispersion": overdispersion,
    }


def period_asked(sizes: Mapping[str, int], since: Day | None, until: Day | None) -> dict[str, Any]:
    """For a recipe: the number of documents, and the range of days if restricted."""
    days = {name: str(day) for name, day in (("since", since), ("until", until)) if day is not None}
    return {"documents": sum(sizes.values()), **days}
