"""`howsure significance FILE`: what it reads, a column for each model, or a row for each model and item."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from howsure.cli.terminal.commands import rows_as_in_files, tell
from howsure.cli.terminal.options import in_order
from howsure.cli.terminal.progress import progress
from howsure.data.logs.conversion import Log
from howsure.data.predictions.selection import SEPARATE
from howsure.data.sources import Files
from howsure.data.sources import read as files_of
from howsure.data.tables.columns import FILE
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.frames import Kind, Rows
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.numbers import spelled_number
from howsure.inputs.pairs import Integers
from howsure.significance.boostsa.storage import read_labels
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import tasks_of
from howsure.significance.results import Comparison

# What `howsure significance` reads: columns of files, or the paper's files of labels and rows.


@dataclass(frozen=True, slots=True)
class Held:
    """The columns by the name of compare's parameter, the models by their name, and what was read."""

    columns: Mapping[str, Any]
    models: Mapping[str, Any]
    recipe: Mapping[str, Any]
    classes: list[str] | None = None  # as mappings in the files name them
    place: Callable[[int], str] | None = None  # where a row stands, by its number from 0; None where items are counted


def read_rows(
    paths: Sequence[str],
    names: Mapping[str, str],
    models: Sequence[str],
    *,
    numbers: Sequence[str] | None,
    skip_missing: bool,
    input_format: str | None,
    across_files: str,
    where: str | None = None,
    by_file: bool = False,
) -> Held:
    """Columns of files: labels, lists of probabilities, or (if all metrics take these) probabilities of one class.

    Raises InputError naming the file, the column, the row and the value.
    """
    refuse_twice(names["baseline"], models)
    systems = [names["baseline"], *models] if "probabilistic" in tasks_of(numbers or ()) else []
    source = files_of(
        paths, skip_missing=skip_missing, format=input_format, across_files=across_files, where=where, by_file=by_file
    )
    kinds = dict.fromkeys([*names.values(), *models], Kind.VALUES) | dict.fromkeys(systems, Kind.NUMBER)
    read = replace(source, tell=tell).rows(kinds, cluster=names.get("clusters"), run=names.get("runs"))
    held, recipe = dict(read.columns), read.read
    recipe |= {"files_pooled": len(recipe["files"])} if len(recipe["files"]) > 1 else {}
    recipe |= {"across_files": across_files} if across_files != "error" else {}
    read_as_numbers(held, [names["y_true"], names["baseline"], *models])
    refuse_other_labels(held[names["y_true"]], {name: held[name] for name in (names["baseline"], *models)})
    return Held(
        {key: held[name] for key, name in names.items()},
        {name: held[name] for name in models},
        recipe,
        classes_of(read, [names["y_true"], names["baseline"], *models]),
        None if "runs" in names else read.place,
    )


def classes_of(read: Rows, columns: Sequence[str]) -> list[str] | None:
    """The classes that mappings name, of systems whose targets are labels.

    Raises InputError where columns name different ones, or some are lists, whose order nobody knows.
    """
    keys = {name: read.keys[name] for name in columns if name in read.keys}
    if not keys:
        return None
    first, names = next(iter(keys.items()))
    for name in columns:
        is_list = name not in keys and read.columns[name].ndim == 2
        found = [str(number) for number in range(read.columns[name].shape[1])] if is_list else keys.get(name, names)
        if found != names:
            what = "lists without names" if is_list else shortened(map(repr, found))
            raise InputError(
                f"all columns must name the same classes; {first} has {shortened(map(repr, names))}, {name} has {what}."
            )
    return None if columns[0] in keys else names


def shown_names(paths: Sequence[str]) -> list[str]:
    """What tells the files apart: their paths without the folders that all of them share.

    >>> shown_names(["runs/base/preds.txt", "runs/large/preds.txt"])
    ['base/preds.txt', 'large/preds.txt']
    """
    if len(set(paths)) < 2:
        return list(paths)
    whole = [os.path.abspath(path) for path in paths]
    shared = os.path.commonpath([os.path.dirname(path) for path in whole])
    return [os.path.relpath(path, shared) for path in whole]


def read_files(targets: str, baseline: str, models: Sequence[str]) -> Held:
    """One file for the targets and one for each system, as the paper has it."""
    refuse_twice(baseline, models)
    columns = {"y_true": read_labels(targets), "baseline": read_labels(baseline)}
    recipe = {"files": [targets, baseline, *models], "rows": len(columns["y_true"]), "skipped": {}}
    names = shown_names([baseline, *models])[1:]
    held = {name: read_labels(path) for name, path in zip(names, models, strict=True)}
    refuse_other_labels(columns["y_true"], {baseline: columns["baseline"], **held})
    return Held(columns, held, recipe)


def refuse_twice(baseline: str, models: Sequence[str]) -> None:
    if baseline in models:
        raise InputError(f"--baseline and --model must differ; both name {baseline}.")
    twice = [name for name in models if models.count(name) > 1]
    if twice:
        raise InputError(f"--model {twice[0]} is named twice.")


def refuse_other_labels(targets: Any, systems: Mapping[str, Any]) -> None:
    """A column of text that never says what the targets say is a wrong column."""
    for name, labels in systems.items():
        texts = [set(map(str, column)) for column in (targets, labels) if column.dtype.kind in "OU"]
        if len(texts) == 2 and not texts[0] & texts[1]:
            true, held = (shortened(sorted(labels)) for labels in texts)
            raise InputError(f"{name} holds no label that the targets hold ({true}), but {held}. Is it the right one?")


def read_as_numbers(held: dict[str, Any], labels: Sequence[str]) -> None:
    """Text that spells numbers in all columns of labels is numbers: 1 and 1.0 are one class."""
    texts = [name for name in labels if np.asarray(held[name]).dtype.kind in "OU"]
    numbers = {name: [spelled_number(str(text)) for text in held[name].tolist()] for name in texts}
    if all(None not in column for column in numbers.values()):
        held.update({name: np.array(column, dtype=np.float64) for name, column in numbers.items()})


# What is asked of a table with one row per model, item and run; and what logs of programs name by themselves.

Decorated = Callable[..., Any]
ITEM, TASK, RUN, MODEL = "item", "task", "run", "model"  # columns of logs


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say; columns by their names. `targets` is a file of what is true."""

    model: str | None
    id: str | None
    run: str | None
    target: str | None
    targets: str | None
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

    def check(self, has_files: bool) -> None:
        """Raise InputError for options that belong to another kind of table."""
        if self.is_long:
            if not has_files:
                raise InputError("--by, --prediction and --score name columns: name a FILE that holds them.")
            if self.targets is not None and (self.target is None or self.prediction is None):
                raise InputError("--targets holds what is true: name its column, --target, and the --prediction's.")
            return
        for option, value in {"--positive": self.pos_label, "--all-pairs": self.all_pairs or None}.items():
            if value is not None:
                raise InputError(
                    f"{option} is for tables with one row per model and item; name the model's column: --by."
                )

    def source(self, files: Sequence[str]) -> Files:
        """The files, and which of their rows are meant."""
        found = files_of(
            files,
            where=self.where,
            skip_missing=self.skip_missing,
            by_file=self.by_file,
            across_files=self.across_files,
            format=self.input_format,
        )
        return replace(found, tell=tell)

    def to_read(self) -> Asked:
        """The same, with the files' names where these may be the models, and as parts of keys that are separate in
        each file.

        Raises InputError where items cannot be separate.
        """
        if self.across_files == SEPARATE:
            if self.model is None or self.id is None:
                raise InputError("--across-files separate: name the model's column, --by, and the item's, --id.")
            clusters = None if self.clusters is None else f"{FILE},{self.clusters}"
            return replace(self, id=f"{FILE},{self.id}", clusters=clusters, across_files="error", by_file=True)
        return self if self.model is not None else replace(self, by_file=True)

    def of_log(self, log: Log) -> dict[str, str]:
        """The columns of a log for what was not named: its models, items and epochs.

        Raises InputError if it lacks a score that is asked for, or holds the same answers scored in several ways.
        """
        for name in self.score:
            if name not in log.held and name in _plain(name):
                raise InputError(f"no score {name!r} in this log of {log.format.program}; it has {_scores(log)}.")
        by = (self.model or MODEL).split(",")
        models = [MODEL] if log.varies(MODEL) else []
        log.check_ways(by, advice=f"compare them, --by {','.join([*models, RUN])}")
        if by == [RUN] and models:
            several = shortened(map(repr, log.values[MODEL]))
            raise InputError(
                f"this log of {log.format.program} holds the answers of several models ({several}). Choose one, "
                f"{log.choice_of(MODEL)}, or compare them too, --by {MODEL},{RUN}."
            )
        found = {}
        if self.model is None and MODEL in log.held:
            found["model"] = MODEL
        if self.id is None and ITEM in log.held:
            found["id"] = f"{TASK},{ITEM}" if log.varies(TASK) else ITEM
        if self.run is None and RUN not in log.format.group and log.varies(RUN):
            found["run"] = RUN
        return found

    def found(self, by_log: Mapping[str, str], files: int) -> Asked:
        """The same, with the columns that a log names, else the file for the model.

        Raises InputError where nothing names the model or the item.
        """
        model = self.model or by_log.get("model") or (FILE if files > 1 else None)
        key = self.id or by_log.get("id")
        if model is None:
            raise InputError("--by must name the model's column; or give a FILE for each model.")
        if key is None:
            raise InputError("--id must name the column that identifies the item of each row.")
        return replace(self, model=model, id=key, run=self.run or by_log.get("run"))


def _plain(name: str) -> tuple[str, ...]:
    """The name, if it is no path into a column."""
    return () if "." in name or "[" in name else (name,)


def _scores(log: Log) -> str:
    return shortened(log.scores) if log.scores else "no score"


def long_form_options(function: Decorated) -> Decorated:
    """The options of a table with one row per model and item."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option(
            "--by",
            "model",
            metavar="COL",
            help="Column of the model, in tables with one row per model, item (--id) and run "
            "(default: the file, with several).",
        ),
        click.option("--prediction", metavar="COL", help="Column of the predictions, in such tables."),
        click.option(
            "--score",
            "score",
            multiple=True,
            metavar="COL",
            help="Column of a score that each row already has (exact match, a grade); repeatable.",
        ),
        click.option(
            "--positive",
            "pos_label",
            metavar="VALUE",
            help="The value of --score that counts as 1; every other counts as 0.",
        ),
        click.option("--lower-is-better", is_flag=True, help="Lower values of --score are better."),
        click.option("--all-pairs", is_flag=True, help="Show every pair of models, not only those with the best."),
    ]
    return in_order(options)(function)


# `howsure significance FILE --baseline COL --model COL`: a column, or a file, for each model.

SCORE = "score"  # the metric of columns that hold scores
Compared = tuple[Comparison, dict[str, Any]]


def compare_wide(files: Sequence[str], asked: Asked, classes: list[str] | None, options: Mapping[str, Any]) -> Compared:
    """The comparison of columns of FILE..., or of a file for each model, and what was read.

    Raises InputError naming the option, or the file, the column, the row and the value.
    """
    if asked.baseline is None or not asked.models:
        lacking = "--baseline" if asked.baseline is None else "--model"
        raise InputError(
            f"{lacking} must name a column or file of predictions. In a table or log with one row per model and item, "
            "name the --score, or the --target and --prediction, and --by the model's column."
        )
    if options["metrics"] == [SCORE] and files:
        return _scores_of_models(files, asked, asked.baseline, options)
    for option, value in {"--lower-is-better": asked.lower_is_better}.items():
        if value:
            raise InputError(f"{option} is for scores: columns with --metric score, or --score in tables by model.")
    if bool(files) == bool(asked.targets) or bool(files) != bool(asked.target):
        raise InputError(
            "name a FILE and its column --target, or no FILE and a file --targets; columns of scores need neither, but "
            "--metric score."
        )
    roles = {"ids": asked.id, "runs": asked.run, "clusters": asked.clusters, "strata": asked.strata}
    if files:
        named = {key: name for key, name in roles.items() if name is not None}
        names = {"y_true": str(asked.target), "baseline": asked.baseline, **named}
        held = read_rows(
            files,
            names,
            asked.models,
            numbers=options["metrics"],
            skip_missing=asked.skip_missing,
            input_format=asked.input_format,
            across_files=asked.across_files,
            where=asked.where,
            by_file=asked.by_file,
        )
        baseline = asked.baseline
    else:
        _refuse_columns(asked)
        held = read_files(str(asked.targets), asked.baseline, asked.models)
        baseline = shown_names([asked.baseline, *asked.models])[0]
    with rows_as_in_files(held.place), progress("comparing", total=len(asked.models)) as advance:
        result = compare(
            held.columns["y_true"],
            held.columns["baseline"],
            held.models,
            **{key: held.columns[key] for key in roles if key in held.columns},
            labels=held.classes if classes is None else classes,
            baseline_name=baseline,
            progress=lambda done, total: advance(1 if done else 0),
            **options,
        )
    return result, dict(held.recipe)


def _scores_of_models(files: Sequence[str], asked: Asked, baseline: str, options: Mapping[str, Any]) -> Compared:
    """Columns of scores, one for each model."""
    refuse_twice(baseline, asked.models)
    given = {"--target": asked.target, "--targets": asked.targets, "--run": asked.run, "--id": asked.id}
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise InputError(
            f"{wrong[0]} cannot be given with a column of scores for each model; several runs need a table by model, "
            "--by and --score."
        )
    groups = [name for name in (asked.clusters, asked.strata) if name is not None]
    kinds = dict.fromkeys(groups, Kind.VALUES) | dict.fromkeys([baseline, *asked.models], Kind.SCORE)
    read = asked.source(files).rows(kinds, cluster=asked.clusters)
    with read.placed():
        result = compare(
            scores={name: read.columns[name] for name in (baseline, *asked.models)},
            baseline=baseline,
            clusters=None if asked.clusters is None else read.columns[asked.clusters],
            strata=None if asked.strata is None else read.columns[asked.strata],
            lower_is_better=asked.lower_is_better,
            **{**options, "metrics": None},
        )
    return result, dict(read.read)


def _refuse_columns(asked: Asked) -> None:
    """Raise InputError for options of columns, where each model has a file."""
    given = {
        "--id": asked.id,
        "--run": asked.run,
        "--cluster": asked.clusters,
        "--stratum": asked.strata,
        "--where": asked.where,
        "--by-file": asked.by_file,
        "--from": asked.input_format,
        "--skip-missing": asked.skip_missing,
        "--across-files": asked.across_files != "error",
    }
    wrong = [name for name, value in given.items() if value]
    if wrong:
        raise InputError(f"{wrong[0]} is for columns: put the predictions into one FILE with columns.")


# `howsure significance FILE --by model`: tables with one row per model, item and run.


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
        raise InputError(f"{error.message} If one value means right, say which: --positive correct.") from error
    found = given.found(read.chosen, len(read.read["files"]))
    model, key = str(found.model), str(found.id)
    data, rows = _chosen_models(dict(read.columns), asked, model)
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
    return replace(result, notes=(*notes, *result.notes)), read.read | how


def _read(files: Sequence[str], asked: Asked, metrics: Sequence[str] | None) -> Rows:
    """The columns; probabilities of one class where a metric takes these."""
    roles = (asked.model or FILE, asked.id, asked.run, asked.clusters, asked.strata)
    coded = [name for name in roles if name is not None]
    target = asked.target if asked.targets is None else None
    labels = [name for name in (target, asked.prediction) if name is not None]
    numbers = [asked.prediction] if asked.prediction and "probabilistic" in tasks_of(metrics or ()) else []
    scores = asked.score if asked.pos_label is None else ()
    if asked.pos_label is not None:
        coded += asked.score
    kinds = dict.fromkeys(labels, Kind.VALUES) | dict.fromkeys(coded, Kind.NAMES)
    kinds |= dict.fromkeys(numbers, Kind.NUMBER) | dict.fromkeys(scores, Kind.SCORE)
    return asked.source(files).rows(
        kinds,
        cluster=asked.id if asked.model else None,
        run=asked.model if asked.id else None,
        choose=asked.of_log,
    )


def _with_targets(data: dict[str, Any], asked: Asked, key: str) -> list[str]:
    """Add what is true, by item, from a file of its own; what to note.

    Raises InputError for an item that stands twice in it or that it lacks, or that no model answers.
    """
    target = asked.target or "target"
    gold = files_of(str(asked.targets), skip_missing=asked.skip_missing).rows({key: Kind.VALUES, target: Kind.VALUES})
    rows: dict[str, int] = {}
    for row, item in enumerate(map(str, gold.columns[key].tolist())):
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
    data[target] = gold.columns[target][place[codes]]
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
