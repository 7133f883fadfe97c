"""Details of lighteval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.data.logs.lighteval import rows
from howsure.data.logs.source import Source
from howsure.data.tables.named_files import File
from howsure.errors import InputError
from tests.data.logs.writers import lighteval_detail, write_lighteval, write_parquet

DETAILS = [lighteval_detail(0, [-1.0, -2.0], 0), lighteval_detail(1, [-1.0, -3.0], 1)]


def read(path: Path) -> list[dict[str, Any]]:
    return list(rows(Source(File(str(path), str(path), "parquet"))))


def test_a_row_names_item_model_and_task(tmp_path: Path) -> None:
    row, _ = read(write_lighteval(tmp_path, "org/small", DETAILS))
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
    (row,) = read(write_lighteval(tmp_path / "a", "small", [several]))
    assert (row["target"], row["targets"]) == (None, [0, 1])
    (row,) = read(write_lighteval(tmp_path / "b", "small", [text]))
    assert (row["target"], row["prediction"], "log_probabilities" in row) == (" no", " yes", False)


def test_the_layout_of_former_versions_is_refused(tmp_path: Path) -> None:
    former = write_parquet(
        tmp_path / "details_quiz.parquet", [{"choices": ["a"], "gold_index": [0], "metrics": {"acc": 1}}]
    )
    with pytest.raises(InputError, match=r"has the columns of former versions of lighteval"):
        howsure.read(former).predictions()


def test_a_table_of_another_kind_is_refused_where_it_is_called_a_log(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sample 1 of .*: it must have doc, metric, model_response"):
        howsure.read([write_parquet(tmp_path / "table.parquet", [{"a": 1}])], format="lighteval").predictions()
