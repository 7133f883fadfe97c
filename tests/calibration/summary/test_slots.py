"""Slots: what they say of pairs, against the pairs themselves, and that they add up in any order."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.slots import SlotAdder, Slots
from howsure.errors import InputError
from tests.calibration.samples import language_pairs


def slots_of(q, y, w=None) -> Slots:
    adder = SlotAdder()
    adder.add(np.asarray(q, dtype=np.float64), np.asarray(y, dtype=np.uint8), w)
    return adder.slots()


@pytest.fixture(scope="module")
def pairs():
    return language_pairs(60_000, np.random.default_rng(3))


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_are_those_of_the_pairs(pairs, weighted: bool) -> None:
    y, q = pairs
    w = np.random.default_rng(4).exponential(size=len(y)) if weighted else None
    slots = slots_of(q, y, w)
    weight = np.ones(len(y)) if w is None else w
    mean, gap, variance = slots.means()
    w1 = slots.powers()[0]
    assert (w1 @ mean) / w1.sum() == pytest.approx(np.average(q, weights=weight), rel=0, abs=1e-13)
    assert (w1 @ gap) / w1.sum() == pytest.approx(np.average(q - y, weights=weight), rel=0, abs=1e-13)
    brier = (w1 @ (gap**2 + variance)) / w1.sum()
    assert brier == pytest.approx(np.average((q - y) ** 2, weights=weight), rel=0, abs=1e-13)
    likely = np.where(y == 1, q, 1 - q)
    finite = likely > 0
    assert slots.infinite_rows == np.count_nonzero(~finite) > 0
    loss = -(np.log(likely[finite]) @ weight[finite])
    assert slots.log_sum() == pytest.approx(loss, rel=1e-9)


def test_extremes_stay_exact() -> None:
    slots = slots_of([0.0, 1.0, 1.0], [0, 1, 0])
    assert slots.means()[0].tolist() == [0.0, 1.0, 1.0]
    assert slots.means()[1].tolist() == [0.0, 1.0, 0.0]
    assert slots.infinite_rows == 1
    assert slots.log_sum() == 0.0


def test_rows_of_an_engine_make_the_same_slots(pairs) -> None:
    y, q = pairs
    slots = slots_of(q, y)
    order = np.random.default_rng(5).permutation(len(slots.slot))
    columns = [column[order] for column in (slots.cell, slots.label, *slots.sums)]
    assert Slots.from_rows(*columns) == slots


def test_more_pairs_than_whole_numbers_add_up_are_refused() -> None:
    """Sums of 64 bits that overflow would be other sums."""
    for prediction, label, times in ((0.3, 1, 34), (5e-324, 1, 29)):
        slots = slots_of([prediction], [label])
        for _ in range(times):
            slots = slots + slots
        assert slots.log_sum() == pytest.approx(2**times * -np.log(prediction))
        with pytest.raises(InputError, match="too large for 64 bits, which hold those of 34,359,738,368 pairs"):
            slots + slots


def test_equal_sums_with_and_without_weights_are_not_the_same() -> None:
    plain, weighted = slots_of([0.0, 1.0], [0, 1]), slots_of([0.0, 1.0], [0, 1], np.ones(2))
    assert plain != weighted
    assert weighted != plain


def test_weighted_and_unweighted_do_not_mix() -> None:
    with pytest.raises(InputError, match="one of the summaries is weighted"):
        slots_of([0.5], [1]) + slots_of([0.5], [1], np.array([2.0]))
