"""Which documents of a corpus are kept, as the paper filters its own: by their category, and by whom they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.errors import InputError
from howsure.events.input import InputDocument
from howsure.events.lexicon import Lexicon

CATEGORY, NO_DATE, NO_ACTOR, EMPTY, TOO_LONG = "category", "no date", "no actor", "empty", "too long"
REASONS = {
    NO_DATE: "the date is missing, or is none",
    CATEGORY: "by its category",
    EMPTY: "no text",
    NO_ACTOR: "names no actor",
    TOO_LONG: "too long to parse, or too many mentions",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Keep documents whose category matches `keep` somewhere and `drop` nowhere, and whose text names an actor.

    >>> one = InputDocument(0, "a", "1999-01-02", None, "Top/News/World/Europe", "…")
    >>> Filter(keep="^Top/News/World", drop="Sports|Opinion").reason(one) is None
    True

    Raises InputError if `keep` or `drop` is no regular expression.
    """

    keep: str | None = None
    drop: str | None = None
    require_actor: bool = False

    def __post_init__(self) -> None:
        for option in ("keep", "drop"):
            pattern = getattr(self, option)
            try:
                re.compile(pattern or "")
            except re.error as error:
                raise InputError(f"{option} must be a regular expression; {pattern!r} is none: {error}.") from error

    def reason(self, document: InputDocument) -> str | None:
        """Why a document is left out before it is parsed; None if it is not."""
        if document.date is None:
            return NO_DATE
        category = document.category or ""
        if self.keep is not None and not re.search(self.keep, category):
            return CATEGORY
        if self.drop is not None and re.search(self.drop, category):
            return CATEGORY
        return None if document.text.strip() else EMPTY

    def reason_of_words(self, words: Sequence[str], lexicon: Lexicon) -> str | None:
        """Why a document with these words is left out; None if it is not."""
        if not words:
            return EMPTY
        return NO_ACTOR if self.require_actor and not lexicon.match(words) else None
