"""The scripts that measure the project: its size, and the files that a command runs through."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath
from types import ModuleType

import click
import pytest

from tests.source import PACKAGES

SCRIPTS = Path(__file__).parents[1] / "scripts"
TEXT = '''"""What it is,
in two lines."""

import os  # of which this is code


def f() -> str:
    """Say it."""
    # a remark
    text = """held
    in two lines"""
    return (text +
            os.sep)  # fmt: skip
'''


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_code_is_what_is_no_docstring_comment_or_blank() -> None:
    size = script("size")
    assert size.code_lines(TEXT) == 6
    assert size.formatter_skips(TEXT) == 1
    assert size.formatter_skips('text = "# fmt: skip"\n') == 0


def test_rooms_add_up() -> None:
    size = script("size")
    source = "packages/core/src/howsure"
    names = (f"{source}/errors.py", f"{source}/stats/a.py", f"{source}/stats/deep/b.py", "tests/stats/test_a.py")
    sizes = size.rooms({PurePosixPath(name): TEXT for name in names})
    assert sizes["packages/core/stats"] == (26, 12, 2, 13, 2)
    assert sizes["all but tests"] == sizes["packages/core"] == (39, 18, 3, 13, 3)
    assert sizes["tests of all"] == sizes["tests/stats"] == (13, 6, 1, 13, 1)


def test_a_walk_counts_files_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.csv").write_text("y,p\n" + "0,0.25\n1,0.75\n" * 20)
    walk = script("walk")
    typed = ["calibration", "two.csv", "--target", "y", "--prob", "p", "--bins", "2"]
    functions_by_file = walk.functions_of_files(walk.record_calls(typed))
    assert next(iter(functions_by_file)).startswith("howsure_cli/")
    assert any(name.startswith("howsure/calibration/") for name in functions_by_file)
    report = walk.walk(typed)
    assert f"{len(functions_by_file)} files, {sum(map(len, functions_by_file.values()))} functions; " in report
    assert report.splitlines()[-1].endswith(" files before the first of a statistical room")
    assert any(line.startswith("    ") for line in walk.tree(walk.record_calls(typed), depth=3))


@pytest.mark.long
def test_a_walk_counts_no_file_of_another_library_in_a_clone_named_howsure(tmp_path: Path) -> None:
    library = tmp_path / "howsure" / "lib"
    shutil.copytree(Path(click.__file__).parent, library / "click", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, SCRIPTS / "walk.py", "signature", "howsure|estimate|n:1|v:0.2.0"]
    environment = os.environ | {"PYTHONPATH": str(library)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    _, *files, _, _, _ = done.stdout.splitlines()
    packages = [folder.parent for folder in PACKAGES.values()]
    assert files
    assert [line for line in files if not any((source / line.split()[1]).is_file() for source in packages)] == []
