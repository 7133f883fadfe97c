"""Propose commands for a log, which names its own columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howsure.data.logs.conversion import Log, with_defaults
from howsure.data.logs.scores import columns_of_log
from howsure.data.tables.named_files import File
from howsure.errors import InputError
from howsure.inputs.frames import ITEM, MODEL, PROMPT
from howsure.inputs.long_form import long_form
from howsure_cli.typed_commands import Proposal, TypedFiles, glob_pattern


def propose_for_log(log: Log, files: Sequence[File], typed: TypedFiles) -> Iterator[Proposal]:
    """Yield the commands for a log, whose columns are known. typed: the files, and how they are read."""
    scores = list(log.primary_scores)
    several = len(files) > 1  # then each may be a model
    judged = scores or [score_name for score_name in ("correct",) if log.filled_rows.get(score_name)]
    if judged and log.exceptions:
        yield typed.command("score agents")
    if judged:
        lacks = _lacks_values(log, judged)
        typed = _without_perturbed_rows(log, judged[0], typed)
        as_failed = "0" if lacks and log.exceptions else None  # as in the lower means of agents
        yield typed.command("score", missing_score=as_failed, skip_missing=lacks and as_failed is None)
    roles = dict.fromkeys(("y_true", "groups", "clusters", "sample_weight", "id"))
    try:
        roles_found, spec = with_defaults(roles, None, log, files, pairing=False)
    except InputError:
        models = f"{MODEL},{PROMPT}" if log.varies(PROMPT) and "where" not in typed.options else None
        comparable = models or log.varies(MODEL) or (several and MODEL not in log.filled_rows)
        if (
            scores
            and comparable
            and log.has(ITEM)
            and _has_shared_items(log, scores[0], models, only_plain="where" in typed.options)
        ):
            lacks = _lacks_values(log, scores[:1])
            yield typed.command("significance", score=scores[0], model=models, skip_missing=lacks)
        return
    needed = [str(roles_found["y_true"]), *spec.columns]
    complete = [file.name for file in files if {*needed} <= {*file.columns}]
    if len(complete) < len(files):  # the others are of tasks without probabilities
        typed = TypedFiles([glob_pattern(complete)], typed.options)
    lacks = _lacks_values(log, needed) and len(complete) == len(files)
    yield typed.command("calibration", skip_missing=lacks)
    yield typed.command("selective", skip_missing=lacks)


def _without_perturbed_rows(log: Log, score: str, typed: TypedFiles) -> TypedFiles:
    """Select the rows without a prompt if only some have one, such as the name of a perturbation, and items repeat."""
    if not 0 < log.filled_rows.get(PROMPT, 0) < log.rows or not log.has(ITEM):
        return typed
    rows = [row for _, row in log.reread() if row.get(score) is not None]
    names = columns_of_log(log, item=None, run=None)
    keys = [key for key in (MODEL, *names.values()) if key and key != PROMPT]
    answers = [tuple(str(row.get(part)) for key in keys for part in key.split(",")) for row in rows]
    plain = {answer for answer, row in zip(answers, rows, strict=True) if not row.get(PROMPT)}
    repeats = any(answer in plain for answer, row in zip(answers, rows, strict=True) if row.get(PROMPT))
    return TypedFiles(typed.paths, {**typed.options, "where": f"{PROMPT} IS NULL"}) if repeats else typed


def _has_shared_items(log: Log, score: str, models: str | None, *, only_plain: bool = False) -> bool:
    """Whether several models have scores of the same items, in each of their runs; True for models that are files.

    only_plain: among the rows without a prompt.
    """
    columns = columns_of_log(log, item=None, run=None)
    names = {"model": models or MODEL, "id": columns["id"]} | columns
    if not models and MODEL not in log.filled_rows:
        return True
    rows = [row for _, row in log.reread() if row.get(score) is not None]
    rows = [row for row in rows if not (only_plain and row.get(PROMPT))]
    keys = {
        role: [" / ".join(str(row.get(name)) for name in key.split(",")) for row in rows] for role, key in names.items()
    }
    try:
        long_form(**keys, n=len(rows), skip_missing=True)
    except InputError:
        return False
    return True


def _lacks_values(log: Log, columns: Sequence[str]) -> bool:
    """Whether one of the columns is empty in some row."""
    return any(log.filled_rows.get(column) != log.rows for column in columns)
