"""Each map of a cross-fitting, applied to all rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Floats
from howsure.recalibration.choice import chosen
from howsure.recalibration.evaluation.evaluation import check_margin, evaluation_of
from howsure.recalibration.evaluation.results import RecalibrationEvaluation
from howsure.recalibration.fitted import check_fit, fit
from howsure.recalibration.folds import MOST_FOLDS, check_choice_in_folds, check_folds, folds_of
from howsure.recalibration.labelled import Labelled, rows_of_all
from howsure.recalibration.maps.histogram import BINS
from howsure.recalibration.methods import Method, candidates
from howsure.recalibration.scores import Scores, check_floor, with_floor
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

FEWEST_FOLDS = 3
INSTEAD = " More rows, or another method, may do."
REPEATS, REPEATED_UP_TO, MOST_REPEATS = 3, 20_000, 100


def check_evaluation_folds(folds: int) -> int:
    """A whole number of at least 3: two folds do not show how much maps share.

    Raises InputError for anything else.
    """
    if check_folds(folds) < FEWEST_FOLDS:
        raise InputError(
            f"folds must be a whole number from {FEWEST_FOLDS} to {MOST_FOLDS} to evaluate a map; it is {folds}. Two "
            "folds do not show how much the maps depend on the rows that they share."
        )
    return int(folds)


def check_repeats(repeats: int | None, n: int) -> int:
    """A whole number of at least 1; by default 3 for up to 20,000 rows, and 1 for more, where chance matters less.

    Raises InputError for anything else.
    """
    if repeats is None:
        return REPEATS if n <= REPEATED_UP_TO else 1
    return check_whole(repeats, name="repeats", most=MOST_REPEATS)


def cross_fitted_evaluation(
    given: Labelled,
    *,
    method: str,
    folds: int,
    level: float,
    margin: float,
    rng: Randomness,
    repeats: int | None = None,
    floor: float | None = None,
    bins: int = BINS,
    penalty: float | None = None,
    name: str | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> RecalibrationEvaluation:
    """The evaluation of checked rows without groups; before recalibration, they are without the floor.

    Raises InputError where a method has no map without the rows of a fold.
    """
    data = replace(given, scores=with_floor(given.scores, check_floor(floor)))
    folds = check_evaluation_folds(folds)
    methods = candidates(method, binary=data.is_binary, bins=bins, penalty=penalty)
    level, margin = check_level(level), check_margin(margin)
    check_fit(data)
    if len(methods) == 1:
        fit(data, methods[0])  # says what stands in its way by the rows' own numbers
    else:
        check_choice_in_folds(data, folds)
    generator = generator_from(rng)
    times = check_repeats(repeats, len(data))
    fitted, used = [], []
    for _ in range(times):
        fold = folds_of(data, folds, generator)
        after = []
        for k, seed in enumerate(generator.integers(1 << 62, size=folds).tolist()):
            rows = np.flatnonzero(fold != k)
            others = data.only(rows)
            with rows_of_all(rows, before=f"without the rows of one of {folds} folds: ", behind=INSTEAD):
                found = method_of(others, methods, folds, seed)
                after.append(applied(others, found, data.scores))
            used.append(found)
            advance(1)
        fitted.append((fold, after))
    chosen_by_fold = Counter(str(one) for one in used) if len(methods) > 1 else None
    recipe: dict[str, Any] = {
        "method": method, "chosen": None if chosen_by_fold is None else dict(chosen_by_fold.most_common()),
        "folds": folds, "repeats": times, "seed": seed_in_recipe(rng), "floor": floor,
    }  # fmt: skip
    notes = [] if chosen_by_fold is None else [_choices(method, chosen_by_fold)]
    return evaluation_of(
        given, fitted, method=method, level=level, margin=margin, recipe=recipe, notes=notes, name=name
    )


def method_of(others: Labelled, methods: tuple[Method, ...], folds: int, seed: int) -> Method:
    """The only method, or the one chosen without the rows of the fold."""
    if len(methods) == 1:
        return methods[0]
    return chosen(others, methods, folds=folds, small=(), rng=np.random.default_rng(seed)).method


def applied(others: Labelled, method: Method, scores: Scores) -> Floats:
    """The probabilities of rows by the map that is fitted to others."""
    return fit(others, method).apply(scores, None, ())


def _choices(method: str, found: Counter[str]) -> str:
    said = ", ".join(f"{name} {times}" for name, times in found.most_common())
    return f"{method} chose anew without the rows of each fold: {said} times"
