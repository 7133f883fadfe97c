"""pydantic-evals runs howsure's evaluator over a whole report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure

pytestmark = pytest.mark.programs

N = 200


def answers(seed: int = 0) -> tuple[list[bool], list[float]]:
    """Which answers are right, and how sure the model is of them."""
    rng = np.random.default_rng(seed)
    prob = rng.random(N)
    return (rng.random(N) < prob**1.3).tolist(), prob.tolist()


def report_of(evaluator: Any, *, repeat: int = 1, failing: int = 0) -> Any:
    """A report of a task that answers as above."""
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import Evaluator, EvaluatorContext

    right, prob = answers()

    @dataclass
    class Scored(Evaluator[int, int, Any]):
        def evaluate(self, ctx: EvaluatorContext[int, int, Any]) -> dict[str, bool | float]:
            return {"right": right[ctx.output], "confidence": prob[ctx.output]}

    async def task(number: int) -> int:
        if number < failing:
            raise RuntimeError("no answer")
        return number

    cases = [Case(name=f"q{number}", inputs=number) for number in range(N)]
    dataset = Dataset(name="numbers", cases=cases, evaluators=[Scored()], report_evaluators=[evaluator])
    return dataset.evaluate_sync(task, progress=False, repeat=repeat)


def test_a_report_holds_howsures_figures() -> None:
    from howsure.pydantic_evals import ConfidenceEvaluator

    report = report_of(ConfidenceEvaluator(score="right", confidence="confidence"))
    assert report.report_evaluator_failures == []
    table, calibration, risk = report.analyses
    right, prob = answers()
    curve = howsure.selective_curve(right, prob)
    estimates = [
        ("mean right", howsure.mean_scores(np.array(right, float))[0].mean),
        ("calibration error", howsure.calibration_error(right, prob)),
        ("AUROC", curve.auroc),
        ("AURC", curve.aurc),
    ]
    assert [row[0] for row in table.rows] == [name for name, _ in estimates]
    for (_, value, low, high, n), (_, estimate) in zip(table.rows, estimates, strict=True):
        assert (value, low, high, n) == pytest.approx((estimate.value, estimate.low, estimate.high, N), abs=5e-5)
    assert [point.y for point in calibration.curves[0].points] == pytest.approx(
        howsure.calibration_curve(right, prob).bins.frequency.tolist()
    )
    assert len(risk.curves[0].points) == 100
    assert risk.curves[0].points[-1].y == pytest.approx(1 - np.mean(right))
    assert "calibration error" in report.render(width=200)


def test_repeated_runs_are_clusters_and_failures_are_reported() -> None:
    from howsure.pydantic_evals import ConfidenceEvaluator

    report = report_of(ConfidenceEvaluator(score="right", level=0.9), repeat=2, failing=3)
    (table,) = report.analyses
    right = np.repeat(np.array(answers()[0], float)[3:], 2)
    expected = howsure.mean_scores(right, clusters=np.repeat(np.arange(3, N), 2), level=0.9)[0].mean
    assert table.rows == [
        ["mean right", *(round(number, 4) for number in (expected.value, expected.low, expected.high)), 2 * (N - 3)]
    ]
    assert table.description == "with 90% intervals; 6 cases failed and are left out"


def test_missing_confidence_is_reported() -> None:
    from howsure.pydantic_evals import ConfidenceEvaluator

    report = report_of(ConfidenceEvaluator(score="right", confidence="certainty"))
    (failure,) = report.report_evaluator_failures
    assert failure.error_message == "InputError: every case must have 'certainty'; 'q0' has 'confidence'."


def test_a_file_names_it(tmp_path: Path) -> None:
    from pydantic_evals import Dataset

    from howsure.pydantic_evals import ConfidenceEvaluator

    path = tmp_path / "numbers.yaml"
    path.write_text(
        "name: numbers\ncases: []\nreport_evaluators:\n  - ConfidenceEvaluator: {score: right, confidence: sure}\n"
    )
    loaded = Dataset[Any, Any, Any].from_file(path, custom_report_evaluator_types=[ConfidenceEvaluator])
    (evaluator,) = loaded.report_evaluators
    assert evaluator == ConfidenceEvaluator(score="right", confidence="sure")
