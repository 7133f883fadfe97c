"""Install a package with its required dependencies only, and run its tests: `make test-bare [PACKAGE=text]`.

`python scripts/try_bare.py FOLDER [PACKAGE]` builds the wheels of the package (default: core) and of the packages that
it depends on with this Python. It installs them without extras into a new environment in FOLDER, and prints what this
installs; for core, these must be numpy, scipy and narwhals only. pytest and hypothesis are installed afterwards. The
tests are those of the package that need nothing else (`tests/bare.py` has the rule).
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from packages import CONSTRAINTS, PACKAGES, ROOT, build

CORE_ROOMS = (  # the others read files, draw, or open doors to other libraries
    *("calibration", "check", "counts", "inputs", "judges", "monitoring", "recalibration", "regression", "scores"),
    *("selective", "sequential", "show", "fields", "significance", "stats"),
)
LIBRARIES_OF_CORE = {"howsure-core", "narwhals", "numpy", "scipy"}
TOOLS = {"pip", "setuptools"}
TIMES = 3
MEGA = 1e6


def seconds_of(program: list[str]) -> float:
    """Return the CPU time of a program in its fastest run."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(TIMES):
        before = spent()
        subprocess.run(program, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        times.append(spent() - before)
    return min(times)


def checked_core(python: Path) -> str | None:
    """Check what a user of the core package sees, and print it. Return what is wrong, None if nothing is."""
    listed = subprocess.check_output([str(python), "-m", "pip", "list", "--format", "freeze"], text=True)
    if {row.partition("==")[0] for row in listed.split()} - TOOLS != LIBRARIES_OF_CORE:
        return f"there should be {', '.join(sorted(LIBRARIES_OF_CORE))}"
    subprocess.run([str(python), "-c", "from howsure import *"], check=True)  # names of what is installed
    total = seconds_of([str(python), "-c", "import howsure; howsure.calibration_error"])
    numpys = seconds_of([str(python), "-c", "import numpy"])
    print(
        f"import howsure; howsure.calibration_error: {total:.3f} s of CPU, "
        f"of which numpy {numpys:.3f} (least of {TIMES})"
    )
    bare = subprocess.run([python, "-m", "howsure"], capture_output=True, text=True, check=False)
    print(f"$ python -m howsure\n{bare.stderr.rstrip()}\nexit code {bare.returncode}")
    if bare.returncode != 2 or bare.stderr.count("\n") != 1 or 'pip install "howsure[all]"' not in bare.stderr:
        return "it should say in one line what to install, and exit with 2"
    return None


def main(folder: Path, package: str) -> int:
    """Build, install, measure and test; return the exit code of the tests."""
    python = folder / "venv" / "bin" / "python"
    wheels = folder / "wheels"

    # uv links the files that it unpacked before, where pip takes ten seconds to unpack and compile them.
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    pip = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]

    def install(*what: str) -> None:
        subprocess.run([*pip, "-q", "-c", str(CONSTRAINTS), *what], check=True)

    for name in PACKAGES[: PACKAGES.index(package) + 1]:
        build(ROOT / "packages" / name, wheels, "--wheel")
    (wheel,) = wheels.glob(f"howsure_{package}-*.whl")
    built = sorted(map(str, wheels.glob("*.whl")))  # by name, so that none of them comes from elsewhere
    venv.create(folder / "venv", with_pip=True)
    install(*built)

    listed = subprocess.check_output([str(python), "-m", "pip", "list", "--format", "freeze"], text=True)
    packages = sorted({row.partition("==")[0] for row in listed.split()} - TOOLS)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    brought = [path for path in site.rglob("*") if path.relative_to(site).parts[0].partition("-")[0] not in TOOLS]
    size = sum(path.lstat().st_size for path in brought)
    print(f"wheel: {wheel.stat().st_size / MEGA:.2f} MB")
    print(f"packages: {len(packages)} ({', '.join(packages)}), {size / MEGA:.0f} MB")
    if package == "core" and (mistake := checked_core(python)):
        print(mistake)
        return 1

    install("-r", str(ROOT / "requirements" / "test.txt"))
    tests = ROOT / "packages" / package / "tests"
    rooms = [tests / room for room in CORE_ROOMS] if package == "core" else [tests]
    pytest = (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.bare")
    return subprocess.run([*pytest, *map(str, rooms)], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "core"))
