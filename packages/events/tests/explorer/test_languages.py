"""The texts of the page in all languages: every key is used and known, and none of them is written anywhere else."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest

from howsure.errors import InputError
from howsure_events.explorer.assembly import LABELLING, assemble
from howsure_events.labels.draw_documents import rule_question
from howsure_events.languages import LANGUAGES, LOCALE, texts_in

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
        texts = texts_in(language)
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
