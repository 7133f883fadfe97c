"""Scores decomposed without bins, and the smooth error."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.calibration.test_corp import miscalibration

from benchmarks.corp_coverage import World
from benchmarks.parity_calibration import AWAY_FROM_ENDS, BANDWIDTHS, TIED_SETS, tied
from howsure import calibration_curve
from howsure.calibration.isotonic import fixed_point, on_grid, ordered, smooth_ece, smoothed_errors
from howsure.inputs.pairs import Floats, Pairs

DIAGNOSTICS = json.loads((Path(__file__).parent / "parity.json").read_text(encoding="utf-8"))["model-diagnostics"]
EXACT = 1e-10
PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


@pytest.mark.parametrize("seed", TIED_SETS[:8])
@pytest.mark.parametrize("weighting", ["plain", "weighted"])
def test_the_parts_match_model_diagnostics(seed: int, weighting: str) -> None:
    y, q, w = tied(seed)
    weights = w if weighting == "weighted" else None
    curve = calibration_curve(y, q, sample_weight=weights, method="corp", n_simulations=39, rng=0)
    for score, parts in (("brier", curve.brier), ("log", curve.log_loss)):
        answer = DIAGNOSTICS[f"tied {seed}/{score}/{weighting}"]
        for part in PARTS:
            assert getattr(parts, part).value == pytest.approx(answer[part], abs=EXACT), (score, part)


def test_the_parts_add_up_and_the_intervals_hold_their_order() -> None:
    rng = np.random.default_rng(1)
    q = rng.random(80)
    curve = calibration_curve(rng.random(80) < q**1.5, q, clusters=np.arange(80) // 4, method="corp", rng=0)
    assert curve.brier.miscalibration.value == pytest.approx(miscalibration(q, *_labels(1, q)), abs=EXACT)
    for parts in (curve.brier, curve.log_loss):
        score, miscalibrated, discriminated, uncertain = (getattr(parts, part) for part in PARTS)
        assert score.value == pytest.approx(miscalibrated.value - discriminated.value + uncertain.value, abs=1e-12)
        assert all(
            0 <= statistic.low <= statistic.high for statistic in (score, miscalibrated, discriminated, uncertain)
        )
        assert score.low < score.value < score.high
        assert miscalibrated.high - miscalibrated.low > 0


def _labels(seed: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rng.random(len(q))
    return (rng.random(len(q)) < q**1.5).astype(float), np.ones(len(q))


def test_clusters_of_copies_count_once() -> None:
    """Four copies of each pair, as clusters, have the intervals of single pairs but for the degrees of freedom, and for
    the upper end where the curve gains by fitting, by an amount that clusters leave open."""
    rng = np.random.default_rng(2)
    q = rng.random(300)
    y = rng.random(300) < q
    alone = calibration_curve(y, q, method="corp", rng=0)
    copies = calibration_curve(np.repeat(y, 4), np.repeat(q, 4), clusters=np.arange(1200) // 4, method="corp", rng=0)
    naive = calibration_curve(np.repeat(y, 4), np.repeat(q, 4), method="corp", rng=0)
    for part in PARTS:
        single, four, wrong = (getattr(curve.brier, part) for curve in (alone, copies, naive))
        assert single.value == pytest.approx(four.value, abs=1e-12)
        close = 0.2 if part == "miscalibration" else 0.05  # a step of few pairs does not know its variance
        if part in ("score", "uncertainty"):
            assert four.high - four.low == pytest.approx(single.high - single.low, rel=close)
        else:
            assert four.low == pytest.approx(single.low, abs=close * (single.high - single.low))
            assert 1.05 < (four.high - four.low) / (single.high - single.low) < 2.0
        assert part == "miscalibration" or wrong.high - wrong.low < 0.75 * (single.high - single.low)


def test_a_wrong_certainty_makes_the_log_loss_infinite_and_says_so() -> None:
    curve = calibration_curve([1, 0, 1, 0] + [0, 1] * 20, [0.0, 0.2, 0.8, 0.9] + [0.3, 0.7] * 20, method="corp", rng=0)
    assert math.isinf(curve.log_loss.score.value)
    assert math.isinf(curve.log_loss.miscalibration.value)
    assert curve.log_loss.miscalibration.low is None
    assert curve.log_loss.discrimination.low is not None
    assert curve.log_loss.infinite_rows == 1
    assert str(curve.log_loss).startswith("infinite (1 prediction of exactly 0 or 1 is wrong)")
    assert curve.to_dict()["log_loss"]["score"]["value"] is None


def test_a_right_certainty_leaves_no_interval_of_the_log_loss() -> None:
    """The next prediction of 0 may be wrong, and then the loss is infinite; the Brier score is bounded."""
    labels, probs = [0, 0, 1, 1] + [0, 1] * 20, [0.0, 0.2, 0.8, 0.9] + [0.3, 0.7] * 20
    curve = calibration_curve(labels, probs, method="corp", rng=0)
    assert math.isfinite(curve.log_loss.score.value)
    assert curve.log_loss.score.low is None
    assert curve.log_loss.miscalibration.low is None
    assert curve.log_loss.discrimination.low is not None
    assert curve.brier.score.low is not None
    assert any(note.startswith("1 prediction is exactly 0 or 1") for note in curve.notes)


@pytest.mark.parametrize(("label", "q"), [(1, 0.9), (0, 0.1)])
def test_one_label_alone_has_no_interval(label: int, q: float) -> None:
    """A calibrated model whose label of probability .1 has not come yet: its miscalibration may be 0."""
    curve = calibration_curve(np.full(30, label), np.full(30, q), method="corp", rng=0)
    for parts in (curve.brier, curve.log_loss):
        assert all(getattr(parts, part).low is None and getattr(parts, part).high is None for part in PARTS)
    note = f"the scores and their parts have no intervals: label {1 - label} has 0 pairs, and intervals need 20 pairs"
    assert any(line.startswith(note) for line in curve.notes)


@pytest.mark.parametrize(
    ("rare", "clustered", "weighted", "has_interval"),
    [
        (19, False, False, False),
        (20, False, False, True),
        (20, True, False, False),
        (100, True, False, True),
        (100, False, True, False),
    ],
)
def test_an_interval_needs_twenty_of_each_label(rare: int, clustered: bool, weighted: bool, has_interval: bool) -> None:
    """In clusters of 5; with weights, that of one pair of the rarer label exceeds all others together."""
    y, q = (np.arange(1000) < rare).astype(int), np.linspace(0.02, 0.3, 1000)
    weights = np.where(np.arange(1000) == 0, 1000.0, 1.0) if weighted else None
    clusters = np.arange(1000) // 5 if clustered else None
    curve = calibration_curve(y, q, clusters=clusters, sample_weight=weights, method="corp", n_simulations=39, rng=0)
    assert (curve.brier.miscalibration.low is not None) == has_interval


def test_the_interval_of_the_uncertainty_ends_at_its_maximum() -> None:
    curve = calibration_curve(np.arange(60) % 2, np.arange(60) % 2 * 0.4 + 0.3, method="corp", rng=0)
    assert curve.brier.uncertainty.high == pytest.approx(0.25, abs=1e-15)
    assert curve.log_loss.uncertainty.high == pytest.approx(math.log(2), abs=1e-15)


RELPLOT = json.loads((Path(__file__).parent / "parity.json").read_text(encoding="utf-8"))["relplot"]


def by_definition(q: Floats, masses: Floats, bandwidth: float) -> float:
    """∫ |Σ mass K(t, q)| dt with the Gaussian kernel reflected at 0 and 1, by the trapezoidal rule."""
    t = np.linspace(0, 1, 4_001)
    images = [sign * q + 2 * shift for shift in range(-2, 3) for sign in (1, -1)]
    kernel = sum(np.exp(-(((t[:, None] - image) / bandwidth) ** 2) / 2) for image in images)
    curve = np.abs(kernel @ masses) / (bandwidth * np.sqrt(2 * np.pi))
    return float(np.trapezoid(curve, t))


@pytest.mark.parametrize("seed", range(4))
def test_it_matches_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, w = rng.random(40) ** 2, rng.random(40)
    q[:3] = 0.0, 1.0, 1.0
    y = rng.random(40) < 0.2 + 0.5 * q
    masses = w * (y - q) / w.sum()
    for bandwidth in (0.03, 0.1, 0.6):
        smoothed = float(smoothed_errors(on_grid(q, masses), bandwidth))
        assert smoothed == pytest.approx(by_definition(q, masses, bandwidth), abs=2e-5)
    value = fixed_point(on_grid(q, masses))
    assert by_definition(q, masses, value) == pytest.approx(value, abs=2e-5)
    assert calibration_curve(y, q, sample_weight=w, method="corp", rng=0).smooth_ece.value == pytest.approx(value)


@pytest.mark.parametrize("name", AWAY_FROM_ENDS)
def test_it_matches_relplot(name: str) -> None:
    """relplot halves ten times for its bandwidth, and rounds predictions to its grid; near 0 and 1 it loses some."""
    y, q, _ = AWAY_FROM_ENDS[name]()
    masses = on_grid(q, (y - q) / len(q))
    for bandwidth in BANDWIDTHS:
        assert float(smoothed_errors(masses, bandwidth)) == pytest.approx(RELPLOT[name][str(bandwidth)], abs=5e-5)
    assert fixed_point(masses) == pytest.approx(RELPLOT[name]["smooth"], abs=2**-10)


def test_it_falls_with_the_bandwidth_and_is_zero_without_error() -> None:
    pairs = World("overconfident", n=300).pairs(np.random.default_rng(1))
    masses = on_grid(pairs.probabilities, (pairs.labels - pairs.probabilities) / 300)
    errors = [float(smoothed_errors(masses, bandwidth)) for bandwidth in np.geomspace(0.002, 1, 20)]
    assert all(later <= sooner + 1e-12 for sooner, later in pairwise(errors))
    certain = calibration_curve([0, 1, 1], [0.0, 1.0, 1.0], method="corp", rng=0).smooth_ece
    assert (certain.value, certain.low, certain.high) == (0.0, 0.0, 0.0)


def test_the_interval_knows_clusters_and_single_pairs() -> None:
    rng = np.random.default_rng(2)
    q = rng.random(300)
    y = (rng.random(300) < q).astype(np.uint8)
    alone = smooth_ece(ordered(Pairs(y, q)), level=0.95, rng=np.random.default_rng(0))
    four = Pairs(np.repeat(y, 4), np.repeat(q, 4), clusters=np.arange(1200) // 4)
    copies = smooth_ece(ordered(four), level=0.95, rng=np.random.default_rng(0))
    assert copies.value == pytest.approx(alone.value)
    assert copies.high - copies.value == pytest.approx((alone.high or 0) - alone.value, rel=0.15)
    assert smooth_ece(ordered(Pairs(y[:1], q[:1])), level=0.95, rng=rng).low is None
    together = Pairs(y, q, clusters=np.zeros(300, dtype=np.int64))
    assert smooth_ece(ordered(together), level=0.95, rng=rng).high is None
