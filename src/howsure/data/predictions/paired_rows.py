"""The rows shared by two models: by item id, or by position in files of equal length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.loading import load_values
from howsure.data.predictions.predictions import Predictions
from howsure.errors import InputError, parameter
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Integers, Pairs


@dataclass(frozen=True, slots=True)
class PairedRows:
    """The pairs of the rows shared by both models, in the same order.

    `skipped_a` and `skipped_b` rows have missing values, `left_out_a` and `left_out_b` ones do not satisfy `where`;
    `only_a` and `only_b` others are missing from the other model.
    """

    a: Pairs
    b: Pairs
    only_a: int
    only_b: int
    skipped_a: int
    skipped_b: int
    where: str | None = None
    left_out_a: int = 0
    left_out_b: int = 0
    own_labels: bool = False
    names: tuple[str, str] = ("", "")

    @property
    def said(self) -> list[str]:
        """Which rows were left out because one model has none."""
        only = zip((self.only_a, self.only_b), self.names, strict=True)
        counts = [f"{counted(n, 'row')} of {name}" for n, name in only if n]
        return [f"left out because one model has none: {', '.join(counts)}"] if counts else []


def paired_rows(a: Predictions, b: Predictions, *, own_labels: bool, skip_missing: bool) -> PairedRows:
    """The pairs of the rows that both have, in the order of their ids, or of the files where no ids are named.

    Rows that only one has are refused, or with `skip_missing` left out.

    Raises InputError if files of different length have no ids, no row is in both, the labels of a row differ (unless
    each model has its own), or the rows are not the same ones: other classes, other clusters.
    """
    keys_a, keys_b = _keys(a, b)
    _, rows_a, rows_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
    if not len(rows_a):
        raise InputError(f"no row of {a.selection.table.name} is one of {b.selection.table.name}; are the ids those?")
    pairs_a, pairs_b = a.pairs(), b.pairs()
    if (len(pairs_a) // a.selection.n, pairs_a.group_names) != (len(pairs_b) // b.selection.n, pairs_b.group_names):
        raise InputError(
            f"both models must know the same classes; {a.selection.table.name} has {', '.join(pairs_a.group_names)}, "
            f"{b.selection.table.name} has {', '.join(pairs_b.group_names)}."
        )
    one, other = _some(pairs_a, rows_a, a.selection.n), _some(pairs_b, rows_b, b.selection.n)
    if not own_labels:
        _check_labels(a, b, rows_b, one, other)
    only_a, only_b = len(keys_a) - len(rows_a), len(keys_b) - len(rows_b)
    if not skip_missing and (only_a or only_b):
        raise InputError(
            f"both models must be evaluated on the same rows; {counted(only_a, 'row')} only of "
            f"{a.selection.table.name}, {only_b:,} only of {b.selection.table.name}. Leave them out with "
            f"{parameter('skip_missing', True)}."
        )
    other = replace(other, clusters=_same_clusters(one.clusters, other.clusters))
    return PairedRows(
        one,
        other,
        only_a=only_a,
        only_b=only_b,
        skipped_a=sum(a.skipped.values()),
        skipped_b=sum(b.skipped.values()),
        where=a.notes.get("where"),
        left_out_a=a.selection.others,
        left_out_b=b.selection.others,
        own_labels=own_labels,
        names=(a.selection.table.name, b.selection.table.name),
    )


def _keys(a: Predictions, b: Predictions) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """What tells the used rows of each apart, in the order of its pairs: ids as text, or positions."""
    if "id" in a.columns:
        ids = [load_values(one.selection, one.selection.table.columns[one.columns["id"]].text) for one in (a, b)]
        return ids[0].astype(np.str_), ids[1].astype(np.str_)
    if a.selection.total != b.selection.total:
        sizes = ", ".join(f"{one.selection.table.name} has {one.selection.total:,}" for one in (a, b))
        raise InputError(
            f"both models must be evaluated on the same rows; {sizes}. Match them by id: {parameter('id', 'COL')}."
        )
    return a.selection.positions(), b.selection.positions()


def _some(pairs: Pairs, rows: Integers, n: int) -> Pairs:
    """The pairs of some of n rows; with several classes, the pairs of one class after those of another."""
    k = len(pairs) // n
    places = (np.arange(k)[:, None] * n + rows).ravel()
    groups, clusters = (None if codes is None else codes[places] for codes in (pairs.groups, pairs.clusters))
    return replace(pairs.only(places), groups=groups, group_names=pairs.group_names, clusters=clusters)


def _check_labels(a: Predictions, b: Predictions, rows_b: Integers, one: Pairs, other: Pairs) -> None:
    differs = np.flatnonzero(one.labels != other.labels)
    if len(differs):
        place = b.selection.table.place_of(int(b.selection.positions()[rows_b[differs[0] % len(rows_b)]]))
        order = (
            "" if "id" in a.columns else f" Are the rows in a different order? Match them: {parameter('id', 'COL')}."
        )
        raise InputError(
            f"both models must be evaluated on the same rows; the label of {place} is not that of "
            f"{a.selection.table.name}.{order} Does the label say whether the model's own answer is right? "
            f"Then name that of each: {parameter('y_true', 'COL')} for the one, {parameter('y_true', 'COL')} for the "
            "other."
        )


def _same_clusters(one: Integers | None, other: Integers | None) -> Integers | None:
    """The clusters of A for B too, where both part the rows alike.

    Raises InputError where they do not.
    """
    if one is None or other is None:
        return other
    pairs = len(np.unique(np.stack([one, other]), axis=1)[0])
    if not pairs == len(np.unique(one)) == len(np.unique(other)):
        raise InputError("both models must be evaluated on the same rows; their clusters are not the same.")
    return one
