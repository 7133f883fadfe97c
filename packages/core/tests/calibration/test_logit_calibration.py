"""Logits: the same sums as pairs made by hand, whatever the type, the blocks and the rows that do not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchmarks.logit_coverage import World
from howsure import CalibrationSummary, InputError, calibration_curve, pairs_from_classes
from howsure.calibration import logits as of_arrays
from howsure.calibration.logits import slots_of_logits

T, V = 500, 300


def model(rows: int = T, classes: int = V, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Logits of a model that is too sure, and right classes."""
    rng = np.random.default_rng(seed)
    logits = 3.0 * rng.standard_normal((rows, classes)) - np.log(np.arange(1, classes + 1))
    likely = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
    targets = (likely < likely[:, -1:] * rng.random((rows, 1))).sum(axis=1)
    return 1.3 * logits, targets


def by_hand(logits: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of row and class: its label and probability."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    labels = targets[:, None] == np.arange(logits.shape[1])
    return labels.ravel(), (raised / raised.sum(axis=1, keepdims=True)).ravel()


def test_all_classes_are_pairs_made_by_hand() -> None:
    logits, targets = model()
    labels, probabilities = by_hand(logits, targets)
    summary, pairs = CalibrationSummary(), CalibrationSummary()
    summary.add_logits(logits, targets)
    pairs.add(labels, probabilities)
    assert len(summary) == T * V
    curve = summary.curve(n_bins=30)
    for expected in (pairs.curve(n_bins=30), calibration_curve(labels, probabilities, n_bins=30)):
        np.testing.assert_array_equal(curve.bins.count, expected.bins.count)
        np.testing.assert_allclose(curve.bins.mean_prob, expected.bins.mean_prob, rtol=0, atol=1e-12)
        for name in ("value", "low", "high"):
            actual, other = (getattr(calibration.error, name) for calibration in (curve, expected))
            assert actual == pytest.approx(other, abs=1e-12)
        assert curve.log_loss.score == pytest.approx(expected.log_loss.score, abs=1e-12)
    assert curve.base_rate == pytest.approx(1 / V, abs=1e-15)
    assert curve.reduction == "class-wise"


def test_the_first_choice_matches_pairs_from_classes() -> None:
    logits, targets = model()
    logits[3, [4, 7]] = logits[3].max() + 1.0  # a tie goes to the first class
    targets[3] = 4
    labels, probabilities = (array.reshape(T, V) for array in by_hand(logits, targets))
    first = probabilities.argmax(axis=1)
    summary, pairs = CalibrationSummary(), CalibrationSummary()
    summary.add_logits(logits, targets, reduce="top-label")
    pairs.add(labels[np.arange(T), first], probabilities[np.arange(T), first])
    curve, expected = summary.curve(), pairs.curve()
    assert curve.error.value == pytest.approx(expected.error.value, abs=1e-12)
    assert curve.base_rate == expected.base_rate
    assert curve.reduction == "top-label"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ">f4"])
def test_narrow_numbers_are_widened_first(dtype) -> None:
    logits, targets = model(60)
    narrow = logits.astype(dtype)
    assert slots_of_logits(narrow, targets) == slots_of_logits(narrow.astype(np.float64), targets)


@pytest.mark.long
@given(st.data())
def test_any_split_into_batches_and_blocks(data) -> None:
    logits, targets = model(40, 7)
    targets[data.draw(st.lists(st.integers(0, 39), max_size=39))] = -100
    whole, parts = CalibrationSummary(), CalibrationSummary()
    whole.add_logits(logits, targets)
    cuts = sorted(data.draw(st.lists(st.integers(0, 40), max_size=4)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_arrays, "CHUNK_ROWS", data.draw(st.integers(1, 60)))
        for rows in np.split(np.arange(40), cuts):
            parts.add_logits(logits[rows], targets[rows])
    assert parts == whole
    assert len(whole) == 7 * np.count_nonzero(targets != -100)


def test_texts_of_tokens_are_rows() -> None:
    logits, targets = model(60, 5)
    targets[::4] = 9
    texts = slots_of_logits(logits.reshape(6, 10, 5), targets.reshape(6, 10), ignore=9)
    assert texts == slots_of_logits(logits[targets != 9], targets[targets != 9])


def test_tiny_probabilities_keep_their_sum() -> None:
    """Most of a vocabulary lies far below the lowest cells; every row still sums to one."""
    rng = np.random.default_rng(1)
    logits = rng.normal(-60.0, 12.0, (50, 400))
    logits[:, 0] = 0.0
    logits[:, 1] = -np.inf
    slots = slots_of_logits(logits, np.zeros(50, dtype=int))
    q = slots.means()[0]
    assert (q * slots.count).sum() == pytest.approx(50.0, abs=1e-12)
    tiny = slots.cell < 2
    exact = by_hand(logits, np.zeros(50, dtype=int))[1]
    assert q[tiny].max() < 2.0**-55
    assert (q * slots.count)[tiny].sum() == pytest.approx(exact[exact < 2.0**-56].sum(), abs=1e-15)


def test_an_impossible_class_that_was_right_is_reported() -> None:
    summary = CalibrationSummary()
    summary.add_logits([[0.0, -np.inf, 1.0], [0.0, 1.0, 2.0]], [1, 2])
    assert any("log loss is infinite" in note for note in summary.curve(bin_size=2).notes)


def test_weighted_by_probability() -> None:
    """As weights of the same value would have it, in bins of equally many expected labels."""
    logits, targets = model(2_000, 50)
    labels, probabilities = by_hand(logits, targets)
    summary, pairs = CalibrationSummary(), CalibrationSummary()
    summary.add_logits(logits, targets)
    pairs.add(labels, probabilities, sample_weight=probabilities)
    curve = summary.by_probability().curve(binning="weight", n_bins=20)
    expected = pairs.curve(binning="weight", n_bins=20)
    np.testing.assert_array_equal(curve.bins.count, expected.bins.count)
    np.testing.assert_allclose(curve.bins.mean_prob, expected.bins.mean_prob, rtol=1e-6)
    np.testing.assert_allclose(curve.bins.frequency, expected.bins.frequency, rtol=1e-5)
    assert curve.error.value == pytest.approx(expected.error.value, rel=1e-5)
    assert curve.error.high == pytest.approx(expected.error.high, rel=1e-5)
    assert curve.log_loss.score == pytest.approx(expected.log_loss.score, rel=1e-5)
    assert len(curve.bins) == 20
    assert np.ptp(curve.bins.weight) < 0.05 * curve.bins.weight.mean()


@pytest.mark.parametrize(
    ("logits", "targets", "options", "message"),
    [
        (
            [[0.1, 0.2]],
            [2],
            {},
            "targets must be indices of the 2 classes, from 0, or -100 for rows to leave out; row 0 is 2.",
        ),
        ([[0.1, 0.2]], [0.0], {}, "targets must be integers, the indices of the right classes; they are float64."),
        ([[0.1, 0.2]], [[0], [1, 2]], {}, "targets must be integers, the indices of the right classes ("),
        (np.ma.masked_less([[0.1, 0.2]], 0.15), [0], {}, "logits must not be masked, but some values are. Give -inf"),
        ([[1, 2]], [0], {}, "logits must be floating-point numbers; they are int64."),
        ("abc", [0], {}, "logits must be floating-point numbers; they are <U3."),
        ([[0.1], [0.2, 0.3]], [0], {}, "logits must be an array or a tensor of torch; numpy cannot read it ("),
        (
            [0.1, 0.2],
            [0, 1],
            {},
            "logits must have the shape (rows, classes) with two classes or more, and targets "
            "must have one number for each row; their shapes are (2,) and (2,).",
        ),
        ([[0.1], [0.2]], [0, 0], {}, "their shapes are (2, 1) and (2,)."),
        ([[0.1, 0.2]], [0, 1], {}, "their shapes are (1, 2) and (2,)."),
        ([[0.1, 0.2], [np.nan, 1.0]], [0, 1], {}, "row 1 has other values. Set the target of such a row to -100"),
        (
            [[0.1, np.inf]],
            [0],
            {},
            "logits must be finite, or -inf (probability 0) for some classes of a row; row 0 has other values.",
        ),
        ([[-np.inf, -np.inf]], [0], {}, "row 0 has other values."),
        ([[0.1, 0.2]], [0], {"reduce": "macro"}, "reduce must be 'class-wise' or 'top-label', not 'macro'."),
        (
            [[0.1, 0.2]],
            [0],
            {"ignore": "pad"},
            "ignore must be a whole number, the target that marks rows to leave out, not 'pad'.",
        ),
    ],
)
def test_invalid_input_is_refused(logits, targets, options, message: str) -> None:
    summary = CalibrationSummary()
    with pytest.raises(InputError) as caught:
        summary.add_logits(logits, targets, **options)
    assert message in str(caught.value)
    assert len(summary) == 0


def test_the_rows_of_all_classes_are_noted_and_those_of_one_class_are_not() -> None:
    logits, targets = model(3_000, 20)
    whole, single_class = CalibrationSummary(), CalibrationSummary()
    whole.add_logits(logits, targets)
    probabilities = by_hand(logits, targets)[1].reshape(logits.shape)
    single_class.add(pairs_from_classes(targets, probabilities, reduce="3"))
    for summary in (whole, whole.by_probability(), CalibrationSummary.from_bytes(whole.by_probability().to_bytes())):
        assert any("pairs of a row, one per class, as independent" in note for note in summary.curve(n_bins=9).notes)
    assert single_class.slots.reduction == "class-wise"
    by_class = replace(single_class.slots, positive=None)  # as one group of a table
    for summary in (single_class, CalibrationSummary.from_slots(by_class)):
        assert summary.curve(n_bins=9).notes == ()


def test_the_scores_of_all_classes_follow_from_the_sums() -> None:
    """Those of the arrays themselves: the log loss of a row is what a language model is trained on."""
    logits, targets = model(3_000, 20)
    labels, probabilities = (array.reshape(logits.shape) for array in by_hand(logits, targets))
    summary = CalibrationSummary()
    summary.add_logits(logits, targets)
    for curve in (summary.curve(), summary.by_probability().curve(binning="weight")):
        assert curve.multiclass.brier == pytest.approx(((probabilities - labels) ** 2).sum(axis=1).mean(), rel=1e-7)
        assert curve.multiclass.log_loss == pytest.approx(-np.log(probabilities[labels]).mean(), rel=1e-7)
    logits[4, targets[4]] = -np.inf
    impossible = CalibrationSummary()
    impossible.add_logits(logits, targets)
    scores = impossible.curve().multiclass
    assert scores.log_loss == np.inf


CLASSES = st.shared(st.integers(2, 9), key="classes")
NUMBERS = arrays.arrays(float, CLASSES, elements=st.floats(-30.0, 30.0))


@given(NUMBERS, NUMBERS)
def test_a_weighted_row_varies_at_most_twice_as_much_as_independent_pairs(logits, weights) -> None:
    """Var Σ a y ≤ 2 Σ a² p (1 - p), y the right class drawn from p; with one sign, at most as much."""
    p = np.exp(logits - logits.max())
    p /= p.sum()
    rest = np.array([np.delete(p, k).sum() for k in range(len(p))])  # 1 - p without cancellation
    for a, times in ((weights, 2.0), (np.ones_like(p), 1.0), (p, 1.0), (np.abs(weights), 1.0)):
        mean = (a * p).sum()
        variance = (p * (a - mean) ** 2).sum()
        assert variance <= times * (a**2 * p * rest).sum() * (1 + 1e-9) + 1e-12


def test_two_classes_that_mirror_each_other_are_the_worst() -> None:
    a, p = np.array([1.0, -1.0]), np.array([0.3, 0.7])
    variance = (a**2 * p).sum() - (a * p).sum() ** 2
    assert variance == pytest.approx(2 * (a**2 * p * (1 - p)).sum())


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.5])
def test_the_interval_holds_for_fifty_classes(temperature: float) -> None:
    """The table of docs/language-models.md has more of it."""
    cells = World(50, 500, 3.0, temperature).cells(sets=100)
    for cell in cells.values():
        assert cell.covered >= 0.89
        if temperature == 1.0:
            assert cell.rejected <= 0.11


def test_a_small_cell_of_it() -> None:
    cells = World(20, 200, 3.0, 1.5).cells(sets=8)
    assert all(cell.covered >= 0.5 and cell.mean == pytest.approx(cell.truth, rel=0.4) for cell in cells.values())
