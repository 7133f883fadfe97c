"""The band of a calibrated model: by enumeration of all labellings, and its sampling of clusters by definition."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corp_coverage import World
from howsure.calibration import isotonic as module
from howsure.calibration.isotonic import consistency, isotonic_values, ordered, shared
from howsure.inputs.pairs import Pairs
from tests.calibration.corp.brute import every_labelling, miscalibration

LEVEL, TIMES = 0.9, 10_000
ERROR = 0.017  # more than five standard errors of a simulated tail


def pairs_of(seed: int, *, weighted: bool, tied: bool) -> Pairs:
    rng = np.random.default_rng(seed)
    q = np.sort(rng.choice([0.1, 0.35, 0.6, 0.9], 8) if tied else rng.random(8))
    w = rng.choice([0.5, 1.0, 2.0], 8) if weighted else None
    return Pairs((rng.random(8) < 0.5).astype(np.uint8), q, w)


@pytest.mark.parametrize(("weighted", "tied"), [(False, False), (True, True)])
def test_the_band_and_p_are_those_of_all_labellings(weighted: bool, tied: bool) -> None:
    pairs = pairs_of(3, weighted=weighted, tied=tied)
    rows = ordered(pairs)
    found = consistency(rows, n_simulations=TIMES, level=LEVEL, rng=np.random.default_rng(0))
    chance, curves, miscalibrated = every_labelling(rows.q, rows.w)
    tail = (1 - LEVEL) / 2
    for place, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        at = curves[:, rows.starts[place]]
        assert chance[at < low - 1e-9].sum() <= tail + ERROR
        assert chance[at <= low + 1e-9].sum() >= tail - ERROR
        assert chance[at > high + 1e-9].sum() <= tail + ERROR
        assert chance[at >= high - 1e-9].sum() >= tail - ERROR
    observed = miscalibration(rows.q, rows.y.astype(float), rows.w)
    assert found.miscalibration == pytest.approx(observed, abs=1e-12)
    assert found.p_value == pytest.approx(chance[miscalibrated >= observed - 1e-9].sum(), abs=ERROR)


def test_labels_drawn_by_cell_have_the_law_of_labels_drawn_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    pairs = Pairs((rng.random(4_000) < 0.5).astype(np.uint8), rng.random(4_000).round(2), rng.choice([1.0, 3.0], 4_000))
    by_row = consistency(ordered(pairs), n_simulations=400, level=0.95, rng=np.random.default_rng(1))
    monkeypatch.setattr(module, "BY_ROW_UP_TO", 10)
    by_cell = consistency(ordered(pairs), n_simulations=400, level=0.95, rng=np.random.default_rng(2))
    assert np.abs(by_row.low - by_cell.low).mean() < 0.012
    assert np.abs(by_row.high - by_cell.high).mean() < 0.012
    assert by_row.simulated.mean() == pytest.approx(by_cell.simulated.mean(), rel=0.06)


def test_cells_of_neighbours_change_the_band_little(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    pairs = ordered(Pairs((rng.random(3_000) < 0.5).astype(np.uint8), rng.random(3_000)))
    fine = consistency(pairs, n_simulations=300, level=0.95, rng=np.random.default_rng(1))
    monkeypatch.setattr(module, "CELLS", 400)
    coarse = consistency(pairs, n_simulations=300, level=0.95, rng=np.random.default_rng(1))
    assert len(coarse.at) <= 400 < len(fine.at)
    for end in ("low", "high"):
        interpolated = np.interp(coarse.at, fine.at, getattr(fine, end))
        assert np.abs(getattr(coarse, end) - interpolated).max() < 0.04
    assert coarse.miscalibration == pytest.approx(fine.miscalibration, abs=2e-3)


def test_labels_of_a_cluster_hang_together_as_they_do_in_the_data() -> None:
    world = World(n=300, size=5, correlation=0.6, weighted=True)
    pairs = world.pairs(np.random.default_rng(7))
    rows = ordered(pairs)
    assert rows.clusters is not None
    above = below = 0.0
    for i in range(len(rows.q)):
        for j in range(len(rows.q)):
            if i != j and rows.clusters[i] == rows.clusters[j]:
                (a, b), w = rows.q[[i, j]], rows.w[i] * rows.w[j]
                above += w * (rows.y[i] - a) * (rows.y[j] - b)
                below += w * (min(a, b) - a * b)
    assert shared(rows, rows.clusters) == pytest.approx(np.sqrt(above / below), abs=1e-10)


def test_clusters_that_do_not_hang_together_change_nothing_but_the_draw() -> None:
    q = np.full(600, 0.5)
    y = np.tile([0, 1], 300).astype(np.uint8)  # of two in a cluster one is right: less than independent
    rows = ordered(Pairs(y, q, clusters=np.arange(600) // 2))
    assert rows.clusters is not None
    assert shared(rows, rows.clusters) == 0.0
    everything = ordered(Pairs(np.repeat([0, 1], 300).astype(np.uint8), q, clusters=np.repeat([0, 1], 300)))
    assert everything.clusters is not None
    assert shared(everything, everything.clusters) == pytest.approx(1.0)


def test_simulated_curves_are_isotonic_regressions() -> None:
    values = isotonic_values(np.array([0.4, 0.2, 0.9]), np.array([1.0, 3.0, 1.0]))
    np.testing.assert_allclose(values, [0.25, 0.25, 0.9])
