"""`evaluate` of Hugging Face loads howsure's measures from a file, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure

pytestmark = pytest.mark.programs

rng = np.random.default_rng(0)
PROB = rng.random(300)
RIGHT = (rng.random(300) < PROB**1.3).astype(int)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache of another run, and no hub."""
    import evaluate

    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", True)
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path)


def loaded(name: str) -> Any:
    import evaluate

    import howsure.evaluate

    return evaluate.load(howsure.evaluate.__file__, name)


def expected_fields(name: str, estimate: Any) -> dict[str, Any]:
    return {
        name: pytest.approx(estimate.value),
        f"{name}_low": pytest.approx(estimate.low),
        f"{name}_high": estimate.high,
    }


def test_measures_are_howsures() -> None:
    curve = howsure.selective_curve(RIGHT, PROB)
    expected = {"calibration_error": howsure.calibration_error(RIGHT, PROB), "auroc": curve.auroc, "aurc": curve.aurc}
    for name, estimate in expected.items():
        assert loaded(name).compute(predictions=PROB, references=RIGHT) == expected_fields(name, estimate)


def test_clusters_and_bounds_are_handed_on() -> None:
    clusters = np.arange(300) // 3
    outcome = loaded("calibration_error").compute(predictions=PROB, references=RIGHT, clusters=clusters, level=0.9)
    error = howsure.calibration_error(RIGHT, PROB, clusters=clusters, level=0.9)
    assert outcome == expected_fields("calibration_error", error)
    mean = howsure.mean_scores(PROB, bounds=(0, 1))[0].mean
    assert loaded("mean").compute(predictions=PROB, bounds=(0, 1)) == expected_fields("mean", mean)


def test_batches_and_combinations() -> None:
    import evaluate

    both = evaluate.combine([loaded("calibration_error"), loaded("aurc")])
    for start in range(0, 300, 50):
        both.add_batch(predictions=PROB[start : start + 50], references=RIGHT[start : start + 50])
    outcome = both.compute()
    assert outcome["calibration_error"] == pytest.approx(howsure.calibration_error(RIGHT, PROB).value)
    assert outcome["aurc"] == pytest.approx(howsure.selective_curve(RIGHT, PROB).aurc.value)


def test_another_measure_is_refused() -> None:
    with pytest.raises(howsure.InputError, match=r"no measure 'default' in evaluate\.load; it has calibration_error"):
        loaded("default")
