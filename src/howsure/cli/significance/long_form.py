"""`howsure significance FILE --by model`: tables with one row per model, item and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from howsure.cli.significance.input import classes_of, read_as_numbers, refuse_other_labels
from howsure.cli.terminal.progress import progress
from howsure.cli.terminal.row_numbers import rows_as_in_files
from howsure.data.predictions.read_columns import ReadColumns, read_columns
from howsure.data.tables.paths import FILE
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

    model: str | None
    id: str | None
    run: str | None
    target: str | None
    prediction: str | None
    score: tuple[str, ...]
    pos_label: str | None
    clusters: str | None
    strata: str | None
    baseline: str | None
    models: tuple[str, ...]
    all_pairs: bool
    lower_is_better: bool
    skip_missing: bool
    input_format: str | None
    across_files: str
    where: str | None
    by_file: bool

    @property
    def is_long(self) -> bool:
        """Whether the table has one row per model and item: the model's column is named, or what only such tables
        have."""
        return self.model is not None or self.prediction is not None or bool(self.score)

    def of_files(self, files: int) -> Asked:
        """The same, with files for models where no column names these, and with files as parts of keys that are
        separate in each.

        Raises InputError where nothing names the model or the item.
        """
        if self.model is None and files < 2:
            raise InputError("--by must name the model's column; or give a FILE for each model.")
        if self.id is None:
            raise InputError("--id must name the column that identifies the item of each row.")
        found = self if self.model is not None else replace(self, model=FILE, by_file=True)
        if found.across_files != "separate":
            return found
        if found.model == FILE:
            raise InputError("--across-files separate: items that differ in every file cannot be compared by file.")
        clusters = None if found.clusters is None else f"{FILE},{found.clusters}"
        return replace(found, id=f"{FILE},{found.id}", clusters=clusters, across_files="error", by_file=True)


def long_form_options(function: Decorated) -> Decorated:
    """The options of a table with one row per model and item."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--by", "model", metavar="COL",
                     help="Column of the model, in tables with one row per model, item (--id) and run "
                     "(default: the file, with several)."),
        click.option("--prediction", metavar="COL", help="Column of the predictions, in such tables."),
        click.option("--score", "score", multiple=True, metavar="COL",
                     help="Column of a score that each row already has (exact match, a grade); repeatable."),
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
    across_files, asked = asked.across_files, asked.of_files(len(files))
    assert asked.model is not None
    try:
        read = _read(files, asked, options["metrics"])
    except InputError as error:
        if not any(f"{name} must hold numbers" in str(error) for name in asked.score):
            raise
        raise InputError(f"{error} If one value means right, say which: pos_label='correct'.") from error
    data, rows = _chosen_models(dict(read.arrays), asked, asked.model)
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
            id=asked.id,
            run=asked.run,
            target=asked.target,
            prediction=asked.prediction,
            score=list(asked.score) or None,
            pos_label=asked.pos_label,
            clusters=asked.clusters,
            strata=asked.strata,
            labels=classes,
            all_pairs=asked.all_pairs,
            lower_is_better=asked.lower_is_better,
            skip_missing=asked.skip_missing,
            progress=lambda done, total: advance(1 if done else 0),
            **options,
        )
    return result, read.recipe | ({"across_files": across_files} if across_files != "error" else {})


def _read(files: Sequence[str], asked: Asked, metrics: Sequence[str] | None) -> ReadColumns:
    """The columns; probabilities of one class where a metric takes these."""
    roles = (asked.model, asked.id, asked.run, asked.clusters, asked.strata)
    coded = [name for name in roles if name is not None]
    labels = [name for name in (asked.target, asked.prediction) if name is not None]
    numbers = [asked.prediction] if asked.prediction and "probabilistic" in tasks_of(metrics or ()) else []
    if asked.pos_label is None:
        numbers += asked.score
    else:
        coded += asked.score
    by_file = asked.model == FILE
    return read_columns(
        files, coded=list(dict.fromkeys(coded)), labels=labels, numbers=numbers, skip_missing=asked.skip_missing,
        across_files=asked.across_files, format=asked.input_format, where=asked.where, by_file=asked.by_file,
        cluster=None if by_file else asked.id, run=None if by_file else asked.model,
    )  # fmt: skip


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
