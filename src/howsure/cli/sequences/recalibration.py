"""What `howsure sequences recalibrate` shows: temperatures, and what they are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.cli.sequences.before_after import BeforeAfter, Row
from howsure.cli.terminal.output import json_text
from howsure.inputs.naming import counted
from howsure.sequences.tempering.temperatures import Temperatures
from howsure.show.numbers import UNDEFINED, interval, number
from howsure.show.table import Table
from howsure.stats.estimate import Estimate

HEADINGS = ("before", "after", "after - before")
SQUARES = "²"
NOTE = f"{SQUARES}: of the squared errors, since one of the errors is not clearly above 0."
HELPS, HARMS, UNKNOWN = "helps", "makes it worse", "cannot tell"


def recalibration_text(
    found: Temperatures, results: Mapping[str, BeforeAfter], recipe: Mapping[str, Any], path: str
) -> str:
    """The temperatures, a table for each file, and the verdict by the last one."""
    parts = [repr(found)]
    for name, one in results.items():
        sizes = f"{counted(one.sentences, 'sentence')}, {counted(one.tokens, 'token')}"
        left = f"; {counted(one.left_out, 'token')} in no -log P" if one.left_out else ""
        parts += ["", f"{name}: {sizes}{left}", str(_table(one))]
    parts += ["", *verdict_lines(results), f"written to {path}", ""]
    return "\n".join(parts)


def recalibration_json(
    found: Temperatures, results: Mapping[str, BeforeAfter], recipe: Mapping[str, Any], path: str
) -> str:
    """The same with all digits."""
    last = list(results.values())[-1]
    return json_text(
        {
            "recipe": dict(recipe),
            "temperatures": found.to_dict(),
            "comparisons": [
                {
                    "on": name, "sentences": one.sentences, "tokens": one.tokens, "left_out": one.left_out,
                    "errors": [_as_dict(row) for row in one.errors], "means": [_as_dict(row) for row in one.means],
                }
                for name, one in results.items()
            ],
            "verdict": verdict(last.gain),
            "written_to": path,
        }
    )  # fmt: skip


def verdict(gain: Estimate) -> str:
    """By the interval of after - before: a loss, which is better the smaller it is."""
    if gain.low is None or gain.high is None or gain.low <= 0 <= gain.high:
        return UNKNOWN
    return HELPS if gain.high < 0 else HARMS


def verdict_lines(results: Mapping[str, BeforeAfter]) -> list[str]:
    """What the temperatures are worth, and whether the answers got worse."""
    last = list(results.values())[-1]
    said = {
        HELPS: "the temperatures help",
        HARMS: "the temperatures make it worse; keep the model as it is",
        UNKNOWN: "no gain is shown; the model may stay as it is",
    }[verdict(last.gain)]
    lines = [f"-log P of gold tags changes by {_signed(last.gain)} per token: {said}"]
    if last.accuracy.high is not None and last.accuracy.high < 0:
        lines.append(f"accuracy changes by {_signed(last.accuracy)}: --keep-answers keeps the most probable sequences")
    return lines


def _signed(held: Estimate) -> str:
    return f"{number(held.value, sign=True)} {interval(held.low, held.high, sign=True)}"


def _table(one: BeforeAfter) -> Table:
    rows = [_cells(row) for row in (*one.errors, *one.means)]
    marked = any(SQUARES in row[-1] for row in rows)
    return Table(("", *HEADINGS), rows, words=("",), notes=[NOTE] if marked else [])


def _cells(row: Row) -> list[str]:
    difference = UNDEFINED
    if row.difference is not None and row.difference.low is not None:
        difference = _signed(row.difference)
    elif row.squares is not None and row.squares.low is not None:
        difference = f"{SQUARES} {_signed(row.squares)}"
    return [row.name, str(row.before), str(row.after), difference]


def _as_dict(row: Row) -> dict[str, Any]:
    held = {"before": row.before, "after": row.after, "difference": row.difference, "squared_difference": row.squares}
    return {"name": row.name} | {name: None if one is None else one.to_dict() for name, one in held.items()}
