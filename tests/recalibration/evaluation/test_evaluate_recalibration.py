"""Cross-fitted evaluations: verdicts, groups and methods, choices within the folds, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.recalibration import Cell, cell
from howsure import evaluate_recalibration, recalibrate, recalibration_table

RNG = np.random.default_rng(11)
Q = RNG.uniform(0.02, 0.98, 1200)
SHARP = 1 / (1 + (1 / Q - 1) ** 2)  # log-odds twice as far out
Y = RNG.random(1200) < Q


def test_an_overconfident_model_is_improved_and_a_calibrated_one_is_not() -> None:
    found = evaluate_recalibration(Y, SHARP, method="temperature")
    assert (found.kind, found.needed) == ("improves", None)
    assert found.error_after.value < found.error_before.value / 2
    assert found.verdict().startswith("Recalibration (temperature) improves these probabilities: the calibration error")
    assert evaluate_recalibration(Y, Q, method="temperature").kind in ("cannot tell", "does not help")


def test_a_map_that_merges_predictions_makes_good_ones_worse() -> None:
    found = evaluate_recalibration(Y, Q, method="histogram", n_bins=3)
    assert found.kind == "makes it worse"
    assert "makes it worse: the Brier score rises" in found.verdict()


def test_where_nothing_can_be_told_it_says_how_many_rows_would_tell() -> None:
    found = evaluate_recalibration(Y[:60], SHARP[:60] ** 0.7, method="platt")
    assert found.kind == "cannot tell"
    assert found.needed > 60
    assert "rows like these would tell." in found.verdict()


def test_auto_chooses_within_the_folds_and_says_what() -> None:
    found = evaluate_recalibration(Y[:400], SHARP[:400], repeats=1)
    assert sum(found.recipe["chosen"].values()) == 5
    assert any("auto chose anew without the rows of each fold" in note for note in found.notes)


def test_rows_drawn_from_the_seed_of_the_folds_are_divided_at_random() -> None:
    """Folds dealt in the order of the predictions are alike in all but their labels, and any map looks good."""
    rng = np.random.default_rng(0)
    q = rng.random(2000)
    found = evaluate_recalibration(rng.random(2000) < q, q, method="isotonic", repeats=1, rng=0)
    assert found.brier.improvement.value < 0.001


def test_each_group_has_its_own_map_and_p_is_adjusted() -> None:
    groups = np.where(np.arange(1200) % 2, "sharp", "good")
    q = np.where(groups == "sharp", SHARP, Q)
    found = recalibration_table(Y, q, methods=["temperature", "platt"], groups=groups, repeats=1)
    assert found.names == ["good: temperature", "good: platt", "sharp: temperature", "sharp: platt"]
    assert [row.kind == "improves" for row in found] == [False, False, True, True]
    assert all(p >= row.p_value for row, p in zip(found, found.p_adjusted, strict=True))
    alone = evaluate_recalibration(Y[1::2], SHARP[1::2], method="platt", repeats=1)
    assert found["sharp: platt"].brier.before == pytest.approx(alone.brier.before)
    assert "Verdicts are each row's own; p is adjusted (Holm) for 4 of them." in str(found)


def test_the_floor_is_for_maps_not_for_what_was_before() -> None:
    q = np.where(np.arange(1200) < 5, 1.0, SHARP)
    y = np.where(np.arange(1200) < 5, False, Y)
    found = evaluate_recalibration(y, q, method="platt", floor=1e-3, repeats=1)
    assert np.isinf(found.log_loss.before)
    assert np.isfinite(found.log_loss.after)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "two folds": ({"folds": 2}, "folds must be a whole number from 3 to 100 to evaluate a map; it is 2"),
    "no fold": ({"folds": 0}, "folds must be a whole number from 2 to 100; it is 0"),
    "more folds than rows": ({"folds": 30}, "folds must be at most the number of rows; it is 30, there are 20"),
    "one cluster": ({"clusters": [1] * 20}, "folds must be at most the number of clusters; it is 5, there are 1"),
    "no margin": ({"margin": 0}, "margin must lie above 0 and below 1; it is 0"),
    "a margin in words": ({"margin": "small"}, "margin must lie above 0 and below 1; it is 'small'"),
    "a level in per cent": ({"level": 95}, "level"),
    "no repetition": ({"repeats": 0}, "repeats must be a whole number from 1 to 100, not 0"),
    "too many repetitions": ({"repeats": 101}, "repeats must be a whole number from 1 to 100, not 101"),
    "an unknown method": ({"method": "magic"}, "magic"),
    "a method for classes": ({"method": "vector"}, "is not for one probability per row"),
    "one label": ({"y": [1] * 20}, "y_true must hold two labels or more"),
    "a floor above all": ({"floor": 0.4}, "floor must lie above 0 and up to 0.1; it is 0.4"),
    "too few to choose": (
        {"method": "auto", "y": [0, 1] * 3},
        "6 rows are too few to choose a method anew without each of 5 folds, by 5 folds of the others; at least 7",
    ),
    "a label in one row": ({"y": [1] + [0] * 19, "method": "platt"}, "the label '1' lies in one row alone"),
}


def _holds(found: Cell, *, least: float = 0.93) -> None:
    room = 2.6 * np.sqrt(0.05 * 0.95 / found.sets)
    assert min(found.squared, found.brier, found.after) >= least - room, found


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
    found = cell(model, method, 1000, 150, **how)
    _holds(found)
    if model == "calibrated":
        assert found.improves <= 0.05 + 2.6 * np.sqrt(0.05 * 0.95 / 150)


@pytest.mark.slow
def test_the_choice_is_paid_for() -> None:
    found = cell("calibrated", "auto", 500, 60)
    _holds(found)
    assert found.improves <= 0.1


def test_a_table_of_a_map_is_what_the_map_says_of_each_group() -> None:
    groups = np.arange(1200) % 2
    fitted = recalibrate(Y[:600], SHARP[:600], groups=groups[:600], method="temperature")
    found = recalibration_table(Y[600:], SHARP[600:], groups=groups[600:], map=fitted)
    for row, group in zip(found, (0, 1), strict=True):
        rows = 600 + np.flatnonzero(groups[600:] == group)
        alone = fitted.evaluate(Y[rows], SHARP[rows], groups=groups[rows])
        assert (row.brier, row.error_after) == (alone.brier, alone.error_after)
