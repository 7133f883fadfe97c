"""How a result was made, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.show.harmless import in_a_line


def recipe_text(recipe: Mapping[str, Any]) -> str:
    """The recipe in one line.

    >>> recipe_text({"method": "permutation", "n": 1000, "clusters": None, "runs": {"base": 3, "large": 5}})
    'method permutation, n 1000, runs base 3 and large 5'
    """
    return ", ".join(f"{name} {text}" for name, text in recipe_rows(recipe))


def recipe_rows(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The recipe in words: what is there, by its name."""
    held = {key.replace("_", " "): value for key, value in recipe.items() if value is not None and value is not False}
    return [(name, in_a_line(_in_words(value))) for name, value in held.items()]


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return " and ".join(f"{name} {one}" for name, one in value.items()) or "0"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)
