"""The lexicon of countries against what is known of the world, and against two independent lists."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import pycountry
import pytest

from howsure.data.documents.conllu import read_conllu
from howsure.data.documents.document import Sentence
from howsure.errors import MissingExtraError
from howsure.events.lexicon import NOBODY, SUPPLEMENT, TERRITORIES, TITLES, Lexicon, country_entries, read_entries

SOURCES = {"english", "iso3166-3", "lists", "news", "organisation"}
COUNTRIES = Lexicon.countries()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("American Americans America U.S. US U.S.A. the United States", ["USA"]),
        ("American Samoa", ["ASM"]),
        ("British Britons Britain UK Englishmen Scottish", ["GBR"]),
        ("French Frenchmen France", ["FRA"]),
        ("Indian Indians India", ["IND"]),
        ("Chinese China People 's Republic of China", ["CHN"]),
        ("Norwegian", ["NOR"]),
        ("Soviet Soviets USSR Soviet Union", ["SUN"]),
        ("Yugoslavia Yugoslav Yugoslavs", ["YUG"]),
        ("Czechoslovakia Czechoslovak", ["CSK"]),
        ("East Germany East Germans", ["DDR"]),
        ("West German Germans", ["DEU"]),
        ("Zaire Zairian", ["ZAR"]),
        ("NATO Nato North Atlantic Treaty Organization", ["NATO"]),
        ("European Union EU EC", ["EU"]),
        ("United Nations U.N. UN", ["UN"]),
        ("South Koreans", ["KOR"]),
        ("Democratic People's Republic of Korea", ["PRK"]),
        ("Republic of Korea", ["KOR"]),
        ("Northern Ireland", ["GBR"]),
        ("Equatorial Guinea", ["GNQ"]),
        ("Papua New Guinea", ["PNG"]),
        ("Nigerien Niger", ["NER"]),
        ("Nigerian", ["NGA"]),
        ("Bosnian Serbs", ["BIH"]),
        ("Serbs", ["SRB"]),
        ("Democratic Republic of the Congo", ["COD"]),
        ("Republic of China", ["TWN"]),
        ("Dominican", ["DOM"]),
        ("Commonwealth of Dominica", ["DMA"]),
        ("Saudis Saudi Arabians", ["SAU"]),
        ("Danes Danish", ["DNK"]),
    ],
)
def test_names_mean_what_news_means(text: str, codes: list[str]) -> None:
    assert list(COUNTRIES.codes_of(text)) == codes


@pytest.mark.parametrize(
    "text",
    [
        "New Jersey",
        "New Mexico",
        "Indian Ocean",
        "South China Sea",
        "Latin Americans",
        "former Soviet Union",
        "Indiana",
        "tell us",
        "a turkey",
        "china plates",
        "former Yugoslavia",
        "the Americas",
        "Gulf of Mexico",
        "West Indies",
    ],
)
def test_what_names_no_actor(text: str) -> None:
    assert COUNTRIES.codes_of(text) == ()


def test_every_entry_of_the_supplement_has_its_source() -> None:
    lines = [line for line in SUPPLEMENT.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert {line.split("\t")[2] for line in lines} == SOURCES
    names = [name.lower() for _, name in read_entries(SUPPLEMENT)]
    assert [name for name, n in Counter(names).items() if n > 1] == []


def test_codes_are_those_of_iso_and_ours() -> None:
    today = {country.alpha_3 for country in pycountry.countries}
    former = {country.alpha_3 for country in pycountry.historic_countries}
    assert set(COUNTRIES.codes) - today == {"CSK", "DDR", "EU", "NATO", "SCG", "SUN", "UN", "XKX", "YMD", "YUG", "ZAR"}
    assert {"CSK", "DDR", "SCG", "SUN", "YMD", "YUG", "ZAR"} <= former
    assert today > TERRITORIES
    assert today <= set(COUNTRIES.codes)
    assert set(COUNTRIES.codes) <= set(COUNTRIES.titles)
    assert COUNTRIES.title("BOL") == "Bolivia"
    assert set(TITLES) == set(COUNTRIES.codes) - today


def test_only_two_islands_share_a_name() -> None:
    """No other name is left with two codes."""
    entries, _ = country_entries()
    shared = {name: {code for code, other in entries if other == name} for _, name in entries}
    assert {name for name, codes in shared.items() if len(codes - {NOBODY}) > 1} == {"Channel Islander"}


@pytest.mark.parametrize("package", ["countryinfo", "pycountry"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # what is not installed cannot be imported
    with pytest.raises(MissingExtraError, match=r"howsure\[events\]"):
        country_entries.__wrapped__()


@pytest.mark.parametrize(
    ("column", "states", "others"), [("name", 0.99, 0.95), ("official", 0.98, 0.8), ("demonym_m", 0.98, 0.65)]
)
def test_agreement_with_another_list_of_countries(real_data: Path, column: str, states: float, others: float) -> None:
    """mledoze/countries: 197 states and 53 territories; a name is right if it means that country and no other."""
    right, n = Counter[bool](), Counter[bool]()
    with (real_data / "countries" / "country_demonyms.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            code = row["cca3"] if row["cca3"] != "UNK" else "XKX"
            if row[column]:
                n[code in TERRITORIES] += 1
                right[code in TERRITORIES] += COUNTRIES.codes_of(row[column]) == (code,)
    assert right[False] >= states * n[False]
    assert right[True] >= others * n[True]


@pytest.mark.long
def test_agreement_with_the_papers_lexicon(real_data: Path) -> None:
    """On capitalised nouns and adjectives of two treebanks: where both name an actor it is the same one, nearly always.

    A naive dictionary of demonyms differs in 22 % of them.
    """
    theirs = Lexicon.read(real_data / "irevents" / "country_igos.txt", stemming="paper")
    both = same = 0
    for path in ("ud_english_ewt/en_ewt-ud-test.conllu.gz", "gum/gum_dev.conllu.gz", "gum/gum_test.conllu.gz"):
        for document in read_conllu(real_data / path):
            for sentence in document.sentences:
                ours, others = by_word(COUNTRIES, sentence), by_word(theirs, sentence)
                both += len(ours.keys() & others.keys())
                same += sum(bool(ours[word] & others[word]) for word in ours.keys() & others.keys())
    assert both > 500
    assert same / both > 0.99


IGOS = {"IGOUNO": "UN", "IGONAT": "NATO", "IGOEEC": "EU", "KSV": "XKX"}


def by_word(lexicon: Lexicon, sentence: Sentence) -> dict[int, set[str]]:
    """The actors that each capitalised noun or adjective is part of the name of."""
    held: dict[int, set[str]] = {}
    for start, end, code in lexicon.match(sentence.words):
        for word in range(start, end):
            tag = (sentence.universal_tags or ())[word]
            if sentence.words[word][0].isupper() and tag in {"NOUN", "PROPN", "ADJ"}:
                iso = IGOS.get(code, code[3:] if len(code) == 6 else code)
                held.setdefault(word, set()).add(iso)
    return held
