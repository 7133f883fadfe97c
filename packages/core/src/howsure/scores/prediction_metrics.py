"""Metrics of predictions as scores of models: of labels (accuracy, macro F1 …) and of documents (entity F1, BLEU …)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import numpy as np

from howsure.data.documents.entities import are_single_tags
from howsure.data.logs.scores import FILE
from howsure.data.sources import Files
from howsure.errors import InputError, parameter
from howsure.inputs.frames import AS_READ, Kind
from howsure.inputs.numbers_and_names import counted, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.source_names import format_suffix, source_names
from howsure.scores.class_errors import ClassErrors
from howsure.scores.label_scores import LABELS, CodedLabels
from howsure.scores.scored_rows import DocumentScores, ScoredRows, cell_codes, iterate_cells
from howsure.significance.checked_systems import Systems
from howsure.significance.comparison_input import add_targets
from howsure.significance.documents import SINGLE_TAGS, label_notes, notes_of_documents, object_array, rows_by_document
from howsure.significance.metrics.documents import labels_by, of_occurring_labels
from howsure.significance.metrics.labels import PER_CLASS, class_not_used, metric_of_class
from howsure.significance.metrics.metric import DOCUMENT, Metric, find_metric, metric_names, tasks_of_metrics
from howsure.significance.systems import Problem
from howsure.stats.clusters import ItemGroups
from howsure.stats.jackknife_value import MIN_EFFECTIVE_UNITS, JackknifeValue, units_needed

NO_RARE_WORSE_NOTE = "Intervals may be too narrow if rare documents are much worse than those scored."


def document_metrics(
    metrics: str | Sequence[str],
    y_true: object,
    prediction: object,
    *,
    target_class: object,
    of_lines: bool,
    others: Mapping[str, object],
) -> list[Metric]:
    """Return the requested metrics. The default is accuracy, or precision, recall and F1 of `target_class`; files of
    lines (`of_lines`) need a named metric.

    Returns an empty list if metrics, y_true and prediction are all absent, because scores are then given instead.

    others: parameters that only apply to scores.
    """
    names = list(metrics) if isinstance(metrics, Sequence) and not isinstance(metrics, str) else [metrics]
    if any(not isinstance(name, str) for name in names):
        raise InputError(
            "{parameter} must be the name of a metric or a list of names; it is {value!r}", "metrics", value=names
        )
    if not names and target_class is not None:
        names = [*PER_CLASS]
    if not (names or of_lines or y_true is None or prediction is None):
        names = ["accuracy"]
    if not names and y_true is None and prediction is None:
        return []
    if not names or y_true is None or prediction is None:
        needed = {"metrics": names or None, "y_true": y_true, "prediction": prediction}
        missing = " and ".join(parameter(name) for name, value in needed.items() if value is None)
        raise InputError(f"a metric of predictions needs `metrics`, `y_true` and `prediction`; name {missing}.")
    if target_class is not None and not PER_CLASS.keys() & {*names}:
        raise class_not_used(names)
    chosen_metrics = [_find_metric(name, target_class) for name in names]
    for name, value in others.items():
        if value is not None:
            raise InputError(
                f"{parameter(name)} is for `score=...`; a metric of predictions needs no score. Leave it out."
            )
    if len({metric.higher_is_better for metric in chosen_metrics}) > 1:
        raise InputError(
            f"`metrics` of a table must all be better if higher or all be better if lower; {', '.join(names)} are "
            "mixed. Score them separately."
        )
    return chosen_metrics


def _find_metric(name: str, target_class: object) -> Metric:
    """Return the metric of labels or documents with a name."""
    if name in PER_CLASS:
        return metric_of_class(name, target_class)
    tasks, names = tasks_of_metrics([name]), (*metric_names(LABELS), *metric_names(DOCUMENT))
    if LABELS in tasks:
        return find_metric(name, LABELS)
    if DOCUMENT in tasks:
        return find_metric(name, DOCUMENT)
    if tasks:
        raise InputError(
            f"{name} is a metric of `howsure significance`, which compares models. Scores of models can be "
            f"{', '.join(names)}."
        )
    raise unknown_name("metric", name, names, place="the metrics of labels and documents", limit=len(names))


def score_named_as_metric(metrics: str | Sequence[str]) -> str | None:
    """Return the names in `metrics` as the names of columns of scores, for data without true labels.

    Returns None if `metrics` is empty, or if it has several names of which one is a metric.

    >>> score_named_as_metric(["acc_norm"]), score_named_as_metric(["acc", "acc_norm"]), score_named_as_metric([])
    ('acc_norm', 'acc,acc_norm', None)
    """
    names = [metrics] if isinstance(metrics, str) else [name for name in metrics if isinstance(name, str)]
    return (
        None if not names or (len(names) > 1 and any(tasks_of_metrics([name]) for name in names)) else ",".join(names)
    )


@contextmanager
def named_as_metric(name: str) -> Iterator[None]:
    """Context in which the error for an unknown column `name` says that it was given as a metric."""
    try:
        yield
    except InputError as error:
        fault = error.fault
        if fault is None or fault.rule != "unknown_name" or fault.value != name:
            raise
        if not (tasks := tasks_of_metrics([name])):
            raise
        remedy = "To compute it, name the true labels and the predictions: `y_true=...` and `prediction=...`."
        if not tasks & {DOCUMENT, LABELS}:
            remedy = f"{name} is a metric of `howsure significance`, which compares models."
        raise InputError(
            "unknown_name",
            kind="score",
            value=name,
            where=fault.values["where"],
            names=fault.values["names"],
            remedy=remedy,
        ) from error


def read_document_columns(
    targets: str, data: object, *, others: Mapping[str, object], column: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read plain files without columns: one file per model, and `targets` with the true values. Return their columns
    and provenance. A document is a line, or a sentence in files of tags.

    others: parameters that name columns, which plain files do not have.
    """
    if not isinstance(data, Files):
        raise InputError("`targets` is for files of models. Give these files as `data=howsure.read(...)`.")
    from howsure.data.documents.read_documents import document_items, has_tags, prediction_items
    from howsure.data.tables.named_files import SUFFIXES

    paths = (targets, *data.paths)
    are_tables = all(SUFFIXES.get(format_suffix(path), "tsv") != "tsv" for path in paths)
    if are_tables and not all(format_suffix(path) == ".csv" and has_tags(path) for path in paths):
        raise InputError(
            "`targets` of tables needs the columns of the true values, of the predictions, and of the id, which both "
            "have: `y_true`, `prediction`, `id`. "
            + "; ".join(f"{path} has {shortened(_columns_of(path))}" for path in (*data.paths[:1], targets))
            + "."
        )
    for name, value in others.items():
        if value is not None:
            raise InputError(f"`targets` is for files without columns; leave {parameter(name)} out.")
    plain = Files(data.paths)
    for field in fields(data):
        if field.compare and getattr(data, field.name) != getattr(plain, field.name):
            raise InputError(f"`targets` reads every document; leave {parameter(field.name)} out.")
    gold = document_items(targets, column=column)
    true, documents = gold.items, gold.documents
    items_by_model = {
        name: prediction_items(path, gold, column=column)
        for name, path in zip(source_names(data.paths), data.paths, strict=True)
    }
    for path, items in zip(data.paths, items_by_model.values(), strict=True):
        if len(items) != len(true):
            raise InputError(
                f"every file must have as many documents as {targets}, {len(true):,}; {path} has {len(items):,}."
            )
    columns: dict[str, Any] = {
        "y_true": true * len(items_by_model),
        "prediction": [item for items in items_by_model.values() for item in items],
        "model": [name for name, items in items_by_model.items() for _ in items],
        "id": [*range(len(true))] * len(items_by_model),
        "clusters": None if documents is None else documents * len(items_by_model),
    }
    provenance = {"files": list(data.paths), "targets": targets, "rows": len(columns["y_true"])}
    return columns, provenance | ({} if gold.columns is None else {"read_as": gold.columns})


def _columns_of(path: str) -> list[str]:
    from howsure.data.tables.database import Database
    from howsure.data.tables.named_files import named_files
    from howsure.data.tables.table import column_names

    with Database().opening() as database:
        files = named_files([path], format=None, spool=database.folder)
        database.allow_only([file.path for file in files])
        return column_names(database, files[0], whole=False)


def read_answers_and_targets(
    targets: str, data: object, *, y_true: object, prediction: object, id: object, others: Mapping[str, object]
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Read tables of predictions, with true values from the table `targets` by id. Return columns, provenance and
    notes.

    others: the names of other columns by role, such as model and run; without a model column, each file is a model.
    """
    names = {"y_true": y_true, "prediction": prediction, "id": id}
    for name, value in names.items():
        if not isinstance(value, str):
            raise InputError(f"`targets` with columns needs `y_true`, `prediction` and `id`; name {parameter(name)}.")
    if not isinstance(data, Files):
        raise InputError("`targets` is for files of models. Give these files as `data=howsure.read(...)`.")
    roles = dict[str, str]()
    for role, value in others.items():
        if value is not None and (not isinstance(value, str) or "," in value):
            raise InputError(f"with `targets`, {parameter(role)} must be the name of one column.")
        roles |= {} if value is None else {role: str(value)}
    if len(data.paths) > 1 and "model" not in roles:
        roles["model"] = FILE
    read_as = Kind.VALUES if data.skip_missing else Kind.OPTIONAL
    by_file = data.by_file or not data.is_one_file  # one file may have a column of this name
    kinds = {str(prediction): read_as, **dict.fromkeys((str(id), *roles.values()), Kind.NAMES)}
    rows = replace(data, by_file=by_file).rows(kinds | ({FILE: Kind.NAMES} if by_file else {}))
    columns = dict(rows.columns)
    predicted = np.asarray(columns.pop(str(prediction)), dtype=object)
    others_read = {role: columns.get(name) for role, name in roles.items()}
    listed = {role: [str(name)] for role, name in names.items()}
    notes = add_targets(columns, listed, Files((targets,)), skip_missing=data.skip_missing)
    answers = {"y_true": columns[str(y_true)], "prediction": predicted, "id": columns[str(id)]}
    return (
        {**dict.fromkeys(others), **others_read, **answers},
        {**rows.provenance, "targets": targets},
        [*rows.notes, *notes],
    )


def join_tags(rows: ScoredRows, metrics: Sequence[Metric]) -> ScoredRows:
    """Join rows that are single tags to sentences for metrics of entities: the rows of a model with the same id (or, if
    ids do not repeat, with the same cluster), in order."""
    assert rows.answers is not None
    of_labels = [metric.task == LABELS for metric in metrics]
    if all(of_labels) or not are_single_tags(rows.answers[0]):
        return rows
    if any(of_labels):
        raise InputError("each row is one tag: request metrics of labels and of entities separately.")
    cells, coded, ids, run = cell_codes(rows), dict(rows.coded), rows.coded.get("id"), rows.coded.get("run")
    if run is not None:
        cells = cells * len(run.names) + run.codes
    for role, units in (("id", None if ids is None else ids.codes), ("clusters", rows.clusters)):
        if units is not None:
            _, first, key = np.unique(np.stack([cells, units]), axis=1, return_index=True, return_inverse=True)
            if len(first) < len(cells):
                break
            coded.pop(role, None)
    else:
        raise InputError(SINGLE_TAGS)
    key = key.reshape(-1)
    if rows.clusters is not None and (differs := rows.clusters != rows.clusters[first][key]).any():
        row = int(differs.argmax())
        raise InputError("`clusters=...` must be the same in all rows with the same id; it differs in {row}.", row=row)
    true, predicted = (object_array([column[of].tolist() for of in rows_by_document(key)]) for column in rows.answers)
    word_rows, sentences = rows.rows, counted(len(np.unique(units)), "sentence")
    located = None
    if word_rows is not None:
        located = replace(
            word_rows,
            place=lambda row: word_rows.place(int(first[row])),
            location=lambda row: word_rows.location(int(first[row])),
            at=lambda some: word_rows.at([int(first[row]) for row in some]),
        )
    name = rows.provenance.get(AS_READ.get(role, role), role)
    return replace(
        rows,
        answers=(true, predicted),
        scores={"": np.zeros(len(first))},
        coded={role: replace(column, codes=column.codes[first]) for role, column in coded.items()},
        clusters=None if rows.clusters is None else rows.clusters[first],
        rows=located,
        notes=(*rows.notes, f"Rows are single tags, joined to {sentences} by {name}."),
    )


def add_document_scores(rows: ScoredRows, metrics: Sequence[Metric]) -> ScoredRows:
    """Add a score in each metric to the rows: the contribution of the row to the value θ of its model in its group.

    The mean of the contributions is θ. For a metric that is a mean, a contribution is the value of the row. For other
    metrics, it is the jackknife pseudo-value nθ - (n - 1)θ₋ᵢ, shifted so that the mean is θ. `document_scores` has the
    contributions if whole clusters, or items with all their runs, are left out instead of single rows. For metrics of
    labels that are not means, the score of a row is whether it is right.
    """
    assert rows.answers is not None
    true, predicted = rows.answers
    problem = Problem(DOCUMENT, true, predicted, predicted)
    labels = CodedLabels.of(true, predicted) if any(metric.task == LABELS for metric in metrics) else None
    metrics = [metric if labels is None else labels.for_class(metric) for metric in metrics]
    functions = dict.fromkeys(metric.rows for metric in metrics if metric.task != LABELS)
    by_rows = {function: function(true, predicted, problem) for function in functions}
    scores = {metric.name: np.zeros(len(true)) for metric in metrics}
    document_scores = {metric.name: DocumentScores.zeros(metric, len(true)) for metric in metrics if not metric.is_mean}
    for metric in metrics:
        of_labels = labels if metric.task == LABELS else None
        if of_labels is not None:
            scores[metric.name] = of_labels.row_scores(metric)
        if of_labels is not None and metric.is_mean:
            continue
        for group, model, positions in iterate_cells(replace(rows, scores=scores), np.ones(len(true), dtype=bool)):
            items = rows.coded.get("id")
            item = None if items is None else items.codes[positions]
            units = None if rows.clusters is None else rows.clusters[positions]
            if of_labels is not None:
                into = document_scores[metric.name]
                parts, sizes, class_errors = of_labels.scored(metric, positions, item, units)
                into.parts[positions], into.sizes[positions] = parts, sizes
                if class_errors is not None:
                    into.class_errors[group, model] = class_errors
                continue
            whose = "".join(f" of {name}" for name in (model, group) if name is not None)
            statistics = by_rows[metric.rows][positions]
            if metric.class_ratio is not None:
                statistics = of_occurring_labels(statistics)
            scores[metric.name][positions] = row_contributions(metric, statistics, whose)
            if metric.name in document_scores:
                into = document_scores[metric.name]
                into.sizes[positions] = 1.0 if metric.sizes is None else metric.sizes(statistics)
                into.parts[positions] = unit_contributions(metric, statistics, item, units, whose)
                if metric.class_ratio is not None:
                    into.class_errors[group, model] = ClassErrors.of(
                        metric.class_ratio, sums_by_unit(statistics, item, units)[0]
                    )
    notes = [*rows.notes, *_prediction_notes(rows, metrics, labels)]
    bounds = {metric.name: metric.bounds if metric.is_mean else None for metric in metrics}
    if any(document_score.metric.task == DOCUMENT for document_score in document_scores.values()):
        notes.append(NO_RARE_WORSE_NOTE)
    return replace(rows, scores=scores, notes=tuple(notes), bounds=bounds, document_scores=document_scores)


def _prediction_notes(rows: ScoredRows, metrics: Sequence[Metric], coded: CodedLabels | None) -> Iterator[str]:
    assert rows.answers is not None
    true, predicted = rows.answers
    models, column = rows.coded.get("model"), rows.provenance.get("prediction", "prediction")
    functions = dict.fromkeys(labels_by(metric) for metric in metrics if metric.task == DOCUMENT)
    for code, model in enumerate([None] if models is None else models.names):
        of_model = slice(None) if models is None else models.codes == code
        name = column if model is None else f"{column} of {model}"
        if coded is not None:
            yield from coded.notes(metrics, of_model, name=name)
        for labels in functions:
            yield from label_notes(true[of_model], predicted[of_model], labels, name=name)
    first = Systems(DOCUMENT, true, {"prediction": predicted[None]}, (), None, None)
    without_class_errors = [metric.name for metric in metrics if metric.class_ratio is None]
    yield from notes_of_documents(first, without_class_errors)


def row_contributions(metric: Metric, statistics: Floats, whose: str = "", *, unit: str = "row") -> Floats:
    """Return the contribution of each row to the value of a metric, from the rows' statistics (n, k).

    >>> wer = find_metric("wer", DOCUMENT)
    >>> parts = row_contributions(wer, np.array([[1.0, 4.0], [0.0, 4.0], [2.0, 4.0]]))
    >>> parts.round(4).tolist(), float(parts.mean())
    ([0.25, 0.0, 0.5], 0.25)
    """
    if metric.is_mean:
        return statistics[:, 0]
    sums, n = statistics.sum(axis=0), len(statistics)
    with np.errstate(invalid="ignore"):
        value = float(metric.value(sums))
        left = metric.value(sums - statistics) if n > 1 else np.full(1, value)
    undefined = np.flatnonzero(np.isnan(left))
    if np.isnan(value) or len(undefined):
        what = "there is nothing to count" + ("" if np.isnan(value) else f" without one {unit}")
        raise InputError(f"{metric.name}{whose} is undefined: {what} among {counted(n, unit)}.")
    parts = -(n - 1) * left
    return np.asarray(parts - parts.mean() + value)


def unit_contributions(
    metric: Metric, statistics: Floats, items: Integers | None, units: Integers | None, whose: str = ""
) -> Floats:
    """Return contributions (n,) from a jackknife that leaves out clusters (codes `units`) or items with all their runs
    (codes `items`). The deviation of a unit's contribution from the value of the metric is divided among its items. The
    mean of all contributions is the value.

    >>> wer = find_metric("wer", DOCUMENT)
    >>> statistics = np.array([[1.0, 4.0], [0.0, 4.0], [2.0, 4.0], [1.0, 4.0]])
    >>> unit_contributions(wer, statistics, None, np.array([0, 0, 1, 1])).tolist()  # of two clusters: 1/8 and 3/8
    [0.125, 0.125, 0.375, 0.375]
    """
    sums, unit = sums_by_unit(statistics, items, units)
    if len(sums) == len(statistics):
        return row_contributions(metric, statistics, whose)
    parts = row_contributions(metric, sums, whose, unit="item" if units is None else "cluster")
    first = np.arange(len(statistics)) if items is None else np.unique(items, return_index=True)[1]
    sizes = np.maximum(np.bincount(unit[first], minlength=len(sums)), 1)  # items of each unit
    value = parts.mean()
    return np.asarray(value + ((parts - value) * sizes.sum() / (len(sums) * sizes))[unit])


def sums_by_unit(statistics: Floats, items: Integers | None, units: Integers | None) -> tuple[Floats, Integers]:
    """Return the summed statistics (m, k) of clusters, items or rows (codes None); and each row's unit (n,)."""
    codes = items if units is None else units
    if codes is None:
        return statistics, np.arange(len(statistics))
    unit = np.unique(codes, return_inverse=True)[1]
    if unit.max(initial=-1) + 1 == len(statistics):
        return statistics, np.arange(len(statistics))
    return np.stack([np.bincount(unit, column) for column in statistics.T], axis=1).astype(np.float64), unit


def jackknife_value(
    metric: Metric, parts: Floats, sizes: Floats, groups: ItemGroups, class_errors: ClassErrors | None = None
) -> JackknifeValue:
    """The value of a metric from the contributions (n,), sizes (n,) and clusters of items, and for a macro average from
    the errors of its classes.

    >>> wer = find_metric("wer", DOCUMENT)
    >>> parts = row_contributions(wer, np.array([[1.0, 4.0], [0.0, 4.0], [2.0, 4.0]] * 8))
    >>> value = jackknife_value(wer, parts, np.full(24, 4.0), ItemGroups.of(24))
    >>> value.value, [round(end, 3) for end in value.interval(0.95)]
    (0.25, [0.173, 0.362])
    """
    value = float(parts[0]) if np.ptp(parts) == 0.0 else float(parts.mean())
    jackknife = JackknifeValue.of(
        value,
        groups.totals(parts - value) / len(parts),
        groups.totals(sizes),
        within=metric.possible_range,
        higher_is_better=metric.higher_is_better,
        worst=metric.worst,
        two_sided=metric.task == LABELS,
    )
    if class_errors is not None:
        return class_errors.added_to(jackknife)
    return jackknife.with_unseen_units() if metric.task == LABELS else jackknife


def interval_notes(value: JackknifeValue, *, level: float, unit: str) -> Iterator[str]:
    """Yield notes on why a value has no interval, or on its one-sided bound if all units are best or worst."""
    size, units = (1 - level) / 2, counted(value.units, unit)
    if not math.isnan(value.bounds(size)[0]):
        if value.at_end is not None:
            low, high = value.bounds(1 - level)
            bound = f"at most {high:.4g}" if value.value == low else f"at least {low:.4g}"
            claim = f"the value of such {unit}s is {bound} (one-sided, level {level:g})"
            yield f"The value is at its limit, {value.value:g}: {claim}"
    elif not value.effective:
        yield f"no interval: too few {unit}s count in this metric; an undefined value is 0, as in scikit-learn"
    elif value.units < units_needed(size) and value.error != 0.0:
        yield f"no interval: {units}; at least {units_needed(size)} are needed at level {level:g}"
    elif value.effective < MIN_EFFECTIVE_UNITS and value.units > 1:
        share = 1 / math.sqrt(value.effective) if value.effective else 0.0
        yield f"no interval: one of {units} is so large ({share:.0%} of the total) that the others hardly matter"
    else:
        yield f"no interval: the value is the same without any single {unit}, so its variation is unknown"
