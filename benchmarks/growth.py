"""The table that the benchmarks of docs/scale.md print: a job, its floor (a simpler job timed in the same run), and how
the time grows."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from howsure.stats.threads import one_thread

Job = Callable[[], object]


def cpu_seconds(job: Job, *, runs: int = 3, repeats: int = 1) -> float:
    """Return the CPU seconds of a job with one BLAS thread, in the fastest of some runs of several repeats."""
    seconds = []
    with one_thread():
        for _ in range(runs):
            start = time.process_time()
            for _ in range(repeats):
                job()
            seconds.append(time.process_time() - start)
    return min(seconds) / repeats


def print_growth(
    title: str, sizes: Sequence[int], prepare: Callable[[int], tuple[Job, Job]], *, floor: str, goal: str
) -> None:
    """Print a row for each size.

    prepare: returns the job and its floor for a size.
    floor: the name of the floor.
    goal: the goal, in words.
    """
    print(f"\n{title}\nfloor: {floor}; goal: {goal}")
    print("         n  CPU seconds   × floor  × size before")
    before = None
    for size in sizes:
        job, floor_job = prepare(size)
        seconds = cpu_seconds(job)
        floor_seconds = cpu_seconds(floor_job, repeats=max(int(0.02 / max(cpu_seconds(floor_job), 1e-5)), 1))
        grown = "" if before is None else f"{seconds / before:.1f}"
        print(f"{size:>10,}  {seconds:>11.3f}  {seconds / floor_seconds:>8.1f}  {grown:>13}", flush=True)
        before = seconds


def print_numpy_import() -> None:
    """Print the CPU seconds of `import numpy`, with which the speed of machines can be compared."""
    script = "import time; start = time.process_time(); import numpy; print(time.process_time() - start)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True).stdout) for _ in range(3)
    ]
    print(f"import numpy: {min(seconds):.3f} CPU seconds")
