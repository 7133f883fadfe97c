"""Reading a table in long form: from the columns that its user names to the systems to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, shown
from howsure.inputs.checks import Coded, first_missing, is_missing
from howsure.inputs.frames import columns_from, is_frame
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.pairs import Floats
from howsure.significance.systems.as_rows import rows_of
from howsure.significance.systems.long_form import LongForm, joined_key, long_form
from howsure.significance.systems.reading import read_systems
from howsure.significance.systems.runs import Runs
from howsure.significance.systems.scores import ScoredRows, as_scores, score_systems


def read_rows(
    data: object, *, model: object, id: str | Sequence[str] | None, run: str | None, target: str | None,
    prediction: str | None, score: str | Sequence[str] | None, pos_label: object, clusters: object, strata: object,
    skip_missing: bool, labels: Sequence[object] | None, tasks: set[str],
) -> ScoredRows:  # fmt: skip
    """A table with one row per model, item and run; the arguments name its columns.

    Raises InputError naming the parameter, the rule, the value and the row.
    """
    names = _asked(model=model, id=id, run=run, target=target, prediction=prediction, score=score)
    names |= {"clusters": _listed(clusters, "clusters"), "strata": _listed(strata, "strata")}
    columns = _columns(data, list(dict.fromkeys(name for listed in names.values() for name in listed)))
    columns, left = _without_missing(columns) if skip_missing else (columns, {})
    n = len(next(iter(columns.values())))
    if n == 0:
        raise InputError(f"every row has a missing value ({_counts(left)}); nothing is left.")

    def key(role: str) -> Any:
        parts = [columns[name] for name in names[role]]
        return None if not parts else parts[0] if len(parts) == 1 else joined_key(parts, names[role], n=n)

    held = long_form(key("model"), key("id"), key("run"), n=n, skip_missing=skip_missing)
    grouping = {role: _grouping(held, key(role), role, n) for role in ("clusters", "strata")}
    notes = [f"{counted(sum(left.values()), 'row')} with missing values left out ({_counts(left)})."] if left else []
    notes += [held.left_out] if held.left_out else []
    if names["score"]:
        found = {}
        for name in names["score"]:
            values = _positive(columns[name], pos_label, name, notes)
            by_model = {one: values[rows] for one, rows in held.rows.items()}
            found[name] = score_systems(by_model, grouping["clusters"], grouping["strata"])
        return ScoredRows(found, notes, True)
    targets = held.per_item(rows_of(columns[names["target"][0]], "target"), "target")
    predicted = rows_of(columns[names["prediction"][0]], "prediction")
    systems = read_systems(
        targets,
        {one: Runs([predicted[rows] for rows in runs]) for one, runs in held.rows.items()},
        tasks=tasks,
        labels=labels,
        **grouping,
    )
    return ScoredRows({"": systems}, notes, False)


def _asked(
    *, model: object, id: object, run: object, target: object, prediction: object, score: object
) -> dict[str, list[str]]:
    """The columns of each role; InputError for a role that is missing, or one too many."""
    if score is not None and (target is not None or prediction is not None):
        raise InputError("score is compared as it stands; leave out target and prediction, or score.")
    for role, given in {"model": model, "id": id}.items():
        if given is None:
            what = "the model" if role == "model" else "the item"
            raise InputError(f"with data=, {role} must name the column that identifies {what} of each row: {role}=...")
    if score is None and (target is None or prediction is None):
        lacking = "target" if target is None else "prediction"
        raise InputError(f"with data=, {lacking} must name a column, beside the other; or name a score: score=...")
    roles = {"model": model, "id": id, "run": run, "target": target, "prediction": prediction, "score": score}
    listed = {role: _listed(given, role) for role, given in roles.items()}
    for role in ("target", "prediction"):
        if len(listed[role]) > 1:
            raise InputError(f"{role} must name one column; it names {shortened(listed[role])}.")
    if len(set(listed["score"])) < len(listed["score"]):
        raise InputError(f"score must name different columns; it names {shortened(listed['score'])}.")
    return listed


def _listed(given: object, role: str) -> list[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, str) for one in given):
        return list(given)
    raise InputError(f"with data=, {role} must name a column, not be {shown(given)}.")


def _columns(data: object, names: list[str]) -> dict[str, Any]:
    if isinstance(data, Mapping):
        for name in names:
            if name not in data:
                raise unknown_name("column", name, list(map(str, data)), place="data")
        columns = {name: data[name] for name in names}
    elif is_frame(data):
        columns = dict(zip(names, columns_from(data, names), strict=True))
    else:
        raise InputError(f"data must be a data frame or columns by name, not {type(data).__name__}.")
    held = {name: one if isinstance(one, Coded) else rows_of(one, name) for name, one in columns.items()}
    lengths = {name: len(one) for name, one in held.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"the columns of data must have the same length; they have {lengths}.")
    return held


def _without_missing(columns: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """The rows in which no column is missing, and by column how many were left out, each counted once."""
    held = np.ones(len(next(iter(columns.values()))), dtype=bool)
    left: dict[str, int] = {}
    for name, column in columns.items():
        lost = held & _missing(column)
        if lost.any():
            left[name] = int(lost.sum())
            held &= ~lost
    if not left:
        return dict(columns), left
    return {name: _kept(column, held) for name, column in columns.items()}, left


def _missing(column: Any) -> npt.NDArray[np.bool_]:
    if isinstance(column, Coded) or column.dtype.kind not in "fO":
        return np.zeros(len(column), dtype=bool)
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column) if column.ndim == 1 else np.isnan(column).any(axis=1))
    return np.fromiter((is_missing(value) for value in column.tolist()), dtype=bool, count=len(column))


def _kept(column: Any, held: npt.NDArray[np.bool_]) -> Any:
    if isinstance(column, Coded):
        kept, codes = np.unique(column.codes[held], return_inverse=True)
        return Coded(codes, tuple(column.names[code] for code in kept.tolist()))
    return column[held]


def _counts(left: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in left.items())


def _grouping(held: LongForm, key: Any, role: str, n: int) -> Any:
    if key is None:
        return None
    codes = key.codes if isinstance(key, Coded) else key
    return held.per_item(codes, role)


def _positive(column: Any, pos_label: object, name: str, notes: list[str]) -> Floats:
    """The scores of a column; 1 for `pos_label` and 0 for every other value, which a note counts."""
    if pos_label is None:
        return as_scores(_spelled(column), name)
    values = _spelled(column)
    row = first_missing(values)
    if row is not None:
        raise InputError(f"{name} must not be missing; row {row} holds {values[row]!s}. Leave such rows out first.")
    texts, counts = np.unique(values.astype(str), return_counts=True)
    wanted = str(pos_label)
    if wanted not in texts:
        raise unknown_name("value", wanted, [f"{text}" for text in texts], place=name)
    others = [f"{text!s} ({count:,})" for text, count in zip(texts, counts, strict=True) if text != wanted]
    notes.append(f"{name} is 1 for {wanted} and 0 for every other value: {shortened(others)}.")
    return np.asarray(values.astype(str) == wanted, dtype=np.float64)


def _spelled(column: Any) -> npt.NDArray[Any]:
    return np.array(column.names, dtype=object)[column.codes] if isinstance(column, Coded) else column
