"""A table in long form, or scores by model: from the columns that its user names to the systems to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import GIVEN, InputError, at_row, parameter, shown
from howsure.inputs.checks import Coded, as_column, check_codes, first_missing, is_missing
from howsure.inputs.frames import all_columns, columns_from, is_frame
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.significance.reading import Systems, read_systems
from howsure.significance.systems import Runs, check_grouping, one_per_item, rows_of

# A table with one row per model, item and run, turned into the runs of each model on the same items.

MOST_CELLS, SPARE_CELLS = 64, 1_000_000  # per row, and in any case: more are mostly empty
TOGETHER = " / "  # between the parts of a key


@dataclass(frozen=True, slots=True)
class LongForm:
    """For each model, the rows of its runs on the common items (runs, items), and what was left out, in a sentence."""

    rows: Mapping[str, Integers]
    left_out: str = ""

    def per_item(self, values: Any, name: str) -> Any:
        """One value for each item, equal in all of its rows.

        Raises InputError naming a row that differs.
        """
        return one_per_item(values, np.concatenate(list(self.rows.values())), name, of="every row")


def long_form(model: object, id: object, run: object = None, *, n: int, skip_missing: bool = False) -> LongForm:
    """The rows of each model, run by run and item by item.

    An item that a model lacks, in any of the runs that this model has, is an error; with `skip_missing`, it is left out
    for all models, and counted.

    Raises InputError for fewer than two models, for two rows of one model, run and item, and for missing items.
    """
    models, names = check_codes(model, n=n, name="model")
    items, item_names = check_codes(id, n=n, name="id")
    runs, run_names = (np.zeros(n, dtype=np.int64), ("",)) if run is None else check_codes(run, n=n, name="run")
    if len(names) < 2:
        raise InputError(f"model must name two models or more; every row is of {names[0]!r}.")
    of_cell, cell = np.unique(models.astype(np.int64) * len(run_names) + runs, return_inverse=True)
    of_models, of_runs = np.divmod(of_cell, len(run_names))

    def said(place: int) -> str:
        of_run = "" if run is None else f" in run {run_names[of_runs[place]]!r}"
        return f"model {names[of_models[place]]!r}{of_run}"

    if len(of_cell) * len(item_names) > MOST_CELLS * n + SPARE_CELLS:
        raise InputError(
            f"every model must have every item in each of its runs; {n:,} rows are few for {len(of_cell):,} runs of "
            f"{counted(len(names), 'model')} on {counted(len(item_names), 'item')}. Are model, run and id the right "
            "columns?"
        )
    keys = cell * len(item_names) + items
    first = np.full(len(of_cell) * len(item_names), -1, dtype=np.int64)
    first[keys[::-1]] = np.arange(n)[::-1]
    again = np.flatnonzero(first[keys] != np.arange(n))
    if len(again):
        row = int(again[0])
        others = f"; so are {len(again) - 1:,} further rows" if len(again) > 1 else ""
        raise InputError(
            f"an item must have one row for each model{'' if run is None else ' and run'}; {at_row(first[keys[row]])} "
            "and "
            f"{at_row(row)} are both item {item_names[items[row]]!r} of {said(int(cell[row]))}{others}. If these are "
            f"several runs, name their column ({parameter('run', GIVEN)}); if they are of several sets of items, let "
            f"several columns identify the item together ({parameter('id', GIVEN)})."
        )
    table = first.reshape(len(of_cell), len(item_names))
    lacking = table < 0
    if not lacking.any():
        return LongForm({name: table[of_models == code] for code, name in enumerate(names)})
    held = ~lacking.any(axis=0)
    by_model = ", ".join(f"{name} {int(lacking[of_models == k].any(axis=0).sum()):,}" for k, name in enumerate(names))
    if not skip_missing or not held.any():
        place, item = (int(found[0]) for found in np.nonzero(lacking))
        advice = (
            "No item is left that all of them have."
            if not held.any()
            else f"Leave such items out for all models with {parameter('skip_missing', True)}."
        )
        where = "" if run is None else " in each of its runs"
        raise InputError(
            f"every model must have every item{where}; {said(place)} has no row of item {item_names[item]!r}. Of "
            f"{counted(len(item_names), 'item')} are missing: {by_model}. {advice}"
        )
    kept = {name: table[of_models == code][:, held] for code, name in enumerate(names)}
    rows = int((table[:, ~held] >= 0).sum())
    lost = f"{counted(int((~held).sum()), 'item')} ({counted(rows, 'row')}) left out for all models"
    return LongForm(kept, f"{lost}, because some have no answer there: {by_model}.")


def joined_key(parts: Sequence[object], names: Sequence[str], *, n: int) -> Coded:
    """Several columns as one key, whose names are joined by " / ".

    >>> joined_key([["a", "a"], [1, 2]], ["file", "id"], n=2).names
    ('a / 1', 'a / 2')
    """
    key, spelled = np.zeros(n, dtype=np.int64), [""]
    for part, name in zip(parts, names, strict=True):
        codes, of_part = check_codes(part, n=n, name=name)
        distinct, key = np.unique(key * len(of_part) + codes, return_inverse=True)
        heads, tails = np.divmod(distinct, len(of_part))
        pairs = zip(heads.tolist(), tails.tolist(), strict=True)
        spelled = [(f"{spelled[a]}{TOGETHER}" if spelled[a] else "") + of_part[b] for a, b in pairs]
    return Coded(key, tuple(spelled))


# Scores that each item already has, by model, as systems to compare.

SCORE = "score"
NUMERIC = "biuf"


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """The systems by the name of their score, or those of predictions; and what was left out, in sentences."""

    systems: Mapping[str, Systems]
    notes: Sequence[str]
    of_scores: bool


def read_scores(scores: object, *, clusters: object, strata: object) -> ScoredRows:
    """Scores by model, a column each.

    Raises InputError for fewer than two models, unequal lengths, or what is no finite number.
    """
    if is_frame(scores):
        names, columns = all_columns(scores)
        scores = dict(zip(names, columns, strict=True))
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise InputError("scores must hold the scores of two models or more: {'base': [...], 'large': [...]}.")
    held: dict[str, Floats] = {}
    for name, given in scores.items():
        runs = given if isinstance(given, Runs) else Runs([given])
        several = len(runs) > 1
        parts = [as_scores(one, f"{name}, run {k}" if several else str(name)) for k, one in enumerate(runs)]
        held[str(name)] = np.stack([part for part in parts if _same_length(part, parts[0], str(name))])
    lengths = {name: array.shape[1] for name, array in held.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise InputError(f"all models must have a score for each item; {said}. Align them by their ids first.")
    return ScoredRows({SCORE: score_systems(held, clusters, strata)}, (), True)


def as_scores(values: object, name: str) -> Floats:
    """Scores as float64: finite, none missing.

    >>> as_scores([True, 0.5, 3], "score").tolist()
    [1.0, 0.5, 3.0]

    Raises InputError naming the row and the value.
    """
    column = as_column(values, name=name)
    row = first_missing(column)
    if row is not None:
        raise InputError(f"{name} must not be missing; {at_row(row)} holds {column[row]!s}. Leave such rows out first.")
    if column.dtype.kind not in NUMERIC:
        for row, value in enumerate(column.tolist()):
            if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
                advice = (
                    f"Say which value counts as 1: {parameter('pos_label', value)}." if isinstance(value, str) else ""
                )
                raise InputError(f"{name} must be numbers; {at_row(row)} holds {shown(value)}. {advice}".rstrip())
    scores: Floats = column.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        raise InputError(f"{name} must be finite; {at_row(wrong[0])} holds {float(scores[wrong[0]])!r}.")
    return scores


def score_systems(scores: Mapping[str, Floats], clusters: Any, strata: Any) -> Systems:
    """Systems whose predictions are scores (runs, n)."""
    n = next(iter(scores.values())).shape[1]
    grouping = check_grouping(clusters, strata, n=n)
    predictions = {name: array[..., None] for name, array in scores.items()}
    return Systems(SCORE, np.zeros((n, 1)), predictions, (), *grouping)


def _same_length(part: Floats, first: Floats, name: str) -> bool:
    if len(part) != len(first):
        raise InputError(f"every run of {name} must have the same items; they have {len(first):,} and {len(part):,}.")
    return True


# Reading a table in long form: from the columns that its user names to the systems to compare.


def read_rows(
    data: object,
    *,
    model: object,
    id: str | Sequence[str] | None,
    run: str | None,
    target: str | None,
    prediction: str | None,
    score: str | Sequence[str] | None,
    pos_label: object,
    clusters: object,
    strata: object,
    skip_missing: bool,
    labels: Sequence[object] | None,
    tasks: set[str],
) -> ScoredRows:
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
        raise InputError(
            f"with data=, {lacking} must name a column, beside the other; or name a score: {parameter('score', GIVEN)}"
        )
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
        raise InputError(f"{name} must not be missing; {at_row(row)} holds {values[row]!s}. Leave such rows out first.")
    texts, counts = np.unique(values.astype(str), return_counts=True)
    wanted = str(pos_label)
    if wanted not in texts:
        raise unknown_name("value", wanted, [f"{text}" for text in texts], place=name)
    others = [f"{text!s} ({count:,})" for text, count in zip(texts, counts, strict=True) if text != wanted]
    notes.append(f"{name} is 1 for {wanted} and 0 for every other value: {shortened(others)}.")
    return np.asarray(values.astype(str) == wanted, dtype=np.float64)


def _spelled(column: Any) -> npt.NDArray[Any]:
    return np.array(column.names, dtype=object)[column.codes] if isinstance(column, Coded) else column
