"""The smooth ECE: by quadrature of its definition, as relplot finds it, and what must hold of it."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.corp_coverage import World
from benchmarks.parity_calibration import AWAY_FROM_ENDS, BANDWIDTHS
from howsure import calibration_curve
from howsure.calibration.isotonic import fixed_point, on_grid, ordered, smooth_ece, smoothed_errors
from howsure.inputs.pairs import Floats, Pairs

ANSWERS = json.loads((Path(__file__).parents[1] / "parity.json").read_text(encoding="utf-8"))["relplot"]


def by_definition(q: Floats, masses: Floats, bandwidth: float) -> float:
    """∫ |Σ mass K(t, q)| dt with the Gaussian kernel reflected at 0 and 1, by the trapezoidal rule."""
    t = np.linspace(0, 1, 4_001)
    images = [sign * q + 2 * shift for shift in range(-2, 3) for sign in (1, -1)]
    kernel = sum(np.exp(-(((t[:, None] - image) / bandwidth) ** 2) / 2) for image in images)
    curve = np.abs(kernel @ masses) / (bandwidth * np.sqrt(2 * np.pi))
    return float(np.trapezoid(curve, t))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, w = rng.random(40) ** 2, rng.random(40)
    q[:3] = 0.0, 1.0, 1.0
    y = rng.random(40) < 0.2 + 0.5 * q
    masses = w * (y - q) / w.sum()
    for bandwidth in (0.03, 0.1, 0.6):
        found = float(smoothed_errors(on_grid(q, masses), bandwidth))
        assert found == pytest.approx(by_definition(q, masses, bandwidth), abs=2e-5)
    value = fixed_point(on_grid(q, masses))
    assert by_definition(q, masses, value) == pytest.approx(value, abs=2e-5)
    assert calibration_curve(y, q, sample_weight=w, method="corp", rng=0).smooth_ece.value == pytest.approx(value)


@pytest.mark.parametrize("name", AWAY_FROM_ENDS)
def test_it_is_that_of_relplot(name: str) -> None:
    """relplot halves ten times for its bandwidth, and rounds predictions to its grid; near 0 and 1 it loses some."""
    y, q, _ = AWAY_FROM_ENDS[name]()
    masses = on_grid(q, (y - q) / len(q))
    for bandwidth in BANDWIDTHS:
        assert float(smoothed_errors(masses, bandwidth)) == pytest.approx(ANSWERS[name][str(bandwidth)], abs=5e-5)
    assert fixed_point(masses) == pytest.approx(ANSWERS[name]["smooth"], abs=2**-10)


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
    assert copies.high is not None
    assert copies.high - copies.value == pytest.approx((alone.high or 0) - alone.value, rel=0.15)
    assert smooth_ece(ordered(Pairs(y[:1], q[:1])), level=0.95, rng=rng).low is None
    together = Pairs(y, q, clusters=np.zeros(300, dtype=np.int64))
    assert smooth_ece(ordered(together), level=0.95, rng=rng).high is None
