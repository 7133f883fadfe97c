"""Print numbers of every chapter from fixed seeds, as JSON. The tests run this program on this machine and as if on
another."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import howsure
from howsure_text.sequences import HMMTagger

N = 1_500


def calibration() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    says, other = rng.beta(0.6, 0.4, size=(2, N))
    happens = (rng.random(N) < says**1.3).astype(int)
    weights, clusters = rng.gamma(2, size=N), rng.integers(0, 90, size=N)
    draws = rng.normal(size=(500, 40))
    return {
        "curve": howsure.calibration_curve(happens, says).to_dict(),
        "weighted": howsure.calibration_error(happens, says, sample_weight=weights).to_dict(),
        "clustered": howsure.calibration_error(happens, says, clusters=clusters).to_dict(),
        "parts": howsure.decompose_score(happens, says).to_dict(),
        "tests": [
            (test.statistic, test.p_value)
            for method in ("simulation", "spiegelhalter", "binned")
            for test in [howsure.calibration_test(happens, says, method=method, rng=2)]
        ],
        "comparison": howsure.compare_calibration(happens, says, against=other).to_dict(),
        "quantiles": howsure.quantile_calibration(rng.normal(size=500), draws, rng=0).to_dict(),
    }


def significance() -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 4, size=600)
    base, large = (np.where(rng.random(600) < right, gold, rng.integers(0, 4, size=600)) for right in (0.6, 0.66))
    return [
        howsure.resample_models(
            gold, base, {"large": large}, metrics=["accuracy", "macro_f1"], method=method, rng=4, n_resamples=500
        ).to_dict()
        for method in ("permutation", "bootstrap")
    ]


def sequences() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    words = [[f"w{n}" for n in rng.integers(0, 20, size=9)] for _ in range(40)]
    tags = [[f"T{(int(word[1:]) + rng.integers(2)) % 4}" for word in sentence] for sentence in words]
    posterior = HMMTagger().fit(words, tags).posterior(words[:5])
    return {
        "marginals": [rows.tolist() for rows in posterior.marginals()],
        "samples": [rows.tolist() for rows in posterior.sample(50, rng=6)],
        "entropy": posterior.entropy().tolist(),
    }


def coreference() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    scores = np.where(np.tri(30, k=-1, dtype=bool), rng.normal(size=(30, 30)), -np.inf)
    posterior = howsure.CorefPosterior.from_scores(scores, null=rng.normal(size=30))
    return {"links": posterior.pair_probability().tolist(), "samples": posterior.sample(50, rng=8).tolist()}


def numbers() -> str:
    """Return the numbers of every chapter."""
    rooms = (calibration, significance, sequences, coreference)
    return json.dumps({room.__name__: room() for room in rooms})


if __name__ == "__main__":
    print(numbers())
