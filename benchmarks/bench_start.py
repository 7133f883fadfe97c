"""How many CPU seconds pass until users see something: an import, `--help`, the curve of a small file?

    python benchmarks/bench_start.py [--against FOLDER] [--turns 9]

Each line is the median over the turns of the user and system time of a new process. FOLDER is a checkout of another
commit (`git worktree add --detach FOLDER REF`); it takes turns with this checkout, under the same Python and libraries.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[1]
FILE = HERE / "packages" / "cli" / "src" / "howsure_cli" / "demo" / "predictions.csv"
STARTS = {
    "python": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import numpy, duckdb, click": ["-c", "import numpy, duckdb, click"],
    "import howsure": ["-c", "import howsure"],
    "import howsure; howsure.calibration_error": ["-c", "import howsure; howsure.calibration_error"],
    "howsure --version": ["-m", "howsure", "--version"],
    "howsure --help": ["-m", "howsure", "--help"],
    "howsure calibration --help": ["-m", "howsure", "calibration", "--help"],
    "howsure calibration predictions.csv": [
        *("-m", "howsure", "calibration", str(FILE), "--target", "label", "--prob", "probability")
    ],
    "howsure score predictions.csv": ["-m", "howsure", "score", str(FILE), "--score", "label"],
}


def seconds(checkout: Path, arguments: list[str], folder: str) -> float:
    """Return the CPU seconds of one process, including its threads."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    sources = [*checkout.glob("packages/*/src"), checkout / "src"]  # the second before 0.3.0
    path = os.pathsep.join(map(str, sources))
    running = kept | {"PYTHONPATH": path, "PYTHONPYCACHEPREFIX": folder, "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, *arguments], cwd=folder, env=running, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}")
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a checkout of another commit")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    checkouts = {"here": HERE} | ({} if options.against is None else {"against": options.against.resolve()})
    print(f"{'CPU seconds':42}" + "".join(f"{name:>10}" for name in checkouts))
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in STARTS.items():
            seconds_by_checkout: dict[str, list[float]] = {checkout: [] for checkout in checkouts}
            for turn in range(options.turns + 1):
                for checkout, path in checkouts.items():
                    used = seconds(path, arguments, folder)
                    if turn:  # the first compiles and fills the disk's cache
                        seconds_by_checkout[checkout].append(used)
            print(
                f"{name:42}" + "".join(f"{median(times):10.3f}" for times in seconds_by_checkout.values()), flush=True
            )


if __name__ == "__main__":
    main()
