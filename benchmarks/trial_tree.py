"""How long does it take to read a folder with a small JSON document for each trial, as Harbor writes them?

    make bench JOB=trial_tree

Goal: 4 × the time of json.loads for the same files.
"""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from growth import Job, print_growth, print_numpy_import

import howsure

AGENTS = ("alpha", "beta", "gamma", "delta")


def trial(number: int, agent: str, rng: np.random.Generator) -> dict[str, object]:
    """Return a trial's result with the fields of Harbor that howsure reads, and others of about the same size."""
    moments = {"started_at": "2026-01-01T00:00:00.123456", "finished_at": "2026-01-01T00:05:00.5"}
    task, errored = f"task-{number}", rng.random() < 0.05
    settings = dict.fromkeys(("path", "url", "environment", "verifier", "multiplier", "job", "checksum"), 30 * "x")
    error = {"exception_type": "AgentTimeoutError", "exception_traceback": 500 * "x"}
    return {
        "id": rng.bytes(16).hex(),
        "task_name": task,
        "trial_name": f"{task}__{rng.bytes(4).hex()}",
        "source": "benchmark",
        "config": {"task": settings, "agent": settings},
        "agent_info": {"name": agent, "version": "1", "model_info": {"name": f"model-{agent}", "provider": "p"}},
        "agent_result": {"cost_usd": rng.random(), "n_input_tokens": 9_000, "n_output_tokens": 900},
        "verifier_result": None if errored else {"rewards": {"reward": float(rng.random() < 0.5)}},
        "exception_info": error if errored else None,
        **moments,
        **dict.fromkeys(("environment_setup", "agent_setup", "agent_execution", "verifier"), moments),
    }


def tree(folder: Path, n: int) -> tuple[Job, Job]:
    """Return two jobs: the scores of agents from n trials, and the parsing of their files."""
    rng, files = np.random.default_rng(0), list[Path]()
    for number in range(n):
        agent = AGENTS[number % len(AGENTS)]
        result = trial(number // len(AGENTS), agent, rng)
        files.append(folder / str(n) / agent / str(result["trial_name"]) / "result.json")
        files[-1].parent.mkdir(parents=True)
        files[-1].write_text(json.dumps(result, indent=4), encoding="utf-8")
    job = partial(howsure.score_agents, data=howsure.read(str(folder / str(n))), rng=0)
    return job, lambda: [json.loads(file.read_bytes()) for file in files]


def main() -> None:
    """Print how the time grows with the trials."""
    print_numpy_import()
    with tempfile.TemporaryDirectory() as folder:
        prepare, floor = partial(tree, Path(folder)), "json.loads of each file"
        print_growth("score_agents, trials of Harbor", (2_500, 5_000, 10_000), prepare, floor=floor, goal="4 ×")


if __name__ == "__main__":
    main()
