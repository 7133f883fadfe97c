"""A map of all rows, or one for each group; and of each fold, by the maps of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.naming import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.labelled import Labelled, rows_of_all
from howsure.recalibration.methods import Method, ProbabilityMap
from howsure.recalibration.scores import Scores

LEAST_ROWS = 20  # of each of two labels in a group (of classes: of right and of wrong top classes)
ERROR, POOLED = "error", "pooled"


@dataclass(frozen=True, slots=True)
class Fitted:
    """`maps` of the groups `names`, or the one of all rows; `of_all` is taken by the groups `small`."""

    maps: tuple[ProbabilityMap, ...]
    names: tuple[str, ...] = ()
    of_all: ProbabilityMap | None = None
    small: tuple[str, ...] = ()

    def of_group(self, name: str) -> ProbabilityMap:
        """The map that the rows of a group take."""
        if name in self.small:
            assert self.of_all is not None
            return self.of_all
        return self.maps[self.names.index(name)]

    def apply(self, scores: Scores, groups: Integers | None, names: Sequence[str]) -> Floats:
        """The probabilities of rows; `groups` are positions in `names`, which all have a map."""
        if not self.names and not self.small:
            return self.maps[0].apply(scores)
        assert groups is not None
        found = np.empty_like(scores.probabilities)
        for code, name in enumerate(names):
            rows = np.flatnonzero(groups == code)
            if len(rows):
                found[rows] = self.of_group(name).apply(scores.only(rows))
        return found


def fit(data: Labelled, method: Method, small: Sequence[str] = ()) -> Fitted:
    """One map for all rows, or one per group; the groups `small` take that of all.

    Raises InputError where the method has no map for some of them.
    """
    if data.groups is None:
        return Fitted((method.fit(data),))
    own = tuple(name for name in data.group_names if name not in small)
    return Fitted(
        tuple(_of_group(data, method, name) for name in own), own, method.fit(data) if small else None, tuple(small)
    )


def out_of_fold(
    data: Labelled,
    fold: Integers,
    fitted_to: Callable[[Labelled], Fitted],
    *,
    advance: Callable[[int], None] = lambda steps: None,
) -> Floats:
    """The probabilities of all rows: those of a fold by the map that `fitted_to` makes of the other rows."""
    found = np.empty_like(data.scores.probabilities)
    for number in range(int(fold.max()) + 1):
        own = np.flatnonzero(fold == number)
        others = np.flatnonzero(fold != number)
        held = data.only(own)
        with rows_of_all(others):
            fitted = fitted_to(data.only(others))
        found[own] = fitted.apply(held.scores, held.groups, held.group_names)
        advance(1)
    return found


def check_fit(data: Labelled) -> None:
    """Raise InputError for rows that no map can be fitted to: of one label alone."""
    seen = np.bincount(data.labels[data.weight > 0], minlength=data.k)
    if (seen > 0).sum() > 1:
        return
    label = data.label_names()[int(seen.argmax())]
    raise InputError(
        f"{parameter('y_true')} must hold two labels or more; all of {counted(len(data), 'row')} hold {label!r}. One "
        "class alone says "
        "nothing about what probabilities are worth."
    )


def small_groups(data: Labelled, how: str) -> tuple[str, ...]:
    """The groups that have too few rows for a map of their own.

    Raises InputError for any, unless they take the map of all by name: `how` is "pooled".
    """
    if how not in (ERROR, POOLED):
        raise InputError(f"{parameter('small_groups')} must be {ERROR!r} or {POOLED!r}, not {how!r}.")
    if data.groups is None:
        return ()
    labels = data.labels
    if not data.is_binary:
        labels = (data.scores.probabilities.argmax(axis=1) == labels).astype(np.int64)
    weighs = data.weight > 0
    rows = np.bincount(data.groups[weighs] * 2 + labels[weighs], minlength=2 * len(data.group_names)).reshape(-1, 2)
    least = rows.min(axis=1)
    found = tuple(name for name, number in zip(data.group_names, least, strict=True) if number < LEAST_ROWS)
    if found and how == ERROR:
        label = "each label" if data.is_binary else "right and of wrong answers"
        raise InputError(
            f"groups must have {LEAST_ROWS} rows of {label} for a map of their own; {shortened(map(repr, found))} have "
            f"fewer ({found[0]!r}: {int(least[data.group_names.index(found[0])])}). Leave them out, or say "
            f"{parameter('small_groups', 'pooled')}: they then take the map of all rows."
        )
    return found


def _of_group(data: Labelled, method: Method, name: str) -> ProbabilityMap:
    assert data.groups is not None
    rows = np.flatnonzero(data.groups == data.group_names.index(name))
    with rows_of_all(rows, before=f"group {name!r}: "):
        return method.fit(data.only(rows))
