"""docs/bad-input.md, which keeps what is told of wrong inputs: `python -m tests.cli.bad_input_page` writes it again."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import howsure
from tests.cli.bad_input import FILES, OPTIONS, PYTHON, VALUES, Wrong
from tests.cli.bad_input_check import CHECKED
from tests.cli.bad_input_columns import NAMED
from tests.cli.bad_input_counts import COUNTS
from tests.cli.bad_input_import import SCORED
from tests.cli.bad_input_judge import JUDGED
from tests.cli.bad_input_logs import LOGGED
from tests.cli.bad_input_maps import EVALUATED, RECALIBRATE, TEMPERED
from tests.cli.bad_input_monitor import MONITORED
from tests.cli.bad_input_pairs import GROUPS, OF_LOGITS, ORDERED, PRINTED, SELECTIVE, WITHOUT_BINS
from tests.cli.bad_input_scores import BY_MODEL, SCORE
from tests.cli.bad_input_summary import SUMMARISED
from tests.cli.bad_input_texts import APART, MENDED, NEURAL
from tests.cli.running import howsure as run

PAGE = Path(__file__).parents[2] / "docs" / "bad-input.md"
TOPICS = {
    "Files": FILES,
    "Values": VALUES,
    "Columns, conditions and scales": NAMED,
    "Options": OPTIONS,
    "Curves without bins": WITHOUT_BINS,
    "Ordered levels": ORDERED,
    "Logs": LOGGED,
    "Summaries and clusters of machines": SUMMARISED,
    "Groups": GROUPS,
    "Scores of models": SCORE,
    "Judges": JUDGED,
    "Selective answers": SELECTIVE,
    "Monitor": MONITORED,
    "Recalibration": [*RECALIBRATE, *EVALUATED],
    "Neural taggers and classifiers": NEURAL,
    "Logits of language models": OF_LOGITS,
    "Temperatures of taggers": TEMPERED,
    "Coreference": MENDED,
    "Checks": CHECKED,
    "Print": PRINTED,
    "Counts": COUNTS,
    "Models in rows": BY_MODEL,
    "Imported events": SCORED,
    "Events on many machines": APART,
}
INTRODUCTION = """# Bad input

Each error is reported in one sentence: the column or option, the rule, the value, the row, and the remedy. The exit
code is 2, and nothing is written. Nothing is guessed, dropped or clipped silently. A value of more than 80 characters
is shortened in the message. Files and arguments must be UTF-8, names included. The tests run this same table
(`tests/cli/bad_input*.py`); each message is preceded by `howsure:` or, for options, by a line of usage.
"""
IN_PYTHON = """In Python, the same checks raise `howsure.InputError`, a `ValueError`. There, rows are counted from 0, as
in `y_prob[1]`; `curve` stands for `howsure.calibration_curve`, `frame` for a data frame with the columns gold and prob.
"""


def told(wrong: Wrong, folder: Path) -> str:
    """What a command tells of wrong input in a folder, where it leaves nothing; AssertionError if it ends otherwise."""
    for name, content in wrong.files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    with contextlib.chdir(folder):
        done = run(*shlex.split(wrong.typed))
    usage, error, said = done.err.rpartition("\nError: ")
    assert usage.startswith("Usage: howsure ") if error else done.err.startswith("howsure: ")
    assert (done.code, done.out) == (2, "")
    left = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert left == wrong.files
    return (said if error else done.err.removeprefix("howsure: ")).removesuffix("\n")


def told_in_python(call: str) -> str:
    """What is told of wrong arguments."""
    frame = pd.DataFrame({"gold": [0, 1], "prob": [0.1, 0.8]})
    names = {"np": np, "howsure": howsure, "curve": howsure.calibration_curve, "frame": frame}
    with pytest.raises(howsure.InputError) as caught:
        eval(call, names)
    return str(caught.value)


def row_of(wrong: Wrong, message: str) -> str:
    """The row of the page."""
    return _row(wrong.what, f"`howsure {wrong.typed}`", message.replace("\n", " "))


def row_of_call(call: str, message: str) -> str:
    """The row of the page for a call of Python."""
    return _row(f"`{call}`", message)


def _row(*cells: str) -> str:
    """A row of Markdown, its cells as they are but for what Markdown would read as its own."""
    return f"| {' | '.join(cell if '`' in cell else cell.replace('[', chr(92) + '[') for cell in cells)} |\n"


def page(row: Callable[[Wrong], str], row_in_python: Callable[[str], str]) -> str:
    """docs/bad-input.md, with the rows that are given."""
    parts = [INTRODUCTION]
    for topic, wrongs in TOPICS.items():
        parts.append(f"## {topic}\n\n" + _table(("error", "command", "message"), list(map(row, wrongs))))
    parts.append(f"## Python\n\n{IN_PYTHON}\n" + _table(("call", "message"), list(map(row_in_python, PYTHON))))
    return "\n".join(parts)


def _table(headers: Sequence[str], rows: Sequence[str]) -> str:
    return _row(*headers) + _row(*["---"] * len(headers)) + "".join(rows)


def _row_now(wrong: Wrong) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return row_of(wrong, told(wrong, Path(folder)))


if __name__ == "__main__":
    PAGE.write_text(page(_row_now, lambda call: row_of_call(call, told_in_python(call))), encoding="utf-8")
