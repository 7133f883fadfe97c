"""How fast is a calibration error with its interval, and how much memory does it take?

Data: q ~ Beta(0.3, 0.7) in float64, y ~ Bernoulli(q) in int64. CPU seconds are the median of several calls; the tasks
take turns in one process. Memory is what the first call adds; each task is measured in its own process.

Limits: `calibration_error` of 10⁷ pairs takes at most 0.20 CPU seconds (on a machine on which np.sum takes 0.005; the
table shows the ratio to np.sum), at most 6 × np.bincount, and at most half of the fastest peer that returns an error.
1,000 bins take at most 1.05 × 20 bins, weights at most 1.5 × no weights, and 1,000 groups at most 3 × one group.
`calibration_test` of 10⁷ pairs takes at most 1 CPU second, `import howsure` less than 0.3 s and `howsure --help` less
than 0.4 s. Only the ratios are comparable between machines.

    python benchmarks/bench_calibration.py [--sizes 100000 1000000 10000000] [--before SRC] [--only WORDS]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[1]
CHUNK = 1 << 18
REPEATS = {100_000: 9, 1_000_000: 5, 10_000_000: 5}
FEW_REPEATS = 3
OURS, SORT = "howsure.calibration_error", "np.sort(q)"
SUM, BINCOUNT = "np.sum(q) + np.sum(y)", "np.bincount, 100,000 places"
TABLE, TEST = "howsure.calibration_table", "howsure.calibration_test"
LIMIT_SECONDS, LIMIT_WEIGHTS, LIMIT_GROUPS = 0.2, 1.5, 3.0
LIMIT_BINCOUNT, LIMIT_TEST = 6.0, 1.0
LIMIT_SORT, LIMIT_PEER, LIMIT_BINS = 1.2, 0.5, 1.05
LIMIT_IMPORT, LIMIT_HELP = 0.3, 0.4

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Task = Callable[[Labels, Floats], object]


def _howsure(**options: Any) -> Task:
    import howsure

    return lambda y, q: howsure.calibration_error(y, q, **options)


def _weighted() -> Task:
    import howsure

    def task(y: Labels, q: Floats) -> object:
        return howsure.calibration_error(y, q, sample_weight=_weights(len(y)))

    return task


def _grouped(groups: int) -> Task:
    import howsure

    return lambda y, q: howsure.calibration_table(y, q, groups=_codes(len(y), groups))


@cache
def _weights(n: int) -> Floats:
    return np.random.default_rng(1).exponential(size=n)


@cache
def _codes(n: int, groups: int) -> Labels:
    return np.random.default_rng(2).integers(groups, size=n)


def _test() -> Task:
    import howsure

    return lambda y, q: howsure.calibration_test(y, q, rng=0)


def _bincount() -> Task:
    places = cache(lambda n: np.random.default_rng(3).integers(100_000, size=n))
    return lambda y, q: np.bincount(places(len(q)), q)


def _sklearn() -> Task:
    from sklearn.calibration import calibration_curve

    return lambda y, q: calibration_curve(y, q, n_bins=20, strategy="quantile")


def _corp() -> Task:
    import howsure

    return lambda y, q: howsure.calibration_curve(y, q, method="corp", rng=0)


def _isotonic() -> Task:
    from sklearn.isotonic import IsotonicRegression

    return lambda y, q: IsotonicRegression().fit(q, y)


def _netcal() -> Task:
    from netcal.metrics import ECE

    return lambda y, q: ECE(bins=20, equal_intervals=False).measure(q, y)


def _mapie() -> Task:
    from mapie.metrics.calibration import expected_calibration_error

    return lambda y, q: expected_calibration_error(y, q, num_bins=20, split_strategy="quantile")


def _model_diagnostics() -> Task:
    from model_diagnostics.calibration import compute_bias

    return lambda y, q: compute_bias(y, q, feature=q, n_bins=20, bin_method="quantile")


TASKS: dict[str, Callable[[], Task]] = {
    SUM: lambda: lambda y, q: np.sum(q) + np.sum(y),
    BINCOUNT: _bincount,
    SORT: lambda: lambda y, q: np.sort(q),
    OURS: _howsure,
    f"{OURS}, 20 bins": lambda: _howsure(n_bins=20),
    f"{OURS}, 1,000 bins": lambda: _howsure(n_bins=1_000),
    f"{OURS}, weights": _weighted,
    f"{TABLE}, 1 group": lambda: _grouped(1),
    f"{TABLE}, 1,000 groups": lambda: _grouped(1_000),
    TEST: _test,
    "howsure.calibration_curve, method='corp'": _corp,
    "scikit-learn IsotonicRegression (no band, no scores)": _isotonic,
    "scikit-learn calibration_curve, 20 quantile bins (no error)": _sklearn,
    "model-diagnostics compute_bias, 20 quantile bins (no error)": _model_diagnostics,
    "netcal ECE, 20 equal-mass bins": _netcal,
    "MAPIE expected_calibration_error, 20 quantile bins": _mapie,
}
PACKAGES = {
    _sklearn: "sklearn",
    _isotonic: "sklearn",
    _netcal: "netcal",
    _mapie: "mapie",
    _model_diagnostics: "model_diagnostics",
}
PEERS_WITH_ERROR = [name for name, make in TASKS.items() if make in (_netcal, _mapie)]


def draw(n: int) -> tuple[Labels, Floats]:
    """Return simulated pairs, made in small chunks so that the peak memory is that of the pairs."""
    rng = np.random.default_rng(0)
    y, q = np.empty(n, dtype=np.int64), np.empty(n)
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        q[rows] = rng.beta(0.3, 0.7, rows.stop - start)
        y[rows] = rng.random(rows.stop - start) < q[rows]
    return y, q


def peak_memory() -> float:
    """Return the peak memory of this process in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def installed() -> list[str]:
    """Return the tasks whose libraries are installed."""
    packages = {name: PACKAGES.get(make) for name, make in TASKS.items()}
    return [name for name, package in packages.items() if package is None or importlib.util.find_spec(package)]


def seconds_here(n: int, only: str) -> dict[str, float]:
    """Return the median CPU seconds of every task; the tasks take turns. This runs in its own process."""
    y, q = draw(n)
    tasks = {name: TASKS[name]() for name in installed() if only in name or name == BINCOUNT}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(REPEATS.get(n, FEW_REPEATS) + 1):
        for name, task in tasks.items():
            start = time.process_time()
            task(y, q)
            if turn:  # the first one loads and warms up
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def memory_here(name: str, n: int) -> float:
    """Return the memory that a first call adds, in MB. This runs in its own process."""
    task = TASKS[name]()
    task(*draw(1_000))  # imports
    y, q = draw(n)
    before = peak_memory()
    task(y, q)
    return peak_memory() - before


def in_new_process(*arguments: str, source: Path = ROOT / "packages" / "core" / "src") -> Any:
    """Run this script with these arguments in a new process, and return its output, parsed as JSON."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, env=_environment(source), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _environment(source: Path = ROOT / "packages" / "core" / "src") -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}


def run_process(command: Sequence[str]) -> dict[str, float]:
    """Return the CPU seconds, wall-clock seconds and peak memory (MB) of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=_environment(), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    memory = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    wall = time.perf_counter() - start
    return {"seconds": usage.ru_utime + usage.ru_stime, "memory": memory, "wall": wall}


def median_of(command: Sequence[str], *, times: int) -> dict[str, float]:
    runs = [run_process(command) for _ in range(times)]
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    print("|---|" + "---:|" * (len(cells) - 1))


def verdict(what: str, ratio: float, limit: float) -> str:
    return f"- {what}: {ratio:.2f} (limit {limit:g}: {'holds' if ratio <= limit else '**broken**'})"


def arrays(sizes: Sequence[int], before: Path | None) -> list[str]:
    """Print the table of tasks on arrays with the times of another commit (`before`); return a line for each limit."""
    verdicts = []
    head("task", "pairs", "CPU seconds", "× np.sort", "MB added")
    for n in sizes:
        seconds_of: dict[str, float] = in_new_process("--sizes", str(n), "--seconds")
        for name in TASKS:
            if name in seconds_of:
                times, memory = seconds_of[name] / seconds_of[SORT], in_new_process("--sizes", str(n), "--memory", name)
                row(name, f"{n:,}", f"{seconds_of[name]:.4f}", f"{times:.2f}", f"{memory:.0f}")
            else:
                row(name, f"{n:,}", "missing", "", "")
        verdicts.append(verdict(f"{n:,} pairs, in np.sort(q)", seconds_of[OURS] / seconds_of[SORT], LIMIT_SORT))
        if n == 10_000_000:
            verdicts.append(verdict(f"{n:,} pairs, CPU seconds", seconds_of[OURS], LIMIT_SECONDS))
            verdicts.append(verdict(f"{n:,} pairs, CPU seconds of {TEST}", seconds_of[TEST], LIMIT_TEST))
        verdicts.append(f"- {n:,} pairs: {seconds_of[OURS] / seconds_of[SUM]:.0f} × {SUM}")
        verdicts.append(f"- {n:,} pairs: {TEST} {seconds_of[TEST] / seconds_of[OURS]:.1f} × {OURS}")
        verdicts.append(verdict(f"{n:,} pairs, in {BINCOUNT}", seconds_of[OURS] / seconds_of[BINCOUNT], LIMIT_BINCOUNT))
        verdicts.append(
            verdict(f"{n:,} pairs, weights in none", seconds_of[f"{OURS}, weights"] / seconds_of[OURS], LIMIT_WEIGHTS)
        )
        many_groups, one_group = (seconds_of[f"{TABLE}, {number}"] for number in ("1,000 groups", "1 group"))
        verdicts.append(verdict(f"{n:,} pairs, 1,000 groups in one", many_groups / one_group, LIMIT_GROUPS))
        peers = [seconds_of[name] for name in PEERS_WITH_ERROR if name in seconds_of]
        if peers:
            verdicts.append(
                verdict(f"{n:,} pairs, in the fastest peer with an error", seconds_of[OURS] / min(peers), LIMIT_PEER)
            )
        if before is not None:
            then = in_new_process("--sizes", str(n), "--seconds", source=before)
            names_of_ours = [name for name in then if name.startswith("howsure.")]
            verdicts += [
                f"- {n:,} pairs, {name}: {seconds_of[name] / then[name]:.2f} × before" for name in names_of_ours
            ]
        many, few = (seconds_of[f"{OURS}, {number} bins"] for number in ("1,000", "20"))
        verdicts.append(verdict(f"{n:,} pairs, 1,000 bins in 20 bins", many / few, LIMIT_BINS))
    return verdicts


def some_arrays(sizes: Sequence[int], before: Path | None, only: str) -> None:
    """Print the table of selected tasks, and their times in another commit (`before`)."""
    head("task", "pairs", "CPU seconds", f"× {BINCOUNT}", "before")
    for n in sizes:
        arguments = ("--sizes", str(n), "--seconds", "--only", only)
        seconds_by_name = in_new_process(*arguments)
        then = {} if before is None else in_new_process(*arguments, source=before)
        for name, seconds in seconds_by_name.items():
            earlier = f"{then[name]:.4f}" if name in then else ""
            row(name, f"{n:,}", f"{seconds:.4f}", f"{seconds / seconds_by_name[BINCOUNT]:.1f}", earlier)


def start_up() -> list[str]:
    """Print the table of start-up times; return a line for each limit."""
    head("start", "CPU seconds", "seconds", "peak MB")
    commands = {
        "python -c pass": ["-c", "pass"],
        "python -c 'import numpy'": ["-c", "import numpy"],
        "python -c 'import howsure'": ["-c", "import howsure"],
        "howsure --help": ["-m", "howsure_cli", "--help"],
    }
    measures = {name: median_of([sys.executable, *command], times=7) for name, command in commands.items()}
    for name, answer in measures.items():
        row(name, *(f"{answer[key]:.{digits}f}" for key, digits in (("seconds", 3), ("wall", 3), ("memory", 0))))
    loading = measures["python -c 'import howsure'"]["wall"]
    return [
        verdict("import howsure, seconds", loading, LIMIT_IMPORT),
        verdict("howsure --help, seconds", measures["howsure --help"]["wall"], LIMIT_HELP),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=list(REPEATS))
    parser.add_argument("--before", type=Path, metavar="SRC", help="howsure's src of another commit, to compare with")
    parser.add_argument("--only", default="", metavar="WORDS", help="time only tasks whose names contain these words")
    parser.add_argument("--seconds", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--memory", choices=list(TASKS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.seconds or options.memory:
        n = options.sizes[0]
        print(json.dumps(seconds_here(n, options.only) if options.seconds else memory_here(options.memory, n)))
        return
    if options.only:
        some_arrays(options.sizes, options.before, options.only)
        return
    verdicts = arrays(options.sizes, options.before)
    print()
    verdicts += start_up()
    print("", *verdicts, sep="\n")


if __name__ == "__main__":
    main()
