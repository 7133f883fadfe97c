"""What the functions of the chapter refuse: contradictions, numbers that are none, and rows that are not the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from howsure import (
    InputError,
    Pairs,
    calibration_curve,
    calibration_error,
    calibration_table,
    calibration_test,
    compare_calibration,
    posterior_quantiles,
    score_parts,
    simulate_pairs,
)
from howsure.calibration.comparison import compare_pairs

Y, Q = [0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3]
HOW = {"bin_size": "auto", "n_bins": None, "binning": "adaptive", "level": 0.95}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: calibration_curve(Y, Q, bin_size=2, n_bins=2), "give n_bins or bin_size, not both; they are 2 and 2"),
        (lambda: calibration_curve(Y, Q, bin_size=2, binning="uniform"), "bins of equal width have no bin_size"),
        (lambda: calibration_curve(Y, Q, bin_size=float("inf")), "bin_size must be a whole number of at least 1"),
        (lambda: calibration_curve(Y, Q, bin_size=None), "bin_size must be a whole number of at least 1, not None"),
        (lambda: calibration_curve(Y, Q, n_bins="x"), "n_bins must be a whole number of at least 1, not 'x'"),
        (lambda: calibration_curve(Y, Q, n_bins=float("inf")), "n_bins must be a whole number of at least 1, not inf"),
        (lambda: calibration_test(Y, Q, n_simulations="a"), "n_simulations must be a whole number"),
        (lambda: calibration_test(Y, Q, n_simulations=1.5), "n_simulations must be a whole number"),
        (lambda: posterior_quantiles(np.ones(3), np.ones((3, 4)), n_bins="a"), "n_bins must be a whole number from 2"),
        (lambda: simulate_pairs("5", 1, 1), "n must be a whole number of at least 0, not '5'"),
        (lambda: simulate_pairs(float("nan"), 1, 1), "n must be a whole number of at least 0, not nan"),
        (lambda: simulate_pairs(5, None, 1), "a, a parameter of the Beta distribution, must be positive"),
        (lambda: simulate_pairs(5, 1, 1, transform=None), "transform must be 'identity' or a number from 0 to 0.5"),
        (lambda: compare_calibration(Y, [0.1, 0.2, 1.3, 0.4], against=Q), "y_prob must lie in"),
        (lambda: compare_calibration(Y, Q, against=[0.1, 0.2, 1.3, 0.4]), "against must lie in"),
        (
            lambda: calibration_table(Y, Q, groups=["a", "a", "b", "b"], sample_weight=[0, 0, 1, 1]),
            "every weight of the group 'a' is 0",
        ),
    ],
)
def test_it_is_said_what_is_wrong(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("name", ["weights", "clusters"])
def test_models_with_other_weights_or_clusters_are_not_compared(name: str) -> None:
    y, q = np.array(Y, dtype=np.uint8), np.array(Q)
    one, other = np.array([1, 1, 2, 2]), np.array([1, 2, 2, 2])
    a, b, without = (Pairs(y, q, **held) for held in ({name: one}, {name: other}, {}))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"the {name[:-1]} of row 1 differs"):
        compare_pairs(a, b, **HOW)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"only one of them has a {name[:-1]}"):
        compare_pairs(a, without, **HOW)  # type: ignore[arg-type]


def test_a_bin_larger_than_the_data_is_one_bin() -> None:
    assert calibration_curve(Y, Q, bin_size=10**30).bins.count.tolist() == [4]


def test_a_row_of_weight_0_counts_nowhere() -> None:
    y, q, w = [1, *Y], [0.0, *Q], [0, 1, 2, 1, 1]
    curve = calibration_curve(y, q, sample_weight=w, bin_size=2)
    assert curve.n == 4
    assert curve.notes[0] == "1 pair of weight 0 is ignored"
    assert calibration_error(y, q, sample_weight=w, bin_size=2).n == 4
    assert calibration_table(y, q, groups=["g"] * 5, sample_weight=w, bin_size=2)["g"].n == 4
    log = score_parts(y, q, score="log", sample_weight=w, bin_size=2)
    assert log.infinite_rows == 0
    assert log.score == pytest.approx(curve.log_loss.score)


def test_p_values_of_weighted_calibrated_pairs_are_uniform_enough() -> None:
    rng = np.random.default_rng(68)
    p_values = []
    for _ in range(250):
        q = rng.beta(0.3, 0.7, 500)
        y = rng.random(500) < q
        p_values.append(calibration_curve(y, q, sample_weight=rng.exponential(size=500) ** 2).p_value)
    assert 0.02 < np.mean(np.array(p_values) < 0.05) < 0.085
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.06)
