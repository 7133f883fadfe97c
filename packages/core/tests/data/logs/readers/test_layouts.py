"""Logs of programs that score each item: how good is a model, which of two is better, and what is this file?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.samples import document, lines
from tests.data.logs.writers import (
    alpaca_eval,
    deepeval_case,
    deepeval_run,
    evalplus,
    every_eval_ever,
    human_eval,
    live_code_bench,
    mmlu_pro,
    promptfoo,
    promptfoo_document,
)

import howsure
from howsure.errors import InputError

RIGHT = {"small": 2, "large": 6}  # of eight items
Written = tuple[list[Path], str]  # the files of both models, and the score


def marks(model: str) -> list[tuple[int, bool]]:
    return [(item, item < RIGHT[model]) for item in range(8)]


def each(write: Callable[[Path, Any], Path], content: Callable[[str], Any], score: str) -> Callable[[Path], Written]:
    """A file for each model, in a folder of its name, which is its own name, too."""

    def written(folder: Path) -> Written:
        files = []
        for model in RIGHT:
            (folder / model).mkdir()
            file = write(folder / model, content(model))
            files.append(file.rename(file.with_stem(model)))
        return files, score

    return written


def together(write: Callable[[Path, Any], Path], content: Callable[[list[Any]], Any], make_row: Any, score: str) -> Any:
    """One file of both models, whose rows name them."""

    def written(folder: Path) -> Written:
        rows = [make_row(right, item=item, model=model) for model in RIGHT for item, right in marks(model)]
        return [write(folder, content(rows))], score

    return written


PROGRAMS: dict[str, Callable[[Path], Written]] = {
    "promptfoo": together(document, lambda rows: promptfoo_document(*rows), promptfoo, "success"),
    "promptfoo in lines": together(lines, list, promptfoo, "success"),
    "DeepEval": each(
        document,
        lambda model: deepeval_run(*(deepeval_case(r, item=i, match=float(r)) for i, r in marks(model))),
        "match",
    ),
    "AlpacaEval": each(
        document, lambda model: [alpaca_eval(1.0 + right, item=i, model=model) for i, right in marks(model)], "win"
    ),
    "LiveCodeBench": each(document, lambda model: [live_code_bench([r, r], item=i) for i, r in marks(model)], "passed"),
    "MMLU-Pro": each(document, lambda model: [mmlu_pro("B" if r else "A", item=i) for i, r in marks(model)], "acc"),
    "HumanEval": each(
        lines, lambda model: [human_eval(r, item=i) for i, r in marks(model) for _ in range(2)], "passed"
    ),
    "EvalPlus": each(
        document,
        lambda model: {"eval": {f"q{i}": [evalplus_sample(i, r)] for i, r in marks(model)}, "date": "", "hash": ""},
        "plus",
    ),
    "Every Eval Ever": together(lines, list, every_eval_ever, "is_correct"),
}


def evalplus_sample(item: int, right: bool) -> dict[str, Any]:
    (sample,) = evalplus(("pass", "pass" if right else "fail"))["eval"]["Own/0"]
    return sample | {"task_id": f"q{item}"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_is_scored_compared_and_looked_at(program: str, tmp_path: Path) -> None:
    files, score = PROGRAMS[program](tmp_path)
    source = howsure.read(files)
    means = {row.model: row.mean.value for row in howsure.mean_scores(score, data=source)}
    assert means == {"small": 0.25, "large": 0.75}
    everything = howsure.mean_scores(data=source)
    primary = {"DeepEval": "success", "Every Eval Ever": "score"}.get(program, score)
    assert {(row.score, row.model, row.mean.value) for row in everything} == {
        (primary, model, mean) for model, mean in means.items()
    }
    compared = howsure.compare_scores(score=score, data=source)
    (difference,) = compared.rows
    assert abs(difference.difference) == pytest.approx(0.5)
    overview = howsure.look(files)
    assert overview.what == f"a log of {program.partition(' in ')[0]}"
    assert any(command.startswith("howsure score ") for command in overview.commands)
    with pytest.raises(InputError, match=r"has no probabilities of answers; it contains the scores"):
        howsure.calibration_error(data=source)


def scores(path: Path) -> dict[tuple[str | None, str | None, str], float]:
    table = howsure.mean_scores(data=howsure.read(path))
    return {(row.group, row.model, row.score): round(row.mean.value, 6) for row in table}


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_is_read_as_what_it_is_called(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "results.txt"
    path.write_text(json.dumps(promptfoo_document(promptfoo(True), promptfoo(False, item=1)), indent=indent))
    (row,) = howsure.mean_scores("success", data=howsure.read(path, format="promptfoo"))
    assert (row.n, row.mean.value) == (2, 0.5)


def test_errors_of_promptfoo_count_as_wrong_and_are_reported(tmp_path: Path) -> None:
    error = promptfoo(False, item=1, failureReason=2, namedScores={"content": 0})
    path = document(tmp_path, promptfoo_document(promptfoo(True), error))
    table = howsure.mean_scores("success", data=howsure.read(path))
    assert table[0].mean.value == 0.5
    assert table.recipe["notes"] == [f"{path}: 1 of 2 rows are errors of the run, which count as wrong."]


def test_a_repeated_test_of_promptfoo_is_one_item(tmp_path: Path) -> None:
    again = promptfoo(True) | {"testIdx": 2}  # as `--repeat 2` numbers it
    path = document(tmp_path, promptfoo_document(promptfoo(False), promptfoo(True, item=1), again))
    (row,) = howsure.mean_scores("success", data=howsure.read(path))
    assert (row.n, row.runs, row.mean.value) == (2, 2, 0.75)


@pytest.mark.long
def test_prompts_of_promptfoo_are_groups_and_may_be_compared(tmp_path: Path) -> None:
    results = [promptfoo(prompt == "b", item=item, prompt=prompt) for item in range(4) for prompt in "ab"]
    path = document(tmp_path, promptfoo_document(*results))
    assert scores(path)["a", "small", "success"] == 0
    prompts = howsure.compare_scores(score="success", data=howsure.read(path))
    assert {prompts[0].against, prompts[0].model} == {"a", "b"}
    (row,) = howsure.compare_scores(score="success", model="model,prompt", data=howsure.read(path)).rows
    assert abs(row.difference) == 1
    assert any("--model model,prompt" in command for command in howsure.look(path).commands)


def test_a_metric_of_deepeval_may_lack_its_score(tmp_path: Path) -> None:
    failed = deepeval_case(False, item=1, match=None)
    failed["metricsData"][0]["error"] = "no answer"
    path = document(tmp_path, deepeval_run(deepeval_case(True, match=1.0), failed))
    table = howsure.mean_scores(data=howsure.read(path, skip_missing=True))
    assert [(row.score, row.n, row.mean.value) for row in table] == [("success", 2, 0.5)]
    (match,) = howsure.mean_scores("match", data=howsure.read(path, skip_missing=True))
    assert (match.n, match.mean.value) == (1, 1)
    assert "1 of 2 rows have a metric that failed" in table.recipe["notes"][0]


@pytest.mark.parametrize(("preference", "win"), [(0, 0.5), (1.5, 0.5), (1.25, 0.25), (2, 1)])
def test_a_preference_of_alpaca_eval_is_what_the_model_won(preference: float, win: float, tmp_path: Path) -> None:
    assert scores(document(tmp_path, [alpaca_eval(preference)])) == {(None, "small", "win"): win}


def test_annotations_of_alpaca_eval_are_battles_too(tmp_path: Path) -> None:
    annotated = [alpaca_eval(1 + item % 2, item=item) for item in range(20)]
    table = howsure.rank_battles(
        "generator_1", "generator_2", "preference", data=howsure.read(document(tmp_path, annotated)), rng=0
    )
    assert [row.points.value for row in table] == pytest.approx([0.5, 0.5])


def test_samples_of_a_problem_are_its_runs(tmp_path: Path) -> None:
    path = document(tmp_path, [live_code_bench([True, False, False], item=0), live_code_bench([True] * 3, item=1)])
    (row,) = howsure.mean_scores(data=howsure.read(path))
    assert (row.n, row.runs, row.mean.value) == (2, 3, pytest.approx(2 / 3))
    (best,) = howsure.pass_at_k(pass_at=3, data=howsure.read(path))
    assert best.mean.value == 1


def ungraded(problem: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in problem.items() if name != "graded_list"}


FOLDERS: dict[str, tuple[dict[str, Any], str]] = {  # what a program leaves in the folder of a model
    "LiveCodeBench": (
        {
            "Scenario.codegeneration_1_0.2.json": [ungraded(live_code_bench([True]))],
            "Scenario.codegeneration_1_0.2_eval.json": [{"pass@1": 0.5, "detail": {}}, {}, []],
            "Scenario.codegeneration_1_0.2_eval_all.json": [live_code_bench([True]), live_code_bench([False], item=1)],
        },
        "passed",
    ),
    "MMLU-Pro": (
        {
            "law_result.json": [mmlu_pro("B"), mmlu_pro("A", item=1)],
            "law_summary.json": {"law": {"corr": 1.0, "wrong": 1.0, "acc": 0.5}},
        },
        "acc",
    ),
    "DeepEval": (
        {
            ".latest_run_full.json": deepeval_run(deepeval_case(True), deepeval_case(False, item=1))["testRunData"],
            ".latest_test_run.json": deepeval_run(deepeval_case(True), deepeval_case(False, item=1)),
            ".deepeval-cache.json": {"test_cases_lookup_map": {}},
        },
        "success",
    ),
    "AlpacaEval": (
        {
            "annotations.json": [alpaca_eval(1), alpaca_eval(2, item=1)],
            "model_outputs.json": [{"instruction": "…", "output": "…", "generator": "small", "dataset": "own"}],
        },
        "win",
    ),
}


@pytest.mark.parametrize("program", FOLDERS)
def test_a_folder_is_read_as_the_answers_in_it(program: str, tmp_path: Path) -> None:
    files, score = FOLDERS[program]
    (tmp_path / "small").mkdir()
    for name, content in files.items():
        (tmp_path / "small" / name).write_text(json.dumps(content))
    (row,) = howsure.mean_scores(data=howsure.read(tmp_path))
    assert (row.score, row.n, row.mean.value) == (score, 2, 0.5)


def test_models_of_mmlu_pro_are_folders_and_its_categories_tasks(tmp_path: Path) -> None:
    for model in ("small", "small/CoT/all"):
        folder = tmp_path / model
        folder.mkdir(parents=True)
        document(folder, [mmlu_pro(None), mmlu_pro("B", item=1, category="physics")])
        of_groups = {("law", "small", "acc"): 0, ("physics", "small", "acc"): 1}
        assert scores(folder / "log.json") == {("overall", "small", "acc"): 0.5, **of_groups}


@pytest.mark.parametrize(
    "names", [("model_outputs_phi_5shots.json", "model_outputs_qwen.json"), ("phi.json", "qwen.json")]
)
def test_files_of_mmlu_pro_in_one_folder_are_models(names: tuple[str, str], tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).write_text(json.dumps([mmlu_pro("B"), mmlu_pro("A", item=1, category="physics")]))
    table = howsure.mean_scores(data=howsure.read(tmp_path))
    assert {row.model for row in table} == {"phi", "qwen"}
    categories = tmp_path / "llama"
    categories.mkdir()
    for at, category in enumerate(("law", "computer science")):
        rows = [mmlu_pro("B", item=at, category=category)]
        (categories / f"{category.replace(' ', '_')}_result.json").write_text(json.dumps(rows))
    assert {row.model for row in howsure.mean_scores(data=howsure.read(categories))} == {"llama"}


def test_evalplus_judges_by_the_tests_of_before_and_by_all(tmp_path: Path) -> None:
    path = document(tmp_path, evalplus(("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("pass", "timeout")))
    assert scores(path) == {(None, None, "plus"): 0.25}
    assert howsure.mean_scores("base", data=howsure.read(path))[0].mean.value == 0.75
    (tmp_path / "base").mkdir()
    assert scores(document(tmp_path / "base", evalplus(("pass", None)))) == {(None, None, "base"): 1}


def test_fields_of_a_record_may_part_groups(tmp_path: Path) -> None:
    easy, hard = live_code_bench([True]), live_code_bench([False], item=1) | {"difficulty": "hard"}
    table = howsure.mean_scores(groups="difficulty", data=howsure.read(document(tmp_path, [easy, hard])))
    assert {row.group: row.mean.value for row in table} == {"overall": 0.5, "easy": 1, "hard": 0}
