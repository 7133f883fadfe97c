"""What holds for the repository as a whole: dependencies, extras, and what no file may name."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import howsure
from tests.source import FILES, ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    for path in sorted((ROOT / "packages").glob("*/pyproject.toml"))
}


def requirements() -> set[str]:
    """The libraries that the packages, their extras and work on them ask for, by name."""
    requirement_lists = [part for project in PROJECTS.values() for part in all_parts(project)]
    lists = [path for path in (ROOT / "requirements").glob("*.txt") if path.stem != "constraints"]
    listed = (path.read_text(encoding="utf-8").splitlines() for path in lists)
    requirement_lists += [[row for row in rows if row and row[0] not in "#-"] for rows in listed]
    names = {requirement_name(requirement) for part in requirement_lists for requirement in part}
    return {name for name in names if name.partition("-")[0] != "howsure"}


def all_parts(project: dict[str, Any]) -> list[list[str]]:
    """The dependencies of a project, and those of each extra."""
    return [project["dependencies"], *project.get("optional-dependencies", {}).values()]


def test_the_packages_depend_on_those_below_them() -> None:
    ours = {
        project["name"]: {
            requirement_name(requirement)
            for part in all_parts(project)
            for requirement in part
            if requirement.startswith("howsure-")
        }
        for project in PROJECTS.values()
    }
    assert ours == {
        "howsure": {"howsure-cli", "howsure-core", "howsure-events", "howsure-text"},
        "howsure-cli": {"howsure-core"},
        "howsure-core": set(),
        "howsure-events": {"howsure-text"},
        "howsure-papers": {"howsure-events"},
        "howsure-text": {"howsure-cli"},
    }


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
    targets_used = set(re.findall(r"make ([\w-]+)", workflows)) | set(re.findall(r"\btest-[a-z]+", workflows))
    assert targets_used
    assert targets_used - targets == set()
    assert ".ci/run" in workflows


def extras_asked_for(source: str) -> set[str]:
    """The extras that a source file asks its reader to install, by `require(what, extra, library)`."""
    if "require(" not in source:
        return set()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    asking = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "require"]
    asking = [call for call in asking if isinstance(call.args[1], ast.Constant)]
    return {ast.literal_eval(call.args[1]) for call in asking}


def test_every_extra_that_is_named_exists() -> None:
    named = {extra for path in FILES for extra in extras_asked_for(path.read_text(encoding="utf-8"))}
    for path in (*FILES, *DOCUMENTS):
        named |= set(re.findall(r"howsure\[([a-z]+)\]", path.read_text(encoding="utf-8")))
    assert named
    assert named - set(PROJECTS["howsure"]["optional-dependencies"]) == set()


def test_the_version_is_the_same_everywhere() -> None:
    version = howsure.__version__
    assert {project["version"] for project in PROJECTS.values()} == {version}
    pinned = {
        requirement
        for project in PROJECTS.values()
        for part in all_parts(project)
        for requirement in part
        if requirement.startswith("howsure-") and not requirement.endswith((f"=={version}", "]"))
    }
    assert pinned == set()
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'\n  version: "{version}"\n' in recipe
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    listed = [line.replace(" ", "") for line in re.findall(r"- (.+)", run)]
    assert listed == [f"python{PROJECTS['core']['requires-python']}", *PROJECTS["core"]["dependencies"]]


def tracked_files() -> list[Path]:
    """What git tracks or would add; every file that is not hidden if git is missing."""
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
    places_by_path = {}
    for path in tracked_files():
        content = path.read_bytes()
        places = [] if b"\0" in content else foreign_places(content.decode("utf-8"))
        if places:
            places_by_path[str(path.relative_to(ROOT))] = places
    assert places_by_path == {}


def test_foreign_places_are_found() -> None:
    home = "/" + "home/someone/data"
    assert foreign_places(f"open('{home}') at https://example.org/home/x, docs/tmp/y, $ROOT/tmp/z") == [home + "')"]
    assert foreign_places("https://" + "pypi" + ".org/simple") == ["pypi" + ".org"]
