"""Antecedent distributions, and their computation from the scores of mention-ranking models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, quote
from howsure.inputs.checks import as_array, probability_advice
from howsure.inputs.classes import SUM_TOLERANCE
from howsure.inputs.numbers_and_names import is_number
from howsure.inputs.pairs import Floats, Integers

# An antecedent distribution contains, for every mention, the probabilities of its antecedents and of "new".


@dataclass(frozen=True, slots=True)
class Antecedents:
    """The checked antecedent distributions of M mentions in text order, without antecedents of probability 0.

    new (M,): P(mention j starts an entity). A link is a mention j with a possible antecedent k < j; there are L links.
    antecedents, probabilities (L,): k and P(a_j = k) of each link. The links of mention j are at the indices
    `starts[j]` to `starts[j + 1]` - 1, in ascending order of k.
    """

    new: Floats
    starts: Integers
    antecedents: Integers
    probabilities: Floats

    def __len__(self) -> int:
        return len(self.new)

    def row(self, mention: int) -> tuple[Integers, Floats]:
        """Return the antecedents of a mention, and their probabilities."""
        links = slice(self.starts[mention], self.starts[mention + 1])
        return self.antecedents[links], self.probabilities[links]

    def sources(self) -> Integers:
        """Return the mention j of each link, (L,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def from_matrix(probabilities: object) -> Antecedents:
    """Check a matrix (M, M); return its distributions: row j has P(a_j = k) for k < j and, on the diagonal, P(new)."""
    matrix = as_matrix(probabilities, name="probabilities")
    m = len(matrix)
    if matrix.shape != (m, m):
        raise InputError(
            "probabilities must have the shape (M, M), antecedents below the diagonal and 'new' on it; it is "
            f"{matrix.shape}. If 'new' has its own column, use from_scores or from_rows."
        )
    sums = matrix.sum(axis=1)
    if m and not (matrix.min() >= 0.0 and float(np.abs(sums - 1.0).max()) <= SUM_TOLERANCE):
        raise _first_fault(matrix, sums)
    earlier = np.tri(m, k=-1, dtype=np.bool_)
    later = np.argwhere((matrix != 0.0) & earlier.T)
    if len(later):
        j, k = later[0].tolist()
        raise InputError(
            f"probabilities must be 0 above the diagonal: `matrix row {j}` gives {float(matrix[j, k])!r} to mention "
            f"{k}, which comes later. Are the mentions in text order? Is the matrix transposed?"
        )
    links = earlier & (matrix != 0.0)
    new = matrix.diagonal() / sums
    counts = np.count_nonzero(links, axis=1)
    _, antecedents = np.nonzero(links)
    return Antecedents(new, _starts(counts), antecedents, matrix[links] / np.repeat(sums, counts))


def from_rows(antecedents: Sequence[Any], probabilities: Sequence[Any], new: object) -> Antecedents:
    """Check lists with the antecedents of each mention, their probabilities and P(new); return the distributions."""
    starting = as_vector(new, name="new")
    m = len(starting)
    for name, rows in (("antecedents", antecedents), ("probabilities", probabilities)):
        if not hasattr(rows, "__len__") or not hasattr(rows, "__getitem__") or isinstance(rows, Mapping):
            raise InputError(f"{name} must be a list with one row per mention; it is {type(rows).__name__}.")
        if len(rows) != m:
            raise InputError(f"{name} must have a row for each of the {m} mentions in new; it has {len(rows)}.")
    checked = [_check_row(j, antecedents[j], probabilities[j], float(starting[j])) for j in range(m)]
    counts = np.array([len(ks) for ks, _, _ in checked], dtype=np.int64)
    return Antecedents(
        np.array([p_new for _, _, p_new in checked], dtype=np.float64),
        _starts(counts),
        np.concatenate([ks for ks, _, _ in checked]) if m else np.empty(0, dtype=np.int64),
        np.concatenate([ps for _, ps, _ in checked]) if m else np.empty(0),
    )


def as_matrix(values: object, *, name: str) -> Floats:
    """Convert user input (an array, lists, a tensor) to a float64 matrix; empty input becomes a matrix (0, 0)."""
    matrix = _array(values, name)
    if matrix.size == 0 and matrix.ndim == 1:
        return np.empty((0, 0))
    if matrix.ndim != 2:
        advice = f" Take one document: {name}[0]." if matrix.ndim == 3 else ""
        raise InputError(f"{name} must have two dimensions; its shape is {matrix.shape}.{advice}")
    return matrix


def as_vector(values: object, *, name: str) -> Floats:
    """Convert user input to a float64 vector."""
    vector = _array(values, name)
    if vector.ndim != 1:
        raise InputError(f"{name} must have one dimension; its shape is {vector.shape}.")
    return vector


def _array(values: object, name: str) -> Floats:
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(
            f"{name} must not be masked; fill it: .filled(0.0) for probabilities, .filled(-np.inf) for scores."
        )
    if hasattr(values, "tocoo"):
        raise InputError(
            f"{name} must be a dense matrix; convert a sparse one with .toarray(), or use CorefPosterior.from_rows."
        )
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("they are complex")
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, RuntimeError) as error:
        advice = "torch: pass tensor.detach().cpu().numpy()" if hasattr(values, "detach") else "rows of equal length"
        raise InputError(f"{name} cannot be read as numbers ({error}); {advice}.") from error


def _first_fault(matrix: Floats, sums: Floats) -> InputError:
    outside = np.argwhere(~((matrix >= 0.0) & (matrix <= 1.0)))
    if len(outside):
        j, k = outside[0].tolist()
        return _probability_error(j, k, float(matrix[j, k]), float(matrix.max()))
    return _sum_error(int(np.flatnonzero(np.abs(sums - 1.0) > SUM_TOLERANCE)[0]), sums)


def _probability_error(row: int, column: int, value: float, highest: float) -> InputError:
    advice = (
        "A model that gives NaN has no posterior: check its scores."
        if np.isnan(value)
        else "For logits, use CorefPosterior.from_scores."
        if value < 0.0 or value > 2.0
        else probability_advice(value, highest, transform="softmax")
    )
    return InputError(
        f"probabilities must be between 0 and 1; `matrix row {row}` is {value!r} for antecedent {column}. {advice}"
    )


def _sum_error(row: int, sums: Floats | Sequence[float]) -> InputError:
    return InputError(
        f"the antecedents of a mention and 'new' must sum to 1 (within {SUM_TOLERANCE}); `matrix row {row}` sums to "
        f"{float(sums[row]):.6g}. Normalise the rows, or pass logits to CorefPosterior.from_scores."
    )


def _check_row(j: int, antecedents: object, probabilities: object, new: float) -> tuple[Integers, Floats, float]:
    p = as_vector(probabilities, name=f"probabilities[{j}]")
    k = _whole_numbers(antecedents, j)
    if k.shape != p.shape:
        raise InputError(f"`matrix row {j}` has {len(k)} antecedents and {len(p)} probabilities; give one for each.")
    if len(k) and not (k.min() >= 0 and k.max() < j):
        wrong = k[(k < 0) | (k >= j)][0]
        allowed = f"0 to {j - 1}" if j else "an empty list"
        raise InputError(
            f"antecedents must be earlier mentions; `matrix row {j}` contains {wrong}, but may "
            f"contain only {allowed}. Sort mentions by their position in the text, and leave out padding."
        )
    order = np.argsort(k, kind="stable")
    k, p = k[order], p[order]
    if len(k) > 1 and not bool((np.diff(k) > 0).all()):
        raise InputError(
            f"`matrix row {j}` names antecedent {k[1:][np.diff(k) == 0][0]} twice; add up its probabilities."
        )
    for column, value in zip([*k.tolist(), "new"], [*p.tolist(), new], strict=True):
        if not 0.0 <= value <= 1.0:
            raise _probability_error(j, column, value, value)
    total = float(p.sum()) + new
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise _sum_error(0, [total]) if j == 0 else _sum_error(j, [total] * (j + 1))
    links = p > 0.0
    return k[links], p[links] / total, new / total


def _whole_numbers(antecedents: object, row: int) -> Integers:
    k = as_array(antecedents)
    if k.ndim == 1 and (k.size == 0 or k.dtype.kind in "iu"):
        return k.astype(np.int64)
    raise InputError(
        f"antecedents must be whole numbers, indices of mentions from 0; `matrix row {row}` is {quote(k.tolist())}."
    )


def _starts(counts: npt.NDArray[np.integer[Any]]) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


# Scores of models that prune antecedents: for each mention, the indices of a few antecedents and their scores.

COLUMNS = {"first": 0, "last": -1}


def from_listed_scores(scores: Any, *, antecedents: Any, null: object) -> Antecedents:
    """Return the softmax of every row over its antecedents and the null score, which represents "new".

    If a score is masked (-inf, or so low that its probability is 0), its antecedent is ignored.
    """
    for name, rows in (("scores", scores), ("antecedents", antecedents)):
        if not hasattr(rows, "__len__") or not hasattr(rows, "__getitem__") or isinstance(rows, str | dict):
            raise InputError(f"{name} must have one row per mention; it is {type(rows).__name__}.")
    m = len(scores)
    if len(antecedents) != m:
        raise InputError(f"antecedents must have a row for each of {m} mentions; they have {len(antecedents)}.")
    split = [_split_row(as_vector(scores[j], name=f"row {j} of scores"), null, j) for j in range(m)]
    new = _null(null, [null_score for _, null_score in split], m)
    distributions = [_softmax(j, split[j][0], antecedents[j], float(new[j])) for j in range(m)]
    return Antecedents(
        np.array([p_new for _, _, p_new in distributions], dtype=np.float64),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([len(k) for k, _, _ in distributions], dtype=np.int64)]),
        np.concatenate([np.empty(0, dtype=np.int64), *(k for k, _, _ in distributions)]),
        np.concatenate([np.empty(0), *(p for _, p, _ in distributions)]),
    )


def _split_row(row: Floats, null: object, j: int) -> tuple[Floats, float]:
    """Split a row into the scores of antecedents and the score of "new", if that is one of the columns."""
    if not isinstance(null, str):
        return row, 0.0
    if null not in COLUMNS:
        raise InputError(
            f"null must be 'first', 'last', a number or one per mention in addition to antecedents; it is {null!r}."
        )
    if len(row) == 0:
        raise InputError(f"scores must have null as their {null} column; `matrix row {j}` is empty.")
    return (row[1:], float(row[0])) if null == "first" else (row[:-1], float(row[-1]))


def _null(null: object, in_rows: Sequence[float], m: int) -> Floats:
    if isinstance(null, str):
        return np.array(in_rows, dtype=np.float64)
    new = np.full(m, float(null)) if is_number(null) else as_vector(null, name="null")
    if len(new) != m:
        raise InputError(f"null must be one number or one per mention; there are {len(new)} for {m} mentions.")
    return new


def _softmax(j: int, scores: Floats, antecedents: Any, null: float) -> tuple[Integers, Floats, float]:
    """Return the antecedents of a mention with a positive probability (ascending), their probabilities, and P(new)."""
    places = as_array(antecedents)
    if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
        raise InputError(
            f"antecedents must be indices of mentions from 0; `matrix row {j}` is {quote(places.tolist())}."
        )
    if len(places) != len(scores):
        raise InputError(f"`matrix row {j}` has {len(places)} antecedents and {len(scores)} scores; give one for each.")
    for name, value in (*(("scores", score) for score in scores.tolist()), ("null", null)):
        if np.isnan(value) or value == np.inf:
            raise InputError(
                f"{name} must be finite, or -inf for antecedents that were not scored; `matrix row {j}` contains "
                f"{value!r}."
            )
    highest = max(float(scores.max(initial=-np.inf)), null)
    if highest == -np.inf:
        raise InputError(f"a mention needs one finite score, of an antecedent or of 'new'; `matrix row {j}` has none.")
    with np.errstate(under="ignore", over="ignore"):
        weights, new = np.exp(scores - highest), float(np.exp(null - highest))
    linked = weights > 0.0
    k, p = places[linked].astype(np.int64), weights[linked]
    wrong = k[(k < 0) | (k >= j)]
    if len(wrong):
        raise InputError(
            f"antecedents must be earlier mentions; `matrix row {j}` contains {int(wrong[0])}, whose score is not "
            "masked. Are the mentions in text order?"
        )
    order = np.argsort(k, kind="stable")
    k, p = k[order], p[order]
    if len(k) > 1 and not bool((np.diff(k) > 0).all()):
        raise InputError(f"`matrix row {j}` names antecedent {int(k[1:][np.diff(k) == 0][0])} twice.")
    total = float(p.sum()) + new
    return k, p / total, new / total


# The scores of a mention-ranking model become probabilities by a softmax over earlier mentions and "new".

PLACES = ("first", "last", "diagonal")


def from_scores(scores: object, *, null: object) -> Antecedents:
    """Return the softmax of every row over the antecedents k < j and the null score, which represents "new"."""
    links, new = _split_matrix(as_matrix(scores, name="scores"), null)
    m = len(new)
    for name, array in (("scores", links), ("null", new[:, None])):
        wrong = np.argwhere(np.isnan(array) | (array == np.inf))
        if len(wrong):
            j, k = wrong[0].tolist()
            where = f"row {j}, column {k}" if name == "scores" else f"row {j}"
            raise InputError(
                f"{name} must be finite, or -inf for antecedents that were not scored; {where} is "
                f"{float(array[j, k])!r}."
            )
    earlier = np.tri(m, k=-1, dtype=np.bool_)
    joined = np.where(earlier, links, -np.inf)
    np.fill_diagonal(joined, new)
    highest = joined.max(axis=1, initial=-np.inf)
    if m and not bool(np.isfinite(highest).all()):
        row = int(np.flatnonzero(~np.isfinite(highest))[0])
        raise InputError(
            f"a mention needs one finite score, of an antecedent or of 'new'; `matrix row {row}` has none."
        )
    _refuse_later(links, earlier, highest)
    with np.errstate(under="ignore", over="ignore"):
        weights = np.exp(joined - highest[:, None])
    return from_matrix(weights / weights.sum(axis=1, keepdims=True))


def _split_matrix(matrix: Floats, null: object) -> tuple[Floats, Floats]:
    """Return the scores of antecedents (M, M), and those of "new" (M,)."""
    m = len(matrix)
    if isinstance(null, str):
        if null not in PLACES:
            raise InputError(f"null must be 'first', 'last', 'diagonal', a number or one per mention; it is {null!r}.")
        shape = (m, m) if null == "diagonal" else (m, m if m == 0 and matrix.shape[1] == 0 else m + 1)
        if matrix.shape != shape:
            raise InputError(f"scores with `null={null!r}` must have the shape {shape}; it is {matrix.shape}.")
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
            f"scores must have the shape (M, M) and null one value per mention; they have {matrix.shape}, "
            f"{new.shape}. If 'new' is a column of scores: `null='first'` or `null='last'`."
        )
    return matrix, new


def _refuse_later(links: Floats, earlier: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], highest: Floats) -> None:
    """Raise InputError for a score on or above the diagonal, unless it is -inf or so low that its probability is 0."""
    with np.errstate(under="ignore", over="ignore"):
        wrong = np.argwhere(~earlier & (np.exp(np.minimum(links - highest[:, None], 0.0)) > 0.0))
    if len(wrong):
        j, k = wrong[0].tolist()
        which = "itself" if j == k else f"mention {k}, which comes later"
        raise InputError(
            f"scores must be masked with -inf where k ≥ j; `matrix row {j}` is {float(links[j, k])!r} for {which}. Are "
            "the mentions in text order? Mask: scores[~np.tri(len(scores), k=-1, dtype=bool)] = -np.inf."
        )
