"""Feature families: what they say of a word, and what names them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.sequences.features import FAMILIES, attributes_of, families_of, offsets_of, shape


@pytest.mark.parametrize(
    ("word", "said"),
    [("dog", "x"), ("Dog", "Xx"), ("USA", "X"), ("1,234.5", "0,0.0"), ("#tag2", "#x0"), ("...", "."), ("été", "x")],
)
def test_the_shape_of_a_word(word: str, said: str) -> None:
    assert shape(word) == (said,)


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=20))
def test_every_family_says_something_short_of_every_word(word: str) -> None:
    for family in FAMILIES.values():
        said = family.function(word)
        assert 1 <= len(said) <= 4
        assert len(set(said)) == len(said)


@settings(max_examples=40)
@given(st.text(min_size=5, max_size=20, alphabet="abcdefgh"))
def test_affixes_are_the_ends_of_the_word(word: str) -> None:
    assert FAMILIES["prefixes"].function(word) == (word[:1], word[:2], word[:3], word[:4])
    assert FAMILIES["suffixes"].function(word) == (word[-1:], word[-2:], word[-3:], word[-4:])


def test_sets_of_families() -> None:
    assert families_of("basic") == ("word",)
    assert families_of("advanced") == tuple(FAMILIES)
    assert families_of(["shape", "word"]) == ("shape", "word")
    assert offsets_of(families_of("basic")) == (0,)


def test_families_do_not_mix() -> None:
    """No two families use the same attribute for the same word."""
    for offset in (-1, 0, 1):
        said = attributes_of("a", families_of("advanced"), offset)
        assert len(said) == len(set(said))
    assert attributes_of("Dog", ("neighbours",), 1) == ["neighbours[+1]=dog"]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("advnced", "features must be 'basic', 'advanced'"),
        ("word", r"For one family write \('word',\)"),
        (("word", "lenght"), "Did you mean length"),
        ((), "at least one family"),
        (("word", "word"), "each once"),
        (3, "it is 3"),
        (b"word", "features must be a name"),
    ],
)
def test_features_that_are_none(features: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        families_of(features)  # type: ignore[arg-type]
