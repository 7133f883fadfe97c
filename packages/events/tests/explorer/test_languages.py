"""The texts of the page in all languages: every key is used and known, and none of them is written anywhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cli.running import howsure
from tests.explorer.chromium import Browser
from tests.explorer.labelling.rooms import enter, serving_room

from howsure.counts.notes import CountNote, SamplingDesign
from howsure.counts.results import Diagnostics
from howsure.errors import InputError
from howsure.result import Estimate
from howsure_events import EventStore, example_store
from howsure_events.explorer.assembly import LABELLING, assemble
from howsure_events.explorer.queries import overview
from howsure_events.labels.draw_documents import draw_documents, rule_question
from howsure_events.languages import ENGLISH, LANGUAGES, LOCALE, SENTENCES, texts_in, translated
from howsure_events.series.corrected_series import checks

PAGE = files("howsure_events.explorer").joinpath("page")
SOURCES = {
    entry.name: entry.read_text(encoding="utf-8") for entry in PAGE.iterdir() if entry.name.endswith((".js", ".html"))
}
IN_PYTHON = {LOCALE, "page_title", "labelling", "question_own", "question_verb", "question_event"}
PLACEHOLDER = re.compile(r"\{(\w+)\}")
COMMENT = re.compile(r"(?:^|(?<=[ ;,{]))//(?=[ ]).*$", re.MULTILINE)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`')
TECHNICAL = re.compile(  # styles, selectors, names of keys and fonts: not to be read by people
    r'class: (?:[^,()]|\([^)]*\))*?"[^"]*"|(?:import|from) .*|NATIVE = .*|<\?xml[^>]*>'
    r"|(?:closest|querySelector(?:All)?|matches|matchMedia|byId)\??\.?\([^)]*\)"
    r'|"(?:Enter|Arrow\w+|Home|End|DejaVu Sans, Arial, sans-serif)"'
)


def forms(text: Any) -> list[str]:
    """The plural forms of a text, or the text itself."""
    return list(text.values()) if isinstance(text, dict) else [text]


def used_keys() -> set[str]:
    return {key for source in SOURCES.values() for key in re.findall(r'\bsay\(\s*"(\w+)"', source)}


def prose(name: str, source: str) -> list[str]:
    """What people would read in a source outside the catalogue."""
    if name.endswith(".html"):
        bare = re.sub(r"\{[{%].*?[%}]\}|<style>.*?</style>", "", source, flags=re.DOTALL)
        texts = re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', bare) + re.findall(r">([^<]*)<", bare)
        return [text for text in texts if re.search("[A-Za-z]{2}", text)]
    bare = TECHNICAL.sub("", COMMENT.sub("", source))
    literals = [re.sub(r"\$\{.*?\}", "", literal.group()) for literal in LITERAL.finditer(bare)]
    return [text for text in literals if re.search(r"[A-Za-z]{2,} [a-z]{2,}|^.\s*[A-Z][a-z]+", text)]


def test_every_language_has_the_same_keys_and_values() -> None:
    english = texts_in("en")
    assert {"de", "en", "es"} <= set(LANGUAGES)
    for language in LANGUAGES:
        texts = {key: text for key, text in texts_in(language).items() if key != SENTENCES}
        assert list(texts) == list(english)
        for key, text in texts.items():
            assert all(form.strip() for form in forms(text)), key
            assert not isinstance(text, dict) or "other" in text, key
            names = {frozenset(PLACEHOLDER.findall(form)) for form in forms(text)} - {frozenset()}
            full = set(PLACEHOLDER.findall(forms(english[key])[-1]))
            assert all(name <= full for name in names), (language, key)
            assert set(PLACEHOLDER.findall(forms(text)[-1])) == full, (language, key)


def test_every_key_is_used_and_every_used_key_is_known() -> None:
    assert used_keys() | IN_PYTHON == set(texts_in("en"))


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_no_sentence_is_outside_the_catalogue(name: str) -> None:
    assert prose(name, SOURCES[name]) == []


def test_the_check_finds_sentences() -> None:
    assert prose("a.js", 'element("p", {}, "Close");\nsay(`${n} documents left`); // a comment') == [
        '"Close"',
        "` documents left`",
    ]
    assert prose("a.html", '<p aria-label="Actors">{{ say("b") }}</p><h1>Series</h1>') == ["Actors", "Series"]


def test_a_page_has_its_language_and_only_that() -> None:
    for design in (LABELLING, None):
        pages = {
            language: assemble(language=language, writing="t", **({} if design is None else {"design": design}))
            for language in LANGUAGES
        }
        assert [f'<html lang="{language}">' in page.html for language, page in pages.items()] == [True] * len(LANGUAGES)
        assert len({page.script for page in pages.values()}) == len(LANGUAGES), "each script has a hash of its own"
        assert "Diese Seite läuft auf Ihrem Rechner" in pages["de"].html
        assert "Diese Seite läuft auf Ihrem Rechner" not in pages["es"].html
    with pytest.raises(InputError, match="no language 'xx'"):
        assemble(language="xx")


def test_a_question_is_asked_in_a_language() -> None:
    assert (
        rule_question({"verbs": ["attack"]}, ["USA"], "de") == "Auf welche dieser Akteure trifft „attack“ im Text zu?"
    )
    assert rule_question({"name": "strike"}, ["USA"], "es") == "¿A cuáles de estos se aplica «strike» en el texto?"
    assert rule_question({"name": "protesta"}, ["p_protesta"], "es") == "¿Trata el texto de «protesta»?"
    assert rule_question({"name": "x", "question": "Wer {streikt}?"}, ["x"], "es") == "Wer {streikt}?"


@pytest.mark.long
def test_a_question_of_howsure_is_the_title_in_the_language_of_the_page(tmp_path: Path) -> None:
    with example_store(tmp_path / "news.duckdb") as store:
        question = rule_question({"verbs": ["attack"]}, [], "de")
    with EventStore.open(tmp_path / "news.duckdb", read_only=False) as store:
        draw_documents(store, 12, question=question, period="none")
        about = overview(store)
    assert (about["question"], about["asked"]) == (None, {"kind": "verb", "verb": "attack"})


SPEAKERS = (
    "explorer/app.py",
    "explorer/access.py",
    "explorer/labelling.py",
    "explorer/queries.py",
    "labels/answers.py",
)
RAISED = {"InputError", "NotTheirsError", "refused", "say", "_refuse"}
ONLY_AT_THE_START = (
    "each coder and the coordinator need",
    "has no labels",
    "store must be",
    "This page answers only to",
)


def worded(source: str) -> Iterator[str]:
    """The errors that a module words, with 7 for each value, and its constants that are sentences."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in RAISED:
            for argument in node.args:
                if isinstance(argument, ast.JoinedStr):
                    parts = argument.values
                    yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)
                elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value
        elif isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.Constant):
            text = str(node.value.value)
            if re.search(r"[a-z] [a-z]+.*\.$", text):
                yield text


CODES = ("design", "average_coverage", "few_labels", "independent_members", "large_clusters", "not_as_drawn")
CODES += ("low_scores_unlabelled", "unlike_groups", "unlabelled_groups")


def checks_of_counts() -> tuple[str, ...]:
    """The sentences on corrected counts, with made-up values."""
    error = Estimate(0.1, 0.0, 0.2, level=0.95, method="debiased", n=40)
    diagnostics = Diagnostics(
        hidden_coverage=0.9, hidden_groups=40, drift=(0.7,), disagreement=(2.5,), worth=10, raw_error=error
    )
    values = {"design": SamplingDesign(clustered=True, strata=4), "domain": ("IRQ",), "unlike": ["2001"], "n": 2}
    values |= {"largest": 9, "label": "positive", "chosen": False, "few": 20, "score": 0.1}
    row = SimpleNamespace(group=("IRQ", "2001"), estimate=3.0)
    caveats = [CountNote(code, values) for code in CODES]
    return checks(SimpleNamespace(diagnostics=diagnostics, caveats=caveats, rows=[row]), 4, 2)


@pytest.mark.parametrize("language", sorted({*LANGUAGES} - {ENGLISH}))
def test_what_python_words_is_translated(language: str) -> None:
    rooms = files("howsure_events")
    errors = [text for name in SPEAKERS for text in worded(rooms.joinpath(name).read_text(encoding="utf-8"))]
    errors = [text for text in errors if " " in text and not any(start in text for start in ONLY_AT_THE_START)]
    assert len(errors) > 30
    sentences = [*errors, *checks_of_counts()]
    assert [text for text in sentences if translated(text, language) == text] == []


NUMBERS = {"1,201.5": "1.201,5", "1.3e-05": "1,3e-05", "-0.3 [-0.5, 1,200]": "-0,3 [-0,5; 1.200]", "12%": "12\xa0%"}


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_have_decimal_commas_and_versions_points(number: str) -> None:
    assert (translated(number, "de"), translated("0.2.0", "de")) == (NUMBERS[number], "0.2.0")


def test_a_translation_has_the_values_of_its_sentence() -> None:
    german = texts_in("de")[SENTENCES]
    for language in {*LANGUAGES} - {ENGLISH}:
        sentences = texts_in(language)[SENTENCES]
        assert list(sentences) == list(german)
        for english, text in sentences.items():
            assert {*PLACEHOLDER.findall(text)} <= {*PLACEHOLDER.findall(english)}, english


ENGLISH_WORDS = re.compile(
    r"\b(?:the|of|and|is|are|not|with|from|has|have|no|must|label|labels|document|documents|period|periods|interval|"
    r"intervals|coder|coders|corrected|raw|standard error|compared|estimate|total)\b",
    re.IGNORECASE,
)
WITHOUT_TEXT = """
for (const one of document.querySelectorAll("#text, main h2, bdi")) one.remove();
return document.body.innerText;
"""
NAMES = {"period", "documents"}  # words of the settings and of addresses


@pytest.mark.long
def test_nothing_on_a_page_in_german_is_english(browser: Browser, tmp_path: Path) -> None:
    """The report and the labelling room of bundled news with labels and a regression, unfolded, without their texts."""
    store, page, talks, table = (tmp_path / name for name in ("a.duckdb", "a.html", "talks.csv", "regression.json"))
    demo = files("howsure_cli").joinpath("demo")
    corpus = ["--date", "date", "--title", "title", "--lexicon", demo / "actors.tsv", "--store", store, "--workers", 1]
    assert howsure("events", "extract", demo / "news.conllu", *corpus).code == 0
    assert howsure("events", "label", store, "--labels", 24, "--draw-only", "--language", "de").code == 0
    assert howsure("events", "labels", "import", store, demo / "labels.csv").code == 0
    quarters = [f"{year}-Q{quarter}" for year in (2001, 2002) for quarter in (1, 2, 3, 4)]
    talks.write_text("period,talks\n" + "".join(f"{name},{at % 3}\n" for at, name in enumerate(quarters)))
    regression = ["--on", "period", "--covariates", "talks", "--fixed-effects", "actor", "--format", "json"]
    done = howsure("events", "regress", store, talks, *regression, "--output", table)
    assert done.code == 0, done.err
    done = howsure("events", "report", store, page, "--period", "quarter", "--language", "de", "--regression", table)
    assert done.code == 0, done.err
    browser.open(f"{page.as_uri()}#period=quarter&first=SUDORIA&second=NORLAND&unit=x")
    browser.says("#corrections", "kodierten Dokumenten")
    browser.run("for (const one of document.querySelectorAll('details')) one.open = true")
    browser.settle()
    browser.run("document.querySelector('#recipe').remove()")  # names of settings
    german = re.sub("„[^“]*“", "", browser.run("return document.body.innerText"))
    assert "Prüfung an zurückgehaltenen Kodierungen" in german
    assert "Koeffizient" in german
    assert {word.lower() for word in ENGLISH_WORDS.findall(german)} - NAMES == set(), german
    with serving_room(store, "--language", "de", question="Auf welche dieser Akteure") as room:
        enter(browser, room.address, "Anna")
        words = browser.run(WITHOUT_TEXT)
        assert ENGLISH_WORDS.findall(words) == [], words
        browser.open(room.links["coordinator"])
        words = browser.run("return document.body.innerText")
        assert ENGLISH_WORDS.findall(words) == [], words
