"""Intervals over training and test data: their coverage, and the verdicts that follow."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from howsure.result import Estimate
from howsure_papers import sizes
from howsure_papers.intervals import (
    clustered_mean,
    jackknife_estimate,
    mean_estimate,
    over_halves,
    over_training,
    p_value,
    random_subsamples,
    verdict,
)
from howsure_papers.sizes import ORDERS, PARTS, PartErrors, findings_of_parts, judge_parts, parts_table, reproduce_sizes


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, "normal", 100)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_the_interval_covers_over_training_and_test_data(share: float) -> None:
    """A "model" that learns a mean of 200 values and is judged by the mean distance to 300 others: truth 1."""
    rng = np.random.default_rng(0)
    covered, runs = 0, 800
    for _ in range(runs):
        train, test = rng.normal(size=200), rng.normal(1.0, 1.0, 300)
        whole = mean_estimate(test - train.mean())
        parts = random_subsamples(200, share=share, rng=rng)
        interval = over_training(whole, [float(np.mean(test - train[rows].mean())) for rows in parts], share=share)
        covered += interval.low <= 1.0 <= interval.high
    assert 0.93 <= covered / runs <= 0.985  # five subsamples: conservative by Satterthwaite's degrees of freedom


def test_the_same_model_every_time_adds_nothing() -> None:
    assert str(over_training(estimate(0.3, 0.2, 0.4), [0.3] * 5)) == "0.3000 [0.2000, 0.4000]"
    assert over_training(estimate(0.1, 0.0, 0.2), [0.1, 0.3], least=0.0).low == 0.0


def test_subsamples_are_rows_of_the_whole() -> None:
    parts = random_subsamples(40, times=3, share=0.8, rng=1)
    assert [len(set(rows.tolist()) & set(range(40))) for rows in parts] == [32] * 3
    assert len({tuple(rows) for rows in parts}) == 3


@pytest.mark.parametrize(
    ("low", "high", "above", "expected"),
    [(0.1, 0.2, 0.0, True), (-0.2, -0.1, 0.0, False), (-0.1, 0.1, 0.0, None), (0.1, 0.2, 0.15, None)],
)
def test_verdicts(low: float, high: float, above: float, expected: bool | None) -> None:
    assert verdict(estimate((low + high) / 2, low, high), above=above) is expected


def test_one_subsample_is_refused() -> None:
    with pytest.raises(InputError, match="two subsamples"):
        over_training(estimate(0.3, 0.2, 0.4), [0.3])


def test_undefined_values_have_no_interval() -> None:
    undefined = over_training(estimate(0.3, 0.2, 0.4), [0.3, float("nan")])
    assert (undefined.low, undefined.high) == (None, None)
    assert verdict(undefined) is None
    assert over_training(Estimate(0.3, None, None, 0.95, "debiased", 9), [0.3, 0.2]).low is None
    assert str(mean_estimate(np.array([1.0]))) == "–"


def test_p_is_that_of_the_interval() -> None:
    assert p_value(Estimate(1.0, -0.96, 2.96, 0.95, "jackknife", 9)) == pytest.approx(0.3173, abs=1e-4)
    assert p_value(Estimate(0.0, 0.0, 0.0, 0.95, "jackknife", 9)) == 1.0
    assert p_value(Estimate(-0.1, -0.1, -0.1, 0.95, "jackknife", 9)) == 0.0
    assert math.isnan(p_value(Estimate(math.nan, None, None, 0.95, "jackknife", 9)))


def test_unknown_values_have_no_interval() -> None:
    assert jackknife_estimate(1.0, np.array([1.0, math.nan]), n=2).low is None


def test_halves_of_both_data_cover() -> None:
    """A mean over training and test rows: its interval from half of each holds the truth in about 95 % of samples."""
    rng = np.random.default_rng(2)
    covering = 0
    for _ in range(400):
        train, test = rng.normal(size=100), rng.normal(size=100)
        halves = [rng.permutation(train)[:50].mean() + rng.permutation(test)[:50].mean() for _ in range(5)]
        estimate = over_halves(train.mean() + test.mean(), halves)
        covering += estimate.low <= 0 <= estimate.high
    assert 360 <= covering <= 396


def test_the_mean_of_clusters_covers() -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(80), 5)
    covering = 0
    for _ in range(400):
        values = np.repeat(rng.normal(size=80), 5) + rng.normal(size=400)
        estimate = clustered_mean(values, clusters)
        covering += estimate.low <= 0 <= estimate.high
    assert 365 <= covering <= 395


# Errors on parts of simulated test data, whose calibration is known.


SENTENCES, WORDS = 400, 400


def simulated(unit: str, *, moved: float) -> PartErrors:
    """Predictions that are too small by `moved`, the clusters documents or sentences."""
    rng = np.random.default_rng(3)
    p = rng.random(SENTENCES * WORDS) * (1 - moved)
    labels = (rng.random(len(p)) < p + moved).astype(np.uint8)
    steps: list[int] = []
    errors = judge_parts(
        Pairs(labels, p, clusters=np.repeat(np.arange(SENTENCES), WORDS)), "made up", unit, seed=0, advance=steps.append
    )
    assert sum(steps) == len(PARTS)
    return errors


@pytest.mark.long
def test_parts_have_the_error_of_all_in_as_many_bins() -> None:
    errors = simulated("documents", moved=0.2)
    assert [len(errors.errors[parts]) for parts in PARTS] == [1, *(ORDERS * parts for parts in PARTS[1:])]
    assert [errors.mean(parts) for parts in PARTS] == pytest.approx([0.2] * 4, abs=0.005)
    assert errors.exponent == pytest.approx(-0.5, abs=0.1)
    assert errors.theirs(-0.5) == pytest.approx(errors.width(1) * np.sqrt(SENTENCES / 404))
    assert [row[2] for row in rows_of(parts_table([errors]))] == ["400", "200", "100", "50"]
    assert findings_of_parts(errors)[-1].holds is False


@pytest.mark.long
def test_whether_an_error_could_be_shown_to_be_small() -> None:
    assert findings_of_parts(simulated("documents", moved=0.0))[-1].holds


@pytest.mark.slow
def test_a_slice(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "ORDERS", 1)
    steps: list[int] = []
    result = reproduce_sizes(data=str(real_data), limit=8, advance=steps.append)
    assert sum(steps) == reproduce_sizes.steps()
    check_whole(result)
    assert len(rows_of(result.tables[0])) == 4 * len(PARTS)
