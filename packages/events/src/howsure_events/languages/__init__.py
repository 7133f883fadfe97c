"""The texts of the page, the labelling room and the report: a JSON file per language, each with the keys of `en.json`.

A text has its values in braces. A text with plural forms is an object by category of Unicode's plural rules ("one",
"few", "other" …), from which the page chooses by the value `n`. A new file is a new language. `_sentences` translates
the English sentences, and parts of them, that Python words: checks, errors and regressions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from howsure.inputs.numbers_and_names import unknown_name

ENGLISH, LOCALE, SENTENCES = "en", "_locale", "_sentences"
LANGUAGES = tuple(
    sorted(entry.name.removesuffix(".json") for entry in files(__name__).iterdir() if entry.name.endswith(".json"))
)


@cache
def texts_in(language: str) -> Mapping[str, Any]:
    """The texts of a language by key; `_locale` is the one of its numbers and dates.

    >>> texts_in("de")["close"], texts_in("es")["close"]
    ('Schließen', 'Cerrar')
    """
    if language not in LANGUAGES:
        raise unknown_name("language", language, LANGUAGES, place="the page")
    texts: dict[str, Any] = json.loads(files(__name__).joinpath(f"{language}.json").read_text(encoding="utf-8"))
    return texts


def text_in(language: str, key: str, **values: Any) -> str:
    """A text without plural forms, with its values.

    >>> text_in("en", "question_verb", verb="attack")
    'Which of these attack here?'
    """
    return str(texts_in(language)[key]).format(**values)


def translated(sentence: str, language: str) -> str:
    """Return an English sentence of howsure in a language; unchanged if the language has no translation of it.

    A value within the sentence is translated too if it has a translation, and numbers get decimal commas.

    >>> translated("Check on held-out labels: 1,201 of 1,240 intervals cover.", "de")
    'Prüfung an zurückgehaltenen Kodierungen: 1.201 von 1.240 Konfidenzintervallen enthalten die wahre Zahl.'
    """
    if language == ENGLISH:
        return sentence
    for pattern, text in _patterns(language):
        if match := pattern.fullmatch(sentence):
            values = {name: translated(value, language) for name, value in match.groupdict().items()}
            return text.format(**values)
    return NUMBER.sub(_with_comma, sentence) if NUMBERS.fullmatch(sentence) else sentence


NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|, |%")
AMOUNT = rf"[-+]?(?:{NUMBER.pattern.removesuffix('|, |%')})(?:e[-+]?\d+)?"
NUMBERS = re.compile(rf"{AMOUNT}%?(?: \[{AMOUNT}, {AMOUNT}\])?")  # a version such as 0.2.0 is none


def _with_comma(match: re.Match[str]) -> str:
    """Return a number with a decimal comma, and what separates two of them."""
    part = match.group()
    return {", ": "; ", "%": "\N{NO-BREAK SPACE}%"}.get(part) or part.translate(str.maketrans(",.", ".,"))


@cache
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return patterns of the English sentences with their translations, the most specific first."""
    sentences = texts_in(language)[SENTENCES]
    by_length = sorted(sentences, key=lambda english: -len(re.sub(r"\{\w+\}", "", english)))
    return [(_pattern(english), sentences[english]) for english in by_length]


def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", english)
    words = [f"(?P<{part}>.*?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    return re.compile("".join(words), re.DOTALL)
