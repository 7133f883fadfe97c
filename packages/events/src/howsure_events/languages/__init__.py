"""The texts of the page, the labelling room and the report: a JSON file per language, each with the keys of `en.json`.

A text has its values in braces. A text with plural forms is an object by category of Unicode's plural rules ("one",
"few", "other" …), from which the page chooses by the value `n`. A new file is a new language.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from howsure.inputs.numbers_and_names import unknown_name

ENGLISH, LOCALE = "en", "_locale"
LANGUAGES = tuple(
    sorted(entry.name.removesuffix(".json") for entry in files(__name__).iterdir() if entry.name.endswith(".json"))
)


@cache
def texts_in(language: str) -> Mapping[str, Any]:
    """The texts of a language by key; `_locale` is the one of its numbers and dates.

    Raises InputError for a language without a file.

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
