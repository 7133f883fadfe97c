"""Typed decisions with probabilities, in both shapes that vendors write; their labels in the log or in a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.data.logs.writers import decisions_by_name, decisions_in_a_list, write_lines

import howsure
from howsure.data.logs.decisions import rows
from howsure.data.logs.log_file import Row, Source
from howsure.data.tables.named_files import File
from howsure.errors import InputError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_and_notes(*records: dict[str, Any]) -> tuple[list[Row], list[str]]:
    path = str(write_lines(Path("log.jsonl"), records))
    source = Source(File(path, path, "jsonl"))
    return list(rows(source)), source.notes


def test_answers_by_name() -> None:
    spam, tone, urgency = rows_and_notes(decisions_by_name("r1"))[0]
    assert spam == {
        "item": "r1",
        "model": "jev-1",
        "task": "spam",
        "classes": ["false", "true"],
        "probabilities": [0.25, 0.75],
        "prediction": 1,
        "target": 1,
    }
    assert (tone["classes"], tone["probabilities"]) == (["angry", "calm", "excited"], [0.25, 0.625, 0.125])
    assert (tone["prediction"], tone["target"]) == (1, 1)
    assert (urgency["classes"], urgency["target"]) == (["0", "1", "2"], 2)
    assert "prediction" not in urgency  # the likeliest level, which follows


def test_answers_in_a_list() -> None:
    rows_read, notes = rows_and_notes(decisions_in_a_list("r1"))
    assert [row["task"] for row in rows_read] == ["spam", "keep", "3", "tone"]
    assert (rows_read[0]["probabilities"], rows_read[0]["target"]) == ([0.25, 0.75], 0)
    assert (rows_read[1]["classes"], rows_read[1]["prediction"], rows_read[1]["target"]) == (["true", "'true'"], 0, 0)
    assert "probabilities" not in rows_read[3]
    assert notes == ["log.jsonl: 1 of 4 answers are refusals, which have no probabilities."]


def test_a_text_is_not_a_truth_value() -> None:
    rows_read, _ = rows_and_notes(decisions_in_a_list("r1", keep="'true'"))
    assert rows_read[1]["target"] == 1


def test_boxes_and_aliases_are_reported() -> None:
    rows_read, notes = rows_and_notes(decisions_by_name("r1", model="jev-latest"))
    assert [row["task"] for row in rows_read] == ["spam", "tone", "urgency"]
    assert notes == [
        "log.jsonl: 1 answers are left out, because answers of their type (box) have no probabilities.",
        "log.jsonl: jev-latest is an alias, which may name another model later.",
    ]


def test_the_model_behind_an_alias_can_be_named(tmp_path: Path) -> None:
    responses = [
        decisions_by_name("r1", model="jev-latest"),
        decisions_by_name("r2", model="jev-1"),
        {"id": "r3", "answers": decisions_by_name("r3")["response"]["answers"], "labels": {"spam": False}},
    ]
    path = write_lines(tmp_path / "log.jsonl", responses)
    table = howsure.mean_scores(data=howsure.read(path, model_version="jev-2", skip_missing=True))
    spam = {row.model: row.n for row in table if row.group == "spam"}
    assert spam == {"jev-1": 1, "jev-2": 2}
    assert table.recipe["model_version"] == "jev-2"
    assert not any("is an alias" in note for note in table.recipe["notes"])
    named = write_lines(tmp_path / "named.jsonl", [decisions_by_name("r1")])
    with pytest.raises(InputError, match=r"replaces an alias, but every response of .* names its model"):
        howsure.mean_scores(data=howsure.read(named, model_version="jev-2"))


def calibrated(n: int, *, listed: bool = False) -> list[tuple[float, bool]]:
    rng = np.random.default_rng(2)
    chances = rng.uniform(size=n).round(6).tolist()
    judgments = [(p, bool(rng.random() < p)) for p in chances]
    with open("log.jsonl", "w") as log, open("labels.csv", "w") as table:
        print("custom_id,task,gold", file=table)
        for at, (p, right) in enumerate(judgments):
            predicate = (
                {"type": "predicate", "name": "spam", "probability": p} if listed else {"type": "noul", "noul": p}
            )
            answers = [predicate] if listed else {"spam": predicate}
            print(json.dumps({"id": at, "model": "m", "answers": answers}), file=log)
            print(f"{at},spam,{'yes' if right else 0}", file=table)
    return judgments


@pytest.mark.parametrize("listed", [False, True])
def test_labels_are_joined_by_id_and_question(listed: bool) -> None:
    judgments = calibrated(400, listed=listed)
    files = howsure.read("log.jsonl", labels_from="labels.csv")
    probabilities = howsure.Probabilities("probs_column", "probabilities", reduce="true", classes=["false", "true"])
    curve = howsure.calibration_curve(y_prob=probabilities, data=files)
    direct = howsure.calibration_curve([right for _, right in judgments], [p for p, _ in judgments])
    assert curve.error.value == pytest.approx(direct.error.value, abs=1e-12)
    means = howsure.mean_scores(data=files)
    assert means.recipe["labels_from"] == "labels.csv"
    assert means[0].mean.value == np.mean([(p >= 0.5) == right for p, right in judgments])


def test_rows_without_a_label_are_counted() -> None:
    calibrated(40)
    lines = Path("labels.csv").read_text().splitlines()
    Path("labels.csv").write_text("\n".join(lines[:-3]) + "\n")
    done = run("score", "log.jsonl", "--labels-from", "labels.csv", "--skip-missing")
    assert done.code == 0
    assert "log.jsonl: 3 of 40 rows have no label in labels.csv." in done.err


def test_any_log_may_have_its_labels_in_a_table() -> None:
    Path("log.jsonl").write_text('{"id": "a", "model": "m", "answers": {"q": {"type": "noul", "noul": 0.5}}}\n')
    Path("labels.csv").write_text("id,label\na,1\n")
    assert run("score", "log.jsonl", "--labels-from", "labels.csv").code == 0


def test_a_log_without_labels_says_how_to_join_them() -> None:
    calibrated(40)
    assert howsure.look("log.jsonl").commands == ("howsure calibration log.jsonl --labels-from labels.csv",)
    Path("labels.csv").unlink()
    overview = howsure.look("log.jsonl")
    assert overview.commands == ()
    assert "--labels-from labels.csv" in overview.text()
