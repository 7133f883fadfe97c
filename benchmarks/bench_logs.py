"""How long does it take to read a log, in units of the time that msgspec takes to parse its lines?

    .venv/bin/python benchmarks/bench_logs.py [--rows 100000]

writes a log of lm-evaluation-harness with four choices a question (900 bytes a row), and prints CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

import howsure


def write_log(path: Path, rows: int) -> None:
    """Write samples in the format of lm-evaluation-harness 0.4.13."""
    rng = np.random.default_rng(0)
    with open(path, "w", encoding="utf-8") as log:
        for item in range(rows):
            likelihoods, target = (-20 * rng.random(4)).tolist(), int(rng.integers(4))
            pairs = [[str(likelihood), "False"] for likelihood in likelihoods]
            requests = {
                f"gen_args_{choice}": {"arg_0": f"Q: {item}?\nA:", "arg_1": f" choice {choice} of item {item}"}
                for choice in range(4)
            }
            sample = {
                "doc_id": item,
                "doc": {"question": f"{item}?", "subject": "physics" if item % 2 else "letters"},
                "target": str(target),
                "arguments": requests,
                "resps": [[pair] for pair in pairs],
                "filtered_resps": pairs,
                "filter": "none",
                "metrics": ["acc", "acc_norm"],
                "doc_hash": rng.bytes(32).hex(),
                "acc": float(likelihoods.index(max(likelihoods)) == target),
                "acc_norm": float(rng.integers(2)),
            }
            log.write(json.dumps(sample) + "\n")


def cpu_seconds(task: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of three runs."""
    times = []
    for _ in range(3):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples_quiz.jsonl"
        write_log(path, rows)

        def parse() -> None:
            decode = msgspec.json.Decoder().decode
            with open(path, "rb") as lines:
                for line in lines:
                    decode(line)

        tasks: dict[str, Callable[[], object]] = {
            "mean_scores": lambda: howsure.mean_scores(data=howsure.read(path)),
            "calibration_curve": lambda: howsure.calibration_curve(data=howsure.read(path)),
        }
        parsing = cpu_seconds(parse)
        print(f"{rows:,} rows; parsing: {parsing:.2f} s")
        for name, task in tasks.items():
            seconds = cpu_seconds(task)
            print(f"{name}: {seconds:.2f} s, {seconds / parsing:.1f} x parsing, {1e6 * seconds / rows:.0f} µs a row")


if __name__ == "__main__":
    main()
