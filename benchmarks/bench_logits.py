"""How fast are logits added up class by class? Seconds, memory, and the ratio to the softmax alone.

`--device cuda` (or cpu) uses torch, and `--pairs 1e9` sets the number of pairs (row, class). Logits are drawn once for
some rows, which are used repeatedly. A lower limit for a GPU follows from the bytes that the steps of `logits.py` move:
about 240 bytes a pair for 2-byte logits (the softmax is one of the steps). The last line compares the time with that of
a copy.
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
AT_ONCE = {"numpy": 400, "cpu": 400, "cuda": 4_000}  # rows of a batch


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock and CPU seconds of a job."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def of_numpy(batches: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """Time adding up float32 arrays, and the softmax alone."""
    rng = np.random.default_rng(0)
    at_once = AT_ONCE["numpy"]
    logits = 3.0 * rng.standard_normal((at_once, CLASSES), dtype=np.float32)
    targets, rows = rng.integers(0, CLASSES, at_once), np.arange(at_once)
    summary = CalibrationSummary()
    some = max(1, BLOCK // CLASSES)
    q = np.empty((some, CLASSES))

    def softmax() -> None:
        for start in range(0, at_once * batches, some):
            fill(q, logits, rows[start % at_once : start % at_once + some])

    return lambda: [summary.add_logits(logits, targets) for _ in range(batches)], softmax


def of_torch(batches: int, device: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """Time adding up bfloat16 tensors on a device, and the softmax alone."""
    import torch

    at_once = AT_ONCE[device]
    logits = (3.0 * torch.randn((at_once, CLASSES), device=device)).bfloat16()
    targets = torch.randint(0, CLASSES, (at_once,), device=device)
    summary = CalibrationSummary()

    def waited(work: Callable[[], Any]) -> None:
        for _ in range(batches):
            work()
        if device != "cpu":
            torch.cuda.synchronize()

    def softmax() -> object:
        return [torch.softmax(some.to(torch.float64), dim=1) for some in logits.split(400 if device != "cpu" else 1)]

    return lambda: waited(lambda: summary.add_logits(logits, targets)), lambda: waited(softmax)


def bandwidth() -> float:
    """Return how many GB per second a copy on the device reads and writes."""
    import torch

    tensor = torch.zeros(1 << 28, dtype=torch.float64, device="cuda")
    copies = 50

    def copy() -> None:
        for _ in range(copies):
            tensor.clone()
        torch.cuda.synchronize()

    copy()
    return 2 * copies * tensor.nbytes / seconds(copy)[0] / 1e9


def main() -> None:
    """Print a row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=float, default=1e8)
    parser.add_argument("--device", choices=["numpy", "cpu", "cuda"], default="numpy")
    options = parser.parse_args()
    at_once = AT_ONCE[options.device]
    batches = max(1, round(options.pairs / (at_once * CLASSES)))
    adding, softmax = of_numpy(batches) if options.device == "numpy" else of_torch(batches, options.device)
    pairs = batches * at_once * CLASSES
    before = psutil.Process().memory_info().rss
    if options.device == "cuda":
        adding()  # the first time, the device makes ready
    of_softmax, cpu_of_softmax = seconds(softmax)
    wall, cpu = seconds(adding)
    more = max(0, psutil.Process().memory_info().rss - before) / 2**20
    print("| pairs | by | wall s | CPU s | CPU ns a pair | softmax alone, CPU s | ratio | MB more |")
    print("|---:|---|" + "---:|" * 6)
    print(
        f"| {pairs:,} | {options.device} | {wall:.1f} | {cpu:.1f} | {1e9 * cpu / pairs:.1f} | {cpu_of_softmax:.1f} | "
        f"{(cpu / cpu_of_softmax if options.device != 'cuda' else wall / of_softmax):.1f} | {more:.0f} |"
    )
    if options.device == "cuda":
        moved, copied = pairs * 240 / wall / 1e9, bandwidth()
        print(f"{moved:,.0f} GB/s of the steps' own traffic, {moved / copied:.2f} of a copy's {copied:,.0f} GB/s")


if __name__ == "__main__":
    main()
