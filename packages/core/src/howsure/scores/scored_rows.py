"""Read rows with scores from arrays, frames, files, or evaluation logs, whose columns are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure.data.logs.scores import FILE, NO_SCORE_COLUMN, SCORES, SEPARATE, columns_of_log, scores_of_log
from howsure.data.sources import Files
from howsure.errors import LIST_COLUMNS, InputError, parameter, quote, renumbered_rows
from howsure.inputs.arguments import check_distinct
from howsure.inputs.checks import (
    Coded,
    as_column,
    check_clusters,
    check_codes,
    check_group_count,
    is_missing,
    with_none,
)
from howsure.inputs.frames import (
    AS_READ,
    DOCUMENT,
    EXCEPTION,
    MODEL,
    RUN,
    TASK,
    Kind,
    Rows,
    Source,
    columns_from,
    frame_columns,
    not_a_column_name,
)
from howsure.inputs.long_form import (
    advising_pos_label,
    as_scores,
    item_twice,
    joined_key,
    partial_scores,
    positive_scores,
)
from howsure.inputs.measures import Measure
from howsure.inputs.numbers_and_names import (
    counted,
    is_number,
    notes_on_numbers,
    number_or_text,
    parse_number,
    percentages,
    shortened,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.repeated_items import frame_clusters, note_on_models_of_frame
from howsure.scores.class_errors import ClassErrors
from howsure.significance.checked_systems import unequal_rows
from howsure.significance.documents import object_array
from howsure.significance.metrics.metric import Metric
from howsure.worst_rows import LowItem, Worst

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

CODED = ("model", "groups", "id", "run")
KINDS = {"model": "models", "groups": "groups"}  # in notes on names that differ only in spelling
OF_TRIALS = {"error": Kind.OPTIONAL, "cost": Kind.GRADE}  # additional roles for agents' trials
MIN_UNIQUE, MAX_ROWS_OF_ID = 20, 1.5  # of a column that looks like an id: values, and rows of a model for each
MAX_CELLS, SECONDS_PER_CELL = 10_000, 0.015  # number of models or groups, and seconds for each of them


@dataclass(frozen=True, slots=True)
class DocumentScores:
    """Jackknife contributions (n,) of the rows to a metric that is not a mean, and the size (n,) of each row, such as
    its number of words. class_errors: for a macro average over classes, their errors by group and model."""

    metric: Metric
    parts: Floats
    sizes: Floats
    class_errors: dict[tuple[str | None, str | None], ClassErrors] = field(default_factory=dict)

    @classmethod
    def zeros(cls, metric: Metric, n: int) -> DocumentScores:
        """Zeros for n rows, to be filled in."""
        return cls(metric, np.zeros(n), np.zeros(n))


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows with one or more scores. scores: by name, the values (n,), NaN if missing.

    coded: the model, the group, the item and the run of each row, as far as these are known. clusters (n,): codes.
    answers: true values and predictions (n,), for document metrics. bounds: the bounds of the scores that metrics
    yield. measures: for each score of a log, what it measures. document_scores: by the name of the score, document
    metrics that are not means. of_trials: columns (n,) of `OF_TRIALS` by role. other_scores: by the name of a score, a
    mask (n,) of the rows of tasks with another primary score. provenance: description of the input, for the recipe.
    skip: whether rows without a score are left out. named_by_log: whether the log named the scores, so that a task may
    lack some. can_pool_groups: whether groups contain different answers, not the same answers scored in several ways.
    rows: gives rows their file and line in messages.
    """

    scores: Mapping[str, Floats]
    coded: Mapping[str, Coded]
    clusters: Integers | None
    provenance: Mapping[str, Any]
    notes: tuple[str, ...]
    skip: bool = False
    named_by_log: bool = False
    can_pool_groups: bool = True
    rows: Rows | None = None
    answers: tuple[Any, Any] | None = None
    bounds: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    measures: Mapping[str, Measure] = field(default_factory=dict)
    document_scores: Mapping[str, DocumentScores] = field(default_factory=dict)
    other_scores: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    of_trials: Mapping[str, Any] = field(default_factory=dict)

    @property
    def only_score(self) -> str:
        """The name of the score."""
        name, *others = self.scores
        if others:
            raise InputError(f"there are several scores: {shortened(self.scores)}. Choose one: `score={name!r}`.")
        return name

    @property
    def has_groups(self) -> bool:
        """Whether there are several groups."""
        return "groups" in self.coded and len(self.coded["groups"].names) > 1

    def name_at(self, role: str, row: int) -> str | None:
        """The name of a row's model, group, item or run; None without such a column."""
        coded = self.coded.get(role)
        return None if coded is None else coded.names[coded.codes[row]]

    def locating_errors(self) -> AbstractContextManager[None]:
        """Return a context in which errors name a row by its file and line."""
        return nullcontext() if self.rows is None else self.rows.locating_errors()


def read_scored_rows(
    score: Any,
    roles: Mapping[str, Any],
    *,
    data: Any,
    pos_label: object,
    may_miss: bool,
    macro: bool,
    answers: tuple[Any, Any] | None = None,
    worst: Worst | None = None,
) -> ScoredRows:
    """Read rows from arrays, a data frame, or files.

    roles: the columns of the model, the item and so on. may_miss: keep rows without a score. macro: whether a mean of
    groups is requested. answers: y_true and prediction, used instead of a score. worst: the request for the worst
    items.
    """
    compared = {"score": score} if answers is None else dict(zip(("y_true", "prediction"), answers, strict=True))
    check_distinct(compared, {role: roles.get(role) for role in ("model", "id", "run", *OF_TRIALS)})
    composite = {} if data is None else {role: names for role, names in roles.items() if _are_names(names)}
    if isinstance(data, Source):
        roles = {**roles, **{role: ",".join(names) for role, names in composite.items()}}
        how: dict[str, Any] = {"may_miss": may_miss, "macro": macro, "answers": answers, "worst": worst}
        return _read_source(data, score, roles, pos_label=pos_label, **how)
    if answers is None and score is None:
        raise InputError(NO_SCORE_COLUMN)
    notes: list[str] = []
    if roles["clusters"] is None and (roles["id"] is not None or roles["run"] is None):
        cells = [roles["model"], roles["groups"], roles["run"]]
        with_role = [*compared.values(), *roles.values()]
        clusters, item_notes = frame_clusters(data, cells, with_role, id=roles["id"])
        roles, notes = {**roles, "clusters": clusters}, [*item_notes]
    if roles["model"] is None:
        notes += note_on_models_of_frame(data, "model", [*compared.values(), *roles.values()])
    columns = [*compared.values(), *roles.values()]
    if data is not None:
        columns = frame_columns(data, **compared, **{**roles, **dict.fromkeys(composite)})
    may_hide = {*(compared if may_miss else ()), *OF_TRIALS}  # roles in which a value may be missing
    columns = [
        with_none(column) if role in may_hide else column
        for role, column in zip([*compared, *roles], columns, strict=True)
    ]
    roles, both, percent = dict(zip(roles, columns[len(compared) :], strict=True)), None, list[str]()
    for role, names in composite.items():
        parts = columns_from(data, names)
        roles[role] = joined_key(parts, names, n=len(parts[0]))
    if answers is None:
        name = "score" if data is None else score
        column = as_column(columns[0], name=name)
        percent = percentages({name: column}) if pos_label is None else []
        notes = [*notes, *notes_on_numbers([], percent)]
        n, scores = len(column), {name: _score_values(column, pos_label, name, notes, may_miss=may_miss)}
    else:
        both = object_array(columns[0]), object_array(columns[1])
        n, scores = len(both[0]), {"": np.zeros(len(both[0]))}
        if len(both[1]) != n:
            raise unequal_rows("prediction", len(both[1]), n)
    coded = {role: _as_coded(roles[role], n, role) for role in CODED if roles[role] is not None}
    of_trials = {role: as_column(roles[role], name=role) for role in OF_TRIALS if roles.get(role) is not None}
    for role, trial_column in of_trials.items():
        if len(trial_column) != n:
            raise InputError("wrong_length", role, n=len(trial_column), expected=n)
    units = None if roles["clusters"] is None else check_clusters(roles["clusters"], n=n)
    worst_rows = None if worst is None else worst.other_columns(n, data)
    _check_cells(coded, n)
    if "groups" in coded and not macro:
        check_groups_are_not_ids(coded["groups"], coded.get("model"), "groups")
    notes += _spellings_notes(coded)
    provenance = {"n": n} | ({"percentages": percent} if percent else {})
    return ScoredRows(
        scores, coded, units, provenance, tuple(notes), rows=worst_rows, answers=both, of_trials=of_trials
    )


def _are_names(columns: object) -> bool:
    """Whether a parameter names several columns, which together identify an item or a group."""
    return isinstance(columns, (list, tuple)) and bool(columns) and all(isinstance(name, str) for name in columns)


def _read_source(
    source: Source,
    score: Any,
    roles: Mapping[str, Any],
    *,
    pos_label: object,
    may_miss: bool,
    macro: bool,
    answers: tuple[Any, Any] | None,
    worst: Worst | None,
) -> ScoredRows:
    for role, column in {
        "score": score,
        **dict(zip(("y_true", "prediction"), answers or (), strict=False)),
        **roles,
    }.items():
        if column is not None and not isinstance(column, str):
            raise not_a_column_name(role, column)
    by_file = isinstance(source, Files) and source.by_file
    separate_files = isinstance(source, Files) and source.across_files == SEPARATE
    if separate_files and isinstance(source, Files):
        roles = {
            role: f"{FILE},{column}" if column and role in ("id", "clusters") else column
            for role, column in roles.items()
        }
        source = replace(source, by_file=True, across_files="error")
    kinds = {column: OF_TRIALS.get(role, Kind.NAMES) for role, column in roles.items() if column is not None}
    reads_columns = bool(kinds) or score is not None or answers is not None
    is_one_table = reads_columns and isinstance(source, Files) and source.is_one_file
    if roles["model"] is None and isinstance(source, Files) and not is_one_table:
        source, kinds = replace(source, by_file=True), kinds | {FILE: Kind.NAMES}
    parts = [column for column in (roles["model"] or FILE, roles["groups"], roles["run"]) if column in kinds]
    seeks_items = not separate_files and roles["clusters"] is None and (roles["id"] or roles["run"] is None)
    kind = Kind.NAMES if pos_label is not None else Kind.SCORE
    if may_miss:
        kind = Kind.GRADE if pos_label is None else Kind.OPTIONAL
    score_kinds = {} if score is None else {score: kind}
    score_by_task: dict[str, str] = {}
    how: dict[str, Any] = {"roles": roles, "macro": macro, "score_by_task": score_by_task}
    if answers is not None:
        skips = bool(getattr(source, "skip_missing", False))
        score_kinds = {answers[0]: Kind.REQUIRED, answers[1]: Kind.REQUIRED if skips else Kind.OPTIONAL}
    with _advising_missing_score(score), advising_pos_label([] if score is None else [score]):
        table = source.rows(
            kinds | score_kinds,
            clusters=None if separate_files else roles["clusters"] or (roles["id"] if roles["model"] else None),
            run=roles["model"],
            choose=partial(_choose_log_columns, score=next(iter(score_kinds), None), **how),
            chosen_as=lambda role: Kind.GRADE if role.startswith(SCORES) else OF_TRIALS.get(role, Kind.NAMES),
            later=() if worst is None else list(worst.show),
            id=roles["id"],
            cells=parts if seeks_items else None,
            pooled="model" if roles["model"] is None else None,
        )
    columns = {role: column or table.chosen.get(role) for role, column in roles.items()}
    if (
        columns["model"] is None
        and len(table.provenance["files"]) > 1
        and FILE not in (columns["groups"] or "").split(",")
    ):
        columns["model"] = FILE
    names = [column for role, column in table.chosen.items() if role.startswith(SCORES)] if score is None else [score]
    if not names and answers is None:
        raise InputError(f"{NO_SCORE_COLUMN}{LIST_COLUMNS}")
    n, notes, clusters = int(table.provenance["rows"]), list[str](), columns["clusters"]
    with table.locating_errors():
        filled = {name: table.columns[name] for name in names}
        if pos_label is None:
            filled = {name: _spelled_numbers(column) for name, column in filled.items()}
        loose = may_miss or score is None
        held_answers = None if answers is None else (object_array(table[answers[0]]), object_array(table[answers[1]]))
        scores = {"": np.zeros(n)} if answers else {}
        scores |= {name: _score_values(filled[name], pos_label, name, notes, may_miss=loose) for name in names}
        others = _rows_of_other_scores(score_by_task, table.columns[TASK], names) if score_by_task else {}
        scores |= {name: np.where(rows, math.nan, scores[name]) for name, rows in others.items()}
        coded = {role: _as_coded(table.columns[column], n, column) for role in CODED if (column := columns[role])}
        of_trials = {
            role: _spelled_numbers(table.columns[column])
            for role in OF_TRIALS
            if (column := columns.get(role)) is not None
        }
        _check_cells(coded, n, columns)
        if roles["groups"] is not None and not macro:
            check_groups_are_not_ids(coded["groups"], coded.get("model"), roles["groups"])
        notes += _spellings_notes(coded)
        units = None if clusters is None else cluster_codes(table.columns[clusters], n, clusters)
    provenance = dict(table.provenance)
    if columns["model"] != FILE and not by_file:
        provenance.pop("by_file", None)
    provenance |= {"score": names} if answers is None else dict(zip(("target", "prediction"), answers, strict=True))
    provenance |= {**{AS_READ.get(role, role): column for role, column in columns.items() if column}}
    skip = bool(getattr(source, "skip_missing", False))
    named_by_log = score is None and answers is None
    notes += table.notes
    measures = {name: table.measures[name] for name in names if name in table.measures}
    return ScoredRows(
        scores,
        coded,
        units,
        provenance,
        tuple(notes),
        skip,
        named_by_log,
        not (table.chosen and RUN in (columns["groups"] or "").split(",")),
        table,
        held_answers,
        measures=measures,
        other_scores=others,
        of_trials=of_trials,
    )


def _rows_of_other_scores(
    score_by_task: Mapping[str, str], task_column: Any, names: Sequence[str]
) -> dict[str, npt.NDArray[np.bool_]]:
    """For each score by name, a mask of the rows (n,) whose task has another primary score."""
    tasks = _as_coded(task_column, len(getattr(task_column, "codes", task_column)), TASK)
    scores = np.array([score_by_task.get(task) for task in tasks.names], dtype=object)[tasks.codes]
    return {name: scores != name for name in names}


@contextmanager
def _advising_missing_score(score: str | None) -> Iterator[None]:
    """Context that adds advice on `missing_score` to errors about a missing score."""
    try:
        yield
    except InputError as error:
        fault = error.fault
        if fault is None or fault.name != score or fault.rule not in ("missing", "counts_as_missing"):
            raise
        raise InputError(replace(fault, remedy="missing_score")) from error


def _choose_log_columns(
    log: Log, *, score: str | None, roles: Mapping[str, str | None], macro: bool, score_by_task: dict[str, str]
) -> dict[str, str]:
    """Return the columns of a log for roles that the user did not set.

    Each task, prompt and way of scoring is a group, and the rows of a document are a cluster. The score of a task is
    the first score that the program gives, or whether the answer is correct. If tasks differ in their score,
    `score_by_task` receives the score of each task.

    Raises InputError if a group that the user set contains the same answers scored in several ways.
    """
    column_by_role = {}
    if macro:
        log.check_ways([], advice="leave the mean of groups out")
    if roles["model"] is None and log.has(MODEL):
        column_by_role["model"] = MODEL
        log.note_runs_as_models()
    by = [column for column in log.group if column != MODEL and log.has(column)]
    if roles["groups"] is None and by:
        column_by_role["groups"] = ",".join(by)
    elif roles["groups"] is not None:
        named = [*roles["groups"].split(","), *(roles["model"] or "").split(",")]
        with_run = ",".join([roles["groups"], RUN])
        log.check_ways(named, advice=f"tell them apart, `groups={with_run!r}`")
    column_by_role |= columns_of_log(log, item=roles["id"], run=roles["run"])
    if "error" in roles and roles["error"] is None and log.filled_rows.get(EXCEPTION):
        column_by_role["error"] = EXCEPTION
    if roles["clusters"] is None and log.has(DOCUMENT):
        column_by_role["clusters"] = DOCUMENT
    if score is None:
        names = scores_of_log(log, primary=True, of_trials="error" in roles)
        column_by_role |= {f"{SCORES}{name}": name for name in names}
        if len(names) > 1 and log.has(TASK):
            column_by_role[TASK] = TASK
            score_by_task |= {str(task): name for task, name in log.first_scores.items()}
    return column_by_role


def _spelled_numbers(column: Any) -> Any:
    """Return a column of files that may lack values with its texts as numbers, where they spell numbers."""
    if isinstance(column, Coded) or column.dtype.kind != "O":
        return column
    converted = {value: number_or_text(value) for value in set(column.tolist())}
    values = [converted[value] for value in column.tolist()]
    has_texts = any(isinstance(value, str) for value in converted.values())
    return np.array(values, dtype=object if has_texts else np.float64)


def _score_values(column: Any, pos_label: object, name: str, notes: list[str], *, may_miss: bool) -> Floats:
    """Return the scores of a column. Missing scores become NaN if `may_miss`, and are an error otherwise."""
    if isinstance(column, Coded) or not may_miss:
        return positive_scores(column, pos_label, name, notes)
    if column.dtype.kind in "biuf":
        there = ~np.isnan(column)
    else:
        there = np.fromiter((not is_missing(value) for value in column.tolist()), dtype=bool, count=len(column))
    values = np.full(len(column), np.nan)
    if not there.any():
        return values
    if pos_label is not None:
        values[there] = positive_scores(column[there], pos_label, name, notes)
        return values
    if column.dtype.kind not in "biuf":
        listed = column.tolist()
        present = {row: listed[row] for row in np.flatnonzero(there).tolist()}
        spelled = [row for row, text in present.items() if isinstance(text, str) and parse_number(text) is not None]
        if spelled:  # booleans in an array; files have numbers
            with renumbered_rows(lambda _: spelled[0]):
                as_scores([present[spelled[0]]], name)
        with advising_pos_label([name]):
            return partial_scores(present, len(column), pos_label=None, name=name, notes=notes)
    filled = np.where(there, column, 0)  # rows keep their numbers
    values[there] = positive_scores(filled, None, name, notes)[there]
    return values


def _check_cells(coded: Mapping[str, Coded], n: int, columns: Mapping[str, str | None] | None = None) -> None:
    """Raise InputError if there are too many models or groups to evaluate in reasonable time."""
    for role in ("groups", "model"):
        if (coded_column := coded.get(role)) is not None:
            name = role if columns is None else columns[role] or role
            check_group_count(len(coded_column.names), n, name=name, most=MAX_CELLS, seconds=SECONDS_PER_CELL)


def check_groups_are_not_ids(groups: Coded, models: Coded | None, name: str) -> None:
    """Raise InputError for a named column of groups in which nearly every row of a model has a value of its own.

    >>> check_groups_are_not_ids(Coded(np.arange(58), tuple(f"q{i}" for i in range(58))), None, "uid")
    Traceback (most recent call last):
    howsure.errors.InputError: uid has 58 different values in 58 rows, so it looks like an id, not like groups. Give ...
    """
    n, different = len(groups.codes), len(groups.names)
    cells = different if models is None else len(np.unique(models.codes * different + groups.codes))
    if different < MIN_UNIQUE or n >= MAX_ROWS_OF_ID * cells:
        return
    raise InputError(
        f"{name} has {different:,} different values in {counted(n, 'row')}, so it looks like an id, not like groups. "
        f"Give a column with fewer values as {parameter('groups')}."
    )


def _spellings_notes(coded: Mapping[str, Coded]) -> list[str]:
    """Notes on models and groups whose names differ only in spelling."""
    return [note for role, kind in KINDS.items() if role in coded for note in coded[role].spellings_note(kind)]


def _as_coded(column: Any, n: int, name: str) -> Coded:
    return column if isinstance(column, Coded) else Coded(*check_codes(column, n=n, name=name))


def cluster_codes(column: Any, n: int, name: str) -> Integers:
    """Clusters as integer codes (n,)."""
    return column.codes.astype(np.int64) if isinstance(column, Coded) else check_clusters(column, n=n, name=name)


def clusters_of_items(rows: ScoredRows, positions: Integers, first: Integers, place: Integers) -> Integers | None:
    """Return the cluster of each item of some rows; None without clusters.

    first: for each item, the index in `positions` of its first row. place: for each position, the index of its item.
    Raises InputError if the runs of an item have different clusters.
    """
    if rows.clusters is None:
        return None
    units = rows.clusters[positions]
    differs = units != units[first][place]
    if differs.any():
        raise InputError(
            "`clusters=...` must be the same in all runs of an item; it differs in `row "
            f"{positions[differs.argmax()]}`. Are the ids right?"
        )
    return np.asarray(units[first])


def check_distinct_runs(rows: ScoredRows, positions: Integers, place: Integers) -> None:
    """Raise InputError for two rows of the same item and run."""
    runs, ids = rows.coded.get("run"), rows.coded["id"]
    key = place if runs is None else place.astype(np.int64) * len(runs.names) + runs.codes[positions]
    distinct_keys, times = np.unique(key, return_counts=True)
    if len(distinct_keys) == len(key):
        return
    repeated_key = int(distinct_keys[times.argmax()])
    a, b = np.flatnonzero(key == repeated_key)[:2]
    of = "" if runs is None else f" of run {runs.names[runs.codes[positions[a]]]!r}"
    item, (row_a, row_b) = f"{ids.names[ids.codes[positions[a]]]!r}{of}", (int(positions[a]), int(positions[b]))
    raise item_twice(row_a, row_b, item, each="model and run", has_runs=runs is None)


def cell_codes(rows: ScoredRows) -> Integers:
    """Return one code per row for its group and model, ordered by group."""
    codes: Integers = np.zeros(len(next(iter(rows.scores.values()))), dtype=np.int64)
    for role in ("groups", "model"):
        if (coded_column := rows.coded.get(role)) is not None:
            codes = codes * len(coded_column.names) + coded_column.codes
    return codes


def check_missing_score(missing_score: object, data: object) -> None:
    """Raise InputError if `missing_score` is not a finite number, or if rows with missing scores are also to be
    skipped.
    """
    if missing_score is None:
        return
    if not (is_number(missing_score) and math.isfinite(missing_score)):
        raise InputError(f"`missing_score` must be a finite number; it is {quote(missing_score)}.")
    if getattr(data, "skip_missing", False):
        either = "`missing_score` or `skip_missing`"
        raise InputError(f"missing scores can be counted as a score or be left out. Give {either}, not both.")


def iterate_cells(rows: ScoredRows, kept: npt.NDArray[np.bool_]) -> Iterator[tuple[str | None, str | None, Integers]]:
    """Yield the group, the model and the row positions of each model in each group."""
    order: Integers = np.flatnonzero(kept)
    if "groups" not in rows.coded and "model" not in rows.coded:
        yield None, None, order
        return
    codes = cell_codes(rows)[order]
    codes = codes.astype(np.min_scalar_type(int(codes.max())))  # the sort of short integers is faster
    by_cell = np.argsort(codes, kind="stable")
    order, codes = order[by_cell], codes[by_cell]
    firsts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))
    for positions in np.split(order, firsts[1:]):
        group, model = (
            None if (coded := rows.coded.get(role)) is None else coded.names[coded.codes[positions[0]]]
            for role in ("groups", "model")
        )
        yield group, model, positions


def lowest_items(
    rows: ScoredRows, name: str, values: Floats, worst: Worst, *, best: float | None, lower_is_better: bool
) -> tuple[list[LowItem], int]:
    """Return the items with the lowest mean over all models and runs of a group, and the number of further items that
    tie with the last of these. Tied items keep the order of the rows. Without ids, each row is an item. Items with the
    mean `best`, the best possible score, are left out.
    """
    key: Integers = np.arange(len(values))
    if (items := rows.coded.get("id")) is not None:
        key = items.codes.astype(np.int64)
        if (groups := rows.coded.get("groups")) is not None:
            key = key * len(groups.names) + groups.codes
    there = np.flatnonzero(~np.isnan(values))
    _, first, item, n = np.unique(key[there], return_index=True, return_inverse=True, return_counts=True)
    sign = -1.0 if lower_is_better else 1.0
    means = np.bincount(item, values[there]) / n
    order = np.lexsort((first, sign * means))
    chosen = order if best is None else order[means[order] != best]
    beyond = chosen[worst.n :]
    n_tied = int(np.count_nonzero(means[beyond] == means[chosen[worst.n - 1]])) if len(beyond) else 0
    rows_by_item = [there[item == code] for code in chosen[: worst.n]]
    lowest_rows = np.array([some[(sign * values[some]).argmin()] for some in rows_by_item], dtype=np.int64)
    assert rows.rows is not None
    shown_columns = worst.read_at(rows.rows, lowest_rows)
    lowest = [
        LowItem(
            score=name,
            group=rows.name_at("groups", lowest_row),
            item=rows.name_at("id", lowest_row),
            mean=float(means[code]),
            n=int(n[code]),
            file=rows.rows.location(lowest_row)[0],
            row=rows.rows.location(lowest_row)[1],
            model=rows.name_at("model", lowest_row),
            shown={column: shown_columns[column][i] for column in worst.show},
        )
        for i, (code, lowest_row) in enumerate(zip(chosen, lowest_rows.tolist(), strict=False))
    ]
    return lowest, n_tied
