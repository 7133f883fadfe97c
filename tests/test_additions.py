"""The additions that CONTRIBUTING describes: each is made in a copy of the packages, changes at most three files, and
then works in a command. New metrics and log formats are also in the errors for unknown names, new figures in the help.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import FOLDERS, ROOT

pytestmark = pytest.mark.long

CORE, CLI = "packages/core/src/howsure", "packages/cli/src/howsure_cli"
MOST_FILES = 3
ROWS = [("yes", "yes", "no"), ("no", "no", "no"), ("yes", "no", "no"), ("no", "no", "yes")] * 10


class Copy:
    """A copy of the packages: its files can be changed, and its commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.changed: set[str] = set()

    def add(self, file: str, text: str) -> None:
        """Add a file, or text at the end of one."""
        self.changed.add(file)
        path = self.folder / file
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + text, encoding="utf-8")

    def insert(self, file: str, text: str, *, before: str) -> None:
        """Insert text into a file, before the first place that begins with `before`."""
        self.changed.add(file)
        path = self.folder / file
        start, place, rest = path.read_text(encoding="utf-8").partition(before)
        assert place, f"{file} does not contain {before!r}"
        path.write_text(start + text + place + rest, encoding="utf-8")

    def run(self, *typed: str, code: int = 0, program: tuple[str, ...] = ("-m", "howsure")) -> str:
        """What a command prints, on both streams."""
        assert len(self.changed) <= MOST_FILES
        path = os.pathsep.join(str(self.folder / folder.relative_to(ROOT)) for folder in FOLDERS)
        environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, *program, *typed],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    def from_json(self, *typed: str) -> object:
        """What a command prints as JSON."""
        return json.loads(self.run(*typed, "--format", "json"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    without = shutil.ignore_patterns("__pycache__", "tests", "trained", "page")
    shutil.copytree(ROOT / "packages", tmp_path / "packages", ignore=without)
    rows = "".join(f"{index},{','.join(row)}\n" for index, row in enumerate(ROWS))
    (tmp_path / "answers.csv").write_text(f"item,gold,a,b\n{rows}")
    return Copy(tmp_path)


COMPARED = ("significance", "answers.csv", "--target", "gold", "--against", "b", "--model", "a")


def numbers_in(value: object) -> list[float]:
    """Every number in a JSON value."""
    if isinstance(value, dict):
        return [number for part in value.values() for number in numbers_in(part)]
    if isinstance(value, list):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


def test_a_metric(copy: Copy) -> None:
    copy.insert(
        f"{CORE}/significance/metrics/labels.py",
        '''
def wrong_rows(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """Wrong or right, and a one: (rows, 2)."""
    wrong = (targets != predictions).astype(np.float64)
    return np.stack([wrong, np.ones_like(wrong)], axis=-1)


register(Metric("error_share", "hard", wrong_rows, mean, higher_is_better=False, best=0.0, bounds=SHARE))


''',
        before='register(Metric("accuracy"',
    )
    command_line = (*COMPARED, "--metric", "error_share")
    assert "error_share" in copy.run(*command_line)
    assert {0.25, 0.75} <= set(numbers_in(copy.from_json(*command_line)))
    assert "error_share" in copy.run(*COMPARED, "--metric", "no_such_metric", code=2)
    scored = ("score", "answers.csv", "--target", "gold", "--prediction", "a", "--metric")
    assert "error_share" in copy.run(*scored, "error_share")
    assert 0.25 in numbers_in(copy.from_json(*scored, "error_share"))
    assert "error_share" in copy.run(*scored, "no_such_metric", code=2)


def test_a_document_metric(copy: Copy) -> None:
    copy.add(
        f"{CORE}/significance/metrics/documents.py",
        """

def _same_text(true: str, predicted: str) -> tuple[float, float]:
    return float(true == predicted), 1.0


register(
    Metric(
        "equal_text",
        DOCUMENT,
        DocumentRows(parse_text, TEXTS, _same_text),
        mean,
        best=1.0,
        bounds=SHARE,
        sizes=TotalOf((1,)),
    )
)
""",
    )
    command_line = (*COMPARED, "--metric", "equal_text")
    assert "equal_text" in copy.run(*command_line)
    assert {0.75, 0.25} <= set(numbers_in(copy.from_json(*command_line)))
    assert "equal_text" in copy.run(*command_line, "--metric", "equal_texts", code=2).partition("mean")[2]


def test_a_log_format(copy: Copy) -> None:
    layouts = f"{CORE}/data/logs/layouts.py"
    copy.insert(
        layouts,
        """
def _quiz(record: Record, _: Source) -> Iterator[Row]:
    yield {"item": record["quiz_id"], "model": record["player"], "points": number(record["points"])}


""",
        before="LAYOUTS = {",
    )
    copy.insert(
        layouts,
        '        Layout("quiz", "Quiz", "quiz_id player points", _quiz),\n',
        before='        Layout("livecodebench"',
    )
    points = [1, 0, 1, 1, 0, 1, 1, 1]
    records = [{"quiz_id": index, "player": "mini", "points": value} for index, value in enumerate(points)]
    (copy.folder / "quiz.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    assert "(quiz, points)" in copy.run("score", "quiz.jsonl")
    assert 0.75 in numbers_in(copy.from_json("score", "quiz.jsonl"))
    assert "Quiz" in copy.run("look", "quiz.jsonl")
    assert "quiz" in copy.run("score", "quiz.jsonl", "--from", "no-such-format", code=2)


def test_a_figure(copy: Copy) -> None:
    copy.add(
        f"{CORE}/figures/item_order.py",
        '''"""The order of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.figures.style import new_figure, use_style

if TYPE_CHECKING:
    from howsure.sequential.evaluation_order import ItemOrder


def draw_item_order(order: ItemOrder, *, ax: Axes | None = None) -> Axes:
    """The position of each item."""
    with use_style():
        axes = new_figure(3, 2).subplots() if ax is None else ax
        axes.plot([item.position for item in order])
    return axes
''',
    )
    copy.insert(
        f"{CORE}/sequential/evaluation_order.py",
        '''
    def plot(self, ax: Any = None) -> Any:
        """Draw the position of each item on matplotlib axes (new ones if None)."""
        from howsure.figures.item_order import draw_item_order

        return draw_item_order(self, ax=ax)
''',
        before="\n\ndef draw_order(",
    )
    copy.insert(f"{CLI}/commands/score.py", ", figure=True", before=")\n\n\n@cache\ndef plan()")
    copy.run("score", "order", "answers.csv", "--id", "item", "--seed", "1", "--figure", "order.png")
    assert (copy.folder / "order.png").read_bytes().startswith(b"\x89PNG")
    assert "--figure" in copy.run("help", "score", "order")


def test_a_command(copy: Copy) -> None:
    copy.add(
        f"{CLI}/commands/rows.py",
        '''"""`howsure rows`: how many rows a file has."""

from __future__ import annotations

import click

from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.output import emit


@click.command("rows", cls=Command)
@click.argument("file")
def command(file: str) -> None:
    """Count the rows of a file."""
    with open(file, encoding="utf-8") as rows:
        emit(f"{sum(1 for _ in rows) - 1} rows\\n", None)
''',
    )
    copy.insert(
        f"{CLI}/chapters.py", '    "rows": ("rows", "How many rows does a file have?"),\n', before='    "data": ('
    )
    assert copy.run("rows", "answers.csv") == "40 rows\n"
    assert "Count the rows of a file." in copy.run("rows", "--help")
