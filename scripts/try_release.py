"""Build what a release holds, and say what each extra of it installs: `make test-release`.

`python scripts/try_release.py FOLDER` builds the source archive, and the wheel from it, which must hold what a wheel of
the checkout holds; with each extra, pip is asked what it would install into an empty environment of this Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = {"bench", "dev", "docs", "fuzz", "test"}  # extras of whoever works on howsure


def built(source: Path, folder: Path, *kinds: str) -> None:
    """Build archives of a source tree into a folder."""
    build = (sys.executable, "-m", "build", *kinds, "--no-isolation", "--outdir", str(folder), str(source))
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)


def contents(wheel: Path) -> dict[str, int]:
    """The files of a wheel by their checksums, but for the list of them."""
    with zipfile.ZipFile(wheel) as held:
        return {one.filename: one.CRC for one in held.infolist() if not one.filename.endswith("RECORD")}


def main(folder: Path) -> int:
    """Build, compare, ask; 1 if the two wheels differ."""
    built(ROOT, folder / "release")  # the wheel is made from the source archive
    built(ROOT, folder / "checkout", "--wheel")
    (archive,), (wheel,) = (list((folder / "release").glob(kind)) for kind in ("*.tar.gz", "*.whl"))
    for one in (archive, wheel):
        print(f"{one.name}: {one.stat().st_size / 1e6:.2f} MB")
    (other,) = (folder / "checkout").glob("*.whl")
    differing = sorted({name for name, _ in contents(wheel).items() ^ contents(other).items()})
    if differing:
        print(f"the wheel of the source archive is not that of the checkout: {', '.join(differing)}")
        return 1
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    venv.create(folder / "venv", with_pip=True)
    pip = (str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "-qqq", "--disable-pip-version-check")
    for extra in ("", *sorted(set(extras) - OURS)):
        what = f"{wheel}[{extra}]" if extra else str(wheel)
        asked = (
            *pip,
            "--dry-run",
            "--report",
            str(folder / "report.json"),
            "-c",
            str(ROOT / "requirements" / "constraints.txt"),
            what,
        )
        subprocess.run(asked, check=True)
        found = json.loads((folder / "report.json").read_text(encoding="utf-8"))["install"]
        names = sorted(one["metadata"]["name"] for one in found)
        print(f"howsure[{extra}]".replace("[]", "").ljust(22), f"{len(names):3} packages: {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
