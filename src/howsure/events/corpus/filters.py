"""Filters for the documents of a corpus, as in the paper: by category, and by the actors they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.errors import InputError
from howsure.events.actors.lexicon import Lexicon
from howsure.events.corpus.documents import InputDocument
from howsure.events.periods import day_of

CATEGORY, NO_DATE, NO_ACTOR, EMPTY, TOO_LONG, DAY = "category", "no date", "no actor", "empty", "too long", "date"
REASONS = {
    NO_DATE: "the date is missing or invalid",
    DAY: "outside the requested days",
    CATEGORY: "excluded by category",
    EMPTY: "no text",
    NO_ACTOR: "names no actor",
    TOO_LONG: "too long to parse, or too many mentions",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Keep documents whose category matches `keep` somewhere and `drop` nowhere, and whose text names an actor.

    `since` and `until` are the first and the last day to keep, as YYYY-MM-DD.

    >>> one = InputDocument(0, "a", "1999-01-02", None, "Top/News/World/Europe", "…")
    >>> Filter(keep="^Top/News/World", drop="Sports|Opinion").reason(one) is None
    True

    Raises InputError if `keep` or `drop` is not a regular expression, or a day is not a date.
    """

    keep: str | None = None
    drop: str | None = None
    require_actor: bool = False
    since: str | None = None
    until: str | None = None

    def __post_init__(self) -> None:
        for day in ("since", "until"):
            held = day_of(getattr(self, day), name=day)
            object.__setattr__(self, day, None if held is None else held.isoformat())
        for option in ("keep", "drop"):
            pattern = getattr(self, option)
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise InputError(f"{option} must be a regular expression; {pattern!r} is none: {error}.") from error

    def reason(self, document: InputDocument) -> str | None:
        """The reason to leave out a document before parsing; None to keep it."""
        if document.date is None:
            return NO_DATE
        if not (self.since or "") <= document.date <= (self.until or document.date):
            return DAY
        if document.left_out is not None:
            return document.left_out
        category = document.category or ""
        if self.keep is not None and not re.search(self.keep, category):
            return CATEGORY
        if self.drop is not None and re.search(self.drop, category):
            return CATEGORY
        return None if document.parsed is not None or document.text.strip() else EMPTY

    def reason_of_words(self, words: Sequence[str], lexicon: Lexicon) -> str | None:
        """The reason to leave out a document with these words; None to keep it."""
        if not words:
            return EMPTY
        return NO_ACTOR if self.require_actor and not lexicon.match(words) else None
