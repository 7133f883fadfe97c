"""Logs of Inspect AI, as a zip and as JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.data.logs.writers import inspect_header, inspect_sample, write_inspect, zip_of_zstd

import howsure
from howsure.data.logs.inspect_ai import rows
from howsure.data.logs.log_file import Source
from howsure.data.tables.named_files import File
from howsure.errors import InputError
from howsure.inputs.frames import Kind

BOTH = {"A": 0.8, "B": 0.1, " B": 0.1}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return list(rows(Source(File(str(path), str(path), {".eval": "zip", ".json": "json"}[path.suffix]))))


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_a_row_names_item_model_task_and_epoch(tmp_path: Path, name: str) -> None:
    samples = [inspect_sample("q1", "B", "A", letters=BOTH), inspect_sample("q1", "B", "B", epoch=2)]
    row, other = rows_of(write_inspect(tmp_path / name, samples))
    named = {key: row[key] for key in ("item", "model", "task", "run", "target", "prediction", "classes", "choice")}
    assert named == {
        "item": "q1",
        "model": "mockllm/model",
        "task": "quiz",
        "run": 1,
        "target": 1,
        "prediction": 0,
        "classes": ["yes", "no"],
        "choice": 0.0,
    }
    assert (other["run"], other["choice"], "log_probabilities" in other) == (2, 1.0, False)


def test_letters_that_differ_by_spaces_are_one_choice(tmp_path: Path) -> None:
    (row,) = rows_of(write_inspect(tmp_path / "log.eval", [inspect_sample("q1", "B", "A", letters=BOTH)]))
    assert [math.exp(probability) for probability in row["log_probabilities"]] == pytest.approx([0.8, 0.2])


def test_where_a_letter_is_not_among_the_tokens_the_answer_has_its_own_probability(tmp_path: Path) -> None:
    sample = inspect_sample("q1", "B", "A", letters={"A": 0.7, "C": 0.1})
    path = write_inspect(tmp_path / "log.eval", [sample])
    assert rows_of(path)[0]["probability"] == pytest.approx(0.7)
    with howsure.read(path).predictions() as predictions:
        assert predictions.columns == {"target": "correct", "prob": "probability", "id": "item"}
        assert predictions.pairs().labels.tolist() == [0]


def test_the_value_of_a_text_is_the_product_of_its_tokens(tmp_path: Path) -> None:
    sample = inspect_sample("q1", "Faust", "Faust", choices=None, letters={"Faust": 0.5}, scores={"match": "C"})
    (row,) = rows_of(write_inspect(tmp_path / "log.json", [sample]))
    assert (row["target"], row["prediction"], row["text_tokens"]) == ("Faust", "Faust", 2)
    assert row["text_probability"] == pytest.approx(math.exp(-0.5) * 0.5)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("C", 1),
        ("I", 0),
        ("P", 0.5),
        ("N", 0),
        (True, 1),
        (3, 3),
        ("0.25", 0.25),
        ("Yes", 1),
        ("false", 0),
        ("x", None),
    ],
)
def test_values_are_numbers_as_inspect_takes_them_and_never_guessed(tmp_path: Path, value: Any, number: Any) -> None:
    (row,) = rows_of(write_inspect(tmp_path / "log.json", [inspect_sample("q1", "A", "A", scores={"judge": value})]))
    assert row.get("judge") == number


def test_a_score_of_several_values_is_several_columns(tmp_path: Path) -> None:
    sample = inspect_sample("q1", "A", "A", scores={"judge": {"style": 4, "facts": "C"}})
    path = write_inspect(tmp_path / "log.json", [sample])
    columns = howsure.read(path).rows({"judge.style": Kind.NUMBER, "judge.facts": Kind.NUMBER}).columns
    assert (columns["judge.style"].tolist(), columns["judge.facts"].tolist()) == ([4], [1])


def test_a_scorer_that_is_called_as_a_column_leaves_the_column_alone(tmp_path: Path) -> None:
    scores = {"target": "C", "correct": "C", "item": 3, "rouge": 0.5}
    (row,) = rows_of(write_inspect(tmp_path / "log.eval", [inspect_sample("q1", "B", "A", scores=scores)]))
    assert (row["item"], row["target"], row["correct"]) == ("q1", 1, 0)
    assert [row[f"score.{name}"] for name in ("target", "correct", "item")] == [1.0, 1.0, 3.0]
    assert row["rouge"] == 0.5


def test_epochs_of_an_item_are_a_cluster(tmp_path: Path) -> None:
    samples = [
        inspect_sample(f"q{at % 3}", "A", "A", epoch=1 + at // 3, letters={"A": 0.9, "B": 0.1}) for at in range(6)
    ]
    with howsure.read([write_inspect(tmp_path / "log.eval", samples)]).predictions() as predictions:
        assert predictions.columns["cluster"] == "item"
        assert len(set(predictions.pairs().clusters.tolist())) == 3


def test_of_members_of_one_name_the_last_counts(tmp_path: Path) -> None:
    samples = [inspect_sample("q1", "A", "A", scores={"judge": number}) for number in (1, 5)]
    members = [("samples/q1_epoch_1.json", json.dumps(sample).encode()) for sample in samples]
    path = tmp_path / "log.eval"
    path.write_bytes(zip_of_zstd([*members, ("header.json", json.dumps(inspect_header()).encode())]))
    assert [row["judge"] for row in rows_of(path)] == [5]


def test_a_run_that_ended_early_is_reported(tmp_path: Path) -> None:
    path = write_inspect(tmp_path / "log.eval", [inspect_sample("q1", "A", "A", letters=BOTH)], status="error")
    with howsure.read(path).predictions() as predictions:
        assert f"{path}: the run ended with status 'error': 1 samples are in its log." in predictions.input_notes
        assert predictions.notes["notes"] == [f"{path}: the run ended with status 'error': 1 samples are in its log."]


HEADER = ("header.json", json.dumps(inspect_header()).encode())
SAMPLE = json.dumps(inspect_sample("q1", "A", "A")).encode()
NAME = "samples/q1_epoch_1.json"
WRONG = [
    ("a run that did not end", zip_of_zstd([("_journal/start.json", b"{}"), (NAME, SAMPLE)]), "that did not end"),
    ("no samples", zip_of_zstd([HEADER]), "log.eval has no rows"),
    ("a later version", zip_of_zstd([("header.json", json.dumps(inspect_header(version=3)).encode())]), "of version 3"),
    ("a sample that is not JSON", zip_of_zstd([HEADER, (NAME, SAMPLE[:-9])]), f"{NAME} in log.eval is not JSON"),
    ("a sample of another program", zip_of_zstd([HEADER, (NAME, b'{"a": 1}')]), "sample 1 of log.eval: it has no id"),
    ("a zip that is cut off", zip_of_zstd([HEADER, (NAME, SAMPLE)])[:-40], "log.eval is not a complete archive"),
    ("a size that is a lie", zip_of_zstd([HEADER, (NAME, SAMPLE)], declared=9), "header.json is damaged"),
    ("a size that fills the memory", zip_of_zstd([HEADER], declared=(1 << 32) - 1), "log.eval cannot be read"),
]


@pytest.mark.parametrize(("content", "message"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_damaged_log_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.eval").write_bytes(content)
    with pytest.raises(InputError, match=message):
        howsure.read("log.eval").predictions()


def of_2024(samples: list[dict[str, Any]], *, version: int) -> dict[str, Any]:
    """A document as Inspect 0.3.46 wrote it (version 2), or 0.3.4 (1): a run without `eval_id`, and one `score`."""
    run = {"run_id": "r", "created": "2024-10-15T12:53:13", "task": "quiz", "task_id": "t", "model": "mockllm/model"}
    document = {"version": version, "status": "success", "eval": run, "plan": {"name": "plan", "steps": []}}
    if version == 2:
        return document | {"results": {"scores": [{"name": "match", "metrics": {}}]}, "samples": samples}
    scorer = {"name": "match", "params": {}}
    whole = [{name: value for name, value in sample.items() if name != "scores"} for sample in samples]
    samples_of_2024 = [
        older_sample | {"score": sample["scores"]["match"]} for older_sample, sample in zip(whole, samples, strict=True)
    ]
    return document | {"results": {"scorer": scorer, "metrics": {}}, "samples": samples_of_2024, "logging": []}


@pytest.mark.parametrize("version", [1, 2])
def test_logs_of_2024_are_logs_of_inspect(tmp_path: Path, version: int) -> None:
    scores = [{"match": "C"}, {"match": "I"}]
    samples = [
        inspect_sample(f"q{at}", "A", "A", letters=BOTH, scores=sample_scores)
        for at, sample_scores in enumerate(scores)
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(of_2024(samples, version=version), indent=2), encoding="utf-8")
    with howsure.read(path).predictions() as predictions:
        assert predictions.notes["format"] == "inspect"
        assert (predictions.n, predictions.columns["probs_column"]) == (2, "probabilities")
    assert howsure.read(path).rows({"match": Kind.NUMBER}).columns["match"].tolist() == [1.0, 0.0]


def test_a_score_without_the_name_of_its_scorer_is_called_score(tmp_path: Path) -> None:
    document = of_2024([inspect_sample("q1", "A", "A", scores={"match": "C"})], version=1) | {"results": None}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert rows_of(path)[0]["score"] == 1.0


def test_an_empty_log_among_others_is_left_out(tmp_path: Path) -> None:
    write_inspect(tmp_path / "a.json", [])
    write_inspect(tmp_path / "b.json", [inspect_sample(f"q{at}", "A", "A", scores={"match": "C"}) for at in range(4)])
    overview = howsure.look(tmp_path)
    assert overview.n == 4
    assert f"{tmp_path / 'a.json'}: it has no rows, and is left out." in overview.notes
