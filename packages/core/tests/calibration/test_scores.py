"""The parts of a proper score, row by row, each by its own definition."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calibration import reference
from tests.calibration.reference import ZERO, Bins, frequency, mean_prob, weight
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs
from tests.cli.running import printed

import howsure
from howsure.calibration.bins import bin_pairs
from howsure.calibration.scores import (
    BRIER,
    LOG,
    ProperLoss,
    _sum_in_any_order,
    brier_parts,
    decompose_score,
    log_parts,
    multiclass_scores,
    score_columns,
)
from howsure.inputs.pairs import Pairs
from howsure_cli.report import calibration_report


def expected(loss: Callable[[float, int], float], prediction: float, observed: float) -> float:
    """What a prediction costs on average if the label is 1 with a frequency; a factor of 0 silences any cost."""
    true = observed * loss(prediction, 1) if observed > 0 else 0.0
    return true + ((1 - observed) * loss(prediction, 0) if observed < 1 else 0.0)


def brier(prediction: float, label: int) -> float:
    return (prediction - label) ** 2


def log(prediction: float, label: int) -> float:
    likely = prediction if label else 1 - prediction
    return -math.log(likely) if likely > 0 else math.inf


def parts(bins: Bins, loss: Callable[[float, int], float]) -> tuple[float, float, float, float]:
    """Score, calibration, refinement and the part within bins, each by its own definition, row by row."""
    total = float(sum((weight(rows) for rows in bins), ZERO))
    score = calibration = refinement = within = 0.0
    for rows in bins:
        predicted, observed = float(mean_prob(rows)), float(frequency(rows))
        for row in rows:
            share = float(row.w) / total
            cost, at_mean = loss(float(row.q), row.y), expected(loss, predicted, observed)
            best = expected(loss, observed, observed)
            score += share * cost
            calibration += share * (at_mean - best)
            refinement += share * best
            within += share * (cost - at_mean)
    return score, calibration, refinement, within


RNG = np.random.default_rng(8)
PROBS = RNG.dirichlet([0.6, 0.5, 0.4], 400)
GOLD = np.array([RNG.choice(3, p=0.8 * row + 0.2 / 3) for row in PROBS])
WEIGHTS = RNG.integers(0, 4, 400).astype(float)
SNLI = "nli_model_predictions/SNLI_dev_roberta-base_0.jsonl.gz"
NAMES = ("top_label", "multiclass", "top_label_log", "multiclass_log")


def by_hand(gold: Any, probs: Any, weights: Any = None) -> dict[str, float]:
    """The definitions, row by row."""
    losses: dict[str, list[float]] = {name: [] for name in NAMES}
    for label, row in zip(gold, probs, strict=True):
        top = max(range(len(row)), key=lambda k: row[k])
        right = float(top == label)
        losses["top_label"].append((row[top] - right) ** 2)
        losses["top_label_log"].append(-math.log(row[top] if right else 1 - row[top]))
        losses["multiclass"].append(sum((p - (k == label)) ** 2 for k, p in enumerate(row)))
        losses["multiclass_log"].append(-math.log(row[label]))
    return {name: float(np.average(losses_of_score, weights=weights)) for name, losses_of_score in losses.items()}


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_all_equal_the_definitions(weights: Any) -> None:
    by_hand_scores = by_hand(GOLD, PROBS, weights)
    curve = howsure.calibration_curve(howsure.pairs_from_classes(GOLD, PROBS, sample_weight=weights))
    saved = curve.to_dict()
    assert "brier" not in saved
    assert "log_loss" not in saved
    assert saved["top_label_brier"]["score"] == pytest.approx(by_hand_scores["top_label"], abs=1e-12)
    assert saved["top_label_log_loss"]["score"] == pytest.approx(by_hand_scores["top_label_log"], abs=1e-12)
    assert saved["multiclass_brier"] == pytest.approx(by_hand_scores["multiclass"], abs=1e-12)
    assert saved["multiclass_log_loss"] == pytest.approx(by_hand_scores["multiclass_log"], abs=1e-12)


def test_the_multiclass_score_is_the_sum_of_those_of_the_classes() -> None:
    curves = [
        howsure.calibration_curve(howsure.pairs_from_classes(GOLD, PROBS, reduce=name, classes=["a", "b", "c"]))
        for name in "abc"
    ]
    total = sum(curve.to_dict()["class_wise_brier"]["score"] for curve in curves)
    assert all(curve.to_dict()["multiclass_brier"] == pytest.approx(total, abs=1e-12) for curve in curves)
    together = howsure.calibration_curve(howsure.pairs_from_classes(GOLD, PROBS, reduce="class-wise"))
    assert together.to_dict()["class_wise_brier"]["score"] == pytest.approx(total / 3, abs=1e-12)
    assert together.to_dict()["multiclass_brier"] == pytest.approx(total, abs=1e-12)


def test_two_classes_have_twice_the_score_of_one() -> None:
    q = RNG.random(50)
    y = (RNG.random(50) < q).astype(int)
    binary_curve = howsure.calibration_curve(y, q)
    both = howsure.calibration_curve(howsure.pairs_from_classes(y, np.column_stack([1 - q, q]), reduce="1"))
    assert binary_curve.multiclass is binary_curve.reduction is None
    assert both.multiclass.brier == pytest.approx(2 * binary_curve.brier.score)
    assert both.multiclass.log_loss == pytest.approx(binary_curve.log_loss.score)


def test_the_order_of_the_rows_has_no_effect() -> None:
    order = RNG.permutation(400)
    pairs, other = (howsure.pairs_from_classes(GOLD[rows], PROBS[rows]) for rows in (np.arange(400), order))
    assert multiclass_scores(pairs) == multiclass_scores(other)


def test_pairs_that_were_changed_have_none() -> None:
    pairs = howsure.pairs_from_classes(GOLD, PROBS)
    changed = howsure.calibration_curve(replace(pairs, probabilities=pairs.probabilities**2))
    assert changed.multiclass is None
    assert "top_label_brier" in changed.to_dict()


def test_a_label_without_probability_makes_the_loss_infinite_and_is_reported() -> None:
    pairs = howsure.pairs_from_classes([0, 2], [[0.7, 0.3, 0.0], [0.6, 0.4, 0.0]])
    curve = howsure.calibration_curve(pairs, bin_size=1)
    assert curve.to_dict()["multiclass_log_loss"] is None
    assert math.isfinite(curve.log_loss.score)
    assert "the multi-class log loss is infinite, because a label's class had probability 0" in curve.notes
    assert "multi-class log loss     infinite (a label had the probability 0)" in str(curve)


def test_tables_of_different_curves_show_each_score_by_its_name() -> None:
    top = howsure.calibration_curve(howsure.pairs_from_classes(GOLD, PROBS))
    plain = howsure.calibration_curve(GOLD == 1, PROBS[:, 1])
    columns = dict(score_columns([top, plain]))
    assert list(columns) == [
        "top-label Brier",
        "top-label log loss",
        "Brier",
        "log loss",
        "multi-class Brier",
        "multi-class log loss",
    ]
    assert columns["Brier"] == [None, plain.brier.score]
    assert columns["top-label Brier"] == [top.brier.score, None]


def test_differences_of_all_classes_have_a_paired_interval() -> None:
    other = 0.7 * PROBS + 0.1
    for reduce in ("top-label", "class-wise"):
        a, b = (howsure.pairs_from_classes(GOLD, probs, reduce=reduce) for probs in (PROBS, other))
        comparison = howsure.compare_calibration(a, against=b)
        saved = comparison.to_dict()
        name = f"{reduce.replace('-', '_')}_brier_difference"
        assert {name, "multiclass_brier_difference", "multiclass_log_loss_difference"} < set(saved)
        losses = [((probabilities - np.eye(3)[GOLD]) ** 2).sum(axis=1) for probabilities in (PROBS, other)]
        paired = losses[0] - losses[1]
        difference = comparison.multiclass_brier_difference
        assert difference.value == pytest.approx(paired.mean(), abs=1e-12)
        width = 2 * 1.96 * paired.std(ddof=1) / math.sqrt(400)
        assert difference.high - difference.low == pytest.approx(width, rel=0.01)
        logs = [-np.log(probabilities[np.arange(400), GOLD]) for probabilities in (PROBS, other)]
        assert saved["multiclass_log_loss_difference"]["value"] == pytest.approx((logs[0] - logs[1]).mean(), abs=1e-12)


def test_of_a_file_printed_and_on_a_page(real_data: Path) -> None:
    """RoBERTa on SNLI, seed 0: three scores were printed under one name, "Brier"."""
    path = real_data / SNLI
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    by_hand_scores = by_hand([row["true"] for row in rows], [row["probs"] for row in rows])
    common = ("calibration", path, "--target", "true", "--probs-column", "probs")
    (top,) = json.loads(printed(*common, "--format", "json"))["curves"]
    assert top["top_label_brier"]["score"] == pytest.approx(by_hand_scores["top_label"], abs=1e-12)
    assert top["multiclass_brier"] == pytest.approx(by_hand_scores["multiclass"], abs=1e-12)
    assert (round(top["top_label_brier"]["score"], 4), round(top["multiclass_brier"], 4)) == (0.0653, 0.1341)
    classes = json.loads(printed(*common, "--reduce", "class-wise", "--format", "json"))["curves"]
    assert sum(curve["class_wise_brier"]["score"] for curve in classes) == pytest.approx(
        by_hand_scores["multiclass"], abs=1e-12
    )
    for form in ("table", "csv"):
        shown = printed(*common, "--format", form)
        assert "top-label Brier" in shown
        assert "multi-class Brier" in shown
        assert "0.0653" in shown or repr(top["top_label_brier"]["score"]) in shown
        assert "0.1341" in shown or repr(top["multiclass_brier"]) in shown
    together = printed(*common, "--reduce", "class-wise")
    assert "All classes together: multi-class Brier score 0.1341 (sum over the classes)" in together
    assert "class-wise Brier" in together
    pairs = howsure.pairs_from_classes([row["true"] for row in rows], [row["probs"] for row in rows])
    page = calibration_report(howsure.calibration_curves(pairs), title="SNLI")
    assert all(text in page for text in ("top-label Brier", "multi-class Brier", "0.0653", "0.1341"))


SCORE_PARTS_NAMES = ("score", "calibration", "refinement", "within_bin")
SPHERICAL = ProperLoss("spherical", lambda q: -q / np.hypot(q, 1 - q), lambda q: -(1 - q) / np.hypot(q, 1 - q))


def spherical(prediction: float, label: int) -> float:
    return -(prediction if label else 1 - prediction) / math.hypot(prediction, 1 - prediction)


def moderate(small: Small) -> Small:
    """Without predictions so near 0 or 1, but not there, that the logarithm of a bin's mean has no digits left."""
    q = [value if value in (0.0, 1.0) else min(max(value, 1e-300), 0.999) for value in small.q]
    return Small(small.y, q, small.w, small.clusters, small.bin_size)


def bins_of(small: Small) -> reference.Bins:
    return reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)


@given(small_pairs())
def test_brier_parts_are_the_loops_and_add_up(small: Small) -> None:
    split = brier_parts(bin_pairs(pairs_of(small), bin_size=small.bin_size))
    expected = parts(bins_of(small), brier)
    assert [getattr(split, name) for name in SCORE_PARTS_NAMES] == pytest.approx(expected, abs=1e-12)
    assert split.calibration + split.refinement + split.within_bin == pytest.approx(split.score, abs=1e-12)
    assert split.infinite_rows == 0


@given(small_pairs().map(moderate))
def test_log_parts_are_the_loops(small: Small) -> None:
    split = log_parts(bin_pairs(pairs_of(small), bin_size=small.bin_size))
    infinite = sum(log(q, y) == math.inf for q, y in zip(small.q, small.y, strict=True))
    assert split.infinite_rows == infinite
    if infinite:
        assert split.score == math.inf
        return
    expected = parts(bins_of(small), log)
    assert [getattr(split, name) for name in SCORE_PARTS_NAMES] == pytest.approx(expected, abs=1e-12, rel=1e-10)
    assert split.calibration + split.refinement + split.within_bin == pytest.approx(split.score, rel=1e-12)


@given(small_pairs())
def test_any_proper_score_is_split(small: Small) -> None:
    split = decompose_score(small.y, small.q, score=SPHERICAL, bin_size=small.bin_size, sample_weight=small.w)
    assert [getattr(split, name) for name in SCORE_PARTS_NAMES] == pytest.approx(
        parts(bins_of(small), spherical), abs=1e-12
    )


@given(small_pairs())
def test_calibration_is_never_negative(small: Small) -> None:
    for score in (BRIER, LOG, SPHERICAL):
        calibration = decompose_score(small.y, small.q, score=score, bin_size=small.bin_size).calibration
        assert calibration >= -1e-12


@given(st.floats(0.001, 0.999), st.floats(0.0, 1.0))
def test_a_proper_score_is_least_at_the_frequency(frequency: float, prediction: float) -> None:
    at = np.array([frequency])
    for loss in (BRIER, LOG, SPHERICAL):
        assert loss.expected(at, at)[0] <= loss.expected(np.array([prediction]), at)[0] + 1e-12


def test_by_name_by_object_and_in_the_curve_it_is_the_same() -> None:
    rng = np.random.default_rng(16)
    q = rng.random(200)
    y, w = (rng.random(200) < q).astype(int), rng.exponential(size=200)
    for name, loss in (("brier", BRIER), ("log", LOG)):
        by_name, by_object = (decompose_score(y, q, score=score, sample_weight=w) for score in (name, loss))
        assert by_name == by_object
    custom = decompose_score(y, q, score=ProperLoss("mine", BRIER.if_true, BRIER.if_false), sample_weight=w)
    named = decompose_score(y, q, sample_weight=w)
    assert [getattr(custom, part) for part in SCORE_PARTS_NAMES] == pytest.approx(
        [getattr(named, part) for part in SCORE_PARTS_NAMES], abs=1e-12
    )


def test_brier_parts_add_up_of_whole_cells() -> None:
    y, q = language_pairs(200_000, np.random.default_rng(17))
    for size in (20, 200, 5_000):
        parts = brier_parts(bin_pairs(Pairs(y, q), bin_size=size))
        assert parts.score == pytest.approx(float(np.mean((q - y) ** 2)), abs=1e-12)
        assert parts.calibration + parts.refinement + parts.within_bin == pytest.approx(parts.score, abs=1e-12)


def test_infinite_values_are_null_in_json() -> None:
    parts = decompose_score([1, 0, 1], [0.0, 0.5, 0.5], score="log", bin_size=1)
    assert parts.infinite_rows == 1
    saved = parts.to_dict()
    assert (saved["score"], saved["calibration"], saved["within_bin"]) == (None, None, None)
    assert saved["refinement"] == pytest.approx(2 / 3 * math.log(2))


@given(st.lists(st.floats(0.0, 1e300), max_size=30), st.randoms())
def test_sums_are_exact_and_the_same_in_any_order(values: list[float], random: Any) -> None:
    total = _sum_in_any_order(np.array(values))
    assert total == pytest.approx(math.fsum(values), rel=1e-15)
    random.shuffle(values)
    assert _sum_in_any_order(np.array(values)) == total


def test_sums_of_many_losses_are_exact() -> None:
    losses = -np.log(np.random.default_rng(5).random(200_000) * 1e-9)
    assert _sum_in_any_order(losses) == pytest.approx(math.fsum(losses), rel=1e-15)
    assert _sum_in_any_order(np.array([1e-300, 0.0])) == 1e-300
    assert _sum_in_any_order(np.empty(0)) == 0.0
