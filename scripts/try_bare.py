"""Install howsure-core alone, say what that brings, and run the tests of its rooms with it: `make test-bare`.

`python scripts/try_bare.py FOLDER` builds the wheel with this Python, and installs it without extras into a new
environment in FOLDER: numpy, scipy and narwhals come with it, and nothing else may. The tests are those of the rooms
below that need no more (`tests/bare.py` has the rule); pytest and hypothesis are installed for them afterwards.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import venv
from pathlib import Path

from packages import CONSTRAINTS, ROOT, build

ROOMS = (
    *("calibration", "check", "counts", "inputs", "judges", "monitoring", "recalibration", "regression", "scores"),
    *("selective", "sequential", "show", "significance", "stats"),
)
WANTED = {"howsure-core", "narwhals", "numpy", "scipy"}
TOOLS = {"pip", "setuptools"}
TIMES = 7
MEGA = 1e6


def seconds_of(program: list[str]) -> float:
    """The CPU time of a program, at least."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(TIMES):
        before = spent()
        subprocess.run(program, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        times.append(spent() - before)
    return min(times)


def main(folder: Path) -> int:
    """Build, install, measure, test; the exit code of the tests."""
    python = folder / "venv" / "bin" / "python"

    def install(*what: str) -> None:
        pip = (str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check")
        subprocess.run([*pip, "-c", str(CONSTRAINTS), *what], check=True)

    build(ROOT / "packages" / "core", folder, "--wheel")
    (wheel,) = folder.glob("howsure_core-*.whl")
    venv.create(folder / "venv", with_pip=True)
    install(str(wheel))

    listed = subprocess.check_output([str(python), "-m", "pip", "list", "--format", "freeze"], text=True)
    packages = sorted({row.partition("==")[0] for row in listed.split()} - TOOLS)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    brought = [path for path in site.rglob("*") if path.relative_to(site).parts[0].partition("-")[0] not in TOOLS]
    size = sum(path.lstat().st_size for path in brought)
    print(f"wheel: {wheel.stat().st_size / MEGA:.2f} MB")
    print(f"packages: {len(packages)} ({', '.join(packages)}), {size / MEGA:.0f} MB")
    if set(packages) != WANTED:
        print(f"there should be {', '.join(sorted(WANTED))}")
        return 1

    own = seconds_of([str(python), "-c", "import howsure; howsure.calibration_error"])
    numpys = seconds_of([str(python), "-c", "import numpy"])
    print(
        f"import howsure; howsure.calibration_error: {own:.3f} s of CPU, of which numpy {numpys:.3f} (least of {TIMES})"
    )
    bare = subprocess.run([python, "-m", "howsure"], capture_output=True, text=True, check=False)
    print(f"$ python -m howsure\n{bare.stderr.rstrip()}\nexit code {bare.returncode}")
    if bare.returncode != 2 or bare.stderr.count("\n") != 1 or 'pip install "howsure[all]"' not in bare.stderr:
        print("it should say in one line what to install, and exit with 2")
        return 1

    install("-r", str(ROOT / "requirements" / "test.txt"))
    pytest = (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.bare")
    asked = [*(f"tests/{room}" for room in ROOMS), "tests/test_refusals.py"]
    return subprocess.run([*pytest, *asked], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
