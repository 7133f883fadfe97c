"""Names of coders: which spellings denote the same person, and how a store spells it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.errors import InputError
from howsure_events.store.store_queries import Store, query_rows

MAX_NAME = 60  # characters
SPACES = re.compile(r"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
# Characters that show nothing although Unicode counts them as letters or marks: joiners, fillers, variation selectors.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
SPELLINGS = "SELECT coder FROM answers GROUP BY coder ORDER BY min(entry)"


def clean_coder_name(name: object) -> str:
    """Check a coder's name and return it as stored: composed (NFC), stripped, with single spaces inside.

    >>> clean_coder_name("  Anna   B ")
    'Anna B'
    """
    text = SPACES.sub(" ", unicodedata.normalize("NFC", name)).strip() if isinstance(name, str) else ""
    if not coder_key(text) or len(text) > MAX_NAME or not text.isprintable():
        raise InputError(
            f"coder must be a name of 1 to {MAX_NAME} printable letters, such as anna; it is {str(name)[:80]!r}."
        )
    return text


def coder_key(name: str) -> str:
    """Return a key that is equal for all spellings of a name that differ in case, width, composition or spaces.

    Invisible characters are removed before compatibility caseless matching (Unicode 15, section 3.13, D146). Letters
    of different alphabets stay different, even if they look alike.

    >>> coder_key("  ANNA\u3000Strau\u00df") == coder_key("anna STRAUSS")
    True
    >>> coder_key("Rene\u0301") == coder_key("REN\u00c9")
    True
    """
    folded = unicodedata.normalize("NFD", INVISIBLE.sub("", name)).casefold()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    return " ".join(INVISIBLE.sub("", folded).split())


def is_same_coder(first: str, second: str) -> bool:
    """Whether two names are spellings of one person.

    >>> is_same_coder("Anna", "anna "), is_same_coder("Anna", "Anne")
    (True, False)
    """
    return coder_key(first) == coder_key(second)


@dataclass(frozen=True, slots=True)
class CoderNames:
    """The people who answered, in the order of their first answers, each with all spellings in the store.

    A person's first spelling is used as the name.
    """

    spellings: tuple[tuple[str, ...], ...]

    def name(self, name: str) -> str:
        """Return a person's name as the store spells it; unchanged if the person is unknown."""
        return self.of(name)[0]

    def of(self, name: str) -> tuple[str, ...]:
        """Return all spellings of a person in the store; the name itself if the person is unknown."""
        return next((spellings for spellings in self.spellings if is_same_coder(spellings[0], name)), (name,))

    @property
    def merged(self) -> tuple[tuple[str, ...], ...]:
        """The spellings of each person who has more than one."""
        return tuple(spellings for spellings in self.spellings if len(spellings) > 1)


def group_spellings(spellings: Sequence[str]) -> CoderNames:
    """Group spellings, in order of first use, by person.

    >>> group_spellings(["Anna", "bob", "anna"]).spellings
    (('Anna', 'anna'), ('bob',))
    """
    people: dict[str, list[str]] = {}
    for spelling in dict.fromkeys(spellings):
        people.setdefault(coder_key(spelling), []).append(spelling)
    return CoderNames(tuple(tuple(spellings) for spellings in people.values()))


def coder_names(store: Store) -> CoderNames:
    """Return the people who answered or settled documents in a store."""
    return group_spellings([spelling for (spelling,) in query_rows(store, SPELLINGS)])


def merged_notes(merged: Sequence[Sequence[str]]) -> list[str]:
    """Return a sentence for each coder with several spellings.

    >>> merged_notes([("Anna", "anna")])
    ["'Anna' and 'anna' count as one coder, Anna; of a document answered under both, the latest answer counts."]
    """
    notes = []
    for first, *others in merged:
        named, both = ", ".join(map(repr, [first, *others[:-1]])), "both" if len(others) == 1 else "several"
        notes.append(
            f"{named} and {others[-1]!r} count as one coder, {first}; of a document answered under {both}, the latest "
            "answer counts."
        )
    return notes
