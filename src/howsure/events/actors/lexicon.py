"""A lexicon of actors: names of countries, organisations or anything else, each with the code of its actor."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from howsure.errors import InputError
from howsure.events.actors.spelling import case_fits, fold, spellings, stemming_named

NOBODY = "-"
REMEMBERED = 100_000  # words whose names are known without a search
Match = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Name:
    """A name as words, as written and folded, and the codes of the actors that it denotes; none for `NOBODY`."""

    written: tuple[str, ...]
    folded: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names of actors. Among overlapping names, the longest counts, then the leftmost.

    `entries` are (code, name); a name given with two codes denotes both actors, one with the code "-" denotes none, so
    that `New Jersey` is not `Jersey`. `stemming` determines which endings are stripped from the last word if a name is
    not found: "suffixes" (plural and possessive), "paper" (the last, then the last two characters) or "none". With
    `match_case`, a capital in a name must be a capital in the text, and abbreviations (US) must be entirely in
    capitals; in a text all in capitals, `US` the country and `US` the pronoun look the same.

    >>> lexicon = Lexicon([("IRQ", "Iraq"), ("IRQ", "Iraqi"), ("USA", "United States")])
    >>> lexicon.match("Iraqis met the president of the United States .".split())
    [(0, 1, 'IRQ'), (6, 8, 'USA')]

    Raises InputError for an entry without a code or a name.
    """

    entries: Sequence[tuple[str, str]]
    stemming: str = "suffixes"
    match_case: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)
    name: str = field(default="lexicon", compare=False)  # in recipes
    _single: dict[str, Name] = field(init=False, repr=False, compare=False)
    _longer: dict[str, tuple[Name, ...]] = field(init=False, repr=False, compare=False)
    _lower: frozenset[str] = field(init=False, repr=False, compare=False)
    _known: dict[str, tuple[Name, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        stemming_named(self.stemming)
        object.__setattr__(self, "entries", tuple((code, name) for code, name in self.entries))
        names = _names(self.entries)
        object.__setattr__(self, "_single", {name.folded[0]: name for name in names if len(name.folded) == 1})
        longer: dict[str, list[Name]] = {}
        for name in sorted((name for name in names if len(name.folded) > 1), key=lambda name: -len(name.folded)):
            longer.setdefault(name.folded[0], []).append(name)
        object.__setattr__(self, "_longer", {first: tuple(group) for first, group in longer.items()})
        lower = frozenset(name.folded[0] for name in names if not name.written[0][0].isupper())
        object.__setattr__(self, "_lower", lower)
        object.__setattr__(self, "_known", {})

    @classmethod
    def countries(cls) -> Lexicon:
        """States of the world by name, adjective and demonym, former states, territories, NATO, EU and UN.

        Codes are ISO 3166-1 alpha-3 (`IRQ`), for former states ISO 3166-3 alpha-3 (`SUN`, `YUG`, `CSK`, `DDR`, `ZAR`,
        `YMD`, `SCG`), `XKX` for Kosovo, and `NATO`, `EU`, `UN`; `titles` gives the name of each. Based on the packages
        countryinfo and pycountry and this package's countries.tsv. A demonym shared by a state and a territory
        (American, French) is the state's.

        Raises MissingExtraError without the extra `events`.
        """
        from howsure.events.actors.countries import country_entries

        entries, titles = country_entries()
        return cls(entries, match_case=True, titles=titles, name="countries")

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, stemming: str = "suffixes", match_case: bool = False) -> Lexicon:
        """A lexicon from a file: one name per line, `CODE<TAB>NAME`, or CSV from a spreadsheet (.csv), with `_` for a
        space.

        Lines of `===` or `#` are comments. The first name of a code is its title.

        Raises InputError naming the line.
        """
        from howsure.events.actors.lexicon_files import read_entries

        entries = read_entries(path)
        titles = dict(reversed(entries))
        return cls(entries, stemming, match_case, titles=titles, name=os.path.basename(path))

    @property
    def codes(self) -> tuple[str, ...]:
        """The actors, in alphabetical order."""
        return tuple(sorted({code for code, _ in self.entries} - {NOBODY}))

    def title(self, code: str) -> str:
        """The title of a code; the code itself if the lexicon has none."""
        return self.titles.get(code, code)

    def match(self, words: Sequence[str]) -> list[Match]:
        """The places where words `start` to `end` - 1 name the actor `code`, in text order; a name of two actors
        appears twice."""
        found: list[Match] = []
        end = 0
        for at in self._possible_starts(words):
            names = self._names_from(words[at])
            name = self._name_at(names, words, at) if names and at >= end else None
            if name is not None:
                end = at + len(name.folded)
                found.extend((at, end, code) for code in name.codes)
        return found

    def codes_of(self, name: str) -> tuple[str, ...]:
        """The actors that a text names, each once, in text order.

        >>> Lexicon([("NATO", "Nato"), ("YUG", "Yugoslavia")]).codes_of("Yugoslavia says Nato and Yugoslavia agree")
        ('YUG', 'NATO')
        """
        return tuple(dict.fromkeys(code for _, _, code in self.match(name.split())))

    def _possible_starts(self, words: Sequence[str]) -> Iterable[int]:
        if not self.match_case:
            return range(len(words))
        lower = self._lower
        return [at for at, word in enumerate(words) if word[:1].isupper() or word in lower]

    def _names_from(self, word: str) -> tuple[Name, ...]:
        """The names that may start with a word, the longest first. Most words start none, and come again and again."""
        names = self._known.get(word)
        if names is None:
            first = fold(word)
            stems = (first, *stemming_named(self.stemming)(first))
            singles = (self._single[stem] for stem in stems if stem in self._single)
            names = (*self._longer.get(first, ()), *singles)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[word] = names
        return names

    def _name_at(self, names: Sequence[Name], words: Sequence[str], at: int) -> Name | None:
        for name in names:
            span = words[at : at + len(name.folded)]
            if self._case_fits(name, span) if len(name.folded) == 1 else self._is(name, span):
                return name
        return None

    def _is(self, name: Name, span: Sequence[str]) -> bool:
        if len(span) < len(name.folded):
            return False
        *first, last = map(fold, span)
        ends = last == name.folded[-1] or name.folded[-1] in stemming_named(self.stemming)(last)
        return ends and tuple(first) == name.folded[:-1] and self._case_fits(name, span)

    def _case_fits(self, name: Name, words: Sequence[str]) -> bool:
        return not self.match_case or all(map(case_fits, words, name.written))


def _names(entries: Iterable[tuple[str, str]]) -> list[Name]:
    """One name per spelling, with all its codes; of spellings that differ in capitals, the one that requires the
    fewest."""
    codes: dict[tuple[str, ...], list[str]] = {}
    written: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row, (code, name) in enumerate(entries):
        if not code.strip() or not any(map(str.isalnum, name)):
            raise InputError(
                "an entry of a lexicon needs a code, and a name with a letter or a digit; "
                f"entry {row} is {(code, name)!r}."
            )
        for spelling in spellings(name):
            folded = tuple(map(fold, spelling))
            codes.setdefault(folded, []).append(code)
            if folded not in written or _capitals(spelling) < _capitals(written[folded]):
                written[folded] = spelling
    return [Name(written[folded], folded, tuple(sorted(set(of_name) - {NOBODY}))) for folded, of_name in codes.items()]


def _capitals(words: Sequence[str]) -> int:
    return sum(letter.isupper() for word in words for letter in word)
