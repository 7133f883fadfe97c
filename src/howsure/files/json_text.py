"""JSON from files: whatever is wrong with it, however deep it is, is a ValueError."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from howsure.files.utf8 import decoded


def parsed_json(text: str | bytes, *, strict: bool = False) -> Any:
    """The value of a JSON text; `strict`: a name counts once in an object, and all numbers are finite.

    >>> parsed_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parsed_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    >>> parsed_json('"\\\\ud800"')
    Traceback (most recent call last):
    ValueError: it holds half a character (a lone surrogate)
    >>> parsed_json('{"a": 1, "a": NaN}', strict=True)
    Traceback (most recent call last):
    ValueError: it holds NaN, which is no number of JSON

    Raises ValueError if the text is no JSON or not in UTF-8, too deep, or holds what is no character.
    """
    rules: dict[str, Any] = {"parse_constant": _no_number, "object_pairs_hook": _once} if strict else {}
    if not isinstance(text, str | bytes):
        raise ValueError(f"it is a {type(text).__name__}, not a text")
    try:
        text = decoded(text) if isinstance(text, bytes) else text.encode().decode()
        value = json.loads(text, **rules)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it holds half a character (a lone surrogate)") from error
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number of JSON")


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(held := list(pairs))
    if len(found) != len(held):
        raise ValueError("it holds a name twice")
    return found


def is_version(value: Any, *known: int) -> bool:
    """Whether a value is one of the whole numbers, and not true, which Python takes for 1."""
    return type(value) is int and value in known
