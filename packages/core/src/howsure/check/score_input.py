"""Read the scores that a check is about: from arrays, a frame, files or logs, and those of another model."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.logs.scores import FILE, NO_SCORE_COLUMN, primary_score_of_log
from howsure.data.sources import Files
from howsure.errors import LIST_COLUMNS, InputError, parameter
from howsure.inputs.arguments import check_distinct
from howsure.inputs.checks import Coded, as_column, check_clusters, check_codes, check_finite, not_a_number
from howsure.inputs.frames import (
    DOCUMENT,
    ITEM,
    ITEM_HASH,
    RUN,
    TASK,
    Kind,
    Rows,
    Source,
    frame_columns,
    not_a_column_name,
)
from howsure.inputs.long_form import advising_pos_label, positive_scores
from howsure.inputs.matching import paired_by_documents, shared_rows
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import (
    check_scales,
    check_within,
    counted,
    notes_on_numbers,
    percentages,
    proportions,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.repeated_items import find_repeats, frame_clusters, note_on_models_of_frame
from howsure.notes import marked_note
from howsure.scores.scored_rows import check_groups_are_not_ids
from howsure.stats.mean_score import Bounds

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

KIND = "score"

Part = tuple[str | None, Integers]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of items, as read.

    values (n,): the scores. units: the clusters of the items. parts: the rows of each group. read: the input, for the
    recipe. theirs (m,): the scores of another model on the shared items; rows (m,): the indices of these items.
    lower_is_better, bounds: as defined by a log. item_column: the column whose repeated items became the clusters,
    because no clusters were named.
    """

    values: Floats
    units: Integers | None
    parts: list[Part]
    provenance: dict[str, Any]
    theirs: Floats | None = None
    rows: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: tuple[str, ...] = ()
    lower_is_better: bool = False
    item_column: str | None = None
    bounds: Bounds | None = None


def read_rows(
    data: Any, score: Any, other: Any, ends: Bounds | None, roles: dict[str, Any], role: str, pos_label: Hashable
) -> Scores:
    """Read the scores in arrays or in a frame, and another model's scores of the same rows."""
    groups, clusters, id = roles.values()
    check_distinct({"score": score, role: other})
    if id is not None:
        raise InputError(
            "`id=...` is only for files, because rows of arrays and frames are matched by position. Leave it out."
        )
    notes: tuple[str, ...] = ()
    item_column: str | None = None
    if clusters is None:
        item_column, notes = frame_clusters(data, [groups], [score, other, groups])
        clusters = item_column
    notes += note_on_models_of_frame(data, "groups", [score, other, groups])
    if data is not None:
        score, other, groups, clusters = frame_columns(data, score=score, other=other, groups=groups, clusters=clusters)
    of_labels = list[str]()
    percent = percentages({} if pos_label is not None else {"score": score, role: other})
    with advising_pos_label(["score"]):
        values = within(check_scores(score, name="score", pos_label=pos_label, notes=of_labels), ends, "score")
    n = len(values)
    codes, names = (None, ()) if groups is None else check_codes(groups, n=n, name="groups", groups=True)
    if codes is not None:
        check_groups_are_not_ids(Coded(codes, names), None, "groups")
    units = None if clusters is None else check_clusters(clusters, n=n)
    theirs = None
    if other is not None:
        with advising_pos_label([role]):
            theirs = within(check_scores(other, name=role, n=n, pos_label=pos_label, notes=of_labels), ends, role)
    check_scales({"score": values} | ({} if theirs is None else {role: theirs}), percent, ends)
    provenance = {"n": n, "clustered": units is not None}
    return Scores(
        values,
        units,
        list(group_parts(n, codes, names)),
        provenance,
        theirs,
        np.arange(n),
        (*notes, *of_labels, *notes_on_numbers([], percent), *_spellings(codes, names)),
        item_column=item_column,
    )


def read_source(
    source: Source, score: Any, other: Any, ends: Bounds | None, roles: dict[str, Any], pos_label: Hashable
) -> Scores:
    """Read the scores in files, and another model's scores: a column of the same files, or other files."""
    for role, column in {"score": score, **roles}.items():
        if column is not None and not isinstance(column, str):
            raise not_a_column_name(role, column)
    if score is not None and other == score:
        raise InputError(f"{other} is this model's own column; name another model's column.")
    other_source = other if isinstance(other, Source) else None
    scores = [column for column in (score, other if other_source is None else None) if column is not None]
    kinds = dict.fromkeys((column for column in roles.values() if column is not None), Kind.VALUES)
    notes = list[str]()
    choose = partial(_columns_of_log, roles, score=score, matched=other_source is not None, notes=notes)
    cells = None if roles["clusters"] else [roles["groups"]] if roles["groups"] else []
    kind = Kind.SCORE if pos_label is None else Kind.NAMES
    kinds |= dict.fromkeys(scores, kind) if scores else {FILE: Kind.NAMES}
    named_source = source if scores or not isinstance(source, Files) else replace(source, by_file=True)
    with advising_pos_label(scores):
        table = named_source.rows(
            kinds,
            clusters=roles["clusters"],
            choose=choose,
            chosen_as=lambda role: kind if role == KIND else Kind.NAMES,
            id=roles["id"],
            cells=cells,
            pooled="groups",
        )
    score = score or table.chosen.get(KIND)
    if score is None:
        raise InputError(f"{NO_SCORE_COLUMN}{LIST_COLUMNS}")
    groups, clusters, id = (column or table.chosen.get(role) for role, column in roles.items())
    with table.locating_errors():
        numbers = {name: _numbers(table, name, pos_label, notes) for name in dict.fromkeys([score, *scores])}
    values = numbers[score]
    n = len(values)
    codes, names = (None, ()) if groups is None else check_codes(_names(table, groups), n=n, name=groups, groups=True)
    is_independent = getattr(source, "independent_rows", False)
    if clusters is None and other_source is None and roles["id"] is not None and not is_independent:
        repeated = find_repeats(roles["id"], _names(table, roles["id"]), [] if codes is None else [codes])
        if repeated is not None:
            clusters = repeated.column
            notes.append(
                marked_note(f"{clusters} repeats ({repeated.counts}), so rows of equal {clusters} are one cluster")
            )
    units = None if clusters is None else check_clusters(_names(table, clusters), n=n, name=clusters)
    if roles["groups"] is not None and codes is not None:
        check_groups_are_not_ids(Coded(codes, names), None, roles["groups"])
    with table.locating_errors():
        check_scales(numbers, table.provenance.get("percentages", ()), ends)
        for score_column, column in numbers.items():
            _check_scores(column, ends, score_column)
    rows, match_notes = np.arange(n), list[str]()
    theirs = None if other is None or other_source is not None else numbers[other]
    if other_source is not None:
        kinds = ({} if id is None else {id: Kind.VALUES}) | {score: kind}
        other_table = other_source.rows(kinds, choose=_document_column)
        with other_table.locating_errors():
            their_numbers = _numbers(other_table, score, pos_label, notes)
            _check_scores(their_numbers, ends, score)
        rows, theirs, match_notes = _matched(
            table, other_table, values, their_numbers, id, skip=bool(getattr(source, "skip_missing", False))
        )
    provenance = {name: value for name, value in table.provenance.items() if scores or name != "by_file"}
    recipe = {**provenance, "score": score, "group": groups, "cluster": clusters, "id": id}
    measure = table.measures.get(score, Measure())
    bounds = measure.known_bounds(values, *([] if theirs is None else [theirs]))
    told_of_rows = (*table.notes, *notes, *match_notes, *_spellings(codes, names))
    item_column = clusters if roles["clusters"] is None else None
    parts = list(group_parts(n, codes, names))
    lower = measure.lower_is_better is True
    return Scores(values, units, parts, recipe, theirs, rows, told_of_rows, lower, item_column, bounds)


def _columns_of_log(
    roles: Mapping[str, str | None], log: Log, *, score: str | None, matched: bool, notes: list[str]
) -> dict[str, str]:
    """Return the columns of a log for the roles that the user did not name.

    The score is the primary score of the log. Each model and prompt is a group over all its tasks; a note is added to
    `notes`. Rows of one document, or of an item with several rows, form a cluster. matched: rows are matched with those
    of another log by their item.
    """
    named = roles["groups"]
    parts = [column for column in log.group if column != TASK] if named is None else named.split(",")
    if named is None and TASK in log.group:
        each = parameter("groups", ",".join(log.group))
        tasks = counted(len(log.values[TASK]), "task")
        notes.append(marked_note(f"{tasks} are judged together; to judge each, {each}"))
    log.check_ways(parts, advice=f"tell them apart, {parameter('groups', ','.join([*parts, RUN]))}")
    repeated = log.repeats_items(parts)
    column_by_role = {"groups": ",".join(parts)} if named is None and parts else {}
    if score is None:
        column_by_role[KIND] = primary_score_of_log(log)
    if roles["clusters"] is None and log.has(DOCUMENT):
        column_by_role["clusters"] = DOCUMENT
    elif roles["clusters"] is None and repeated and log.has(ITEM):
        column_by_role["clusters"] = ",".join(
            [*([TASK] if log.varies(TASK) and TASK not in parts else []), log.item_column]
        )
    if roles["id"] is None and matched and not repeated and log.has(ITEM):
        column_by_role["id"] = ",".join([*(name for name in log.group if name != "model"), ITEM])
        column_by_role |= _document_column(log)
    return column_by_role


def _document_column(log: Log) -> dict[str, str]:
    """Return the column of a log that identifies each item's document, if there is one."""
    return {ITEM_HASH: ITEM_HASH} if log.has(ITEM_HASH) else {}


def _names(rows: Rows, column: str) -> Any:
    """Return a column of names; columns that were chosen from a log are coded."""
    values = rows.columns[column]
    return np.asarray(values.names, dtype=object)[values.codes] if isinstance(values, Coded) else values


def _matched(
    rows: Rows, other_rows: Rows, scores: Floats, other_scores: Floats, id: str | None, *, skip: bool
) -> tuple[Integers, Floats, list[str]]:
    """Return the rows that the other model has too, its scores of these rows, and notes."""
    names = ", ".join(rows.provenance["files"]), ", ".join(other_rows.provenance["files"])
    ours, theirs = len(scores), len(other_scores)
    if id is None:
        if ours != theirs or rows.provenance["skipped"] or other_rows.provenance["skipped"]:
            raise InputError(
                f"both models must be evaluated on the same rows; {names[0]} has {ours:,}, {names[1]} has {theirs:,}. "
                "Match them by `id='COL'`."
            )
        return np.arange(ours), other_scores, []
    keys = [np.asarray(_names(table, id)).astype(np.str_) for table in (rows, other_rows)]
    shared = shared_rows(*keys, names=names, id=id)
    if ITEM_HASH in rows.chosen and ITEM_HASH in other_rows.chosen:
        shared = paired_by_documents(shared, _names(rows, ITEM_HASH), _names(other_rows, ITEM_HASH), ids=keys[0])
    shared.check_all(skip_missing=skip)
    return shared.a, other_scores[shared.b], shared.notes_on_rows


def _numbers(rows: Rows, name: str, pos_label: Hashable, notes: list[str]) -> Floats:
    """Return the scores in a column of files: its numbers, or 1 for `pos_label` and 0 for every other value."""
    column: Any = rows.columns[name]
    return column if pos_label is None else positive_scores(column, pos_label, name, notes)


def _check_scores(values: Floats, ends: Bounds | None, name: str) -> None:
    """Check scores of files in the same way as scores of arrays."""
    check_finite(values, name=name)
    within(values, ends, name)


def within(values: Floats, ends: Bounds | None, name: str) -> Floats:
    """Check that scores are within their bounds, and return them."""
    if ends is not None:
        check_within(values, ends, name=name)
    return values


def _spellings(codes: Integers | None, names: tuple[str, ...]) -> list[str]:
    """Return a note on groups whose names differ only in spelling; [] if there are none."""
    return [] if codes is None else Coded(codes, names).spellings_note("groups")


def group_parts(n: int, codes: Integers | None, names: tuple[str, ...]) -> Iterator[Part]:
    """Yield the rows of each group with its name, or all rows with None."""
    if codes is None:
        yield None, np.arange(n)
    else:
        for code, name in enumerate(names):
            yield name, np.flatnonzero(codes == code)


def check_scores(
    values: Any, *, name: str, n: int | None = None, pos_label: Hashable = None, notes: list[str] | None = None
) -> Floats:
    """Check scores and return them as finite numbers; True is 1, False is 0.

    pos_label: the value that counts as 1; every other value is 0.
    """
    column = as_column(values, name=name)
    if pos_label is None and (shares := proportions(column)) is not None:
        column = shares
    if n is not None and len(column) != n:
        raise InputError(
            f"{name} must have as many rows as the other columns; it has {len(column):,}, the others have {n:,}."
        )
    if pos_label is not None:
        return positive_scores(column, pos_label, name, [] if notes is None else notes)
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        row = next(row for row, value in enumerate(column.tolist()) if not _is_number(value))
        raise not_a_number(name, column[row : row + 1].tolist()[0], row=row) from None
    check_finite(numbers, name=name)
    return np.asarray(numbers)


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
