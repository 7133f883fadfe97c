"""How fast are logits added up, class by class? Seconds, memory and the ratio to the softmax alone.

`--device cuda` (or cpu) has torch do it, `--pairs 1e9` sets how many pairs of row and class; logits are drawn once for
some rows and used again and again. What a GPU needs at least follows from the bytes that the steps of `of_tensors.py`
move, of which the softmax is one: some 330 bytes a pair, at 2-byte logits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil

from howsure import CalibrationSummary
from howsure.calibration.logits import BLOCK, fill

CLASSES = 50_257  # tokens of GPT-2
AT_ONCE = 400  # rows of a batch


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def of_numpy(batches: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Adding up, and the softmax alone, of float32 arrays."""
    rng = np.random.default_rng(0)
    logits = 3.0 * rng.standard_normal((AT_ONCE, CLASSES), dtype=np.float32)
    targets, rows = rng.integers(0, CLASSES, AT_ONCE), np.arange(AT_ONCE)
    summary = CalibrationSummary()
    some = max(1, BLOCK // CLASSES)
    q = np.empty((some, CLASSES))

    def softmax() -> None:
        for start in range(0, AT_ONCE * batches, some):
            fill(q, logits, rows[start % AT_ONCE : start % AT_ONCE + some])

    return lambda: [summary.add_logits(logits, targets) for _ in range(batches)], softmax


def of_torch(batches: int, device: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """The same, of bfloat16 tensors on a device."""
    import torch

    logits = (3.0 * torch.randn((AT_ONCE, CLASSES), device=device)).bfloat16()
    targets = torch.randint(0, CLASSES, (AT_ONCE,), device=device)
    summary = CalibrationSummary()

    def waited(work: Callable[[], Any]) -> None:
        for _ in range(batches):
            work()
        if device != "cpu":
            torch.cuda.synchronize()

    def softmax() -> object:
        return [
            torch.softmax(some.to(torch.float64), dim=1) for some in logits.split(AT_ONCE if device != "cpu" else 1)
        ]

    return lambda: waited(lambda: summary.add_logits(logits, targets)), lambda: waited(softmax)


def main() -> None:
    """Print a row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=float, default=1e8)
    parser.add_argument("--device", choices=["numpy", "cpu", "cuda"], default="numpy")
    asked = parser.parse_args()
    batches = max(1, round(asked.pairs / (AT_ONCE * CLASSES)))
    adding, softmax = of_numpy(batches) if asked.device == "numpy" else of_torch(batches, asked.device)
    pairs = batches * AT_ONCE * CLASSES
    before = psutil.Process().memory_info().rss
    of_softmax, cpu_of_softmax = seconds(softmax)
    wall, cpu = seconds(adding)
    more = max(0, psutil.Process().memory_info().rss - before) / 2**20
    print("| pairs | by | wall s | CPU s | CPU ns a pair | softmax alone, CPU s | ratio | MB more |")
    print("|---:|---|" + "---:|" * 6)
    print(
        f"| {pairs:,} | {asked.device} | {wall:.1f} | {cpu:.1f} | {1e9 * cpu / pairs:.1f} | {cpu_of_softmax:.1f} | "
        f"{(cpu / cpu_of_softmax if asked.device != 'cuda' else wall / of_softmax):.1f} | {more:.0f} |"
    )
    if asked.device == "cuda":
        print(f"{pairs * 330 / wall / 1e9:,.0f} GB/s of the steps' own traffic")


if __name__ == "__main__":
    main()
