"""From what a user holds to checked pairs: arrays, lists, series, or the columns of a data frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import check_clusters, check_codes, check_labels, check_probabilities, check_weights
from howsure.inputs.frames import columns_from, is_frame
from howsure.inputs.pairs import Pairs


def pairs_from(
    y_true: Any,
    y_prob: Any,
    *,
    data: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    prob_name: str = "y_prob",
) -> Pairs:
    """Check everything once and return `Pairs`.

    With `data` (a data frame of any library that narwhals knows) the other arguments are names of its columns.

    Raises InputError naming the parameter, the row and the value that broke a rule.
    """
    if data is not None:
        y_true, y_prob, sample_weight, groups, clusters = columns_of(
            data, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups, clusters=clusters
        )
    _refuse_classes(y_prob, prob_name)
    labels = check_labels(y_true, pos_label=pos_label)
    n = len(labels)
    codes, names = (None, ()) if groups is None else check_codes(groups, n=n, name="groups")
    return Pairs(
        labels,
        check_probabilities(y_prob, name=prob_name, n=n),
        None if sample_weight is None else check_weights(sample_weight, n=n),
        codes,
        names,
        None if clusters is None else check_clusters(clusters, n=n),
    )


def _refuse_classes(y_prob: Any, name: str) -> None:
    """Raise InputError for a matrix of three columns or more, before its labels are refused for being as many."""
    shape = tuple(getattr(y_prob, "shape", ()))
    if isinstance(y_prob, (list, tuple)) and y_prob and isinstance(y_prob[0], (list, tuple, np.ndarray)):
        shape = (len(y_prob), len(y_prob[0]))
    if len(shape) == 2 and shape[1] > 2:
        raise InputError(
            f"{name} must have one dimension; its shape is {shape}, a column a class. Make pairs of a probability and "
            f"a label by howsure.pairs_from_classes(y_true, {name}), and judge their labels and probabilities."
        )


def columns_of(data: Any, **named: Any) -> list[Any]:
    """The columns of a data frame that the arguments name, in their order; None stays None."""
    if not is_frame(data):
        raise InputError(f"data must be a data frame, not {type(data).__name__}; pass arrays without data=")
    for parameter, name in named.items():
        if name is not None and not isinstance(name, str):
            raise InputError(f"with data=, {parameter} must name a column, not be a {type(name).__name__}")
    found = iter(columns_from(data, [name for name in named.values() if name is not None]))
    return [None if name is None else next(found) for name in named.values()]
