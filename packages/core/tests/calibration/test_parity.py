"""Other tools say the same where they are right: their answers are stored, with the script that asked them.

The pairs are made again from their seeds by benchmarks/parity_calibration.py, which wrote parity.json.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.parity_calibration import BINS, EXAMPLES, WIDTHS
from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.curve import calibration_curve
from howsure.calibration.scores import decompose_score

ANSWERS: dict[str, Any] = json.loads((Path(__file__).parent / "parity.json").read_text(encoding="utf-8"))
EXACT = 1e-12


@pytest.mark.parametrize("peer", ["netcal", "verified"])
@pytest.mark.parametrize("example", ["smooth", "masses"])
@pytest.mark.parametrize("bins", WIDTHS)
def test_equal_width_ece(peer: str, example: str, bins: int) -> None:
    y, q, _ = EXAMPLES[example]()
    ece = calibration_curve(y, q, binning="uniform", n_bins=bins).ece.value
    assert ece == pytest.approx(ANSWERS[peer][f"{example}/uniform/{bins}"], abs=EXACT)


@pytest.mark.parametrize(("example", "bins"), [("smooth", 10), ("smooth", 30), ("masses", 10)])
def test_equal_mass_errors_of_verified_calibration(example: str, bins: int) -> None:
    y, q, _ = EXAMPLES[example]()
    curve = calibration_curve(y, q, n_bins=bins)
    answer = {
        key: ANSWERS["verified"][f"{example}/adaptive/{bins}/{key}"] for key in ("ece", "plugin", "label_debiased")
    }
    assert curve.ece.value == pytest.approx(answer["ece"], abs=EXACT)
    assert curve.algorithm1_error.value == pytest.approx(answer["plugin"], abs=EXACT)
    curve_bins = curve.bins
    noise = (
        curve_bins.frequency * (1 - curve_bins.frequency) / (curve_bins.count - 1)
    )  # of the label alone, as if q did not vary in a bin
    squared = np.average((curve_bins.mean_prob - curve_bins.frequency) ** 2 - noise, weights=curve_bins.count)
    assert math.sqrt(squared) == pytest.approx(answer["label_debiased"], abs=EXACT)


@pytest.mark.parametrize("estimator", ["plugin", "debiased"])
def test_debiased_error_where_predictions_do_not_vary_in_a_bin(estimator: str) -> None:
    y, q, _ = EXAMPLES["steps"]()
    answer = ANSWERS["verified"][f"steps/by value/{estimator}"]
    assert calibration_error(y, q, bin_size=1, estimator=estimator).value == pytest.approx(answer, abs=EXACT)


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("bins", WIDTHS)
def test_uniform_curve_of_sklearn(example: str, bins: int) -> None:
    y, q, _ = EXAMPLES[example]()
    curve_bins = calibration_curve(y, q, binning="uniform", n_bins=bins).bins
    answer = ANSWERS["scikit-learn"][f"{example}/uniform/{bins}"]
    assert curve_bins.frequency.tolist() == pytest.approx(answer["frequency"], abs=EXACT)
    assert curve_bins.mean_prob.tolist() == pytest.approx(answer["mean_prob"], abs=EXACT)


@pytest.mark.parametrize("bins", BINS)
def test_quantile_curve_of_sklearn(bins: int) -> None:
    y, q, _ = EXAMPLES["smooth"]()
    curve_bins = calibration_curve(y, q, n_bins=bins).bins
    answer = ANSWERS["scikit-learn"][f"smooth/quantile/{bins}"]
    assert curve_bins.frequency.tolist() == pytest.approx(answer["frequency"], abs=EXACT)
    assert curve_bins.mean_prob.tolist() == pytest.approx(answer["mean_prob"], abs=EXACT)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_sklearn(weighted: bool) -> None:
    for example, make in EXAMPLES.items():
        y, q, w = make()
        for score in ("brier", "log"):
            answer = ANSWERS["scikit-learn"].get(f"{example}/{score}" + "/weighted" * weighted)
            if answer is not None:
                parts = decompose_score(y, q, score=score, sample_weight=w if weighted else None)
                assert parts.score == pytest.approx(answer, abs=EXACT), (example, score)


@pytest.mark.parametrize("score", ["brier", "log"])
@pytest.mark.parametrize("weighting", ["plain", "weighted"])
def test_decomposition_of_model_diagnostics(score: str, weighting: str) -> None:
    """With a bin a value and frequencies that rise with it, isotonic recalibration is the bins' frequency."""
    y, q, w = EXAMPLES["steps"]()
    answer = ANSWERS["model-diagnostics"][f"steps/{score}/{weighting}"]
    parts = decompose_score(y, q, score=score, bin_size=1, sample_weight=w if weighting == "weighted" else None)
    assert parts.score == pytest.approx(answer["score"], abs=EXACT)
    assert parts.calibration == pytest.approx(answer["miscalibration"], abs=EXACT)
    assert parts.refinement == pytest.approx(answer["uncertainty"] - answer["discrimination"], abs=EXACT)
    assert parts.within_bin == pytest.approx(0.0, abs=EXACT)


@pytest.mark.parametrize("example", EXAMPLES)
def test_spiegelhalter_of_calzone(example: str) -> None:
    y, q, _ = EXAMPLES[example]()
    test = calibration_test(y, q, method="spiegelhalter")
    answer = ANSWERS["calzone"][f"{example}/spiegelhalter"]
    assert test.statistic == pytest.approx(answer["z"], abs=1e-11)
    assert test.p_value == pytest.approx(answer["p"], abs=EXACT)


def test_the_answers_match_named_versions() -> None:
    assert set(ANSWERS["versions"]) == {
        "calzone-tool",
        "model-diagnostics",
        "netcal",
        "numpy",
        "relplot",
        "scikit-learn",
        "uncertainty-calibration",
    }
