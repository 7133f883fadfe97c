"""`howsure significance FILE --by model`: tables with one row per model, item and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.cli.significance.asked import Asked
from howsure.cli.significance.input import classes_of, read_as_numbers, refuse_other_labels
from howsure.cli.terminal.commands import rows_as_in_files, tell
from howsure.cli.terminal.progress import progress
from howsure.data.predictions.read_columns import ReadColumns, read_columns
from howsure.data.tables.columns import FILE
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.naming import counted, unknown_name
from howsure.inputs.pairs import Integers
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import tasks_of
from howsure.significance.results import Comparison


def compare_long(
    files: Sequence[str], asked: Asked, classes: list[str] | None, options: Mapping[str, Any]
) -> tuple[Comparison, dict[str, Any]]:
    """The comparison, and what was read.

    Raises InputError naming the option, or the file, the column, the row and the value.
    """
    given = asked.to_read()
    try:
        read = _read(files, given, options["metrics"])
    except InputError as error:
        if not any(f"{name} must hold numbers" in str(error) for name in asked.score):
            raise
        raise InputError(f"{error} If one value means right, say which: pos_label='correct'.") from error
    tell(read.said)
    found = given.found(read.from_log, len(read.recipe["files"]))
    model, key = str(found.model), str(found.id)
    data, rows = _chosen_models(dict(read.arrays), asked, model)
    notes = [] if asked.targets is None else _with_targets(data, found, key)
    if asked.prediction is not None and asked.target is not None:
        columns = [asked.target, asked.prediction]
        read_as_numbers(data, columns)
        refuse_other_labels(data[asked.target], {asked.prediction: data[asked.prediction]})
        classes = classes_of(read, columns) if classes is None and asked.targets is None else classes
    names = data[model].names if isinstance(data[model], Coded) else set(map(str, data[model]))
    pairs = len(names) - 1 if asked.baseline is not None else len(names) * (len(names) - 1) // 2
    with rows_as_in_files(lambda row: read.place(int(rows[row]))), progress("comparing", total=pairs) as advance:
        result = compare(
            data=data,
            model=model,
            baseline=asked.baseline,
            id=key,
            run=found.run,
            target=asked.target,
            prediction=asked.prediction,
            score=list(asked.score) or None,
            pos_label=asked.pos_label,
            clusters=found.clusters,
            strata=asked.strata,
            labels=classes,
            all_pairs=asked.all_pairs,
            lower_is_better=asked.lower_is_better,
            skip_missing=asked.skip_missing,
            progress=lambda done, total: advance(1 if done else 0),
            **options,
        )
    how = {"across_files": asked.across_files} if asked.across_files != "error" else {}
    return replace(result, notes=(*notes, *result.notes)), read.recipe | how


def _read(files: Sequence[str], asked: Asked, metrics: Sequence[str] | None) -> ReadColumns:
    """The columns; probabilities of one class where a metric takes these."""
    roles = (asked.model or FILE, asked.id, asked.run, asked.clusters, asked.strata)
    coded = [name for name in roles if name is not None]
    target = asked.target if asked.targets is None else None
    labels = [name for name in (target, asked.prediction) if name is not None]
    numbers = [asked.prediction] if asked.prediction and "probabilistic" in tasks_of(metrics or ()) else []
    scores = asked.score if asked.pos_label is None else ()
    if asked.pos_label is not None:
        coded += asked.score
    return read_columns(
        files,
        coded=list(dict.fromkeys(coded)),
        labels=labels,
        numbers=numbers,
        scores=scores,
        skip_missing=asked.skip_missing,
        across_files=asked.across_files,
        format=asked.input_format,
        where=asked.where,
        by_file=asked.by_file,
        cluster=asked.id if asked.model else None,
        run=asked.model if asked.id else None,
        from_log=asked.of_log,
    )


def _with_targets(data: dict[str, Any], asked: Asked, key: str) -> list[str]:
    """Add what is true, by item, from a file of its own; what to note.

    Raises InputError for an item that stands twice in it or that it lacks, or that no model answers.
    """
    target = asked.target or "target"
    gold = read_columns([str(asked.targets)], labels=[key, target], skip_missing=asked.skip_missing)
    rows: dict[str, int] = {}
    for row, item in enumerate(map(str, gold.arrays[key].tolist())):
        if rows.setdefault(item, row) != row:
            raise InputError(f"{key} must be different in every row of {asked.targets}; {item!r} is not.")
    column = data[key]
    items = column.names if isinstance(column, Coded) else tuple(dict.fromkeys(map(str, column.tolist())))
    lacking = [item for item in items if item not in rows]
    if lacking:
        raise InputError(f"{asked.targets} has no row of item {lacking[0]!r} ({counted(len(lacking), 'item')} in all).")
    unseen = len(rows) - len(set(items))
    if unseen and not asked.skip_missing:
        first = next(item for item in rows if item not in set(items))
        raise InputError(
            f"every model must have every item of {asked.targets}; none has {first!r} ({counted(unseen, 'item')} in "
            "all). Leave such items out with skip_missing=True."
        )
    place = np.array([rows[item] for item in items])
    codes = column.codes if isinstance(column, Coded) else np.array([items.index(str(one)) for one in column])
    data[target] = gold.arrays[target][place[codes]]
    return [f"{counted(unseen, 'item')} of {asked.targets} left out: no model answers them."] if unseen else []


def _chosen_models(data: dict[str, Any], asked: Asked, by: str) -> tuple[dict[str, Any], Integers]:
    """The rows of the models named by --model and of the baseline, all rows if none is named; and their numbers."""
    column = data[by]
    every = np.arange(len(column))
    if not asked.models:
        return data, every
    texts = column.names if isinstance(column, Coded) else tuple(map(str, np.unique(column)))
    wanted = [*asked.models, *([asked.baseline] if asked.baseline is not None else [])]
    for name in wanted:
        if name not in texts:
            raise unknown_name("model", name, texts, place=by)
    chosen = [texts.index(name) for name in wanted]
    held = np.isin(column.codes, chosen) if isinstance(column, Coded) else np.isin(column.astype(str), wanted)
    return {name: _kept(values, held) for name, values in data.items()}, every[held]


def _kept(values: Any, held: Any) -> Any:
    if not isinstance(values, Coded):
        return values[held]
    kept, codes = np.unique(values.codes[held], return_inverse=True)
    return Coded(codes, tuple(values.names[code] for code in kept.tolist()))
