"""Pair the rows of two models by item id, or by order in files of equal length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.predictions import Predictions
from howsure.errors import InputError
from howsure.inputs.frames import ITEM, ITEM_HASH
from howsure.inputs.matching import (
    PairedRows,
    ReadOfBoth,
    ReadOfModel,
    check_same_size,
    paired_by_documents,
    shared_rows,
)
from howsure.inputs.pairs import TOP_LABEL, Integers, Pairs


def paired_rows(
    a: Predictions,
    b: Predictions,
    *,
    model_names: Sequence[str],
    targets: Sequence[str | None],
    own_labels: bool,
    skip_missing: bool,
) -> PairedRows:
    """Return pairs of the rows that both models have, in the order of ids or, without ids, of the files.

    Rows that only one model has are refused or, with `skip_missing`, left out.
    """
    names = (a.selection.table.name, b.selection.table.name)
    keys = _keys(a, b, names)
    shared = shared_rows(*keys, names=names)
    if ITEM in str(a.columns.get("id")).split(","):
        tables = [model.selection.table for model in (a, b)]
        if all(ITEM_HASH in table.columns for table in tables):
            hashes = [model.selection.values(model.selection.table.columns[ITEM_HASH].text) for model in (a, b)]
            shared = paired_by_documents(shared, *hashes, ids=keys[0])
    pairs_a, pairs_b = a.pairs(), b.pairs()
    if (len(pairs_a) // a.selection.n, pairs_a.group_names) != (len(pairs_b) // b.selection.n, pairs_b.group_names):
        raise InputError(
            f"both models must have the same classes; {a.selection.table.name} has {', '.join(pairs_a.group_names)}, "
            f"{b.selection.table.name} has {', '.join(pairs_b.group_names)}."
        )
    first, other = _select_rows(pairs_a, shared.a, a.selection.n), _select_rows(pairs_b, shared.b, b.selection.n)
    if not own_labels:
        _check_labels(a, b, shared.b, first, other)
    shared.check_all(skip_missing=skip_missing)
    other = replace(other, clusters=_same_clusters(first.clusters, other.clusters))
    only = (shared.only_a, shared.only_b)
    read_a, read_b = (
        ReadOfModel(name, target, sum(model.skipped.values()), model.selection.others, missing)
        for name, target, model, missing in zip(model_names, targets, (a, b), only, strict=True)
    )
    first_choices = a.notes.get("reduce") == TOP_LABEL
    provenance = ReadOfBoth(read_a, read_b, own_labels, first_choices, a.notes.get("where"), shared.note)
    return PairedRows(first, other, own_labels, provenance, shared.notes_on_rows)


def _keys(a: Predictions, b: Predictions, names: tuple[str, str]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the keys of each model's used rows, in the order of its pairs: ids as strings, or row indices."""
    if "id" in a.columns:
        ids = [
            predictions.selection.values(predictions.selection.table.columns[predictions.columns["id"]].text)
            for predictions in (a, b)
        ]
        return ids[0].astype(np.str_), ids[1].astype(np.str_)
    check_same_size((a.selection.total, b.selection.total), names=names)
    return a.selection.positions(), b.selection.positions()


def _select_rows(pairs: Pairs, rows: Integers, n: int) -> Pairs:
    """Select the pairs of some of n rows; class-wise pairs are ordered by class."""
    k = len(pairs) // n
    places = (np.arange(k)[:, None] * n + rows).ravel()
    groups, clusters = (None if codes is None else codes[places] for codes in (pairs.groups, pairs.clusters))
    return replace(
        pairs.select(places), groups=groups, group_names=pairs.group_names, clusters=clusters, notes=pairs.notes
    )


def _check_labels(a: Predictions, b: Predictions, rows_b: Integers, pairs_a: Pairs, other: Pairs) -> None:
    differs = np.flatnonzero(pairs_a.labels != other.labels)
    if len(differs):
        place = b.selection.table.place_of(int(b.selection.positions()[rows_b[differs[0] % len(rows_b)]]))
        order = "" if "id" in a.columns else " Are the rows in a different order? Match them: `id='COL'`."
        raise InputError(
            f"both models must be evaluated on the same rows; the label of {place} is not that of "
            f"{a.selection.table.name}.{order} Does the label say whether the model's own answer is right? Then name "
            "one for each model: `y_true='COL'` `y_true_against='COL'`."
        )


def _same_clusters(first: Integers | None, other: Integers | None) -> Integers | None:
    """Return one model's clusters. Raises InputError if the two models' clusters divide the rows differently."""
    if first is None or other is None:
        return other if first is None else first
    pairs = len(np.unique(np.stack([first, other]), axis=1)[0])
    if not pairs == len(np.unique(first)) == len(np.unique(other)):
        raise InputError("both models must be evaluated on the same rows; their clusters are not the same.")
    return first
