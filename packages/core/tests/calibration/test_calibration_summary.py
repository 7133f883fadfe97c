"""CalibrationSummary: any split of the pairs, one answer."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calibration.samples import TIED, language_pairs

from howsure import CalibrationSummaries, CalibrationSummary, Pairs, calibration_curve
from howsure.calibration.saved_summaries import CHECKSUM
from howsure.calibration.slots import (
    CELLS,
    LAST,
    MAX_SORTED_PAIRS,
    SlotAdder,
    Slots,
    assign_cells,
    first_of_cells,
    sum_by_slot,
)
from howsure.errors import InputError


def test_parts_add_up_to_the_whole() -> None:
    y, q = language_pairs(5_000, np.random.default_rng(0))
    whole, parts = CalibrationSummary(), CalibrationSummary()
    whole.add(y, q)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(y)), 7):
        part = CalibrationSummary()
        part.add(y[rows], q[rows])
        parts = part + parts
    assert parts == whole
    assert len(parts) == 5_000
    exact = calibration_curve(y, q, n_bins=5)
    curve = whole.curve(n_bins=5)
    assert np.array_equal(curve.bins.count, exact.bins.count)
    assert curve.error.low == pytest.approx(exact.error.low, abs=1e-12)
    assert whole.error(n_bins=5) == curve.error


def slots_by_hand(q, y, w=None) -> Slots:
    adder = SlotAdder()
    adder.add(np.asarray(q, dtype=np.float64), np.asarray(y, dtype=np.uint8), w)
    return adder.slots()


@pytest.fixture(scope="module")
def pairs():
    return language_pairs(60_000, np.random.default_rng(3))


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_match_the_pairs(pairs, weighted: bool) -> None:
    y, q = pairs
    w = np.random.default_rng(4).exponential(size=len(y)) if weighted else None
    slots = slots_by_hand(q, y, w)
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
    slots = slots_by_hand([0.0, 1.0, 1.0], [0, 1, 0])
    assert slots.means()[0].tolist() == [0.0, 1.0, 1.0]
    assert slots.means()[1].tolist() == [0.0, 1.0, 0.0]
    assert slots.infinite_rows == 1
    assert slots.log_sum() == 0.0


def test_rows_of_an_engine_make_the_same_slots(pairs) -> None:
    y, q = pairs
    slots = slots_by_hand(q, y)
    order = np.random.default_rng(5).permutation(len(slots.slot))
    columns = [column[order] for column in (slots.cell, slots.label, *slots.sums)]
    assert Slots.from_rows(*columns) == slots


def test_more_pairs_than_whole_numbers_add_up_are_refused() -> None:
    """Sums of 64 bits that overflow would be other sums."""
    for prediction, label, times in ((0.3, 1, 34), (5e-324, 1, 29)):
        slots = slots_by_hand([prediction], [label])
        for _ in range(times):
            slots = slots + slots
        assert slots.log_sum() == pytest.approx(2**times * -np.log(prediction))
        with pytest.raises(InputError, match="too large for 64 bits, which are enough for 34,359,738,368 pairs"):
            slots + slots


def test_equal_sums_with_and_without_weights_are_not_the_same() -> None:
    plain, weighted = slots_by_hand([0.0, 1.0], [0, 1]), slots_by_hand([0.0, 1.0], [0, 1], np.ones(2))
    assert plain != weighted
    assert weighted != plain


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_cell_is_the_fourth_root_in_exact_arithmetic(dtype) -> None:
    """Up to the rounding of two square roots: a root within 10⁻¹¹ of a whole number may fall to either side of it."""
    rng = np.random.default_rng(0)
    q = np.concatenate([rng.random(500), rng.random(500) ** 9, 1.0 - rng.random(500) ** 9]).astype(dtype)
    with localcontext(prec=60):
        for value, cell in zip(q.tolist(), assign_cells(q.astype(np.float64)).tolist(), strict=True):
            exact = Fraction(value)
            r = min(exact, 1 - exact)
            t = (Decimal(r.numerator) / Decimal(r.denominator)).sqrt().sqrt() * 2**15
            actual = cell if exact < Fraction(1, 2) else LAST - cell
            assert t - Decimal("1e-11") - 1 < actual <= t + Decimal("1e-11")


def test_hostile_predictions() -> None:
    half = np.array([0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1)])
    assert assign_cells(half).tolist() == [CELLS, CELLS - 1, CELLS]
    assert assign_cells(np.array([0.0, -0.0, 5e-324, 2.0**-61, 1.0])).tolist() == [0, 0, 0, 0, LAST]
    assert assign_cells(np.array([2.0**-60, 2.0**-56, 1 - 2.0**-52])).tolist() == [1, 2, LAST - 4]


def test_cells_ascend_and_begin_where_they_say() -> None:
    first = first_of_cells()
    nonempty = np.flatnonzero(np.diff(first) > 0)  # next to 1 some cells hold no number
    assert np.array_equal(assign_cells(first[nonempty]), nonempty)
    assert (assign_cells(np.nextafter(first[nonempty[1:]], 0.0)) < nonempty[1:]).all()
    assert len(first) == LAST + 2
    assert LAST + 1 - len(nonempty) < 5


HOSTILE = [*TIED, 2.0**-60, 2.0**-16, 2.0**-1022, float(np.nextafter(0.5, 0)), float(np.nextafter(0.5, 1))]
PREDICTION = st.one_of(
    st.sampled_from(HOSTILE), st.floats(0.0, 1.0, allow_subnormal=True), st.floats(0.0, 1.0, width=32)
).map(abs)
ROWS = st.lists(st.tuples(st.integers(0, 1), PREDICTION, st.sampled_from("abc")), max_size=30)
Rows = list[tuple[int, float, str]]


def summary_of(rows: Rows) -> CalibrationSummary:
    summary = CalibrationSummary()
    if rows:
        summary.add([y for y, _, _ in rows], [q for _, q, _ in rows])
    return summary


def summaries_of(rows: Rows) -> CalibrationSummaries:
    summaries = CalibrationSummaries()
    if rows:
        summaries.add([y for y, _, _ in rows], [q for _, q, _ in rows], groups=[g for _, _, g in rows])
    return summaries


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
    assert adder.slots() == sum_by_slot(Pairs(y, q)) if rows else not len(adder.slots())


@pytest.mark.parametrize("weighted", [False, True])
def test_around_the_size_where_the_way_changes(weighted: bool) -> None:
    y, q = language_pairs(2 * MAX_SORTED_PAIRS, np.random.default_rng(2))
    w = np.random.default_rng(3).exponential(size=len(y)) if weighted else None
    whole = sum_by_slot(Pairs(y, q, w))
    parts = [sum_by_slot(Pairs(y[i::2], q[i::2], None if w is None else w[i::2])) for i in (0, 1)]
    together = parts[0] + parts[1]
    assert np.array_equal(together.slot, whole.slot)
    assert np.array_equal(together.sums, whole.sums)
    if w is not None:
        np.testing.assert_allclose(together.weights, whole.weights, rtol=1e-12)


@pytest.mark.parametrize("tied", [100, 1_500, 2_047, 2_048, 4_095, 9_000])
def test_many_pairs_of_one_slot_are_counted_one_by_one(tied: int) -> None:
    """Ties in several parts, so that the sums of recent parts fill up: the integers of all pairs."""
    rng = np.random.default_rng(tied)
    adder, parts = SlotAdder(), []
    for _ in range(5):
        q = np.append(np.full(tied, 0.3), rng.random(50))
        y = np.append(np.ones(tied, dtype=np.uint8), rng.integers(2, size=50).astype(np.uint8))
        adder.add(q, y)
        parts.append(Slots.from_rows(*rows_of(q, y)))
    assert adder.slots() == sum(parts[1:], start=parts[0])


def rows_of(q, y) -> tuple[list[int], ...]:
    """Cell, label, 1, offset, square, logarithm and whether it is infinite, of each pair: by math on single numbers."""
    rows = []
    for probability, label in zip(q.tolist(), y.tolist(), strict=True):
        t = math.sqrt(math.sqrt(min(probability, 1.0 - probability))) * 2.0**15
        cell, fraction = int(t), t - int(t)
        above = probability >= 0.5
        rows.append((LAST - cell if above else cell, label, 1, int(fraction * 2**28), int(fraction**2 * 2**28), 0, 0))
    return tuple(map(list, zip(*rows, strict=True)))


def test_nothing_changes_nothing() -> None:
    some, none = summary_of([(1, 0.3, "a"), (0, 1.0, "a")]), CalibrationSummary()
    assert some + none == none + some == some
    assert len(none) == len(none + none) == 0
    assert sum([some, none, some]) == some + some
    assert CalibrationSummary.from_bytes(none.to_bytes()) == none
    assert repr(none) == "summary of 0 pairs"
    assert CalibrationSummaries.from_bytes(CalibrationSummaries().to_bytes()) == CalibrationSummaries()
    assert sum([CalibrationSummaries()]) == CalibrationSummaries()
    with pytest.raises(InputError, match=r"the summary is empty\. Add pairs first"):
        none.curve()


def test_groups_are_summaries_of_their_own() -> None:
    rows = [(int(q > 0.4), q, "ab"[i % 2]) for i, q in enumerate(np.random.default_rng(0).random(500).tolist())]
    groups = summaries_of(rows)
    assert list(groups) == ["a", "b"]
    assert groups["a"] == summary_of([row for row in rows if row[2] == "a"])
    assert groups.together() == summary_of(rows)
    assert (groups + summaries_of([(1, 0.5, "c")])).keys() == {"a", "b", "c"}


def test_weights_of_zero_are_counted() -> None:
    first, other = CalibrationSummary(), CalibrationSummary()
    first.add([0, 1, 1], [0.2, 0.7, 0.9], sample_weight=[1, 0, 2])
    other.add([1], [0.4], sample_weight=[0.5])
    assert (first + other).curve().notes[0] == "1 pair of weight 0 is ignored"
    assert Slots.none() + first.slots == first.slots
    assert CalibrationSummary.from_bytes((first + other).to_bytes()) == first + other


@pytest.fixture(scope="module")
def summary() -> CalibrationSummary:
    filled = CalibrationSummary()
    filled.add(*language_pairs(20_000, np.random.default_rng(0)))
    return filled


def signed(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def edited(content: bytes, **changes: object) -> bytes:
    """The same columns under another head, with a checksum that fits."""
    first, head, columns = content[:-CHECKSUM].split(b"\n", 2)
    return signed(b"\n".join([first, json.dumps(json.loads(head) | changes).encode(), columns]))


def test_bytes_are_pinned() -> None:
    """What one machine saves, each other reads: the bytes of a few pairs never change while the version stays."""
    summary = CalibrationSummary()
    summary.add([0, 1, 1, 0, 1], [0.1, 0.25, 0.5, 1.0, 1e-9])
    checksum = "530f4319b2d5cbab978ae611f71defa449bf4837de3446c22e9b3cb7d8306839"
    assert hashlib.sha256(summary.to_bytes()).hexdigest() == checksum


def test_a_file_comes_back(summary: CalibrationSummary, tmp_path: Path) -> None:
    summary.save(tmp_path / "day.summary")
    again = CalibrationSummary.load(str(tmp_path / "day.summary"))
    assert again == summary
    assert again.curve().to_dict() == summary.curve().to_dict()
    assert (tmp_path / "day.summary").stat().st_size < 16 * len(summary.slots.slot) + 600


def test_other_grids_versions_and_kinds_are_refused(summary: CalibrationSummary, tmp_path: Path) -> None:
    content = summary.to_bytes()
    with pytest.raises(InputError, match=r"its grid has 2 cells, this howsure's has 27555 cells of the fourth root"):
        CalibrationSummary.from_bytes(edited(content, grid="2 cells"))
    with pytest.raises(InputError, match=r"has version 2, but this howsure reads version 1\. Install a newer"):
        CalibrationSummary.from_bytes(content.replace(b"summary 1\n", b"summary 2\n"))
    with pytest.raises(InputError, match=r"contains one summary without groups\. Read it with CalibrationSummary"):
        CalibrationSummaries.from_bytes(content)
    with pytest.raises(InputError, match="content is not a calibration summary"):
        CalibrationSummary.from_bytes(b"PK\x03\x04" + content)
    groups = CalibrationSummaries({"NN": summary})
    groups.save(tmp_path / "tags.summary")
    assert CalibrationSummaries.load(tmp_path / "tags.summary") == groups
    with pytest.raises(InputError, match=r"tags.summary contains summaries of groups\. Read it with"):
        CalibrationSummary.load(tmp_path / "tags.summary")


def weighted() -> CalibrationSummary:
    summary = CalibrationSummary()
    summary.add([0, 1], [0.1, 0.9], sample_weight=[1, 2])
    return summary


def plain(**options: Any) -> CalibrationSummary:
    summary = CalibrationSummary()
    summary.add([0, 1], [0.1, 0.9])
    return summary


def named(label: str) -> CalibrationSummary:
    summary = CalibrationSummary()
    summary.add(["yes", "no"], [0.1, 0.9], pos_label=label)
    return summary


def groups(first: CalibrationSummary, second: CalibrationSummary) -> CalibrationSummaries:
    return CalibrationSummaries({"a": first}) + CalibrationSummaries({"b": second})


def weightless() -> CalibrationSummaries:
    summaries = CalibrationSummaries()
    summaries.add([0, 1, 1], [0.1, 0.9, 0.5], groups=["a", "a", "b"], sample_weight=[0, 0, 1])
    return summaries


GROUPED = Pairs(np.array([0, 1], dtype=np.uint8), np.array([0.1, 0.9]), groups=np.array([0, 1]), group_names=("a", "b"))
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "out of range": (lambda: plain().add([0, 1], [0.1, 1.9]), r"y_prob must be between 0 and 1; row 1 is 1.9"),
    "missing": (lambda: plain().add([0, 1], [0.1, float("nan")]), "y_prob must not be missing; row 1"),
    "lengths": (lambda: plain().add([0, 1, 1], [0.1, 0.9]), "must have as many rows"),
    "three labels": (lambda: plain().add(["a", "b", "c"], [0.1, 0.2, 0.3]), "y_true must have two different values"),
    "empty": (lambda: plain().add([], []), "empty"),
    "clusters": (
        lambda: plain().add([0, 1], [0.1, 0.9], clusters=[1, 1]),
        "clusters must not be given to a summary: sums do not say which pairs belong together",
    ),
    "groups": (lambda: plain().add(GROUPED), "Use CalibrationSummaries instead"),
    "no groups": (lambda: CalibrationSummaries().add([0, 1], [0.1, 0.9]), "groups must name the group of each pair"),
    "weights of some": (lambda: plain().add([1], [0.5], sample_weight=[2]), "one of the summaries has weights"),
    "weighted and unweighted": (lambda: plain() + weighted(), "one of the summaries has weights"),
    "huge weights": (
        lambda: CalibrationSummary().add([1], [0.5], sample_weight=[1e200]),
        "sample_weight of a summary must be 0 or between 1e-60 and 1e60; row 0 is 1e[+]200",
    ),
    "other labels": (lambda: named("yes") + named("no"), "the summaries differ in pos_label: 'yes' and 'no'"),
    "bootstrap": (lambda: plain().curve(interval="bootstrap"), "interval='bootstrap' resamples pairs"),
    "cox": (
        lambda: plain().test(method="cox"),
        "a summary contains only sums: method='cox' needs the pairs themselves",
    ),
    "no test": (
        lambda: plain().test(method="t"),
        "a summary contains only sums: method must be 'binned' or 'simulation', not 't'",
    ),
    "bins": (lambda: plain().curve(bin_size=0), "bin_size must be"),
    "no summaries": (lambda: CalibrationSummaries().table(), "there are no summaries. Add pairs first"),
    "weights of some groups": (
        lambda: groups(plain(), weighted()),
        "the group 'b' have weights, but the pairs of 'a' have none. Give each of these the weight 1",
    ),
    "two of one name": (lambda: CalibrationSummaries({"1": plain(), 1: plain()}), "two are called '1'"),  # type: ignore[dict-item]
    "a group without weight": (lambda: weightless().table(), "every weight of the group 'a' is 0"),
    "an empty group": (lambda: groups(CalibrationSummary(), plain()).table(), "the group 'a' is empty"),
    "binning": (lambda: plain().curve(binning="deep"), "binning must be 'adaptive', 'uniform' or 'weight', not 'deep'"),
    "no summary": (
        lambda: CalibrationSummaries({"a": 3}),
        "must contain a CalibrationSummary for each group; 'a' has 3",
    ),
}


@pytest.mark.parametrize(("wrong", "says"), WRONG.values(), ids=WRONG)
def test_it_says_what_is_wrong(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        wrong()


def test_nothing_is_added_where_something_is_wrong() -> None:
    summary = plain()
    with pytest.raises(InputError):
        summary.add([0, 1, 1], [0.2, 0.3, 1.5])
    assert summary == plain()


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        plain() + CalibrationSummaries()  # type: ignore[operator]
    with pytest.raises(KeyError):
        CalibrationSummaries()["NN"]
