"""The curve without bins: from memory and from a stream, with weights, and what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corp_coverage import World
from howsure import InputError, calibration_curve
from howsure.calibration import isotonic as module
from howsure.calibration.corp import CorpCurve, corp_of, kind
from howsure.calibration.isotonic import ordered
from howsure.calibration.slots import slots_of
from howsure.inputs.pairs import Pairs

OVERCONFIDENT = World("overconfident", n=3_000)


def drawn(world: World, seed: int = 0) -> Pairs:
    return world.pairs(np.random.default_rng(seed))


def test_the_order_of_the_rows_changes_nothing() -> None:
    for world in (World(n=500, ties=0.05, weighted=True), World(n=500, size=5, weighted=True)):
        pairs = drawn(world)
        order = np.random.default_rng(1).permutation(len(pairs))
        assert pairs.weights is not None
        renamed = np.random.default_rng(2).permutation(500)
        clusters = None if pairs.clusters is None else renamed[pairs.clusters[order]]
        shuffled = Pairs(pairs.labels[order], pairs.probabilities[order], pairs.weights[order], clusters=clusters)
        assert corp_of(pairs, rng=3).to_dict() == corp_of(shuffled, rng=3).to_dict()


def test_a_stream_of_ties_is_the_same_curve() -> None:
    pairs = drawn(World("overconfident", n=5_000, ties=0.01))
    whole, streamed = corp_of(pairs, rng=0), corp_of(slots_of(pairs), rng=0)
    np.testing.assert_allclose(streamed.steps.frequency, whole.steps.frequency, atol=1e-12)
    np.testing.assert_array_equal(streamed.steps.count, whole.steps.count)
    for score in ("brier", "log_loss"):
        for part in ("score", "miscalibration", "discrimination", "uncertainty"):
            one, other = (getattr(getattr(curve, score), part) for curve in (streamed, whole))
            assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-9)
    np.testing.assert_array_equal(streamed.histogram, whole.histogram)
    assert (whole.recipe["exact"], streamed.recipe["exact"]) == (True, False)
    assert streamed.notes[-1] == "predictions that differ by less than about 2 parts in 10,000 count as equal"
    assert np.abs(np.interp(whole.band.at, streamed.band.at, streamed.band.low) - whole.band.low).mean() < 0.02


def test_very_many_pairs_in_memory_are_added_up_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = drawn(OVERCONFIDENT)
    exact = corp_of(pairs, rng=0)
    monkeypatch.setattr(module, "EXACT_UP_TO", 1_000)
    assert not ordered(pairs).exact
    near = corp_of(pairs, rng=0)
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
        one, other = (getattr(curve.brier, part).value for curve in (weighted, copied))
        assert one == pytest.approx(other, abs=1e-12)
    scaled = calibration_curve(y, q, sample_weight=times * 7.5, method="corp", rng=0)
    np.testing.assert_allclose(scaled.band.low, weighted.band.low, atol=1e-12)
    np.testing.assert_allclose(scaled.histogram, 7.5 * weighted.histogram)


def test_pairs_of_weight_0_are_counted_and_left_out() -> None:
    y, q = [0, 1, 1, 0, 1], [0.1, 0.5, 0.9, 0.3, 0.2]
    curve = calibration_curve(y, q, sample_weight=[1, 1, 1, 1, 0], method="corp", rng=0)
    assert curve.n == 4
    assert "1 pair of weight 0 is ignored" in curve.notes


@pytest.mark.parametrize(
    ("world", "wanted"),
    [
        (World(n=2_000), "none detected"),
        (OVERCONFIDENT, "over- and underconfident"),
        (World("sharp", n=2_000), "overconfident"),
    ],
)
def test_the_verdict(world: World, wanted: str) -> None:
    curve = corp_of(drawn(world), rng=0)
    assert kind(curve) == wanted
    assert curve.verdict() in repr(curve)
    assert curve.verdict().startswith("no miscalibration" if wanted == "none detected" else "overconfident for ")
    expected = curve.by_chance
    assert expected.low is not None
    assert expected.high is not None
    assert (curve.brier.miscalibration.value > expected.high) == (wanted != "none detected")


def test_little_and_extreme_data_give_a_curve_and_notes() -> None:
    alone = calibration_curve([1], [0.3], method="corp", rng=0)
    assert alone.brier.score.low is None
    assert alone.notes == (
        "every label is 1: discrimination carries no information",
        "the scores and their parts have no intervals: label 0 has 0 pairs, and intervals rest on 20 pairs of equal "
        "weight of each label; label more",
        "every prediction is the same: the curve is one point",
    )
    certain = calibration_curve([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], method="corp", rng=0)
    assert certain.brier.miscalibration.value == 0.0
    assert certain.p_value == 1.0
    assert (certain.band.below, certain.band.above) == (0.0, 0.0)
    clustered = calibration_curve([0, 1, 1], [0.2, 0.7, 0.6], clusters=[0, 0, 1], method="corp", rng=0)
    assert clustered.notes[-1].startswith("there are 2 clusters")


def test_the_band_is_kept_at_some_places_of_many() -> None:
    curve = corp_of(drawn(World("extreme", n=3_000)), rng=0)
    assert len(curve.band) <= 200
    assert (np.diff(curve.band.at) > 0).all()
    assert np.diff(curve.band.at).max() < 0.1  # also where predictions are rare


def test_one_seed_is_one_curve() -> None:
    pairs = drawn(World(n=300))
    curves = [corp_of(pairs, rng=seed) for seed in (4, 4, 5)]
    assert curves[0].to_dict() == curves[1].to_dict()
    assert curves[0].band.low.tolist() != curves[2].band.low.tolist()
    assert isinstance(curves[0], CorpCurve)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "isotonic"}, "method must be one of 'bins', 'corp', not 'isotonic'"),
        ({"method": "corp", "bin_size": 50}, "bin_size belongs to method='bins': a curve without bins has none"),
        ({"method": "corp", "n_bins": 5}, "n_bins belongs to method='bins'"),
        ({"method": "corp", "binning": "uniform"}, "binning belongs to method='bins'"),
        ({"method": "corp", "interval": "none"}, "interval belongs to method='bins'"),
        ({"n_simulations": 50}, "n_simulations belongs to method='corp': bins are not simulated"),
        ({"method": "corp", "n_simulations": 20}, "n_simulations must be at least 39 for a band of level 0.95"),
        ({"method": "corp", "n_simulations": 100, "level": 0.99}, "n_simulations must be at least 199 for a band"),
        ({"method": "corp", "n_simulations": 2.5}, "n_simulations must be a whole number from 1 to 100000"),
        ({"method": "corp", "level": 95}, "level must lie strictly between 0 and 1"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as told:
        calibration_curve([0, 1], [0.2, 0.8], **options)  # type: ignore[call-overload]
    assert said in str(told.value)
