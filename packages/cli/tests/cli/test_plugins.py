"""Commands of other distributions: real ones, as pip would install them, in a folder on the path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from howsure_cli.plugins import GROUP

GOOD = """
import click

@click.command("greet")
@click.argument("name")
def command(name):
    "Greet somebody."
    click.echo(f"hello, {name}")
"""


def installed(folder: Path, *, module: str, entry: str) -> None:
    """A distribution with one module and one entry point."""
    (folder / "greeting.py").write_text(module)
    info = folder / "greeting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\nSummary: Says hello.\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n")


def run(folder: Path, *typed: str, before: str = "") -> subprocess.CompletedProcess[str]:
    path = f"import sys; sys.path.insert(0, {str(folder)!r}); "
    code = f"{path}{before}from howsure_cli.command_line import main; main({list(typed)!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_command_of_another_distribution(tmp_path: Path) -> None:
    installed(tmp_path, module=GOOD, entry="greet = greeting:command")
    assert run(tmp_path, "greet", "you").stdout == "hello, you\n"
    listed = run(tmp_path, "--help").stdout
    assert "Commands of other distributions:" in listed
    assert "Says hello." in listed


def test_nothing_of_it_is_imported_before_it_is_called(tmp_path: Path) -> None:
    installed(tmp_path, module="raise RuntimeError('imported')", entry="greet = greeting:command")
    for typed in (["--help"], ["check", "--help"]):
        assert run(tmp_path, *typed).returncode == 0


@pytest.mark.parametrize(
    ("module", "entry", "message"),
    [
        (
            "raise RuntimeError('no such engine')",
            "greet = greeting:command",
            "the command greet of greeting cannot be loaded: RuntimeError: no such engine. Update or remove it.",
        ),
        (GOOD, "greet = greeting:comand", "the command greet of greeting cannot be loaded: AttributeError: "),
        (
            "command = 3",
            "greet = greeting:command",
            "the command greet of greeting must be a command of click; greeting:command is a int.",
        ),
    ],
)
def test_broken_plugin_is_reported(module: str, entry: str, message: str, tmp_path: Path) -> None:
    installed(tmp_path, module=module, entry=entry)
    done = run(tmp_path, "greet", "you")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"howsure: {message}")
    assert "Traceback" not in done.stderr


def test_no_built_in_command_is_replaced(tmp_path: Path) -> None:
    installed(tmp_path, module=GOOD, entry="check = greeting:command")
    done = run(tmp_path, "check", "--help")
    assert "Exit codes: 0 pass, 1 fail" in done.stdout
    assert "Says hello." not in run(tmp_path, "--help").stdout
