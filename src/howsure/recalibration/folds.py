"""Folds: whole clusters, dealt so that each fold has its part of every label and group."""

from __future__ import annotations

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Integers
from howsure.recalibration.labelled import Labelled
from howsure.stats.randomness import Randomness, generator_from

FOLDS = 5
MOST_FOLDS = 100


def check_folds(folds: object) -> int:
    """A whole number from 2 to 100.

    Raises InputError for anything else.
    """
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not 2 <= folds <= MOST_FOLDS:
        raise InputError(f"folds must be a whole number from 2 to {MOST_FOLDS}; it is {folds!r}.")
    return int(folds)


def stream_of(rng: Randomness) -> np.random.Generator:
    """Random numbers of its own for a seed: data that were simulated from the same seed do not know them."""
    return generator_from(rng).spawn(1)[0]


def check_choice_in_folds(data: Labelled, folds: int) -> None:
    """Raise InputError where the rows without those of a fold are too few to be dealt into folds themselves."""
    what, n = _units(data)
    if folds <= n < (least := folds + 2):
        raise InputError(
            f"{n:,} {what} are too few to choose a method anew without each of {folds} folds, by {folds} folds of the "
            f"others; at least {least} are needed. Give more, name one method, or ask for fewer folds."
        )


def _units(data: Labelled) -> tuple[str, int]:
    """What is dealt as a whole, and how many there are."""
    return ("rows", len(data)) if data.clusters is None else ("clusters", len(np.unique(data.clusters)))


def folds_of(data: Labelled, folds: int, rng: np.random.Generator) -> Integers:
    """The fold of each row (n,), from 0.

    Clusters stay whole. They are dealt in random order, those together whose rarest label and group are the same: so
    each fold has its part of every label and group, as nearly as the clusters allow.

    Raises InputError if there are fewer clusters than folds, or where a label (of a group) lies in one cluster alone,
    and so in no other fold than one.
    """
    kind = data.labels if data.groups is None else data.groups * data.k + data.labels
    kinds, kind = np.unique(kind, return_inverse=True)
    unit = np.arange(len(data)) if data.clusters is None else np.unique(data.clusters, return_inverse=True)[1]
    what, n_units = _units(data)
    if n_units < folds:
        raise InputError(f"folds must be at most the number of {what}; it is {folds}, there are {n_units:,}.")
    sizes = np.bincount(kind, minlength=len(kinds))
    rank = np.empty(len(kinds), dtype=np.int64)
    rank[np.argsort(sizes, kind="stable")] = np.arange(len(kinds))
    stratum = np.full(n_units, len(kinds))
    np.minimum.at(stratum, unit, rank[kind])
    # Not from rng itself: rows drawn by a generator of the same seed would be dealt in the order of their values.
    shuffled = np.random.default_rng(rng.integers(1 << 62, size=4)).permutation(n_units)
    order = np.lexsort((shuffled, stratum))
    dealt = np.empty(n_units, dtype=np.int64)
    dealt[order] = np.arange(n_units) % folds
    fold: Integers = dealt[unit]
    _check_spread(data, fold, folds)
    return fold


def _check_spread(data: Labelled, fold: Integers, folds: int) -> None:
    """Raise InputError where all rows of a label lie in one fold."""
    held = np.zeros((data.k, folds), dtype=bool)
    held[data.labels, fold] = True
    alone = np.flatnonzero(held.sum(axis=1) == 1)
    if len(alone):
        label = data.label_names()[int(alone[0])]
        what = "row" if data.clusters is None else "cluster"
        raise InputError(
            f"the label {label!r} lies in one {what} alone, and cross-fitting needs each label in two or more: a map "
            f"fitted without this {what} would know nothing of it."
        )
