"""Record the output of commands and code in documents again: `python -m tests.record_documents docs/scores.md …`.

Each page is run as tests/test_documents.py runs it. An output that differs replaces the text in the page. An output
that still matches (decimals within rounding, `...` for any text) is left unchanged. If a replaced text contained `...`,
the lines before and after it are kept if they are still printed; otherwise, the whole output is recorded. Read the
difference before you commit it, because the text around an output may quote it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.printed import ANYTHING, is_printed
from tests.test_documents import run_page, without_margins


def record_page(text: str, folder: Path, *, heavy: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return the page with its current outputs, and a line about each output that was replaced."""
    lines, outputs = text.split("\n"), []

    def collect(expected: str, printed: str, line: int, tolerance: float) -> None:
        expected, printed = without_margins(expected), without_margins(printed)
        if not is_printed(expected, printed, tolerance=tolerance):
            outputs.append((line, expected.split("\n"), with_ellipsis(expected, printed)))

    run_page(text, folder, heavy=heavy, compare=collect)
    replaced = []
    for line, expected, recorded in reversed(outputs):
        start = start_of(lines, expected, line - 1)
        lines[start : start + len(expected)] = recorded
        replaced.append(f"line {line}: {len(expected)} lines, now {len(recorded)}")
    return "\n".join(lines), replaced[::-1]


def with_ellipsis(expected: str, printed: str) -> list[str]:
    """Return the lines to record. If the old output was shortened by a line `...`, the new output is shortened at the
    same line if possible."""
    recorded = printed.split("\n")
    before, ellipsis, after = expected.partition(f"\n{ANYTHING}")
    if not ellipsis or ANYTHING in before or ANYTHING in after:
        return recorded
    head, tail = before.split("\n"), after.strip("\n").split("\n") if after.strip() else []
    shortened = [*recorded[: len(head)], ANYTHING, *(recorded[-len(tail) :] if tail else [])]
    return shortened if len(shortened) < len(recorded) else recorded


def start_of(lines: Sequence[str], expected: Sequence[str], first: int) -> int:
    """Return the index of the first line of an expected output, at or after a line of the page."""
    stripped = [line.rstrip() for line in lines]
    return next(
        start for start in range(first, len(lines)) if stripped[start : start + len(expected)] == list(expected)
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    options = parser.parse_args()
    for page in options.pages:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "images").mkdir()
            recorded, replaced = record_page(page.read_text(encoding="utf-8"), Path(name), heavy=["long"])
        page.write_text(recorded, encoding="utf-8")
        print(f"{page}: {len(replaced)} outputs replaced", *replaced, sep="\n  ")
