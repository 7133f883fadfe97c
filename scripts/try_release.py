"""Build the archives of a release, and print what each extra of howsure installs: `make test-release`.

`python scripts/try_release.py FOLDER` builds the source archive of each package and the wheel from it, which must
contain the same files as a wheel built from the checkout. For each extra, pip reports what it would install into an
empty environment of this Python. Then `uvx howsure look FILE` runs with these wheels, as in README.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

from packages import CONSTRAINTS, PACKAGES, ROOT, build


def contents(wheel: Path) -> dict[str, int]:
    """Return the files of a wheel with their checksums, without the wheel's own list of files."""
    with zipfile.ZipFile(wheel) as archive:
        return {member.filename: member.CRC for member in archive.infolist() if not member.filename.endswith("RECORD")}


def check_package(package: str, folder: Path) -> bool:
    """Build a package twice, print the sizes, and return whether both wheels contain the same files."""
    release, checkout = folder / "release" / package, folder / "checkout" / package
    build(ROOT / "packages" / package, release)  # the wheel is made from the source archive
    build(ROOT / "packages" / package, checkout, "--wheel")
    (archive,), (wheel,) = (list(release.glob(kind)) for kind in ("*.tar.gz", "*.whl"))
    for path in (archive, wheel):
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    (other,) = checkout.glob("*.whl")
    differing = sorted({name for name, _ in contents(wheel).items() ^ contents(other).items()})
    if differing:
        print(f"the wheel of the source archive is not that of the checkout: {', '.join(differing)}")
    return not differing


def look_with_uvx(howsure: Path, others: list[str], folder: Path) -> bool:
    """Run `uvx howsure look FILE` with the wheels; print its first line, and return whether it proposes a command."""
    table = folder / "answers.csv"
    table.write_text("model,question,right\n" + "large,1,1\nlarge,2,0\nsmall,1,1\nsmall,2,1\n" * 5, encoding="utf-8")
    uvx = shutil.which("uvx") or str(Path(sys.executable).with_name("uvx"))
    wheels = [option for wheel in others for option in ("--with", wheel)]
    options = ("--quiet", "--isolated", "--constraints", str(CONSTRAINTS), "--from", str(howsure), *wheels)
    look = subprocess.run((uvx, *options, "howsure", "look", str(table)), check=True, capture_output=True, text=True)
    print(f"uvx howsure look: {look.stdout.splitlines()[0]}")
    return f"howsure score {table}" in look.stdout


def main(folder: Path) -> int:
    """Build, compare and query pip; return 1 if two wheels of a package differ, or the wheels do not run."""
    if not all(check_package(package, folder) for package in PACKAGES):
        return 1
    wheels = folder / "wheels"
    wheels.mkdir()
    for wheel in (folder / "release").rglob("*.whl"):
        wheel.rename(wheels / wheel.name)
    project = tomllib.loads((ROOT / "packages" / "howsure" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    venv.create(folder / "venv", with_pip=True)
    pip = (str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "-qqq", "--disable-pip-version-check")
    report = folder / "report.json"
    (howsure,) = wheels.glob("howsure-*.whl")
    others = sorted(map(str, wheels.glob("howsure_*.whl")))  # by name, so that none of them comes from elsewhere
    needed = {"": ("cli", "core"), "text": ("cli", "core", "text")}
    for extra in ("", *sorted(project["optional-dependencies"])):
        name = f"howsure[{extra}]".replace("[]", "")
        packages = needed.get(extra, PACKAGES if extra in ("all", "events") else needed[""])
        files = [path for path in others if any(f"howsure_{package}-" in path for package in packages)]
        options = ("--dry-run", "--report", str(report), "-c", str(CONSTRAINTS))
        subprocess.run((*pip, *options, f"{howsure}[{extra}]" if extra else str(howsure), *files), check=True)
        installed = json.loads(report.read_text(encoding="utf-8"))["install"]
        names = sorted(package["metadata"]["name"] for package in installed)
        print(name.ljust(22), f"{len(names):3} packages: {', '.join(names)}")
    base = [path for path in others if any(f"howsure_{package}-" in path for package in needed[""])]
    return 0 if look_with_uvx(howsure, base, folder) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
