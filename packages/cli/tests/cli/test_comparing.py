"""`howsure calibration compare`: two files, two columns, classes; the numbers of the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed

import howsure


@pytest.fixture
def predictions() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    q = rng.beta(0.6, 0.6, 2000)
    return {
        "gold": (rng.random(2000) < q).astype(int),
        "base": q**1.6,
        "large": q,
        "doc": np.array([f"document {i // 5}" for i in range(2000)]),
        "w": rng.integers(1, 4, 2000),
    }


def write(path: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""]))
    return path


def test_two_files_equal_two_columns(predictions: dict[str, Any], tmp_path: Path) -> None:
    both = write(tmp_path / "both.csv", predictions)
    a = write(tmp_path / "a.csv", {"gold": predictions["gold"], "score": predictions["base"]})
    b = write(tmp_path / "b.csv", {"gold": predictions["gold"], "score": predictions["large"]})
    comparisons = [
        json.loads(printed("calibration", "compare", *arguments, "--target", "gold", "--format", "json"))
        for arguments in ((a, b, "--prob", "score"), (both, "--prob", "base", "--prob", "large"))
    ]
    for comparison in comparisons:
        del comparison["a"], comparison["b"]
    assert comparisons[0] == comparisons[1]
    calls: list[dict[str, Any]] = [
        {"y_prob": "score", "against": howsure.read(b), "data": howsure.read(a)},
        {"y_prob": "base", "against": "large", "data": howsure.read(both)},
    ]
    for options in calls:
        result = howsure.compare_calibration("gold", **options)
        assert result.squared_error_difference.to_dict() == comparisons[0]["squared_error_difference"]
    other = write(tmp_path / "other.csv", {"right": predictions["gold"], "sure": predictions["large"]})
    named = ("--target", "gold", "--target", "right", "--prob", "score", "--prob", "sure")
    by_command = json.loads(printed("calibration", "compare", a, other, *named, "--format", "json"))
    files = {"data": howsure.read(a), "against": howsure.read(other)}
    in_python = howsure.compare_calibration("gold", "score", y_true_against="right", y_prob_against="sure", **files)
    assert in_python.to_dict() == by_command
    assert by_command["error_b"] == comparisons[0]["error_b"]


@pytest.mark.long
def test_the_better_one_is_named(predictions: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "dev.csv", predictions)
    output_by_pair = {
        columns: printed("calibration", "compare", path, "--target", "gold", "--prob", columns[0], "--prob", columns[1])
        for columns in (("base", "large"), ("large", "base"))
    }
    copy = write(tmp_path / "copy.csv", predictions)
    assert output_by_pair["base", "large"].startswith("B is better calibrated than A.\n")
    assert output_by_pair["large", "base"].startswith("A is better calibrated than B.\n")
    same = printed("calibration", "compare", path, copy, "--target", "gold", "--prob", "large")
    assert "No difference in calibration detected" in same


@pytest.mark.long
def test_classes_are_compared_with_rows_as_clusters(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a = rng.dirichlet([1, 1, 1], 600)
    b = 0.7 * a + 0.1
    gold = np.array([rng.choice(3, p=row) for row in a])
    for name, matrix in (("a", a), ("b", b)):
        rows = [{"gold": int(g), "probs": row.tolist()} for g, row in zip(gold, matrix, strict=True)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    common = ("calibration", "compare", *files, "--target", "gold", "--probs-column", "probs", "--format", "json")
    content = json.loads(printed(*common, "--reduce", "class-wise"))
    pairs_a, pairs_b = (howsure.pairs_from_classes(gold, matrix, reduce="class-wise") for matrix in (a, b))
    plain = howsure.compare_calibration(
        pairs_a.labels, pairs_a.probabilities, against=pairs_b.probabilities, clusters=pairs_a.clusters
    )
    fields = howsure.compare_calibration(pairs_a, against=pairs_b).to_dict()
    assert fields["class_wise_brier_difference"] == plain.brier_difference.to_dict()
    assert fields["squared_error_difference"] == plain.squared_error_difference.to_dict()
    assert {key: content[key] for key in fields} == fields
    reduced = json.loads(printed(*common, "--reduce", "2"))
    assert reduced["n"] == 600


def test_rows_skipped_for_both_may_be_skipped(predictions: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "dev.csv", predictions)
    lines = path.read_text().splitlines()
    lines[5] = "," + lines[5].partition(",")[2]
    path.write_text("\n".join(lines))
    common = ("calibration", "compare", path, "--target", "gold", "--prob", "base", "--prob", "large")
    assert run(*common).code == 2
    assert json.loads(printed(*common, "--skip-missing", "--format", "json"))["n"] == 1999


@pytest.fixture
def answers(tmp_path: Path) -> dict[str, Any]:
    """Two models that each answer 2,000 questions: how sure they are, and whether their own answer is right."""
    rng = np.random.default_rng(7)
    a, b = rng.random(2000).round(4), rng.random(2000).round(4)
    return {
        "id": np.arange(2000),
        "right_a": (rng.random(2000) < a).astype(int),
        "right_b": (rng.random(2000) < b**2).astype(int),
        "conf_a": a,
        "conf_b": b,
    }


def test_each_model_has_its_own_label(answers: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "dev.csv", answers)
    probs = ("--prob", "conf_a", "--prob", "conf_b", "--format", "json")
    content = json.loads(printed("calibration", "compare", path, "--target", "right_a", "--target", "right_b", *probs))
    fields = howsure.compare_calibration(
        answers["right_a"], answers["conf_a"], against=answers["conf_b"], y_true_against=answers["right_b"]
    ).to_dict()
    assert {key: content[key] for key in fields} == fields
    assert (content["target_a"], content["target_b"]) == ("right_a", "right_b")
    swapped = run("calibration", "compare", path, "--target", "right_b", *probs)
    assert swapped.code == 2
    assert "--target right_b is named after conf_b" in swapped.err
    same_label = json.loads(
        printed("calibration", "compare", path, "--target", "right_a", "--target", "right_a", *probs)
    )
    assert same_label["error_b"] != content["error_b"]


@pytest.mark.long
def test_two_files_are_paired_by_id_whatever_is_missing(answers: dict[str, Any], tmp_path: Path) -> None:
    """Filtered, shuffled and empty rows: what is left are the items that both models have."""
    rng = np.random.default_rng(8)
    absent = {"a": rng.random(2000) < 0.1, "b": rng.random(2000) < 0.1}
    empty = {"a": rng.random(2000) < 0.1, "b": rng.random(2000) < 0.1}
    for name in "ab":
        order = rng.permutation(np.flatnonzero(~absent[name]))
        rows = [
            f"{i},{answers[f'right_{name}'][i]},{'' if empty[name][i] else answers[f'conf_{name}'][i]}" for i in order
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,right,conf", *rows, ""]))
    files = (tmp_path / "a.csv", tmp_path / "b.csv")
    common = ("calibration", "compare", *files, "--target", "right", "--target", "right", "--prob", "conf")
    comparison = json.loads(printed(*common, "--id", "id", "--skip-missing", "--format", "json"))
    both = ~(absent["a"] | empty["a"] | absent["b"] | empty["b"])
    paired = {name: column[both] for name, column in answers.items()}
    fields = howsure.compare_calibration(
        paired["right_a"], paired["conf_a"], against=paired["conf_b"], y_true_against=paired["right_b"]
    ).to_dict()
    assert {key: comparison[key] for key in fields} == fields
    a, b = (howsure.read(file, skip_missing=True) for file in files)
    in_python = howsure.compare_calibration(
        "right", "conf", against=b, y_true_against="right", id="id", data=a
    ).to_dict()
    assert in_python == comparison
    assert comparison["skipped_a"] == int((empty["a"] & ~absent["a"]).sum())
    used_a = ~(absent["a"] | empty["a"])
    assert comparison["only_a"] == int((used_a & ~both).sum())
    assert "left out because the other model has no such row" in printed(*common, "--id", "id", "--skip-missing")
    assert run(*common, "--id", "id").code == 2


@pytest.mark.long
def test_rows_that_one_of_two_columns_or_files_misses_are_left_out(predictions: dict[str, Any], tmp_path: Path) -> None:
    predictions["large"] = predictions["large"].astype(str)
    predictions["large"][[3, 17]] = ""
    both = write(tmp_path / "both.csv", predictions)
    a = write(tmp_path / "a.csv", {"gold": predictions["gold"], "score": predictions["base"]})
    b = write(tmp_path / "b.csv", {"gold": predictions["gold"], "score": predictions["large"]})
    rest = np.delete(np.arange(2000), [3, 17])
    fields = howsure.compare_calibration(
        predictions["gold"][rest], predictions["base"][rest], against=predictions["large"][rest].astype(float)
    ).to_dict()
    for arguments in ((a, b, "--prob", "score"), (both, "--prob", "base", "--prob", "large")):
        common = ("calibration", "compare", *arguments, "--target", "gold")
        content = json.loads(printed(*common, "--skip-missing", "--format", "json"))
        assert {key: content[key] for key in fields} == fields
        assert run(*common).code == 2


def test_first_choices_are_compared_each_with_its_own_label(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    a, b = rng.dirichlet([1, 1, 1], 600), rng.dirichlet([2, 1, 1], 600)
    gold = np.array([rng.choice(3, p=row) for row in a])
    for name, matrix in (("a", a), ("b", b)):
        rows = [{"gold": int(g), "probs": row.tolist()} for g, row in zip(gold, matrix, strict=True)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    common = ("calibration", "compare", *files, "--target", "gold", "--probs-column", "probs", "--reduce", "top-label")
    content = json.loads(printed(*common, "--format", "json"))
    plain = howsure.compare_calibration(
        a.argmax(1) == gold, a.max(1), against=b.max(1), y_true_against=b.argmax(1) == gold
    )
    ours, theirs = (howsure.pairs_from_classes(gold, matrix) for matrix in (a, b))
    fields = howsure.compare_calibration(ours, against=theirs).to_dict()
    assert fields["top_label_brier_difference"] == plain.brier_difference.to_dict()
    assert fields["squared_error_difference"] == plain.squared_error_difference.to_dict()
    assert {key: content[key] for key in fields} == fields
    assert "label gold (is its first choice right?)" in printed(*common)


def test_errors_of_zero_are_explained(tmp_path: Path) -> None:
    """Two errors that are cut at 0 are not two models without an error."""
    rng = np.random.default_rng(1)
    q = rng.random(300)
    columns_of_models = {"gold": (rng.random(300) < q).astype(int), "a": q, "b": np.clip(q + 0.001, 0, 1), "c": q**3}
    path = write(tmp_path / "dev.csv", columns_of_models)
    common = ("calibration", "compare", path, "--target", "gold", "--prob", "a", "--prob")
    text = printed(*common, "b")
    assert [line.split()[-3] for line in text.splitlines() if line.startswith("error of")] == ["0.00000", "0.00000"]
    assert "The error of A and of B is 0 because the bins differ no more than by chance" in text
    assert "The error of A is 0 because" in printed(*common, "c")


@pytest.mark.long
def test_probabilities_are_read_as_in_other_commands(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    logits = rng.normal(size=(2, 400, 3)).round(3)
    exponentials = np.exp(logits - logits.max(axis=2, keepdims=True))
    probs = exponentials / exponentials.sum(axis=2, keepdims=True)
    gold = np.array([rng.choice(3, p=row) for row in probs[0]])
    names = [[f"{scale}_{model}_{k}" for k in range(3)] for scale in ("z", "lp", "p") for model in "ab"]
    values = np.concatenate([*logits, *np.log(probs), *probs], axis=1)
    columns = dict(zip((name for names_of_model in names for name in names_of_model), values.T, strict=True))
    path = write(tmp_path / "dev.csv", {"gold": gold} | columns)
    options = zip(("--logits", "--logprobs", "--probs"), zip(names[::2], names[1::2], strict=True), strict=True)
    common = ("calibration", "compare", path, "--target", "gold", "--classes", "0,1,2", "--format", "json")
    comparisons = [json.loads(printed(*common, option, ",".join(a), option, ",".join(b))) for option, (a, b) in options]
    fields = howsure.compare_calibration(gold, probs[0], against=probs[1]).to_dict()
    for comparison in comparisons:
        assert comparison["n"] == fields["n"] == 400  # the first choices of each
        for key in ("error_a", "error_b", "squared_error_difference", "multiclass_brier_difference"):
            assert np.allclose(_numbers(comparison[key]), _numbers(fields[key]), atol=1e-12, rtol=1e-9)
    assert comparisons[0]["a"] == f"{path}:z_a_0,z_a_1,z_a_2"


def _numbers(field: Any) -> list[float]:
    return [value for value in field.values() if isinstance(value, float)] if isinstance(field, dict) else [field]


@pytest.mark.long
def test_first_choices_are_compared_as_by_every_other_command(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for name in "ab":
        rows = [{"gold": int(rng.integers(3)), "probs": rng.dirichlet([1, 1, 1]).tolist()} for _ in range(300)]
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(row | {"gold": i % 3}) + "\n" for i, row in enumerate(rows))
        )
    files = (tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    options = ("--target", "gold", "--probs-column", "probs", "--format", "json")
    content = json.loads(printed("calibration", "compare", *files, *options))
    alone = json.loads(printed("calibration", files[0], *options))
    assert content["n"] == 300
    assert content["error_a"] == alone["curves"][0]["error"]


def test_one_logit_per_row_is_a_probability_of_the_label(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 500)).round(3)
    path = write(tmp_path / "dev.csv", {"gold": (rng.random(500) < 0.5).astype(int), "z_a": a, "z_b": b})
    output = printed("calibration", "compare", path, "--target", "gold", "--logits", "z_a", "--logits", "z_b")
    assert "500 pairs, label gold for both" in output
