"""Open files of predictions: check the arguments and combine the columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.calibration.slots import EXACT_UP_TO
from howsure.data.logs.conversion import chosen, described, in_rows_left, input_files, with_defaults
from howsure.data.predictions.classes import (
    LISTS,
    ONE,
    SEVERAL,
    SOURCES,
    VERBALISED,
    Source,
    is_soft,
    label_of,
    source_of,
)
from howsure.data.predictions.loading import one_probability, several_classes
from howsure.data.predictions.predictions import Predictions
from howsure.data.predictions.selection import (
    SAME,
    Selection,
    check_across_files,
    check_different,
    check_way,
    select_rows,
)
from howsure.data.tables.columns import Column, said_of_commas
from howsure.data.tables.database import Database
from howsure.data.tables.table import Table, open_table, with_stated_confidence
from howsure.data.tables.where import ALL, condition
from howsure.errors import GIVEN, InputError, parameter, way
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL
from howsure.inputs.naming import shortened

ROLES = {"label": "y_true", "group": "groups", "cluster": "clusters", "weight": "sample_weight", "id": "id"}


def open_predictions(
    paths: Sequence[str | os.PathLike[str]],
    *,
    label: str | None = None,
    prob: str | None = None,
    probs: Sequence[str] | None = None,
    probs_column: str | None = None,
    logits: str | Sequence[str] | None = None,
    logprobs: str | Sequence[str] | None = None,
    verbalised: str | None = None,
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
    where: str | None = None,
    by_file: bool = False,
    format: str | None = None,
    normalise: str | None = None,
    soft_labels: bool = False,
    pairing: bool = False,
    features: Sequence[str] = (),
    keep_classes: bool = False,
    spool: str | os.PathLike[str] | None = None,
    exact_up_to: int = EXACT_UP_TO,
) -> Predictions:
    """The prediction–label pairs of files, checked.

    `paths` are files or globs of CSV, TSV, JSON lines (text may be compressed by gzip or zstd), Parquet or .npz, or "-"
    for standard input, whose format is recognised from its first bytes or given by `format`. One pair per row comes
    from `label` and `prob`; rows with a probability for each class (`probs`, several columns, or `probs_column`, a
    column of lists or mappings, their order named by `classes`) are reduced: "top-label", "class-wise" or one class.
    `logits` and `logprobs` (log-probabilities, normalised) name several columns or one of lists or mappings, whose
    softmax is taken and, unless `reduce` says else, the top label; or one column of numbers, whose sigmoid or exp is
    the probability of the label. `verbalised` is a column of texts that state a confidence ("I am 85 % sure"), read by
    the rule of `howsure.inputs.given`.

    A column may lie inside another one: "doc.answerKey", "scores[0].value", "doc['a key']". `group`, `cluster` and `id`
    may be several columns as one key: "task,question". A column of exactly the name comes first. With `by_file`, the
    file's name is the column `file`. Only rows that satisfy `where` are used, an expression such as
    "prompt = 'first' and score > 0.5"; a missing value satisfies `is null` alone.

    `id` is the column that identifies the item of a row: different in every row of a file and group. The rows of
    several files are pooled; equal values of `id` or `cluster` in two of them are an error unless `across_files` says
    what they mean: the "same" item (rows with one id are then a cluster), or "separate" ones, numbered anew in every
    file.

    A label is a boolean, 0 or 1, or one of two values, of which `positive` means 1; with several classes, a class or
    its index. With `soft_labels`, it may also be the share of annotators for each class, as a mapping or a list: such a
    row is a pair of label 1 and one of label 0, weighted by the shares, in one cluster.

    A value is missing if it is null, NaN, empty or among `missing_values`: an error, or with `skip_missing` counted and
    left out. Nothing is clipped or guessed.

    Logs of programs that evaluate language models are read by their own names (`format`, or seen from the file): what
    is not named is then chosen, and `said` tells what. `normalise` divides the log-likelihoods of choices by their
    number of "characters", "bytes" or "tokens" ("none" by default). With `pairing`, a log's rows are those of one
    model, to be matched with another's. `features` are further columns, for `feature_columns`; nothing is missing in
    them. With `keep_classes`, `class_rows` of the result holds the classes of each row as they stand. `spool` is the
    folder for scratch files. The pairs of more rows than `exact_up_to` are added up by cells of the probability scale
    unless they are asked for.

    Raises InputError naming the file, the column, the row (from 1) and the value.
    """
    check_way(across_files, of=id or cluster, named=f"{parameter('id', GIVEN)} or {parameter('clusters', GIVEN)}")
    rows = condition(where)
    with Database(spool).opening() as database:
        asked: dict[str, Any] = {"label": label, "prob": prob, "probs": probs, "probs_column": probs_column}
        asked |= {
            "logits": logits,
            "logprobs": logprobs,
            "verbalised": verbalised,
            "reduce": reduce,
            "classes": classes,
        }
        asked |= {"group": group, "cluster": cluster, "id": id}
        texts = [*_names(*asked.values()), *_names(weight), *features, *(rows.names if rows else ())]
        files, log = input_files(paths, format=format, spool=database.folder, wanted=texts, normalise=normalise)
        database.allow_only([file.path for file in files])
        notes: dict[str, Any] = {}
        said = ""
        if log is not None:
            log = in_rows_left(log, files, rows, by_file=by_file, missing_values=missing_values)
            found = with_defaults(asked, log, files, pairing=pairing)
            said, notes = described(log, files, chosen(asked, found)), log.describe()
            if across_files == "error" and found["cluster"] != asked["cluster"]:
                across_files = SAME  # items of a log are known by model and task: several rows of one are the same item
            asked = found
        label, reduce, classes, group = asked["label"], asked["reduce"], asked["classes"], asked["group"]
        source = source_of(**{role: asked[role] for role in SOURCES})
        _check_request(source, reduce, positive, group)
        if label is None:
            raise InputError(f"{parameter('y_true', GIVEN)} must name the column of the true label.")
        named = {role: asked[role] for role in ("label", "group", "cluster")} | {"weight": weight, "id": asked["id"]}
        roles = {role: name for role, name in named.items() if name is not None}
        columns_of = [*roles.values(), *source.names, *features, *(rows.names if rows else ())]
        table = open_table(database, files, columns_of, by_file=by_file)
        only = rows.sql(table, missing_values) if rows else ALL
        columns = {role: replace(table.columns[name], role=ROLES[role]) for role, name in roles.items()}
        source = source.found(table, only)
        source = replace(source, columns=tuple(replace(one, role="y_prob") for one in source.columns))
        if source.role == VERBALISED:
            table, stated = with_stated_confidence(table, source.columns[0], only, skip=skip_missing)
            source = replace(source, columns=(stated,))
        for column in (columns["label"], *source.columns, *(columns[role] for role in ("weight",) if role in columns)):
            if column.parts:
                raise InputError(
                    f"{column.name} must be one column; several are one key for {parameter('groups', GIVEN)}, "
                    f"{parameter('clusters', GIVEN)} and {parameter('id', GIVEN)}."
                )
        columns["label"] = label_of(table, columns["label"], only, soft=soft_labels)
        selection = _selected(
            table,
            columns,
            source,
            skip=skip_missing,
            values=missing_values,
            positive=positive,
            only=only,
            soft=soft_labels,
        )
        _check_pooling(selection, columns, across_files)
        options = {"positive": positive, "missing_values": list(missing_values) or None, "by_file": by_file or None}
        options["across_files"] = across_files if len(files) > 1 and across_files != "error" else None
        notes |= {key: value for key, value in options.items() if value is not None}
        notes |= {} if where is None else {"where": where, "left_out": selection.others}
        if table.with_commas:
            notes["decimal_comma"], said = table.with_commas, f"{said} {said_of_commas(table.with_commas)}".lstrip()
        if "id" in columns and "cluster" not in columns and notes.get("across_files") == SAME:
            roles["cluster"], columns["cluster"] = roles["id"], columns["id"]
        names: dict[str, Any] = {"label": label, source.role: source.shown} | roles
        if source.kind == ONE:
            if reduce is not None:
                raise InputError(
                    f"{source.columns[0].name} holds one number per row; {parameter('reduce', GIVEN)} needs several "
                    "classes."
                )
            one = one_probability(selection, columns, source, names, notes, positive, exact_up_to, soft=soft_labels)
            return replace(one, said=said)
        if positive is not None:
            raise InputError(
                f"{parameter('pos_label', GIVEN)} does not go with several classes; name one by "
                f"{parameter('reduce', 'CLASS')}."
            )
        order = classes if classes is not None else source.names if source.kind == SEVERAL else None
        if source.columns[0].keys:
            order, column = _in_order(source.columns[0], classes)
            source = replace(source, columns=(column,))
        ragged = log is not None and reduce in (None, TOP_LABEL)
        several = several_classes(
            selection, columns, source, names, notes, reduce or TOP_LABEL, order, ragged=ragged,
            keep_classes=keep_classes, soft=soft_labels,
        )  # fmt: skip
        return replace(several, said=said)


def _names(*given: str | Sequence[str] | None) -> list[str]:
    """The texts among what is given, those in lists too."""
    return [one for each in given if each is not None for one in ([each] if isinstance(each, str) else each)]


def _in_order(column: Column, classes: Sequence[str] | None) -> tuple[Sequence[str], Column]:
    """The classes of a column of mappings, and the column with its keys in their order."""
    if classes is None:
        return column.keys, column
    if sorted(classes) != sorted(column.keys):
        held = shortened(map(repr, column.keys))
        raise InputError(
            f"{parameter('classes', GIVEN)} must name the classes in {column.name}, {held}; it is {shortened(classes)}."
        )
    return classes, replace(column, keys=tuple(classes))


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
    source: Source,
    *,
    skip: bool,
    values: Sequence[str],
    positive: str | None,
    only: str,
    soft: bool,
) -> Selection:
    numbers = [*(columns[role] for role in ("weight",) if role in columns)]
    numbers += source.columns if source.kind != LISTS else ()
    for column in numbers:
        if not (column.is_text or column.is_number):
            raise InputError(f"{column.name} must be a column of numbers; its type is {column.type}.")
    first, *rest = columns.values()
    kinds = dict.fromkeys((first, *source.columns, *rest), "text") | dict.fromkeys(numbers, "number")
    kinds |= {first: "numbers"} if soft and is_soft(table, first, only) else {}
    if source.kind == LISTS:
        kinds[source.columns[0]] = "numbers"
    tests = {column: column.missing(values, role=role) for column, role in kinds.items()}
    read = [first, *numbers]  # a group is looked at by name
    plain = (
        set(columns) <= {"label", "group", "weight"} and source.kind == ONE and not columns.get("group", first).parts
    )
    stream_checks = plain and not any(column.is_text for column in read) and not values and positive is None
    return select_rows(table, tests, skip=skip, values=values, stream_checks=stream_checks, only=only)


def _check_request(source: Source, reduce: str | None, positive: str | None, group: str | None) -> None:
    if source.kind == ONE:
        if reduce is not None:
            raise InputError(
                f"{parameter('reduce', GIVEN)} needs the probabilities of several classes: {way('probs', GIVEN)} or "
                "probs_column."
            )
        return
    if reduce is None and source.scale is None:
        raise InputError(
            f"several classes need {parameter('reduce', GIVEN)}: top-label, class-wise, or the name of one class."
        )
    if positive is not None and source.scale is None:
        raise InputError(
            f"{parameter('pos_label', GIVEN)} does not go with several classes; name one by "
            f"{parameter('reduce', 'CLASS')}."
        )
    if group is not None and reduce == CLASS_WISE:
        raise InputError(
            f"class-wise, the class is the group; leave {parameter('groups', GIVEN)} out, or name one class by "
            f"{parameter('reduce', 'CLASS')}."
        )
