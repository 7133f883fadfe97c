"""Inspect AI writes logs of its mock model; howsure reads them, and finds its scores and accuracies."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import howsure

from howsure.data.sources import read
from howsure.inputs.frames import Kind

pytestmark = pytest.mark.programs

N, EPOCHS = 12, 2


def answers(n: int) -> list[Any]:
    """What the mock model says, with the probabilities of two letters where the answer stands."""
    from inspect_ai.model import Logprob, Logprobs, ModelOutput, ModelUsage, TopLogprob

    outputs = []
    for at in range(n):
        letter, p = "AB"[at % 3 == 0], 0.55 + 0.4 * at / n
        output = ModelOutput.from_content("mockllm/model", f"ANSWER: {letter}")
        output.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        top = [
            TopLogprob(token=letter, logprob=math.log(p)),
            TopLogprob(token="BA"["AB".index(letter)], logprob=math.log1p(-p)),
        ]
        tokens = [Logprob(token="ANSWER: ", logprob=-0.1), Logprob(token=letter, logprob=math.log(p), top_logprobs=top)]
        output.choices[0].logprobs = Logprobs(content=tokens)
        outputs.append(output)
    return outputs


@pytest.fixture(scope="module", params=["eval", "json"])
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A log of a quiz in two epochs, and what Inspect says of it."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    samples = [
        Sample(
            id=f"q{at}", input=f"{at}?", target="AB"[at % 2], choices=["yes", "no"], metadata={"subject": f"s{at % 4}"}
        )
        for at in range(N)
    ]
    task = Task(dataset=MemoryDataset(samples, name="quiz"), solver=multiple_choice(), scorer=choice(), name="quiz")
    model = get_model("mockllm/model", custom_outputs=answers(N * EPOCHS))
    folder = tmp_path_factory.mktemp("inspect")
    (inspect_log,) = eval(
        task, model=model, epochs=EPOCHS, log_dir=str(folder), log_format=request.param, display="none"
    )
    assert inspect_log.status == "success"
    return next(folder.glob(f"*.{request.param}")), inspect_log


def test_every_sample_is_a_row_with_its_score(log: tuple[Path, Any]) -> None:
    from inspect_ai.scorer import value_to_float

    path, inspect_log = log
    columns = (
        read(path)
        .rows({"item": Kind.VALUES, "run": Kind.VALUES, "metadata.subject": Kind.VALUES, "choice": Kind.NUMBER})
        .columns
    )
    number = value_to_float()
    expected = {(sample.id, sample.epoch): number(sample.scores["choice"].value) for sample in inspect_log.samples}
    keys = zip(columns["item"].tolist(), (int(run) for run in columns["run"].tolist()), strict=True)
    assert dict(zip(keys, columns["choice"].tolist(), strict=True)) == expected
    assert set(columns["metadata.subject"].tolist()) == {"s0", "s1", "s2", "s3"}


def test_the_accuracy_is_inspects_and_epochs_are_clusters(log: tuple[Path, Any]) -> None:
    path, inspect_log = log
    with read(path).predictions() as predictions:
        pairs = predictions.pairs()
        assert predictions.columns["cluster"] == "item"
    assert pairs.labels.mean() == pytest.approx(inspect_log.results.scores[0].metrics["accuracy"].value)
    assert len(set(pairs.clusters.tolist())) == N
    assert sorted(pairs.probabilities) == pytest.approx([0.55 + 0.4 * at / (N * EPOCHS) for at in range(N * EPOCHS)])


def test_one_command_reads_it(log: tuple[Path, Any]) -> None:
    done = howsure("calibration", log[0], "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["format"] == "inspect"
