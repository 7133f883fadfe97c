"""`howsure look` on tables with scores by several criteria or metrics, and where nothing can be compared.

The rows are made up; the layouts are those of public files.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.running import howsure as run
from tests.cli.test_look_columns import TEXT, first_means, look_at, means_by_criterion
from tests.cli.test_look_layouts import means, only, random

import howsure

ITEMS = 30
CRITERIA = {
    "whole grades": ("accuracy tone clarity", (1, 6)),
    "yes or no": ("accuracy solvability appropriateness", (0, 2)),
    "in German": ("Accuracy Verständlichkeit Angemessenheit", (1, 6)),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CRITERIA)
def test_each_criterion_has_its_mean(name: str) -> None:
    """Next to numbers that are not grades, and to a column of any name with the same numbers but another place."""
    heading, (lowest, highest) = CRITERIA[name]
    grades = random(201).integers(lowest, highest, (ITEMS * 2, 3))
    grades[:3] = highest - 1
    names = heading.split()
    rows = [(f"q{i // 2}", "ab"[i % 2], *row, 100 + i, i % 2) for i, row in enumerate(grades.tolist())]
    overview = look_at(["question_id", "model", *names, "tokens", "subset"], rows)
    expected = {(m, c): grades[k::2, at].mean() for k, m in enumerate("ab") for at, c in enumerate(names)}
    printed = means_by_criterion(overview)
    assert {key: printed[key] for key in expected} == pytest.approx(expected)
    assert overview.proposals[0].question.startswith("Which model has the highest mean of each of ")


def test_metrics_on_one_scale_come_before_one_on_another() -> None:
    scores = random(202).uniform(size=(ITEMS, 3)).round(4)
    rows = [(i, 100 * a, a, b, c) for i, (a, b, c) in enumerate(scores.tolist())]
    overview = look_at(["item", "bleu", "meteor", "chrf", "bleurt"], rows)
    names = ["meteor", "chrf", "bleurt"]
    expected = dict(zip(names, scores.mean(axis=0), strict=True))
    assert {name: mean for (_, name), mean in means_by_criterion(overview).items()} == pytest.approx(expected)
    assert any("Others could be: bleu." in note for note in overview.notes)


def test_fewer_faults_are_not_averaged_with_qualities() -> None:
    rows = [(i, i % 7 / 7, i % 5 / 5, i % 3 / 3) for i in range(ITEMS)]
    (first, *_) = look_at(["item", "faithfulness", "relevancy", "hallucination"], rows).commands
    assert "--explode faithfulness,relevancy " in first


def test_a_constant_mark_comes_before_a_number_of_unknown_meaning() -> None:
    rows = [("xy"[i % 2], i // 2, True, i % 7 / 7) for i in range(2 * ITEMS)]
    overview = look_at(["condition", "task_id", "correct", "panic_score"], rows)
    assert first_means(overview) == {"x": 1.0, "y": 1.0}


def test_marks_of_models_are_found_next_to_labels_of_another_kind() -> None:
    marks = random(203).integers(0, 2, (ITEMS, 2))
    names = ["qwen-14b-pointwise", "qwen-14b-pairwise"]
    rows = [(i, "A>B" if i % 2 else "B>A", "mt", *row) for i, row in enumerate(marks.tolist())]
    overview = look_at(["item", "label", "split", *names], rows)
    assert first_means(overview) == pytest.approx(dict(zip(names, marks.mean(axis=0), strict=True)))


def test_a_score_is_a_probability_only_if_it_separates_labels() -> None:
    rows = [(i, "True" if i % 3 else "False", i % 7 / 7) for i in range(2 * ITEMS)]
    overview = look_at(["id", "hallucinated", "repetition_score"], rows)
    assert not any("--prob" in line for line in overview.commands)
    rows = [(i, "True" if i % 3 else "False", (i % 3 + i % 2) / 4) for i in range(2 * ITEMS)]
    overview = look_at(["id", "hallucinated", "repetition_score"], rows)
    assert any("--prob repetition_score" in line for line in overview.commands)


@pytest.mark.parametrize(
    ("names", "note"),
    [(["id", "text", "gold"], "nothing to compare"), (["id", "text", "preference"], "model of each side")],
)
def test_labels_alone_are_noted(names: Sequence[str], note: str) -> None:
    rows = [(i, TEXT.format(i), "AB"[i % 3 % 2]) for i in range(ITEMS)]
    notes = look_at(names, rows).notes
    assert any(note in line for line in notes)


def test_a_constant_text_is_compared_with_references() -> None:
    rows = [(i, "terms may be changed at any time", TEXT.format(i)) for i in range(ITEMS)]
    (first, *_) = look_at(["id", "generated_summary", "reference_summary"], rows).commands
    assert "--target reference_summary --prediction generated_summary --metric chrf" in first


def test_the_parsed_answer_is_scored_and_not_its_raw_text() -> None:
    rows = [{"id": i, "raw_output": "ab"[i % 5 % 2], "gold": "ab"[i % 2], "parsed": "ab"[i % 3 % 2]} for i in range(40)]
    Path("rows.json").write_text(json.dumps({"n": 40, "predictions": rows}))
    overview = howsure.look("rows.json")
    assert "--target predictions.gold --prediction predictions.parsed" in overview.commands[0]
    assert first_means(overview) == pytest.approx(only(row["gold"] == row["parsed"] for row in rows))


def test_lists_may_be_in_columns_whose_names_have_points() -> None:
    spans = [json.dumps([{"start": i, "end": i + 2}]) for i in range(ITEMS)]
    rows = [(f"d{i // 2}", "xy"[i % 2], f'"{cell.replace(chr(34), chr(34) * 2)}"') for i, cell in enumerate(spans)]
    lines = [",".join(map(str, row)) for row in (("doc_id", "WorkerId", "Answer.spans"), *rows)]
    Path("spans.csv").write_text("\n".join(lines))
    assert howsure.look("spans.csv").n == ITEMS


def test_scores_by_people_come_first() -> None:
    grades = random(204).integers(1, 6, (ITEMS * 2, 2))
    rows = [(i // 2, "ab"[i % 2], *row) for i, row in enumerate(grades.tolist())]
    overview = look_at(["item", "model", "density_score", "human_rating"], rows)
    assert first_means(overview) == pytest.approx(means((row[1], row[3]) for row in rows))


def test_columns_of_a_cache_are_not_scores() -> None:
    rows = [("xy"[i % 2], f"r{i // 2}", i % 3 > 0, i * 7 % 5 + 1, i * 3 % 5 + 1) for i in range(40)]
    overview = look_at(["model_used", "response_id", "cache_hit", "accuracy", "clarity"], rows)
    assert "--explode accuracy,clarity --model model_used" in overview.commands[0]


def test_the_name_of_what_is_labelled_decides_between_right_answers() -> None:
    """And all models are compared, whatever the length of their names and their agreement."""
    verdicts = [("RIGHT", "WRONG")[i % 2] for i in range(60)]
    rows = [(i, v, verdicts[i - (i % 5 == 0)], f"a{i}", f"a{i - i % 4 // 3}") for i, v in enumerate(verdicts)]
    names = ["id", "expected_verdict", "majority_verdict", "answer", "ground_truth"]
    assert "--target expected_verdict --prediction majority_verdict" in look_at(names, rows).commands[0]
    labels = random(205).integers(0, 2, (4, 200))
    kept = [200, 120, 80, 2]
    labels[1:] = [[*labels[0][:n], *row[n:]] for n, row in zip(kept[1:], labels[1:], strict=True)]
    names = ["uuid", "label", "flan_t5_base_label", "gpt_4_label", "llama_7b_label"]
    overview = look_at(names, [(f"u{i}", *column) for i, column in enumerate(labels.T.tolist())])
    assert "--explode flan_t5_base_label,gpt_4_label,llama_7b_label --target label" in overview.commands[0]


def test_a_judge_may_leave_labels_undecided() -> None:
    human = ["01X"[i % 3] for i in range(60)]
    rows = [(f"t{i}", human[i - (i % 5 == 0)], label, label if i < 20 else "") for i, label in enumerate(human)]
    overview = look_at(["text", "llm_label", "human_label", "final_label"], rows)
    first = "howsure judge validate rows.csv --score llm_label --target human_label --missing X --skip-missing"
    assert overview.commands[0] == first
    assert run(*shlex.split(first)[1:]).code == 0
