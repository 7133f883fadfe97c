"""Logs of evaluation programs on the command line: one command reads them, and says what it took them for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howsure.data.logs.conversion import LOGS
from tests.cli.running import howsure as run
from tests.data.logs.writers import lm_eval_sample, lm_eval_text, write_lines, write_lm_eval

SAMPLES = [lm_eval_sample(item, [-1.0 - item % 3, -2.0], item % 2) for item in range(30)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_help_names_every_format() -> None:
    said = " ".join(run("calibration", "curve", "--help").out.split()).replace("- ", "-")
    assert [name for name in LOGS if name not in said] == []


def test_one_command_reads_a_log_and_says_aloud_what_it_took_it_for() -> None:
    path = write_lm_eval(Path(), "small", "task", SAMPLES)
    done = run("calibration", str(path), "--format", "json")
    said = "--target target, --probs-column probabilities, --id item"
    assert (done.code, done.err) == (0, f"{path}: read as a log of lm-evaluation-harness, with {said}.\n")
    read = json.loads(done.out)["recipe"]
    assert (read["format"], read["normalise"], read["rows"]) == ("lm-eval", "none", 30)


def test_one_curve_for_each_model_and_task() -> None:
    for model in ("small", "large"):
        write_lm_eval(Path(), model, "task", SAMPLES)
    done = run("calibration", "*/samples_*.jsonl", "--format", "json")
    assert [curve["group"] for curve in json.loads(done.out)["curves"]] == ["large", "small"]


def test_items_with_several_rows_are_not_summed_in_silence() -> None:
    for model in ("small", "large"):
        write_lm_eval(Path(), model, "task", SAMPLES)
    done = run("calibration", "summary", "*/samples_*.jsonl", "--group", "task", "--output", "small.summary")
    assert done.code == 2
    assert "rows of one item are correlated, which sums do not hold" in done.err
    assert not Path("small.summary").exists()


def test_two_logs_are_compared_item_by_item() -> None:
    other = [lm_eval_sample(item, [-1.5, -2.0 + item % 2], item % 2) for item in reversed(range(30))]
    small, large = (write_lm_eval(Path(), name, "task", held) for name, held in (("s", SAMPLES), ("l", other)))
    done = run("calibration", "compare", str(small), str(large), "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["n"] == 30


def test_a_log_without_probabilities_ends_with_a_word_on_what_it_holds() -> None:
    write_lines(Path("a.jsonl"), [lm_eval_text(0, "a", "b")])
    done = run("calibration", "a.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "howsure: a.jsonl, a log of lm-evaluation-harness, holds no probabilities of answers; it holds the scores "
        "exact_match, which `howsure significance` compares.\n"
    )


def test_scores_of_a_log_can_be_counted() -> None:
    path = write_lm_eval(Path(), "small", "task", SAMPLES)
    done = run("counts", "estimate", str(path), "--prob", "probability", "--target", "acc", "--format", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["recipe"]["format"] == "lm-eval"


def test_the_former_name_of_the_option_leads_to_the_new_one() -> None:
    done = run("calibration", "a.jsonl", "--input-format", "jsonl")
    assert done.code == 2
    assert "It is now called '--from'." in done.err


def test_an_option_of_another_command_leads_there() -> None:
    done = run("check", "calibration", "growing.csv", "--sequential")
    assert done.code == 2
    assert "No such option '--sequential'. howsure monitor is for calibration that is looked at again" in done.err
