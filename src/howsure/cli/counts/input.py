"""What `howsure counts` reads: scores, cells and features of all units, and the labels of those that were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
