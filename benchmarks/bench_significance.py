"""How fast are 10,000 full-size replicates of four metrics for two systems, and how much memory do they take?

Data: labels of 2 and 10 classes, and distributions over 3 classes. The two systems are correct on the same items more
often than by chance. howsure's time is that of the public call, `howsure.significance.compare(method="bootstrap")`,
from checks to adjusted p-values and intervals, in its own process: the CPU seconds of the fastest of several calls, and
the peak memory of the process.

Two peers are timed in the same run: BooStSa (`Bootstrap.test`, its four metrics) on sub-samples of half the items, the
largest that it accepts, timed on a few loops and scaled to 10,000; and `scipy.stats.bootstrap(paired=True)` of the
difference in one metric (macro-F1, or Jensen-Shannon divergence), with a statistic that we vectorised.

Limits: 2 classes take 0.02 s at every n, and are 7,000 times as fast as BooStSa; 10 classes take 0.15, 0.8 and 1.1 s;
distributions take 0.15 s (10³) and 1.0 s (10⁴); 400 MB.

    python benchmarks/bench_significance.py [--boostsa .venv-boostsa/bin/python] [--quick]

`--quick` leaves out 10⁵ items. docs/decisions/peers.md explains how to install BooStSa.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
REPLICATES = 10_000
LOOPS = {1_000: 40, 10_000: 25, 100_000: 12}
SCIPY_REPLICATES = {1_000: 10_000, 10_000: 2_000, 100_000: 200}
REPEATS = 5
LIMITS = {
    ("2 classes", 1_000): 0.02,
    ("2 classes", 10_000): 0.02,
    ("2 classes", 100_000): 0.02,
    ("10 classes", 1_000): 0.15,
    ("10 classes", 10_000): 0.8,
    ("10 classes", 100_000): 1.1,
    ("distributions", 1_000): 0.15,
    ("distributions", 10_000): 1.0,
}
LIMIT_RATIO, LIMIT_MEMORY = 7_000, 400
Set = tuple[Any, Any, Any]


def made(kind: str, n: int) -> Set:
    """Return simulated targets and the predictions of two systems."""
    rng = np.random.default_rng(0)
    if kind == "distributions":
        targets = rng.dirichlet(np.ones(3), n)
        return targets, *(w * targets + (1 - w) * rng.dirichlet(np.ones(3), n) for w in (0.60, 0.62))
    classes = int(kind.split()[0])
    targets = rng.integers(0, classes, n)
    ease = rng.normal(size=n)
    systems = [np.where(ease + rng.normal(size=n) > cut, targets, rng.integers(0, classes, n)) for cut in (-0.9, -1.0)]
    return targets, *systems


def ours(kind: str, n: int) -> float:
    """Return the CPU seconds of howsure's call."""
    from howsure.significance.comparison import compare

    columns = made(kind, n)
    return best(lambda: compare(*columns, method="bootstrap", n_resamples=REPLICATES, rng=0), REPEATS)


def scipys(kind: str, n: int) -> float:
    """Return the CPU seconds of scipy's call for one metric, scaled to 10,000 replicates."""
    from scipy import stats

    columns = made(kind, n)
    few = SCIPY_REPLICATES[n]
    if kind == "distributions":
        gaps = divergences(columns[0], columns[2]) - divergences(columns[0], columns[1])
        arguments, statistic = (gaps,), np.mean
    else:
        classes = int(kind.split()[0])
        arguments = columns

        def statistic(t: Any, a: Any, b: Any, axis: int = -1) -> Any:
            return macro_f1(t, b, classes) - macro_f1(t, a, classes)

    paired = len(arguments) > 1
    options = {"n_resamples": few, "batch": max(1, 2_000_000 // n), "method": "basic", "paired": paired, "rng": 0}
    return best(lambda: stats.bootstrap(arguments, statistic, vectorized=True, **options), 1) * REPLICATES / few


def boostsas(kind: str, n: int) -> float:
    """Return the CPU seconds of BooStSa's call, scaled to 10,000 loops. This runs in BooStSa's environment."""
    import contextlib
    import io
    import tempfile
    import warnings

    warnings.simplefilter("ignore")
    from boostsa import Bootstrap

    columns = made(kind, n)
    loops = LOOPS[n]
    silence = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        boot = Bootstrap(save_results=False, save_outcomes=False, dir_out=folder + "/")
        once = best(lambda: boot.test(*columns, n_loops=1, sample_size=0.5), 1)
        many = best(lambda: boot.test(*columns, n_loops=loops + 1, sample_size=0.5), 1)
    return (many - once) / loops * REPLICATES


def macro_f1(targets: Any, predictions: Any, classes: int) -> Any:
    """Return macro-F1 along the last axis."""
    total = 0.0
    for k in range(classes):
        true, predicted = targets == k, predictions == k
        total = total + 2 * (true & predicted).sum(axis=-1) / (true.sum(axis=-1) + predicted.sum(axis=-1))
    return total / classes


def divergences(t: Any, q: Any) -> Any:
    """Return the Jensen-Shannon divergence of each row."""
    middle = (t + q) / 2
    return (t * np.log(t / middle) + q * np.log(q / middle)).sum(axis=1) / 2


def best(call: Callable[[], object], repeats: int) -> float:
    """Return the CPU seconds of the fastest of several calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def measured(python: Path, task: str, kind: str, n: int) -> dict[str, float] | None:
    """Return the seconds and peak memory (MB) of a task in its own process; None if the peer is not installed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "packages" / "core" / "src") if task == "ours" else ""}
    command = [str(python), __file__, "--task", task, kind, str(n)]
    if not python.exists():
        return None
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return None
    measures: dict[str, float] = json.loads(done.stdout)
    return measures


def row(kind: str, n: int, boostsa: Path) -> tuple[str, bool]:
    """Return a line of the table, and whether its limits hold."""
    here = measured(Path(sys.executable), "ours", kind, n)
    assert here is not None, "our own call failed"
    scipy, peer = measured(Path(sys.executable), "scipys", kind, n), measured(boostsa, "boostsas", kind, n)
    ratio = peer["seconds"] / here["seconds"] if peer else float("nan")
    limit = LIMITS[kind, n]
    holds = here["seconds"] <= limit and here["memory"] <= LIMIT_MEMORY
    holds = holds and (kind != "2 classes" or peer is None or ratio >= LIMIT_RATIO)
    cells = [
        f"{kind}",
        f"{n:,}",
        f"{here['seconds']:.4f}",
        f"{limit:g}",
        f"{here['memory']:.0f}",
        f"{scipy['seconds'] / here['seconds']:,.0f}" if scipy else "missing",
        f"{peer['seconds']:,.0f}" if peer else "missing",
        f"{ratio:,.0f}" if peer else "missing",
        "yes" if holds else "NO",
    ]
    return f"| {' | '.join(cells)} |", holds


def main() -> None:
    """Print the table; exit code 1 if a limit does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boostsa", type=Path, default=ROOT / ".venv-boostsa" / "bin" / "python")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--task", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.task:
        task, kind, n = arguments.task
        seconds = {"ours": ours, "scipys": scipys, "boostsas": boostsas}[task](kind, int(n))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps({"seconds": seconds, "memory": memory}))
        return
    print("| data | n | ours, s | limit, s | peak, MB | × scipy (one metric) | BooStSa, s | × BooStSa | holds |")
    print("|---|---|---|---|---|---|---|---|---|")
    failed = False
    for kind, n in LIMITS:
        if not (arguments.quick and n > 10_000):
            line, holds = row(kind, n, arguments.boostsa)
            failed = failed or not holds
            print(line, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
