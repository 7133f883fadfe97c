"""Matching a word in a text to a word in a lexicon: folding of letters, and stripping of endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from howsure.inputs.naming import unknown_name

Stems = Callable[[str], tuple[str, ...]]

SUFFIXES = ("s'", "'s", "'", "s")  # the plural and the possessive, which a parser may leave on the word
SEPARATE = re.compile(r"('s\b|[-()/,])")  # Universal Dependencies makes these words of their own


def fold(word: str) -> str:
    """A word in lower case, with a straight apostrophe."""
    return word.lower().replace("’", "'")


def suffix_stems(word: str) -> tuple[str, ...]:
    """A folded word without a plural or possessive ending, one of `SUFFIXES`.

    >>> suffix_stems("americans'")
    ('american', 'americans')
    """
    return tuple(word[: -len(suffix)] for suffix in SUFFIXES if word.endswith(suffix) and len(word) > len(suffix) + 1)


def paper_stems(word: str) -> tuple[str, ...]:
    """The paper's rule: a word without its last, then without its last two characters, whatever they are.

    It produces false matches (`used` without two characters is `us`, Indiana without one is Indian). Kept to replicate
    the paper.

    >>> paper_stems("iraqis")
    ('iraqi', 'iraq')
    """
    return word[:-1], word[:-2]


STEMMING: dict[str, Stems] = {"suffixes": suffix_stems, "paper": paper_stems, "none": lambda word: ()}


def stemming_named(name: str) -> Stems:
    """The rule with that name: "suffixes", "paper" or "none"."""
    if name not in STEMMING:
        raise unknown_name("stemming", name, list(STEMMING), place="a lexicon")
    return STEMMING[name]


def spellings(name: str) -> tuple[tuple[str, ...], ...]:
    """The ways to write a name as words: with hyphens inside words, as separate words or as spaces; without accents.

    >>> spellings("Guinea-Bissau")
    (('Guinea-Bissau',), ('Guinea', '-', 'Bissau'), ('Guinea', 'Bissau'))
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    ways = [way for text in (name, plain) for way in (text, SEPARATE.sub(r" \1 ", text), text.replace("-", " "))]
    return tuple(dict.fromkeys(words for way in ways if (words := tuple(way.split()))))


def case_fits(word: str, written: str) -> bool:
    """Whether a word has the capitals of the lexicon entry: all for an abbreviation (US, EC), the first for a name
    (Iraq).

    >>> case_fits("us", "US"), case_fits("IRAQ", "Iraq"), case_fits("turkey", "Turkey"), case_fits("Former", "former")
    (False, True, False, True)
    """
    if not written[0].isupper():
        return True
    if len(written) > 1 and written.isupper() and written.isalpha():
        return word[: len(written)].isupper()
    return word[0].isupper()
