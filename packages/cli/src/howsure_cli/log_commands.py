"""Propose commands for a log, which names its own columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howsure.data.logs.conversion import Log, with_defaults
from howsure.data.logs.scores import columns_of_log
from howsure.data.tables.named_files import File
from howsure.errors import InputError
from howsure.inputs.frames import ITEM, MODEL, PROMPT
from howsure.inputs.long_form import long_form
from howsure_cli.typed_commands import command_text


def propose_for_log(log: Log, files: Sequence[File], file_words: Sequence[str]) -> Iterator[str]:
    """The commands for a log, which names its columns itself; `file_words`: the files, and how they are read."""
    scores = list(log.primary_scores)
    several = len(files) > 1  # then each may be a model
    judged = scores or [score_name for score_name in ("correct",) if log.filled_rows.get(score_name)]
    if judged and log.exceptions:
        yield command_text("score agents", *file_words)
    if judged:
        missing = _skip_missing_option(log, judged)
        missing = ["--missing-score", "0"] if missing and log.exceptions else missing  # as in the lower means of agents
        yield command_text("score", *file_words, *missing)
    roles = dict.fromkeys(("y_true", "groups", "clusters", "sample_weight", "id"))
    try:
        roles_found, spec = with_defaults(roles, None, log, files, pairing=False)
    except InputError:
        models = ["--model", f"{MODEL},{PROMPT}"] if log.varies(PROMPT) else []
        comparable = models or log.varies(MODEL) or (several and MODEL not in log.filled_rows)
        if scores and comparable and log.has(ITEM) and _has_shared_items(log, scores[0], models[1:]):
            yield command_text(
                "significance", *file_words, "--score", scores[0], *models, *_skip_missing_option(log, scores[:1])
            )
        return
    left_out = _skip_missing_option(log, [str(roles_found["y_true"]), *spec.columns])
    yield command_text("calibration", *file_words, *left_out)
    yield command_text("selective", *file_words, *left_out)


def _has_shared_items(log: Log, score: str, models: Sequence[str]) -> bool:
    """Whether several models have scores of the same items, in each of their runs; True for models that are files."""
    columns = columns_of_log(log, item=None, run=None)
    names = {"model": models[0] if models else MODEL, "id": columns["id"]} | columns
    if not models and MODEL not in log.filled_rows:
        return True
    rows = [row for _, row in log.reread() if row.get(score) is not None]
    keys = {
        role: [" / ".join(str(row.get(name)) for name in key.split(",")) for row in rows] for role, key in names.items()
    }
    try:
        long_form(**keys, n=len(rows), skip_missing=True)
    except InputError:
        return False
    return True


def _skip_missing_option(log: Log, columns: Sequence[str]) -> list[str]:
    """The option that leaves out the rows in which one of the columns is empty."""
    return ["--skip-missing"] if any(log.filled_rows.get(column) != log.rows for column in columns) else []
