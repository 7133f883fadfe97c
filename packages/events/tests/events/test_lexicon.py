"""Names in texts: the longest first, capitals, plurals, and files of names."""

from __future__ import annotations

import csv
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.documents.conllu import read_conllu
from howsure.data.documents.document import Sentence
from howsure.errors import InputError, MissingExtraError
from howsure_events import example_store
from howsure_events.labels.draw_documents import documents_with_words, event_words
from howsure_events.lexicon import (
    NOBODY,
    STEMMING,
    SUPPLEMENT,
    TERRITORIES,
    TITLES,
    Lexicon,
    case_fits,
    country_entries,
    fold,
    paper_stems,
    read_entries,
    spellings,
    suffix_stems,
)
from howsure_events.series.labelled_pairs import pair_features
from howsure_events.store.event_store import EventStore

ENTRIES = (
    ("USA", "United States"),
    ("USA", "US"),
    ("VIR", "United States Virgin Islands"),
    ("JEY", "Jersey"),
    ("-", "New Jersey"),
    ("COD", "Congolese"),
    ("COG", "Congolese"),
    ("GNB", "Guinea-Bissau"),
    ("GIN", "Guinea"),
    ("CIV", "Côte d'Ivoire"),
    ("IND", "Indian"),
)
LEXICON = Lexicon(ENTRIES)
STRICT = Lexicon(ENTRIES, match_case=True)


def found(text: str, lexicon: Lexicon = LEXICON) -> list[tuple[int, int, str]]:
    return lexicon.match(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the United States Virgin Islands", [(1, 5, "VIR")]),
        ("the United States and Virgin Islands", [(1, 3, "USA")]),
        ("New Jersey is not Jersey", [(4, 5, "JEY")]),
        (
            "the Guinea - Bissau army , the Guinea-Bissau army , the Guinea army",
            [(1, 4, "GNB"), (7, 8, "GNB"), (11, 12, "GIN")],
        ),
        ("Cote d’Ivoire or Côte d'Ivoire", [(0, 2, "CIV"), (3, 5, "CIV")]),
        ("Indians' Indian's Indians", [(0, 1, "IND"), (1, 2, "IND"), (2, 3, "IND")]),
        ("Congolese", [(0, 1, "COD"), (0, 1, "COG")]),
        ("United", []),
        ("", []),
    ],
)
def test_the_longest_name_counts(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert found(text) == expected
    assert found(text, STRICT) == expected


def test_capitals_count_only_if_asked() -> None:
    assert found("tell us of the united states and US jersey") == [
        (1, 2, "USA"),
        (4, 6, "USA"),
        (7, 8, "USA"),
        (8, 9, "JEY"),
    ]
    assert found("tell us of the united states and US jersey", STRICT) == [(7, 8, "USA")]
    assert found("UNITED STATES JERSEY", STRICT) == [(0, 2, "USA"), (2, 3, "JEY")]


def test_a_listed_suffix_is_all_that_is_cut_off() -> None:
    assert found("Indiana Indians") == [(1, 2, "IND")]
    assert found("Indiana used Indians", Lexicon(ENTRIES, stemming="paper")) == [
        (0, 1, "IND"),
        (1, 2, "USA"),
        (2, 3, "IND"),
    ]
    assert found("Indians", Lexicon(ENTRIES, stemming="none")) == []


def test_the_last_word_of_a_long_name_is_cut_too() -> None:
    assert found("the United States'") == [(1, 3, "USA")]
    lexicon = Lexicon([("KOR", "South Korean"), ("ZAF", "South African")])
    assert found("South Koreans and South Africans", lexicon) == [(0, 2, "KOR"), (3, 5, "ZAF")]


def test_codes_are_listed_once() -> None:
    assert LEXICON.codes == ("CIV", "COD", "COG", "GIN", "GNB", "IND", "JEY", "USA", "VIR")
    assert LEXICON.codes_of("Indians of New Jersey , US Indians") == ("IND", "USA")
    assert Lexicon(ENTRIES, titles={"IND": "India"}).title("IND") == "India"
    assert LEXICON.title("IND") == "IND"


words = st.sampled_from(["United", "States", "Virgin", "Islands", "New", "Jersey", "US", "us", "Indians", "of", "-"])


@given(st.lists(words, max_size=8))
def test_matches_are_the_leftmost_longest(text: list[str]) -> None:
    """Against the slow twin: at every place all lengths, the greatest first."""
    expected, at = [], 0
    while at < len(text):
        for end in range(len(text), at, -1):
            last = fold(text[end - 1])
            ways = [[*map(fold, text[at : end - 1]), way] for way in (last, *suffix_stems(last))]
            names = [(code, way) for code, name in ENTRIES for way in spellings(name) if [*map(fold, way)] in ways]
            if names:
                expected += sorted((at, end, code) for code in {code for code, _ in names} - {"-"})
                break
        at = end if names else at + 1
    assert LEXICON.match(text) == expected


def test_the_papers_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text(
        "=== countrycode=IRQ\nIRQ\tIRAQ\nUSA\tUNITED_STATES\n\n# ours\nX\tSome Party\ta source\n", encoding="utf-8"
    )
    lexicon = Lexicon.read(path, stemming="paper")
    assert lexicon.entries == (("IRQ", "IRAQ"), ("USA", "UNITED STATES"), ("X", "Some Party"))
    assert found("Iraqis of the united states", lexicon) == [(0, 1, "IRQ"), (3, 5, "USA")]


def test_the_first_name_of_a_code_is_its_title(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("IRQ\tIraq\nUSA\tUnited_States\nIRQ\tIraqi\n-\tIraq Street\n", encoding="utf-8")
    lexicon = Lexicon.read(path)
    assert {code: lexicon.title(code) for code in lexicon.codes} == {"IRQ": "Iraq", "USA": "United States"}


@pytest.mark.parametrize(
    "content",
    [
        'code,name\nIRQ,Iraq\nUSA,United States\nUSA,"America, the United States of"\n',
        "\ufeffcode;name\r\nIRQ;Iraq\r\nUSA;United_States\r\n;\r\nUSA;America, the United States of\r\n",
        'Name,Region,Code\nIraq,Asia,IRQ\nUnited States,,USA\n"America, the United States of",America,USA\n',
        'IRQ,Iraq\n# ours\nUSA,United States,a source\nUSA,"America, the United States of"\n',
    ],
)
def test_a_spreadsheet_is_read(content: str, tmp_path: Path) -> None:
    path = tmp_path / "names.CSV"
    path.write_text(content, encoding="utf-8", newline="")
    lexicon = Lexicon.read(path)
    assert lexicon.entries == (("IRQ", "Iraq"), ("USA", "United States"), ("USA", "America, the United States of"))
    assert lexicon.title("USA") == "United States"


def test_names_without_a_word(tmp_path: Path) -> None:
    for name in ("-", "--", "/", "_", "…"):
        with pytest.raises(InputError, match="a name with a letter or a digit"):
            Lexicon([("IRQ", name)])
    assert spellings("-") == (("-",),)
    assert Lexicon([("X", "X-")]).match(["X-"]) == [(0, 1, "X")]


def test_stems() -> None:
    assert paper_stems("a") == ("", "")
    assert suffix_stems("us") == ()
    assert suffix_stems("danes'") == ("dane", "danes")
    assert STEMMING["none"]("danes") == ()
    assert case_fits("US", "US")
    assert not case_fits("Us", "US")
    assert spellings("People's Republic")[1] == ("People", "'s", "Republic")


@pytest.mark.parametrize(
    "content",
    ["irq,Iraq\nusa,United States\n", "Irq,Iraq\nUSA,United States\n", "ID,Idaho\nIA,Iowa\nKS,Kansas\n", "iso,ISO\n"],
)
def test_entries_are_no_header(content: str, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(content)
    assert len(Lexicon.read(path).entries) == content.count("\n")


# Words of a rule are found in the same documents by the draw of documents and by the features of the correction.


def test_words_stand_for_lemmas_that_a_parser_did_not_give(tmp_path: Path) -> None:
    with example_store() as example:
        shutil.copy(example.path, tmp_path / "plain.duckdb")
    with duckdb.connect(tmp_path / "plain.duckdb") as connection:
        connection.execute("UPDATE sentences SET lemmas = NULL")
    with EventStore.open(tmp_path / "plain.duckdb") as event_store:
        settings = {**event_store.settings, "rule": {"name": "raid", "verbs": ["Attacked"]}}
        store = SimpleNamespace(path=event_store.path, connection=event_store.connection, settings=settings, facts=None)
        rows = event_store.ask("SELECT document, words FROM sentences")
        expected = {number for number, words in rows if "attacked" in map(str.lower, words)}
        pairs = pair_features(store, ["NORLAND"])
        counted = set(pairs.document[pairs.features["event words"] > 0].tolist())
    assert expected
    assert counted == expected


def test_a_rule_without_words_has_none() -> None:
    with example_store() as event_store:
        store = SimpleNamespace(
            path=event_store.path,
            connection=event_store.connection,
            settings={**event_store.settings, "rule": {}},
            facts=None,
        )
        assert event_words(store) is None
        assert documents_with_words(store) is None
        settings = {**event_store.settings, "rule": {"forms": ["ATTACKED"]}}
        store = SimpleNamespace(path=event_store.path, connection=event_store.connection, settings=settings, facts=None)
        words_of_rule = event_words(store)
        assert documents_with_words(store) == set(words_of_rule["document"].tolist()) != set()


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
    codes_of_words: dict[int, set[str]] = {}
    for start, end, code in lexicon.match(sentence.words):
        for word in range(start, end):
            tag = (sentence.universal_tags or ())[word]
            if sentence.words[word][0].isupper() and tag in {"NOUN", "PROPN", "ADJ"}:
                iso = IGOS.get(code, code[3:] if len(code) == 6 else code)
                codes_of_words.setdefault(word, set()).add(iso)
    return codes_of_words
