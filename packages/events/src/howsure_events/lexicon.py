"""Lexicons of actors: names of countries, organisations or other actors, each with the code of its actor."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from howsure.errors import InputError
from howsure.files.input_files import Text, read_text
from howsure.inputs.numbers_and_names import unknown_name
from howsure.lazy_imports import require

Stems = Callable[[str], tuple[str, ...]]
SUFFIXES = ("s'", "'s", "'", "s")  # the plural and the possessive, which a parser may leave on the word
SEPARATE = re.compile(r"('s\b|[-()/,])")  # Universal Dependencies makes these words of their own


def fold(word: str) -> str:
    """Return a word in lower case, with straight apostrophes."""
    return word.lower().replace("’", "'")


def suffix_stems(word: str) -> tuple[str, ...]:
    """Return the stems of a folded word: the word without each plural or possessive ending (`SUFFIXES`) that it has.

    >>> suffix_stems("americans'")
    ('american', 'americans')
    """
    return tuple(word[: -len(suffix)] for suffix in SUFFIXES if word.endswith(suffix) and len(word) > len(suffix) + 1)


def paper_stems(word: str) -> tuple[str, ...]:
    """Return the stems by the paper's rule: the word without its last character, and without its last two.

    The rule is kept to replicate the paper. It produces false matches: `used` gives `us`, and Indiana gives Indian.

    >>> paper_stems("iraqis")
    ('iraqi', 'iraq')
    """
    return word[:-1], word[:-2]


STEMMING: dict[str, Stems] = {"suffixes": suffix_stems, "paper": paper_stems, "none": lambda word: ()}


def stemming_named(name: str) -> Stems:
    """Return the stemming function with a name: "suffixes", "paper" or "none"."""
    if name not in STEMMING:
        raise unknown_name("stemming", name, list(STEMMING), place="a lexicon")
    return STEMMING[name]


def spellings(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways to split a name into words: with hyphens kept, separate or as spaces; also without accents.

    >>> spellings("Guinea-Bissau")
    (('Guinea-Bissau',), ('Guinea', '-', 'Bissau'), ('Guinea', 'Bissau'))
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    ways = [way for text in (name, plain) for way in (text, SEPARATE.sub(r" \1 ", text), text.replace("-", " "))]
    return tuple(dict.fromkeys(words for way in ways if (words := tuple(way.split()))))


def case_fits(word: str, written: str) -> bool:
    """Return whether a word has the capitals that an entry requires: all for US or EC, the first letter for Iraq.

    >>> case_fits("us", "US"), case_fits("IRAQ", "Iraq"), case_fits("turkey", "Turkey"), case_fits("Former", "former")
    (False, True, False, True)
    """
    if not written[0].isupper():
        return True
    if len(written) > 1 and written.isupper() and written.isalpha():
        return word[: len(written)].isupper()
    return word[0].isupper()


COMMENTS = ("===", "#")
COLUMNS = ("code", "name")  # the header
OF_CODES = re.compile("abbreviation|acronym|alpha|codes?|ccode|cow|id|iso|key|symbol")  # words in unsupported headers
OF_NAMES = re.compile(
    "actors?|alias|country|countries|description|entity|group|label|names?|nation|organi[sz]ation|party|person|states?|term|title"
)
Row = tuple[int, list[str]]  # line number, cells


def read_entries(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Read the (code, name) entries of a lexicon file.

    Each line is `CODE<TAB>NAME`; a file ending in .csv is CSV with commas, semicolons or tabs. A first line with the
    words `code` and `name` is a header. Without a header, the first two columns are used. A third column, such as the
    source of the entry, is ignored.
    """
    text = read_text(path)
    is_csv = text.name.lower().endswith(".csv")
    rows, expected = (_csv_rows(text), "CODE,NAME") if is_csv else (_tab_rows(text), "CODE<TAB>NAME")
    entries: list[tuple[str, str]] = []
    first = 0  # the line of the first entry
    column_of, max_columns, has_header = (0, 1), 3, False
    for row, (line, cells) in enumerate(rows):
        columns = [cell.strip() for cell in cells]
        lower = [cell.lower() for cell in columns]
        if row == 0 and all(name in lower for name in COLUMNS):
            column_of, max_columns, has_header = (lower.index("code"), lower.index("name")), len(lower), True
            continue
        if row == 0 and any(name in lower[:2] for name in COLUMNS):
            raise InputError(f"{text.name}, line {line}: a header must have both code and name; it is {columns!r}.")
        first = first or line
        if not max(column_of) < len(columns) <= max_columns or not all(columns[place] for place in column_of):
            content = (" | " if is_csv else "\t").join(cells)[:100]
            raise InputError(f"{text.name}, line {line}: a line must be {expected}; it is {content!r}.")
        code, name = columns[column_of[0]], columns[column_of[1]].replace("_", " ").strip()
        if any(map(str.isspace, code)):
            raise InputError(f"{text.name}, line {line}: a code must be one word; it is {code[:60]!r}.")
        if not any(map(str.isalnum, name)):
            raise InputError(f"{text.name}, line {line}: a name must contain a letter or a digit; it is {name[:60]!r}.")
        entries.append((code, name))
    if not entries:
        raise InputError(f"{text.name} has no entry; a line must be {expected}.")
    if not has_header and _is_header(entries):
        raise InputError(
            f"{text.name}, line {first}: {' and '.join(entries[0])} look like a header; name its columns code and "
            "name, or remove it. If it is an entry, do not put it first."
        )
    return entries


def _is_header(entries: Sequence[tuple[str, str]]) -> bool:
    """Return whether the first entry looks like a header: it names columns, or has the only code with small letters."""
    first_code, other_codes = entries[0][0], {code for code, _ in entries[1:]} - {"-"}
    words = [set(re.findall("[a-z]+", cell.lower())) for cell in entries[0]]
    names_columns = any(
        any(map(OF_CODES.fullmatch, first)) and other and all(map(OF_NAMES.fullmatch, other))
        for first, other in (words, words[::-1])
    )
    return names_columns or (
        first_code != first_code.upper() and len(other_codes) > 1 and all(code == code.upper() for code in other_codes)
    )


def _tab_rows(text: Text) -> Iterator[Row]:
    for number, line in enumerate(text.content.splitlines(), start=1):
        if line.strip() and not line.startswith(COMMENTS):
            yield number, line.split("\t")


def _csv_rows(text: Text) -> Iterator[Row]:
    """Yield the rows of a CSV file; its first line other than a comment determines the delimiter."""
    lines = text.content.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith(COMMENTS)), "")
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.content), delimiter=separator, strict=True)
    try:
        for row in reader:
            if any(map(str.strip, row)) and not row[0].startswith(COMMENTS):
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{text.name}, line {reader.line_num}: it is not CSV: {error}.") from error


COUNTRIES = "countries"  # the built-in lexicon
SUPPLEMENT = Path(__file__).with_name("countries.tsv")


# ISO 3166-1 codes of territories that are neither members nor observers of the United Nations, except Taiwan.
TERRITORY_CODES = """
    ABW AIA ALA ASM ATA ATF BES BLM BMU BVT CCK COK CUW CXR CYM ESH FLK FRO GGY GIB GLP GRL GUF GUM HKG HMD IMN IOT
    JEY MAC MAF MNP MSR MTQ MYT NCL NFK NIU PCN PRI PYF REU SGS SHN SJM SPM SXM TCA TKL UMI VGB VIR WLF
"""
TERRITORIES = frozenset(TERRITORY_CODES.split())
TITLES = {
    "CSK": "Czechoslovakia",
    "DDR": "East Germany",
    "EU": "European Union",
    "NATO": "NATO",
    "SCG": "Serbia and Montenegro",
    "SUN": "Soviet Union",
    "UN": "United Nations",
    "XKX": "Kosovo",
    "YMD": "South Yemen",
    "YUG": "Yugoslavia",
    "ZAR": "Zaire",
}


@cache
def country_entries() -> tuple[tuple[tuple[str, str], ...], dict[str, str]]:
    """Return the (code, name) entries of the lexicon of countries, and the title of each code.

    The names come from pycountry, countryinfo and countries.tsv; for a name in countries.tsv, its code there counts. A
    name shared by a state and a territory denotes the state; a name shared by two states denotes both.
    """
    supplement = read_entries(SUPPLEMENT)
    settled = {fold(name) for _, name in supplement}
    packaged = [(code, name) for code, name in _packaged() if fold(name) not in settled]
    of_states = {fold(name) for code, name in packaged if code not in TERRITORIES}
    kept = [(code, name) for code, name in packaged if code not in TERRITORIES or fold(name) not in of_states]
    titles = {country.alpha_3: _title(country) for country in _countries()}
    return tuple(dict.fromkeys([*supplement, *kept])), {**titles, **TITLES}


def _packaged() -> Iterator[tuple[str, str]]:
    """Yield (code, name) from pycountry (names) and countryinfo (names and demonyms).

    The other spellings of countryinfo are not used, because they include codes (`CAN`) and words of other languages
    (`Island` for Iceland).
    """
    codes = set()
    for country in _countries():
        codes.add(country.alpha_3)
        for kind in ("name", "common_name", "official_name"):
            yield from ((country.alpha_3, name) for name in _variants(getattr(country, kind, None) or ""))
    for info in _infos():
        code = info["ISO"]["alpha3"]
        if code in codes:
            demonyms = re.split(r"[,/]", info.get("demonym") or "")
            yield from ((code, name) for text in (info["name"], *demonyms) for name in _variants(text))


def _variants(text: str) -> Iterator[str]:
    """Yield the names in an entry of a list: without text in brackets, and `Korea, Republic of` in natural order.

    >>> list(_variants("Saint Helena (Ascension)")), list(_variants("Congo, The Democratic Republic of the"))
    (['Saint Helena', 'St. Helena'], ['Democratic Republic of the Congo'])
    """
    name = re.sub(r"\s*\(.*?\)", "", text).strip()
    if name.count(",") == 1:
        name = " ".join(reversed(name.split(","))).strip()
    name = re.sub(r"^the ", "", re.sub(r"\s+", " ", name), flags=re.IGNORECASE)
    if name:
        yield name
        if name.startswith("Saint "):
            yield name.replace("Saint ", "St. ", 1)


def _title(country: Any) -> str:
    return next(_variants(getattr(country, "common_name", None) or country.name))


def _countries() -> Any:
    require("The lexicon of countries", "events", "pycountry")
    import pycountry

    return pycountry.countries


def _infos() -> Iterator[Any]:
    require("The lexicon of countries", "events", "countryinfo")
    from countryinfo import all_countries

    return (country.info() for country in all_countries())


NOBODY = "-"
MAX_REMEMBERED = 100_000  # words in the cache of names that start with them
Match = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a tuple of words, both as written and folded, and the codes of its actors (none for `NOBODY`)."""

    written: tuple[str, ...]
    folded: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """A lexicon of actors' names. A text is searched from left to right for the longest name at each position.

    entries: (code, name). A name with two codes denotes both actors; a name with the code "-" denotes none, so that
    `New Jersey` does not match `Jersey`. stemming: the endings that may be stripped from the last word to match a name:
    "suffixes" (plural and possessive), "paper" (the last or the last two characters) or "none". match_case: a capital
    in a name must be a capital in the text, and abbreviations (US) must be entirely in capitals. In a text that is all
    in capitals, the country US and the pronoun `us` cannot be distinguished. titles: the name to show for each code.

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
        """Return the lexicon of states, former states, territories, NATO, EU and UN, by name, adjective and demonym.

        Codes are ISO 3166-1 alpha-3 (`IRQ`), for former states ISO 3166-3 alpha-3 (`SUN`, `YUG`, `CSK`, `DDR`, `ZAR`,
        `YMD`, `SCG`), `XKX` for Kosovo, and `NATO`, `EU`, `UN`; `titles` gives the name of each. A demonym shared by a
        state and a territory (American, French) denotes the state. Sources: the packages countryinfo and pycountry, and
        this package's countries.tsv.

        Raises MissingExtraError without the extra `events`.
        """

        entries, titles = country_entries()
        return cls(entries, match_case=True, titles=titles, name=COUNTRIES)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, stemming: str = "suffixes", match_case: bool = False) -> Lexicon:
        """Read a lexicon from a file with one name per line: `CODE<TAB>NAME`, or CSV (.csv).

        `_` in a name stands for a space. Lines that start with `===` or `#` are comments. The first name of a code is
        its title.

        Raises InputError naming the line.
        """

        entries = read_entries(path)
        titles = dict(reversed(entries))
        return cls(entries, stemming, match_case, titles=titles, name=os.path.basename(path))

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the actors, in alphabetical order."""
        return tuple(sorted({code for code, _ in self.entries} - {NOBODY}))

    def title(self, code: str) -> str:
        """Return the title of a code; the code itself if the lexicon has no title for it."""
        return self.titles.get(code, code)

    def match(self, words: Sequence[str]) -> list[Match]:
        """Return the names in a text as (start, end, code), in text order: words `start` to `end` - 1 name the actor.

        A name of two actors is included twice, once with each code.
        """
        matches: list[Match] = []
        end = 0
        for at in self._possible_starts(words):
            names = self._names_from(words[at])
            name = self._name_at(names, words, at) if names and at >= end else None
            if name is not None:
                end = at + len(name.folded)
                matches.extend((at, end, code) for code in name.codes)
        return matches

    def codes_of(self, name: str) -> tuple[str, ...]:
        """Return the codes of the actors that a text names, without repetition, in text order.

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
        """Return the names that may start with a word, the longest first. Results are cached, because words repeat."""
        names = self._known.get(word)
        if names is None:
            first = fold(word)
            stems = (first, *stemming_named(self.stemming)(first))
            singles = (self._single[stem] for stem in stems if stem in self._single)
            names = (*self._longer.get(first, ()), *singles)
            if len(self._known) >= MAX_REMEMBERED:
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
    """Return one name per spelling, with all its codes: of those that differ in case, the one with fewest capitals."""
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
