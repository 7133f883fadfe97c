"""Bin size by cross-validation and local regression: against literal loops, polyfit and simulated truth."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from howsure.calibration.curve_choice import BINS, ISOTONIC, LOCAL, cross_validate_curve, local_regression
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.proportions import wilson_interval


def sample(n: int, seed: int, power: float = 1.5) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    q = rng.beta(0.5, 0.5, n)
    return (rng.random(n) < q**power).astype(np.float64), q


def literal_bins(q: list[float], y: list[float], w: list[float], size: int) -> list[tuple[float, float]]:
    """(largest prediction, weighted frequency) of bins of `size` distinct predictions; the rest joins the last."""
    rows = sorted(zip(q, y, w, strict=True))
    n_bins = max(len(rows) // size, 1)
    bins = [rows[size * i : size * (i + 1) if i < n_bins - 1 else len(rows)] for i in range(n_bins)]
    return [(b[-1][0], sum(y * w for _, y, w in b) / sum(w for _, _, w in b)) for b in bins]


@pytest.mark.parametrize("clustered", [False, True])
def test_the_loss_of_bins_against_literal_loops(clustered: bool) -> None:
    y, q = sample(60, 1)
    w = np.random.default_rng(2).integers(1, 4, 60).astype(np.float64)
    clusters = np.arange(60) // 3 if clustered else None
    choice = cross_validate_curve(y, q, folds=4, sample_weight=w, clusters=clusters, rng=7)
    units = np.arange(60) if clusters is None else clusters
    parts = (np.random.default_rng(7).permutation(units.max() + 1) % 4)[units]
    for row in choice:
        if row.method != BINS:
            continue
        total = 0.0
        for fold in range(4):
            train, held_out = parts != fold, parts == fold
            size = max(round(row.setting * train.sum() / 60), 1)
            bins = literal_bins(q[train].tolist(), y[train].tolist(), w[train].tolist(), size)
            for q_i, y_i, w_i in zip(q[held_out], y[held_out], w[held_out], strict=True):
                frequency = next((f for end, f in bins if q_i <= end), bins[-1][1])
                total += w_i * (y_i - frequency) ** 2
        assert row.loss == pytest.approx(total / w.sum())
    losses = {row: row.loss for row in choice}
    assert choice.best == min(losses, key=losses.__getitem__)
    assert choice.bin_size == min((row for row in choice if row.method == BINS), key=losses.__getitem__).setting
    assert choice.span == min((row for row in choice if row.method == LOCAL), key=losses.__getitem__).setting
    assert [row.method for row in choice].count(ISOTONIC) == 1
    assert choice.best.difference == 0.0
    assert choice.best.standard_error == 0.0


@pytest.mark.parametrize("span", [0.1, 0.5, 1.0])
def test_a_local_line_is_a_weighted_fit(span: float) -> None:
    y, q = sample(200, 3)
    for point in list(local_regression(y, q, span=span))[::20]:
        distances = np.abs(q - point.probability)
        width = np.sort(distances)[round(span * 200) - 1]
        near = distances <= width
        kernel = (1 - (distances[near] / width / (1 + 1e-9)) ** 3) ** 3
        line = np.polyfit(q[near] - point.probability, y[near], 1, w=np.sqrt(kernel))
        assert point.frequency == pytest.approx(min(max(line[1], 0.0), 1.0), abs=1e-8)
        sizes, lows, highs = [], [], []
        for degree in (1, 2):
            powers = np.vander(q[near] - point.probability, degree + 1, increasing=True)
            weights = np.linalg.lstsq(np.sqrt(kernel)[:, None] * powers, np.diag(np.sqrt(kernel)), rcond=None)[0][0]
            sizes.append(1 / float(weights @ weights))
            value = np.array(min(max(float(weights @ y[near]), 0.0), 1.0))
            low, high = wilson_interval(value, np.array(sizes[-1]))
            lows.append(float(low))
            highs.append(float(high))
        assert point.effective == pytest.approx(min(sizes), rel=1e-6)
        if point.effective >= 4.0:
            assert (point.low, point.high) == pytest.approx((min(lows), max(highs)), abs=1e-6)
        else:
            assert point.low is None


def test_equal_predictions_get_their_frequency() -> None:
    curve = local_regression([0, 1, 1, 1], [0.5] * 4, span=0.5)
    assert [point.frequency for point in curve] == pytest.approx([0.75])


def test_weights_count_as_repeated_pairs() -> None:
    y, q = sample(150, 4)
    doubled = local_regression(np.tile(y, 2), np.tile(q, 2), span=0.3, clusters=np.tile(np.arange(150), 2))
    weighted = local_regression(y, q, span=0.3, sample_weight=np.full(150, 2.0))
    at = {point.probability: point for point in doubled}
    common = [point for point in weighted if point.probability in at]
    assert len(common) > 20
    for point in common:
        again = at[point.probability]
        assert (point.frequency, point.low) == pytest.approx((again.frequency, again.low), abs=0.02)


def test_labels_that_never_vary_leave_uncertainty() -> None:
    q = np.random.default_rng(0).random(200)
    for point in local_regression(np.ones(200), q, span=0.2):
        assert point.frequency == pytest.approx(1.0)
        assert point.low < 0.9
        assert point.high == 1.0
    halves = local_regression([1] * 20 + [0] * 20, [0.5] * 20 + [1.0] * 20, span=0.5)
    ends = [(round(point.low, 3), round(point.high, 3)) for point in halves]
    assert ends == [(0.839, 1.0), (0.0, 0.161)]  # Wilson's intervals for 20 of 20 and 0 of 20


def test_small_windows_and_few_clusters_give_no_interval() -> None:
    y, q = sample(200, 8)
    for options in ({"span": 0.001}, {"span": 0.2, "clusters": np.zeros(200)}, {"clusters": np.arange(200) % 3}):
        curve = local_regression(y, q, **options)
        assert {(point.low, point.high) for point in curve} == {(None, None)}
        assert all(0.0 <= point.frequency <= 1.0 for point in curve)
        assert "No interval at 100 of 100 points: fewer than 4 effective pairs or clusters" in str(curve)


def test_clusters_never_narrow_an_interval() -> None:
    y, q = sample(400, 9)
    with_clusters = local_regression(y, q, span=0.3, clusters=np.arange(400) // 4)
    for point, alone in zip(with_clusters, local_regression(y, q, span=0.3), strict=True):
        assert point.frequency == alone.frequency
        assert point.effective <= alone.effective
        assert point.low is None or point.high - point.low >= alone.high - alone.low - 1e-9


REGIMES = {  # largest prediction, pairs, span, pairs in a cluster
    "small predictions": (0.05, 300, 0.2, 1),
    "few pairs": (1.0, 60, None, 1),
    "many pairs": (1.0, 1_000, 0.2, 1),
    "clusters": (1.0, 1_000, 0.2, 10),
    "rare labels": (0.01, 1_000, 0.2, 1),
    "rare labels in clusters": (0.05, 1_000, 0.2, 10),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "regime", [pytest.param(r, marks=[] if r == "rare labels in clusters" else [pytest.mark.slow]) for r in REGIMES]
)
def test_intervals_cover_calibrated_frequencies(regime: str) -> None:
    """At least 93% of the points. Half of the labels of a cluster are drawn with the same random number."""
    largest, n, span, in_cluster = REGIMES[regime]
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(60):
        q, clusters = largest * rng.random(n), np.arange(n) // in_cluster
        shared = rng.random(n)[clusters]
        y = (np.where(rng.random(n) < 0.5, shared, rng.random(n)) < q).astype(np.float64)
        curve = local_regression(y, q, span=span, clusters=clusters if in_cluster > 1 else None)
        points = [point for point in curve if point.low is not None]
        assert all(point.low <= point.frequency <= point.high for point in points)
        covered += [point.low <= point.probability <= point.high for point in points]
    assert np.mean(covered) >= 0.93


@pytest.mark.long
def test_the_chosen_bin_size_is_nearly_the_best_for_the_true_curve() -> None:
    """And the intervals of local regression cover the truth at 90 % of the points or more."""
    ratios, covered = [], []
    for seed in range(6):
        y, q = sample(2_000, seed)
        choice = cross_validate_curve(y, q)
        sizes = [int(row.setting) for row in choice if row.method == BINS]
        distances = {size: distance_of_bins(y, q, size) for size in sizes}
        ratios.append(distances[choice.bin_size] / min(distances.values()))
        curve = local_regression(y, q, span=choice.span)
        covered.append(np.mean([point.low <= point.probability**1.5 <= point.high for point in curve]))
    assert np.mean(ratios) < 1.4
    assert np.mean(covered) > 0.88


def distance_of_bins(y: Floats, q: Floats, size: int) -> float:
    """The root mean squared distance of the curve of bins from the true one."""
    bins = literal_bins(q.tolist(), y.tolist(), [1.0] * len(q), size)
    ends, frequency = (np.array(column) for column in zip(*bins, strict=True))
    return float(np.sqrt(((frequency[np.searchsorted(ends[:-1], q)] - q**1.5) ** 2).mean()))


def test_the_seed_decides() -> None:
    y, q = sample(300, 5)
    losses = [[row.loss for row in cross_validate_curve(y, q, rng=seed)] for seed in (0, 0, 1)]
    assert losses[0] == losses[1] != losses[2]


@pytest.mark.parametrize("n", [2, 3, 8])
def test_few_pairs_have_fewer_folds(n: int) -> None:
    y, q = sample(n, 10)
    choice = cross_validate_curve(y, q)
    assert choice.recipe["folds"] == n
    assert choice.best.loss == min(row.loss for row in choice)


def test_tiny_predictions_are_equal() -> None:
    y, q = sample(200, 11)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice = cross_validate_curve(y, q * 1e-310)
    assert all(row.loss == pytest.approx(choice.rows[0].loss) for row in choice)


def test_bad_input() -> None:
    y, q = sample(30, 6)
    with pytest.raises(InputError, match="folds must be at most the number of clusters, 3; it is 10"):
        cross_validate_curve(Pairs(y.astype(np.uint8), q, clusters=np.arange(30) % 3), folds=10)
    with pytest.raises(InputError, match="cross-validation needs at least 2 clusters; there is 1"):
        cross_validate_curve(y, q, clusters=np.zeros(30))
    with pytest.raises(InputError, match="there is only 1 cluster, so no span can be chosen"):
        local_regression(y, q, clusters=np.zeros(30))
    with pytest.raises(InputError, match="folds must be at most the number of pairs, 30; it is 31"):
        cross_validate_curve(y, q, folds=31)
    for span in (0.0, 1.5, -1.0):
        with pytest.raises(InputError, match="must be greater than 0 and at most 1"):
            local_regression(y, q, span=span)
