"""Open files of predictions: check the arguments and combine the columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.data.logs.conversion import described, input_files
from howsure.data.logs.defaults import chosen, with_defaults
from howsure.data.predictions.class_mappings import with_keys
from howsure.data.predictions.classes import check_rows, class_labels, class_matrix
from howsure.data.predictions.groups import group_sizes
from howsure.data.predictions.labels import label_sql
from howsure.data.predictions.loading import load_clusters, load_groups, load_pairs, load_weights
from howsure.data.predictions.missing import Selection, select_rows
from howsure.data.predictions.predictions import Predictions
from howsure.data.predictions.stream import PairStream
from howsure.data.tables.columns import Column
from howsure.data.tables.database import Database
from howsure.data.tables.pooling import SAME, SEPARATE, check_across_files, check_different, check_way
from howsure.data.tables.table import Table, open_table
from howsure.errors import InputError
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL, reduced, tied_rows
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Floats, Integers, Pairs

IN_MEMORY_ROWS = 4_000_000  # up to here the pairs are loaded once; beyond, every pass streams them


def open_predictions(
    paths: Sequence[str | os.PathLike[str]],
    *,
    label: str | None = None,
    prob: str | None = None,
    probs: Sequence[str] | None = None,
    probs_column: str | None = None,
    reduce: str | None = None,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
    weight: str | None = None,
    id: str | None = None,
    across_files: str = "error",
    skip_missing: bool = False,
    missing_values: Sequence[str] = (),
    format: str | None = None,
    normalise: str | None = None,
    pairing: bool = False,
    spool: str | os.PathLike[str] | None = None,
    in_memory_rows: int = IN_MEMORY_ROWS,
) -> Predictions:
    """The prediction–label pairs of files, checked.

    `paths` are files or globs of CSV, TSV, JSON lines (text may be compressed by gzip or zstd), Parquet or .npz, or "-"
    for standard input, whose format is recognised from its first bytes or given by `format`. One pair per row comes
    from `label` and `prob`; rows with a probability for each class (`probs`, several columns, or `probs_column`, a
    column of lists, their order named by `classes`) are reduced: "top-label", "class-wise" or one class.

    `id` is the column that identifies the item of a row: different in every row of a file and group. The rows of
    several files are pooled; equal values of `id` or `cluster` in two of them are an error unless `across_files` says
    what they mean: the "same" item (rows with one id are then a cluster), or "separate" ones, numbered anew in every
    file.

    A label is a boolean, 0 or 1, or one of two values, of which `positive` means 1; with several classes, a class or
    its index. A value is missing if it is null, NaN, empty or among `missing_values`: an error, or with `skip_missing`
    counted and left out. Nothing is clipped or guessed.

    Logs of programs that evaluate language models are read by their own names (`format`, or seen from the file): what
    is not named is then chosen, and `said` tells what. `normalise` divides the log-likelihoods of choices by their
    number of "characters", "bytes" or "tokens" ("none" by default). With `pairing`, a log's rows are those of one
    model, to be matched with another's. `spool` is the folder for scratch files.

    Raises InputError naming the file, the column, the row (from 1) and the value.
    """
    check_way(across_files, of=id or cluster, named="id=... or cluster=...")
    database = Database(spool)
    given = (label, prob, probs_column, group, cluster, weight, id, *(probs or ()))
    files, log = input_files(paths, format=format, spool=database.folder, wanted=given, normalise=normalise)
    database.allow_only([file.path for file in files])
    notes: dict[str, Any] = {}
    said = ""
    if log is not None:
        asked = {"label": label, "prob": prob, "probs": probs, "probs_column": probs_column, "reduce": reduce}
        asked |= {"classes": classes, "group": group, "cluster": cluster, "id": id}
        found = with_defaults(asked, log, files, pairing=pairing)
        label, prob, probs, probs_column, reduce, classes, group, cluster, id = (found[name] for name in asked)
        said, notes = described(log, files, chosen(asked, found)), log.describe()
    _check_request(prob, probs, probs_column, reduce, positive, group)
    if label is None:
        raise InputError("label=... must name the column of the true label.")
    roles = {"label": label, "prob": prob, "probs_column": probs_column}
    roles |= {"group": group, "cluster": cluster, "weight": weight, "id": id}
    names = {role: name for role, name in roles.items() if name is not None}
    table = open_table(database, files, [*names.values(), *(probs or ())])
    if probs_column is not None:
        table.columns[probs_column] = with_keys(table, table.columns[probs_column])
    columns = {role: table.columns[name] for role, name in names.items()}
    several = [table.columns[name] for name in probs or ()]
    selection = _selected(table, columns, several, skip=skip_missing, values=missing_values, positive=positive)
    _check_pooling(selection, columns, across_files)
    options = {"positive": positive, "missing_values": list(missing_values) or None}
    options["across_files"] = across_files if len(files) > 1 and across_files != "error" else None
    notes |= {key: value for key, value in options.items() if value is not None}
    if "id" in columns and "cluster" not in columns and notes.get("across_files") == SAME:
        names["cluster"], columns["cluster"] = names["id"], columns["id"]
    if prob is not None:
        return replace(_one_probability(selection, columns, names, notes, positive, in_memory_rows), said=said)
    order = classes if classes is not None else probs
    if "probs_column" in columns and columns["probs_column"].keys:
        order, columns["probs_column"] = _in_order(columns["probs_column"], classes)
    named = {**names, "probs": list(probs)} if probs else names
    return replace(_several_classes(selection, columns, several, named, notes, reduce or "", order), said=said)


def _in_order(column: Column, classes: Sequence[str] | None) -> tuple[Sequence[str], Column]:
    """The classes of a column of mappings, and the column with its keys in their order."""
    if classes is None:
        return column.keys, column
    if sorted(classes) != sorted(column.keys):
        held = shortened(map(repr, column.keys))
        raise InputError(f"classes=[...] must name the classes in {column.name}, {held}; it is {shortened(classes)}.")
    return classes, replace(column, keys=tuple(classes))


def _one_probability(
    selection: Selection,
    columns: dict[str, Column],
    names: dict[str, Any],
    notes: dict[str, Any],
    positive: str | None,
    in_memory_rows: int,
) -> Predictions:
    label, prob, group = columns["label"], columns["prob"], columns.get("group")
    stream = PairStream(selection, label, prob, label_sql(selection, label, positive), group)
    sizes = {} if group is None else group_sizes(selection, group)

    def load() -> Pairs:
        probabilities, labels = load_pairs(stream)
        return Pairs(labels, probabilities, *_extras(selection, columns, tuple(sizes), notes))

    streamed = stream if selection.n > in_memory_rows else None
    return Predictions(selection.n, names, sizes, selection, load, streamed, notes)


def _several_classes(
    selection: Selection,
    columns: dict[str, Column],
    several: Sequence[Column],
    names: dict[str, Any],
    notes: dict[str, Any],
    reduce: str,
    classes: Sequence[str] | None,
) -> Predictions:
    sources = list(several) or [columns["probs_column"]]
    matrix = class_matrix(selection, sources, lists=not several)
    codes, class_names = class_labels(selection, columns["label"], classes, matrix.shape[1])
    check_rows(selection, matrix, class_names, shortened(source.name for source in sources))
    sizes = {} if "group" not in columns else group_sizes(selection, columns["group"])
    weights, groups, group_names, clusters = _extras(selection, columns, tuple(sizes), notes)
    pairs = reduced(codes, matrix, class_names, reduce=reduce, weights=weights, clusters=clusters)
    if reduce == CLASS_WISE:
        sizes = dict.fromkeys(class_names, selection.n)
    else:
        pairs = replace(pairs, groups=groups, group_names=group_names)
    notes |= {"reduce": reduce, "classes": list(class_names)}
    if reduce == TOP_LABEL:
        notes["ties"] = tied_rows(matrix)
    return Predictions(len(pairs), names, sizes, selection, lambda: pairs, None, notes)


def _extras(
    selection: Selection, columns: dict[str, Column], group_names: tuple[str, ...], notes: dict[str, Any]
) -> tuple[Floats | None, Integers | None, tuple[str, ...], Integers | None]:
    weight, group, cluster = (columns.get(role) for role in ("weight", "group", "cluster"))
    separate = notes.get("across_files") == SEPARATE
    return (
        None if weight is None else load_weights(selection, weight),
        None if group is None else load_groups(selection, group, group_names),
        group_names,
        None if cluster is None else load_clusters(selection, cluster, separate=separate),
    )


def _check_pooling(selection: Selection, columns: dict[str, Column], across_files: str) -> None:
    group = columns.get("group")
    if "id" in columns:
        check_different(selection, columns["id"], group)
    for role in ("id", "cluster"):
        if role in columns:
            check_across_files(selection, columns[role], group, how=across_files)


def _selected(
    table: Table,
    columns: dict[str, Column],
    several: Sequence[Column],
    *,
    skip: bool,
    values: Sequence[str],
    positive: str | None,
) -> Selection:
    numbers = [*(columns[role] for role in ("prob", "weight") if role in columns), *several]
    for column in numbers:
        if not (column.is_text or column.is_number):
            raise InputError(f"{column.name} must be a column of numbers; its type is {column.type}.")
    kinds = dict.fromkeys(columns.values(), "text") | dict.fromkeys(numbers, "number")
    if "probs_column" in columns:
        kinds[columns["probs_column"]] = "numbers"
    tests = {column: column.missing(values, role=role) for column, role in kinds.items()}
    plain = set(columns) == {"label", "prob"} and not any(column.is_text for column in columns.values())
    stream_checks = plain and not values and positive is None
    return select_rows(table, tests, skip=skip, values=values, stream_checks=stream_checks)


def _check_request(
    prob: str | None,
    probs: Sequence[str] | None,
    probs_column: str | None,
    reduce: str | None,
    positive: str | None,
    group: str | None,
) -> None:
    if sum(source is not None for source in (prob, probs, probs_column)) != 1:
        raise InputError("name the probability in one way: prob='COL', probs=['COL', 'COL', …] or probs_column='COL'.")
    if prob is not None:
        if reduce is not None:
            raise InputError("reduce=... needs the probabilities of several classes: probs=[...] or probs_column.")
        return
    if reduce is None:
        raise InputError("several classes need reduce=...: top-label, class-wise, or the name of one class.")
    if probs is not None and len(set(probs)) != max(2, len(probs)):
        raise InputError(f"probs=[...] must name two columns or more, each once; it names {shortened(probs)}.")
    if positive is not None:
        raise InputError("positive=... does not go with several classes; name one by reduce='CLASS'.")
    if group is not None and reduce == CLASS_WISE:
        raise InputError(
            "class-wise, the class is the group; leave group=... out, or name one class by reduce='CLASS'."
        )
