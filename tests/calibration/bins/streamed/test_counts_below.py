"""Counts below edges: whatever was counted or read, every edge knows how many predictions lie below it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.calibration.bins.streamed import counts_below
from howsure.calibration.bins.streamed.counts_below import CountsBelow
from howsure.calibration.bins.streamed.second_reading import SecondReading
from howsure.inputs.pairs import Chunk, Floats
from tests.calibration.samples import TIED, Source

QUARTERS = [0.0, 0.25, 0.5, 0.75, float(np.nextafter(1.0, 2.0))]
predictions = st.lists(st.one_of(st.sampled_from(TIED), st.floats(0, 1).map(abs)), min_size=1, max_size=60)


def quarters_of(q: Floats) -> CountsBelow:
    edges = np.array(QUARTERS)
    return CountsBelow(edges, np.sort(q).searchsorted(edges))


def assert_right(found: CountsBelow, q: Floats) -> None:
    assert (np.diff(found.edges) > 0).all()
    assert found.below.tolist() == [int((q < edge).sum()) for edge in found.edges]


def source_of(q: Floats) -> Source:
    return Source(np.zeros(len(q), dtype=np.uint8), q, [7, 1, 30])


@given(predictions, st.lists(st.one_of(st.sampled_from(TIED), st.floats(0, 1).map(abs)), unique=True))
def test_counting_values(values: list[float], cuts: list[float]) -> None:
    q, found = np.array(values), quarters_of(np.array(values))
    found.count(SecondReading(source_of(q)), np.sort(np.array(cuts, dtype=np.float64)))
    assert_right(found, q)
    assert set(cuts) <= set(found.edges.tolist())
    again = found.edges.copy()
    found.count(SecondReading(source_of(q)), np.sort(np.array(cuts, dtype=np.float64)))  # nothing left to learn
    assert found.edges.tolist() == again.tolist()


@given(predictions, st.lists(st.integers(0, 3), min_size=1, unique=True), st.integers(1, 40))
def test_reading_intervals_as_far_as_memory_allows(values: list[float], wanted: list[int], limit: int) -> None:
    q, intervals = np.array(values), np.sort(np.array(wanted))
    found = quarters_of(q)
    inside = [q[(q >= QUARTERS[i]) & (q < QUARTERS[i + 1])] for i in intervals]
    if not sum(map(len, inside)):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_below, "VALUES_AT_ONCE", limit)
        found.read(SecondReading(source_of(q)), intervals)
    assert_right(found, q)
    held = 0
    for number, some in enumerate(inside):
        held += len(set(some.tolist()))
        known = all(found.is_one_value(found.at(int((q < value).sum()))) for value in some)
        assert known == (held <= limit or number == 0 or not len(some))


def test_a_position_is_in_the_interval_that_holds_it() -> None:
    q = np.array([0.1, 0.1, 0.3, 0.9])
    found = quarters_of(q)
    assert [found.at(position) for position in range(4)] == [0, 0, 1, 3]
    found.forget_below(2)
    assert [found.at(position) for position in (2, 3)] == [0, 2]
    assert_right(found, q)


class Passes:
    """A source that counts how often it is read."""

    def __init__(self, q: Floats) -> None:
        self.source, self.number = source_of(q), 0

    def chunks(self) -> Iterator[Chunk]:
        self.number += 1
        return self.source.chunks()


@given(predictions, st.floats(0, 0.9), st.floats(0, 0.9))
def test_the_second_reading_loses_nothing_and_reads_what_it_kept_from_memory(
    values: list[float], low: float, far: float
) -> None:
    q = np.array(values)
    source = Passes(q)
    reading = SecondReading(source)
    for start, stop in ((low, low + 0.1), (low + 0.01, low + 0.02), (far, far + 0.05)):
        found = np.concatenate([chunk for chunk, _ in reading.near(np.array([start]), np.array([stop]))])
        inside = q[(q >= start) & (q < stop)]
        assert np.sort(found[(found >= start) & (found < stop)]).tolist() == np.sort(inside).tolist()
    assert source.number <= 2


def test_the_second_reading_keeps_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.calibration.bins.streamed.second_reading.ROWS_KEPT", 10)
    source = Passes(np.linspace(0, 1, 100))
    reading = SecondReading(source)
    for expected in (1, 2):
        assert sum(len(q) for q, _ in reading.near(np.array([0.0]), np.array([0.5]))) >= 50
        assert source.number == expected
