"""The body of a request that writes: a small JSON object, each of its fields read by its rule, all others refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from howsure.errors import InputError
from howsure.files.json_text import parsed_json
from howsure.inputs.naming import unknown_name

LARGEST = 2**62
MOST_ACTORS = 1000
SHOWN = 60
Rule = Callable[[str, Any], Any]


def read_fields(body: bytes, fields: Mapping[str, Rule], *, address: str) -> dict[str, Any]:
    """The fields of a body, all of them.

    Raises InputError for what is no JSON object, for an unknown or a missing field, or a value against its rule.
    """
    try:
        given = parsed_json(body)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError(f"the body must be a JSON object with the fields {', '.join(fields)}.")
    for name in given:
        if name not in fields:
            raise unknown_name("field", name[:SHOWN], list(fields), place=address)
    for name in fields:
        if name not in given:
            raise InputError(f"{name} must be given; it is missing.")
    return {name: rule(name, given[name]) for name, rule in fields.items()}


def whole(name: str, value: Any) -> int:
    """A whole number from 0."""
    if type(value) is not int or not 0 <= value <= LARGEST:
        _refuse(name, "a whole number from 0", value)
    return int(value)


def text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str) or not value.strip():
        _refuse(name, "a text, and not empty", value)
    return str(value)


def truth(name: str, value: Any) -> bool:
    """True or false."""
    if type(value) is not bool:
        _refuse(name, "true or false", value)
    return bool(value)


def codes(name: str, value: Any) -> list[str]:
    """A list of codes."""
    if not isinstance(value, list) or len(value) > MOST_ACTORS or not all(isinstance(one, str) for one in value):
        _refuse(name, f"a list of at most {MOST_ACTORS:,} codes", value)
    return list(value)


def _refuse(name: str, rule: str, value: Any) -> NoReturn:
    raise InputError(f"{name} must be {rule}; it is {json.dumps(value)[:SHOWN]}.")
