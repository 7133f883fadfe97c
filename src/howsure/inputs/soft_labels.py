"""Soft labels as pairs: what share of annotators chose a class, in the place of whether it is the label."""

from __future__ import annotations

import numpy as np

from howsure.inputs.classes import CLASS_WISE, TOP_LABEL
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats, Integers, Pairs


def softly_reduced(
    shares: Floats,
    matrix: Floats,
    names: tuple[str, ...],
    *,
    reduce: str,
    weights: Floats | None = None,
    groups: Integers | None = None,
    group_names: tuple[str, ...] = (),
    clusters: Integers | None = None,
) -> Pairs:
    """The pairs of checked rows whose labels are distributions: `shares` (n, K), `matrix` (n, K) of probabilities.

    A label of share s is the label of an annotator drawn at random: a pair with label 1 and weight s, and one with
    label 0 and weight 1 - s. All pairs of a row are one cluster, unless `clusters` says more.

    >>> pairs = softly_reduced(np.array([[0.25, 0.75]]), np.array([[0.1, 0.9]]), ("no", "yes"), reduce="yes")
    >>> pairs.labels.tolist(), pairs.weights.tolist(), pairs.probabilities.tolist(), pairs.clusters.tolist()
    ([1, 0], [0.75, 0.25], [0.9, 0.9], [0, 0])
    """
    n, k = matrix.shape
    rows = np.arange(n)
    if reduce == CLASS_WISE:
        row, column = np.tile(rows, k), np.repeat(np.arange(k), n)
        groups, group_names = column, names
    elif reduce == TOP_LABEL:
        row, column = rows, matrix.argmax(axis=1)
    elif reduce in names:
        row, column = rows, np.full(n, names.index(reduce))
    else:
        raise unknown_name("class", reduce, names, place="the predictions (and no reduction: top-label, class-wise)")
    share = shares[row, column]
    place = np.repeat(np.arange(len(row)), 2)  # of each pair: first of label 1, then of label 0
    label = np.tile(np.array([1, 0], np.uint8), len(row))
    weight = np.where(label == 1, share[place], 1.0 - share[place])
    if weights is not None:
        weight = weight * weights[row][place]
    kept = np.flatnonzero(np.where(label == 1, share[place] > 0, share[place] < 1))
    place = place[kept]
    return Pairs(
        label[kept],
        matrix[row, column][place] + 0.0,
        weight[kept],
        groups=None if groups is None else (groups if reduce == CLASS_WISE else groups[row])[place],
        group_names=group_names,
        clusters=(rows if clusters is None else clusters)[row][place],
        reduction=TOP_LABEL if reduce == TOP_LABEL else CLASS_WISE,
    )
