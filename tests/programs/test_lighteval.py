"""Details as lighteval's own tracker writes them; howsure reads them, and finds its accuracies."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import howsure
from howsure.inputs.frames import Kind

pytestmark = pytest.mark.programs

N = 30


@pytest.fixture(scope="module")
def details(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The details of a task with two or three choices."""
    from dataclasses import asdict

    from datasets import Dataset
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.metrics.metrics_sample import LoglikelihoodAcc
    from lighteval.metrics.normalizations import LogProbCharNorm, LogProbTokenNorm
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc, SamplingMethod

    folder = tmp_path_factory.mktemp("lighteval")
    tracker = EvaluationTracker(output_dir=str(folder), save_details=True)
    tracker.general_config_logger.model_name = "org/small"
    metrics = {
        "acc": LoglikelihoodAcc(),
        "acc_norm": LoglikelihoodAcc(LogProbCharNorm()),
        "acc_norm_token": LoglikelihoodAcc(LogProbTokenNorm()),
    }
    rng = random.Random(1)
    quiz_details = tracker.details_logger.details["quiz|0"]
    for item in range(N):
        choices = rng.sample([" a", " bc", " defg", " hijklmn"], 2 + item % 2)
        doc = Doc(
            query=f"{item}?",
            choices=choices,
            gold_index=rng.randrange(len(choices)),
            id=str(item),
            task_name="quiz|0",
            sampling_methods=[SamplingMethod.LOGPROBS],
        )
        response = ModelResponse(
            logprobs=[-len(text) * rng.random() for text in choices],
            argmax_logits_eq_gold=[False] * len(choices),
            output_tokens=[[1] * (len(text) // 2) for text in choices],
        )
        scores = {name: metric.compute(doc=doc, model_response=response) for name, metric in metrics.items()}
        quiz_details.append(tracker.details_logger.Detail(doc, response, scores))
    tracker.save_details(
        "2026-11-22T10-00-00.000000", {"quiz|0": Dataset.from_list([asdict(detail) for detail in quiz_details])}
    )
    return next(folder.rglob("details_*.parquet"))


@pytest.mark.parametrize(("way", "metric"), [("none", "acc"), ("characters", "acc_norm"), ("tokens", "acc_norm_token")])
def test_the_likeliest_choice_is_the_one_that_the_program_scored(details: Path, way: str, metric: str) -> None:
    with howsure.read(details, normalise=way).predictions() as predictions:
        assert predictions.notes["format"] == "lighteval"
        right = predictions.pairs().labels.tolist()
    assert right == howsure.read(details).rows({metric: Kind.NUMBER}).columns[metric].tolist()


def test_the_model_is_named_by_its_folder(details: Path) -> None:
    assert set(howsure.read(details).rows({"model": Kind.VALUES}).columns["model"].tolist()) == {"org/small"}
