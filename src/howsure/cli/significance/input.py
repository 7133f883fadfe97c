"""What `howsure significance` reads: columns of files, or the paper's files of labels and rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.cli.terminal.commands import tell
from howsure.data.predictions.read_columns import ReadColumns, read_columns
from howsure.errors import InputError
from howsure.inputs.naming import shortened
from howsure.inputs.numbers import spelled_number
from howsure.significance.boostsa.storage import read_labels
from howsure.significance.metrics.metric import tasks_of


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
    read = read_columns(
        paths, labels=[*names.values(), *models], numbers=systems, skip_missing=skip_missing, format=input_format,
        cluster=names.get("clusters"), run=names.get("runs"), across_files=across_files,
        where=where, by_file=by_file,
    )  # fmt: skip
    tell(read.said)
    held, recipe = read.arrays, read.recipe
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


def classes_of(read: ReadColumns, columns: Sequence[str]) -> list[str] | None:
    """The classes that mappings name, of systems whose targets are labels.

    Raises InputError where columns name different ones, or some are lists, whose order nobody knows.
    """
    keys = {name: read.keys[name] for name in columns if name in read.keys}
    if not keys:
        return None
    first, names = next(iter(keys.items()))
    for name in columns:
        is_list = name not in keys and read.arrays[name].ndim == 2
        found = [str(number) for number in range(read.arrays[name].shape[1])] if is_list else keys.get(name, names)
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
