"""Scores of a few antecedents per mention, as models keep them that prune: rows of positions and of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents, as_vector
from howsure.errors import InputError, shown
from howsure.inputs.checks import array_of
from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Floats, Integers

COLUMNS = {"first": 0, "last": -1}


def from_listed_scores(scores: Any, *, antecedents: Any, null: object) -> Antecedents:
    """The softmax of every row over its antecedents and the null score, which represents "new".

    Where a score is masked (-inf, or so low that its probability is 0), the position does not matter.

    Raises InputError naming the row with NaN, without a finite score, or with an antecedent that is repeated or not
    earlier.
    """
    for name, rows in (("scores", scores), ("antecedents", antecedents)):
        if not hasattr(rows, "__len__") or not hasattr(rows, "__getitem__") or isinstance(rows, str | dict):
            raise InputError(f"{name} must have one row per mention; it is {type(rows).__name__}.")
    m = len(scores)
    if len(antecedents) != m:
        raise InputError(f"antecedents must have a row for each of {m} mentions; they have {len(antecedents)}.")
    split = [_split(as_vector(scores[j], name=f"row {j} of scores"), null, j) for j in range(m)]
    new = _null(null, [one for _, one in split], m)
    found = [_softmax(j, split[j][0], antecedents[j], float(new[j])) for j in range(m)]
    return Antecedents(
        np.array([p_new for _, _, p_new in found], dtype=np.float64),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([len(k) for k, _, _ in found], dtype=np.int64)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(k for k, _, _ in found)]),
        np.concatenate([np.empty(0), *(p for _, p, _ in found)]),
    )


def _split(row: Floats, null: object, j: int) -> tuple[Floats, float]:
    """The scores of antecedents in a row, and that of "new", if it is one of its columns."""
    if not isinstance(null, str):
        return row, 0.0
    if null not in COLUMNS:
        raise InputError(
            f"null must be 'first', 'last', a number or one per mention beside antecedents; it is {null!r}."
        )
    if len(row) == 0:
        raise InputError(f"scores must have null as their {null} column; row {j} is empty.")
    return (row[1:], float(row[0])) if null == "first" else (row[:-1], float(row[-1]))


def _null(null: object, in_rows: Sequence[float], m: int) -> Floats:
    if isinstance(null, str):
        return np.array(in_rows, dtype=np.float64)
    new = np.full(m, float(null)) if is_number(null) else as_vector(null, name="null")
    if len(new) != m:
        raise InputError(f"null must be one number or one per mention; there are {len(new)} for {m} mentions.")
    return new


def _softmax(j: int, scores: Floats, antecedents: Any, null: float) -> tuple[Integers, Floats, float]:
    """The antecedents of a mention that have a probability, ascending, these, and P(new)."""
    places = array_of(antecedents)
    if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
        raise InputError(f"antecedents must be positions of mentions from 0; row {j} holds {shown(places.tolist())}.")
    if len(places) != len(scores):
        raise InputError(f"row {j} has {len(places)} antecedents and {len(scores)} scores; give one for each.")
    for name, value in (*(("scores", one) for one in scores.tolist()), ("null", null)):
        if np.isnan(value) or value == np.inf:
            raise InputError(f"{name} must be finite, or -inf where there is no link; row {j} holds {value!r}.")
    highest = max(float(scores.max(initial=-np.inf)), null)
    if highest == -np.inf:
        raise InputError(f"a mention needs one finite score, of an antecedent or of 'new'; row {j} has none.")
    with np.errstate(under="ignore", over="ignore"):
        weights, new = np.exp(scores - highest), float(np.exp(null - highest))
    linked = weights > 0.0
    k, p = places[linked].astype(np.int64), weights[linked]
    wrong = k[(k < 0) | (k >= j)]
    if len(wrong):
        raise InputError(
            f"antecedents must be earlier mentions; row {j} holds {int(wrong[0])}, whose score is not masked. Are the "
            "mentions in text order?"
        )
    order = np.argsort(k, kind="stable")
    k, p = k[order], p[order]
    if len(k) > 1 and not bool((np.diff(k) > 0).all()):
        raise InputError(f"row {j} names antecedent {int(k[1:][np.diff(k) == 0][0])} twice.")
    total = float(p.sum()) + new
    return k, p / total, new / total
