"""Logs of lm-evaluation-harness and lighteval."""

from __future__ import annotations

import gzip
import io
import math
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.writers import (
    lighteval_detail,
    lm_eval_sample,
    lm_eval_text,
    write_lighteval,
    write_lines,
    write_lm_eval,
)

import howsure
from howsure.data.logs import lighteval
from howsure.data.logs.lm_eval import rows
from howsure.data.logs.log_file import Block, Source, single_rows
from howsure.data.tables.named_files import File
from howsure.errors import InputError


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [row for block in rows(Source(File(str(path), str(path), "jsonl"))) for row in single_rows(block)]


def test_a_row_names_item_model_task_prompt_and_filter(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "org/small", "hella_swag", [lm_eval_sample(7, [-1.0, -2.0], 0)], shots=5)
    (row,) = rows_of(path)
    named = {name: row[name] for name in ("item", "model", "task", "prompt", "run", "target", "classes", "acc")}
    assert named == {
        "item": 7,
        "model": "org/small",
        "task": "hella_swag",
        "prompt": "5-shot",
        "run": "none",
        "target": 0,
        "classes": ["no", "yes"],
        "acc": 1.0,
    }
    assert row["log_probabilities"] == [-1.0, -2.0]


def test_lines_converted_together_give_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [lm_eval_sample(item, [-1.0, -2.0 * item], item % 2) for item in range(6)]
    samples += [lm_eval_sample(6, [-3.0, -2.0, -1e-30], 2, choices=["a", "b", "é"]), samples[0] | {"target": "[0, 1]"}]
    samples += [samples[0] | {"acc": True}, samples[0] | {"acc": None}, samples[0] | {"acc_mutual_info": 1}]
    samples += [samples[0] | {"filtered_resps": [[-1, False], [-2.5, True]]}, samples[0] | {"doc_id": 10**30}]
    samples += [samples[0] | {"metrics": ["acc", "target"]}, samples[0] | {"target": "yes"}, samples[0] | {"Acc": 2}]
    samples += [lm_eval_text(7, "Faust", "Faust") | {"doc_hash": "e", "target": target} for target in ("Faust", 3)]
    samples += [samples[0] | {"acc": math.nan}, lm_eval_sample(8, [-1.0, -1.0], 0, choices=["same", "same"])]
    path = write_lm_eval(tmp_path, "small", "task", samples)
    single = {}
    for size in (1, 1 << 10, 1 << 17):
        monkeypatch.setattr("howsure.data.logs.log_file.CHUNK", size)
        blocks = list(rows(Source(File(str(path), str(path), "jsonl"))))
        single[size] = repr([list(row.items()) for block in blocks for row in single_rows(block)])
        assert any(isinstance(block, Block) for block in blocks) == (size < 1 << 17)
    monkeypatch.setattr("howsure.data.logs.lm_eval._block", lambda *_: None)
    one_by_one = repr([list(row.items()) for row in rows_of(path)])
    assert set(single.values()) == {one_by_one}


def test_a_skipped_response_must_be_utf_8(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "a.jsonl", [lm_eval_sample(0, [-1.0, -2.0], 0)]).read_bytes()
    (tmp_path / "a.jsonl").write_bytes(lines.replace(b'"resps": [[[', b'"resps": ["\xff", [['))
    with pytest.raises(InputError, match=r"line 1 of .*: it is not JSON"):
        rows_of(tmp_path / "a.jsonl")


def test_without_results_next_to_it_the_folder_names_the_model(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "small", "task", [lm_eval_sample(0, [-1.0, -2.0], 0)])
    next(path.parent.glob("results_*")).unlink()
    (row,) = rows_of(path)
    assert (row["model"], row["task"], row["prompt"]) == ("small", "task", None)


@pytest.mark.parametrize(
    ("name", "task"), [("samples_a_b_2026-01-01.jsonl", "a_b"), ("samples_mmlu_0.jsonl", "mmlu_0"), ("my.jsonl", None)]
)
def test_the_name_of_the_file_names_the_task(tmp_path: Path, name: str, task: str | None) -> None:
    assert rows_of(write_lines(tmp_path / name, [lm_eval_sample(0, [-1.0, -2.0], 0)]))[0]["task"] == task


@pytest.mark.parametrize("responses", ["Faust", ["Faust"], [["Faust"]]])
def test_a_generated_text_may_be_in_nested_lists(tmp_path: Path, responses: object) -> None:
    (row,) = rows_of(
        write_lines(tmp_path / "a.jsonl", [lm_eval_text(0, "Faust", "Faust") | {"filtered_resps": responses}])
    )
    assert row["prediction"] == "Faust"


def test_an_older_layout_of_numbers_and_lists_is_the_same(tmp_path: Path) -> None:
    now = lm_eval_sample(0, [-1.5, -0.25], 1)
    old = now | {"target": 1, "filtered_resps": [[-1.5, False], [-0.25, True]]}
    old["arguments"] = [["Q: 0?\nA:", " no"], ["Q: 0?\nA:", " yes"]]
    for key in ("filter", "metrics"):
        del old[key]
    current, other = (
        rows_of(write_lines(tmp_path / name, [sample]))[0] for name, sample in (("a.jsonl", now), ("b.jsonl", old))
    )
    same = ("item", "classes", "log_probabilities", "target", "acc")
    assert {name: current[name] for name in same} == {name: other[name] for name in same}


def test_lines_of_both_layouts_are_read_together(tmp_path: Path) -> None:
    old = lm_eval_sample(1, [-1.5, -0.25], 1) | {"target": 1, "filtered_resps": [[-1.5, False], [-0.25, True]]}
    rows_read = rows_of(write_lines(tmp_path / "a.jsonl", [lm_eval_sample(0, [-1.5, -0.25], 1), old]))
    assert [(row["target"], row["log_probabilities"]) for row in rows_read] == [(1, [-1.5, -0.25])] * 2


def test_packed_logs_and_standard_input_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = write_lm_eval(tmp_path, "small", "quiz", [lm_eval_sample(at, [-1.0, -2.0], at % 2) for at in range(4)])
    packed = plain.with_name(f"{plain.name}.gz")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(plain.read_bytes())))
    for path in (plain, packed, "-"):
        with howsure.read(path).predictions() as predictions:
            assert predictions.notes["format"] == "lm-eval"
            assert predictions.pairs().labels.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("target", "position"),
    [("1", 1), (1, 1), ("yes", 1), ("no", 0), ("[1]", 1), ("['yes']", 1), ("maybe", None), ("2", None)],
)
def test_a_target_is_a_position_or_a_text(tmp_path: Path, target: object, position: int | None) -> None:
    sample = lm_eval_sample(0, [-1.0, -2.0], 0) | {"target": target}
    assert rows_of(write_lines(tmp_path / "a.jsonl", [sample]))[0]["target"] == position


def test_several_right_choices_are_kept(tmp_path: Path) -> None:
    sample = lm_eval_sample(0, [-3.0, -1.0, -2.0], 0, choices="abc") | {"target": "[1, 2]"}
    (row,) = rows_of(write_lines(tmp_path / "a.jsonl", [sample]))
    assert (row["target"], row["targets"]) == (None, [1, 2])


def test_numeric_choices_are_distinguished_from_positions_by_another_line_or_the_accuracy(tmp_path: Path) -> None:
    numbers = {"choices": ["1", "2", "0"]}
    doubtful = lm_eval_sample(0, [-1.0, -2.0, -3.0], 1, **numbers, scores={})
    with pytest.raises(
        InputError, match=r"line 1 of .*: its target is the text of one choice and the position of anot"
    ):
        rows_of(write_lines(tmp_path / "a.jsonl", [doubtful]))
    text = [doubtful, lm_eval_sample(1, [-1.0, -2.0], "yes", scores={})]
    assert [row["target"] for row in rows_of(write_lines(tmp_path / "b.jsonl", text))] == [0, 1]
    position = [doubtful, lm_eval_sample(1, [-1.0, -2.0], 1, scores={})]
    assert [row["target"] for row in rows_of(write_lines(tmp_path / "c.jsonl", position))] == [1, 1]
    right = lm_eval_sample(0, [-1.0, -2.0, -3.0], 1, **numbers, scores={"acc": 1.0})  # the likeliest is the text "1"
    assert rows_of(write_lines(tmp_path / "d.jsonl", [right]))[0]["target"] == 0


def test_mutual_information_asks_each_choice_twice_and_the_question_counts(tmp_path: Path) -> None:
    sample = lm_eval_sample(0, [-1.0, -2.0], 0, scores={"acc": 1.0, "acc_mutual_info": 0.0})
    sample["filtered_resps"] += [["-0.5", "False"], ["-0.75", "False"]]
    for at, text in ((2, " no"), (3, " yes")):
        sample["arguments"][f"gen_args_{at}"] = {"arg_0": "", "arg_1": text}
    (row,) = rows_of(write_lines(tmp_path / "a.jsonl", [sample]))
    assert (row["log_probabilities"], row["classes"]) == ([-1.0, -2.0], ["no", "yes"])


def test_where_the_questions_differ_and_not_the_choices_the_accuracy_says_which_is_right(tmp_path: Path) -> None:
    sample = lm_eval_sample(0, [-1.0, -2.0], 0, scores={"acc": 0.0})
    for at, name in enumerate(("Ann", "Bea")):
        sample["arguments"][f"gen_args_{at}"] = {"arg_0": f"the cup broke as {name}", "arg_1": " fell."}
    sample["target"] = " fell."
    (row,) = rows_of(write_lines(tmp_path / "a.jsonl", [sample]))
    assert (row["target"], row["classes"]) == (1, ["the cup broke as Ann", "the cup broke as Bea"])


def test_texts_that_were_generated_have_scores_and_no_probabilities(tmp_path: Path) -> None:
    lines = [lm_eval_text(0, "Faust", "Faust", filter="strict"), lm_eval_text(0, "lol", "Faust", filter="loose")]
    rows_read = rows_of(write_lines(tmp_path / "a.jsonl", lines))
    assert [(row["run"], row["prediction"], row["target"], row["exact_match"]) for row in rows_read] == [
        ("strict", "Faust", "Faust", 1.0),
        ("loose", "lol", "Faust", 0.0),
    ]
    assert all("log_probabilities" not in row for row in rows_read)


@pytest.mark.parametrize(("way", "best"), [("none", 0), ("characters", 1), ("bytes", 0)])
def test_probabilities_are_a_softmax_of_the_log_likelihoods(tmp_path: Path, way: str, best: int) -> None:
    sample = lm_eval_sample(0, [-2.0, -3.0], 1, choices=["ab", "cdef"])
    sample["arguments"]["gen_args_0"]["arg_1"] = " aü"  # two characters, three bytes
    path = write_lines(tmp_path / "a.jsonl", [sample])
    lengths = {"none": (1, 1), "characters": (2, 4), "bytes": (3, 4)}[way]
    logits = [-2.0 / lengths[0], -3.0 / lengths[1]]
    with howsure.read(path, normalise=way).predictions() as predictions:
        pairs = predictions.pairs()
    p = math.exp(max(logits)) / sum(map(math.exp, logits))
    assert pairs.probabilities.tolist() == pytest.approx([p], abs=1e-12)
    assert pairs.labels.tolist() == [int(best == 1)]


DETAILS = [lighteval_detail(0, [-1.0, -2.0], 0), lighteval_detail(1, [-1.0, -3.0], 1)]


def read_lighteval(path: Path) -> list[dict[str, Any]]:
    return list(lighteval.rows(Source(File(str(path), str(path), "parquet"))))


def test_a_row_names_item_model_and_task(tmp_path: Path) -> None:
    row, _ = read_lighteval(write_lighteval(tmp_path, "org/small", DETAILS))
    named = {
        key: row[key] for key in ("item", "model", "task", "target", "classes", "tokens", "acc", "log_probabilities")
    }
    assert named == {
        "item": "0",
        "model": "org/small",
        "task": "quiz|0",
        "target": 0,
        "classes": [" no", " yes"],
        "tokens": [2, 3],
        "acc": 1,
        "log_probabilities": [-1.0, -2.0],
    }


def test_the_command_needs_no_options(tmp_path: Path) -> None:
    with howsure.read([write_lighteval(tmp_path, "small", DETAILS)], normalise="tokens").predictions() as predictions:
        assert predictions.notes["format"] == "lighteval"
        assert predictions.pairs().labels.tolist() == [1, 0]  # -1/2 against -2/3, and -1/2 against -1


def test_several_right_choices_and_generated_texts(tmp_path: Path) -> None:
    several, text = lighteval_detail(0, [-1.0, -2.0], [0, 1]), lighteval_detail(1, [-1.0], 0)
    text["model_response"] |= {"logprobs": [], "text": [" yes"]}
    (row,) = read_lighteval(write_lighteval(tmp_path / "a", "small", [several]))
    assert (row["target"], row["targets"]) == (None, [0, 1])
    (row,) = read_lighteval(write_lighteval(tmp_path / "b", "small", [text]))
    assert (row["target"], row["prediction"], "log_probabilities" in row) == (" no", " yes", False)
