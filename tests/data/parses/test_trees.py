"""Heads that go in a circle, against walking up from every word."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from howsure.data.parses import is_tree


def ends_at_the_root(heads: list[int], word: int) -> bool:
    for _ in heads:
        word = heads[word]
        if word < 0:
            return True
    return False


@given(st.lists(st.integers(-1, 9), max_size=10))
@example([])
@example([0])
@example([-1, *range(9)])
@example([*range(1, 10), -1])
@example([*range(1, 10), 0])
def test_circles_are_found_by_walking_up(any_heads: list[int]) -> None:
    heads = [min(head, len(any_heads) - 1) for head in any_heads]
    assert is_tree(heads) == all(ends_at_the_root(heads, word) for word in range(len(heads)))
