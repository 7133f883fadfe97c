"""Bin size by cross-validation and local regression: against literal loops, polyfit and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.curve_choice import BINS, ISOTONIC, LOCAL, cross_validate_curve, local_regression
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Pairs


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
        parabola = np.polyfit(q[near] - point.probability, y[near], 2, w=np.sqrt(kernel))
        if point.low > 0.0 and point.high < 1.0:
            assert (point.low + point.high) / 2 == pytest.approx(parabola[2], abs=1e-6)


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


@pytest.mark.long
def test_the_chosen_bin_size_is_nearly_the_best_for_the_true_curve() -> None:
    """And the intervals of local regression cover the truth at 90 % of the points or more."""
    ratios, covered = [], []
    for seed in range(12):
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


def test_bad_input() -> None:
    y, q = sample(30, 6)
    with pytest.raises(InputError, match="folds must be at most the number of clusters, 3; it is 10"):
        cross_validate_curve(Pairs(y.astype(np.uint8), q, clusters=np.arange(30) % 3))
    with pytest.raises(InputError, match="folds must be at most the number of pairs, 30; it is 31"):
        cross_validate_curve(y, q, folds=31)
    for span in (0.0, 1.5, -1.0):
        with pytest.raises(InputError, match="span must be greater than 0 and at most 1"):
            local_regression(y, q, span=span)
