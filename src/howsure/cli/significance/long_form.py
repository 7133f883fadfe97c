"""`howsure significance FILE --by model`: tables with one row per model, item and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from howsure.cli.significance.input import classes_of, read_as_numbers, refuse_other_labels
from howsure.cli.terminal.progress import progress
from howsure.cli.terminal.row_numbers import rows_as_in_files
from howsure.data.predictions.read_columns import ReadColumns, read_columns
from howsure.errors import InputError
from howsure.inputs.coded import Coded
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Integers
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import tasks_of
from howsure.significance.results import Comparison

Decorated = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options of a table in long form say; columns by their names."""

    model: str
    id: tuple[str, ...]
    run: str | None
    target: str | None
    prediction: str | None
    score: tuple[str, ...]
    pos_label: str | None
    clusters: tuple[str, ...]
    strata: str | None
    baseline: str | None
    models: tuple[str, ...]
    all_pairs: bool
    lower_is_better: bool
    skip_missing: bool
    input_format: str | None
    across_files: str


def long_form_options(function: Decorated) -> Decorated:
    """The options of a table with one row per model and item."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--by", "model", metavar="COL",
                     help="Column of the model, in a table with one row per model, item (--id) and run."),
        click.option("--prediction", metavar="COL", help="Column of the predictions; with --by."),
        click.option("--score", "score", multiple=True, metavar="COL",
                     help="Column of a score that each row already has (exact match, a grade); repeatable; with --by."),
        click.option("--positive", "pos_label", metavar="VALUE",
                     help="The value of --score that counts as 1; every other counts as 0."),
        click.option("--lower-is-better", is_flag=True, help="Lower values of --score are better."),
        click.option("--all-pairs", is_flag=True, help="Show every pair of models, not only those with the best."),
    ]  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def compare_long(
    files: Sequence[str], asked: Asked, classes: list[str] | None, options: Mapping[str, Any]
) -> tuple[Comparison, dict[str, Any]]:
    """The comparison, and what was read.

    Raises InputError naming the option, or the file, the column, the row and the value.
    """
    if not asked.id:
        raise InputError("--id must name the column that identifies the item of each row, beside --by.")
    try:
        read = _read(files, asked, options["metrics"])
    except InputError as error:
        if not any(f"{name} must hold numbers" in str(error) for name in asked.score):
            raise
        raise InputError(f"{error} If one value means right, say which: pos_label='correct'.") from error
    data, rows = _chosen_models(dict(read.arrays), asked)
    if asked.prediction is not None and asked.target is not None:
        columns = [asked.target, asked.prediction]
        read_as_numbers(data, columns)
        refuse_other_labels(data[asked.target], {asked.prediction: data[asked.prediction]})
        classes = classes_of(read, columns) if classes is None else classes
    names = data[asked.model].names if isinstance(data[asked.model], Coded) else set(map(str, data[asked.model]))
    pairs = len(names) - 1 if asked.baseline is not None else len(names) * (len(names) - 1) // 2
    with rows_as_in_files(lambda row: read.place(int(rows[row]))), progress("comparing", total=pairs) as advance:
        result = compare(
            data=data,
            model=asked.model,
            baseline=asked.baseline,
            id=list(asked.id),
            run=asked.run,
            target=asked.target,
            prediction=asked.prediction,
            score=list(asked.score) or None,
            pos_label=asked.pos_label,
            clusters=list(asked.clusters) or None,
            strata=asked.strata,
            labels=classes,
            all_pairs=asked.all_pairs,
            lower_is_better=asked.lower_is_better,
            skip_missing=asked.skip_missing,
            progress=lambda done, total: advance(1 if done else 0),
            **options,
        )
    recipe = read.recipe | ({"across_files": asked.across_files} if asked.across_files != "error" else {})
    return result, recipe


def _read(files: Sequence[str], asked: Asked, metrics: Sequence[str] | None) -> ReadColumns:
    """The columns; probabilities of one class where a metric takes these."""
    coded = [asked.model, *asked.id, *([asked.run] if asked.run else []), *asked.clusters]
    coded += [asked.strata] if asked.strata else []
    labels = [name for name in (asked.target, asked.prediction) if name is not None]
    numbers = [asked.prediction] if asked.prediction and "probabilistic" in tasks_of(metrics or ()) else []
    if asked.pos_label is None:
        numbers += asked.score
    else:
        coded += asked.score
    single = asked.id[0] if len(asked.id) == 1 else None
    return read_columns(
        files, coded=list(dict.fromkeys(coded)), labels=labels, numbers=numbers, skip_missing=asked.skip_missing,
        cluster=single, run=asked.model, across_files=asked.across_files, format=asked.input_format,
    )  # fmt: skip


def _chosen_models(data: dict[str, Any], asked: Asked) -> tuple[dict[str, Any], Integers]:
    """The rows of the models named by --model and of the baseline, all rows if none is named; and their numbers."""
    column = data[asked.model]
    every = np.arange(len(column))
    if not asked.models:
        return data, every
    texts = column.names if isinstance(column, Coded) else tuple(map(str, np.unique(column)))
    wanted = [*asked.models, *([asked.baseline] if asked.baseline is not None else [])]
    for name in wanted:
        if name not in texts:
            raise unknown_name("model", name, texts, place=asked.model)
    chosen = [texts.index(name) for name in wanted]
    held = np.isin(column.codes, chosen) if isinstance(column, Coded) else np.isin(column.astype(str), wanted)
    return {name: _kept(values, held) for name, values in data.items()}, every[held]


def _kept(values: Any, held: Any) -> Any:
    if not isinstance(values, Coded):
        return values[held]
    kept, codes = np.unique(values.codes[held], return_inverse=True)
    return Coded(codes, tuple(values.names[code] for code in kept.tolist()))
