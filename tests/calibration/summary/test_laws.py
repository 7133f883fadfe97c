"""The laws of summaries: any division of the pairs, any order, any tree of sums, saved or not, one string of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import CalibrationSummaries, CalibrationSummary, InputError, Pairs
from howsure.calibration.slots import FEW, SlotAdder, Slots, slots_of
from tests.calibration.samples import TIED, language_pairs

HOSTILE = [*TIED, 2.0**-60, 2.0**-16, 2.0**-1022, float(np.nextafter(0.5, 0)), float(np.nextafter(0.5, 1))]
PREDICTION = st.one_of(
    st.sampled_from(HOSTILE), st.floats(0.0, 1.0, allow_subnormal=True), st.floats(0.0, 1.0, width=32)
).map(abs)
ROWS = st.lists(st.tuples(st.integers(0, 1), PREDICTION, st.sampled_from("abc")), max_size=30)
Rows = list[tuple[int, float, str]]


def summary_of(rows: Rows) -> CalibrationSummary:
    found = CalibrationSummary()
    if rows:
        found.add([y for y, _, _ in rows], [q for _, q, _ in rows])
    return found


def summaries_of(rows: Rows) -> CalibrationSummaries:
    found = CalibrationSummaries()
    if rows:
        found.add([y for y, _, _ in rows], [q for _, q, _ in rows], groups=[g for _, _, g in rows])
    return found


@settings(max_examples=25)
@given(ROWS, st.data())
def test_any_division_order_and_tree_give_the_same_bytes(rows: Rows, data: st.DataObject) -> None:
    for make in (summary_of, summaries_of):
        order = data.draw(st.permutations(rows))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
        parts = [make(order[a:b]) for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
        while len(parts) > 1:
            i, j = data.draw(st.permutations(range(len(parts))))[:2]
            saved = type(parts[i]).from_bytes((parts[i] + parts[j]).to_bytes())
            parts = [saved, *(part for k, part in enumerate(parts) if k not in (i, j))]
        assert parts[0].to_bytes() == make(rows).to_bytes()
        assert parts[0] == make(rows)


@settings(max_examples=20)
@given(ROWS)
def test_few_pairs_and_many_go_the_same_way(rows: Rows) -> None:
    y, q = np.array([y for y, _, _ in rows], dtype=np.uint8), np.array([q for _, q, _ in rows])
    adder = SlotAdder()
    adder.add(q, y)
    assert adder.slots() == slots_of(Pairs(y, q)) if rows else not len(adder.slots())


@pytest.mark.parametrize("weighted", [False, True])
def test_around_the_size_where_the_way_changes(weighted: bool) -> None:
    y, q = language_pairs(2 * FEW, np.random.default_rng(2))
    w = np.random.default_rng(3).exponential(size=len(y)) if weighted else None
    whole = slots_of(Pairs(y, q, w))
    parts = [slots_of(Pairs(y[i::2], q[i::2], None if w is None else w[i::2])) for i in (0, 1)]
    together = parts[0] + parts[1]
    assert np.array_equal(together.slot, whole.slot)
    assert np.array_equal(together.sums, whole.sums)
    if w is not None:
        np.testing.assert_allclose(together.weights, whole.weights, rtol=1e-12)


def test_nothing_changes_nothing() -> None:
    some, none = summary_of([(1, 0.3, "a"), (0, 1.0, "a")]), CalibrationSummary()
    assert some + none == none + some == some
    assert len(none) == len(none + none) == 0
    assert sum([some, none, some]) == some + some
    assert CalibrationSummary.from_bytes(none.to_bytes()) == none
    assert repr(none) == "summary of 0 pairs"
    assert CalibrationSummaries.from_bytes(CalibrationSummaries().to_bytes()) == CalibrationSummaries()
    assert sum([CalibrationSummaries()]) == CalibrationSummaries()
    with pytest.raises(InputError, match="the summary is empty: add pairs first"):
        none.curve()


def test_groups_are_summaries_of_their_own() -> None:
    rows = [(int(q > 0.4), q, "ab"[i % 2]) for i, q in enumerate(np.random.default_rng(0).random(500).tolist())]
    groups = summaries_of(rows)
    assert list(groups) == ["a", "b"]
    assert groups["a"] == summary_of([row for row in rows if row[2] == "a"])
    assert groups.together() == summary_of(rows)
    assert (groups + summaries_of([(1, 0.5, "c")])).keys() == {"a", "b", "c"}


def test_weights_of_zero_are_counted() -> None:
    one, other = CalibrationSummary(), CalibrationSummary()
    one.add([0, 1, 1], [0.2, 0.7, 0.9], sample_weight=[1, 0, 2])
    other.add([1], [0.4], sample_weight=[0.5])
    assert (one + other).curve().notes[0] == "1 pair of weight 0 is ignored"
    assert Slots.none() + one.slots == one.slots
    assert CalibrationSummary.from_bytes((one + other).to_bytes()) == one + other
