"""Logs of agents: which trials have no result, and how these count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howsure.data.logs.agents import _swe_bench, _tau2
from howsure.data.logs.log_file import Source
from howsure.data.tables.named_files import File


def test_instances_of_swe_bench_without_a_result_count_as_not_resolved(tmp_path: Path) -> None:
    report = {"total_instances": 6, "submitted_ids": ["a-1", "a-2", "a-3", "a-4", "a-5"], "resolved_ids": ["a-1"]}
    report |= {"error_ids": ["a-3"], "empty_patch_ids": ["a-4", "a-5"]}
    path, notes = tmp_path / "model.run.json", list[str]()
    path.write_text(json.dumps(report), encoding="utf-8")
    rows = _swe_bench(Source(File(str(path), "run", "json"), notes))
    assert {row["item"]: row["resolved"] for row in rows} == {"a-1": 1, "a-2": 0, "a-3": 0, "a-4": 0, "a-5": 0}
    assert notes == [
        "run: 1 of 6 instances was not submitted.",
        "run: instances with an error (1) or no patch (2) count as not resolved.",
    ]


@pytest.mark.parametrize(("kind", "model"), [("llm_agent", "m"), (None, "m"), ("retry_agent", "retry_agent/m")])
def test_agents_of_tau2_with_the_same_model_are_kept_apart(kind: str | None, model: str, tmp_path: Path) -> None:
    info = {"agent_info": {"implementation": kind, "llm": "m"}}
    document = {"info": info, "simulations": [{"task_id": "1", "reward_info": {"reward": 1.0}}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert [row["model"] for row in _tau2(Source(File(str(path), "x", "json"), []))] == [model]
