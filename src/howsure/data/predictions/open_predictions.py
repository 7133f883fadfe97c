"""Open files of predictions: check the arguments and combine the columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from howsure.calibration.slots import EXACT_UP_TO
from howsure.data.predictions.classes import several_classes, soft_pairs, with_stated_confidence
from howsure.data.predictions.predictions import Predictions, one_probability
from howsure.data.predictions.selection import SAME, check_pooling, check_way, opened_files
from howsure.data.tables.columns import Column
from howsure.data.tables.table import ALL, Table, holds_lists, with_keys
from howsure.errors import GIVEN, InputError, parameter, way
from howsure.inputs.classes import CLASS_WISE, LOG_PROBABILITIES, LOGITS, TOP_LABEL
from howsure.inputs.naming import shortened

if TYPE_CHECKING:
    from howsure.data.sources import Files

# Where the probabilities of a row stand: one number, several columns, or a column of lists; perhaps on a log scale.

ONE, SEVERAL, LISTS = "one", "several", "lists"
VERBALISED = "verbalised"
SOURCES = ("prob", "probs", "probs_column", LOGITS, LOG_PROBABILITIES, VERBALISED)
ONE_COLUMN = ", ".join(way(one, "COL") for one in ("prob", "probs_column", LOGITS, LOG_PROBABILITIES, "verbalised"))
WAYS = f"{ONE_COLUMN} or {way('probs', ['COL', 'COL', GIVEN])}"


@dataclass(frozen=True, slots=True)
class ProbabilityColumns:
    """The columns of probabilities, the parameter that names them, and on which scale they are (None: as they are)."""

    role: str
    names: tuple[str, ...]
    kind: str
    scale: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def is_lists(self) -> bool:
        """Whether it is one column of lists or mappings."""
        return self.kind == LISTS

    @property
    def shown(self) -> str | list[str]:
        """The names as the user gave them."""
        return list(self.names) if self.kind == SEVERAL else self.names[0]

    def found(self, table: Table, only: str) -> ProbabilityColumns:
        """The source with its columns; of logits, whether the one column holds lists."""
        columns = tuple(table.columns[name] for name in self.names)
        if self.kind != LISTS:
            return replace(self, columns=columns)
        column = with_keys(table, columns[0], only)
        lists = self.role == "probs_column" or holds_lists(table, column, only)
        return replace(self, kind=LISTS if lists else ONE, columns=(column,))


def source_of(**given: str | Sequence[str] | None) -> ProbabilityColumns:
    """The source that parameters name: those of SOURCES.

    Raises InputError if it is not exactly one, or a column is named twice.
    """
    named = {role: names for role, names in given.items() if names is not None}
    if len(named) != 1:
        raise InputError(f"name the probability in one way: {WAYS}.")
    ((role, names),) = named.items()
    scale = role if role in (LOGITS, LOG_PROBABILITIES) else None
    listed = (names,) if isinstance(names, str) else tuple(names)
    kind = ONE if role in ("prob", VERBALISED) else SEVERAL if role == "probs" or len(listed) > 1 else LISTS
    if kind == SEVERAL and len(set(listed)) != max(2, len(listed)):
        raise InputError(f"{role}=[...] must name two columns or more, each once; it names {shortened(listed)}.")
    return ProbabilityColumns(role, listed, kind, scale)


def is_soft(table: Table, label: Column, only: str = ALL) -> bool:
    """Whether a column of labels holds distributions over classes: by name, or as lists of numbers."""
    return bool(label.keys) or (not label.is_number and label.type != "BOOLEAN" and holds_lists(table, label, only))


def label_of(table: Table, column: Column, only: str, *, soft: bool) -> Column:
    """The column of labels, with the names of the classes if it holds shares of them.

    Raises InputError if it does, and labels must not be `soft`.
    """
    label = with_keys(table, column, only)
    if soft or not is_soft(table, label, only):
        return label
    raise InputError(
        f"{column.name} holds distributions over classes; `howsure calibration` and `howsure significance` read such "
        "labels. Here, name a column with one label per row."
    )


# The columns of files as pairs.

ROLES = {"label": "y_true", "group": "groups", "cluster": "clusters", "weight": "sample_weight", "id": "id"}
NAMED = ("label", *SOURCES, "reduce", "classes", "group", "cluster", "weight", "id")


def open_predictions(
    rows: Files,
    *,
    positive: str | None = None,
    soft_labels: bool = False,
    pairing: bool = False,
    features: Sequence[str] = (),
    keep_classes: bool = False,
    spool: str | os.PathLike[str] | None = None,
    exact_up_to: int = EXACT_UP_TO,
    **named: Any,
) -> Predictions:
    """The prediction–label pairs of files, checked.

    `named` are the columns, NAMED: label, group, cluster, weight and id; the probabilities in one of the ways of
    `howsure.Given`, with reduce and classes. One pair per row comes from `prob`; rows with a probability for each class
    are reduced: "top-label", "class-wise" or one class; so are `logits` and `logprobs` of several columns or of lists,
    after a softmax; of one number, the probability is its sigmoid or exp. A log names by itself what is not named.

    A label is a boolean, 0 or 1, or one of two values, of which `positive` means 1; with several classes, a class or
    its index. With `soft_labels`, it may also be the share of annotators for each class, as a mapping or a list: such a
    row is a pair of label 1 and one of label 0, weighted by the shares, in one cluster.

    With `pairing`, a log's rows are those of one model, to be matched with another's. `features` are further columns,
    for `feature_columns`; nothing is missing in them. With `keep_classes`, `class_rows` of the result holds the classes
    of each row as they stand. `spool` is the folder for scratch files. The pairs of more rows than `exact_up_to` are
    added up by cells of the probability scale unless they are asked for.

    Raises InputError naming the file, the column, the row (from 1) and the value.
    """
    asked: dict[str, Any] = dict.fromkeys(NAMED) | named
    across_files = rows.across_files
    check_way(
        across_files,
        of=asked["id"] or asked["cluster"],
        named=f"{parameter('id', GIVEN)} or {parameter('clusters', GIVEN)}",
    )
    with opened_files(rows, [*_names(*asked.values()), *features], spool=spool) as opened:
        found, log, chosen = asked, opened.log, dict[str, str]()
        if log is not None:
            from howsure.data.logs.conversion import chosen_by_log, with_defaults

            found = asked | with_defaults(asked, log, opened.files, pairing=pairing)
            chosen = chosen_by_log(asked, found)
            if across_files == "error" and found["cluster"] != asked["cluster"]:
                across_files = SAME  # items of a log are known by model and task: several rows of one are the same item
        source, reduce, classes = (
            source_of(**{role: found[role] for role in SOURCES}),
            found["reduce"],
            found["classes"],
        )
        _check_request(source, reduce, positive, found["group"])
        if found["label"] is None:
            raise InputError(f"{parameter('y_true', GIVEN)} must name the column of the true label.")
        roles: dict[str, str] = {role: found[role] for role in ROLES if found[role] is not None}
        table, only = opened.table([*roles.values(), *source.names, *features])
        columns = {role: replace(table.columns[name], role=ROLES[role]) for role, name in roles.items()}
        source = source.found(table, only)
        source = replace(source, columns=tuple(replace(one, role="y_prob") for one in source.columns))
        if source.role == VERBALISED:
            table, stated = with_stated_confidence(table, source.columns[0], only, skip=rows.skip_missing)
            source = replace(source, columns=(stated,))
        numbers = [column for role, column in columns.items() if role == "weight"]
        for column in (columns["label"], *source.columns, *numbers):
            if column.parts:
                raise InputError(
                    f"{column.name} must be one column; several are one key for {parameter('groups', GIVEN)}, "
                    f"{parameter('clusters', GIVEN)} and {parameter('id', GIVEN)}."
                )
        columns["label"] = label_of(table, columns["label"], only, soft=soft_labels)
        is_shares = soft_labels and is_soft(table, columns["label"], only)
        kinds = _kinds(columns, source, soft=is_shares)
        streams = _stream_checks(columns, source) and not rows.missing_values and positive is None
        selection = opened.selected(table, only, kinds, stream_checks=streams)
        check_pooling(selection, columns, columns.get("group"), across_files)
        notes = opened.notes(selection, positive=positive, across_files=across_files)
        if "id" in columns and "cluster" not in columns and notes.get("across_files") == SAME:
            roles["cluster"], columns["cluster"] = roles["id"], columns["id"]
        names: dict[str, Any] = {"label": found["label"], source.role: source.shown} | roles
        if source.kind == ONE:
            if reduce is not None:
                raise InputError(
                    f"{source.columns[0].name} holds one number per row; {parameter('reduce', GIVEN)} needs several "
                    "classes."
                )
            if is_shares:
                made = soft_pairs(selection, columns, source, names, notes, positive)
            else:
                prob, scale = source.columns[0], source.scale
                made = one_probability(selection, columns, prob, scale, names, notes, positive, exact_up_to)
        else:
            if positive is not None:
                raise InputError(
                    f"{parameter('pos_label', GIVEN)} does not go with several classes; name one by "
                    f"{parameter('reduce', 'CLASS')}."
                )
            order = classes if classes is not None else source.names if source.kind == SEVERAL else None
            if source.columns[0].keys:
                order, column = _in_order(source.columns[0], classes)
                source = replace(source, columns=(column,))
            made = several_classes(
                selection,
                columns,
                source,
                names,
                notes,
                reduce or TOP_LABEL,
                order,
                ragged=log is not None and reduce in (None, TOP_LABEL),
                keep_classes=keep_classes,
                soft=is_shares,
            )
        return replace(made, said=opened.said(table, chosen))


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


def _kinds(columns: Mapping[str, Column], source: ProbabilityColumns, *, soft: bool) -> dict[Column, str]:
    """As what each column is read.

    Raises InputError for a column that must hold numbers and has another type.
    """
    lists = source.kind == LISTS
    numbers = [column for role, column in columns.items() if role == "weight"] + ([] if lists else [*source.columns])
    for column in numbers:
        if not (column.is_text or column.is_number):
            raise InputError(f"{column.name} must be a column of numbers; its type is {column.type}.")
    label, *rest = columns.values()
    kinds = dict.fromkeys((label, *source.columns, *rest), "text") | dict.fromkeys(numbers, "number")
    if soft:
        kinds[label] = "numbers"
    return kinds | ({source.columns[0]: "numbers"} if lists else {})


def _stream_checks(columns: Mapping[str, Column], source: ProbabilityColumns) -> bool:
    """Whether a stream of the pairs meets a null of any column: none is a text, and none is looked at by itself."""
    read = [columns["label"], *source.columns, *(columns[role] for role in ("weight",) if role in columns)]
    plain = set(columns) <= {"label", "group", "weight"} and source.kind == ONE
    return plain and not columns.get("group", read[0]).parts and not any(column.is_text for column in read)


def _check_request(source: ProbabilityColumns, reduce: str | None, positive: str | None, group: str | None) -> None:
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
