"""Cross-fitting: each row's probability by a map that was fitted without it, and without its cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.choice import chosen
from howsure.recalibration.fitted import ERROR, check_fit, fit, out_of_fold, small_groups
from howsure.recalibration.folds import FOLDS, check_choice_in_folds, check_folds, folds_of, stream_of
from howsure.recalibration.labelled import Labelled, labelled_from
from howsure.recalibration.maps.histogram import BINS
from howsure.recalibration.methods import AUTO, Method, candidates
from howsure.recalibration.scores import check_floor
from howsure.stats.randomness import Randomness


@dataclass(frozen=True, slots=True)
class CrossFitted:
    """probabilities: (n,) or (n, K), each by a map fitted without its row. fold (n,): the fold of each row. methods:
    the method of each fold's map; with "auto", each was chosen without the rows of its fold. before: the probabilities
    as they were. notes: caveats."""

    probabilities: Floats
    fold: Integers
    methods: tuple[str, ...]
    before: Floats
    notes: tuple[str, ...] = ()


def cross_fitted(
    y_true: Any,
    y_prob: Any = None,
    *,
    logits: Any = None,
    method: str = AUTO,
    groups: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    classes: Sequence[object] | None = None,
    pos_label: Any = None,
    folds: int = FOLDS,
    floor: float | None = None,
    small: str = ERROR,
    bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
) -> CrossFitted:
    """Recalibrate each row by a map that was fitted to the other folds; the arguments are those of `recalibrate`.

    With method="auto", the choice is made anew without each fold, by cross-fitting within the others: what comes out is
    honest about the choice, too.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(1000)
    >>> found = cross_fitted(rng.random(1000) < q**2, q, method="beta")
    >>> bool(np.mean(np.abs(found.probabilities - q**2)) < 0.05 < np.mean(np.abs(q - q**2)))
    True

    Raises InputError as `recalibrate` does, and where a label lies in one row or cluster alone.
    """
    data = labelled_from(
        y_true, y_prob, logits=logits, groups=groups, clusters=clusters, sample_weight=sample_weight, classes=classes,
        pos_label=pos_label, floor=check_floor(floor),
    )  # fmt: skip
    return cross_fitted_rows(data, method=method, folds=folds, small=small, bins=bins, penalty=penalty, rng=rng)


def cross_fitted_rows(
    data: Labelled,
    *,
    method: str = AUTO,
    folds: int = FOLDS,
    small: str = ERROR,
    bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> CrossFitted:
    """The same of checked rows; `advance` is told of every fold that is done."""
    methods = candidates(method, binary=data.is_binary, bins=bins, penalty=penalty)
    check_fit(data)
    pooled = small_groups(data, small)
    folds, generator = check_folds(folds), stream_of(rng)
    if len(methods) > 1:
        check_choice_in_folds(data, folds)
    fold = folds_of(data, folds, generator)
    seeds = generator.integers(1 << 62, size=folds)
    used: list[str] = []

    def fitted_without(number: int, others: Labelled) -> Any:
        found = _one(others, methods, pooled, folds, int(seeds[number]))
        used.append(str(found))
        return fit(others, found, pooled)

    probabilities = out_of_fold(data, fold, fitted_without, advance=advance)
    return CrossFitted(probabilities, fold, tuple(used), data.scores.probabilities, _notes(data, fold, folds, pooled))


def _one(data: Labelled, methods: Sequence[Method], pooled: Sequence[str], folds: int, seed: int) -> Method:
    """The method of some rows: the only one, or the best."""
    if len(methods) == 1:
        return methods[0]
    try:
        return chosen(data, methods, folds=folds, small=pooled, rng=np.random.default_rng(seed)).method
    except InputError as error:
        raise InputError(f"without the rows of one fold, no method can be chosen: {error}") from error


def _notes(data: Labelled, fold: Integers, folds: int, pooled: Sequence[str]) -> tuple[str, ...]:
    held = np.zeros((data.k, folds), dtype=bool)
    held[data.labels, fold] = True
    some = held.any(axis=1)
    lacking = int((~held[some]).any(axis=0).sum())
    notes = [f"{lacking} of {folds} folds lack a label that the others hold"] if lacking else []
    notes += [f"too few rows for a map of their own, so that of all rows: {', '.join(pooled)}"] if pooled else []
    return tuple(notes)
