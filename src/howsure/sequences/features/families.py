"""Feature families of a CRF: each is a small function from a word to strings.

A family uses the words at its offsets: 0 is the word itself, -1 the one before, 1 the one after. Beyond the ends of a
sentence, there are no features.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.inputs.naming import unknown_name

LONGEST_AFFIX = 4
LONGEST_LENGTH = 12
RUNS = re.compile(r"(.)\1+")

WordFunction = Callable[[str], Sequence[str]]
SentenceFunction = Callable[[Sequence[str]], Sequence[Any]]
Features = str | Sequence[str] | SentenceFunction


def word(text: str) -> tuple[str, ...]:
    """The word as it is written.

    >>> word("Paris")
    ('Paris',)
    """
    return (text,)


def lowercase(text: str) -> tuple[str, ...]:
    """The word in lower case.

    >>> lowercase("Paris")
    ('paris',)
    """
    return (text.lower(),)


def shape(text: str) -> tuple[str, ...]:
    """Letters as X and x, digits as 0, the rest unchanged; runs of one kind are merged.

    >>> shape("McDonald's-1986")
    ("XxXx'x-0",)
    """
    kinds = "".join("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in text)
    return (RUNS.sub(r"\1", kinds),)


def length(text: str) -> tuple[str, ...]:
    """The number of characters; all long words share one value.

    >>> length("to"), length("internationalisation")
    (('2',), ('12',))
    """
    return (str(min(len(text), LONGEST_LENGTH)),)


def prefixes(text: str) -> tuple[str, ...]:
    """The first 1 to 4 characters, in lower case.

    >>> prefixes("Unsure")
    ('u', 'un', 'uns', 'unsu')
    """
    start = text[:LONGEST_AFFIX].lower()
    return tuple(start[:n] for n in range(1, len(start) + 1))


def suffixes(text: str) -> tuple[str, ...]:
    """The last 1 to 4 characters, in lower case.

    >>> suffixes("unsure")
    ('e', 're', 'ure', 'sure')
    """
    end = text[-LONGEST_AFFIX:].lower()
    return tuple(end[-n:] for n in range(1, len(end) + 1))


@dataclass(frozen=True, slots=True)
class Family:
    """A function of a word, and the offsets at which it is applied."""

    function: WordFunction
    offsets: tuple[int, ...] = (0,)


FAMILIES = {
    "word": Family(word),
    "lowercase": Family(lowercase),
    "neighbours": Family(lowercase, (-1, 1)),
    "shape": Family(shape),
    "length": Family(length),
    "prefixes": Family(prefixes),
    "suffixes": Family(suffixes),
}
SETS = {"basic": ("word",), "advanced": tuple(FAMILIES)}


def families_of(features: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the families denoted by "basic", "advanced" or a sequence of names.

    >>> families_of("advanced")
    ('word', 'lowercase', 'neighbours', 'shape', 'length', 'prefixes', 'suffixes')
    >>> families_of(["word", "sufixes"])
    Traceback (most recent call last):
    howsure.errors.InputError: no feature family 'sufixes' in howsure; it has word, lowercase, neighbours, shape,
    length, prefixes, suffixes. Did you mean suffixes?

    Raises InputError for an unknown name, an empty list, or a repeated name.
    """
    if isinstance(features, str):
        if features not in SETS:
            raise InputError(
                f"features must be 'basic', 'advanced', names of families ({', '.join(FAMILIES)}) or a function of a "
                f"sentence; it is {features!r}. For one family write ({features!r},)."
            )
        return SETS[features]
    if isinstance(features, bytes) or not isinstance(features, Sequence):
        raise InputError(f"features must be a name, names of families or a function; it is {features!r}.")
    names = tuple(features)
    for name in names:
        if not isinstance(name, str) or name not in FAMILIES:
            raise unknown_name("feature family", str(name), list(FAMILIES), place="howsure")
    if not names or len(set(names)) < len(names):
        raise InputError(f"features must name at least one family, and each once; it is {features!r}.")
    return names


def attributes_of(text: str, families: Sequence[str], offset: int) -> list[str]:
    """The features of the word at `offset`: `family=value`, with the offset unless it is 0.

    >>> attributes_of("to", ("word", "length", "neighbours"), 0), attributes_of("to", ("neighbours",), -1)
    (['word=to', 'length=2'], ['neighbours[-1]=to'])
    """
    place = f"[{offset:+}]" if offset else ""
    return [
        f"{name}{place}={value}"
        for name in families
        if offset in FAMILIES[name].offsets
        for value in FAMILIES[name].function(text)
    ]


def offsets_of(families: Sequence[str]) -> tuple[int, ...]:
    """All offsets that the families use.

    >>> offsets_of(("word", "neighbours"))
    (-1, 0, 1)
    """
    return tuple(sorted({offset for name in families for offset in FAMILIES[name].offsets}))
