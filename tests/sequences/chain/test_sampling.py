"""Draws from cumulative distributions, at their very ends."""

from __future__ import annotations

import numpy as np

from howsure.sequences.paths import BELOW_ONE, Streams, _inverse


def test_what_is_forbidden_is_never_drawn() -> None:
    """Not even by the smallest and the largest uniform number, in whatever row."""
    logs = np.tile([-np.inf, 0.0, -1.0, -np.inf], (1000, 1))
    rows = np.arange(1000)[:, None].repeat(2, axis=1)
    uniform = np.tile([0.0, np.nextafter(1.0, 0.0) * BELOW_ONE], (1000, 1))
    assert _inverse(logs, rows, uniform).tolist() == [[1, 2]] * 1000


def test_the_numbers_of_a_sentence_are_its_own() -> None:
    streams = Streams(3)
    whole = streams.uniform(5, 0, (4, 6))
    np.testing.assert_array_equal(streams.uniform(5, 12, (2, 6)), whole[2:])
    assert not np.isin(streams.uniform(6, 0, (4, 6)), whole).any()
