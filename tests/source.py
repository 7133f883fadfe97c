"""The packages of this checkout, and the folders of their source."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = {
    name: ROOT / "packages" / folder / "src" / name
    for folder, name in (
        ("core", "howsure"),
        ("cli", "howsure_cli"),
        ("text", "howsure_text"),
        ("events", "howsure_events"),
        ("papers", "howsure_papers"),
    )
}
CORE, CLI, TEXT, EVENTS, PAPERS = PACKAGES.values()
FILES = sorted(path for folder in PACKAGES.values() for path in folder.parent.rglob("*.py"))
FOLDERS = [folder.parent for folder in PACKAGES.values()]  # what is on the path where nothing is installed
DEMO = CLI / "demo"
