"""What others plug in: the action of GitHub, run as its runner would run the step, and the hook of pre-commit."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CHECKS = """
[[check.score]]
files = ["grades.csv"]
score = "right"
min-score = {least}
"""


def checked(folder: Path, least: float, checks: str = CHECKS, **inputs: str) -> tuple[int, str, str, str]:
    """The exit code of the step, what it printed, its output, and the job's summary."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = (step for step in action["runs"]["steps"] if step.get("id") == "check")
    input_values = {name: str(declared["default"]) for name, declared in action["inputs"].items()} | inputs
    input_of_variable = {name: text.replace("${{ inputs.", "").replace(" }}", "") for name, text in step["env"].items()}
    bin_folder = folder / "temporary" / "howsure" / "bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "howsure").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m howsure "$@"\n')
    (bin_folder / "howsure").chmod(0o755)
    (folder / "howsure.toml").write_text(checks.format(least=least))
    if not (folder / "grades.csv").exists():
        (folder / "grades.csv").write_text("right\n" + "1\n1\n1\n0\n" * 100)
    runner_paths = {
        "RUNNER_TEMP": folder / "temporary",
        "GITHUB_STEP_SUMMARY": folder / "s.md",
        "GITHUB_OUTPUT": folder / "o",
    }
    environment = os.environ | {name: str(path) for name, path in runner_paths.items()}
    environment |= {name: input_values[key] for name, key in input_of_variable.items()}
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    outputs = [path.read_text() if path.exists() else "" for path in (folder / "o", folder / "s.md")]
    return done.returncode, done.stdout + done.stderr, outputs[0], outputs[1]


@pytest.mark.parametrize(
    ("least", "inputs", "code", "verdict", "annotation"),
    [
        pytest.param(0.5, {}, 0, "pass", "", marks=pytest.mark.long),
        (0.9, {}, 1, "fail", "::error title=howsure::mean right is 0.7500"),
        pytest.param(
            0.74, {}, 0, "cannot tell", "::warning title=howsure::mean right is 0.7500", marks=pytest.mark.long
        ),
        (0.74, {"cannot-tell": "fail"}, 3, "cannot tell", "::warning title=howsure::mean right is 0.7500"),
    ],
)
def test_the_action_gives_its_verdict(
    tmp_path: Path, least: float, inputs: dict[str, str], code: int, verdict: str, annotation: str
) -> None:
    ended, printed, output, summary = checked(tmp_path, least, **inputs)
    assert (ended, output) == (code, f"verdict={verdict}\n"), printed
    assert annotation in printed
    assert ("title=howsure" in printed) == bool(annotation)
    assert "mean right" in summary
    assert (tmp_path / "howsure-check.xml").read_text().startswith("<?xml")


COMMANDS = ("::error::made up", "##[error]made up", "x%0A::error::made up", "::stop-commands::x", "::x::")


def obeyed(printed: str) -> list[str]:
    """The lines that GitHub's runner takes for commands: those with ## and a bracket, and those that begin with ::."""
    commands, token = [], None
    for line in printed.splitlines():
        if token is not None:
            token = None if line == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::"):
            commands.append(line)
        commands += [line] if "##[" in line else []
    assert token is None
    return commands


@pytest.mark.long
@pytest.mark.parametrize("least", [0.9, pytest.param(0.74, marks=pytest.mark.long)])
def test_names_in_the_data_are_no_commands_to_the_runner(least: float, tmp_path: Path) -> None:
    rows = [f'"{name}",{right}' for name in COMMANDS for right in (1, 1, 1, 0) * 100]
    (tmp_path / "grades.csv").write_text("\n".join(["task,right", *rows, ""]))
    _, printed, output, _ = checked(tmp_path, least, f'{CHECKS}group = "task"\n')
    verdict, kind = ("fail", "error") if least == 0.9 else ("cannot tell", "warning")
    assert output == f"verdict={verdict}\n"
    assert "made up" in printed
    annotations = obeyed(printed)
    assert annotations
    assert all(line.startswith(f"::{kind} title=howsure::") and "%0A" not in line for line in annotations)


def test_a_wrong_value_in_the_data_is_no_command_to_the_runner(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text("right\n1\n##[error]made up\n")
    ended, printed, _, _ = checked(tmp_path, 0.5)
    assert ended == 2
    assert "[error]made up" in printed
    assert obeyed(printed) == []


@pytest.mark.long
def test_the_action_stops_at_wrong_input(tmp_path: Path) -> None:
    ended, printed, output, _ = checked(tmp_path, 0.5, config="none.toml")
    assert (ended, output) == (2, "")
    assert "none.toml" in printed


def test_the_hook_is_a_command(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language"} <= hook.keys()
    (tmp_path / "howsure.toml").write_text(CHECKS.format(least=0.5))
    (tmp_path / "grades.csv").write_text("right\n" + "1\n1\n1\n0\n" * 100)
    command = [sys.executable, "-m", *shlex.split(hook["entry"])]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
