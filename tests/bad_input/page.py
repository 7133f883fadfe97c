"""The record of messages about invalid input, bad_input.md, which `python -m tests.bad_input.page` writes.

The site shows it below docs/bad-input.md. To add a new invalid input, add a row without a message, and the files that
the row needs in addition to the files of its topic.
"""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run

import howsure
from tests.bad_input.check import CHECKED
from tests.bad_input.columns import NAMED
from tests.bad_input.counts import COUNTS
from tests.bad_input.files import FILES, OPTIONS, VALUES
from tests.bad_input.imports import SCORED
from tests.bad_input.judge import JUDGED
from tests.bad_input.logs import LOGGED
from tests.bad_input.maps import EVALUATED, TEMPERED
from tests.bad_input.monitor import MONITORED
from tests.bad_input.pairs import GROUPS, OF_LOGITS, ORDERED, PRINTED, SELECTIVE, WITHOUT_BINS
from tests.bad_input.scores import BY_MODEL, SCORE
from tests.bad_input.summary import SUMMARISED
from tests.bad_input.texts import APART, MENDED, NEURAL

PAGE = Path(__file__).with_name("bad_input.md")
TOPICS = {
    "Files": FILES,
    "Values": VALUES,
    "Columns, conditions and scales": NAMED,
    "Options": OPTIONS,
    "Curves without bins": WITHOUT_BINS,
    "Ordered levels": ORDERED,
    "Logs": LOGGED,
    "Saved summaries": SUMMARISED,
    "Groups": GROUPS,
    "Scores of models": SCORE,
    "Judges": JUDGED,
    "Selective answers": SELECTIVE,
    "Monitor": MONITORED,
    "Recalibration": EVALUATED,
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


@dataclass(frozen=True)
class Row:
    """A row of the page: its topic, what is wrong, and the command that is typed. For Python, the call is both of the
    last two."""

    topic: str
    what: str
    typed: str

    def files(self) -> dict[str, bytes]:
        """Return the files in the row's folder."""
        files = TOPICS[self.topic]
        return files.common | files.of_case.get(self.what, {})

    def message(self, folder: Path) -> str:
        """Return what the command prints in a folder, in which it must not leave files. Raises AssertionError if it
        ends otherwise."""
        if self.topic == "Python":
            return message_in_python(self.typed)
        files = self.files()
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        with contextlib.chdir(folder):
            done = run(*shlex.split(self.typed))
        usage, error, message = done.err.rpartition("\nError: ")
        assert usage.startswith("Usage: howsure ") if error else done.err.startswith("howsure: ")
        assert (done.code, done.out) == (2, "")
        left = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert left == files
        return (message if error else done.err.removeprefix("howsure: ")).removesuffix("\n").replace("\n", " ")

    def line(self, message: str) -> str:
        """Return the line of the page, with the characters escaped that Markdown would interpret."""
        cells = (
            [f"`{self.typed}`", message] if self.topic == "Python" else [self.what, f"`howsure {self.typed}`", message]
        )
        return f"| {' | '.join(cell if '`' in cell else cell.replace('[', chr(92) + '[') for cell in cells)} |\n"


def rows() -> Iterator[tuple[str, Row | None]]:
    """Return the lines of the page, and the rows in them."""
    topic, before = "", ""
    for line in PAGE.read_text(encoding="utf-8").splitlines(keepends=True):
        row = None
        if line.startswith("## "):
            topic = line[3:].strip()
        elif before.startswith("| ") and line.startswith("| ") and not line.startswith("| ---"):
            cells = line.removeprefix("| ").removesuffix(" |\n").split(" | ", 1 if topic == "Python" else 2)
            typed = cells[-2].strip("`").removeprefix("howsure ")
            row = Row(topic, cells[0] if "`" in cells[0] else cells[0].replace("\\[", "["), typed)
        before = line
        yield line, row


def message_in_python(call: str) -> str:
    """Return the message for invalid arguments."""
    frame = pd.DataFrame({"gold": [0, 1], "prob": [0.1, 0.8]})
    names = {"np": np, "howsure": howsure, "curve": howsure.calibration_curve, "frame": frame}
    with pytest.raises(howsure.InputError) as caught:
        eval(call, names)
    return str(caught.value)


def current_line(row: Row) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return row.line(row.message(Path(folder)))


if __name__ == "__main__":
    PAGE.write_text("".join(current_line(row) if row else line for line, row in rows()), encoding="utf-8")
