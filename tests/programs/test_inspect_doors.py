"""Inspect AI finds howsure by its entry point: its metrics, its report, and evaluations that stop when decided."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure

pytestmark = pytest.mark.programs

N = 200


def mock(answer: str = "", n: int = 2 * N) -> Any:
    """The mock model, which always says the same; with its usage, or it would ask the network how to count."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    output = ModelOutput.from_content("mockllm/model", answer)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=[output] * n, memoize=False)


def evaluated(folder: Path, right: list[bool], *, confidence: Any = None, slow: Any = None, **task: Any) -> Any:
    """A log of Inspect's: the mock model answers, and a scorer of ours knows which answers are right."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import Score, scorer

    from howsure.inspect import howsure_mean

    more = {name: task.pop(name) for name in ("sample_shuffle", "epochs", "max_samples") if name in task}

    @scorer(metrics=task.pop("metrics", [howsure_mean()]))
    def known() -> Any:
        async def score(state: Any, target: Any) -> Score:
            item = int(state.sample_id[1:])
            if slow is not None:
                await asyncio.sleep(slow(item))
            metadata = None if confidence is None else {"confidence": float(confidence[item])}
            return Score(value="C" if right[item] else "I", metadata=metadata)

        return score

    samples = [Sample(id=f"q{i}", input="?", metadata={"document": i // 4}) for i in range(len(right))]
    dataset = MemoryDataset(samples, name="known")
    made = Task(dataset=dataset, scorer=known(), name="known", **task)
    (log,) = eval(made, log_dir=str(folder), display="none", model=mock(), **more)
    return log


def metrics_of(log: Any) -> dict[str, float]:
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def test_metrics_are_howsures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from howsure.inspect import auroc, calibration_error, howsure_mean, risk_coverage

    rng = np.random.default_rng(0)
    prob = rng.random(N)
    right = rng.random(N) < prob**1.3
    monkeypatch.setenv("HOWSURE_REPORTS", str(tmp_path))
    metrics = [howsure_mean(cluster="document"), calibration_error(), auroc(), risk_coverage()]
    log = evaluated(tmp_path / "logs", right.tolist(), confidence=prob, metrics=metrics)
    assert log.status == "success"
    mean = howsure.mean_scores(right.astype(float), clusters=np.arange(N) // 4)[0].mean
    curve = howsure.selective_curve(right, prob)
    estimates = {"mean": mean, "calibration_error": howsure.calibration_error(right, prob)}
    estimates |= {"auroc": curve.auroc, "aurc": curve.aurc}
    shown_metrics = [(metric.name, metric.value) for metric in log.results.scores[0].metrics.values()]
    expected = [(n, v) for name, e in estimates.items() for n, v in ((name, e.value), ("low", e.low), ("high", e.high))]
    assert [name for name, _ in shown_metrics] == [name for name, _ in expected]
    assert [value for _, value in shown_metrics] == pytest.approx([value for _, value in expected], rel=1e-9)
    (page,) = tmp_path.glob("*.html")
    assert f"{mean.value:.4f}" in page.read_text()


def test_a_metric_that_cannot_be_computed_spoils_no_evaluation(tmp_path: Path) -> None:
    from howsure.inspect import auroc, howsure_mean

    log = evaluated(tmp_path, [True, False] * 5, metrics=[auroc(), howsure_mean()])
    assert log.status == "success"
    values = list(metrics_of(log).values())
    assert all(map(math.isnan, values[:3]))
    assert values[3] == 0.5


def test_it_stops_at_a_limit(tmp_path: Path) -> None:
    from howsure.inspect import stop_when

    right = (np.random.default_rng(1).random(N) < 0.9).tolist()
    for limit, outcome in ((0.6, "pass"), (0.97, "fail")):
        log = evaluated(tmp_path, right, early_stopping=stop_when(limit=limit), sample_shuffle=3, max_samples=7)
        stopping = log.results.early_stopping
        assert (log.status, stopping.manager, stopping.metadata["outcome"]) == ("success", "howsure", outcome)
        assert len(stopping.early_stops) + len(log.samples) == N
        assert 0 < stopping.metadata["n"] <= len(log.samples) <= stopping.metadata["n"] + 14  # seven run at a time
        assert stopping.early_stops[0].reason.startswith(f"{outcome}: {stopping.metadata['n']} items of {N}")


def test_it_stops_against_another_log(tmp_path: Path) -> None:
    from howsure.inspect import stop_when

    right = np.random.default_rng(2).random(N) < 0.9
    first = evaluated(tmp_path / "other", (right & (np.arange(N) % 3 > 0)).tolist())
    stopping = stop_when(against=first.location)
    log = evaluated(tmp_path / "own", right.tolist(), early_stopping=stopping, sample_shuffle=True, epochs=2)
    summary = log.results.early_stopping.metadata
    assert summary["outcome"] == "first"
    assert summary["first"] > summary["second"] + 0.1
    fewer = evaluated(tmp_path / "fewer", right[:40].tolist())
    short = evaluated(
        tmp_path / "short", right.tolist(), early_stopping=stop_when(against=fewer.location), sample_shuffle=1
    )
    assert short.status == "error"
    assert "it lacks 160 of 200, the first of them q" in short.error.message


def test_two_models_at_once_are_distinguished(tmp_path: Path) -> None:
    """One object, two tasks that run at the same time."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import match

    from howsure.inspect import stop_when

    samples = [Sample(id=f"q{i}", input="?", target="yes") for i in range(200)]
    task = Task(dataset=MemoryDataset(samples), scorer=match(), early_stopping=stop_when(limit=0.5))
    logs = eval(
        task, model=[mock("yes"), mock("no")], sample_shuffle=2, log_dir=str(tmp_path), display="none", max_tasks=2
    )
    assert sorted(log.results.early_stopping.metadata["outcome"] for log in logs) == ["fail", "pass"]
    assert all(log.results.early_stopping.metadata["n"] < 50 for log in logs)


def test_slow_samples_are_waited_for(tmp_path: Path) -> None:
    """Wrong answers are slow, and the first that arrive are right; the mean of all items is the limit itself."""
    from howsure.inspect import stop_when

    right = (np.arange(60) % 2 == 0).tolist()
    stopping = stop_when(limit=0.5)
    log = evaluated(
        tmp_path, right, early_stopping=stopping, sample_shuffle=7, max_samples=60, slow=lambda i: 0.5 * (i % 2)
    )
    summary = log.results.early_stopping.metadata
    assert (summary["outcome"], summary["n"], summary["held_back"]) == ("cannot tell", 60, 0)


def test_what_it_refuses(tmp_path: Path) -> None:
    from howsure.inspect import stop_when

    with pytest.raises(howsure.InputError, match=r"limit=0\.8, or against='other\.eval', and not both"):
        stop_when()
    with pytest.raises(howsure.InputError, match="min_score must be between"):
        stop_when(limit=80)
    log = evaluated(tmp_path, [True] * 20, early_stopping=stop_when(limit=0.5))
    assert log.status == "error"
    assert "samples in random order: run with sample_shuffle=SEED" in log.error.message
