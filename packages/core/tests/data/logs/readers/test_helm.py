"""Runs of HELM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.writers import helm_state, helm_stats, write_helm

import howsure
from howsure.data.logs.helm import rows
from howsure.data.logs.log_file import Source
from howsure.data.sources import Files
from howsure.data.tables.named_files import File
from howsure.errors import InputError
from howsure.inputs.frames import Kind

STATS = [
    helm_stats("id1", max_prob=0.75, exact_match=1.0, logprob=-0.3),
    helm_stats("id2", max_prob=0.5, exact_match=0.0),
]
LETTERS = {" A": 0.6, " B": 0.2}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return list(rows(Source(File(str(path), str(path), "json"))))


def test_statistics_are_scores_and_max_prob_is_the_probability_of_the_answer(tmp_path: Path) -> None:
    path = write_helm(tmp_path, STATS) / "per_instance_stats.json"
    row, _ = rows_of(path)
    named = {key: row[key] for key in ("item", "model", "task", "run", "exact_match", "probability", "correct")}
    assert named == {
        "item": "id1",
        "model": "org/small",
        "task": "mmlu:subject=law",
        "run": 0,
        "exact_match": 1.0,
        "probability": 0.75,
        "correct": 1.0,
    }
    with howsure.read(path).predictions() as predictions:
        assert predictions.columns == {"target": "correct", "prob": "probability", "id": "item"}
        assert predictions.pairs().probabilities.tolist() == [0.75, 0.5]


def test_a_request_that_failed_errored(tmp_path: Path) -> None:
    """HELM scores the empty answer of such a request as wrong."""
    failed = helm_state("id2", "A", "A") | {
        "result": {"success": False, "error": "Timeout: 60 s\n…", "completions": []}
    }
    folder = write_helm(tmp_path, STATS, [helm_state("id1", "A", "A"), failed])
    for name in ("per_instance_stats.json", "scenario_state.json"):
        assert [row.get("exception") for row in rows_of(folder / name)] == [None, "Timeout: 60 s"]
    (row,) = howsure.score_agents(data=howsure.read(folder)).rows
    assert (row.errored, row.lowest, row.highest) == (1, 0.5, 1.0)


def test_agents_and_items_have_one_score(tmp_path: Path) -> None:
    """Two scenarios of HELM have different main metrics."""
    for task, metric in (("quac:x=1", "f1_score"), ("mmlu:x=1", "exact_match")):
        folder = write_helm(tmp_path / metric, [helm_stats("id1", **{metric: 1.0}), helm_stats("id2", **{metric: 0.0})])
        (folder / "run_spec.json").write_text(json.dumps({"name": task, "adapter_spec": {"model": "m"}}))
    for function in (howsure.score_agents, howsure.score_items):
        with pytest.raises(InputError, match="there are several scores: exact_match, f1_score"):
            function(data=howsure.read(tmp_path))


def test_predictions_for_display_hold_the_same(tmp_path: Path) -> None:
    shown = [{"instance_id": "id1", "train_trial_index": 0, "predicted_text": " B", "mapped_output": "yes"}]
    shown[0]["stats"] = {"exact_match": 1.0, "max_prob": 0.75}
    (tmp_path / "display_predictions.json").write_text(json.dumps(shown), encoding="utf-8")
    (row,) = rows_of(tmp_path / "display_predictions.json")
    assert (row["item"], row["prediction"], row["probability"], row["correct"]) == ("id1", "yes", 0.75, 1.0)


def test_a_constant_probability_of_1_is_not_a_probability(tmp_path: Path) -> None:
    sure = [helm_stats(f"id{at}", max_prob=1.0, exact_match=float(at % 2)) for at in range(3)]
    path = write_helm(tmp_path, sure) / "per_instance_stats.json"
    with pytest.raises(
        InputError, match=r"has no probabilities of answers; it contains the scores exact_match.*every max_pr"
    ):
        howsure.read(path).predictions()
    assert howsure.read(path).rows({"exact_match": Kind.NUMBER}).columns["exact_match"].tolist() == [0, 1, 0]


def test_answers_have_probabilities_where_every_letter_has(tmp_path: Path) -> None:
    states = [helm_state("id1", "A", " A", letters=LETTERS), helm_state("id2", "A", " B", letters=LETTERS)]
    path = write_helm(tmp_path, STATS, states) / "scenario_state.json"
    row, _ = rows_of(path)
    assert (row["target"], row["prediction"], row["classes"], row["exact_match"]) == (0, 0, ["no", "yes"], 1.0)
    with howsure.read(path).predictions() as predictions:
        assert predictions.columns["probs_column"] == "probabilities"
        assert predictions.pairs().probabilities.tolist() == pytest.approx([0.75, 0.75])


def test_without_log_probabilities_an_answer_has_what_the_statistics_say(tmp_path: Path) -> None:
    states = [helm_state("id1", "A", " A"), helm_state("id2", "A", " B")]
    with howsure.read([write_helm(tmp_path, STATS, states) / "scenario_state.json"]).predictions() as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.75, 0.5]


def test_a_request_for_each_choice_is_one_row(tmp_path: Path) -> None:
    state = helm_state("id1", "A", "no")
    del state["output_mapping"]
    states = [state | {"reference_index": at, "request_mode": "original"} for at in (0, 1)]
    (row,) = rows_of(write_helm(tmp_path, STATS, states) / "scenario_state.json")
    assert (row["target"], row["probability"], "prediction" in row) == ("no", 0.75, False)


WRONG = [
    (
        "no statistics",
        "per_instance_stats.json",
        '[{"instance_id": "a", "train_trial_index": 0, "stats": 1}]',
        "no stats",
    ),
    (
        "cut off",
        "per_instance_stats.json",
        '[{"instance_id": "a", "train_trial_index": 0, "stats": [',
        "Was it cut off",
    ),
    ("no requests", "scenario_state.json", '{"adapter_spec": {}, "request_states": 1}', "has no request_states"),
    ("no instance", "scenario_state.json", '{"adapter_spec": {}, "request_states": [{}]}', "no instance with an id"),
    ("empty", "scenario_state.json", '{"adapter_spec": {}, "request_states": []}', "has no rows"),
]


@pytest.mark.parametrize(("name", "content", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_damaged_run_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        howsure.read(tmp_path / name).predictions()


def write_two_models(folder: Path) -> Files:
    """Runs of a fast and correct model, and of a slow one that makes mistakes."""
    for model, seconds, mistakes in (("fast", 0.5, 5), ("slow", 9.0, 25)):
        stats = [
            helm_stats(
                f"id{i}",
                exact_match=float(i >= mistakes),
                inference_runtime=seconds + i % 3,
                batch_size=1.0,
                loss=seconds,
            )
            for i in range(50)
        ]
        place = write_helm(folder / model, stats)
        spec = json.loads((place / "run_spec.json").read_text())
        spec["adapter_spec"]["model"] = model
        (place / "run_spec.json").write_text(json.dumps(spec))
    return howsure.read(str(folder / "*" / "**" / "per_instance_stats.json"))


def test_costs_and_counts_are_scores_only_if_they_are_named(tmp_path: Path) -> None:
    log = write_two_models(tmp_path)
    table = howsure.mean_scores(data=log, rng=0)
    assert [(row.score, row.model, row.ranks) for row in table] == [
        ("exact_match", "fast", "1"),
        ("exact_match", "slow", "2"),
    ]
    losses = howsure.mean_scores("loss", data=log, rng=0)
    assert [(row.model, row.ranks) for row in losses] == [("fast", "1"), ("slow", "2")]
    assert "Lower is better: loss." in losses.notes
    others, left_out = table.recipe["notes"]
    assert others == "Other scores of this log: loss. To use one: score='loss'."
    assert left_out.startswith("Costs and counts are not scores: inference_runtime, batch_size. To use one, name it: ")
    runtime = howsure.mean_scores("inference_runtime", data=log, rng=0)
    assert [(row.model, row.ranks) for row in runtime] == [("fast", "1"), ("slow", "2")]
    sizes = howsure.mean_scores("batch_size", data=log, rng=0)
    assert [row.ranks for row in sizes] == [None, None]
    assert sizes.notes == ("Not ranked, as neither more nor less is better: batch_size.",)


def test_a_comparison_knows_the_direction_and_the_bounds_of_scores(tmp_path: Path) -> None:
    log = write_two_models(tmp_path)
    comparison = howsure.compare_scores(data=log, rng=0)
    assert [row.metric for row in comparison] == ["exact_match", "loss"]
    assert howsure.compare_scores(score="inference_runtime", data=log, rng=0).best == "fast"
    with pytest.raises(InputError, match="batch_size is a count, for which neither more nor less is better"):
        howsure.compare_scores(score="batch_size", data=log)
    with pytest.raises(InputError, match="whose higher values are better; inference_runtime is not"):
        howsure.race_models("inference_runtime", model="model", id="item", bounds=(0, 20), data=log)


def test_a_log_with_costs_only_has_no_score(tmp_path: Path) -> None:
    write_helm(tmp_path, [helm_stats(f"id{i}", num_bytes=float(i)) for i in range(5)])
    log = howsure.read(str(tmp_path / "**" / "per_instance_stats.json"))
    for function in (howsure.mean_scores, howsure.compare_models):
        with pytest.raises(InputError, match=r"contains costs and counts only: num_bytes\. Name one"):
            function(data=log)


def test_each_scenario_has_its_main_metric(tmp_path: Path) -> None:
    """A question of NarrativeQA is scored by F1, one of MMLU by exact match; neither enters the other's mean."""
    for scenario, metrics in {"mmlu": [(1.0, 0.1), (0.0, 0.2)], "narrative_qa": [(0.0, 0.5), (0.0, 0.75)]}.items():
        stats = [helm_stats(f"{scenario}{i}", exact_match=em, f1_score=f1) for i, (em, f1) in enumerate(metrics)]
        path = write_helm(tmp_path / scenario, stats) / "run_spec.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"name": f"{scenario}:model=org_small"}))
    log = howsure.read(str(tmp_path))
    table = howsure.mean_scores(data=log)
    assert {(row.score, row.n, row.mean.value) for row in table} == {("exact_match", 2, 0.5), ("f1_score", 2, 0.625)}
    assert not table.recipe["skipped"]
    with pytest.raises(InputError, match=r"have different scores: exact_match \(such as mmlu\), f1_score"):
        howsure.check_score(min_score=0.2, data=log)
    named = howsure.check_score("f1_score", min_score=0.2, data=log)
    assert named[0].estimate.value == pytest.approx((0.1 + 0.2 + 0.5 + 0.75) / 4)
