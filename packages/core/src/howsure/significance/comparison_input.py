"""The input of `compare`: arrays, scores by model, columns of a table, or rows with one model and item each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.logs.scores import FILE
from howsure.data.sources import Files
from howsure.errors import InputError, parameter, quote, row_reference
from howsure.inputs.arguments import check_distinct, is_listlike
from howsure.inputs.checks import Coded, check_codes, is_missing
from howsure.inputs.frames import MODEL, Kind, Rows, all_columns, columns_from, is_frame
from howsure.inputs.long_form import LongForm, as_scores, folds_note, joined_key, long_form, positive_scores
from howsure.inputs.numbers_and_names import (
    counted,
    notes_on_numbers,
    parse_number,
    percentages,
    shortened,
    unknown_name,
)
from howsure.inputs.pairs import Floats
from howsure.inputs.repeated_items import frame_clusters
from howsure.inputs.source_names import name_of_file
from howsure.significance.checked_systems import Systems, grouping_codes
from howsure.significance.documents import object_array, read_documents_or_systems
from howsure.significance.metrics.metric import DOCUMENT
from howsure.significance.model_files import nothing_to_compare, rows_of_models, unnamed
from howsure.significance.systems import GROUPINGS, Runs, as_rows

SCORE = "score"  # the metric of columns that hold scores
AGAINST = "baseline"  # name of a model that is passed without a name


@dataclass(frozen=True, slots=True)
class ToCompare:
    """The checked input of a comparison.

    systems: the scores of all models, by the name of the score; systems with predictions have the name "". against: the
    model that the others are compared with, None for all pairs. by_order: whether the items of the runs were matched by
    their order. rows: the columns of the table.
    """

    systems: Mapping[str, Systems]
    of_scores: bool
    against: str | None
    notes: tuple[str, ...] = ()
    by_order: bool = False
    rows: Rows = field(default_factory=lambda: Rows({}))


def read_arrays(
    y_true: Any, against: Any, model: Any, *, tasks: set[str], id: Any, run: Any, **options: Any
) -> ToCompare:
    """Check targets, the predictions of the baseline and those of other models; {name: predictions} names a model."""
    others = dict(against) if isinstance(against, Mapping) else {AGAINST: against}
    models = dict(model) if isinstance(model, Mapping) else {MODEL: model}
    if len(others) != 1:
        raise InputError(f"`against` must be one model; it names {list(others)}.")
    (name,) = others
    if not models:
        raise InputError(f"`model` must name at least one model to compare with {name!r}; it is empty.")
    if name in models:
        raise InputError(
            f"`model` must not contain the baseline {name!r}, because a model is compared with another model."
        )
    if (
        id is not None
        and isinstance(y_true, Sized)
        and not (is_listlike(id) and isinstance(id, Sized) and len(id) == len(y_true))
    ):
        raise InputError(f"`id` must have one value for each of the {len(y_true):,} rows of `y_true`.")
    systems = read_documents_or_systems(y_true, {**others, **models}, tasks=tasks, id=id, run=run, **options)
    notes: tuple[str, ...] = ()
    if run is not None and id is not None:
        n_runs, n_repetitions = len(check_codes(run, n=len(id), name="run")[1]), len(systems.predictions[name])
        notes = () if n_repetitions == n_runs else (folds_note(n_repetitions, n_runs),)
    return ToCompare({"": systems}, False, name, notes, by_order=run is not None and id is None)


def read_score_columns(score: Any, against: str | None, **grouping: Any) -> ToCompare:
    """Check the scores of models, given as a mapping or data frame with a column for each model."""
    if is_frame(score) and not isinstance(score, Files):
        score = dict(zip(*all_columns(score), strict=True))
    if not isinstance(score, Mapping) or len(score) < 2:
        raise InputError("`score` must contain the scores of two models or more: {'base': [...], 'large': [...]}.")
    scores_by_model: dict[str, Floats] = {}
    percent = list[str]()
    for name, model_scores in score.items():
        runs = model_scores if isinstance(model_scores, Runs) else Runs([model_scores])
        parts = [
            as_scores(run_scores, f"{name}, run {k}" if len(runs) > 1 else str(name))
            for k, run_scores in enumerate(runs)
        ]
        percent += percentages({str(name): next(iter(runs))})
        for part in parts:
            if len(part) != len(parts[0]):
                raise InputError(
                    f"every run of {name} must have the same items; they have {len(parts[0]):,} and {len(part):,}."
                )
        scores_by_model[str(name)] = np.stack(parts)
    lengths = {name: array.shape[1] for name, array in scores_by_model.items()}
    if len(set(lengths.values())) > 1:
        row_counts = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise InputError(f"all models must have a score for each item; {row_counts}. Align them by their ids first.")
    systems, notes = {SCORE: score_systems(scores_by_model, **grouping)}, tuple(notes_on_numbers([], percent))
    return ToCompare(systems, True, against, notes, rows=Rows({}, {"percentages": percent} if percent else {}))


def score_systems(scores: Mapping[str, Floats], **grouping: Any) -> Systems:
    """Return systems whose predictions are scores (runs, n)."""
    n = next(iter(scores.values())).shape[1]
    predictions = {name: array[..., None] for name, array in scores.items()}
    return Systems(SCORE, np.zeros((n, 1)), predictions, (), **grouping_codes(grouping, n))


# Columns of a table: a frame, a mapping of columns, or files.


def _columns(data: Any, kinds: Mapping[str, Kind], **how: Any) -> Rows:
    """Return the columns with the names in `kinds`. A column of a mapping may be `Coded`."""
    clusters: str | None = None
    notes: tuple[str, ...] = ()
    if isinstance(data, Files):
        rows = data.rows(kinds, **how)
        return replace(rows, columns=dict(rows.columns))
    if isinstance(data, Mapping):
        for name in kinds:
            if name not in data:
                raise unknown_name("column", name, list(map(str, data)), place="data")
        columns = {name: data[name] for name in kinds}
    elif is_frame(data):
        if how.get("cells") is not None:
            clusters, notes = frame_clusters(data, how["cells"], list(kinds), id=how.get("id"))
        kinds = kinds if clusters is None else {**kinds, clusters: Kind.VALUES}
        columns = dict(zip(kinds, columns_from(data, list(kinds)), strict=True))
    else:
        raise InputError(f"`data` must be a data frame or columns by name, not {type(data).__name__}.")
    arrays = {name: _convert_column(column, name, kinds[name]) for name, column in columns.items()}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"the columns of data must have the same length; they have {lengths}.")
    return Rows(arrays, chosen={} if clusters is None else {"clusters": clusters}, notes=notes)


def _convert_column(column: Any, name: str, kind: Kind) -> Any:
    if isinstance(column, Coded):
        return column
    return object_array(column) if kind is Kind.OPTIONAL else as_rows(column, name)


def _kind(tasks: set[str], kind: Kind) -> Kind:
    """How to read a column for metrics of these tasks; values for metrics of documents are unchanged, may be empty."""
    return Kind.OPTIONAL if DOCUMENT in tasks else Kind.NUMBER if "probabilistic" in tasks else kind


def _column_list(argument: Any, role: str) -> list[str]:
    """Return the names of columns that were given for a parameter."""
    if argument is None:
        return []
    if isinstance(argument, str):
        return [argument]
    if isinstance(argument, (list, tuple)) and argument and all(isinstance(name, str) for name in argument):
        return list(argument)
    raise InputError(f"with `data=...`, {parameter(role)} must be the name of a column; it is {quote(argument)}.")


def _single_column(argument: Any, role: str) -> str:
    listed = _column_list(argument, role)
    if len(listed) != 1:
        raise InputError(f"{parameter(role)} must name one column; it names {shortened(listed) or 'none'}.")
    return listed[0]


def _convert_numeric_labels(columns: dict[str, Any], names: Sequence[str]) -> None:
    """Convert text to numbers if every value in the columns of labels is a number, so that 1 and 1.0 are one class.

    A column of labels that is also the column of groups is coded; its texts replace the codes.
    """
    for name in names:
        if isinstance(coded := columns[name], Coded):
            columns[name] = np.array(coded.names, dtype=object)[coded.codes]
    texts = [name for name in names if np.asarray(columns[name]).dtype.kind in "OU"]
    numbers = {name: [parse_number(str(text)) for text in columns[name].tolist()] for name in texts}
    if all(None not in column for column in numbers.values()):
        columns.update({name: np.array(column, dtype=np.float64) for name, column in numbers.items()})


def _classes(rows: Rows, names: Sequence[str]) -> list[str] | None:
    """Return the names of the classes if the probabilities in the columns are mappings from class to probability.

    names: the columns, first the true labels. Raises InputError if columns name different classes, or if some are lists
    of probabilities, whose order of classes is unknown.
    """
    keys = {name: rows.keys[name] for name in names if name in rows.keys}
    if not keys:
        return None
    first, classes = next(iter(keys.items()))
    for name in names:
        is_list = name not in keys and rows[name].ndim == 2
        class_names = (
            [str(column_number) for column_number in range(rows[name].shape[1])] if is_list else keys.get(name, classes)
        )
        if class_names != classes:
            what = "lists without names" if is_list else shortened(map(repr, class_names))
            raise InputError(
                f"all columns must name the same classes; {first} has {shortened(map(repr, classes))}, {name} has "
                f"{what}."
            )
    return None if names[0] in keys else classes


# A column for each model.


def read_model_columns(
    data: Any,
    y_true: Any,
    against: Any,
    model: Any,
    *,
    of_score: bool,
    tasks: set[str],
    classes: Any,
    id: Any,
    run: Any,
    **grouping: Any,
) -> ToCompare:
    """Return columns of predictions and of true values, or of scores, one column for each model."""
    models = _column_list(model, "model")
    if against is None or not models:
        missing_role = "against" if against is None else "model"
        raise nothing_to_compare(missing_role, found_in=data)
    other = _single_column(against, "against")
    if other in models:
        raise InputError(f"`against` and `model` must differ; both name {other}.")
    twice = [name for name in models if models.count(name) > 1]
    if twice:
        raise InputError(f"`model` names {twice[0]} twice. Name each column once.")
    roles = {"id": id, "run": run, **grouping}
    names = {role: _single_column(argument, role) for role, argument in roles.items() if argument is not None}
    systems = [other, *models]
    if of_score:
        for role, argument in {"y_true": y_true, "run": run, "id": id}.items():
            if argument is not None:
                raise InputError(
                    f"{parameter(role)} cannot be given with a column of scores for each model. For several runs, give "
                    "a table with one row per model, item and run, and name its columns `model` and `score`."
                )
        kinds = dict.fromkeys(names.values(), Kind.VALUES) | dict.fromkeys(systems, Kind.SCORE)
        rows = _columns(data, kinds, clusters=names.get("clusters"), cells=_cells(names))
        names |= _repeated_item_column(rows)
        arrays = {role: rows[name] for role, name in names.items()}
        with rows.locating_errors():
            scores = {name: rows[name] for name in systems}
            made = read_score_columns(scores, other, **{role: arrays.get(role) for role in grouping})
        rows = replace(rows, provenance=made.rows.provenance | rows.provenance)
        return replace(made, rows=_grouped(rows, names), notes=(*made.notes, *rows.notes))
    if y_true is None:
        raise InputError(
            "`y_true` must name the column of true labels. If the columns are scores, give `metrics='score'` instead."
        )
    truth, of_documents = _single_column(y_true, "y_true"), DOCUMENT in tasks
    for system in systems:
        check_distinct({"y_true": truth, "against" if system == other else "model": system})
    columns = [truth, *systems]
    kinds = dict.fromkeys([*columns, *names.values()], Kind.VALUES)
    kinds |= dict.fromkeys(systems, _kind(tasks, Kind.VALUES)) | ({truth: Kind.OPTIONAL} if of_documents else {})
    of_rows = {role: names.get(role) for role in ("clusters", "run", "id")}
    rows = _columns(data, kinds, **of_rows, cells=_cells(names))
    names |= _repeated_item_column(rows)
    arrays = dict(rows.columns)
    if isinstance(data, Files) and not of_documents:
        _convert_numeric_labels(arrays, columns)
    if "run" in names:  # the count in the description is of items, not of rows
        rows = replace(rows, place=row_reference)
    with rows.locating_errors():
        made = read_arrays(
            arrays[truth],
            {other: arrays[other]},
            {name: arrays[name] for name in models},
            tasks=tasks,
            classes=classes if classes is not None else _classes(rows, columns),
            **roles | {role: arrays[name] for role, name in names.items()},
        )
    return replace(made, rows=_grouped(rows, names), notes=(*made.notes, *rows.notes))


def _cells(names: Mapping[str, str]) -> list[str] | None:
    """Return the columns within which an item must not repeat; None if their clusters are named."""
    if {"clusters", "strata"} & names.keys():
        return None
    return [names["run"]] if "run" in names else []


def _repeated_item_column(rows: Rows) -> dict[str, str]:
    """Return the column of repeated items as clusters, if there is one."""
    return {"clusters": rows.chosen["clusters"]} if "clusters" in rows.chosen else {}


def _grouped(rows: Rows, names: Mapping[str, str]) -> Rows:
    """Return the rows with the column of the groups in the description of the input."""
    return replace(rows, provenance=rows.provenance | ({"group": names["groups"]} if "groups" in names else {}))


# One row per model, item and run.


def read_model_rows(
    data: Any,
    y_true: Any,
    against: str | None,
    model: Any,
    *,
    prediction: Any,
    score: Any,
    id: Any,
    run: Any,
    pos_label: Any,
    targets: Any,
    skip_missing: bool,
    classes: Any,
    tasks: set[str],
    **grouping: Any,
) -> ToCompare:
    """Read a table with a row per model, item and run. targets: a second table with the true values by item."""
    if score is not None and (y_true is not None or prediction is not None):
        raise InputError("give either `score`, or `y_true` and `prediction`: a score needs no true value.")
    if (y_true is None) != (prediction is None):
        missing_role, other = ("y_true", "prediction") if y_true is None else ("prediction", "y_true")
        raise InputError(
            f"{parameter(missing_role)} must name a column, in addition to {parameter(other)}; or give a score: "
            "`score=...`"
        )
    check_distinct({"y_true": y_true if targets is None else None, "prediction": prediction})
    arguments = {"model": model, "id": id, "run": run, "y_true": y_true, "prediction": prediction, "score": score}
    names = {role: _column_list(argument, role) for role, argument in (arguments | grouping).items()}
    for role in ("y_true", "prediction"):
        if len(names[role]) > 1:
            raise InputError(f"{parameter(role)} must name one column; it names {shortened(names[role])}.")
    if len(set(names["score"])) < len(names["score"]):
        raise InputError(f"`score` must name different columns; it names {shortened(names['score'])}.")
    file_notes: list[str] = []
    answers = [*([] if targets is not None else names["y_true"]), *names["prediction"]]
    if isinstance(data, Files):
        skip_missing = skip_missing or data.skip_missing
        kinds = dict.fromkeys(answers, Kind.OPTIONAL if DOCUMENT in tasks else Kind.VALUES)
        kinds |= dict.fromkeys(names["prediction"], _kind(tasks, Kind.VALUES))
        table = rows_of_models(data, names, file_notes, pos_label=pos_label, kinds=kinds, against=against)
        if against is not None and names["model"] == [FILE]:
            against = name_of_file(against, table.provenance["files"])
    else:
        if score is None and prediction is None:
            raise nothing_to_compare("against", found_in=data)
        for role in ("model", "id"):
            if not names[role]:
                raise unnamed(role)
        column_names = [
            name for role, listed in names.items() for name in listed if not (role == "y_true" and targets is not None)
        ]
        documents = answers if DOCUMENT in tasks else []
        kinds = {name: Kind.OPTIONAL if name in documents else Kind.VALUES for name in column_names}
        is_free = not names["clusters"] and not names["strata"]
        cells = [*names["model"], *names["run"], *names["groups"]]
        table = _columns(data, kinds, id=names["id"], cells=cells if is_free else None)
        if repeated := table.chosen.get("clusters"):
            names["clusters"] = [repeated]
    with table.locating_errors():
        columns = dict(table.columns)
        file_notes += table.notes
        notes = file_notes if targets is None else add_targets(columns, names, targets, skip_missing=skip_missing)
        if prediction is not None and isinstance(data, Files) and DOCUMENT not in tasks:
            labels = [names["y_true"][0], names["prediction"][0]]
            _convert_numeric_labels(columns, labels)
            classes = _classes(table, labels) if classes is None and targets is None else classes
        columns, left = _without_missing(columns) if skip_missing else (columns, {})
        if not len(next(iter(columns.values()))):
            raise InputError(
                f"every row has a missing value ({_counts(left)}), so no rows remain. Are the columns right?"
            )

        def key(*roles: str) -> Any:
            listed = [name for role in roles for name in names[role]]
            parts = [columns[name] for name in listed]
            return None if not parts else parts[0] if len(parts) == 1 else joined_key(parts, listed, n=len(parts[0]))

        if names["groups"]:
            columns, of_one = _drop_single_model_groups(columns, key("groups"), key("model"))
            notes += of_one
        n = len(next(iter(columns.values())))
        item_table = long_form(key("model"), key("groups", "id"), key("run"), n=n, skip_missing=skip_missing)
        grouping = {role: _grouping(item_table, key(role), role) for role in GROUPINGS}
        notes += (
            [f"{counted(sum(left.values()), 'row')} with missing values left out ({_counts(left)})."] if left else []
        )
        notes += item_table.notes
        percent = [] if pos_label is not None else percentages({name: columns[name] for name in names["score"]})
        notes += notes_on_numbers([], percent)
        table = replace(table, provenance=table.provenance | {"percentages": percent}) if percent else table
        systems: dict[str, Systems] = {}
        for name in names["score"]:
            values = positive_scores(columns[name], pos_label, name, notes)
            systems[name] = score_systems(
                {model_name: values[rows] for model_name, rows in item_table.rows.items()}, **grouping
            )
        if prediction is not None:
            kind = _kind(tasks, Kind.VALUES)
            true, predicted = (
                _convert_column(columns[names[role][0]], role, kind) for role in ("y_true", "prediction")
            )
            systems[""] = read_documents_or_systems(
                item_table.per_item(true, "y_true"),
                {model_name: Runs([predicted[rows] for rows in runs]) for model_name, runs in item_table.rows.items()},
                tasks=tasks,
                classes=classes,
                **grouping,
            )
        table = replace(
            table, provenance=table.provenance | ({"group": ",".join(names["groups"])} if names["groups"] else {})
        )
        return ToCompare(systems, prediction is None, against, tuple(notes), rows=table)


def add_targets(
    columns: dict[str, Any], names: Mapping[str, list[str]], targets: Any, *, skip_missing: bool
) -> list[str]:
    """Add the true values from a separate table, by item; returns notes."""
    key, target = names["id"][0], names["y_true"][0]
    table_name = targets.name if isinstance(targets, Files) else "`targets`"
    if target in columns:  # the true values would replace this column
        raise InputError(
            f"{target} is a column of {table_name} and of the models' tables; rename it in one of them, for example "
            f"true_{target} in {table_name}."
        )
    gold = _columns(targets, {key: Kind.VALUES, target: Kind.VALUES})
    rows: dict[str, int] = {}
    for row, item in enumerate(map(str, gold[key].tolist())):
        if rows.setdefault(item, row) != row:
            raise InputError(f"{key} must be different in every row of {table_name}; {item!r} is not.")
    codes, items = check_codes(columns[key], n=len(columns[key]), name="id")
    missing_items = [item for item in items if item not in rows]
    if missing_items:
        raise InputError(
            f"{table_name} has no row for item {missing_items[0]!r} ({counted(len(missing_items), 'item')} in all). "
            "Add these rows, or remove the items."
        )
    answered_items = set(items)
    unseen = [item for item in rows if item not in answered_items]
    if unseen and not skip_missing:
        raise InputError(
            f"every model must have every item of {table_name}; no model has {unseen[0]!r} "
            f"({counted(len(unseen), 'item')} in all). Leave such items out with `skip_missing=True`."
        )
    columns[target] = gold[target][np.array([rows[item] for item in items])[codes]]
    return [f"{counted(len(unseen), 'item')} of {table_name} left out: no model answers them."] if unseen else []


def _drop_single_model_groups(
    columns: dict[str, Any], groups: object, models: object
) -> tuple[dict[str, Any], list[str]]:
    """Drop the groups that only one model has. Return the remaining rows, and a note on the dropped groups."""
    n = len(next(iter(columns.values())))
    (group, names), (model, of_models) = (
        check_codes(column, n=n, name=role) for column, role in ((groups, "groups"), (models, "model"))
    )
    pairs = np.unique(group.astype(np.int64) * len(of_models) + model)
    several = np.bincount(pairs // len(of_models), minlength=len(names)) > 1
    if several.all() or len(of_models) < 2:
        return columns, []
    alone = {int(pair) // len(of_models): of_models[int(pair) % len(of_models)] for pair in pairs}
    rows = np.bincount(group, minlength=len(names))
    groups_of_one = [
        f"{names[k]} ({alone[k]}, {counted(int(rows[k]), 'row')})" for k in np.flatnonzero(~several).tolist()
    ]
    if not several.any():
        raise InputError(
            f"each group must have two models or more; every group has only one: {shortened(groups_of_one)}. Is "
            "`groups` the right column?"
        )
    kept = {name: _select_rows(column, several[group]) for name, column in columns.items()}
    return kept, [
        f"{counted(len(groups_of_one), 'group')} left out, which only one model has: {shortened(groups_of_one)}."
    ]


def _without_missing(columns: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, int]]:
    """Drop rows with missing values. Return the others, and the number dropped by column (each row counts once)."""
    complete = np.ones(len(next(iter(columns.values()))), dtype=bool)
    left: dict[str, int] = {}
    for name, column in columns.items():
        lost = complete & _missing(column)
        if lost.any():
            left[name] = int(lost.sum())
            complete &= ~lost
    if not left:
        return dict(columns), left
    return {name: _select_rows(column, complete) for name, column in columns.items()}, left


def _missing(column: Any) -> npt.NDArray[np.bool_]:
    if isinstance(column, Coded) or column.dtype.kind not in "fOUT":
        return np.zeros(len(column), dtype=bool)
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column) if column.ndim == 1 else np.isnan(column).any(axis=1))
    return np.fromiter((is_missing(value) for value in column.tolist()), dtype=bool, count=len(column))


def _select_rows(column: Any, mask: npt.NDArray[np.bool_]) -> Any:
    if not isinstance(column, Coded):
        return column[mask]
    kept, codes = np.unique(column.codes[mask], return_inverse=True)
    return Coded(codes, tuple(column.names[code] for code in kept.tolist()))


def _counts(left: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in left.items())


def _grouping(long_form: LongForm, key: Any, role: str) -> Any:
    if not isinstance(key, Coded):
        return None if key is None else long_form.per_item(key, role)
    codes = long_form.per_item(key.codes, role)
    return np.array(key.names, dtype=object)[codes] if role == "groups" else codes
