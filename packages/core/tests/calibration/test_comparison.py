"""Two models on the same pairs: differences against loops, their errors by really leaving rows and clusters out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom
from scipy.stats import t as student
from tests.calibration import reference

from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.comparison import compare_calibration


def models(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, an overconfident model and a better one."""
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(3)
    y = (rng.random(n) < p).astype(np.uint8)
    return y, np.where(p < 0.5, p**2, 1 - (1 - p) ** 2), p


def left_out(y: np.ndarray, q: np.ndarray, w: Any, clusters: np.ndarray, bin_size: int) -> list[float]:
    """The debiased squared error without each cluster in turn; the bins stay."""
    bins = reference.adaptive_bins(reference.rows_of(y, q, w, clusters.tolist()), bin_size)
    values = []
    for cluster in np.unique(clusters).tolist():
        value = reference.clustered_value([[row for row in rows if row.cluster != cluster] for rows in bins])
        values.append(float(value))
    return values


def reach(differences: np.ndarray, quantile: float = 1.959963984540054) -> float:
    m = len(differences)
    return quantile * math.sqrt((m - 1) / m * float(((differences - differences.mean()) ** 2).sum()))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 4], ids=["rows", "clusters"])
def test_the_difference_and_its_interval_are_the_loops(weighted: bool, size: int) -> None:
    y, a, b = models(30, 50)
    w = np.random.default_rng(51).exponential(size=30) if weighted else None
    clusters = np.arange(30) // size
    cluster_ids = None if size == 1 else clusters
    comparison = compare_calibration(y, a, against=b, bin_size=10, sample_weight=w, clusters=cluster_ids)
    bins = [reference.adaptive_bins(reference.rows_of(y, q, w, clusters.tolist()), 10) for q in (a, b)]
    values = [float(reference.clustered_value(rows)) for rows in bins]  # type: ignore[arg-type]
    difference = values[0] - values[1]
    without = np.array(left_out(y, a, w, clusters, 10)) - np.array(left_out(y, b, w, clusters, 10))
    estimate = comparison.squared_error_difference
    assert estimate.value == pytest.approx(difference, abs=1e-12)
    shares = np.bincount(clusters, w) ** 2
    quantile = (
        1.959963984540054 if cluster_ids is None else student.ppf(0.975, shares.sum() ** 2 / (shares**2).sum() - 1)
    )
    assert estimate.high == pytest.approx(difference + reach(without, quantile), abs=1e-12)
    assert estimate.low == pytest.approx(difference - reach(without, quantile), abs=1e-12)


def test_the_score_difference_is_a_paired_mean() -> None:
    """Unweighted rows: the jackknife of a mean is its standard error."""
    y, a, b = models(300, 52)
    a = np.clip(a, 0.001, 0.999)
    b = np.clip(b, 0.001, 0.999)
    comparison = compare_calibration(y, a, against=b)
    likely = [np.where(y == 1, q, 1 - q) for q in (a, b)]
    for estimate, gap in (
        (comparison.brier_difference, (a - y) ** 2 - (b - y) ** 2),
        (comparison.log_loss_difference, np.log(likely[1]) - np.log(likely[0])),
    ):
        assert estimate.value == pytest.approx(gap.mean(), abs=1e-12)
        expected = gap.mean() + 1.959963984540054 * gap.std(ddof=1) / math.sqrt(300)
        assert estimate.high == pytest.approx(expected, abs=1e-12)


def test_each_model_with_the_labels_of_its_own_answers() -> None:
    """Two models answer the same questions; whether an answer is right is a label of its own for each."""
    y, a, b = models(4000, 57)
    right = np.random.default_rng(58).random(4000) < b  # B is calibrated on its own answers
    comparison = compare_calibration(y, a, against=b, y_true_against=right)
    for error, labels, q in ((comparison.error_a, y, a), (comparison.error_b, right, b)):
        assert error.value == calibration_error(labels, q).value
    briers = np.mean((a - y) ** 2) - np.mean((b - right) ** 2)
    assert comparison.brier_difference.value == pytest.approx(briers, abs=1e-12)
    assert comparison.recipe["own_labels"]
    shared = compare_calibration(y, a, against=b, y_true_against=y)
    assert {**shared.to_dict(), "recipe": None} == {**compare_calibration(y, a, against=b).to_dict(), "recipe": None}
    swapped = compare_calibration(right, b, against=a, y_true_against=y)
    assert swapped.squared_error_difference.value == -comparison.squared_error_difference.value
    assert swapped.squared_error_difference.high == pytest.approx(-comparison.squared_error_difference.low, abs=1e-12)


def test_swapping_the_models_turns_every_sign() -> None:
    y, a, b = models(500, 53)
    forward, other = compare_calibration(y, a, against=b), compare_calibration(y, b, against=a)
    assert forward.error_a == other.error_b
    assert forward.squared_error_difference.value == -other.squared_error_difference.value
    assert forward.squared_error_difference.low == pytest.approx(-other.squared_error_difference.high, abs=1e-15)  # type: ignore[operator]
    assert forward.brier_difference.value == pytest.approx(-other.brier_difference.value, abs=1e-15)


def test_a_model_against_itself_differs_by_nothing() -> None:
    y, a, _ = models(500, 54)
    comparison = compare_calibration(y, a, against=a)
    assert (comparison.squared_error_difference.value, comparison.squared_error_difference.high) == (0.0, 0.0)
    assert comparison.brier_difference.value == 0.0


def test_errors_match_each_model_and_are_compared_only_where_clear() -> None:
    y, a, b = models(4_000, 55)
    comparison = compare_calibration(y, a, against=b)
    assert comparison.error_a == calibration_error(y, a)
    assert comparison.error_b == calibration_error(y, b)
    assert comparison.error_b.low == 0.0
    assert comparison.error_difference is None
    both = compare_calibration(y, a, against=1 - b)
    assert both.error_difference.value == pytest.approx(both.error_a.value - both.error_b.value)
    assert both.error_difference.high < 0


def test_an_infinite_loss_leaves_the_log_undefined() -> None:
    comparison = compare_calibration([0, 1, 1, 0], [0.0, 0.0, 0.9, 0.2], against=[0.1, 0.8, 0.7, 0.3], bin_size=2)
    assert math.isnan(comparison.log_loss_difference.value)
    assert comparison.to_dict()["log_loss_difference"]["value"] is None
    assert math.isfinite(comparison.brier_difference.value)
    assert len(comparison.notes) == 1
    assert "(1 of A, 0 of B), so the log loss is infinite" in comparison.notes[0]
    right = compare_calibration([0, 1, 1, 0], [0.0, 0.1, 0.9, 0.2], against=[0.1, 0.8, 0.7, 0.3], bin_size=2)
    assert math.isnan(right.log_loss_difference.value)  # one more row may be wrong
    assert right.log_loss_difference.low is None
    assert len(right.notes) == 1
    assert right.notes[0].startswith("1 prediction is exactly 0 or 1; it is right here")
    assert not compare_calibration([0, 1, 1, 0], [0.1, 0.1, 0.9, 0.2], against=[0.1, 0.8, 0.7, 0.3], bin_size=2).notes


@pytest.mark.parametrize("clustered", [False, True])
def test_shuffles_change_no_bit(clustered: bool) -> None:
    y, a, b = models(600, 56)
    clusters = np.arange(600) // 6

    def compared(order: np.ndarray) -> str:
        shuffled_clusters = clusters[order] if clustered else None
        return repr(compare_calibration(y[order], a[order], against=b[order], clusters=shuffled_clusters).to_dict())

    whole = compared(np.arange(600))
    assert {compared(np.random.default_rng(seed).permutation(600)) for seed in range(5)} == {whole}


@pytest.mark.slow
@pytest.mark.parametrize("amount", [0.0, 0.05])
def test_the_interval_of_the_difference_covers(amount: float) -> None:
    """Both models off by sine waves, B by as much or by more."""
    rng = np.random.default_rng(57)
    base = 0.1
    hits = 0
    for _ in range(1_000):
        p = rng.random(2_000)
        y = rng.random(2_000) < p
        a, b = (invert(p, value) for value in (base, base + amount))
        difference = compare_calibration(y, a, against=b, bin_size=20).squared_error_difference
        truths = [np.mean((q - p) ** 2) for q in (a, b)]
        hits += difference.low <= truths[0] - truths[1] <= difference.high
    assert hits >= 1_000 * 0.93 - 2 * math.sqrt(1_000 * 0.93 * 0.07)


def invert(p: np.ndarray, amount: float) -> np.ndarray:
    """Predictions whose truth is p: overconfident by a sine wave."""
    return np.clip(p - amount * np.sin(2 * np.pi * p), 0.0, 1.0)


def test_labels_that_never_occur_do_not_distinguish_two_models() -> None:
    """No event among 1,000: B says 0.001 and A 0.003, and up to three in a thousand agree with the data."""
    zeros, a, b = np.zeros(1_000, dtype=int), np.full(1_000, 0.003), np.full(1_000, 0.001)
    comparison = compare_calibration(zeros, a, against=b)
    most = 1 - 0.05 ** (1 / 1_000)
    for estimate in (comparison.squared_error_difference, comparison.brier_difference):
        assert estimate.value == pytest.approx(0.003**2 - 0.001**2, abs=1e-9)
        assert estimate.low == pytest.approx(estimate.value - 2 * 0.002 * most, abs=1e-9)
        assert estimate.low < 0
    log = comparison.log_loss_difference
    assert log.low < 0 < log.value


def test_one_prediction_of_exactly_0_leaves_the_difference_of_log_losses_open() -> None:
    """Its label could make the expected loss infinite, so that no finite interval is right."""
    zeros, a, b = np.zeros(200, dtype=int), np.full(200, 0.002), np.full(200, 0.001)
    whole = compare_calibration(zeros, a, against=b)
    assert whole.log_loss_difference.low < 0 < whole.log_loss_difference.value
    b[0] = 0.0
    comparison = compare_calibration(zeros, a, against=b)
    assert comparison.log_loss_difference.low is None
    assert comparison.log_loss_difference.high is None
    assert comparison.brier_difference.low < comparison.brier_difference.high


def test_one_row_that_weighs_as_much_as_all_gives_no_interval() -> None:
    y, a, b = models(200, 3)
    weight = np.where(np.arange(200) == 7, 1e80, 1.0)
    comparison = compare_calibration(y, a, against=b, sample_weight=weight)
    for estimate in (comparison.squared_error_difference, comparison.brier_difference, comparison.log_loss_difference):
        assert (estimate.low, estimate.high) == (None, None)


def test_every_binomial_law_of_events_is_covered() -> None:
    """Two constant predictions: coverage over all numbers of events, added up exactly."""
    n, events = 400, np.arange(41)
    a, b = 5 / n, 1 / n
    differences = [
        compare_calibration(np.arange(n) < k, np.full(n, a), against=np.full(n, b)).squared_error_difference
        for k in events
    ]
    low, high = np.array([(difference.low, difference.high) for difference in differences], dtype=float).T
    for happens in (0.3, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0):
        truth = (a - happens / n) ** 2 - (b - happens / n) ** 2
        covers = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
        assert binom.pmf(events, n, happens / n)[~covers].sum() <= 0.07


def test_ordinary_differences_keep_their_interval() -> None:
    """The reach for rare labels, which differs to either side, is shorter than the jackknife's, which does not."""
    y, a, b = models(2_000, 58)
    difference = compare_calibration(np.append(y, y), np.append(a, a), against=np.append(b, b)).squared_error_difference
    assert difference.high - difference.value == pytest.approx(difference.value - difference.low, abs=1e-12)


def documents(number: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Documents of very different sizes whose labels share half their luck; two models that are off by sine waves."""
    sizes = np.maximum(2, rng.lognormal(2.5, 1.0, number)).astype(int)
    clusters = np.repeat(np.arange(number), sizes)
    n = len(clusters)
    p = np.where(rng.random(n) < 0.5, rng.beta(0.5, 0.5, number)[clusters], rng.beta(0.5, 0.5, n))
    y = np.sqrt(0.5) * (rng.standard_normal(number)[clusters] + rng.standard_normal(n)) < ndtri(p)
    return y, invert(p, 0.05), np.clip(p + 0.05 * np.sin(4 * np.pi * p), 0, 1), clusters, p


def coverage_among(number: int, runs: int, seed: int) -> np.ndarray:
    rng, covered = np.random.default_rng(seed), []
    for _ in range(runs):
        y, a, b, clusters, p = documents(number, rng)
        comparison = compare_calibration(y, a, against=b, clusters=clusters)
        truth = np.mean((a - p) ** 2 - (b - p) ** 2)
        estimates = (comparison.squared_error_difference, comparison.brier_difference)
        covered.append([estimate.low <= truth <= estimate.high for estimate in estimates])  # type: ignore[operator]
    return np.mean(covered, axis=0)


@pytest.mark.long
def test_few_documents_cover_and_are_reported() -> None:
    y, a, b, clusters, _ = documents(10, np.random.default_rng(59))
    comparison = compare_calibration(y, a, against=b, clusters=clusters)
    assert comparison.notes[0].startswith(
        "there are 10 clusters of unequal size, equivalent to 4.1 equal ones: with fewer than 40"
    )
    assert comparison.notes[0] in repr(comparison)
    assert comparison.to_dict()["notes"] == [comparison.notes[0]]
    assert not compare_calibration(y, a, against=b).notes
    assert (coverage_among(8, 40, 60) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 40)).all()


@pytest.mark.slow
@pytest.mark.parametrize("number", [5, 10, 30, 100])
def test_differences_cover_from_five_documents_on(number: int) -> None:
    assert (coverage_among(number, 1_000, 61) >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / 1_000)).all()
