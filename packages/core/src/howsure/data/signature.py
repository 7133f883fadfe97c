"""Read the signature of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import shortened
from howsure.result import Result
from howsure.show.signature import signature_parts
from howsure.show.table import TEXT, WORDS, Column, Table

__all__ = ["Signature", "read_signature"]


@dataclass(frozen=True, slots=True)
class Signature(Result):
    """The content of a signature: the kind of result, its `settings` (texts by key), and the version of howsure."""

    recipe: Mapping[str, Any]
    kind: str
    settings: Mapping[str, str]
    version: str

    description = ""

    def table_rows(self) -> Sequence[tuple[str, str]]:
        """A row per setting."""
        return [("what", self.kind), *self.settings.items(), ("version of howsure", self.version)]

    def columns(self) -> Sequence[Column]:
        """Names and values of settings."""
        return [
            Column("setting", WORDS, get=lambda row: row[0].replace("_", " ")),
            Column("value", TEXT, get=lambda row: row[1]),
        ]

    def table(self) -> Table:
        """The settings, left-aligned."""
        return replace(Result.table(self), words=["setting", "value"])

    def footnotes(self) -> Sequence[str]:
        """A note if another version of howsure made the result."""
        here = "the same" if self.version == __version__ else "another one; its figures may differ"
        return [f"This is howsure {__version__}, {here}."]


def read_signature(text: str) -> Signature:
    """Read a signature: the settings of the result with which it was printed.

    text: the line that a result's `signature` contains.

    >>> found = read_signature("howsure|estimate|method:debiased|n:6000|v:0.2.0")
    >>> found.kind, found.settings["n"], found.version
    ('estimate', '6000', '0.2.0')

    Raises InputError for a string that is not a signature.
    """
    like = "must be a signature, such as howsure|estimate|n:6000|v:0.2.0"
    if not isinstance(text, str):
        raise InputError(f"text {like}, not {text!r}.")
    try:
        kind, settings, version = signature_parts(text)
    except ValueError as error:
        raise InputError(f"text {like}; {shortened([text])} is not one: {error}.") from None
    return Signature(recipe={"howsure": __version__}, kind=kind, settings=settings, version=version)
