"""Build the archives of all packages that a release publishes: `python scripts/packages.py FOLDER [--wheel]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "requirements" / "constraints.txt"
PACKAGES = ("core", "cli", "text", "events", "howsure")  # the papers' experiments come with a checkout


def build(source: Path, folder: Path, *kinds: str) -> None:
    """Build the archives of a package into a folder: without `kinds`, the source archive and the wheel built from
    it."""
    command = (sys.executable, "-m", "build", *kinds, "--no-isolation", "--outdir", str(folder), str(source))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    for package in PACKAGES:
        build(ROOT / "packages" / package, Path(sys.argv[1]), *sys.argv[2:])
