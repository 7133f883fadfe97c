"""Work by several threads: results in order, an error in its place, and no more read ahead than is worked on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from itertools import islice

import pytest

from howsure.data.predictions.stream import AHEAD, in_turns


def squared(seen: list[int], item: int) -> int:
    seen.append(item)
    if item == 13:
        raise ValueError("thirteen")
    return item * item


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("items", [0, 1, 12])
def test_results_are_in_order_and_each_worker_gets_every_kth_item(items: int, workers: int) -> None:
    seen: list[list[int]] = [[] for _ in range(workers)]
    assert list(in_turns(range(items), [partial(squared, own) for own in seen])) == [i * i for i in range(items)]
    assert seen == [list(range(first, items, workers)) for first in range(workers)]


def test_an_error_stands_in_the_place_of_its_result_and_ends_the_work() -> None:
    seen: list[int] = []
    results = in_turns(range(1000), [partial(squared, seen)] * 2)
    assert list(islice(results, 13)) == [i * i for i in range(13)]
    with pytest.raises(ValueError, match="thirteen"):
        next(results)
    assert len(seen) < 13 + 2 * (AHEAD + 1) * 2


def test_no_more_is_read_ahead_than_can_soon_be_worked_on() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1000):
            read.append(item)
            yield item

    results = in_turns(items(), [partial(squared, [])] * 2)
    next(results)
    assert len(read) <= 2 * AHEAD + 2
    before = threading.active_count()
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before - 2
