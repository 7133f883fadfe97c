"""The settings of a store, read from its table `settings` and checked: JSON values of the expected types."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from howsure.errors import InputError
from howsure.events.store.schema import OLDEST, VERSION
from howsure.files.json_text import parsed_json

Settings = dict[str, Any]
# A view may compute without end, and a macro of the store would take the place of a function without its schema.
STORED = (
    "SELECT sql FROM system.main.duckdb_tables() "
    "WHERE schema_name = 'main' AND table_name = 'settings' AND NOT internal AND NOT temporary"
)
REMEDY = "Restore a copy, or extract the events again"
MOST_SAMPLES = 10**6
WORD_LISTS = ("verbs", "forms", "nouns", "described_by")


def read_settings(connection: duckdb.DuckDBPyConnection, path: Path, *, known: bool = False) -> Settings:
    """The settings of an open store, by name; `known` if its tables were found without damage before.

    Raises InputError if there are none, or if they are of another version of the tables, or contain values that no
    extraction writes.
    """
    try:
        held = [] if known else connection.execute(STORED).fetchall()
        if not known and (len(held) != 1 or "GENERATED ALWAYS" in held[0][0]):
            raise ValueError("settings is no table of values")
        rows = connection.execute("SELECT name, value FROM main.settings").fetchall()
        settings = {str(name): parsed_json(value, strict=True) for name, value in rows}
        version = settings["version"]
    except (duckdb.Error, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is a DuckDB file, but not a store of events: it has no such settings.") from error
    if type(version) is not int:
        raise InputError(f"{path} is damaged: the version in its settings is no whole number. {REMEDY}.")
    if version > VERSION:
        raise InputError(
            f"{path} was written by a newer howsure ({settings.get('howsure')}; version {version} of the tables, this "
            f"one knows {VERSION}). Update howsure to read it."
        )
    if version < OLDEST:
        raise InputError(
            f"{path} was written by an older howsure ({settings.get('howsure')}; version {version} of the tables, this "
            f"one reads {OLDEST} to {VERSION}). Extract the events again."
        )
    for name, (is_right, rule) in RULES.items():
        if name in settings and not is_right(settings[name]):
            shown = json.dumps(settings[name], ensure_ascii=False)[:80]
            raise InputError(
                f"{path} is damaged: in its settings, {name} must be {rule}; it is {shown}. Restore a copy."
            )
    return settings


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_object(value: object) -> bool:
    return isinstance(value, str | dict)


def _are_titles(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(title, str) for title in value.values())


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_text, pair)) for pair in value
    )


def _is_rule(value: object) -> bool:
    """Whether it has a name, and lists of words where lists are expected."""
    if not isinstance(value, dict) or not isinstance(value.get("name", ""), str):
        return False
    lists = [value[name] for name in WORD_LISTS if value.get(name) is not None]
    return all(isinstance(words, list) and all(map(_is_text, words)) for words in lists)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _are_filters(value: object) -> bool:
    return isinstance(value, dict) and all(held is None or isinstance(held, str | bool) for held in value.values())


def _is_seed(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_part(value: object) -> bool:
    """Whether it is a number of a part, of how many, of an input of so many documents."""
    if not isinstance(value, dict) or value.keys() != {"number", "of", "documents"}:
        return False
    number, of, documents = (value[name] for name in ("number", "of", "documents"))
    return all(type(one) is int for one in (number, of, documents)) and 1 <= number <= of and of > 1 and documents >= 0


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_SAMPLES


RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "samples": (_is_count, f"a whole number from 1 to {MOST_SAMPLES:,}"),
    "finished": (lambda value: isinstance(value, bool), "true or false"),
    "howsure": (_is_text, "a version"),
    "actors": (_are_titles, "titles by code"),
    "names": (_are_names, "pairs of a code and a name"),
    "rule": (_is_rule, "a rule with its name and lists of words"),
    "seed": (_is_seed, "a whole number, 0 or more"),
    "part": (_is_part, "a part, how many there are, and the documents of all"),
    "filters": (_are_filters, "an object of texts and truth values"),
    "stories": (_is_object, "an object"),
    "imported": (_is_object, "an object"),
    "parser": (_is_text_or_object, "a text or an object"),
    "lexicon": (_is_text_or_object, "a text or an object"),
    "model": (_is_text_or_object, "a text or an object"),
}


def event_named(rule: Mapping[str, Any]) -> str:
    """The event that a rule finds, given as plain values.

    >>> event_named({"name": "bombing", "forms": ["bombed", "shelled"], "nouns": ["bombing"]})
    'bombing (bombed, shelled, bombing)'
    """
    name = str(rule.get("name") or "an event without a name")
    words = list(dict.fromkeys(word for field in ("verbs", "forms", "nouns") for word in rule.get(field) or ()))
    told = words or ([f"function {rule['function']}"] if rule.get("function") else [])
    return f"{name} ({', '.join(told)})" if told else name
