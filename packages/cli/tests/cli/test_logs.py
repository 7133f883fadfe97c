"""Logs of evaluation programs on the command line: one command reads them, and says what it took them for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import howsure as run
from tests.data.logs.writers import lm_eval_sample, write_lm_eval

from howsure.data.logs.conversion import LOGS

SAMPLES = [lm_eval_sample(item, [-1.0 - item % 3, -2.0], item % 2) for item in range(30)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_help_names_every_format() -> None:
    help_text = " ".join(run("help", "input").out.split()).replace("- ", "-")
    assert [name for name in LOGS if name not in help_text] == []


def test_the_format_and_the_columns_of_a_log_are_in_the_line_below_the_table() -> None:
    path = write_lm_eval(Path(), "small", "task", SAMPLES)
    done = run("calibration", str(path))
    assert (done.code, done.err) == (0, "")
    assert f"{path}: 30 rows (lm-eval, target, probabilities). 95% intervals.\n" in done.out
    recipe = json.loads(run("calibration", str(path), "--format", "json").out)["recipe"]
    assert (recipe["format"], recipe["normalise"], recipe["rows"]) == ("lm-eval", "none", 30)


def test_one_curve_for_each_model_and_task() -> None:
    for model in ("small", "large"):
        write_lm_eval(Path(), model, "task", SAMPLES)
    done = run("calibration", "*/samples_*.jsonl", "--format", "json")
    assert [curve["group"] for curve in json.loads(done.out)["curves"]] == ["large", "small"]


def test_two_logs_are_compared_item_by_item() -> None:
    other = [lm_eval_sample(item, [-1.5, -2.0 + item % 2], item % 2) for item in reversed(range(30))]
    small, large = (write_lm_eval(Path(), name, "task", samples) for name, samples in (("s", SAMPLES), ("l", other)))
    done = run("calibration", "compare", str(small), str(large), "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["n"] == 30


def test_scores_of_a_log_can_be_counted() -> None:
    path = write_lm_eval(Path(), "small", "task", SAMPLES)
    done = run("counts", "estimate", str(path), "--prob", "probability", "--target", "acc", "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["format"] == "lm-eval"
