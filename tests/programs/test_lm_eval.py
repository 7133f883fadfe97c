"""lm-evaluation-harness writes samples of local tasks by its dummy model; howsure reads them and finds its metrics."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure

from howsure.data.sources import read
from howsure.inputs.frames import Kind

pytestmark = pytest.mark.programs

COMMON = """
dataset_path: json
dataset_kwargs: {data_files: {test: DATA}}
test_split: test
"""
CHOICES = """
task: choices
output_type: multiple_choice
doc_to_text: "Q: {{question}}\\nA:"
doc_to_choice: "{{choices}}"
doc_to_target: gold
metric_list: [{metric: acc}, {metric: acc_norm}, {metric: acc_bytes}, {metric: acc_mutual_info}]
"""
TEXTS = """
task: texts
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: ["no", "yes"]
doc_to_target: "{{['no', 'yes'][gold % 2]}}"
metric_list: [{metric: acc}, {metric: brier_score}]
"""
GENERATED = """
task: generated
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{choices[gold]}}"
generation_kwargs: {until: ["\\n"]}
metric_list: [{metric: exact_match}]
filter_list:
  - {name: strict, filter: [{function: regex, regex_pattern: "(yes|no)"}, {function: take_first}]}
  - {name: loose, filter: [{function: take_first}]}
"""
TASKS = {"choices": CHOICES, "texts": TEXTS, "generated": GENERATED}
WAYS = {"none": "acc", "characters": "acc_norm", "bytes": "acc_bytes"}
N = 40


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The samples of each task, as the program wrote them."""
    folder = tmp_path_factory.mktemp("lm-eval")
    rng = np.random.default_rng(0)
    texts = ["ja", "nö", "vielleicht", "3", "1"]
    with (folder / "data.jsonl").open("w", encoding="utf-8") as data:
        for item in range(N):
            choices = rng.permutation(texts)[: 2 + item % 3].tolist()
            gold = int(rng.integers(len(choices)))
            print(json.dumps({"question": f"{item}?", "choices": choices, "gold": gold}), file=data)
    for name, task in TASKS.items():
        common = COMMON.replace("DATA", str(folder / "data.jsonl"))
        (folder / f"{name}.yaml").write_text(task + common, encoding="utf-8")
    command = [sys.executable, "-m", "lm_eval", "--model", "dummy", "--tasks", ",".join(TASKS), "--log_samples"]
    command += ["--include_path", str(folder), "--output_path", str(folder / "out")]
    offline = {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "cache")}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=os.environ | offline)
    return {name: next((folder / "out").rglob(f"samples_{name}_*.jsonl")) for name in TASKS}


def results(logs: dict[str, Path]) -> Any:
    content = json.loads(next(logs["choices"].parent.glob("results_*.json")).read_text(encoding="utf-8"))
    return content["results"]


@pytest.mark.parametrize(("way", "metric"), WAYS.items())
def test_the_likeliest_choice_is_the_one_that_the_program_scored(logs: dict[str, Path], way: str, metric: str) -> None:
    with read(logs["choices"], normalise=way).predictions("correct", "probability") as predictions:
        right = predictions.pairs().labels
    scored = read(logs["choices"]).rows({metric: Kind.NUMBER}).columns[metric]
    assert right.tolist() == scored.tolist()
    assert right.mean() == pytest.approx(results(logs)["choices"][f"{metric},none"])


def test_the_multi_class_brier_score_is_the_programs(logs: dict[str, Path]) -> None:
    done = howsure("calibration", logs["texts"], "--format", "json")
    result = json.loads(done.out)
    recipe = {name: result["recipe"][name] for name in ("format", "target", "probs_column")}
    assert recipe == {"format": "lm-eval", "target": "target", "probs_column": "probabilities"}
    (curve,) = result["curves"]
    assert curve["multiclass_brier"] == pytest.approx(results(logs)["texts"]["brier_score,none"])


def test_targets_that_are_texts_are_read(logs: dict[str, Path]) -> None:
    with read(logs["texts"]).predictions() as predictions:
        assert predictions.notes["classes"] == ["no", "yes"]
        assert predictions.pairs().labels.mean() == pytest.approx(results(logs)["texts"]["acc,none"])


def test_generated_texts_have_scores_for_each_filter(logs: dict[str, Path]) -> None:
    columns = (
        read(logs["generated"])
        .rows({"run": Kind.VALUES, "prediction": Kind.VALUES, "exact_match": Kind.NUMBER})
        .columns
    )
    assert sorted(set(columns["run"].tolist())) == ["loose", "strict"]
    done = howsure("calibration", logs["generated"])
    assert done.code == 2
    assert "has no probabilities of answers; it contains the scores exact_match" in done.err


def test_all_logs_of_a_run_in_one_command(logs: dict[str, Path]) -> None:
    done = howsure("calibration", logs["choices"], logs["texts"], "--format", "json")
    assert [curve["group"] for curve in json.loads(done.out)["curves"]] == ["choices", "texts"]
