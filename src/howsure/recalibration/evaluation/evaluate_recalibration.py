"""Would recalibration help on rows like these? And in each group, by which method?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.pairs import Integers
from howsure.recalibration.evaluation.cross_fitted import cross_fitted_evaluation
from howsure.recalibration.evaluation.results import RecalibrationEvaluation, RecalibrationTable
from howsure.recalibration.evaluation.verdict import MARGIN
from howsure.recalibration.labelled import Labelled, labelled_from, rows_of_all
from howsure.recalibration.maps.histogram import BINS
from howsure.stats.multiplicity import adjust_p_values
from howsure.stats.randomness import Randomness


def evaluate_recalibration(
    y_true: Any,
    y_prob: Any = None,
    *,
    logits: Any = None,
    method: str = "auto",
    clusters: Any = None,
    sample_weight: Any = None,
    classes: Sequence[object] | None = None,
    pos_label: Any = None,
    folds: int = 5,
    repeats: int | None = None,
    level: float = 0.95,
    margin: float = MARGIN,
    floor: float | None = None,
    bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
) -> RecalibrationEvaluation:
    """Would recalibration help on rows like these? Cross-fitted, so that no map is judged by rows it was fitted on.

    y_true, y_prob or logits, and all that is not explained here: as for `recalibrate`. folds: the rows, or whole
    clusters, are divided at random into so many parts, at least 3; each row is evaluated after the map that was fitted
    to the other parts ("auto" chooses again within them). repeats: how often the rows are divided anew, by default 3
    times for up to 20,000 rows and once for more; results are means, which hang less on chance. margin: the smallest
    calibration error that is worth removing.

    What is estimated is the improvement by a map that was fitted to (folds - 1) / folds of these rows, the mean over
    the maps that were fitted here; the map of all rows is about as good or a little better. Squared calibration errors
    are those of bins within a fold, debiased. Intervals are paired jackknives over rows or clusters, with a variance
    added for what folds share (docs/recalibration.md has the formula, and the simulations that check it).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(3000)
    >>> y = rng.random(3000) < q**2 / (q**2 + (1 - q) ** 2)
    >>> found = evaluate_recalibration(y, q, method="temperature")
    >>> found.kind, found.error_before.low > 0.05, found.brier.improvement.low > 0
    ('improves', True, True)

    Raises InputError naming the parameter, the row and the value that violated a rule.
    Source: Bayle, Bayle, Janson & Mackey (2020), for intervals by cross-validation.
    """
    data = labelled_from(
        y_true, y_prob, logits=logits, clusters=clusters, sample_weight=sample_weight, classes=classes,
        pos_label=pos_label,
    )  # fmt: skip
    return cross_fitted_evaluation(
        data, method=method, folds=folds, repeats=repeats, level=level, margin=margin, floor=floor, bins=bins,
        penalty=penalty, rng=rng,
    )  # fmt: skip


def recalibration_table(
    y_true: Any,
    y_prob: Any = None,
    *,
    logits: Any = None,
    methods: Sequence[str] = ("auto",),
    groups: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    classes: Sequence[object] | None = None,
    pos_label: Any = None,
    folds: int = 5,
    repeats: int | None = None,
    level: float = 0.95,
    margin: float = MARGIN,
    adjust: str | None = "holm",
    floor: float | None = None,
    bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
) -> RecalibrationTable:
    """`evaluate_recalibration` of each group by itself and of each of several methods, in one table.

    groups (n,): the group of each row, which gets a map of its own. methods: names. All methods are evaluated on the
    same folds. adjust: of the p-values, "holm", "bh" or None; intervals and verdicts are each row's own, so of many
    rows some are wrong by chance. The other arguments are those of `evaluate_recalibration`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(2000)
    >>> y = rng.random(2000) < q**2 / (q**2 + (1 - q) ** 2)
    >>> found = recalibration_table(y, q, methods=["temperature", "histogram"], repeats=1)
    >>> [(row.method, row.kind) for row in found]
    [('temperature', 'improves'), ('histogram', 'improves')]

    Raises InputError naming the parameter, the row and the value that violated a rule.
    """
    if isinstance(methods, str) or len(methods) == 0 or len(set(methods)) < len(methods):
        raise InputError(f"methods must be a list of different names, one or more; it is {methods!r}.")
    data = labelled_from(
        y_true, y_prob, logits=logits, groups=groups, clusters=clusters, sample_weight=sample_weight, classes=classes,
        pos_label=pos_label,
    )  # fmt: skip
    how: dict[str, Any] = {"folds": folds, "repeats": repeats, "level": level, "margin": margin, "floor": floor}
    return table_of(data, methods=methods, adjust=adjust, bins=bins, penalty=penalty, rng=rng, **how)


def table_of(
    data: Labelled,
    *,
    methods: Sequence[str],
    adjust: str | None,
    bins: int = BINS,
    penalty: float | None = None,
    **how: Any,
) -> RecalibrationTable:
    """`recalibration_table` of checked rows; `bins` and `penalty` are told to the methods that take them."""
    found = []
    for name, rows in by_group(data):
        group = replace(data.only(rows), groups=None, group_names=())
        with rows_of_all(rows, before="" if name is None else f"group {name!r}: "):
            for method in methods:
                told: dict[str, Any] = {"bins": bins} if method in ("auto", "histogram") else {}
                told |= {"penalty": penalty} if method in ("auto", "dirichlet", "matrix") else {}
                found.append(cross_fitted_evaluation(group, method=method, name=name, **told, **how))
    return joined(found, n=len(data), adjust=adjust, methods=methods)


def joined(
    rows: Sequence[RecalibrationEvaluation], *, n: int, adjust: str | None, methods: Sequence[str]
) -> RecalibrationTable:
    """Evaluations in one table, their p-values adjusted."""
    p_values = adjust_p_values([row.p_value for row in rows], method=adjust)
    shared = {name: rows[0].recipe.get(name) for name in ("folds", "repeats", "seed", "floor", "level", "margin")}
    recipe = {"howsure": __version__, "n": n, "methods": list(methods), "rows": len(rows), **shared, "adjust": adjust}
    return RecalibrationTable(tuple(rows), tuple(p_values.tolist()), recipe)


def by_group(data: Labelled) -> list[tuple[str | None, Integers]]:
    """The rows of each group by its name; or all of them."""
    if data.groups is None:
        return [(None, np.arange(len(data)))]
    return [(name, np.flatnonzero(data.groups == code)) for code, name in enumerate(data.group_names)]
