"""What `compare` is given: arrays, scores by model, columns of a table, or rows of one model and item each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure.data.sources import Files
from howsure.errors import GIVEN, LOOK, InputError, at_row, parameter, shown
from howsure.inputs.checks import Coded, check_codes, first_missing, is_missing
from howsure.inputs.frames import ITEM, MODEL, PROMPT, RUN, TASK, Kind, Rows, all_columns, columns_from, is_frame
from howsure.inputs.numbers_and_names import counted, short_names, shortened, spelled_number, unknown_name
from howsure.inputs.pairs import Floats
from howsure.significance.documents import objects_of, systems_of
from howsure.significance.metrics.metric import DOCUMENT
from howsure.significance.reading import Systems
from howsure.significance.rows_by_model import LongForm, as_scores, joined_key, long_form, score_systems
from howsure.significance.systems import Runs, rows_of

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log

SCORE = "score"  # the metric of columns that hold scores
AGAINST = "baseline"  # what a model is called that is given without a name
FILE, SEPARATE = "file", "separate"  # the column that names a file; items of several files that are different ones


@dataclass(frozen=True, slots=True)
class ToCompare:
    """The systems by the name of their score, or those of predictions under ""; what to note; and what was read.

    against: the model that the others are compared with, None for all pairs. by_order: the items of the runs were
    matched by their order. rows: the columns of the table.
    """

    systems: Mapping[str, Systems]
    of_scores: bool
    against: str | None
    notes: tuple[str, ...] = ()
    by_order: bool = False
    rows: Rows = field(default_factory=lambda: Rows({}))


def of_arrays(y_true: Any, against: Any, model: Any, *, tasks: set[str], id: Any, run: Any, **beside: Any) -> ToCompare:
    """Targets, and the predictions of a model and of others; each may say its name, {name: predictions}.

    Raises InputError naming the parameter, the rule, the value and the row.
    """
    others = dict(against) if isinstance(against, Mapping) else {AGAINST: against}
    models = dict(model) if isinstance(model, Mapping) else {MODEL: model}
    if len(others) != 1:
        raise InputError(f"{parameter('against')} must be one model; it names {list(others)}.")
    (name,) = others
    if not models or name in models:
        raise InputError(
            f"{parameter('model')} must name one model or more, and none {name!r}; it names {list(models)}."
        )
    if id is not None and isinstance(y_true, Sized) and (not isinstance(id, Sized) or len(id) != len(y_true)):
        raise InputError(
            f"{parameter('id')} must name every row of {parameter('y_true')}, of which there are {len(y_true):,}."
        )
    systems = systems_of(y_true, {**others, **models}, tasks=tasks, id=id, run=run, **beside)
    return ToCompare({"": systems}, False, name, by_order=run is not None and id is None)


def of_scores(score: Any, against: str | None, *, clusters: Any, strata: Any) -> ToCompare:
    """Scores by model, a column each: a mapping, or a data frame.

    Raises InputError for fewer than two models, unequal lengths, or what is no finite number.
    """
    if is_frame(score) and not isinstance(score, Files):
        score = dict(zip(*all_columns(score), strict=True))
    if not isinstance(score, Mapping) or len(score) < 2:
        raise InputError(
            f"{parameter('score')} must hold the scores of two models or more: {{'base': [...], 'large': [...]}}."
        )
    held: dict[str, Floats] = {}
    for name, given in score.items():
        runs = given if isinstance(given, Runs) else Runs([given])
        parts = [as_scores(one, f"{name}, run {k}" if len(runs) > 1 else str(name)) for k, one in enumerate(runs)]
        for part in parts:
            if len(part) != len(parts[0]):
                raise InputError(
                    f"every run of {name} must have the same items; they have {len(parts[0]):,} and {len(part):,}."
                )
        held[str(name)] = np.stack(parts)
    lengths = {name: array.shape[1] for name, array in held.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise InputError(f"all models must have a score for each item; {said}. Align them by their ids first.")
    return ToCompare({SCORE: score_systems(held, clusters, strata)}, True, against)


# Columns of a table: a frame, a mapping of columns, or files.


def _columns(data: Any, kinds: Mapping[str, Kind], **how: Any) -> Rows:
    """The columns of these names; a column of a mapping may be `Coded`.

    Raises InputError for a column that is not there, or of another length than the others.
    """
    if isinstance(data, Files):
        found = data.rows(kinds, **how)
        return replace(found, columns=dict(found.columns))
    if isinstance(data, Mapping):
        for name in kinds:
            if name not in data:
                raise unknown_name("column", name, list(map(str, data)), place="data")
        columns = {name: data[name] for name in kinds}
    elif is_frame(data):
        columns = dict(zip(kinds, columns_from(data, list(kinds)), strict=True))
    else:
        raise InputError(f"{parameter('data')} must be a data frame or columns by name, not {type(data).__name__}.")
    held = {name: _as_read(one, name, kinds[name]) for name, one in columns.items()}
    lengths = {name: len(one) for name, one in held.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"the columns of data must have the same length; they have {lengths}.")
    return Rows(held)


def _as_read(column: Any, name: str, kind: Kind) -> Any:
    if isinstance(column, Coded):
        return column
    return objects_of(column) if kind is Kind.OPTIONAL else rows_of(column, name)


def _kind(tasks: set[str], kind: Kind) -> Kind:
    """As what a column is read for metrics of these tasks: what documents hold as it stands, nothing too."""
    return Kind.OPTIONAL if DOCUMENT in tasks else Kind.NUMBER if "probabilistic" in tasks else kind


def _listed(given: Any, role: str) -> list[str]:
    """The columns that a parameter names."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, str) for one in given):
        return list(given)
    raise InputError(f"with {parameter('data', GIVEN)}, {parameter(role)} must name a column, not be {shown(given)}.")


def _one(given: Any, role: str) -> str:
    listed = _listed(given, role)
    if len(listed) != 1:
        raise InputError(f"{parameter(role)} must name one column; it names {shortened(listed) or 'none'}.")
    return listed[0]


def _as_numbers(columns: dict[str, Any], names: Sequence[str]) -> None:
    """Text that spells numbers in all columns of labels is numbers: 1 and 1.0 are one class."""
    texts = [name for name in names if np.asarray(columns[name]).dtype.kind in "OU"]
    numbers = {name: [spelled_number(str(text)) for text in columns[name].tolist()] for name in texts}
    if all(None not in column for column in numbers.values()):
        columns.update({name: np.array(column, dtype=np.float64) for name, column in numbers.items()})


def _classes(found: Rows, names: Sequence[str]) -> list[str] | None:
    """The classes that mappings name, of systems whose targets, the first of the columns, are labels.

    Raises InputError where columns name different ones, or some are lists, whose order nobody knows.
    """
    keys = {name: found.keys[name] for name in names if name in found.keys}
    if not keys:
        return None
    first, classes = next(iter(keys.items()))
    for name in names:
        is_list = name not in keys and found[name].ndim == 2
        held = [str(place) for place in range(found[name].shape[1])] if is_list else keys.get(name, classes)
        if held != classes:
            what = "lists without names" if is_list else shortened(map(repr, held))
            raise InputError(
                f"all columns must name the same classes; {first} has {shortened(map(repr, classes))}, {name} has "
                f"{what}."
            )
    return None if names[0] in keys else classes


# A column for each model.


def of_columns(
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
    clusters: Any,
    strata: Any,
) -> ToCompare:
    """Columns of predictions and of what is true, or of scores, one for each model.

    Raises InputError naming the parameter, or the column, the row and the value.
    """
    models = _listed(model, "model")
    if against is None or not models:
        lacking = "against" if against is None else "model"
        raise InputError(
            f"{parameter(lacking)} must name a column of predictions. In a table or log with one row per model and "
            f"item, name the {parameter('score')}, or {parameter('y_true')} and {parameter('prediction')}, and by "
            f"{parameter('model')} the model's column.{LOOK if isinstance(data, Files) else ''}"
        )
    other = _one(against, "against")
    if other in models:
        raise InputError(f"{parameter('against')} and {parameter('model')} must differ; both name {other}.")
    twice = [name for name in models if models.count(name) > 1]
    if twice:
        raise InputError(f"{parameter('model')} {twice[0]} is named twice.")
    roles = {"id": id, "run": run, "clusters": clusters, "strata": strata}
    names = {role: _one(given, role) for role, given in roles.items() if given is not None}
    systems = [other, *models]
    if of_score:
        for role, given in {"y_true": y_true, "run": run, "id": id}.items():
            if given is not None:
                raise InputError(
                    f"{parameter(role)} cannot be given with a column of scores for each model; several runs need a "
                    f"table by model, {parameter('model')} and {parameter('score')}."
                )
        kinds = dict.fromkeys(names.values(), Kind.VALUES) | dict.fromkeys(systems, Kind.SCORE)
        found = _columns(data, kinds, clusters=names.get("clusters"))
        held = {role: found[name] for role, name in names.items()}
        with found.placed():
            scores = {name: found[name] for name in systems}
            made = of_scores(scores, other, clusters=held.get("clusters"), strata=held.get("strata"))
        return replace(made, rows=found)
    if y_true is None:
        raise InputError(
            f"{parameter('y_true')} must name the column of true labels; columns of scores need none, but "
            f"{parameter('metrics', 'score')}."
        )
    truth, of_documents = _one(y_true, "y_true"), DOCUMENT in tasks
    columns = [truth, *systems]
    kinds = dict.fromkeys([*columns, *names.values()], Kind.VALUES)
    kinds |= dict.fromkeys(systems, _kind(tasks, Kind.VALUES)) | ({truth: Kind.OPTIONAL} if of_documents else {})
    found = _columns(data, kinds, clusters=names.get("clusters"), run=names.get("run"))
    held = dict(found.columns)
    if isinstance(data, Files) and not of_documents:
        _as_numbers(held, columns)
    if "run" in names:  # items are counted, not rows
        found = replace(found, place=at_row)
    with found.placed():
        made = of_arrays(
            held[truth],
            {other: held[other]},
            {name: held[name] for name in models},
            tasks=tasks,
            classes=classes if classes is not None else _classes(found, columns),
            **roles | {role: held[name] for role, name in names.items()},
        )
    return replace(made, rows=found)


# One row per model, item and run.


def of_rows(
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
    clusters: Any,
    strata: Any,
    targets: Any,
    skip_missing: bool,
    classes: Any,
    tasks: set[str],
) -> ToCompare:
    """A table with one row per model, item and run; the arguments name its columns. `targets`: one with a row per item.

    Raises InputError naming the parameter, the rule, the value and the row.
    """
    if score is not None and (y_true is not None or prediction is not None):
        raise InputError(
            f"{parameter('score')} is compared as it stands; leave out {parameter('y_true')} and "
            f"{parameter('prediction')}, or {parameter('score')}."
        )
    if score is None and (y_true is None or prediction is None):
        lacking, other = ("y_true", "prediction") if y_true is None else ("prediction", "y_true")
        raise InputError(
            f"{parameter(lacking)} must name a column, beside {parameter(other)}; or name a score: "
            f"{parameter('score', GIVEN)}"
        )
    given = {"model": model, "id": id, "run": run, "y_true": y_true, "prediction": prediction, "score": score}
    names = {role: _listed(one, role) for role, one in (given | {"clusters": clusters, "strata": strata}).items()}
    for role in ("y_true", "prediction"):
        if len(names[role]) > 1:
            raise InputError(f"{parameter(role)} must name one column; it names {shortened(names[role])}.")
    if len(set(names["score"])) < len(names["score"]):
        raise InputError(f"{parameter('score')} must name different columns; it names {shortened(names['score'])}.")
    if isinstance(data, Files):
        skip_missing = skip_missing or data.skip_missing
        found = _of_files(data, names, pos_label=pos_label, tasks=tasks, with_targets=targets is not None)
        if names["model"] == [FILE] and found.read.get("by_file"):
            paths = found[FILE].names
            named = dict(zip(paths, short_names(paths), strict=True))
            found = replace(found, columns={**found.columns, FILE: replace(found[FILE], names=tuple(named.values()))})
            against = against if against is None else named.get(against, against)
    else:
        for role in ("model", "id"):
            if not names[role]:
                raise _unnamed(role)
        asked = [
            name for role, listed in names.items() for name in listed if not (role == "y_true" and targets is not None)
        ]
        answers = {*names["y_true"], *names["prediction"]} if DOCUMENT in tasks else set[str]()
        found = _columns(data, {one: Kind.OPTIONAL if one in answers else Kind.VALUES for one in asked})
    with found.placed():
        columns = dict(found.columns)
        notes = [] if targets is None else _with_targets(columns, names, targets, skip_missing=skip_missing)
        if prediction is not None and isinstance(data, Files) and DOCUMENT not in tasks:
            labels = [names["y_true"][0], names["prediction"][0]]
            _as_numbers(columns, labels)
            classes = _classes(found, labels) if classes is None and targets is None else classes
        columns, left = _without_missing(columns) if skip_missing else (columns, {})
        n = len(next(iter(columns.values())))
        if n == 0:
            raise InputError(f"every row has a missing value ({_counts(left)}); nothing is left.")

        def key(role: str) -> Any:
            parts = [columns[name] for name in names[role]]
            return None if not parts else parts[0] if len(parts) == 1 else joined_key(parts, names[role], n=n)

        held = long_form(key("model"), key("id"), key("run"), n=n, skip_missing=skip_missing)
        grouping = {role: _grouping(held, key(role), role) for role in ("clusters", "strata")}
        notes += (
            [f"{counted(sum(left.values()), 'row')} with missing values left out ({_counts(left)})."] if left else []
        )
        notes += [held.left_out] if held.left_out else []
        systems: dict[str, Systems] = {}
        for name in names["score"]:
            values = positive_scores(columns[name], pos_label, name, notes)
            systems[name] = score_systems({one: values[rows] for one, rows in held.rows.items()}, **grouping)
        if prediction is not None:
            kind = _kind(tasks, Kind.VALUES)
            true, predicted = (_as_read(columns[names[one][0]], one, kind) for one in ("y_true", "prediction"))
            systems[""] = systems_of(
                held.per_item(true, "y_true"),
                {one: Runs([predicted[rows] for rows in runs]) for one, runs in held.rows.items()},
                tasks=tasks,
                classes=classes,
                **grouping,
            )
        return ToCompare(systems, prediction is None, against, tuple(notes), rows=found)


def _unnamed(role: str) -> InputError:
    what = "the model's column" if role == "model" else "the column that identifies the item of each row"
    return InputError(f"{parameter(role)} must name {what}.")


def _of_files(
    source: Files, names: dict[str, list[str]], *, pos_label: Any, tasks: set[str], with_targets: bool
) -> Rows:
    """The columns of files or of a log, whose names for the model, the item and the run complete `names`.

    Raises InputError where nothing names the model or the item, or items cannot be separate.
    """
    model, item, run, clusters = (
        names[role][0] if names[role] else None for role in ("model", "id", "run", "clusters")
    )
    apart = {}
    if source.across_files == SEPARATE:
        if model is None or item is None:
            raise InputError(
                f"{parameter('across_files', SEPARATE)}: name the model's column, {parameter('model')}, and the "
                f"item's, {parameter('id')}."
            )
        item, clusters = f"{FILE},{item}", clusters and f"{FILE},{clusters}"
        names |= {"id": [item], "clusters": [clusters] if clusters else []}
        source, apart = replace(source, by_file=True, across_files="error"), {"across_files": SEPARATE}
    elif model is None:
        source = replace(source, by_file=True)
    scores, labels = names["score"], [*([] if with_targets else names["y_true"]), *names["prediction"]]
    coded = [one for one in (model or FILE, item, run, clusters, *names["strata"]) if one is not None]
    kinds = dict.fromkeys(labels, Kind.OPTIONAL if DOCUMENT in tasks else Kind.VALUES)
    kinds |= dict.fromkeys(names["prediction"], _kind(tasks, Kind.VALUES)) | dict.fromkeys(coded, Kind.NAMES)
    kinds |= dict.fromkeys(scores, Kind.SCORE if pos_label is None else Kind.NAMES)
    choose = partial(_of_log, scores=scores, model=model, item=item, run=run)
    with advising_pos_label(scores):
        found = source.rows(kinds, clusters=item if model else None, run=model if item else None, choose=choose)
    model = model or found.chosen.get(MODEL) or (FILE if len(found.read["files"]) > 1 else None)
    item, run = item or found.chosen.get("id"), run or found.chosen.get(RUN)
    if model is None:
        raise InputError(f"{parameter('model')} must name the model's column; or give a FILE for each model.")
    if item is None:
        raise _unnamed("id")
    names |= {"model": [model], "id": [item], "run": [run] if run else []}
    return replace(found, read=found.read | apart)


@contextmanager
def advising_pos_label(scores: Sequence[str]) -> Iterator[None]:
    """What is no number in a column of scores may be a label: say how it becomes one."""
    try:
        yield
    except InputError as error:
        fault = error.fault
        if fault is None or fault.name not in scores or not fault.rule.endswith("numbers"):
            raise
        advice = f"{fault.advice} If one value means right, say which: {parameter('pos_label', 'correct')}."
        raise InputError(replace(fault, advice=advice.lstrip())) from error


def _of_log(log: Log, *, scores: Sequence[str], model: str | None, item: str | None, run: str | None) -> dict[str, str]:
    """The columns of a log for what was not named: its models, items and epochs.

    Raises InputError if it lacks a score that is asked for, or holds the same answers scored in several ways.
    """
    for name in scores:
        if name not in log.held and not set(name) & set(".["):
            known = shortened(log.scores) if log.scores else "no score"
            raise InputError(f"no score {name!r} in this log of {log.format.program}; it has {known}.")
    by = (model or MODEL).split(",")
    models = [MODEL] if log.varies(MODEL) else []
    log.check_ways(by, advice=f"compare them, {parameter('model', ','.join([*models, RUN]))}")
    if by == [RUN] and models:
        several = shortened(map(repr, log.values[MODEL]))
        raise InputError(
            f"this log of {log.format.program} holds the answers of several models ({several}). Choose one, "
            f"{log.choice_of(MODEL)}, or compare them too, {parameter('model', f'{MODEL},{RUN}')}."
        )
    if log.varies(PROMPT) and not log.varies(TASK) and PROMPT not in by and item is None:
        several = shortened(map(repr, log.values[PROMPT]))
        raise InputError(
            f"this log of {log.format.program} holds several prompts ({several}). Choose one, "
            f"{log.choice_of(PROMPT)}, or compare them too, {parameter('model', f'{MODEL},{PROMPT}')}."
        )
    found = {}
    if model is None and MODEL in log.held:
        found[MODEL] = MODEL
    if item is None and ITEM in log.held:
        found["id"] = f"{TASK},{ITEM}" if log.varies(TASK) else ITEM
    if run is None and RUN not in log.format.group and log.varies(RUN):
        found[RUN] = RUN
    return found


def _with_targets(
    columns: dict[str, Any], names: Mapping[str, list[str]], targets: Any, *, skip_missing: bool
) -> list[str]:
    """Add what is true, by item, from a table of its own; what to note.

    Raises InputError for an item that stands twice in it or that it lacks, or that no model answers.
    """
    key, target = names["id"][0], names["y_true"][0]
    called = targets.name if isinstance(targets, Files) else parameter("targets")
    gold = _columns(targets, {key: Kind.VALUES, target: Kind.VALUES})
    rows: dict[str, int] = {}
    for row, item in enumerate(map(str, gold[key].tolist())):
        if rows.setdefault(item, row) != row:
            raise InputError(f"{key} must be different in every row of {called}; {item!r} is not.")
    codes, items = check_codes(columns[key], n=len(columns[key]), name="id")
    lacking = [item for item in items if item not in rows]
    if lacking:
        raise InputError(f"{called} has no row of item {lacking[0]!r} ({counted(len(lacking), 'item')} in all).")
    known = set(items)
    unseen = [item for item in rows if item not in known]
    if unseen and not skip_missing:
        raise InputError(
            f"every model must have every item of {called}; none has {unseen[0]!r} ({counted(len(unseen), 'item')} in "
            f"all). Leave such items out with {parameter('skip_missing', True)}."
        )
    columns[target] = gold[target][np.array([rows[item] for item in items])[codes]]
    return [f"{counted(len(unseen), 'item')} of {called} left out: no model answers them."] if unseen else []


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
    if not isinstance(column, Coded):
        return column[held]
    kept, codes = np.unique(column.codes[held], return_inverse=True)
    return Coded(codes, tuple(column.names[code] for code in kept.tolist()))


def _counts(left: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in left.items())


def _grouping(held: LongForm, key: Any, role: str) -> Any:
    return None if key is None else held.per_item(key.codes if isinstance(key, Coded) else key, role)


def positive_scores(column: Any, pos_label: object, name: str, notes: list[str]) -> Floats:
    """The scores of a column; 1 for `pos_label` and 0 for every other value, which a note counts."""
    if pos_label is None:
        return as_scores(
            np.array(column.names, dtype=object)[column.codes] if isinstance(column, Coded) else column, name
        )
    if not isinstance(column, Coded):
        row = first_missing(column)
        if row is not None:
            raise InputError(
                f"{name} must not be missing; {at_row(row)} holds {column[row]!s}. Leave such rows out first."
            )
        texts, codes = np.unique(column.astype(str), return_inverse=True)
        column = Coded(codes, tuple(texts.tolist()))
    counts = dict(sorted(zip(column.names, np.bincount(column.codes).tolist(), strict=True)))
    wanted = str(pos_label)
    if wanted not in counts:
        raise unknown_name("value", wanted, list(counts), place=name)
    others = [f"{text} ({count:,})" for text, count in counts.items() if text != wanted]
    notes.append(f"{name} is 1 for {wanted} and 0 for every other value: {shortened(others)}.")
    return np.asarray(column.codes == column.names.index(wanted), dtype=np.float64)
