"""How a result was made, in a line that a paper can print: howsure|calibration curve|n:7152|bins:38|v:0.1.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, unquote

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import shortened
from howsure.result import Result, Rows, result_recipe, title_of
from howsure.show.table import TEXT, WORDS, Column, Table

MARK, VERSION = "howsure", "v"
APART = ("howsure", "command", "files", "source", "store", "second_store", "note")  # told otherwise, or no one's matter
PLAIN = " !$&'()*,;<=>?@[]^{}~/#\"`\\"  # what need not be written as %xx: all but |, :, + and %
LONGEST = 60  # characters of a value


def signature_of(result: Result) -> str:
    """What `Result.signature` says.

    What a result is, then its recipe as key:value, and what the recipes of its rows agree on, without what is not so or
    not known, then the version of howsure. Several values are joined by +; |, :, + and % within names are written as in
    addresses (%7C). What is longer than 60 characters, and the names of files, stay in the recipe.
    """
    recipe = result_recipe(result)
    parts = [result_recipe(row) for row in (result.rows if isinstance(result, Rows) else ()) if isinstance(row, Result)]
    for key, value in parts[0].items() if parts else ():
        if all(key in one and one[key] == value for one in parts):
            recipe.setdefault(key, value)
    told = {key: text for key, value in recipe.items() if key not in APART and (text := _written(value))}
    held = {quote(key, safe=PLAIN): text for key, text in told.items()}
    kind = title_of(result).lower()
    version = quote(str(recipe.get("howsure", __version__)), safe="")
    return "|".join([MARK, kind, *(f"{key}:{text}" for key, text in held.items()), f"{VERSION}:{version}"])


def _written(value: object) -> str:
    """A value of a recipe, "" for what a signature does not hold."""
    if value is None or value is False or isinstance(value, Mapping):
        return ""
    several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(isinstance(one, Mapping | Sequence) and not isinstance(one, str) for one in several):
        return ""
    text = "+".join(quote("yes" if one is True else str(one), safe=PLAIN) for one in several)
    return text if len(text) <= LONGEST else ""


@dataclass(frozen=True, slots=True)
class Signature(Result):
    """A signature that was read: what was made, how (`settings`: texts by key), and the version of howsure.

    >>> found = read_signature("howsure|estimate|method:debiased|n:6000|v:0.1.0")
    >>> found.kind, found.settings["n"], found.version
    ('estimate', '6000', '0.1.0')
    """

    recipe: Mapping[str, Any]
    kind: str
    settings: Mapping[str, str]
    version: str

    def rows_shown(self) -> Sequence[tuple[str, str]]:
        """A row per setting."""
        return [("what", self.kind), *self.settings.items(), ("version of howsure", self.version)]

    def columns(self) -> Sequence[Column]:
        """What was set, and to what."""
        return [
            Column("setting", WORDS, get=lambda row: row[0].replace("_", " ")),
            Column("value", TEXT, get=lambda row: row[1]),
        ]

    @property
    def words(self) -> str:
        """Nothing: the table is printed."""
        return ""

    def table(self) -> Table:
        """The settings, aligned at the left."""
        return replace(Result.table(self), words=["setting", "value"])

    def below(self) -> Sequence[str]:
        """Whether this howsure is the one that made it."""
        here = "the same" if self.version == __version__ else "another one; its figures may differ"
        return [f"note: this is howsure {__version__}, {here}."]


def read_signature(text: str) -> Signature:
    """What a signature says: the settings of the result under which somebody printed it.

    text: the line that `result.signature` or `--format signature` gave.

    Raises InputError for what is no signature.
    """
    if not isinstance(text, str):
        raise InputError(f"text must be a signature, such as howsure|estimate|n:6000|v:0.1.0, not {text!r}.")
    mark, *parts = text.strip().split("|")
    pairs = [part.partition(":") for part in parts[1:]]
    odd = next((part for part in pairs if not part[0] or not part[2]), None)
    settings = {unquote(key): "+".join(map(unquote, value.split("+"))) for key, _, value in pairs}
    if mark != MARK or not parts or not parts[0] or odd is not None or VERSION not in settings:
        raise InputError(
            f"text must be a signature, such as howsure|estimate|n:6000|v:0.1.0; {shortened([text])} is none."
            + (f" {''.join(odd)!r} is not key:value." if odd is not None and mark == MARK else "")
        )
    if len(settings) < len(pairs):
        raise InputError(f"text must say each setting once; one of {shortened([key for key, *_ in pairs])} is twice.")
    version = settings.pop(VERSION)
    return Signature(recipe={"howsure": __version__}, kind=parts[0], settings=settings, version=version)
