"""From the scores of a mention-ranking model to probabilities: a softmax over earlier mentions and "new"."""

from __future__ import annotations

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents, as_matrix, as_vector, from_matrix
from howsure.errors import InputError
from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Floats

PLACES = ("first", "last", "diagonal")


def from_scores(scores: object, *, null: object) -> Antecedents:
    """The softmax of every row over the antecedents k < j and the null score, which represents "new".

    Raises InputError for NaN, for a row without a finite score, and for a score that links to a later mention.
    """
    links, new = _split(as_matrix(scores, name="scores"), null)
    m = len(new)
    for name, held in (("scores", links), ("null", new[:, None])):
        wrong = np.argwhere(np.isnan(held) | (held == np.inf))
        if len(wrong):
            j, k = wrong[0].tolist()
            where = f"row {j}, column {k}" if name == "scores" else f"row {j}"
            raise InputError(
                f"{name} must be finite, or -inf where there is no link; {where} holds {float(held[j, k])!r}."
            )
    earlier = np.tri(m, k=-1, dtype=np.bool_)
    joined = np.where(earlier, links, -np.inf)
    np.fill_diagonal(joined, new)
    highest = joined.max(axis=1, initial=-np.inf)
    if m and not bool(np.isfinite(highest).all()):
        row = int(np.flatnonzero(~np.isfinite(highest))[0])
        raise InputError(f"a mention needs one finite score, of an antecedent or of 'new'; row {row} has none.")
    _refuse_later(links, earlier, highest)
    with np.errstate(under="ignore", over="ignore"):
        weights = np.exp(joined - highest[:, None])
    return from_matrix(weights / weights.sum(axis=1, keepdims=True))


def _split(matrix: Floats, null: object) -> tuple[Floats, Floats]:
    """The scores of antecedents (M, M) and those of "new" (M,)."""
    m = len(matrix)
    if isinstance(null, str):
        if null not in PLACES:
            raise InputError(f"null must be 'first', 'last', 'diagonal', a number or one per mention; it is {null!r}.")
        shape = (m, m) if null == "diagonal" else (m, m if m == 0 and matrix.shape[1] == 0 else m + 1)
        if matrix.shape != shape:
            raise InputError(f"scores with null={null!r} must have the shape {shape}; it is {matrix.shape}.")
        if null == "diagonal":
            links = matrix.copy()
            np.fill_diagonal(links, -np.inf)
            return links, matrix.diagonal().copy()
        if m == 0:
            return np.empty((0, 0)), np.empty(0)
        return (matrix[:, 1:], matrix[:, 0]) if null == "first" else (matrix[:, :-1], matrix[:, -1])
    new = np.full(m, float(null)) if is_number(null) else as_vector(null, name="null")
    if matrix.shape != (m, m) or new.shape != (m,):
        raise InputError(
            f"scores must have the shape (M, M) and null one value per mention; they have {matrix.shape}, {new.shape}. "
            "Where 'new' is a column of scores: null='first' or null='last'."
        )
    return matrix, new


def _refuse_later(links: Floats, earlier: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], highest: Floats) -> None:
    """Masked scores (-inf, or so low that their probability is 0) are allowed above the diagonal; others are not."""
    with np.errstate(under="ignore", over="ignore"):
        wrong = np.argwhere(~earlier & (np.exp(np.minimum(links - highest[:, None], 0.0)) > 0.0))
    if len(wrong):
        j, k = wrong[0].tolist()
        which = "itself" if j == k else f"mention {k}, which comes later"
        raise InputError(
            f"scores must be masked with -inf where k ≥ j; row {j} holds {float(links[j, k])!r} for {which}. "
            "Are the mentions in text order? Mask: scores[~np.tri(len(scores), k=-1, dtype=bool)] = -np.inf."
        )
