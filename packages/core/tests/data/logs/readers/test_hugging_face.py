"""Arrays of a Trainer and output of pipelines, as transformers 5 writes them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed

import howsure
from howsure.data.logs.arrays import rows
from howsure.data.logs.log_file import Source
from howsure.data.tables.named_files import File

NAMES = ["negative", "neutral", "positive"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made_up(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, shape)
    return (rng.normal(size=(*shape, 3)) + 1.5 * np.eye(3)[labels]).astype(np.float32), labels


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits.astype(np.float64))
    return powers / powers.sum(axis=-1, keepdims=True)


def judged(*files: str, **options: object) -> dict[str, object]:
    typed = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    done = run("calibration", *files, *typed, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_trainers_arrays_are_one_command() -> None:
    logits, labels = made_up(400)
    np.savez("predictions.npz", predictions=logits, label_ids=labels)
    probabilities = softmax(logits)
    right = probabilities.argmax(axis=1) == labels
    expected = howsure.calibration_curve(right, probabilities.max(axis=1))
    (curve,) = judged("predictions.npz")["curves"]
    assert curve["error"]["value"] == pytest.approx(expected.error.value, rel=1e-9)
    assert curve["base_rate"] == right.mean()
    assert "predictions.npz: 400 rows (hf, " in run("calibration", "predictions.npz").out


def test_classes_have_the_names_in_the_config_next_to_them() -> None:
    logits, labels = made_up(200)
    np.savez("predictions.npz", predictions=logits, label_ids=labels)
    Path("config.json").write_text(json.dumps({"id2label": dict(enumerate(NAMES))}))
    by_class = judged("predictions.npz", reduce="class-wise")
    assert sorted(curve["group"] for curve in by_class["curves"]) == NAMES


def test_tokens_without_a_label_do_not_count_and_sentences_are_clusters() -> None:
    logits, labels = made_up(40, 6)
    labels[:, 4:] = np.where(np.arange(40)[:, None] % 2, -100, labels[:, 4:])
    np.savez("predictions.npz", predictions=logits, label_ids=labels)
    (curve,) = judged("predictions.npz")["curves"]
    counting = labels != -100
    probabilities = softmax(logits)[counting]
    sentence = np.repeat(np.arange(40), counting.sum(axis=1))
    right = probabilities.argmax(axis=1) == labels[counting]
    expected = howsure.calibration_curve(right, probabilities.max(axis=1), clusters=sentence)
    assert curve["n"] == counting.sum()
    assert curve["error"]["low"] == pytest.approx(expected.error.low, rel=1e-9)


def test_two_models_are_compared_token_by_token() -> None:
    """However wide each of them padded its sentences."""
    logits, labels = made_up(60, 5)
    wider = np.full((60, 7, 3), -100.0)
    wider[:, :5] = logits / 3
    np.savez("a.npz", predictions=logits, label_ids=labels)
    np.savez("b.npz", predictions=wider, label_ids=np.pad(labels, ((0, 0), (0, 2)), constant_values=-100))
    done = run("calibration", "compare", "a.npz", "b.npz", "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["n"] == 300


def pipeline_output(n: int = 60) -> tuple[list[list[dict[str, object]]], list[str]]:
    """What a text-classification pipeline returns with top_k=None: the classes of each text, the likeliest first."""
    logits, labels = made_up(n)
    rows = [
        sorted(
            ({"label": name, "score": float(p)} for name, p in zip(NAMES, row, strict=True)),
            key=lambda choice: -choice["score"],
        )
        for row in softmax(logits)
    ]
    return rows, [NAMES[label] for label in labels]


@pytest.mark.parametrize("target", ["target", "gold", "label"])
def test_scores_of_a_pipeline_with_the_right_label(target: str) -> None:
    scores, gold = pipeline_output()
    lines = [{"text": "…", target: right, "scores": row} for row, right in zip(scores, gold, strict=True)]
    Path("out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (curve,) = judged("out.jsonl")["curves"]
    right = [row[0]["label"] == label for row, label in zip(scores, gold, strict=True)]
    expected = howsure.calibration_curve(right, [row[0]["score"] for row in scores])
    assert curve["error"]["value"] == pytest.approx(expected.error.value, rel=1e-9)
    assert {curve["group"] for curve in judged("out.jsonl", reduce="class-wise")["curves"]} == set(NAMES)


def test_a_column_of_the_right_labels_may_be_named() -> None:
    """Under whatever name: it was taken for whether the answer is right, and refused."""
    scores, gold = pipeline_output()
    for name in ("gold", "my_label"):
        lines = [{name: right, "scores": row} for row, right in zip(scores, gold, strict=True)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    by_itself = judged("gold.jsonl")["curves"]
    named = [judged(f"{name}.jsonl", target=name) for name in ("gold", "my_label")]
    for judgment in named:
        assert judgment["curves"][0]["error"] == by_itself[0]["error"]
        assert judgment["curves"][0]["multiclass_brier"] == by_itself[0]["multiclass_brier"]


@pytest.mark.parametrize("prefix", ["LABEL_", ""])
def test_numbers_name_the_classes_of_a_model_without_names(prefix: str) -> None:
    scores = [{"label": f"{prefix}2", "score": 0.75}, {"label": f"{prefix}1", "score": 0.25}]
    lines = [{"label": i % 2 + 1, "scores": scores} for i in range(8)]
    Path("out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (curve,) = judged("out.jsonl", bin_size=2)["curves"]
    assert curve["base_rate"] == 0.5


def test_the_best_label_alone() -> None:
    """Without top_k=None, a pipeline returns one label for a text."""
    lines = [{"gold": "a", "answer": {"label": "a" if i % 4 else "b", "score": 0.8}} for i in range(8)]
    Path("out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (curve,) = judged("out.jsonl", bin_size=2)["curves"]
    assert curve["base_rate"] == 0.75


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [(True, "True", "False"), (1, "LABEL_1", "LABEL_0"), (1.0, "1", "2"), ("TRUE", "true", "false"), (1, "1.0", "0.0")],
)
def test_a_label_names_its_class_in_any_spelling(gold: str | float, right: str, wrong: str) -> None:
    """Equal numbers and truth values are equal labels, whether a text has one score or the scores of all classes."""
    lines(*({"gold": gold, "answer": {"label": name, "score": 0.8}} for name in (right, wrong)), name="best.jsonl")
    lines(scored((wrong, 0.25), (right, 0.75), gold=gold), name="whole.jsonl")
    best, (whole,) = (list(rows(Source(File(name, name, "jsonl"), []))) for name in ("best.jsonl", "whole.jsonl"))
    assert [row["correct"] for row in best] == [1, 0]
    assert whole["classes"][whole["target"]] == right


def test_a_table_with_a_label_and_a_score_is_a_table() -> None:
    rows = [{"label": i % 2, "score": 0.25 + 0.5 * (i % 2)} for i in range(8)]
    Path("rows.json").write_text(json.dumps(rows))
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("rows.json", "rows.jsonl"):
        assert "Calibration error 0.25" in printed(
            "calibration", name, "--target", "label", "--prob", "score", "--bin-size", 2
        )


TOKENS = [[{"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ann", "start": 0, "end": 3}]]
GROUPS = [{"entity_group": "PER", "score": 0.9, "word": "Ann", "start": 0, "end": 3}]


def arrays(**changed: object) -> None:
    logits, labels = made_up(4)
    np.savez("bad.npz", **({"predictions": logits, "label_ids": labels} | changed))


def lines(*records: object, name: str = "bad.jsonl") -> None:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


def scored(*pairs: tuple[str, float], **more: object) -> dict[str, object]:
    return {"scores": [{"label": label, "score": score} for label, score in pairs], **more}


WRONG = {
    "bad.npz must contain logits .*their shapes are .4, 3. and .3,": lambda: arrays(label_ids=np.zeros(3, int)),
    "bad.npz has 1 number per row: a score": lambda: arrays(predictions=np.zeros((4, 1))),
    r"indices of the 3 classes, from 0; at \[1\] is 3": lambda: arrays(label_ids=np.array([0, 3, 1, 1])),
    r"at \[2\] is -100": lambda: arrays(label_ids=np.array([0, 1, -100, 1])),
    r"the logits of bad.npz must be finite numbers, but those at \[0\] are not": lambda: arrays(
        predictions=np.full((4, 3), np.nan)
    ),
    "label_ids of bad.npz must be integers, the indices of classes; they are float64. If a text": lambda: arrays(
        label_ids=np.zeros((4, 3))
    ),
    "bad.npz has no rows": lambda: arrays(predictions=np.zeros((2, 4, 3)), label_ids=np.full((2, 4), -100)),
    "bad.npz cannot be read: it is not a complete archive": lambda: (
        arrays(),
        Path("bad.npz").write_bytes(Path("bad.npz").read_bytes()[:300]),
    ),
    "bad.npz has 2 names of labels, but 3 classes": lambda: arrays(label_names=np.array(["a", "b"])),
    "Python objects, which are never unpickled": lambda: arrays(predictions=np.array([None] * 4, dtype=object)),
    "line 1 of bad.jsonl: its scores sum to 0.9, not to 1. Write the scores of all classes": lambda: lines(
        scored(("a", 0.6), ("b", 0.3), gold="a")
    ),
    "line 2 of bad.jsonl: its label 'c' is not one of the classes a, b": lambda: lines(
        scored(("a", 0.6), ("b", 0.4), gold="a"), scored(("a", 0.6), ("b", 0.4), gold="c")
    ),
    "its label 1 cannot be compared with the predicted class 'POSITIVE'. Write the name": lambda: lines(
        scored(("POSITIVE", 0.9), gold=1)
    ),
    "its label True cannot be compared with the predicted class '1'": lambda: lines(scored(("1", 0.9), gold=True)),
    "two of its scores have the same label: a, a": lambda: lines(scored(("a", 0.6), ("a", 0.4), gold="a")),
    "a score must be a probability; it is 1.5": lambda: lines(scored(("a", 1.5), ("b", -0.5), gold="a")),
    "line 2 of bad.jsonl: it has no list of .label, score.": lambda: lines(
        scored(("a", 0.6), ("b", 0.4), gold="a"), {"gold": "a"}
    ),
    "sample 1 of bad.json: a token-classification pipeline writes the best label only": lambda: Path(
        "bad.json"
    ).write_text(json.dumps(TOKENS)),
    "Save the logits with Trainer.predict, and use `howsure sequences spans`": lambda: Path("bad.json").write_text(
        json.dumps(GROUPS)
    ),
    "line 2 of bad.jsonl: it is cut off": lambda: Path("bad.jsonl").write_text(
        json.dumps(scored(("a", 0.6), ("b", 0.4), gold="a")) + '\n{"scores": [{"la'
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_one_sentence(message: str) -> None:
    WRONG[message]()
    (path,) = Path().glob("bad.*")
    done = run("calibration", path)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err), done.err


def test_two_files_side_by_side_are_as_one() -> None:
    logits, labels = made_up(100)
    np.save("predictions.npy", logits)
    np.save("label_ids.npy", labels)
    np.savez("both.npz", predictions=logits, label_ids=labels)
    (from_two_files,), (other,) = (judged("predictions.npy", **{"from": "hf"})["curves"], judged("both.npz")["curves"])
    assert from_two_files["error"] == other["error"]


def test_the_library_reads_them_too() -> None:
    logits, labels = made_up(50)
    np.savez("predictions.npz", logits=logits, label_ids=labels)
    with howsure.read("predictions.npz").predictions() as predictions:
        assert len(predictions.pairs()) == 50
