"""What holds for the repository as a whole: dependencies, extras, and what no file may name."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

from howsure.__main__ import LIBRARIES

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "papers").rglob("*.py")])
DOCUMENTS = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_command_line_asks_for_no_library_that_its_extra_does_not_bring() -> None:
    brought = {re.split("[^a-z0-9]", one)[0] for one in project()["optional-dependencies"]["cli"]}
    assert set(LIBRARIES) <= brought


def requirements() -> set[str]:
    """The libraries that howsure and its extras ask for, by name; an extra may ask for others of howsure's."""
    wanted = [project()["dependencies"], *project()["optional-dependencies"].values()]
    return {requirement_name(requirement) for part in wanted for requirement in part} - {"howsure"}


def requirement_name(requirement: str) -> str:
    return re.split(r"[\[<>=~! ;]", requirement)[0]


def test_every_dependency_is_justified() -> None:
    decisions = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8")
    assert {name for name in requirements() if f"| `{name}` |" not in decisions} == set()


def test_every_version_is_pinned() -> None:
    rows = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [row for row in rows if not row.startswith("#")]
    assert [row for row in pinned if not re.fullmatch(r"[\w.-]+==[\w.]+", row)] == []
    names = {row.split("==")[0].lower() for row in pinned}
    assert requirements() - names == set()


def test_the_lock_file_holds_the_same_versions_with_hashes() -> None:
    lock = (ROOT / "requirements" / "requirements.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE))
    constraints = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(row.split("==") for row in constraints if "==" in row)
    pinned = {re.sub(r"[._]", "-", name).lower(): version for name, version in pins.items()}
    assert locked
    assert {name: version for name, version in locked.items() if pinned.get(name, version) != version} == {}
    assert len(re.findall(r"--hash=sha256:", lock)) >= len(locked)


def test_workflows_call_what_is_there() -> None:
    workflows = "".join(path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = set(re.findall(r"make ([\w-]+)", workflows)) | set(re.findall(r"\btest-[a-z]+", workflows))
    assert called
    assert called - targets == set()
    assert ".ci/run" in workflows


def extras_asked_for(source: str) -> set[str]:
    """The extras that a source file tells its reader to install, by `require(what, extra, library)`."""
    if "require(" not in source:
        return set()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    asking = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "require"]
    return {ast.literal_eval(call.args[1]) for call in asking}


def test_every_extra_that_is_named_exists() -> None:
    named = {extra for path in SOURCES for extra in extras_asked_for(path.read_text(encoding="utf-8"))}
    for path in (*SOURCES, *DOCUMENTS):
        named |= set(re.findall(r"howsure\[([a-z]+)\]", path.read_text(encoding="utf-8")))
    assert named
    assert named - set(project()["optional-dependencies"]) == set()


def test_the_version_is_the_same_everywhere() -> None:
    version = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/howsure/__init__.py").read_text(), re.MULTILINE)[1]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'\n  version: "{version}"\n' in recipe
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    said = [one.replace(" ", "") for one in re.findall(r"- (.+)", run)]
    assert said == [f"python{project()['requires-python']}", *project()["dependencies"]]


def tracked_files() -> list[Path]:
    """What git tracks or would add; every file that is not hidden where there is no git."""
    if git := shutil.which("git"):
        listing = [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    hidden = re.compile(r"^\.(?!ci/|gitignore)|/\.|__pycache__")
    return [path for path in ROOT.rglob("*") if path.is_file() and not hidden.search(str(path.relative_to(ROOT)))]


def foreign_places(text: str) -> list[str]:
    """Folders of somebody's machine, and hosts of package registries."""
    folders = re.findall(r"/(?<![\w.~/\-$}]/)(?:farm|home|root|tmp|work|Users)/\S*", text)
    hosts = (
        re.findall(r"\b(?:files\.pythonhosted|pypi|test\.pypi|conda\.anaconda)\.org\b", text) if ".org" in text else []
    )
    return folders + hosts


def test_files_name_no_machine_and_no_registry() -> None:
    found = {}
    for path in tracked_files():
        content = path.read_bytes()
        places = [] if b"\0" in content else foreign_places(content.decode("utf-8"))
        if places:
            found[str(path.relative_to(ROOT))] = places
    assert found == {}


def test_foreign_places_are_found() -> None:
    home = "/" + "home/someone/data"
    assert foreign_places(f"open('{home}') at https://example.org/home/x, docs/tmp/y, $ROOT/tmp/z") == [home + "')"]
    assert foreign_places("https://" + "pypi" + ".org/simple") == ["pypi" + ".org"]
