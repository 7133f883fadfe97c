"""Read predictions in files: open the columns of each role, check them, and return pairs in memory or their sums."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from howsure.calibration.slots import EXACT_UP_TO, Slots
from howsure.data.predictions.answers import right_answers_sql
from howsure.data.predictions.classes import (
    Beside,
    ClassRows,
    label_sql,
    pairs_of_classes,
    pairs_of_one_share,
    with_stated_confidence,
)
from howsure.data.predictions.rows import (
    SAME,
    SEPARATE,
    check_option_value,
    check_pooling,
    columns_of_models,
    item_columns,
    load_clusters,
    load_weights,
    note_on_items,
    note_on_pooled,
    repeated_rows,
)
from howsure.data.predictions.selection import Selection, group_sizes, opened_files
from howsure.data.predictions.stream import PairStream, StoredGroups, sum_stream
from howsure.data.tables.database import Column
from howsure.data.tables.table import ALL, Table, find_percentages, has_lists, with_keys
from howsure.errors import LIST_COLUMNS, InputError, parameter
from howsure.inputs.frames import AS_READ, ITEM, ITEM_HASH, Rows, not_a_column_name
from howsure.inputs.label_spelling import spellings_note
from howsure.inputs.numbers_and_names import shortened, unknown_name
from howsure.inputs.pairs import (
    CLASS_WISE,
    LOG_PROBABILITIES,
    LOGITS,
    PROB,
    PROBS,
    PROBS_COLUMN,
    TOP_LABEL,
    UNNAMED,
    VERBALISED,
    Floats,
    Integers,
    Pairs,
    Probabilities,
)
from howsure.inputs.repeated_items import item_notes
from howsure.inputs.right_answers import refuse_positive

if TYPE_CHECKING:
    from howsure.data.sources import Files

ONE_COLUMN = ", ".join(
    f"`Probabilities.{way}='COL'`" for way in (PROB, PROBS_COLUMN, LOGITS, LOG_PROBABILITIES, VERBALISED)
)
WAYS = f"{ONE_COLUMN} or `Probabilities.probs=['COL', 'COL', ...]`"


def open_predictions(
    files: Files,
    *,
    y_true: str | None = None,
    y_prob: Probabilities | None = None,
    groups: str | None = None,
    clusters: str | None = None,
    sample_weight: str | None = None,
    id: str | None = None,
    pos_label: str | None = None,
    soft_labels: bool = False,
    pairing: bool = False,
    features: Sequence[str] = (),
    later: Sequence[str] = (),
    keep_classes: bool = False,
    spool: str | os.PathLike[str] | None = None,
    exact_up_to: int = EXACT_UP_TO,
    find_items: bool = False,
    items_are_clusters: bool = True,
    models_as: str = "groups",
) -> Predictions:
    """Open and check the prediction–label pairs of files; a log has defaults for columns that are not named.

    A label is a boolean, 0 or 1, or one of two values, of which `pos_label` means 1. With several classes, it is a
    class or the index of a class. With `soft_labels`, it may also be the proportion of annotators for each class, as a
    mapping or a list. Such a row becomes a pair of label 1 and a pair of label 0 in one cluster, weighted by the
    proportions.

    pairing: a log must contain one model, whose rows are matched with another model's. features: further columns for
    `feature_columns`, in which missing values are allowed. later: columns that are read afterwards for some rows.
    keep_classes: `class_rows` of the result contains the classes of each row unchanged. spool: the folder for temporary
    files. exact_up_to: pairs of more rows are added up by cells of the probability scale, unless the pairs themselves
    are requested. find_items: if no clusters are named, items that repeat within a group of a table are
    clusters or, without `items_are_clusters`, a note warns of them. A note also names a column of models without a
    role, and `models_as`, the parameter that would separate the models.
    """
    roles = {"y_true": y_true, "groups": groups, "clusters": clusters, "sample_weight": sample_weight, "id": id}
    across_files = files.across_files
    check_option_value(across_files, of=id or clusters, named="`id=...` or `clusters=...`")
    named = [*roles.values(), *(() if y_prob is None or y_prob.way == UNNAMED else y_prob.columns), *features, *later]
    with opened_files(files, [name for name in named if name is not None], spool=spool) as opened:
        if opened.log is not None:
            from howsure.data.logs.conversion import with_defaults

            roles, y_prob = with_defaults(roles, y_prob, opened.log, opened.files, pairing=pairing)
            if across_files == "error" and roles["clusters"] != clusters:
                across_files = SAME  # a log identifies items by model and task, across files
        spec = check_given(y_prob, pos_label=pos_label, groups=roles["groups"])
        role_columns = {role: name for role, name in roles.items() if name is not None}
        if "y_true" not in role_columns:
            raise InputError(f"`y_true=...` must name the column of the true label.{LIST_COLUMNS}")
        documents = [ITEM_HASH] if pairing and opened.log is not None and opened.log.has(ITEM_HASH) else []
        if opened.log is not None and any(ITEM in str(named).split(",") for named in (id, clusters)):
            opened.log.check_items()
        finds_items = find_items and clusters is None
        answers = [] if spec.prediction is None else [spec.prediction]
        with_role = [*role_columns.values(), *answers]
        items = item_columns(opened, [*with_role, *spec.columns], id) if finds_items else {}
        models = columns_of_models(opened, [*with_role, *features]) if find_items else []
        names = [*role_columns.values(), *spec.columns, *answers, *features, *later, *documents, *items, *models]
        table, only = opened.table(names)
        pooled = note_on_pooled(opened, table, only, models, models_as)
        parts = [role_columns["groups"]] if "groups" in role_columns else []
        repeated = repeated_rows(opened, table, only, items, parts, id)
        if repeated is not None and repeated.are_clusters and items_are_clusters:
            role_columns["clusters"], across_files = repeated.column, SAME if across_files == "error" else across_files
        columns = {role: replace(table.columns[name], role=role) for role, name in role_columns.items()}
        table, scores = read_scores(
            table, spec, only, skip_missing=files.skip_missing, missing_values=files.missing_values
        )
        for column in (columns["y_true"], *scores.columns, *_weights(columns)):
            if column.parts:
                raise InputError(
                    f"{column.name} must be one column. Only `groups=...`, `clusters=...` and `id=...` may name "
                    "several columns."
                )
        answer, soft = None, False
        if spec.prediction is None:
            columns["y_true"], soft = _label(table, columns["y_true"], only, soft=soft_labels)
        else:
            answer = replace(table.columns[spec.prediction], role="prediction")
            if not scores.is_one:
                spec.refuse_prediction()
        required = columns | ({"prediction": answer} if answer is not None and files.skip_missing else {})
        selection = opened.selected(table, only, _kinds(required, scores, soft=soft))
        check_pooling(selection, columns, columns.get("groups"), across_files)
        notes = opened.notes(selection, pos_label=pos_label, across_files=across_files)
        if repeated is not None or pooled:
            of_items = note_on_items(repeated, as_clusters=items_are_clusters)
            notes["notes"] = [*notes.get("notes", []), *of_items, *pooled]
        provenance: dict[str, Any] = {
            AS_READ["y_true"]: role_columns["y_true"],
            spec.way: list(spec.columns) if len(spec.columns) > 1 else spec.columns[0],
        }
        provenance |= {AS_READ[role]: name for role, name in role_columns.items()}
        provenance |= {} if spec.prediction is None else {"prediction": spec.prediction}
        if "id" in columns and "clusters" not in columns and notes.get("across_files") == SAME:
            columns["clusters"], provenance[AS_READ["clusters"]] = columns["id"], role_columns["id"]
        if scores.is_one and spec.reduce is not None:
            name = scores.columns[0].name
            raise InputError(
                f"{name} has one number per row, but `reduce=...` is for probabilities of several classes. Leave "
                "`reduce` out."
            )
        if not scores.is_one:
            spec.refuse_roles(pos_label=pos_label)
        separate, input_notes = notes.get("across_files") == SEPARATE, opened.input_notes(table)
        label, groups_held = columns["y_true"], columns.get("groups")
        stream = PairStream(selection, columns, scores.columns[0], spec.scale)
        if answer is not None:
            how: Any = {"scale": spec.scale, "missing_values": files.missing_values}
            right, answer_notes = right_answers_sql(selection, label, answer, stream.y_prob, **how)
            stream = replace(stream, label_sql=right, reduction=TOP_LABEL)
            notes |= {"reduce": TOP_LABEL, "notes": [*notes.get("notes", []), *answer_notes]}
        elif scores.is_one and not soft:
            stream = replace(stream, label_sql=label_sql(selection, label, pos_label))
        sizes = {} if groups_held is None else group_sizes(selection, groups_held)
        if (spelled := spellings_note(sizes, "groups")) is not None:
            notes["notes"] = [*notes.get("notes", []), f"{spelled}."]
        other_columns = partial(_read_other_columns, selection, columns, tuple(sizes), separate=separate)
        if scores.is_one and not soft:
            streamed = stream if selection.n > exact_up_to else None
            load = partial(_loaded, stream, other_columns)
            return Predictions(selection.n, provenance, sizes, selection, load, streamed, notes, input_notes)
        if scores.is_one:
            class_pairs = pairs_of_one_share(selection, label, stream.probabilities, pos_label, other_columns)
        else:
            ragged = opened.log is not None and spec.reduce in (None, TOP_LABEL)
            class_pairs = pairs_of_classes(selection, label, scores, other_columns, ragged=ragged, soft=soft)
        pairs = class_pairs.pairs
        if class_pairs.notes["reduce"] == CLASS_WISE:
            sizes = dict.fromkeys(pairs.group_names, selection.n)
        rows = class_pairs.rows if keep_classes else None
        return Predictions(
            len(pairs), provenance, sizes, selection, lambda: pairs, None, notes | class_pairs.notes, input_notes, rows
        )


def _loaded(stream: PairStream, other_columns: Beside) -> Pairs:
    labels, probabilities = stream.pairs()
    weights, groups, group_names, clusters = other_columns()
    return Pairs(labels, probabilities, weights, groups, group_names, clusters, stream.reduction)


def check_given(
    spec: Probabilities | None, *, pos_label: str | None = None, groups: str | None = None
) -> Probabilities:
    """Check that the form of the probabilities is consistent with itself and with the roles, and return it."""
    if spec is None or spec.way == UNNAMED:
        raise InputError(f"name the probability in one way: {WAYS}.{LIST_COLUMNS}")
    names = spec.columns
    if spec.prediction is not None:
        refuse_positive(pos_label)
        if not isinstance(spec.prediction, str):
            raise not_a_column_name("prediction", spec.prediction)
    if spec.is_one and len(names) > 1:
        raise InputError(f"`Probabilities.{spec.way}=...` must name one column; it names {shortened(names)}.")
    if (spec.way == PROBS or len(names) > 1) and len(set(names)) != max(2, len(names)):
        columns_of_lists = "Probabilities.probs_column"
        remedy = f" A column of lists: {parameter(columns_of_lists, names[0])}." if len(names) == 1 else ""
        raise InputError(
            f"`Probabilities.{spec.way}` must name two columns or more, each once; it names {shortened(names)}.{remedy}"
        )
    if spec.is_one:
        if spec.reduce is not None:
            raise InputError(
                "`reduce=...` needs the probabilities of several classes: `Probabilities.probs=...` or "
                "`Probabilities.probs_column=...`."
            )
        return spec
    spec.refuse_roles(pos_label=pos_label if spec.scale is None else None, groups=groups)
    return spec


def _weights(columns: Mapping[str, Column]) -> list[Column]:
    return [columns["sample_weight"]] if "sample_weight" in columns else []


def _label(table: Table, column: Column, only: str, *, soft: bool) -> tuple[Column, bool]:
    """Return the column of labels, and whether labels are soft. Raises InputError for soft labels unless `soft`."""
    label = with_keys(table, column, only)
    shares = bool(label.keys) or (not label.is_number and label.type != "BOOLEAN" and has_lists(table, label, only))
    if shares and not soft:
        raise InputError(
            f"{column.name} contains distributions over classes; `howsure calibration` and `howsure significance` read "
            "such labels. Here, name a column with one label per row."
        )
    return label, shares


def _kinds(columns: Mapping[str, Column], scores: Scores, *, soft: bool) -> dict[Column, str]:
    """Return the kind of each column, which determines how it is read."""
    numbers = [*_weights(columns), *(() if scores.lists else scores.columns)]
    for column in numbers:
        if not (column.is_text or column.is_number):
            raise InputError(f"{column.name} must be a column of numbers; its type is {column.type}.")
    label, *rest = columns.values()
    kinds = dict.fromkeys((label, *scores.columns, *rest), "text") | dict.fromkeys(numbers, "number")
    lists = [*([label] if soft else []), *(scores.columns if scores.lists else ())]
    return kinds | dict.fromkeys(lists, "numbers")


def _read_other_columns(
    selection: Selection, columns: Mapping[str, Column], group_names: tuple[str, ...], *, separate: bool
) -> tuple[Floats | None, Integers | None, tuple[str, ...], Integers | None]:
    """Return the weights, groups, group names and clusters of the used rows; None for columns that were not named.

    separate: whether equal cluster names in different files are different clusters.
    """
    weights, groups, clusters = (columns.get(role) for role in ("sample_weight", "groups", "clusters"))
    return (
        None if weights is None else load_weights(selection, weights),
        None if groups is None else selection.codes(groups.text, group_names),
        group_names,
        None if clusters is None else load_clusters(selection, clusters, separate=separate),
    )


# The probabilities of a row are one number, several columns, or a column of lists or mappings.


@dataclass(frozen=True, slots=True)
class Scores:
    """The columns of a specification. lists: whether a single column contains lists or mappings."""

    specification: Probabilities
    columns: tuple[Column, ...]
    lists: bool = False

    @property
    def is_one(self) -> bool:
        """Whether there is one number per row."""
        return len(self.columns) == 1 and not self.lists

    @property
    def shown(self) -> str:
        """The names of the columns."""
        return shortened(column.name for column in self.columns)


def read_scores(
    table: Table, spec: Probabilities, only: str = ALL, *, skip_missing: bool, missing_values: Sequence[str] = ()
) -> tuple[Table, Scores]:
    """Return the columns of the specification, and the table, with a column of stated confidence if it is requested."""
    if spec.way in (PROB, PROBS):
        for name in spec.columns:
            find_percentages(table, name, only, missing_values)
    columns = tuple(replace(table.columns[name], role="y_prob") for name in spec.columns)
    if spec.way == VERBALISED:
        table, stated = with_stated_confidence(table, columns[0], only, skip_missing=skip_missing)
        return table, Scores(spec, (stated,))
    if spec.is_one or len(columns) > 1:
        return table, Scores(spec, columns)
    column = with_keys(table, columns[0], only)
    return table, Scores(spec, (column,), spec.way == PROBS_COLUMN or has_lists(table, column, only))


def _ignore_progress(rows: int) -> None:
    """The default progress function, which does nothing."""


@dataclass(frozen=True)
class Predictions:
    """The n checked prediction–label pairs of files, in memory if they are few, otherwise as sums.

    `open_predictions` returns this object. columns: the names of the columns, as results show them. group_sizes: the
    number of pairs of every group, in natural order. As a context manager, it removes temporary files at the end; they
    are also removed when it is no longer referenced.
    """

    n: int
    columns: dict[str, Any]
    group_sizes: dict[str, int]
    selection: Selection = field(repr=False)
    load: Callable[[], Pairs] = field(repr=False)
    stream: PairStream | None = field(repr=False)  # None if pairs are in memory
    notes: dict[str, Any] = field(default_factory=dict)
    input_notes: Sequence[str] = field(default=(), repr=False)  # how the input was read, for the user
    class_rows: ClassRows | None = field(default=None, repr=False)  # if they are kept

    @property
    def skipped(self) -> dict[str, int]:
        """The number of rows left out, by the first column with a missing value."""
        return self.selection.skipped

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () without groups."""
        return tuple(self.group_sizes)

    def describe(self) -> dict[str, Any]:
        """Describe the input for the recipe of a result: files, rows used and left out, columns by role, notes."""
        files = [file.name for file in self.selection.table.files]
        rows = {"files": files, "rows": self.selection.n, "skipped": self.skipped}
        return {**rows, **self.columns, **self.notes}

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = _ignore_progress) -> Pairs | Slots:
        """Return all pairs or the pairs of one group, if there are few in all; otherwise their sums, in one pass.

        advance: a function that is called with the number of rows read. For a stream, the first group requires reading
        the files once; the other groups do not.
        """
        if group is not None and group not in self.group_sizes:
            raise unknown_name("group", group, self.group_names, place=self.selection.table.name)
        if self.stream is None:
            pairs = self.pairs() if group is None else self.pairs().select(self._rows_by_group[group])
            advance(len(pairs))
            return pairs
        if group is not None:
            return self._stored_groups.slots(group, advance)
        return sum_stream(self.stream, advance)

    def pairs(self) -> Pairs:
        """Return all pairs in memory, in the order of the files, with weights, groups and clusters."""
        return self._pairs

    def blocks(self) -> Iterator[Pairs]:
        """Yield all pairs in blocks; a stream has only labels and probabilities."""
        return iter([self.pairs()]) if self.stream is None else self.stream.blocks()

    def other_columns(self, names: Sequence[str]) -> Rows:
        """Return the used rows; their method `at` reads these columns, which were opened as `later`, for some rows."""
        from howsure.data.predictions.rows import values_at

        selection, positions = self.selection, dict[int, int]()

        def at(some: Sequence[int]) -> dict[str, list[Any]]:
            positions.update(selection.used_positions(some))
            return values_at(selection.table, names, [positions[row] for row in some])

        return Rows({}, self.describe(), at=at, location=lambda row: selection.table.location(positions[row]))

    def features(self, names: Sequence[str]) -> dict[str, Any]:
        """Return further columns of the same rows, from `feature_columns`."""
        from howsure.data.predictions.rows import feature_columns

        return feature_columns(self.selection, names, self.notes.get("missing_values") or ())

    def close(self) -> None:
        """Remove temporary files; data in memory remain."""
        self.selection.table.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _pairs(self) -> Pairs:
        return replace(self.load(), notes=item_notes(self.notes))

    @cached_property
    def _rows_by_group(self) -> dict[str, Integers]:
        groups = self.pairs().groups
        codes = np.zeros(0, np.int64) if groups is None else groups
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, len(self.group_names)))
        return dict(zip(self.group_names, np.split(order, starts), strict=True))

    @cached_property
    def _stored_groups(self) -> StoredGroups:
        assert self.stream is not None
        return StoredGroups(self.stream, self.group_sizes)
