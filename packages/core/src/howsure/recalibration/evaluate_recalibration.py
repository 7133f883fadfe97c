"""Evaluate recalibration by a given map or by cross-fitting, in each group and for each method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, is_listlike, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, check_level, shortened
from howsure.inputs.pairs import Floats, Integers, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.recalibration.binary_maps import BINS
from howsure.recalibration.evaluation import check_margin, evaluate_fits, evaluation_of_map
from howsure.recalibration.evaluation_results import MARGIN, RecalibrationEvaluation, RecalibrationTable
from howsure.recalibration.map_input import (
    FOLDS,
    MAX_FOLDS,
    Classes,
    Labelled,
    Scores,
    assign_folds,
    check_choice_in_folds,
    check_floor,
    check_folds,
    labelled_read,
    rows_of_all,
    with_floor,
)
from howsure.recalibration.methods import AUTO, Method, candidates, check_fit, check_options, choose_method, fit
from howsure.recalibration.results import RecalibrationMap
from howsure.stats.p_values import adjust_p_values

# The maps of a cross-fitting, applied to all rows.

MIN_FOLDS = 3
INSTEAD = "More rows, or another method, may help."
REPEATS, REPEATED_UP_TO, MAX_REPEATS = 3, 20_000, 100


def check_evaluation_folds(folds: int) -> int:
    """Check that the number of folds is a whole number of at least 3, and return it.

    With 2 folds, the dependence between the maps that were fitted without each fold cannot be estimated.
    """
    if check_folds(folds) < MIN_FOLDS:
        raise InputError(
            f"folds must be a whole number from {MIN_FOLDS} to {MAX_FOLDS} to evaluate a map; it is {folds}. With "
            "two folds, the dependence between their maps cannot be estimated."
        )
    return int(folds)


def check_repeats(repeats: int | None, n: int) -> int:
    """Check that the number of repeats is a whole number of at least 1, and return it.

    The default (None) is 3 for up to 20,000 rows, and 1 for more rows, because the random division into folds then
    matters less.

    Raises InputError for anything else.
    """
    if repeats is None:
        return REPEATS if n <= REPEATED_UP_TO else 1
    return check_integer(repeats, name="repeats", most=MAX_REPEATS)


def cross_fitted_evaluation(
    labelled: Labelled,
    *,
    method: str,
    folds: int,
    level: float,
    margin: float,
    rng: Randomness,
    repeats: int | None = None,
    floor: float | None = None,
    n_bins: int = BINS,
    penalty: float | None = None,
    name: str | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> RecalibrationEvaluation:
    """Evaluate a method on checked rows without groups by cross-fitting. The probabilities before recalibration are
    evaluated without the floor.

    Raises InputError if no map can be fitted without the rows of some fold.
    """
    data = replace(labelled, scores=with_floor(labelled.scores, check_floor(floor)))
    folds = check_evaluation_folds(folds)
    methods = candidates(method, binary=data.is_binary, n_bins=n_bins, penalty=penalty)
    level, margin = check_level(level), check_margin(margin)
    check_fit(data)
    if len(methods) == 1:
        fit(data, methods[0])  # its error numbers the rows of this part
    else:
        check_choice_in_folds(data, folds)
    generator = generator_from(rng)
    times = check_repeats(repeats, len(data))
    fitted, used = [], []
    for _ in range(times):
        fold = assign_folds(data, folds, generator)
        after = []
        for k, seed in enumerate(generator.integers(1 << 62, size=folds).tolist()):
            rows = np.flatnonzero(fold != k)
            others = data.select(rows)
            with rows_of_all(rows, before=f"without the rows of one of {folds} folds: ", remedy=INSTEAD):
                recalibration = fold_method(others, methods, folds, seed)
                after.append(applied(others, recalibration, data.scores))
            used.append(recalibration)
            advance(1)
        fitted.append((fold, after))
    chosen_by_fold = Counter(str(method_used) for method_used in used) if len(methods) > 1 else None
    recipe: dict[str, Any] = {
        "method": method,
        "chosen": None if chosen_by_fold is None else dict(chosen_by_fold.most_common()),
        "folds": folds,
        "repeats": times,
        "seed": seed_in_recipe(rng),
        "floor": floor,
    }
    notes = [] if chosen_by_fold is None else [_choices(method, chosen_by_fold)]
    return evaluate_fits(
        labelled, fitted, method=method, level=level, margin=margin, recipe=recipe, notes=notes, name=name
    )


def fold_method(others: Labelled, methods: tuple[Method, ...], folds: int, seed: int) -> Method:
    """Return the only method, or the method that is chosen by the rows outside the fold (`others`)."""
    if len(methods) == 1:
        return methods[0]
    return choose_method(others, methods, folds=folds, small=(), rng=np.random.default_rng(seed)).method


def applied(others: Labelled, method: Method, scores: Scores) -> Floats:
    """Return the probabilities of rows by a map that is fitted to `others`."""
    return fit(others, method).apply(scores, None, ())


def _choices(method: str, methods_by_fold: Counter[str]) -> str:
    counts_text = ", ".join(f"{name} in {times}" for name, times in methods_by_fold.most_common())
    return f"{method} chose the method for each fold by the data of the other folds: {counts_text}"


# The improvement by recalibration on rows like these, in each group and by each method.


def evaluate_recalibration(
    y_true: ArrayLike | Pairs | str | None = None,
    y_prob: ArrayLike | Probabilities | str | None = None,
    *,
    method: str = "auto",
    clusters: ArrayLike | str | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    folds: int = 5,
    repeats: int | None = None,
    level: float = 0.95,
    margin: float = MARGIN,
    floor: float | None = None,
    rng: Randomness = 0,
    id: str | None = None,
    data: Source | IntoFrame | None = None,
) -> RecalibrationEvaluation:
    """Test by cross-fitting whether recalibration would help on rows like these. Each map is evaluated on rows that it
    was not fitted to.

    y_true, y_prob and the parameters that are not explained here are those of `recalibrate`. folds: the number of
    parts, at least 3, into which the rows, or whole clusters, are divided at random. Each row is evaluated with a map
    that was fitted to the other parts ("auto" chooses the method again within them). repeats: the number of random
    divisions, by default 3 for up to 20,000 rows and 1 for more. Results are means over repeats and thus depend less on
    chance. margin: the smallest calibration error that is worth removing.

    The estimate is the mean improvement by maps fitted to (folds - 1) / folds of these rows. A map fitted to all rows
    is about as good or slightly better. Squared calibration errors are debiased and computed in bins within a fold.
    Intervals are based on the paired jackknife over rows or clusters, with an added variance for the rows that folds
    share (docs/recalibration.md has the formula and the simulations that check it).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(3000)
    >>> y = rng.random(3000) < q**2 / (q**2 + (1 - q) ** 2)
    >>> found = evaluate_recalibration(y, q, method="temperature")
    >>> found.kind, found.error_before.low > 0.05, found.brier.improvement.low > 0
    ('improves', True, True)

    Raises InputError, which names the parameter, the row and the value, for invalid input.
    Source: Bayle, Bayle, Janson & Mackey (2020), for intervals by cross-validation.
    """
    check_arguments(evaluate_recalibration, locals())
    named: dict[str, Any] = {"clusters": clusters, "sample_weight": sample_weight, "pos_label": pos_label}
    with labelled_read(y_true, y_prob, data=data, id=id, **named) as (rows, provenance):
        evaluation = cross_fitted_evaluation(
            rows, method=method, folds=folds, repeats=repeats, level=level, margin=margin, floor=floor, rng=rng
        )
    return replace(evaluation, recipe=provenance | dict(evaluation.recipe))


def recalibration_table(
    y_true: ArrayLike | Pairs | str | None = None,
    y_prob: ArrayLike | Probabilities | str | None = None,
    *,
    methods: Sequence[str] | Mapping[str, float | None] = (AUTO,),
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    folds: int = FOLDS,
    repeats: int | None = None,
    level: float = 0.95,
    margin: float = MARGIN,
    floor: float | None = None,
    rng: Randomness = 0,
    id: str | None = None,
    data: Source | IntoFrame | None = None,
) -> RecalibrationTable:
    """Compare the calibration error and scores before and after recalibration, by method and group, on held-out rows.

    Runs `evaluate_recalibration` for each group separately and for each of several methods, and puts the results into
    one table. Each row of the data is evaluated with a map that was fitted to other rows.

    groups (n,): column of groups: one map for each; several: a,b.
    methods: one or more methods, evaluated on the same folds: auto, none, temperature, platt, beta, venn-abers,
    isotonic, histogram, vector, dirichlet, ordered.
    folds: number of parts into which the rows or clusters are divided, at least 3.
    repeats: number of random divisions into folds (default: 3 up to 20,000 rows, 1 for more).
    margin: smallest calibration error that is worth removing.
    floor: first move probabilities into [floor, 1 - floor]; needed if some are exactly 0 or 1 and wrong.
    rng: seed of the folds.

    `methods` may be a mapping from methods to their settings, such as {"temperature": None, "histogram": 20}. The
    setting of histogram is the number of bins, that of dirichlet the penalty; the other methods have None. Intervals
    and verdicts hold for each row of the table separately, so that some of many rows are wrong by chance. P-values are
    adjusted for the number of groups and methods (Holm). The other parameters are those of `evaluate_recalibration`. To
    evaluate a map that is already fitted, use `RecalibrationMap.evaluate`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(2000)
    >>> y = rng.random(2000) < q**2 / (q**2 + (1 - q) ** 2)
    >>> table = recalibration_table(y, q, methods=["temperature", "histogram"], repeats=1)
    >>> [(row.method, row.kind) for row in table]
    [('temperature', 'improves'), ('histogram', 'improves')]

    Raises InputError, which names the parameter, the row and the value, for invalid input.
    """
    arguments = check_arguments(recalibration_table, locals())
    settings = dict(methods) if isinstance(methods, Mapping) else {}
    options: dict[str, Any] = {"n_bins": settings.get("histogram"), "penalty": settings.get("dirichlet")}
    other = next(
        (name for name in settings if settings[name] is not None and name not in ("histogram", "dirichlet")), None
    )
    if other is not None:
        raise InputError(
            "{parameter} has a setting of {other}, which has no settings. Write None.", "methods", other=other
        )
    if isinstance(methods, Mapping):
        arguments["methods"] = list(methods)
    return evaluate_maps(**arguments, **{name: value for name, value in options.items() if value is not None})


def evaluate_maps(
    y_true: ArrayLike | Pairs | str | None = None,
    y_prob: ArrayLike | Probabilities | str | None = None,
    *,
    methods: Sequence[str] = (AUTO,),
    map: RecalibrationMap | None = None,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    folds: int = FOLDS,
    repeats: int | None = None,
    level: float = 0.95,
    margin: float = MARGIN,
    adjust: Literal["holm", "bh"] | None = "holm",
    floor: float | None = None,
    n_bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
    id: str | None = None,
    data: Source | IntoFrame | None = None,
) -> RecalibrationTable:
    """Calibration error and scores before and after recalibration, on rows that no map was fitted to.

    map: a map that recalibrate fit wrote, to be evaluated on rows that it was not fitted to.
    adjust: adjustment of the p-values for the number of groups and methods.
    n_bins: bins of equal size of `method` histogram.
    penalty: penalty of `method` dirichlet (default: found by cross-fitting).

    The implementation of `recalibration_table`, whose docstring explains the parameters, and of `howsure recalibrate
    evaluate`.
    """
    are_named = isinstance(methods, Mapping) or (is_listlike(methods) and not hasattr(methods, "columns"))
    method_names = list(methods) if are_named else []
    if not all(isinstance(name, str) for name in method_names) or not 0 < len(method_names) == len(set(method_names)):
        names_text = shortened(method_names) or quote(methods)
        raise InputError(
            "{parameter} must be a list of different names, one or more; it contains {names_text}.",
            "methods",
            names_text=names_text,
        )
    fitting = {"methods": (methods, (AUTO,)), "floor": (floor, None), "n_bins": (n_bins, BINS), "rng": (rng, 0)}
    fitting |= {"penalty": (penalty, None), "folds": (folds, FOLDS), "repeats": (repeats, None)}
    set_options = [name for name, (value, usual) in fitting.items() if value is not usual and value != usual]
    if map is not None and set_options:
        raise InputError(
            "{parameter} is about fitting a new map, but `map` is already fitted. Leave out one of the two.",
            set_options[0],
        )
    check_options(methods, n_bins, penalty)
    named: Any = {"groups": groups, "clusters": clusters, "sample_weight": sample_weight, "pos_label": pos_label}
    how: dict[str, Any] = {"folds": folds, "repeats": repeats, "level": level, "margin": margin, "floor": floor}
    with labelled_read(y_true, y_prob, data=data, id=id, **named) as (rows, provenance):
        if map is not None:
            evaluated = evaluations_of_map(map, rows, level=level, margin=margin)
            table = joined(evaluated, n=len(rows), adjust=adjust, methods=[map.method])
            return replace(table, recipe=provenance | dict(table.recipe))
        parts = max(len(rows.group_names), 1)
        steps = check_evaluation_folds(folds) * check_repeats(repeats, len(rows) // parts) * len(methods) * parts
        with data.progress(steps, "folds") if isinstance(data, Source) else nullcontext(lambda done: None) as advance:
            table = evaluate_methods(
                rows, methods=methods, adjust=adjust, n_bins=n_bins, penalty=penalty, rng=rng, advance=advance, **how
            )
    return replace(table, recipe=provenance | dict(table.recipe))


def evaluate_methods(
    data: Labelled,
    *,
    methods: Sequence[str],
    adjust: str | None,
    n_bins: int = BINS,
    penalty: float | None = None,
    **how: Any,
) -> RecalibrationTable:
    """The result of `evaluate_maps` for checked rows; `n_bins` and `penalty` are for the methods that use them."""
    evaluations = []
    for name, rows in by_group(data):
        group = replace(data.select(rows), groups=None, group_names=())
        with rows_of_all(rows, before="" if name is None else f"group {name!r}: "):
            for method in methods:
                options: dict[str, Any] = {"n_bins": n_bins} if method in ("auto", "histogram") else {}
                options |= {"penalty": penalty} if method in ("auto", "dirichlet", "matrix") else {}
                evaluations.append(cross_fitted_evaluation(group, method=method, name=name, **options, **how))
    return joined(evaluations, n=len(data), adjust=adjust, methods=methods)


def joined(
    rows: Sequence[RecalibrationEvaluation], *, n: int, adjust: str | None, methods: Sequence[str]
) -> RecalibrationTable:
    """Put evaluations into one table, with p-values adjusted for the number of evaluations."""
    p_values = adjust_p_values([row.p_value for row in rows], method=adjust)
    shared = {name: rows[0].recipe.get(name) for name in ("folds", "repeats", "seed", "floor", "level", "margin")}
    recipe = {
        "howsure": __version__,
        "n": n,
        "methods": list(methods),
        "evaluations": len(rows),
        **shared,
        "adjust": adjust,
    }
    return RecalibrationTable(tuple(rows), tuple(p_values.tolist()), recipe)


def by_group(data: Labelled) -> list[tuple[str | None, Integers]]:
    """Return the rows of each group with its name; without groups, all rows with the name None."""
    if data.groups is None:
        return [(None, np.arange(len(data)))]
    return [(name, np.flatnonzero(data.groups == code)) for code, name in enumerate(data.group_names)]


# The effect of a fitted map on other rows, in each group.


def evaluations_of_map(
    fitted: RecalibrationMap, labelled: Labelled, *, level: float, margin: float
) -> list[RecalibrationEvaluation]:
    """Evaluate a fitted map on the rows of each group, or on all rows if there are no groups."""
    data = reorder_classes(fitted.classes, labelled)
    names = data.group_names if fitted.groups else ()
    if fitted.groups and data.groups is None:
        raise InputError(
            "{parameter} must be the group of each row, because the map has parameters for each of the groups "
            "{groups}.",
            "groups",
            groups=list(fitted.groups),
        )
    after = fitted.apply_rows(with_floor(data.scores, fitted.floor), data.groups if names else None, names)
    return [
        evaluation_of_map(
            replace(data.select(rows), groups=None, group_names=()),
            after[rows],
            method=fitted.method,
            level=level,
            margin=margin,
            name=name,
        )
        for name, rows in by_group(data)
    ]


def reorder_classes(classes: Sequence[str], data: Labelled) -> Labelled:
    """Return the rows with their classes in the given order."""
    if data.classes == tuple(classes):
        return data
    if not classes:
        raise InputError(
            "the map is for one probability per row, the probability of label 1, but these rows have several classes."
        )
    if data.is_binary:
        raise InputError(f"the map is for several classes, {shortened(classes)}, but these rows have one probability.")
    if sorted(data.classes) != sorted(classes):
        raise InputError(
            f"the rows must have the classes of the map, {shortened(classes)}; they have {shortened(data.classes)}."
        )
    assert isinstance(data.scores, Classes)
    order = np.array([data.classes.index(name) for name in classes])
    scores = Classes(data.scores.probabilities[:, order], data.scores.logs[:, order])
    return replace(data, scores=scores, labels=np.argsort(order)[data.labels], classes=tuple(classes))
