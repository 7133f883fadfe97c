"""The multicalibration error: the largest of all groups by brute force, and how often its interval holds the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from howsure import Pairs, multicalibration_error
from howsure.calibration.multicalibration import estimate_multicalibration
from howsure.inputs.pairs import Floats

REGIMES = ("calibrated", "one group", "everywhere", "clusters")


def drawn(regime: str, n: int, rng: np.random.Generator) -> tuple[Pairs, Floats, dict[str, Floats]]:
    """Pairs, the true probabilities, and features."""
    q, features = (
        rng.beta(2, 1, n),
        {"a": rng.integers(0, 4, n), "b": rng.standard_normal(n), "c": rng.integers(0, 2, n)},
    )
    p, clusters, u = q, None, rng.random(n)
    if regime == "one group":
        p = np.where(features["a"] == 1, np.clip(q - 0.15, 0, 1), q)
    if regime == "everywhere":
        p = q**1.5
    if regime == "clusters":
        clusters = np.arange(n) // 5
        features["a"] = features["a"][clusters]
        u = np.where(rng.random(n) < 0.4, u[clusters], u)
        p = np.where(features["a"] == 1, np.clip(q - 0.15, 0, 1), q)
    return Pairs((u < p).astype(np.uint8), q, clusters=clusters), p, features


def test_it_is_the_largest_of_all_groups() -> None:
    pairs, _, features = drawn("one group", 600, np.random.default_rng(1))
    error = multicalibration_error(pairs, features={"a": features["a"], "c": features["c"]}, min_rows=20)
    q, gaps = pairs.probabilities, pairs.probabilities - pairs.labels
    cuts = np.unique(np.round(np.sort(q)[[29, 59, 149, 299, 449, 539, 569]], 3))
    stretches = [(q > low) & (q <= high) for low, high in itertools.combinations([-1.0, *cuts, 2.0], 2)]
    values = [features[name] == value for name in "ac" for value in np.unique(features[name])]
    one_sided = [side for cut in cuts for side in (q <= cut, q > cut)]
    pairs_of = [a & b for a in values for b in one_sided if (a & b).sum() <= 0.9 * min(a.sum(), b.sum())]
    largest = max(abs(float((gaps * inside).mean())) for inside in stretches + values + pairs_of if inside.sum() >= 20)
    assert error.plugin == pytest.approx(largest)
    assert error.plugin == pytest.approx(error.share * abs(error.gap))
    assert 0 < error.error.low < error.error.value < error.plugin < error.error.high


def test_the_whole_is_a_group() -> None:
    pairs, _, features = drawn("everywhere", 4000, np.random.default_rng(2))
    error = multicalibration_error(pairs, features=features)
    assert error.group == "all rows"
    assert error.plugin == pytest.approx(abs(float((pairs.probabilities - pairs.labels).mean())))


def test_more_conditions_make_more_groups() -> None:
    pairs, _, features = drawn("one group", 2000, np.random.default_rng(3))
    single, two = (multicalibration_error(pairs, features=features, conditions=k) for k in (1, 2))
    assert two.groups > single.groups
    assert two.plugin >= single.plugin


def covered(regime: str, n: int, draws: int) -> float:
    hits = 0
    for draw in range(draws):
        rng = np.random.default_rng([draw, n])
        pairs, p, features = drawn(regime, n, rng)
        estimate = estimate_multicalibration(pairs, features)
        true = estimate_multicalibration(Pairs(p + 1e-9 * rng.standard_normal(n), pairs.probabilities), features).plugin
        hits += estimate.error.low <= true <= estimate.error.high
    return hits / draws


def test_the_interval_of_a_calibrated_model_begins_at_0() -> None:
    assert covered("calibrated", 1000, 6) == 1.0


def test_what_noise_adds_to_the_largest_is_taken_off() -> None:
    estimates = []
    for draw in range(8):
        pairs, _, features = drawn("calibrated", 1000, np.random.default_rng([draw, 7]))
        estimates.append(estimate_multicalibration(pairs, features))
    assert np.mean([estimate.error.value for estimate in estimates]) < 0.4 * np.mean(
        [estimate.plugin for estimate in estimates]
    )


@pytest.mark.slow
@pytest.mark.parametrize("regime", REGIMES)
def test_the_interval_holds_the_truth(regime: str) -> None:
    assert covered(regime, 3000, 300) >= 0.93
