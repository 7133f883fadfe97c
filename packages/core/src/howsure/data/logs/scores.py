"""Choose the columns of a log for scores, items and runs that the user did not name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from howsure.errors import LIST_COLUMNS, InputError, parameter
from howsure.inputs.frames import ITEM, RUN, TASK
from howsure.inputs.numbers_and_names import shortened

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

FILE, SEPARATE = "file", "separate"  # the column of file names; items in different files are different
CORRECT = "correct"
NO_SCORE_COLUMN = "`score=...` must name the column of the score. Logs name their scores themselves."
SCORES = "score: "  # begins the role of each score that a log names itself


def columns_of_log(log: Log, *, item: str | None, run: str | None) -> dict[str, str]:
    """Return the log's columns of items and runs, unless the user named them."""
    columns = {}
    if item is None and not log.has(ITEM):
        log.note_repeats_without_items()
    elif item is None:
        columns["id"] = f"{TASK},{log.item_column}" if log.varies(TASK) else log.item_column
    if run is None and RUN not in log.format.group and log.varies(RUN):
        columns["run"] = RUN
    return columns


def scores_of_log(log: Log, *, primary: bool = False, of_trials: bool = False) -> list[str]:
    """Return the scores of a log: its quality scores or, without any, the correctness of answers.

    primary: return only the first score of each task. A note names the scores left out.
    """
    scores = log.primary_scores if primary else log.quality_scores
    log.note_left_out_scores(scores, costs=not of_trials)
    if not of_trials:
        log.note_exceptions()
    names = list(scores) or [name for name in (CORRECT,) if log.filled_rows.get(name)]
    if not names:
        raise _no_score_in(log)
    return names


def primary_score_of_log(log: Log) -> str:
    """Return the primary score of a log. Raises InputError if tasks have different primary scores."""
    name, *others = scores_of_log(log, primary=True)
    if others:
        tasks = {score: task for task, score in log.first_scores.items()}
        listed = [f"{score} (such as {tasks.get(score)})" for score in (name, *others)]
        raise InputError(
            f"tasks of this log of {log.format.program} have different scores: {shortened(listed)}. Name one: "
            f"{parameter('score', name)}."
        )
    return name


def _no_score_in(log: Log) -> InputError:
    if not log.scores:
        content = f"has no answers that were scored.{LIST_COLUMNS}"
    else:
        content = f"contains costs and counts only: {shortened(log.scores)}. Name one to use it."
    return InputError(f"`score=...` must name the column of the score: this log of {log.format.program} {content}")
