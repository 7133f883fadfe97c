"""What `howsure counts` reads: scores, cells and features of all units, and the labels of those that were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.data.predictions.read_columns import read_columns
from howsure.errors import InputError
from howsure.inputs.naming import shortened

ROW, STRATUM, CHANCE, LABEL = "row", "stratum", "inclusion", "label"


@dataclass(frozen=True, slots=True)
class Population:
    """Columns of all units by what they are for, what was read, and where the i-th unit (from 0) stands."""

    columns: dict[str, Any]
    recipe: dict[str, Any]
    place: Callable[[int], str]


def read_population(
    file: str,
    prob: str,
    *,
    by: Sequence[str] = (),
    features: Sequence[str] = (),
    cluster: str | None = None,
    shown: Sequence[str] = (),
    label: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
) -> Population:
    """The columns that the options name; label, stratum and chance may be missing in a row."""
    optional = [name for name in (label, stratum, inclusion) if name is not None]
    texts = [*by, *([cluster] if cluster else [])]
    numbers = [prob, *features]
    named = [*dict.fromkeys(texts), *dict.fromkeys(numbers), *optional]
    if len(set(named)) < len(named):
        raise InputError(f"a column has one meaning; some of these are named for two: {shortened(named)}.")
    others = [name for name in dict.fromkeys(shown) if name not in named]
    found = read_columns([file], labels=texts, numbers=numbers, optional=[*optional, *others])
    held = found.arrays
    columns = {
        "prob": held[prob],
        "cells": {name: held[name] for name in by} or None,
        "features": {name: held[name] for name in features} or None,
        "clusters": held[cluster] if cluster else None,
        "labels": held[label] if label else None,
        "strata": held[stratum] if stratum else None,
        "inclusion": held[inclusion] if inclusion else None,
        "shown": {name: held[name] for name in shown},
    }
    return Population(columns, found.recipe, found.place)


def join_labelled(population: Population, file: str) -> None:
    """Put the labels of a file that `howsure counts sample` wrote, and a person filled in, beside their units."""
    units = len(population.columns["prob"])
    found = read_columns([file], numbers=[ROW, CHANCE], optional=[STRATUM, LABEL])
    rows = found.arrays[ROW]
    columns: dict[str, Any] = {name: np.full(units, None, dtype=object) for name in (STRATUM, CHANCE, LABEL)}
    for i, row in enumerate(rows.tolist()):
        if row != int(row) or not 1 <= row <= units:
            raise InputError(
                f"{ROW} must be the number of a row of the scored file, 1 to {units:,}; {found.place(i)} has {row:g}. "
                "Is it the file of another sample?"
            )
        place = int(row) - 1
        if columns[CHANCE][place] is not None:
            raise InputError(f"{ROW} must be different in each row; {found.place(i)} has {int(row)} again.")
        for name in columns:
            columns[name][place] = found.arrays[name][i]
    lack = [i for i, value in enumerate(found.arrays[LABEL]) if value is None]
    if lack:
        raise InputError(
            f"{LABEL} must be 1 or 0 in each row that was drawn; {found.place(lack[0])} has none ({len(lack):,} such). "
            "Label them too: leaving out what is hard to label would bias the count."
        )
    has_strata = any(value is not None for value in found.arrays[STRATUM])
    population.columns["labels"] = columns[LABEL]
    population.columns["inclusion"] = columns[CHANCE]
    population.columns["strata"] = columns[STRATUM] if has_strata else None
