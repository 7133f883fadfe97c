"""The signature of a result: its method in one line to print in a paper,
howsure|estimate|method:debiased|n:6000|v:0.2.0."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

MARK, VERSION = "howsure", "v"
# shown elsewhere, or not part of a signature
APART = ("howsure", "command", "files", "targets", "source", "store", "second_store", "note")
PLAIN = " !$&'()*,;<=>?@[]^{}~/#\"`\\"  # what need not be written as %xx: all but |, :, + and %
LONGEST = 80  # characters of a value


def signature_text(kind: str, recipe: Mapping[str, object], rows: Sequence[Mapping[str, object]] = ()) -> str:
    """Return the signature of a result: its kind, its recipe as key:value, and the version of howsure, joined by |.

    The recipe includes values that all `rows` have in common, without false or unknown values. Several values of a key
    are joined by +. The characters |, + and % within values, and : within keys, are percent-encoded (%7C). Values of
    more than 80 characters, and names of files, are left out.

    >>> signature_text("estimate", {"howsure": "0.2.0", "n": 6000, "clusters": None, "levels": ["low", "high"]})
    'howsure|estimate|n:6000|levels:low+high|v:0.2.0'
    """
    first, *others = rows or ({},)
    agreed = {key: value for key, value in first.items() if all(key in row and row[key] == value for row in others)}
    entries = {**recipe, **{key: value for key, value in agreed.items() if key not in recipe}}
    pairs = [(key, text) for key, value in entries.items() if key not in APART and (text := _value_text(value))]
    parts = [f"{quote(key, safe=PLAIN)}:{text}" for key, text in pairs]
    version = str(recipe.get("howsure", sys.modules["howsure"].__version__))
    return "|".join([MARK, kind, *parts, f"{VERSION}:{quote(version, safe='')}"])


def _value_text(value: object) -> str:
    """Format a value of a recipe; "" for a value that a signature does not contain."""
    if value is None or value is False or isinstance(value, Mapping):
        return ""
    several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(isinstance(item, Mapping | Sequence) and not isinstance(item, str) for item in several):
        return ""
    texts = ["yes" if item is True else str(item) for item in several]
    return "+".join(quote(text, safe=PLAIN + ":") for text in texts) if len("+".join(texts)) <= LONGEST else ""


def signature_parts(text: str) -> tuple[str, dict[str, str], str]:
    """Split a signature into the kind of result, its settings, and the version.

    >>> signature_parts("howsure|estimate|n:6000|v:0.2.0")
    ('estimate', {'n': '6000'}, '0.2.0')

    Raises ValueError, with the reason, if the text is not a signature.
    """
    mark, kind, *parts = *text.strip().split("|"), ""
    if mark != MARK or not kind:
        raise ValueError(f"it does not begin with {MARK}| and a kind of result")
    settings: dict[str, str] = {}
    for part in parts[:-1]:
        key, colon, value = part.partition(":")
        if not key or not colon:
            raise ValueError(f"{part!r} is not key:value")
        if unquote(key) in settings:
            raise ValueError(f"it contains {unquote(key)!r} twice")
        settings[unquote(key)] = "+".join(map(unquote, value.split("+")))
    if VERSION not in settings:
        raise ValueError(f"it does not end with the version, {VERSION}:…")
    return kind, settings, settings.pop(VERSION)
