"""Curves without bins: isotonic regression, its bands and coverage, against loops."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from sklearn.isotonic import IsotonicRegression
from tests.calibration.samples import Small, small_pairs

from benchmarks.corp_coverage import WORLDS, World, covered, smooth_covered
from benchmarks.parity_calibration import TIED_SETS, tied
from howsure import calibration_curve
from howsure.calibration import isotonic as module
from howsure.calibration.corp import CorpCurve, fit_corp, kind
from howsure.calibration.decomposition import rows_of_steps
from howsure.calibration.isotonic import cluster_sharing, consistency, isotonic_steps, isotonic_values, ordered
from howsure.calibration.slots import sum_by_slot
from howsure.inputs.pairs import Floats, Pairs


def isotonic(q: Floats, y: Floats, w: Floats) -> Floats:
    """The curve at each row: the largest over lower ends of the smallest mean over upper ends (max-min formula)."""
    values = np.unique(q)
    mean = np.zeros((len(values), len(values)))
    for i in range(len(values)):
        for j in range(i, len(values)):
            inside = (q >= values[i]) & (q <= values[j])
            mean[i, j] = np.average(y[inside], weights=w[inside])
    curve = [max(mean[i, k:].min() for i in range(k + 1)) for k in range(len(values))]
    return np.array(curve)[np.searchsorted(values, q)]


def miscalibration(q: Floats, y: Floats, w: Floats) -> float:
    """Of the Brier score: what the curve saves."""
    return float(np.average((q - y) ** 2 - (isotonic(q, y, w) - y) ** 2, weights=w))


def every_labelling(q: Floats, w: Floats) -> tuple[Floats, Floats, Floats]:
    """All 2ⁿ labellings of a calibrated model: the probability of each, its curve at each row, its miscalibration."""
    labels = [np.array(labelling, dtype=float) for labelling in product([0, 1], repeat=len(q))]
    chance = np.array([np.where(y == 1, q, 1 - q).prod() for y in labels])
    curves = np.stack([isotonic(q, y, w) for y in labels])
    return chance, curves, np.array([miscalibration(q, y, w) for y in labels])


EXACT = 1e-10


@given(small_pairs(max_size=9))
def test_it_matches_the_definition(small: Small) -> None:
    w = np.ones(len(small)) if small.w is None else np.array(small.w)
    if not (w > 0).all():
        w = np.ones(len(small))
    pairs = Pairs(np.array(small.y, dtype=np.uint8), np.array(small.q), w)
    rows = ordered(pairs)
    starts = isotonic_steps(rows)
    frequency = rows.by(starts, rows.weight * rows.y) / rows.by(starts, rows.weight)
    assert (np.diff(frequency) > 0).all()
    expected = isotonic(rows.q, rows.y.astype(float), rows.w)
    np.testing.assert_allclose(frequency[rows_of_steps(starts, len(rows.q))], expected, atol=1e-9)


@pytest.mark.parametrize("seed", TIED_SETS[:8])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_matches_scikit_learn(seed: int, weighted: bool) -> None:
    y, q, w = tied(seed)
    weights = w if weighted else None
    steps = calibration_curve(y, q, sample_weight=weights, method="corp", n_simulations=39, rng=0).steps
    expected = IsotonicRegression(y_min=0, y_max=1).fit(q, y, sample_weight=weights).predict(q)
    frequency = steps.frequency[np.searchsorted(steps.upper[:-1], q)]
    np.testing.assert_allclose(frequency, expected, atol=EXACT)
    assert steps.count.sum() == len(q)
    assert (steps.lower <= steps.mean_prob).all()
    assert (steps.mean_prob <= steps.upper).all()
    assert (steps.upper[:-1] < steps.lower[1:]).all()
    assert (steps.low <= steps.frequency).all()
    assert (steps.frequency <= steps.high).all()


OVERCONFIDENT = World("overconfident", n=3_000)


def drawn(world: World, seed: int = 0) -> Pairs:
    return world.pairs(np.random.default_rng(seed))


def test_the_order_of_the_rows_changes_nothing() -> None:
    for world in (World(n=500, ties=0.05, weighted=True), World(n=500, size=5, weighted=True)):
        pairs = drawn(world)
        order = np.random.default_rng(1).permutation(len(pairs))
        renamed = np.random.default_rng(2).permutation(500)
        clusters = None if pairs.clusters is None else renamed[pairs.clusters[order]]
        shuffled = Pairs(pairs.labels[order], pairs.probabilities[order], pairs.weights[order], clusters=clusters)
        assert fit_corp(pairs, rng=3).to_dict() == fit_corp(shuffled, rng=3).to_dict()


def test_a_stream_of_ties_is_the_same_curve() -> None:
    pairs = drawn(World("overconfident", n=5_000, ties=0.01))
    whole, streamed = fit_corp(pairs, rng=0), fit_corp(sum_by_slot(pairs), rng=0)
    np.testing.assert_allclose(streamed.steps.frequency, whole.steps.frequency, atol=1e-12)
    np.testing.assert_array_equal(streamed.steps.count, whole.steps.count)
    for score in ("brier", "log_loss"):
        for part in ("score", "miscalibration", "discrimination", "uncertainty"):
            streamed_part, other = (getattr(getattr(curve, score), part) for curve in (streamed, whole))
            assert (streamed_part.value, streamed_part.low, streamed_part.high) == pytest.approx(
                (other.value, other.low, other.high), abs=1e-9
            )
    np.testing.assert_array_equal(streamed.histogram, whole.histogram)
    assert (whole.recipe["exact"], streamed.recipe["exact"]) == (True, False)
    assert streamed.notes[-1] == "predictions that differ by less than about 2 parts in 10,000 count as equal"
    assert np.abs(np.interp(whole.band.at, streamed.band.at, streamed.band.low) - whole.band.low).mean() < 0.02


def test_very_many_pairs_in_memory_are_added_up_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = drawn(OVERCONFIDENT)
    exact = fit_corp(pairs, rng=0)
    monkeypatch.setattr(module, "EXACT_UP_TO", 1_000)
    assert not ordered(pairs).exact
    near = fit_corp(pairs, rng=0)
    assert near.brier.score.value == pytest.approx(exact.brier.score.value, abs=1e-12)
    assert near.brier.miscalibration.value == pytest.approx(exact.brier.miscalibration.value, abs=5e-4)
    assert near.p_value == exact.p_value == pytest.approx(1 / 101)


def test_a_weight_is_a_number_of_copies() -> None:
    rng = np.random.default_rng(2)
    q = rng.random(200).round(2)
    y, times = rng.random(200) < q, rng.integers(1, 4, 200)
    weighted = calibration_curve(y, q, sample_weight=times, method="corp", rng=0)
    copied = calibration_curve(np.repeat(y, times), np.repeat(q, times), method="corp", rng=0)
    np.testing.assert_allclose(weighted.steps.frequency, copied.steps.frequency, atol=1e-12)
    np.testing.assert_allclose(weighted.steps.weight, copied.steps.count)
    for part in ("score", "miscalibration", "discrimination", "uncertainty"):
        weighted_score, other = (getattr(curve.brier, part).value for curve in (weighted, copied))
        assert weighted_score == pytest.approx(other, abs=1e-12)
    scaled = calibration_curve(y, q, sample_weight=times * 7.5, method="corp", rng=0)
    np.testing.assert_allclose(scaled.band.low, weighted.band.low, atol=1e-12)
    np.testing.assert_allclose(scaled.histogram, 7.5 * weighted.histogram)


def test_pairs_of_weight_0_are_counted_and_left_out() -> None:
    y, q = [0, 1, 1, 0, 1], [0.1, 0.5, 0.9, 0.3, 0.2]
    curve = calibration_curve(y, q, sample_weight=[1, 1, 1, 1, 0], method="corp", rng=0)
    assert curve.n == 4
    assert "1 pair of weight 0 is ignored" in curve.notes


@pytest.mark.parametrize(
    ("world", "verdict"),
    [
        (World(n=2_000), "none detected"),
        (OVERCONFIDENT, "over- and underconfident"),
        (World("sharp", n=2_000), "overconfident"),
    ],
)
def test_the_verdict(world: World, verdict: str) -> None:
    curve = fit_corp(drawn(world), rng=0)
    assert kind(curve) == verdict
    assert curve.verdict() in repr(curve)
    assert curve.verdict().startswith("no miscalibration" if verdict == "none detected" else "overconfident for ")
    expected = curve.by_chance
    assert expected.low is not None
    assert (curve.brier.miscalibration.value > expected.high) == (verdict != "none detected")


def test_little_and_extreme_data_give_a_curve_and_notes() -> None:
    alone = calibration_curve([1], [0.3], method="corp", rng=0)
    assert alone.brier.score.low is None
    assert alone.notes == (
        "every label is 1, so discrimination carries no information",
        "the scores and their parts have no intervals: label 0 has 0 pairs, and intervals need 20 pairs of equal "
        "weight of each label; label more",
        "every prediction is the same, so the curve is one point",
    )
    certain = calibration_curve([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], method="corp", rng=0)
    assert certain.brier.miscalibration.value == 0.0
    assert certain.p_value == 1.0
    assert (certain.band.below, certain.band.above) == (0.0, 0.0)
    clustered = calibration_curve([0, 1, 1], [0.2, 0.7, 0.6], clusters=[0, 0, 1], method="corp", rng=0)
    assert clustered.notes[-1].startswith("there are 2 clusters")


def test_the_band_is_kept_at_some_places_of_many() -> None:
    curve = fit_corp(drawn(World("extreme", n=3_000)), rng=0)
    assert len(curve.band) <= 200
    assert (np.diff(curve.band.at) > 0).all()
    assert np.diff(curve.band.at).max() < 0.1  # also where predictions are rare


def test_one_seed_is_one_curve() -> None:
    pairs = drawn(World(n=300))
    curves = [fit_corp(pairs, rng=seed) for seed in (4, 4, 5)]
    assert curves[0].to_dict() == curves[1].to_dict()
    assert curves[0].band.low.tolist() != curves[2].band.low.tolist()
    assert isinstance(curves[0], CorpCurve)


LEVEL, TIMES = 0.9, 10_000
ERROR = 0.017  # more than five standard errors of a simulated tail


def pairs_of(seed: int, *, weighted: bool, tied: bool) -> Pairs:
    rng = np.random.default_rng(seed)
    q = np.sort(rng.choice([0.1, 0.35, 0.6, 0.9], 8) if tied else rng.random(8))
    w = rng.choice([0.5, 1.0, 2.0], 8) if weighted else None
    return Pairs((rng.random(8) < 0.5).astype(np.uint8), q, w)


@pytest.mark.long
@pytest.mark.parametrize(("weighted", "tied"), [(False, False), (True, True)])
def test_the_band_and_p_match_all_labellings(weighted: bool, tied: bool) -> None:
    pairs = pairs_of(3, weighted=weighted, tied=tied)
    rows = ordered(pairs)
    band = consistency(rows, n_simulations=TIMES, level=LEVEL, rng=np.random.default_rng(0))
    chance, curves, miscalibrated = every_labelling(rows.q, rows.w)
    tail = (1 - LEVEL) / 2
    for place, (low, high) in enumerate(zip(band.low, band.high, strict=True)):
        at = curves[:, rows.starts[place]]
        assert chance[at < low - 1e-9].sum() <= tail + ERROR
        assert chance[at <= low + 1e-9].sum() >= tail - ERROR
        assert chance[at > high + 1e-9].sum() <= tail + ERROR
        assert chance[at >= high - 1e-9].sum() >= tail - ERROR
    observed = miscalibration(rows.q, rows.y.astype(float), rows.w)
    assert band.miscalibration == pytest.approx(observed, abs=1e-12)
    assert band.p_value == pytest.approx(chance[miscalibrated >= observed - 1e-9].sum(), abs=ERROR)


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
    assert cluster_sharing(rows, rows.clusters) == pytest.approx(np.sqrt(above / below), abs=1e-10)


def test_clusters_that_do_not_hang_together_change_nothing_but_the_draw() -> None:
    q = np.full(600, 0.5)
    y = np.tile([0, 1], 300).astype(np.uint8)  # of two in a cluster one is right: less than independent
    rows = ordered(Pairs(y, q, clusters=np.arange(600) // 2))
    assert rows.clusters is not None
    assert cluster_sharing(rows, rows.clusters) == 0.0
    everything = ordered(Pairs(np.repeat([0, 1], 300).astype(np.uint8), q, clusters=np.repeat([0, 1], 300)))
    assert everything.clusters is not None
    assert cluster_sharing(everything, everything.clusters) == pytest.approx(1.0)


def test_simulated_curves_are_isotonic_regressions() -> None:
    values = isotonic_values(np.array([0.4, 0.2, 0.9]), np.array([1.0, 3.0, 1.0]))
    np.testing.assert_allclose(values, [0.25, 0.25, 0.9])


RUNS = 400
AWAY = 0.015  # of .95, for the consistency band


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_bands_and_intervals_hold(name: str) -> None:
    world = WORLDS[name]
    rates = covered(world, RUNS, seed=1)
    noise = 2.5 * math.sqrt(0.95 * 0.05 / RUNS)
    if world.shape in ("calibrated", "extreme"):
        assert rates["rejected"] <= 0.05 + noise
        assert rates["consistency"] >= 0.95 - AWAY
        assert rates["consistency"] <= 0.95 + (AWAY if world.narrow else 0.03)
    assert rates["confidence"] >= 0.93
    parts = {f"{score} {part}" for score in ("brier", "log_loss") for part in ("miscalibration", "discrimination")}
    if world.ties:  # predictions of 0 and 1 leave the log loss without an interval of its miscalibration
        parts.remove("log_loss miscalibration")
        assert "log_loss miscalibration" not in rates
    for part in parts:
        assert rates[part] >= 0.92 - noise, part


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_interval_of_the_smooth_ece_holds(name: str) -> None:
    _, coverage, _, _ = smooth_covered(WORLDS[name], RUNS, seed=1)
    assert coverage >= 0.94 - 2.5 * math.sqrt(0.94 * 0.06 / RUNS)


@pytest.mark.long
def test_they_hold_in_a_few_runs() -> None:
    rates = covered(World(n=200), 12)
    assert rates["consistency"] > 0.9
    assert rates["confidence"] > 0.88
    assert rates["rejected"] < 0.2
