"""Input for metrics of documents: entities, sets of labels, rankings, texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.documents.entities import are_single_tags
from howsure.errors import InputError, parameter, quote
from howsure.inputs.arguments import is_listlike
from howsure.inputs.checks import Coded, check_codes, first_missing, is_missing
from howsure.inputs.label_spelling import spelling_notes
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers
from howsure.significance.checked_systems import Systems, grouping_codes, read_systems, run_name, unequal_rows
from howsure.significance.metrics.documents import LABEL_AVERAGE, label_counts, labels_by, signatures
from howsure.significance.metrics.labels import rare_labels_note
from howsure.significance.metrics.metric import DOCUMENT, find_metric
from howsure.significance.systems import GROUPINGS, Runs, align_runs

SINGLE_TAGS = (
    "each row is one tag, but entities need the tags of whole sentences. Name the column of the sentence of each row: "
    "`id=...`."
)


def read_documents_or_systems(y_true: Any, systems: Mapping[str, Any], *, tasks: set[str], **options: Any) -> Systems:
    """The systems to compare: for metrics of documents, an object per document; otherwise as `read_systems` does."""
    if DOCUMENT not in tasks:
        return read_systems(y_true, systems, tasks=tasks, **options)
    if tasks != {DOCUMENT}:
        raise InputError(
            "metrics of documents (entities, texts, rankings) cannot be mixed with others; request them separately."
        )
    if options.get("classes") is not None:
        raise InputError("`classes` is for labels; metrics of documents use all classes. Leave it out.")
    parts: dict[str, Any] = {"y_true": y_true, **systems}
    run, id = options.get("run"), options.get("id")
    grouping: Mapping[str, Any] = {role: options.get(role) for role in GROUPINGS}
    if run is None and id is not None:
        parts, id, grouping = _group_by_document(parts, id, grouping)
    if run is None and grouping["clusters"] is not None and are_single_tags(object_array(parts["y_true"])):
        parts, id, grouping = _group_by_document(parts, grouping["clusters"], grouping)
    if are_single_tags(object_array(parts["y_true"])):
        raise InputError(SINGLE_TAGS)
    if run is not None or id is not None:
        parts = {name: part if isinstance(part, Runs) else object_array(part) for name, part in parts.items()}
    items = align_runs(parts.pop("y_true"), parts, run=run, id=id, grouping=grouping)
    targets = object_array(items.targets)
    runs = {
        name: [object_array(predictions) for predictions in system_runs] for name, system_runs in items.systems.items()
    }
    for name, system_runs in runs.items():
        for k, predictions in enumerate(system_runs):
            if len(predictions) != len(targets):
                raise unequal_rows(run_name(name, k, system_runs), len(predictions), len(targets))
    codes = grouping_codes(items.grouping, len(targets))
    return Systems(DOCUMENT, targets, {name: np.stack(system_runs) for name, system_runs in runs.items()}, (), **codes)


def _group_by_document(
    parts: Mapping[str, Any], id: Any, grouping: Mapping[str, Any]
) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Combine rows with the same id (candidates of a query, words of a sentence) into a document: a list of values.

    Returns the columns, the id (None if rows were combined) and the groupings by document.
    """
    codes, names = check_codes(id, n=len(id), name="id")
    if len(names) == len(codes):
        return dict(parts), id, dict(grouping)
    if any(isinstance(part, Runs) for part in parts.values()):
        raise InputError("`id` must be different in every row if there are runs; give each run one list per document.")
    rows = rows_by_document(codes)
    columns = {name: object_array(part) for name, part in parts.items()}
    for name, column in columns.items():
        if len(column) != len(codes):
            raise unequal_rows(name, len(column), len(codes))
    lists = {name: [column[of].tolist() for of in rows] for name, column in columns.items()}
    firsts = np.array([of[0] for of in rows])
    of_document: dict[str, Any] = {}
    for role, values in grouping.items():
        group = None if values is None else Coded(*check_codes(values, n=len(codes), name=role))
        differs = None if group is None else group.codes != group.codes[firsts][codes]
        if differs is not None and differs.any():
            raise InputError(
                f"{parameter(role)} must be the same in all rows with the same id; it differs in `row "
                f"{differs.argmax()}`."
            )
        first = None if group is None else replace(group, codes=group.codes[firsts])
        of_document[role] = first if first is None or role == "groups" else first.codes
    return lists, None, of_document


def rows_by_document(codes: Integers) -> list[Integers]:
    """Return the rows of each document, in order. codes (n,): the document of each row."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def object_array(values: Any) -> npt.NDArray[np.object_]:
    """Return an object array with the content of each document (list, string, set); None if the content is missing.

    >>> object_array([["O"], ["B-PER", "O"]]).tolist()
    [['O'], ['B-PER', 'O']]
    """
    if not is_listlike(values):
        raise InputError(f"the content of the documents must be a list or a column, not {quote(values)}.")
    methods = ("to_pylist", "to_list", "tolist")  # of Arrow, Polars and numpy, which otherwise yield types of their own
    listed = next((getattr(values, method)() for method in methods if hasattr(values, method)), None)
    listed = list(values) if listed is None else listed
    if not listed:
        raise InputError("`y_true` is empty: there is nothing to compare.")
    objects = np.empty(len(listed), dtype=object)
    objects[:] = listed
    if first_missing(objects) is not None:
        objects[:] = [None if is_missing(value) else value for value in listed]
    return objects


def notes_on_labels(systems: Systems, metrics: Sequence[str]) -> Iterator[str]:
    """Yield a note for each system with predicted labels that differ from a true label only in case or spaces.

    Raises InputError if none of a system's predicted labels is a true label.
    """
    if systems.task != DOCUMENT:
        return
    functions = dict.fromkeys(labels_by(find_metric(name, DOCUMENT)) for name in metrics)
    for labels in functions:
        for name, runs in systems.predictions.items():
            yield from label_notes(systems.targets, [document for run in runs for document in run], labels, name=name)


def label_notes(
    targets: Sequence[Any], predictions: Sequence[Any], labels: Callable[[Any], Iterable[Hashable]] | None, *, name: str
) -> Iterator[str]:
    """Yield a note on the number of predicted labels that differ from a true label only in case or spaces.

    labels: a function that returns the labels of a row; None for metrics without labels. Raises InputError if none of
    the predicted labels is a true label.
    """
    if labels is None:
        return
    true, predicted = (_count_labels(rows, labels) for rows in (targets, predictions))
    yield from spelling_notes(true, predicted, name=name)


def _count_labels(rows: Sequence[Any], labels: Callable[[Any], Iterable[Hashable]]) -> Counter[Hashable]:
    """How often each label occurs; the labels of equal rows are parsed once, if rows are not lists."""
    try:
        times = Counter(rows).items()
    except TypeError:
        return Counter(label for row in rows for label in labels(row))
    counts = Counter[Hashable]()
    for row, number in times:
        for label in labels(row):
            counts[label] += number
    return counts


def recipe_of_documents(systems: Systems, metrics: Sequence[str]) -> dict[str, str]:
    """Return sacrebleu's signatures of BLEU and chrF by metric, for the recipe."""
    return signatures(metrics, systems.targets) if systems.task == DOCUMENT else {}


def notes_of_documents(systems: Systems, metrics: Sequence[str]) -> Iterator[str]:
    """Yield notes of up to three kinds: the signatures by sacrebleu of BLEU and chrF; a warning if a metric averages
    over rare labels; which models have empty answers."""
    if systems.task != DOCUMENT:
        return
    if LABEL_AVERAGE in metrics and (note := rare_labels_note(label_counts(systems.targets))):
        yield f"{LABEL_AVERAGE}: {note}."
    for name, text in recipe_of_documents(systems, metrics).items():
        yield f"{name}: {text}"
    for name, runs in systems.predictions.items():
        if empty := sum(document is None for run in runs for document in run):
            yield f"{name} is empty in {counted(empty, 'row')}, which is scored as an empty answer."
