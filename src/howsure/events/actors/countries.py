"""The entries of the lexicon of countries, from two packages and the supplement in this folder, which takes
precedence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from howsure.events.actors.lexicon_files import read_entries
from howsure.events.actors.spelling import fold
from howsure.first_use import require

SUPPLEMENT = Path(__file__).with_name("countries.tsv")

# Codes of ISO 3166-1 for what is neither a member nor an observer of the United Nations, but Taiwan.
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
    """The (code, name) entries, and the title of each code.

    A name in the supplement has the code given there. A name shared by a state and a territory is the state's; a name
    shared by two states, if not settled by the supplement, denotes both.
    """
    supplement = read_entries(SUPPLEMENT)
    settled = {fold(name) for _, name in supplement}
    packaged = [(code, name) for code, name in _packaged() if fold(name) not in settled]
    of_states = {fold(name) for code, name in packaged if code not in TERRITORIES}
    kept = [(code, name) for code, name in packaged if code not in TERRITORIES or fold(name) not in of_states]
    titles = {country.alpha_3: _title(country) for country in _countries()}
    return tuple(dict.fromkeys([*supplement, *kept])), {**titles, **TITLES}


def _packaged() -> Iterator[tuple[str, str]]:
    """Names from pycountry, names and demonyms from countryinfo.

    Its other spellings are left out, since they include codes (`CAN`) and words of other languages (`Island` for
    Iceland).
    """
    known = set()
    for country in _countries():
        known.add(country.alpha_3)
        for kind in ("name", "common_name", "official_name"):
            yield from ((country.alpha_3, name) for name in _variants(getattr(country, kind, None) or ""))
    for info in _infos():
        code = info["ISO"]["alpha3"]
        if code in known:
            demonyms = re.split(r"[,/]", info.get("demonym") or "")
            yield from ((code, name) for text in (info["name"], *demonyms) for name in _variants(text))


def _variants(text: str) -> Iterator[str]:
    """The names in a list entry: `Korea, Republic of` in natural order, without text in brackets.

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
