"""Errors and scores before and after: parity with the comparison of two models, brute force, and laws."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.recalibration import Cell, cell
from howsure import Estimate, compare_calibration, evaluate_recalibration, recalibrate, recalibration_table
from howsure.calibration.bins import bin_pairs
from howsure.inputs.pairs import Pairs
from howsure.recalibration.evaluate_recalibration import evaluate_maps
from howsure.recalibration.evaluation import evaluate_fits
from howsure.recalibration.evaluation_results import improvement_p_value, rows_needed, verdict_kind
from howsure.recalibration.map_input import Labelled, labelled_from

HOW: dict[str, Any] = {"method": "made up", "level": 0.9, "margin": 0.01}


def ends(e: Estimate) -> tuple[float, float | None, float | None]:
    return e.value, e.low, e.high


@pytest.fixture(scope="module")
def rows() -> tuple[Labelled, list[Any], Any]:
    """Rows, what three maps make of them, and folds."""
    rng = np.random.default_rng(7)
    q = rng.uniform(0.05, 0.95, 150)
    data = labelled_from(rng.random(150) < q**2, q, clusters=np.arange(150) // 2)
    fold = rng.permutation(75)[np.arange(150) // 2] % 3
    return data, [q**power for power in (1.6, 1.8, 2.0)], fold


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_one_map_it_is_the_comparison_of_two_models(clustered: bool, weighted: bool, rows: Any) -> None:
    data, (after, *_), _ = rows
    clusters = data.clusters if clustered else None
    weights = np.random.default_rng(1).uniform(0.5, 1.0, len(data)) if weighted else None
    labelled = labelled_from(data.labels, data.scores.probabilities, clusters=clusters, sample_weight=weights)
    evaluation = evaluate_fits(labelled, [(np.zeros(len(data), dtype=np.int64), [after])], recipe={}, **HOW)
    expected = compare_calibration(
        data.labels, data.scores.probabilities, against=after, clusters=clusters, sample_weight=weights, level=0.9
    )
    assert ends(evaluation.error_before) == pytest.approx(ends(expected.error_a))
    assert ends(evaluation.error_after) == pytest.approx(ends(expected.error_b))
    for change, other in (
        (evaluation.squared_error, expected.squared_error_difference),
        (evaluation.brier, expected.brier_difference),
        (evaluation.log_loss, expected.log_loss_difference),
    ):
        assert ends(change.improvement) == pytest.approx(ends(other), rel=1e-12, abs=1e-15)
        assert change.before - change.after == pytest.approx(other.value, abs=1e-12)


def test_the_error_after_matches_pairs_of_rows_of_one_fold_and_bin(rows: Any) -> None:
    """The bins are those of the curve after, so that both errors see equally fine waves."""
    data, after, fold = rows
    plain = labelled_from(data.labels, data.scores.probabilities)
    evaluation = evaluate_fits(plain, [(fold, after)], recipe={}, **HOW)
    q = np.choose(fold, after)
    bins = bin_pairs(Pairs(data.labels.astype(np.uint8), q)).assign_bins(q)
    total, n_paired = 0.0, 0
    for k, b in np.unique(np.column_stack([fold, bins]), axis=0):
        gaps = (q - data.labels)[(fold == k) & (bins == b)]
        if len(gaps) > 1:
            total += len(gaps) * np.mean([gap * other for gap, other in combinations(gaps, 2)])
            n_paired += len(gaps)
    assert evaluation.squared_error.after == pytest.approx(total / n_paired, rel=1e-12)
    assert len(evaluation.curves[1].bins) == bins.max() + 1


def test_each_of_few_values_is_a_bin(rows: Any) -> None:
    """Errors of neighbouring values of a histogram are independent of each other; in one bin, they would cancel."""
    data, after, fold = rows
    plain = labelled_from(data.labels, data.scores.probabilities)
    coarse = [np.round(3 * q) / 3 * (1 - 0.02 * k) for k, q in enumerate(after)]
    evaluation = evaluate_fits(plain, [(fold, coarse)], recipe={}, **HOW)
    total, n_paired = 0.0, 0
    for k in range(3):
        q, y = coarse[k][fold == k], data.labels[fold == k]
        for value in np.unique(q):
            gaps = (q - y)[q == value]
            if len(gaps) > 1:
                total += len(gaps) * np.mean([gap * other for gap, other in combinations(gaps, 2)])
                n_paired += len(gaps)
    assert evaluation.squared_error.after == pytest.approx(total / n_paired, rel=1e-12)


def test_the_order_of_the_rows_changes_nothing(rows: Any) -> None:
    data, after, fold = rows
    order = np.random.default_rng(3).permutation(150)
    evaluation = evaluate_fits(data, [(fold, after)], recipe={}, **HOW)
    other = evaluate_fits(data.select(order), [(fold[order], [q[order] for q in after])], recipe={}, **HOW)
    for name, change in evaluation.changes().items():
        assert ends(change.improvement) == pytest.approx(ends(other.changes()[name].improvement))
    assert str(evaluation.error_after) == str(other.error_after)


def test_repeated_cross_fittings_are_averaged(rows: Any) -> None:
    data, after, fold = rows
    turned = (fold, after), ((fold + 1) % 3, after)
    alone = [evaluate_fits(data, [folds], recipe={}, **HOW) for folds in turned]
    both = evaluate_fits(data, turned, recipe={}, **HOW)
    for name, change in both.changes().items():
        means = [evaluation.changes()[name] for evaluation in alone]
        assert change.after == pytest.approx(np.mean([mean.after for mean in means]))
        assert change.improvement.value == pytest.approx(np.mean([mean.improvement.value for mean in means]))


def test_a_map_that_changes_first_choices_is_judged_by_its_own() -> None:
    rng = np.random.default_rng(2)
    matrix, labels = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60)
    data, turned = labelled_from(labels, matrix), np.roll(matrix, 1, axis=1)
    evaluation = evaluate_fits(data, [(np.zeros(60, dtype=np.int64), [turned])], recipe={}, **HOW)
    right = [(probabilities.argmax(axis=1) == labels, probabilities.max(axis=1)) for probabilities in (matrix, turned)]
    means = [float(np.mean((q - y) ** 2)) for y, q in right]
    assert [evaluation.brier.before, evaluation.brier.after] == pytest.approx(means)
    onehot = np.eye(3)[labels]
    assert evaluation.multiclass_brier.after == pytest.approx(np.mean(((turned - onehot) ** 2).sum(axis=1)))
    assert evaluation.deciding is evaluation.multiclass_brier


def test_a_certain_error_leaves_the_log_loss_without_a_difference() -> None:
    q = np.array([1.0, 0.4, 0.6, 0.5] * 10)
    data = labelled_from([0, 1, 1, 0] * 10, q)
    evaluation = evaluate_fits(data, [(np.zeros(40, dtype=np.int64), [np.full(40, 0.5)])], recipe={}, **HOW)
    assert np.isinf(evaluation.log_loss.before)
    assert evaluation.log_loss.improvement.low is None
    assert "before recalibration, 10 predictions of exactly 0 or 1 are wrong" in evaluation.notes[0]
    assert evaluation.brier.improvement.low is not None


# The verdict, its p-value, and the rows needed for a decision.


def gain(value: float, low: float | None, high: float | None, n: int = 1000) -> Estimate:
    return Estimate(value, low, high, 0.95, "jackknife", n)


@given(st.floats(-0.1, 0.1), st.floats(1e-6, 0.1), st.floats(1e-6, 0.1))
def test_the_p_value_is_below_5_percent_where_the_interval_excludes_0(value: float, down: float, up: float) -> None:
    e = gain(value, value - down, value + up)
    excluded = e.low > 0 or e.high < 0  # type: ignore[operator]
    p = improvement_p_value(e)
    assert 0 <= p <= 1
    if abs(p - 0.05) > 1e-6:
        assert (p < 0.05) == excluded
    assert excluded == (verdict_kind(e, 0.01) in ("improves", "makes it worse"))


def test_an_interval_of_no_width_at_0_does_not_help() -> None:
    e = gain(0.0, 0.0, 0.0)
    assert (verdict_kind(e, 0.01), improvement_p_value(e)) == ("does not help", 1.0)


def test_without_an_interval_there_is_no_decision() -> None:
    e = gain(float("nan"), None, None)
    assert verdict_kind(e, 0.01) == "cannot tell"
    assert np.isnan(improvement_p_value(e))
    assert rows_needed(e, 0.01) is None


def test_the_rows_needed_have_a_power_of_80_percent() -> None:
    """An improvement of d with a standard error s at n = 1000: at the number found, the power is 0.8."""
    d, s = 0.002, 0.0015
    needed = rows_needed(gain(d, d - 1.96 * s, d + 1.96 * s), 0.01)
    draws = np.random.default_rng(0).normal(d, s * np.sqrt(1000 / needed), 20_000)
    assert np.mean(draws > 1.96 * s * np.sqrt(1000 / needed)) == pytest.approx(0.8, abs=0.01)


def test_rows_needed_to_show_that_there_is_no_improvement() -> None:
    needed = rows_needed(gain(-0.00005, -0.001, 0.0009), 0.01)
    assert needed is not None
    assert needed == pytest.approx(1000 * ((0.00095 * (1 + 0.8416 / 1.96)) / 0.00015) ** 2, rel=0.01)


# Cross-fitted evaluations: verdicts, groups and methods, choices within the folds, and refusals.


RNG = np.random.default_rng(11)
Q = RNG.uniform(0.02, 0.98, 1200)
SHARP = 1 / (1 + (1 / Q - 1) ** 2)  # log-odds twice as far out
Y = RNG.random(1200) < Q


def test_an_overconfident_model_is_improved_and_a_calibrated_one_is_not() -> None:
    evaluation = evaluate_recalibration(Y, SHARP, method="temperature")
    assert (evaluation.kind, evaluation.needed) == ("improves", None)
    assert evaluation.error_after.value < evaluation.error_before.value / 2
    assert evaluation.verdict().startswith(
        "Recalibration (temperature) improves these probabilities: calibration error"
    )
    assert evaluate_recalibration(Y, Q, method="temperature").kind in ("cannot tell", "does not help")


def test_a_map_that_merges_predictions_makes_good_ones_worse() -> None:
    (evaluation,) = recalibration_table(Y, Q, methods={"histogram": 3})
    assert evaluation.kind == "makes it worse"
    assert "makes these probabilities worse: calibration error" in evaluation.verdict()


def test_without_a_decision_it_says_how_many_rows_are_needed() -> None:
    evaluation = evaluate_recalibration(Y[:60], SHARP[:60] ** 0.7, method="platt")
    assert evaluation.kind == "cannot tell"
    assert evaluation.needed > 60
    assert "rows like these would decide it." in evaluation.verdict()


def test_auto_chooses_within_the_folds_and_says_what() -> None:
    evaluation = evaluate_recalibration(Y[:400], SHARP[:400], repeats=1)
    assert sum(evaluation.recipe["chosen"].values()) == 5
    assert any("auto chose the method for each fold" in note for note in evaluation.notes)


def test_rows_drawn_from_the_seed_of_the_folds_are_divided_at_random() -> None:
    """Folds dealt in the order of the predictions are alike in all but their labels, and any map looks good."""
    rng = np.random.default_rng(0)
    q = rng.random(2000)
    evaluation = evaluate_recalibration(rng.random(2000) < q, q, method="isotonic", repeats=1, rng=0)
    assert evaluation.brier.improvement.value < 0.001


def test_each_group_has_its_own_map_and_p_is_adjusted() -> None:
    groups = np.where(np.arange(1200) % 2, "sharp", "good")
    q = np.where(groups == "sharp", SHARP, Q)
    table = recalibration_table(Y, q, methods=["temperature", "platt"], groups=groups, repeats=1)
    assert table.names == ["good: temperature", "good: platt", "sharp: temperature", "sharp: platt"]
    assert [row.kind == "improves" for row in table] == [False, False, True, True]
    assert all(p >= row.p_value for row, p in zip(table, table.p_adjusted, strict=True))
    alone = evaluate_recalibration(Y[1::2], SHARP[1::2], method="platt", repeats=1)
    assert table["sharp: platt"].brier.before == pytest.approx(alone.brier.before)
    assert "p is adjusted for the 4 methods or groups (Holm); intervals and verdicts are not adjusted." in str(table)


def test_the_floor_is_for_maps_not_for_what_was_before() -> None:
    q = np.where(np.arange(1200) < 5, 1.0, SHARP)
    y = np.where(np.arange(1200) < 5, False, Y)
    evaluation = evaluate_recalibration(y, q, method="platt", floor=1e-3, repeats=1)
    assert np.isinf(evaluation.log_loss.before)
    assert np.isfinite(evaluation.log_loss.after)


def _holds(cell_rates: Cell, *, least: float = 0.93) -> None:
    room = 2.6 * np.sqrt(0.05 * 0.95 / cell_rates.sets)
    assert min(cell_rates.squared, cell_rates.brier, cell_rates.after) >= least - room, cell_rates


@pytest.mark.long
def test_a_few_made_up_data_sets() -> None:
    calibrated = cell("calibrated", "platt", 300, 12)
    assert calibrated.improves <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 12)
    _holds(calibrated)


@pytest.mark.long
def test_a_few_made_up_data_sets_of_overconfident_models() -> None:
    _holds(cell("T = 1.5", "temperature", 300, 12))


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"size": 5}, {"rare": True}], ids=["rows", "clusters", "rare"])
@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic", "histogram"])
@pytest.mark.parametrize("model", ["calibrated", "T = 1.5", "T = 0.7", "shifted", "waves"])
def test_improvements_are_covered_and_calibrated_models_are_left_alone(
    model: str, method: str, how: dict[str, Any]
) -> None:
    cell_rates = cell(model, method, 1000, 150, **how)
    _holds(cell_rates)
    if model == "calibrated":
        assert cell_rates.improves <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 150)


@pytest.mark.slow
def test_the_choice_is_paid_for() -> None:
    cell_rates = cell("calibrated", "auto", 500, 60)
    _holds(cell_rates)
    assert cell_rates.improves <= 0.1


def test_a_table_of_a_map_is_what_the_map_says_of_each_group() -> None:
    groups = np.arange(1200) % 2
    fitted = recalibrate(Y[:600], SHARP[:600], groups=groups[:600], method="temperature")
    evaluation = evaluate_maps(Y[600:], SHARP[600:], groups=groups[600:], map=fitted)
    for row, group in zip(evaluation, (0, 1), strict=True):
        rows = 600 + np.flatnonzero(groups[600:] == group)
        alone = fitted.evaluate(Y[rows], SHARP[rows], groups=groups[rows])
        assert (row.brier, row.error_after) == (alone.brier, alone.error_after)


def test_a_map_that_gives_0_or_1_leaves_its_log_loss_open() -> None:
    """Isotonic maps give 0 and 1 at the ends. One such row that is wrong makes the log loss infinite, so that no finite
    interval is right, whether or not one is wrong here; the Brier score is reported."""
    train, test = np.random.default_rng(0), np.random.default_rng(1)
    q = train.beta(0.6, 0.6, 3000)
    isotonic = recalibrate(train.random(3000) < q**1.5 / (q**1.5 + (1 - q) ** 1.5), q, method="isotonic")
    q = test.beta(0.6, 0.6, 300)
    right = np.where(isotonic.apply(q) == 1.0, True, test.random(300) < q**1.5 / (q**1.5 + (1 - q) ** 1.5))
    right &= isotonic.apply(q) > 0.0
    evaluation = isotonic.evaluate(right, q)
    assert np.isfinite(evaluation.log_loss.after)
    assert ends(evaluation.log_loss.improvement)[1:] == (None, None)
    assert evaluation.brier.improvement.low is not None
    assert any("such as platt or beta" in note for note in evaluation.notes)
    smooth = recalibrate(right, q, method="platt").evaluate(right, q)
    assert smooth.log_loss.improvement.low is not None
    assert not smooth.notes


def test_auto_takes_no_map_that_makes_a_row_certain() -> None:
    """All labels agree with the score, so an isotonic map has log loss 0 on these rows; another row may differ."""
    q = np.linspace(0.01, 0.99, 400)
    chosen = recalibrate(q > 0.5, q, method="auto", rng=0).choice
    assert chosen is not None
    losses = {candidate.method: candidate.log_loss for candidate in chosen.candidates}
    assert losses["isotonic"] is None
    assert losses["platt"] is None or losses["platt"] >= 0.0
    assert losses["none"] > 0.1
