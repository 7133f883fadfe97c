"""What a parameter of sizes may ask for: more is refused at once, with its cost, before anything is computed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure_pytest import fewest_runs

HUGE = 10**12
RIGHT, PROB = [1, 1, 1, 0] * 25, [0.9, 0.6, 0.7, 0.2] * 25
POSTERIOR = howsure.CorefPosterior([[1.0, 0.0], [0.5, 0.5]])

ASKS: dict[str, Callable[[], Any]] = {
    "items_total": lambda: howsure.plan_comparison(RIGHT, RIGHT[::-1], items_total=HUGE),
    "n_simulations of a plan": lambda: howsure.plan_comparison(RIGHT, RIGHT, items_total=9, n_simulations=HUGE),
    "n_simulations of a test": lambda: howsure.calibration_test(RIGHT, PROB, n_simulations=HUGE),
    "n_simulations of quantiles": lambda: howsure.quantile_calibration(RIGHT, np.ones((100, 5)), n_simulations=HUGE),
    "n_simulations of curves": lambda: howsure.calibration_curve(RIGHT, PROB, method="corp", n_simulations=HUGE),
    "n_resamples": lambda: howsure.resample_models(RIGHT, RIGHT, RIGHT[::-1], method="permutation", n_resamples=HUGE),
    "n of clusterings": lambda: POSTERIOR.sample(HUGE),
    "n of an entropy": lambda: POSTERIOR.clustering_entropy(HUGE),
    "n of a query": lambda: POSTERIOR.query(len, HUGE),
    "n of simulated pairs": lambda: howsure.simulate_pairs(HUGE, 0.3, 0.7),
    "n_bins": lambda: howsure.calibration_curve(RIGHT, PROB, n_bins=HUGE, binning="uniform"),
}


@pytest.mark.parametrize("call", ASKS)
def test_huge_sizes_are_refused(call: str) -> None:
    with pytest.raises(InputError, match=r"must be a whole number from [01] to [0-9,]+[,;] "):
        ASKS[call]()


def test_a_plan_states_what_it_would_draw() -> None:
    with pytest.raises(InputError, match=r"draw 10,000,000,000 items, .* Use n_simulations=10000 or fewer"):
        howsure.plan_comparison(RIGHT, RIGHT, items_total=100_000, n_simulations=100_000)


@pytest.mark.parametrize("role", ["groups", "model"])
def test_items_are_no_groups(role: str) -> None:
    names = [f"q{row}" for row in range(10_001)]
    with pytest.raises(InputError, match=f"{role} must have at most 10,000 different values; its 10,001 rows"):
        howsure.mean_scores([1] * 10_001, **{role: names})


def test_a_rate_near_1_needs_many_runs_which_are_named_at_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pytest\n@pytest.mark.howsure(min_rate=0.9999999)\ndef test_it():\n    pass\n")
    done = pytester.runpytest_inprocess("--strict-markers")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["howsure: max_runs must be at least 3*,*,* for min_rate=0.9999999: after fewer *"])


@pytest.mark.parametrize("least", [3, 101, 10**6 + 1, 10**15 + 7])
def test_the_fewest_runs(least: int) -> None:
    assert fewest_runs(lambda runs: runs >= least, above=2) == least


def test_highly_compressed_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"right\n" + b"1\n" * 9_000_000))
    with pytest.raises(InputError, match=r"unpacks to more than 16,777,216\. .* unpack it first"):
        howsure.mean_scores("right", data=howsure.read(path))


# Numbers that no float can hold, and scores whose sums no float can hold.

INTEGER, SCORES = 10**400, [1.7e308, 1.6e308] * 10
FIRST = [INTEGER, *RIGHT[1:]]
TOO_LARGE: dict[str, Callable[[], Any]] = {
    "y_prob": lambda: howsure.calibration_error(RIGHT, FIRST),
    "y_true": lambda: howsure.calibration_error(FIRST, PROB),
    "sample_weight": lambda: howsure.calibration_error(RIGHT, PROB, sample_weight=FIRST),
    "score": lambda: howsure.mean_scores(FIRST),
    "score with some missing": lambda: howsure.mean_scores([*FIRST, None], missing_score=0),
    "missing_score": lambda: howsure.mean_scores(RIGHT, missing_score=INTEGER),
    "bounds": lambda: howsure.mean_scores(RIGHT, bounds=(0, INTEGER)),
    "level": lambda: howsure.mean_scores(RIGHT, level=INTEGER),
    "min_score": lambda: howsure.check_score(RIGHT, min_score=INTEGER),
    "score of a check": lambda: howsure.check_score(FIRST, min_score=0.5),
    "baseline": lambda: howsure.compare_models(RIGHT, FIRST, RIGHT),
    "items_total": lambda: howsure.plan_comparison(RIGHT, RIGHT, items_total=INTEGER),
    "y_true of quantiles": lambda: howsure.quantile_calibration(FIRST, np.ones((100, 3))),
    "draws of quantiles": lambda: howsure.quantile_calibration(RIGHT, [[INTEGER, 1, 2]] * 100),
    "10**5000": lambda: howsure.mean_scores([10**5000, 1]),
    "mean": lambda: howsure.mean_scores(SCORES),
    "mean of runs": lambda: howsure.mean_scores(SCORES, id=[*range(10)] * 2, run=[0] * 10 + [1] * 10),
    "mean of both signs": lambda: howsure.mean_scores([-1.7e308, 1.7e308] * 10),
    "mean of a check": lambda: howsure.check_score(SCORES, min_score=0.5),
    "means of a plan": lambda: howsure.plan_comparison(SCORES, SCORES, items_total=100),
    "wide bounds": lambda: howsure.mean_scores(RIGHT, bounds=(-1.7e308, 1.7e308)),
}


@pytest.mark.parametrize("call", TOO_LARGE)
def test_numbers_that_are_too_large_are_refused_in_a_sentence(call: str) -> None:
    with pytest.raises(InputError, match=r"must (be|lie) ") as caught:
        TOO_LARGE[call]()
    assert len(str(caught.value)) < 400


def test_large_scores_within_the_limit_have_the_mean_and_interval_of_smaller_ones() -> None:
    small = [1.0, -1.0, 0.5, 0.0, 0.25] * 5
    (row,), (large,) = howsure.mean_scores(small), howsure.mean_scores([1e70 * score for score in small])
    scaled = [score * 1e70 for score in (row.mean.value, row.mean.low, row.mean.high) if score is not None]
    assert [large.mean.value, large.mean.low, large.mean.high] == pytest.approx(scaled, rel=1e-9)
