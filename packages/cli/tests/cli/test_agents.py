"""`howsure score agents`: the answer first, then one table, at most three notes, and a figure of scores and costs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed


@pytest.fixture
def trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    with open("trials.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["agent", "task", "trial", "passed", "error", "dollars"])
        for task in range(60):
            for trial in range(2):
                for agent, skill, dollars in (("good", 9, 1), ("bad", 3, 2)):
                    error = "timeout" if (task + trial) % 15 == 0 else ""
                    passed = int((7 * task + 3 * trial) % 10 < skill)
                    writer.writerow([agent, task, trial, "" if error else passed, error, dollars + task / 100])
    return "trials.csv"


COLUMNS = [
    "--score",
    "passed",
    "--error",
    "error",
    "--cost",
    "dollars",
    "--model",
    "agent",
    "--id",
    "task",
    "--run",
    "trial",
]


def test_it_answers_first(trials: str) -> None:
    lines = printed("score", "agents", trials, *COLUMNS).splitlines()
    assert lines[0].startswith("good scores best, 0.")
    assert lines[0].endswith("significantly better than bad, whatever errored trials would have scored.")
    assert "good is significantly better and cheaper than bad." in lines
    assert "16 trials of 240 errored: timeout (16)." in lines


def test_its_figure_and_report_are_written(trials: str) -> None:
    printed("score", "agents", trials, *COLUMNS, "--figure", "f.svg", "--report", "r.html")
    assert "dominated" in Path("f.svg").read_text()
    assert "dollars of a task, geometric mean" in Path("f.svg").read_text()
    assert "dominated by" in Path("r.html").read_text()


def test_words_of_the_field_lead_to_it(trials: str) -> None:
    assert "howsure score agents" in run("agents", trials).err


def test_a_cost_of_zero_is_refused(trials: str) -> None:
    text = Path(trials).read_text().replace(",1.0\n", ",0.0\n").replace(",1.0\r\n", ",0.0\r\n")
    Path(trials).write_text(text)
    result = run("score", "agents", trials, *COLUMNS)
    assert result.code == 2
    assert "dollars must be above 0" in result.err


def test_a_job_with_errors_leads_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for task in range(12):
        folder = Path("job") / f"task{task}"
        folder.mkdir(parents=True)
        errored = task in (3, 7)
        trial = {
            "task_name": f"task{task}",
            "trial_name": f"task{task}__0",
            "agent_info": {"name": "terminus"},
            "verifier_result": None if errored else {"rewards": {"reward": float(task % 2)}},
            "exception_info": {"exception_type": "AgentTimeoutError"} if errored else None,
        }
        (folder / "result.json").write_text(json.dumps(trial))
    assert "howsure score agents job\n" in printed("look", "job")
    noted = run("score", "job", "--missing-score", "0").err
    assert noted.count("ended in an error") == 1
    assert (
        "2 of 12 rows ended in an error: AgentTimeoutError (2). For means that count them as failed or passed: howsure "
        "score agents." in noted
    )
    assert "errored" not in run("score", "agents", "job").err
