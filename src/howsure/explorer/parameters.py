"""What an address may be asked: each parameter read by its rule, all others refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.inputs.naming import shortened, unknown_name

LONGEST = 200  # characters of a value
SHOWN = 60
REQUIRED = object()
Reader = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: how its text is read, what it is if nobody gives it, and how many times it may be given.

    One that may be given several times is a list.
    """

    name: str
    read: Reader
    default: Any = REQUIRED
    most: int = 1


def read_parameters(
    given: Sequence[tuple[str, str]], parameters: Sequence[Parameter], *, address: str
) -> dict[str, Any]:
    """The values of all parameters of an address, from the names and texts that a request gives.

    Raises InputError for an unknown parameter, one that is missing or given too often, or a value against its rule.
    """
    known = {one.name: one for one in parameters}
    for name, text in given:
        if name not in known:
            raise unknown_name("parameter", name[:SHOWN], list(known) or ["none"], place=address)
        if len(text) > LONGEST:
            raise InputError(f"{name} must have at most {LONGEST} characters; it has {len(text):,}.")
    return {one.name: _value(one, [text for name, text in given if name == one.name]) for one in parameters}


def _value(parameter: Parameter, texts: list[str]) -> Any:
    name = parameter.name
    if not texts:
        if parameter.default is REQUIRED:
            raise InputError(f"{name} must be given; it is missing.")
        return parameter.default
    if len(texts) > parameter.most:
        raise InputError(f"{name} must be given at most {parameter.most} times; it is given {len(texts):,} times.")
    values = [parameter.read(name, text) for text in texts]
    return values if parameter.most > 1 else values[0]


def words(name: str, text: str) -> str:
    """Any text but none.

    Raises InputError for an empty one, or one with control characters.
    """
    if not text.strip() or any(ord(letter) < 32 or ord(letter) == 127 for letter in text):
        raise InputError(f"{name} must be a text without control characters, and not empty; it is {text[:SHOWN]!r}.")
    return text


def one_of(choices: Sequence[str]) -> Reader:
    """One of a few words."""

    def read(name: str, text: str) -> str:
        if text not in choices:
            raise InputError(f"{name} must be one of {shortened(choices)}; it is {text[:SHOWN]!r}.")
        return text

    return read


def whole(low: int, high: int) -> Reader:
    """A whole number from `low` to `high`."""

    def read(name: str, text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not low <= value <= high:
            raise InputError(f"{name} must be a whole number from {low} to {high}; it is {text[:SHOWN]!r}.")
        return value

    return read


def fraction(name: str, text: str) -> float:
    """A number from 0 to 1.

    Raises InputError for any other.
    """
    try:
        value = float(text) if text.isascii() else -1.0
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise InputError(f"{name} must be a number from 0 to 1; it is {text[:SHOWN]!r}.")
    return value


def number_or(word: str, *, high: int) -> Reader:
    """A whole number from 0, or a certain word."""
    number = whole(0, high)

    def read(name: str, text: str) -> int | str:
        if text == word:
            return word
        if not text.isdigit():
            raise InputError(f"{name} must be {word!r} or a whole number from 0; it is {text[:SHOWN]!r}.")
        value: int = number(name, text)
        return value

    return read
