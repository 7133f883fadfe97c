"""The columns of a log for what the user did not name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.data.logs.conversion import Log
from howsure.data.tables.named_files import File
from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL
from howsure.inputs.naming import shortened

Asked = dict[str, Any]  # by the parameter of open_predictions
SOURCES = ("prob", "probs", "probs_column", "logits", "logprobs", "verbalised")
TASK, ITEM, RUN, DOCUMENT = "task", "item", "run", "document"


def with_defaults(asked: Mapping[str, Any], log: Log, files: Sequence[File], *, pairing: bool) -> Asked:
    """What is asked of a log, with a column for each role that was not named.

    Every model, task and prompt becomes a group of its own. Rows are told apart by their item; where an item has
    several rows in a group, it is their cluster. With `pairing`, the rows are those of one model, to be matched with
    another's: nothing is grouped, and a task is part of the item.

    Raises InputError if the log does not hold what is asked for.
    """
    found = dict(asked) | _probabilities(asked, log, files)
    if found["label"] is None:
        raise InputError(
            f"{parameter('y_true', GIVEN)} must name the column of the true label; {files[0].name} holds none by "
            "itself."
        )
    parts = list(log.group)
    if pairing:
        _refuse_several_models(log, files)
        parts = []
    elif asked["group"] is not None:
        parts = str(asked["group"]).split(",")
        log.check_ways(parts, advice=f"tell them apart, group='{','.join([*parts, RUN])}'")
    elif parts and found["reduce"] == CLASS_WISE:
        raise InputError(
            f"class-wise, the class is the group, and {files[0].name} holds several of: {', '.join(parts)}. Choose one "
            f"by {log.choice_of(parts[0])}."
        )
    elif parts:
        found["group"] = ",".join(parts)
    return found | _items(found, log, parts)


def chosen(asked: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """The columns that the user did not name, by their roles."""
    roles = ("label", "prob", "probs_column", "group", "cluster", "id")
    return {role: found[role] for role in roles if asked[role] is None and found[role] is not None}


def _probabilities(asked: Mapping[str, Any], log: Log, files: Sequence[File]) -> Asked:
    """The columns of probabilities and labels."""
    named = [role for role in SOURCES if asked[role]]
    if named:
        return {"label": asked["label"] or _held(log, "correct" if named in (["prob"], ["verbalised"]) else "target")}
    reduce = asked["reduce"]
    label = asked["label"] or "target"
    of_one = ("probability", "correct") if label == "target" else ("probability",)
    rows = [log.held.get(name, 0) for name in ("probabilities", label, *of_one)]
    several = min(rows) > 0 and min(rows[:2]) >= min(rows[2:])
    alike = len(log.lengths) == 1 or reduce in (None, TOP_LABEL)
    if several and alike and (label == "target" or log.names_classes(label)):
        classes = asked["classes"] or log.class_names
        return {"label": label, "probs_column": "probabilities", "reduce": reduce or TOP_LABEL, "classes": classes}
    if _held(log, "probability") is None:
        raise _missing_probabilities(log, files)
    if reduce not in (None, TOP_LABEL):
        raise InputError(f"{parameter('reduce', reduce)} needs the same classes in all rows; {_why_not(log, files)}.")
    return {"label": asked["label"] or _held(log, "correct"), "prob": "probability", "reduce": None}


def _held(log: Log, column: str) -> str | None:
    return column if column in log.held else None


def _why_not(log: Log, files: Sequence[File]) -> str:
    name = files[0].name
    if len(log.lengths) > 1:
        return f"{name} has questions of {min(log.lengths)} to {max(log.lengths)} choices. Use reduce='{TOP_LABEL}'"
    if log.lengths:
        return f"{name} has questions with several right choices, or none. Use reduce='{TOP_LABEL}'"
    return f"{name} holds one probability per row, that of the answer"


def _missing_probabilities(log: Log, files: Sequence[File]) -> InputError:
    name, scores = files[0].name, log.scores
    held = f"; it holds the scores {shortened(scores)}, which `howsure significance` compares" if scores else ""
    notes = "".join(f" {note}" for note in log.notes)
    return InputError(f"{name}, a log of {log.format.program}, holds no probabilities of answers{held}.{notes}")


def _refuse_several_models(log: Log, files: Sequence[File]) -> None:
    runs = () if RUN in log.format.group else (RUN,)
    for column in (*log.group, *runs):
        if column != TASK and log.varies(column):
            raise InputError(
                f"each side of a comparison must be one model; {files[0].name} holds several of: {column}. Choose one "
                f"by {log.choice_of(column)}."
            )


def _items(found: Mapping[str, Any], log: Log, parts: Sequence[str]) -> Asked:
    """What tells rows apart, or what those have in common that are of one item."""
    clusters = {"cluster": DOCUMENT} if log.has(DOCUMENT) and found["cluster"] is None else {}
    if ITEM not in log.held:
        return clusters
    key = ",".join([*([TASK] if log.varies(TASK) and TASK not in parts else []), ITEM])
    repeated = log.repeats_items(parts)
    if repeated:
        return clusters or ({} if found["cluster"] is not None else {"cluster": key})
    return clusters | ({} if found["id"] is not None else {"id": key})
