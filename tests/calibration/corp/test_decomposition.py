"""Scores in parts: as model-diagnostics splits them, exact sums, and intervals that follow from the losses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.parity_calibration import TIED_SETS, tied
from howsure import calibration_curve
from tests.calibration.corp.brute import miscalibration

ANSWERS = json.loads((Path(__file__).parents[1] / "parity.json").read_text(encoding="utf-8"))["model-diagnostics"]
EXACT = 1e-10
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


@pytest.mark.parametrize("seed", TIED_SETS[:8])
@pytest.mark.parametrize("weighting", ["plain", "weighted"])
def test_the_parts_are_those_of_model_diagnostics(seed: int, weighting: str) -> None:
    y, q, w = tied(seed)
    weights = w if weighting == "weighted" else None
    curve = calibration_curve(y, q, sample_weight=weights, method="corp", n_simulations=39, rng=0)
    for score, found in (("brier", curve.brier), ("log", curve.log_loss)):
        answer = ANSWERS[f"tied {seed}/{score}/{weighting}"]
        for part in PARTS:
            assert getattr(found, part).value == pytest.approx(answer[part], abs=EXACT), (score, part)


def test_the_parts_add_up_and_the_intervals_hold_their_order() -> None:
    rng = np.random.default_rng(1)
    q = rng.random(80)
    curve = calibration_curve(rng.random(80) < q**1.5, q, clusters=np.arange(80) // 4, method="corp", rng=0)
    assert curve.brier.miscalibration.value == pytest.approx(miscalibration(q, *_labels(1, q)), abs=EXACT)
    for found in (curve.brier, curve.log_loss):
        score, miscalibrated, discriminated, uncertain = (getattr(found, part) for part in PARTS)
        assert score.value == pytest.approx(miscalibrated.value - discriminated.value + uncertain.value, abs=1e-12)
        assert all(0 <= one.low <= one.high for one in (score, miscalibrated, discriminated, uncertain))
        assert score.low < score.value < score.high
        assert miscalibrated.high - miscalibrated.low > 0


def _labels(seed: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rng.random(len(q))
    return (rng.random(len(q)) < q**1.5).astype(float), np.ones(len(q))


def test_clusters_of_copies_count_once() -> None:
    """Four copies of each pair, as clusters, have the intervals of single pairs but for the degrees of freedom, and for
    the upper end where the curve gains by fitting, of which clusters leave open how much."""
    rng = np.random.default_rng(2)
    q = rng.random(300)
    y = rng.random(300) < q
    alone = calibration_curve(y, q, method="corp", rng=0)
    copies = calibration_curve(np.repeat(y, 4), np.repeat(q, 4), clusters=np.arange(1200) // 4, method="corp", rng=0)
    naive = calibration_curve(np.repeat(y, 4), np.repeat(q, 4), method="corp", rng=0)
    for part in PARTS:
        one, four, wrong = (getattr(curve.brier, part) for curve in (alone, copies, naive))
        assert one.value == pytest.approx(four.value, abs=1e-12)
        close = 0.2 if part == "miscalibration" else 0.05  # a step of few pairs does not know its variance
        if part in ("score", "uncertainty"):
            assert four.high - four.low == pytest.approx(one.high - one.low, rel=close)
        else:
            assert four.low == pytest.approx(one.low, abs=close * (one.high - one.low))
            assert 1.05 < (four.high - four.low) / (one.high - one.low) < 2.0
        assert part == "miscalibration" or wrong.high - wrong.low < 0.75 * (one.high - one.low)


def test_a_wrong_certainty_makes_the_log_loss_infinite_and_says_so() -> None:
    curve = calibration_curve([1, 0, 1, 0] + [0, 1] * 20, [0.0, 0.2, 0.8, 0.9] + [0.3, 0.7] * 20, method="corp", rng=0)
    assert math.isinf(curve.log_loss.score.value)
    assert math.isinf(curve.log_loss.miscalibration.value)
    assert curve.log_loss.miscalibration.low is None
    assert curve.log_loss.discrimination.low is not None
    assert curve.log_loss.infinite_rows == 1
    assert str(curve.log_loss).startswith("infinite (1 prediction of exactly 0 or 1 is wrong)")
    assert curve.to_dict()["log_loss"]["score"]["value"] is None


@pytest.mark.parametrize(("label", "q"), [(1, 0.9), (0, 0.1)])
def test_one_label_alone_has_no_interval(label: int, q: float) -> None:
    """A calibrated model whose label of probability .1 has not come yet: its miscalibration may be 0."""
    curve = calibration_curve(np.full(30, label), np.full(30, q), method="corp", rng=0)
    for found in (curve.brier, curve.log_loss):
        assert all(getattr(found, part).low is None and getattr(found, part).high is None for part in PARTS)
    note = (
        f"the scores and their parts have no intervals: label {1 - label} has 0 pairs, and intervals rest on 20 pairs"
    )
    assert any(one.startswith(note) for one in curve.notes)


@pytest.mark.parametrize(
    ("rare", "clustered", "weighted", "known"),
    [
        (19, False, False, False),
        (20, False, False, True),
        (20, True, False, False),
        (100, True, False, True),
        (100, False, True, False),
    ],
)
def test_an_interval_rests_on_twenty_of_each_label(rare: int, clustered: bool, weighted: bool, known: bool) -> None:
    """In clusters of 5; with weights, that of one pair of the rarer label exceeds all others together."""
    y, q = (np.arange(1000) < rare).astype(int), np.linspace(0.02, 0.3, 1000)
    weights = np.where(np.arange(1000) == 0, 1000.0, 1.0) if weighted else None
    clusters = np.arange(1000) // 5 if clustered else None
    curve = calibration_curve(y, q, clusters=clusters, sample_weight=weights, method="corp", n_simulations=39, rng=0)
    assert (curve.brier.miscalibration.low is not None) == known


def test_the_interval_of_the_uncertainty_ends_at_its_maximum() -> None:
    curve = calibration_curve(np.arange(60) % 2, np.arange(60) % 2 * 0.4 + 0.3, method="corp", rng=0)
    assert curve.brier.uncertainty.high == pytest.approx(0.25, abs=1e-15)
    assert curve.log_loss.uncertainty.high == pytest.approx(math.log(2), abs=1e-15)
