"""Bytes as text, UTF-8 and nothing else, and as JSON: plain words for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from howsure.errors import InputError

# Bytes as text: UTF-8 and nothing else, so that no half of a character comes in; plain words for what is wrong.


def decoded(raw: bytes) -> str:
    r"""The text of bytes.

    >>> decoded("Łódź".encode())
    'Łódź'
    >>> decoded(b"L\xc3")
    Traceback (most recent call last):
    ValueError: it ends inside a character
    >>> decoded(b"a \xed\xa0\x80")
    Traceback (most recent call last):
    ValueError: it is not UTF-8 text: byte 3 is 0xed

    Raises ValueError naming the byte (from 1), also where it is half a character (a lone surrogate).
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(undecodable(error)) from None


def undecodable(error: UnicodeDecodeError) -> str:
    """What is wrong with bytes that are not UTF-8."""
    if error.reason == "unexpected end of data" and error.end == len(error.object):
        return "it ends inside a character"
    return f"it is not UTF-8 text: byte {error.start + 1:,} is 0x{error.object[error.start]:02x}"


def checked_text(text: str, what: str) -> str:
    r"""A text that someone named or typed, which is UTF-8; in another encoding, Python gives it halves of characters.

    >>> checked_text("p\udcff.csv", "the name of a file")
    Traceback (most recent call last):
    howsure.errors.InputError: the name of a file must be UTF-8 text; it is 'p\udcff.csv'. Rename or rewrite it.

    Raises InputError saying what it is.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} must be UTF-8 text; it is {text!r}. Rename or rewrite it.") from None
    return text


# JSON from files: whatever is wrong with it, however deep it is, is a ValueError.


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
